"""The price table of the package genai-prices, which knows what providers charged when. It asks no network."""

from __future__ import annotations

from dataclasses import dataclass
from importlib.metadata import version
from typing import TYPE_CHECKING, Any, Final

from measurand.errors import MissingExtraError
from measurand.score.prices import Priced

if TYPE_CHECKING:
    import datetime as dt

    from measurand.score.prices import TokenClasses

__all__ = ["GenaiPrices"]

_KEYS: Final = {
    "input": "input_mtok",
    "cached": "cache_read_mtok",
    "cache_write": "cache_write_mtok",
    "output": "output_mtok",
}
"""Class of tokens -> price in the package. It would charge a class without one as plain input, or not at all."""


@dataclass(frozen=True, slots=True)
class GenaiPrices:
    """Prices of the installed version of genai-prices."""

    id: str
    package: Any
    """The module, which is loaded only when somebody wants prices."""

    @classmethod
    def load(cls) -> GenaiPrices:
        """Load the package.

        Raises:
            MissingExtraError: it is not installed (extra ``prices``).
        """
        try:
            import genai_prices
        except ModuleNotFoundError as error:
            raise MissingExtraError.for_package("genai-prices", "prices") from error
        return cls(f"genai-prices {version('genai-prices')}", genai_prices)

    def knows(self, model: str) -> bool:
        """Whether some provider of the package has the model; ``provider/model`` asks that provider alone."""
        return self._reference(model) is not None

    def price(self, model: str, tokens: TokenClasses, at: dt.datetime) -> Priced:
        """Price tokens at the time ``at``.

        Unknown where the package has no price of a kind in use, and where its price depends on what a trial's sum of
        tokens does not say: the length of each prompt, or the number of requests.
        """
        found = self._reference(model)
        if found is None:
            return Priced.unknown("the model is not in the table")
        provider, reference = found
        usage = self.package.Usage(
            input_tokens=tokens.prompt,  # there the total, its cache partitions included
            cache_read_tokens=tokens.cached,
            cache_write_tokens=tokens.cache_write,
            output_tokens=tokens.output,
        )
        bill = self.package.calc_price(usage, reference, provider_id=provider, genai_request_timestamp=at)
        reason = _unpriced(bill.model_price, tokens)
        return Priced.unknown(reason) if reason else Priced(bill.total_price)

    def _reference(self, model: str) -> tuple[str | None, str] | None:
        """Provider, where the name says it, and the name of the model there."""
        from genai_prices.data_snapshot import get_snapshot

        provider, slash, rest = model.partition("/")
        for asked, name in ((None, model), *([(provider, rest)] if slash else [])):
            try:
                get_snapshot().find_provider_model(name, None, asked, None)
            except LookupError:
                continue
            return asked, name
        return None


def _unpriced(prices: Any, tokens: TokenClasses) -> str | None:
    """Why these prices do not tell what the tokens cost."""
    if prices.requests_kcount is not None:
        return "it charges each request, and their number is not known"
    if prices.output_reasoning_mtok is not None and tokens.output:
        return "it charges reasoning apart from output"
    for kind, key in _KEYS.items():
        price = getattr(prices, key)
        if not getattr(tokens, kind):
            continue
        if price is None:
            return f"no price of {kind} tokens on that day"
        tiers = getattr(price, "tiers", ())
        if tiers and tokens.prompt > min(tier.start for tier in tiers):
            return "it charges long prompts more, and a trial's sum of tokens does not say how long each was"
    return None
