"""Words of a source whose meaning the user gives (``--outcome WORD=OUTCOME``)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from measurand.errors import UsageError
from measurand.model.outcomes import Outcome

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["outcome_words"]


def outcome_words(given: Mapping[str, str]) -> dict[str, Outcome]:
    """Read the meanings that a user gives to words of a source.

    Raises:
        UsageError: no such outcome.
    """
    try:
        return {word: Outcome(outcome) for word, outcome in given.items()}
    except ValueError as error:
        raise UsageError(
            f"--outcome: {error}", hint=f"one of: {', '.join(one.value for one in Outcome)}"
        ) from None
