"""Which agents differ: tiers, the forest of means and the matrix of differences."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Final

import msgspec

from measurand.analyze.records import FEW_UNITS
from measurand.report.board.summary import test_sentence
from measurand.report.document import Cell, Column, Figure, Section, Table
from measurand.report.figures import NARROW, WIDE, Bar, ForestRow, MatrixCell, forest_spec, matrix_spec
from measurand.report.names import visible
from measurand.report.numbers import DASH, count, finite, interval, p_value
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
    from collections.abc import Callable, Iterable, Iterator

    from measurand.analyze.board import Board
    from measurand.analyze.records import AgentRow, PairRow, TierRow, TierTest

    PairField = Field[tuple[TierTest, PairRow]]

__all__ = ["differences_section", "pairs_section", "pairs_table", "tiers_section", "tiers_table"]

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
        tables = (tiers_table(test),)
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


def tiers_table(test: TierTest) -> Table:
    """Who is in which tier, and what the boundaries rest on."""

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


FULL_PAIRS = 45
"""Pairs that a table shows to all and not only to those who unfold it."""


def differences_section(board: Board) -> Section | None:
    """Differences of all pairs of the tested family; ``None`` without a pair."""
    test = board.test
    few = test.n_units < FEW_UNITS and len(test.pairs) <= FULL_PAIRS
    return pairs_section(test, most=MOST_PAIRS, detail=not few)


def pairs_section(test: TierTest, *, most: int, detail: bool) -> Section | None:
    """Differences of all pairs of a test; ``None`` without a pair.

    Args:
        test: the test.
        most: pairs that the table has.
        detail: whether the table is only for those who want every number.
    """
    if not test.pairs:
        return None
    sentences = list(_interval_sentences(test))
    figures: tuple[Figure, ...] = ()
    if len(test.family) > MOST_IN_MATRIX:
        sentences.append(
            f"The matrix of {plural(len(test.family), 'agent')} is not drawn: above {MOST_IN_MATRIX} its cells cannot be told"
            " apart. The data have every pair."
        )
    else:
        figures = (_matrix(test),)
    if len(test.pairs) > most:
        sentences.append(
            f"The table shows the {most} pairs with the largest differences of {count(len(test.pairs))}."
        )
    shown = sorted(test.pairs, key=lambda pair: -pair.difference)[:most]
    return Section(
        id="differences",
        title="Differences between agents",
        sentences=tuple(sentences),
        figures=figures,
        tables=(msgspec.structs.replace(pairs_table((test,), shown), detail=detail),),
    )


def _interval_sentences(test: TierTest) -> Iterator[str]:
    """How the intervals of the differences are to be read, and why some are missing."""
    given = [pair for pair in test.pairs if pair.low is not None]
    if given and test.interval_level is not None:
        text = (
            f"The intervals hold together at {percent_level(test.interval_level)} and belong to the test that gave the "
            "p-values: an interval leaves out 0 exactly when the pair is significant"
        )
        later = any(pair.significant and pair.low == 0 for pair in given)
        yield f"{text}; one that begins with a round bracket leaves out its end 0." if later else f"{text}."
    reasons = Counter(pair.reason for pair in test.pairs if pair.reason is not None)
    for reason, number in reasons.items():
        yield f"{plural(number, 'difference')} without an interval: {visible(reason)}."


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
    table = Table("pairs", "Pairs of agents", (), (), note=notes, detail=True)
    exact = any(pair.p_exact is not None for _, pair in rows)
    share = all(is_share(test.score) for test in tests)
    return build_table(_pair_fields(exact=exact, share=share), rows, band=lambda _: None, table=table)


def _pair_fields(*, exact: bool, share: bool) -> list[PairField]:
    """Columns of a table of pairs.

    Args:
        exact: whether people see the exact p of each pair alone, even where that leaves no room for its interval.
        share: whether all differences are of shares, so that the heading can have their unit.
    """

    def verdict(row: tuple[TierTest, PairRow]) -> Cell:
        found = row[1].significant
        return Cell("yes" if found else "not shown", found, "strong" if found else "muted")

    def t(row: tuple[TierTest, PairRow]) -> Cell:
        value = finite(row[1].t)
        return Cell(DASH if value is None else f"{value:.2f}", value)

    alone = Column("p_raw", "" if exact else "p", "right", importance=2, shown=not exact)
    by_enumeration = Column("p_exact", "Exact p" if exact else "", "right", shown=exact)
    between = Column("low", "Interval" if exact else "", "right", importance=1, shown=exact)
    return [
        data_column("score", lambda row: row[0].score),
        Field(Column("better", "Better", name=True), lambda row: name_cell(row[1].better)),
        Field(Column("worse", "Worse", name=True), lambda row: name_cell(row[1].worse)),
        Field(
            Column("difference", "Difference, points" if share else "Difference", "right"),
            lambda row: _difference_cell(row, share=share, ends="" if exact else _ends(row)),
        ),
        Field(between, lambda row: Cell(_ends(row) or DASH, finite(row[1].low))),
        data_column("high", lambda row: row[1].high),
        Field(Column("t", "t", "right", importance=4), t),
        Field(alone, lambda row: Cell(_p(row[0], row[1].p_raw), row[1].p_raw)),
        Field(by_enumeration, lambda row: Cell(p_value(row[1].p_exact), row[1].p_exact)),
        Field(
            Column("p_adjusted", "Adjusted p", "right"),
            lambda row: Cell(_p(row[0], row[1].p_adjusted), row[1].p_adjusted),
        ),
        Field(
            Column("n_tasks", "Tasks", "right", importance=5),
            lambda row: Cell(count(row[1].n_tasks), row[1].n_tasks),
        ),
        Field(Column("significant", "Different", importance=3), verdict),
    ]


def _ends(row: tuple[TierTest, PairRow]) -> str:
    """Interval of a difference in brackets, a round one where the end is 0 and left out; empty without one."""
    test, pair = row
    ends = interval(pair.low, pair.high, size_form(test.score))
    return f"(0, {ends.partition(', ')[2]}" if ends and pair.significant and pair.low == 0 else ends


def _difference_cell(row: tuple[TierTest, PairRow], *, share: bool, ends: str) -> Cell:
    test, pair = row
    text = difference_form(test.score)(pair.difference)
    return Cell(text.removesuffix(" points") if share else text, finite(pair.difference), minor=ends)
