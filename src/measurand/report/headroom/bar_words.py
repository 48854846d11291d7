"""What a harder bar would have done, in sentences."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from measurand.report.board.saturation import index_form
from measurand.report.names import name_shown, shorten, visible
from measurand.report.numbers import DASH, count, percent
from measurand.report.parts import listed
from measurand.wording import plural, upper_first

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from measurand.analyze.headroom.bar_records import BarRow, BarsPart, Cohort, CohortResult

__all__ = ["answer_sentences", "found_words", "short"]

_NAME: Final = 40


def answer_sentences(part: BarsPart) -> tuple[str, ...]:
    """The answer first, then what it rests on, then what is not there."""
    return (
        *_harder(part),
        *_named(part),
        *_graded(part),
        *_zeros(part),
        *_cohorts(part),
        *_not_split(part),
        *(visible(text) for text in part.unavailable),
    )


def short(name: str) -> str:
    """Name of a bar or score in a sentence."""
    return shorten(name_shown(name), _NAME)


def _words(cohort: Cohort) -> str:
    return "the agents" if cohort.name == "all" else f"the {cohort.name} agents"


def _heads(cohort: Cohort, part: BarsPart) -> str:
    """Whom the tests look at, such as "the first 10 of 46 early agents"."""
    results = [result for row in part.rows if (result := row.of(cohort.name)) is not None]
    size = max((len(result.head) for result in results), default=0)
    name = "agent" if cohort.name == "all" else f"{cohort.name} agent"
    if size == len(cohort.agents):
        return f"the {plural(size, name)}"
    return f"the first {count(size)} of {plural(len(cohort.agents), name)}"


def _harder(part: BarsPart) -> Iterator[str]:
    """What the best harder bar would have given, and what the highest one does."""
    ladder = [row for row in part.rows if row.multiplier is not None]
    base = next((row for row in ladder if row.multiplier == 1.0), None)
    told = _told(part)
    if not told:
        reasons = dict.fromkeys(result.reason for row in part.rows for result in row.cohorts if result.reason)
        why = visible("; ".join(reason.rstrip(".") for reason in reasons if reason))
        yield f"It cannot be told what a harder bar would have done: {why}."
        return
    if base is None:
        return
    harder = [row for row in ladder if row.multiplier is not None and row.multiplier > 1]
    yield f"A harder bar would have split {'; '.join(_at_most(cohort, harder, base, part) for cohort in told)}."
    highest = max(ladder, key=lambda row: row.multiplier or 0.0)
    moved = [
        f"{_heads(cohort, part)} from {found_words(base.of(cohort.name))} to {found_words(highest.of(cohort.name))}"
        for cohort in told
        if any(_tiers(row, cohort) is not None for row in (base, highest))
    ]
    if moved:
        yield f"Raising the bar from the reference to λ = {highest.multiplier:g} takes {'; '.join(moved)}."


def _told(part: BarsPart) -> list[Cohort]:
    """Cohorts of which some bar or score can tell tiers."""
    return [cohort for cohort in part.cohorts if any(_tiers(row, cohort) is not None for row in part.rows)]


def _tiers(row: BarRow, cohort: Cohort) -> int | None:
    result = row.of(cohort.name)
    return None if result is None else result.n_tiers


def _plain(row: BarRow) -> str:
    """Name of a row without what stands in its brackets."""
    return "the reference" if row.multiplier == 1.0 else short(row.name.partition(" (")[0])


def _named(part: BarsPart) -> Iterator[str]:
    """Bars that are no multiples of the reference."""
    for row in part.rows:
        if not row.graded and row.multiplier is None and _told(part):
            told = " and ".join(
                f"{found_words(row.of(cohort.name))} among {_words(cohort)}" for cohort in _told(part)
            )
            yield f"The bar {short(row.name)}: {told}."


def _at_most(cohort: Cohort, harder: Sequence[BarRow], base: BarRow, part: BarsPart) -> str:
    known = [number for row in harder if (number := _tiers(row, cohort)) is not None]
    most = f"into at most {plural(max(known), 'tier')}" if known else "into no tiers that could be told"
    others = [(row, _tiers(row, cohort)) for row in (base, *(row for row in part.rows if row.graded))]
    beside = ", ".join(
        f"{_plain(row)}: {DASH if number is None else count(number)}" for row, number in others
    )
    return f"{_heads(cohort, part)} {most} ({beside})"


def found_words(result: CohortResult | None) -> str:
    """Tiers and saturation of a cohort in a few words."""
    if result is None or result.n_tiers is None:
        return "no answer on tiers"
    index = "" if result.index is None else f" (S {_equals(index_form(result.index))})"
    return f"{plural(result.n_tiers, 'tier')}{index}"


def _equals(text: str) -> str:
    return text if text[0] in "<>" else f"= {text}"


def _graded(part: BarsPart) -> Iterator[str]:
    """How many bars separate each cohort at least as well as a graded score, and whether one does both."""
    bars = [row for row in part.rows if not row.graded]
    for row in part.rows:
        if not row.graded or not _told(part):
            continue
        told = " and ".join(
            f"{found_words(row.of(cohort.name))} among {_words(cohort)}" for cohort in _told(part)
        )
        yield f"{upper_first(short(row.name))}: {told}{_matched(row, bars, part.cohorts)}."


def _matched(row: BarRow, bars: Sequence[BarRow], cohorts: Sequence[Cohort]) -> str:
    wanted = [result.n_tiers for cohort in cohorts if (result := row.of(cohort.name)) is not None]
    if not bars or any(tiers is None for tiers in wanted):
        return ""
    equal = [
        bar.name
        for bar in bars
        if all(
            (found := bar.of(cohort.name)) is not None and (found.n_tiers or 0) >= (tiers or 0)
            for cohort, tiers in zip(cohorts, wanted, strict=True)
        )
    ]
    where = "" if len(cohorts) == 1 else " in both cohorts"
    if not equal:
        return f"; no bar has as many tiers{where}"
    bars_words = f"the bar {listed(equal)} has" if len(equal) == 1 else f"the bars {listed(equal)} have"
    return f"; {bars_words} as many{where}"


def _zeros(part: BarsPart) -> Iterator[str]:
    """Which bar leaves the most agents at zero."""
    for cohort in part.cohorts:
        results = [
            (row, result)
            for row in part.rows
            if not row.graded and (result := row.of(cohort.name)) is not None and result.zero_share
        ]
        if results:
            row, worst = max(results, key=lambda pair: pair[1].zero_share or 0.0)
            yield (
                f"The bar {short(row.name)} leaves {count(worst.zeros)} of {plural(worst.n_agents, 'agent')} "
                f"({percent(worst.zero_share)}){'' if cohort.name == 'all' else f' of the {cohort.name} cohort'} at zero: of "
                "these it says nothing."
            )


def _cohorts(part: BarsPart) -> Iterator[str]:
    if len(part.cohorts) > 1:
        told = "; ".join(
            f"{cohort.name}: {plural(len(cohort.agents), 'agent')}{_days(cohort)}" for cohort in part.cohorts
        )
        yield f"{upper_first(told)}."
    if part.left_out:
        verb = "is" if len(part.left_out) == 1 else "are"
        yield f"{plural(len(part.left_out), 'agent')} without a release date or cohort {verb} left out: {listed(part.left_out)}."


def _days(cohort: Cohort) -> str:
    if cohort.first_release is None or cohort.last_release is None:
        return ""
    return f", {cohort.first_release} to {cohort.last_release}"


def _not_split(part: BarsPart) -> Iterator[str]:
    """Why a cohort is not split under some bar, whatever its results; each reason once."""
    for cohort in part.cohorts if _told(part) else ():
        reasons: dict[str, list[str]] = {}
        for row in part.rows:
            result = row.of(cohort.name)
            if result is not None and result.reason:
                reasons.setdefault(result.reason, []).append(row.name)
        for reason, names in reasons.items():
            which = "any bar or score" if len(names) == len(part.rows) else listed(names)
            where = "" if cohort.name == "all" else f" among {_words(cohort)}"
            yield f"Nothing can be told apart{where} under {which}: {visible(reason).rstrip('.')}."
