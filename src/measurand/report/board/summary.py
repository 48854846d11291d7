"""The answer of a board, in sentences: what can be concluded first, and what cannot."""

from __future__ import annotations

from typing import TYPE_CHECKING

from measurand.report.design.plan import outlook_sentence
from measurand.report.document import Section
from measurand.report.names import visible
from measurand.report.numbers import count, finite
from measurand.report.parts import listed, percent_level, with_power
from measurand.report.scores import score_words, size_form
from measurand.wording import plural, upper_first

if TYPE_CHECKING:
    from measurand.analyze.board import Board
    from measurand.analyze.records import SaturationRow, TierTest

__all__ = ["saturation_sentence", "summary_section", "test_answer", "test_sentence"]


def summary_section(board: Board) -> Section:
    """Headline sentences of a board."""
    if not board.standings:
        return Section(
            id="answer", title="What can be concluded", sentences=("There is no agent to report on.",)
        )
    sentences = [
        *test_answer(board.test),
        *_best(board),
        *_untested(board),
        *filter(None, [outlook_sentence(board.outlook, board.score)]),
        *_saturation(board),
        *_other_scores(board),
        *(visible(note) for note in board.test.notes),
    ]
    return Section(id="answer", title="What can be concluded", sentences=tuple(sentences), lead=True)


def test_sentence(test: TierTest) -> str:
    """How a test was made, for the note of a table or figure."""
    if test.exact:
        draws = f"{plural(test.resamples, 'resample')}, enumerated in full"
    else:
        seed = f", seed {test.seed}" if test.seed is not None else ""
        error = f", Monte-Carlo standard error at most {test.max_standard_error:.2g}"
        draws = f"{plural(test.resamples, 'random resample')}{seed}{error}"
    units = plural(test.n_tasks, "task")
    if test.n_units != test.n_tasks:
        units += f" in {plural(test.n_units, test.unit, _plural_unit(test.unit))}"
    gaps = f"; {plural(test.missing_cells, 'missing cell')}" if test.missing_cells else ""
    method = visible(test.method) + ("" if "null:" in test.method else f"; null: {visible(test.null)}")
    return f"{method}; family-wise level {percent_level(test.level)}; {units}; {draws}{gaps}."


def _plural_unit(unit: str) -> str:
    return unit.replace("family", "families", 1) if "family" in unit else f"{unit}s"


def _test_word(null: str) -> str:
    words = {
        "signs": "sign-flip max-T test",
        "labels": "label-permutation max-T test",
        "bootstrap": "bootstrap max-T test",
    }
    return words.get(null, f"null: {visible(null)}")


def test_answer(test: TierTest) -> list[str]:
    """What a test says of its family: how many pairs differ, and by how much against what could be detected."""
    return [*_differences(test), *_sizes(test)]


def _differences(test: TierTest) -> list[str]:
    """How many of the pairs differ, or why nothing can be said."""
    if test.reason:
        return [f"It cannot be said which agents differ. {visible(test.reason)}"]
    agents, pairs = plural(len(test.family), "agent"), plural(test.n_pairs, "pair")
    terms = f"{_test_word(test.null)} at the family-wise {percent_level(test.level)} level; {plural(test.n_tasks, 'task')}"
    if not test.n_pairs:
        return [f"There is no pair to compare: {agents} tested."]
    if not test.n_significant:
        found = f"None of the {pairs} among the {agents} tested was shown to differ ({terms})."
        return [f"{found} That is no evidence that they are equal."]
    verb = "differs" if test.n_significant == 1 else "differ"
    found = f"{count(test.n_significant)} of {pairs} {verb} significantly ({terms})"
    return [f"The {agents} tested fall into {plural(len(test.tiers), 'tier')}: {found}."]


def _sizes(test: TierTest) -> list[str]:
    """Spread and gaps beside what the number of tasks can detect."""
    parts, form = [], size_form(test.score)
    if finite(test.spread) is not None:
        parts.append(f"first and last are {form(test.spread)} apart under {score_words(test.score)}")
    if finite(test.largest_gap) is not None:
        parts.append(f"the largest gap between neighbours is {form(test.largest_gap)}")
    sentences = [f"{upper_first('; '.join(parts))}."] if parts else []
    detectable = finite(test.detectable.value)
    if detectable is None:
        return sentences
    text = (
        f"With {plural(test.n_tasks, 'task')}, the median pair would show a true difference of {form(detectable)} "
        f"{with_power(test.detectable)}"
    )
    if test.largest_gap is not None and test.largest_gap < detectable:
        text += "; no gap between neighbours is that large"
    return [*sentences, f"{text}."]


def _lower(text: str) -> str:
    return text[:1].lower() + text[1:]


def _best(board: Board) -> list[str]:
    """Who may be best: agents that nobody beats significantly."""
    if board.test.reason:
        return []
    names = [row.agent for row in board.standings if row.possible_best]
    if not names:
        return []
    if len(names) == 1:
        return [f"{listed(names)} is the only agent tested that no other beats significantly."]
    return [
        f"Any of {count(len(names))} agents may be the best, for nobody beats them significantly: {listed(names)}."
    ]


def _untested(board: Board) -> list[str]:
    number = sum(not row.tested for row in board.standings)
    if not number:
        return []
    verb = "is" if number == 1 else "are"
    return [
        f"{plural(number, 'more agent')} {verb} listed by rank and not tested, so that no tier or range of ranks is given."
    ]


def _saturation(board: Board) -> list[str]:
    row = next(
        (row for row in board.saturation if row.score == board.score and row.variant == "paired"),
        next((row for row in board.saturation if row.score == board.score), None),
    )
    return [] if row is None else [saturation_sentence(row)]


def saturation_sentence(row: SaturationRow) -> str:
    """Saturation of the head of the board in one sentence."""
    if finite(row.index) is None:
        why = f": {visible(row.reason).rstrip('.')}" if row.reason else ""
        return f"The saturation of the head of the board is not available{why}."
    place = {1: "first", 2: "second", 3: "third", 4: "fourth", 5: "fifth"}.get(row.k, f"place {row.k}")
    category = f", {visible(row.category).replace('_', ' ')}" if row.category else ""
    t = f"; t = {row.t:.2f}" if finite(row.t) is not None else ""
    return (
        f"Saturation between first and {place} is S = {row.index:.2f}{category} ({visible(row.variant)}, n ="
        f" {plural(row.n, 'task')}{t}). Near 1 the head of the board lies within noise; S is not a p-value."
    )


def _other_scores(board: Board) -> list[str]:
    """Tiers under the other scores of the same trials, in one sentence."""
    parts = []
    for test in board.tests[1:]:
        if test.reason:
            parts.append(
                f"{score_words(test.score)} gives no answer ({_lower(visible(test.reason).rstrip('.'))})"
            )
            continue
        tiers, pairs = (
            plural(len(test.tiers), "tier"),
            f"{count(test.n_significant)} of {plural(test.n_pairs, 'pair')}",
        )
        parts.append(
            f"{score_words(test.score)} gives {tiers} ({pairs})"
            if test.n_significant
            else f"{score_words(test.score)} separates none of {plural(test.n_pairs, 'pair')}"
        )
    return [f"Other scores of the same trials: {'; '.join(parts)}."] if parts else []
