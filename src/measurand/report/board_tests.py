"""Which agents differ: tiers, the forest of means and the matrix of differences."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from measurand.report.board_summary import test_sentence
from measurand.report.document import Cell, Column, Figure, Section, Table
from measurand.report.figures import NARROW, WIDE, Bar, ForestRow, MatrixCell, forest_spec, matrix_spec
from measurand.report.numbers import DASH, count, finite, p_value
from measurand.report.parts import (
    Field,
    build_table,
    data_column,
    listed,
    name_cell,
    percent_level,
    with_power,
)
from measurand.report.scores import (
    difference_form,
    is_share,
    ranking_mean,
    score_words,
    size_form,
    value_form,
)
from measurand.wording import plural

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from measurand.analyze.board import Board
    from measurand.analyze.records import AgentRow, PairRow, TierRow, TierTest

    PairField = Field[tuple[TierTest, PairRow]]

__all__ = ["differences_section", "pairs_table", "tiers_section"]

MOST_UNTESTED: Final = 40
"""Agents outside the tested family that the forest shows."""

MOST_IN_MATRIX: Final = 40
"""Agents whose pairs can be told apart in the matrix."""

MOST_PAIRS: Final = 300
"""Pairs in the table of a document; all of them are in the data."""


def tiers_section(board: Board) -> Section | None:
    """Tiers of the tested family with the forest of means; ``None`` without an agent."""
    forest = _forest(board)
    test = board.test
    tables: tuple[Table, ...] = ()
    if test.tiers:
        tables = (_tiers_table(test),)
    if forest is None and not tables:
        return None
    sentences = (_why_not(test),) if test.reason else ()
    figures = () if forest is None else (forest,)
    return Section(id="tiers", title="Tiers", sentences=sentences, figures=figures, tables=tables)


def _why_not(test: TierTest) -> str:
    """What tiers mean where the test gives no answer."""
    if test.tiers:
        return (
            "The agents stand in one tier because these data could have separated nobody; that is no finding."
        )
    return "Nothing is said about tiers, because the test gives no answer."


def _tiers_table(test: TierTest) -> Table:
    def boundary(tier: TierRow) -> Cell:
        match tier.fully_supported:
            case None:
                return Cell(DASH, None, "muted")
            case True:
                return Cell("every pair across differs", value=True, tone="good")
            case _:
                return Cell("not every pair across differs", value=False, tone="warning")

    fields: list[Field[TierRow]] = [
        Field(Column("tier", "Tier", "right"), lambda tier: Cell(count(tier.tier), tier.tier)),
        Field(
            Column("size", "Agents", "right"), lambda tier: Cell(count(len(tier.agents)), len(tier.agents))
        ),
        Field(
            Column("agents", "Who", wraps=True),
            lambda tier: Cell(listed(tier.agents, 12), "\n".join(tier.agents)),
        ),
        Field(Column("fully_supported", "Boundary above it"), boundary),
    ]
    note = (
        "A tier holds the agents that its first one was not shown to beat; they are not thereby equal. Where not every"
        " pair across a boundary differs, the boundary is a convention of the order and not a finding about each agent."
    )
    table = Table("tiers", "Tiers of the tested agents", (), (), note=note)
    return build_table(fields, test.tiers, band=lambda _: None, table=table)


def _forest_row(row: AgentRow, name: str) -> ForestRow | None:
    mean = ranking_mean(row, name)
    if mean is None or mean.value is None or finite(mean.value) is None:
        return None
    return ForestRow(row.agent, mean.value, finite(mean.low), finite(mean.high), row.tier, row.tested)


def _forest(board: Board) -> Figure | None:
    tested = [row for row in board.standings if row.tested]
    rest = [row for row in board.standings if not row.tested]
    drawn = [_forest_row(row, board.score) for row in (*tested, *rest[:MOST_UNTESTED])]
    rows = [row for row in drawn if row is not None]
    if not rows:
        return None
    levels = {mean.level for mean in (ranking_mean(row, board.score) for row in tested) if mean is not None}
    level = levels.pop() if len(levels) == 1 else None
    detectable = finite(board.test.detectable.value)
    title = f"mean {score_words(board.score)}" + (f", {percent_level(level)} interval" if level else "")
    share = is_share(board.score)
    bar = None if detectable is None else Bar(detectable, size_form(board.score)(detectable))
    left = len(rest) - MOST_UNTESTED
    note = (
        [f"The lowest {plural(left, 'untested agent')} by rank: in the standings only."] if left > 0 else []
    )
    if detectable is not None:
        note.append(
            f"Last row: {size_form(board.score)(detectable)}, the difference that one pair of agents would show "
            f"{with_power(board.test.detectable)} on this number of tasks, drawn from the best mean."
        )
    if len(rows) > 1:
        note.append(
            "Intervals of two agents may overlap although they differ: the test compares them task by task."
        )
    form = value_form(board.score)
    alt = (
        f"Means of {plural(len(rows), 'agent')} under {score_words(board.score)} with intervals, best first, from"
        f" {form(max(row.mean for row in rows))} to {form(min(row.mean for row in rows))}"
        f"{_alt_tiers(board.test)}. The standings table has the numbers."
    )
    return Figure(
        id="forest",
        title=f"Means under {score_words(board.score)}, by tier"
        if board.test.tiers
        else f"Means under {score_words(board.score)}",
        alt=alt,
        spec=forest_spec(rows, bar, title=title, share=share, size=WIDE),
        narrow=forest_spec(rows, bar, title=title, share=share, size=NARROW),
        note=" ".join(note),
        data=_forest_table(rows, value_form(board.score)),
    )


def _alt_tiers(test: TierTest) -> str:
    return f", in {plural(len(test.tiers), 'tier')}" if test.tiers else ""


def _forest_table(rows: Iterable[ForestRow], form: Callable[[float | None], str]) -> Table:
    fields: list[Field[ForestRow]] = [
        Field(Column("agent", "Agent", name=True), lambda row: name_cell(row.agent)),
        Field(Column("tier", "Tier", "right"), lambda row: Cell(count(row.tier), row.tier)),
        Field(Column("mean", "Mean", "right"), lambda row: Cell(form(row.mean), row.mean)),
        Field(Column("low", "Low", "right"), lambda row: Cell(form(row.low), row.low)),
        Field(Column("high", "High", "right"), lambda row: Cell(form(row.high), row.high)),
    ]
    table = Table("forest-data", "Numbers of this figure", (), (), detail=True)
    return build_table(fields, rows, band=lambda row: row.tier, table=table)


FEW_UNITS = 20
FULL_PAIRS = 45
"""With fewer tasks than that, each pair's own p stands beside the adjusted one for all to see, up to so many pairs."""


def differences_section(board: Board) -> Section | None:
    """Differences of all pairs of the tested family; ``None`` without a pair."""
    test = board.test
    if not test.pairs:
        return None
    sentences = []
    figures: tuple[Figure, ...] = ()
    if len(test.family) > MOST_IN_MATRIX:
        sentences.append(
            f"The matrix of {plural(len(test.family), 'agent')} is not drawn: above {MOST_IN_MATRIX} its cells cannot be told"
            " apart. The data have every pair."
        )
    else:
        figures = (_matrix(test),)
    if len(test.pairs) > MOST_PAIRS:
        sentences.append(
            f"The table shows the {MOST_PAIRS} pairs with the largest differences of {count(len(test.pairs))}."
        )
    shown = sorted(test.pairs, key=lambda pair: -pair.difference)[:MOST_PAIRS]
    return Section(
        id="differences",
        title="Differences between agents",
        sentences=tuple(sentences),
        figures=figures,
        tables=(pairs_table((test,), shown),),
    )


def _matrix(test: TierTest) -> Figure:
    place = {name: index for index, name in enumerate(test.family)}
    cells = [
        MatrixCell(
            place[pair.better],
            place[pair.worse],
            pair.difference,
            _p(test, pair.p_adjusted),
            pair.significant,
        )
        for pair in test.pairs
        if pair.better in place and pair.worse in place
    ]
    alt = (
        f"Matrix of the differences between {plural(len(test.family), 'agent')}: {count(test.n_significant)} of"
        f" {plural(test.n_pairs, 'pair')} are significant and coloured. The table of pairs has the numbers."
    )
    inside = "cells with room show the difference and below it the adjusted p, others mark a significant pair by a dot"
    note = (
        f"Better agent in the row, worse one in the column, under {score_words(test.score)}; {inside}. Coloured: significant at"
        f" the family-wise level of {percent_level(test.level)}. Pale: not shown different, which is not equal."
    )
    return Figure(
        id="matrix",
        title="Differences of all pairs tested",
        alt=alt,
        spec=matrix_spec(test.family, cells, share=is_share(test.score), size=WIDE),
        narrow=matrix_spec(test.family, cells, share=is_share(test.score), size=NARROW),
        note=note,
    )


def _p(test: TierTest, p: float) -> str:
    return p_value(p, resamples=test.resamples, exact=test.exact)


def pairs_table(tests: Iterable[TierTest], pairs: Iterable[PairRow] | None = None) -> Table:
    """Pairs with difference and p-values.

    Args:
        tests: the tests whose pairs are wanted.
        pairs: the pairs to show; ``None`` for all pairs of all tests.
    """
    tests = tuple(tests)
    rows = (
        [(tests[0], pair) for pair in pairs]
        if pairs is not None
        else [(test, pair) for test in tests for pair in test.pairs]
    )
    notes = " ".join(test_sentence(test) for test in tests[:1])
    in_full = len(rows) <= FULL_PAIRS and all(test.n_units < FEW_UNITS for test in tests)
    table = Table("pairs", "Pairs of agents", (), (), note=notes, detail=not in_full)
    return build_table(_pair_fields(), rows, band=lambda _: None, table=table)


def _pair_fields() -> list[PairField]:
    def verdict(row: tuple[TierTest, PairRow]) -> Cell:
        found = row[1].significant
        return Cell("yes" if found else "not shown", found, "strong" if found else "muted")

    def t(row: tuple[TierTest, PairRow]) -> Cell:
        value = finite(row[1].t)
        return Cell(DASH if value is None else f"{value:.2f}", value)

    return [
        data_column("score", lambda row: row[0].score),
        Field(Column("better", "Better", name=True), lambda row: name_cell(row[1].better)),
        Field(Column("worse", "Worse", name=True), lambda row: name_cell(row[1].worse)),
        Field(
            Column("difference", "Difference", "right"),
            lambda row: Cell(difference_form(row[0].score)(row[1].difference), finite(row[1].difference)),
        ),
        Field(Column("t", "t", "right", importance=3), t),
        Field(
            Column("p_raw", "p", "right", importance=2),
            lambda row: Cell(_p(row[0], row[1].p_raw), row[1].p_raw),
        ),
        Field(
            Column("p_adjusted", "Adjusted p", "right"),
            lambda row: Cell(_p(row[0], row[1].p_adjusted), row[1].p_adjusted),
        ),
        Field(
            Column("n_tasks", "Tasks", "right", importance=4),
            lambda row: Cell(count(row[1].n_tasks), row[1].n_tasks),
        ),
        Field(Column("significant", "Different"), verdict),
    ]
