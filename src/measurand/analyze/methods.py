"""How each kind of number was had, in sentences for the methods box."""

from __future__ import annotations

from typing import TYPE_CHECKING

from measurand.analyze.records import MethodNote, TierTest
from measurand.wording import plural, upper_first

if TYPE_CHECKING:
    from measurand.analyze.settings import Settings

__all__ = ["board_methods", "compare_methods", "tier_methods"]


def board_methods(
    settings: Settings, test: TierTest, *, graded: bool, fingerprint: str
) -> tuple[MethodNote, ...]:
    """Describe the methods of a board; ``fingerprint`` says what its rows were measured with."""
    notes = [
        ("Gate rate", _GATE),
        ("Intervals", _intervals(settings, test.unit)),
        ("Tiers", _tiers(settings, test)),
        ("Detectable difference", _detectable(settings)),
        ("Saturation", _saturation(settings)),
        ("Meters", _METERS),
        ("Compared under", fingerprint),
    ]
    if graded:
        notes.insert(1, ("Scores", _scores(settings)))
    return _named(notes)


def compare_methods(settings: Settings, method: str, unit: str) -> tuple[MethodNote, ...]:
    """Describe the methods of a comparison of two agents."""
    test = (
        f"{upper_first(method)}; one pair, named by the user, so that there is nothing to adjust for. "
        "A cell is the mean over the planned trials of an agent on a task; no verdict counts as not passed."
    )
    difference = (
        "The difference plus and minus a critical value times the standard error: the larger of the test's own and that of "
        "sign flips of the centred differences; the interval leaves out 0 exactly when p is at most the level."
    )
    notes = [
        ("Test", test),
        ("Interval of the difference", difference),
        ("Intervals of means", _intervals(settings, unit)),
    ]
    return _named([*notes, ("Meters", _METERS)])


def tier_methods(settings: Settings, test: TierTest, *, fingerprint: str) -> tuple[MethodNote, ...]:
    """Describe the methods of tiers; ``fingerprint`` says what the rows were measured with."""
    notes = [
        ("Tiers", _tiers(settings, test)),
        ("Intervals of differences", _simultaneous(settings, test)),
        ("Intervals of means", _intervals(settings, test.unit)),
        ("Agreement of the nulls", _NULLS),
        ("Detectable difference", _detectable(settings)),
        ("Compared under", fingerprint),
    ]
    return _named(notes)


def _named(notes: list[tuple[str, str]]) -> tuple[MethodNote, ...]:
    return tuple(MethodNote(topic=topic, text=text) for topic, text in notes)


_GATE = (
    "Mean over tasks of the mean over trials; tasks weigh equally. Headline: a planned trial without a verdict counts "
    "as not passed. Beside it, where they differ: over evaluated trials only, and the bounds with all such trials "
    "failed and all passed."
)
_METERS = (
    "Sums over trials whose meter is known; with unknown ones the sum is a lower bound (>=) and the coverage is shown. "
    "Cost per success is the cost of all trials over the passed ones. No meter enters a score."
)


_NULLS = (
    "Signs: one random sign per task shared by all pairs, valid for a pair whatever the other agents do. Labels: agent "
    "labels permuted within each task; with few tasks a very noisy agent, or one far behind, raises its error rate. "
    "Bootstrap: tasks drawn with replacement, differences centred and studentised anew; for unbounded skewed values, and "
    "with little power on 40 tasks or fewer. Where they disagree about a pair, that pair is no firm finding."
)


def _simultaneous(settings: Settings, test: TierTest) -> str:
    width = "" if test.critical_value is None else f", here {test.critical_value:.2f}"
    return (
        f"Difference plus and minus a critical value{width} times its standard error: the {1 - settings.level:.0%} quantile "
        "of the maximum over all pairs, the larger of the test's own and that of sign flips of centred differences. Where "
        "only a later step of the test finds a pair, the end nearer 0 is 0 and left out, so that an interval leaves out 0 "
        "exactly when the adjusted p is at most the level."
    )


def _scores(settings: Settings) -> str:
    scoring = settings.scoring
    key = (
        "official verdict, else the reference is reached"
        if scoring.key_at is None
        else f"{scoring.key_at:g} times the reference is reached"
    )
    return (
        f"Objective: ln(q/b)/ln(r/b) clipped to [0, {scoring.clip:g}], 0 where the gate failed; without a baseline "
        "1 + ln(improvement over the reference), unit base e; (q-b)/(r-b) for interval quantities. Capped: the same "
        f"clipped to [0, 1]; capped_linear: linear share of the reference, clipped to [0, 1]. Key: {key}."
    )


def _intervals(settings: Settings, unit: str) -> str:
    units = "tasks" if unit == "task" else "families of tasks"
    return (
        f"{1 - settings.level:.0%} level. Shares whose every cell is 0 or 1: Wilson over tasks. Otherwise: percentile "
        f"bootstrap over {units} with all their trials, {settings.resamples} resamples, seed {settings.seed}."
    )


def _tiers(settings: Settings, test: TierTest) -> str:
    family = "all agents" if settings.top is None else f"the first {plural(len(test.family), 'agent')}"
    pairs = plural(test.n_pairs, "pair")
    drawn = "" if test.exact else f", {test.resamples} resamples, seed {test.seed}"
    units = plural(test.n_units, *(("task",) if test.unit == "task" else ("family", "families")))
    return (
        f"Family: {family}, {pairs}, under the score {test.score}. {upper_first(test.method)}{drawn}; any "
        f"false split has probability at most {settings.level:.0%}. n = {units}. Leader rule: going down, "
        "the first agent significantly worse than its tier's leader opens the next tier. Same tier means not shown "
        "different, never equal."
    )


def _detectable(settings: Settings) -> str:
    return (
        f"Smallest difference of one pair found with {settings.power:.0%} power at the family-wise "
        f"{settings.level:.0%} level, from the median standard error over the family's pairs."
    )


def _saturation(settings: Settings) -> str:
    return (
        f"S = exp(-R²), R = (mean d / sd d)·n^{settings.alpha / 2:g} for the paired differences d of the first agent "
        f"and the one at place {settings.places} (alpha = {settings.alpha:g}). Near 1: within noise. S is no p-value."
    )
