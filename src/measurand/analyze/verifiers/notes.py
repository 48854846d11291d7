"""What a reader must know of a second verdict, and how its numbers were had, in sentences."""

from __future__ import annotations

from typing import TYPE_CHECKING

from measurand.analyze.records import Finding, MethodNote
from measurand.wording import plural, upper_first

if TYPE_CHECKING:
    from collections.abc import Iterator

    from measurand.analyze.settings import Settings
    from measurand.analyze.verifiers.records import SecondVerdict

__all__ = ["verdict_findings", "verdict_methods"]


def verdict_findings(part: SecondVerdict, settings: Settings, *, failures: bool) -> tuple[Finding, ...]:
    """Findings on the second verdict itself."""
    return tuple(_findings(part, settings, failures=failures))


def _findings(part: SecondVerdict, settings: Settings, *, failures: bool) -> Iterator[Finding]:
    errors = part.errors
    unknown = [row for row in part.agents if row.checked < row.passes]
    if unknown:
        lacking = errors.passes - errors.passes_checked
        listed = tuple(f"{row.agent}: {row.checked} of {row.passes} re-checked" for row in unknown)
        stand = f"where at most {settings.missing_limit:.0%} of an agent's passes are so, they stand; other agents have no rate by both verdicts and no place in the order"
        yield Finding(
            severity="warning",
            subject="second verdict",
            text=f"{lacking:,} of {plural(errors.passes, 'pass', 'passes')} were not re-checked; {stand}.",
            examples=listed[:10],
        )
    if errors.design is not None:
        text = f"The corrected rates take the re-checked trials for {errors.design}. The data cannot show that they are."
        yield Finding(severity="warning", subject="second verdict", text=text)
    if errors.fails_checked and not failures:
        text = (
            f"The second verdict is known of {plural(errors.fails_checked, 'trial')} that the first one fails, and passes "
            f"{errors.fails_accepted:,} of them. Not used: say --failed-too if it judged failures as fully as passes."
        )
        yield Finding(severity="info", subject="second verdict", text=text)
    if failures and not errors.fails_checked:
        text = "No failed trial has a second verdict: wrong rejects cannot be corrected."
        yield Finding(severity="warning", subject="second verdict", text=text)


def verdict_methods(part: SecondVerdict, settings: Settings) -> tuple[MethodNote, ...]:
    """Describe the methods."""
    notes = [
        ("Second verdict", _rates(part)),
        ("Rejected share", _share(part, settings)),
        ("Order", _ORDER),
        ("Random removal", _removal(part)),
        ("Tiers", _tiers(part)),
    ]
    if part.errors.design is not None:
        notes.append(("Corrected rates", _corrected(part, settings)))
    notes.append(("Limits", _LIMITS))
    return tuple(MethodNote(topic=topic, text=text) for topic, text in notes)


def _rates(part: SecondVerdict) -> str:
    return (
        f"A trial passes both verdicts when {part.first_name} and {part.second_name} pass it. A pass that was not re-checked "
        "stands; the lowest rate takes all such passes as rejected."
    )


def _share(part: SecondVerdict, settings: Settings) -> str:
    several = (
        ""
        if part.counts_only
        else " Where a task or family has several passes the interval is taken at the effective number of passes."
    )
    return (
        f"Passes that the second verdict rejects over passes that it looked at, Wilson interval at the {1 - settings.level:.0%} "
        f"level.{several} Median and range are over agents. Whether the shares differ: Pearson's X² against draws with one share for all, "
        f"{plural(part.resamples, 'resample')}, seed {settings.seed}."
    )


_ORDER = (
    "Neighbours in the order by the first verdict, agents that tie listed by name. Only neighbours apart count: reversed when "
    "the lower one has the higher rate after, tied when the rates are equal. Kendall's tau-b over all agents of the order."
)


def _removal(part: SecondVerdict) -> str:
    band = part.order.band
    if band is None:
        return "Not run."
    exact = "" if band.expected is None else " The expected number is exact, by convolution of binomials."
    return (
        f"Every pass of every agent of the order removed with the same chance {band.share:.4f}, each on its own: "
        f"{plural(band.resamples, 'resample')}, seed {band.seed}; band: {(1 - band.level) / 2:.1%} to "
        f"{(1 + band.level) / 2:.1%} of the numbers of reversals.{exact} It takes no account of tasks whose passes "
        "stand and fall together for many agents."
    )


def _tiers(part: SecondVerdict) -> str:
    tiers = part.tiers
    if tiers.reason is not None:
        return f"Not available: {tiers.reason.rstrip('.')}."
    return (
        f"The same {plural(len(tiers.family), 'agent')}, the head of the order by the first verdict, under both: "
        f"{upper_first(tiers.method)}, {plural(tiers.resamples, 'resample')}, seed {tiers.seed}, family-wise level "
        f"{tiers.level:.0%} for each verdict apart."
    )


def _corrected(part: SecondVerdict, settings: Settings) -> str:
    strata = (
        "strata are the first verdicts, and the interval is stratified; tuning would add nothing to yes or no"
    )
    if part.errors.design == "a random sample of all trials":
        strata = "lambda, the weight of the first verdicts, makes the variance least (PPI++)"
    return (
        "Rogan-Gladen: (m + sp - 1)/(se + sp - 1) with sensitivity and specificity from the re-checked trials of all agents, "
        f"as if the first verdict erred alike for all; percentile bootstrap, {plural(settings.resamples, 'resample')}, seed "
        f"{settings.seed}. Prediction-powered: each agent's own re-checked trials with the first verdicts of all; "
        f"{strata}. Both intervals take tasks (or families) as units. {1 - settings.level:.0%} level."
    )


_LIMITS = (
    "The second verdict is taken for the truth. It corrects wrong accepts; wrong rejects show only when failed trials are judged "
    "again as well. A second verdict may itself be too strict: look at a sample of what it rejects."
)
