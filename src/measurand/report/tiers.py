"""Tiers of the head of the standings: who differs, by how much, and whether the null distributions agree."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from measurand.report.board.summary import test_answer, test_sentence
from measurand.report.board.tests import FULL_PAIRS, pairs_section, tiers_table
from measurand.report.document import Cell, Column, Document, Section, Table
from measurand.report.names import visible
from measurand.report.numbers import DASH, count, ranks
from measurand.report.parts import (
    GENERATOR,
    NOT_COMPARABLE,
    Field,
    build_table,
    estimate_cell,
    findings_section,
    listed,
    methods_section,
    name_cell,
    suite_title,
)
from measurand.report.scores import score_words, value_form
from measurand.wording import plural

if TYPE_CHECKING:
    from measurand.analyze.records import NullRow
    from measurand.analyze.tiering.tiers import TierBoard, TieredAgent

__all__ = ["tiers_document"]

MOST_MOVES: Final = 3
"""Agents in another tier that a cell names."""


def tiers_document(board: TierBoard) -> Document:
    """Report on tiers: the answer first, then agents, pairs, and the agreement of the nulls."""
    sections = (
        _answer(board),
        _agents(board),
        pairs_section(board.test, most=FULL_PAIRS, detail=False),
        _agreement(board),
        findings_section(board.findings),
        methods_section(board.methods),
    )
    subtitle = (
        f"{len(board.agents)} of {plural(board.n_agents, 'agent')} tested · {plural(board.n_tasks, 'task')} · "
        f"{plural(board.n_trials, 'recorded trial')} · by {score_words(board.score)}"
    )
    return Document(
        title=f"Tiers of {suite_title(board.suite, board.suite_version)}",
        subtitle=subtitle,
        banner="" if board.comparable else NOT_COMPARABLE,
        sections=tuple(section for section in sections if section is not None),
        command=visible(board.command or ""),
        generator=GENERATOR,
    )


def _answer(board: TierBoard) -> Section:
    sentences = [*test_answer(board.test), *_best(board)]
    untested = board.n_agents - len(board.agents)
    if untested:
        sentences.append(f"{plural(untested, 'more agent')} not tested: --top N or --top all takes them in.")
    return Section(id="answer", title="What can be concluded", sentences=tuple(sentences), lead=True)


def _best(board: TierBoard) -> list[str]:
    names = [agent.agent for agent in board.agents if agent.possible_best]
    if board.test.reason or not names:
        return []
    if len(names) == 1:
        return [f"{listed(names)} is the only agent tested that no other beats significantly."]
    return [f"Any of {plural(len(names), 'agent')} may be the best: {listed(names)}."]


def _agents(board: TierBoard) -> Section:
    form = value_form(board.score)

    def letters(agent: TieredAgent) -> Cell:
        return Cell(DASH, None, "muted") if agent.letters is None else Cell(agent.letters, agent.letters)

    fields: list[Field[TieredAgent]] = [
        Field(Column("rank", "Rank", "right"), lambda agent: Cell(count(agent.rank), agent.rank)),
        Field(Column("agent", "Agent", name=True), lambda agent: name_cell(agent.agent)),
        Field(Column("mean", "Mean", "right", importance=1), lambda agent: estimate_cell(agent.mean, form)),
        Field(Column("tier", "Tier", "right"), lambda agent: Cell(count(agent.tier), agent.tier)),
        Field(
            Column("ranks", "Ranks", "right"),
            lambda agent: Cell(ranks(agent.rank_low, agent.rank_high), None),
        ),
        Field(Column("letters", "Letters"), letters),
    ]
    note = (
        "Ranks: those still possible, all of them together at the family-wise level. Agents that share a letter were not "
        "shown to differ, which does not make them equal."
    )
    table = build_table(
        fields,
        board.agents,
        band=lambda agent: agent.tier,
        table=Table("agents", "Tested agents", (), (), note=note, band_word="Tier"),
    )
    tiers = (tiers_table(board.test),) if len(board.test.tiers) > 1 else ()
    return Section(id="tiers", title="Tiers", tables=(table, *tiers))


def _agreement(board: TierBoard) -> Section | None:
    """What each null finds; ``None`` where there are no tiers to agree on."""
    test = board.test
    if not test.agreement:
        return None
    table = Table(
        "agreement",
        "What each null finds",
        (),
        (),
        note=f"Shown above: {test_sentence(test)}",
    )
    return Section(
        id="agreement",
        title="Agreement of the nulls",
        sentences=(_agreed(test.agreement), *(visible(note) for note in test.notes)),
        tables=(build_table(_null_fields(test.n_pairs), test.agreement, band=lambda _: None, table=table),),
    )


def _agreed(rows: tuple[NullRow, ...]) -> str:
    """Whether the tiers depend on the null, in a sentence."""
    run = [row for row in rows if row.reason is None]
    others = [row for row in run if row.moves]
    if len(run) == 1:
        return "No other null was run."
    if others:
        words = [f"{row.null} ({plural(len(row.moves), 'agent')} elsewhere)" for row in others]
        return f"The tiers depend on the null: they change under {listed(words)}."
    same = len({row.n_significant for row in run}) == 1
    return f"The tiers are the same under {listed([row.null for row in run])}" + (
        ", and so is the number of pairs found." if same else "; the number of pairs found is not."
    )


def _null_fields(pairs: int) -> list[Field[NullRow]]:
    def number(row: NullRow, value: int, text: str) -> Cell:
        return Cell(DASH, None, "muted") if row.reason else Cell(text, value)

    def error(row: NullRow) -> Cell:
        if row.reason or row.exact:
            return Cell("exact" if row.exact else DASH, 0.0 if row.exact else None, "muted")
        return Cell(f"{row.max_standard_error:.2g}", row.max_standard_error)

    def tiers(row: NullRow) -> Cell:
        if row.reason:
            return Cell(visible(row.reason), None, "warning")
        if not row.moves:
            return Cell("none", value="", tone="good")
        moved = [f"{move.agent}: {move.tier} to {move.other}" for move in row.moves]
        return Cell(listed(moved, MOST_MOVES), "\n".join(moved), "warning")

    return [
        Field(Column("null", "Null"), lambda row: Cell(visible(row.null), row.null, "strong")),
        Field(
            Column("significant", "Pairs found", "right"),
            lambda row: number(row, row.n_significant, f"{count(row.n_significant)} of {count(pairs)}"),
        ),
        Field(Column("tiers", "Tiers", "right"), lambda row: number(row, row.n_tiers, count(row.n_tiers))),
        Field(Column("moves", "Agents that move", wraps=True), tiers),
        Field(
            Column("resamples", "Resamples", "right", importance=1),
            lambda row: number(row, row.resamples, count(row.resamples)),
        ),
        Field(Column("standard_error", "Error of p", "right", importance=2), error),
        Field(
            Column("undecided", "Near the level", "right", importance=4),
            lambda row: number(row, row.undecided, count(row.undecided)),
        ),
        Field(
            Column("seed", "Seed", "right", importance=3),
            lambda row: Cell(DASH if row.seed is None else count(row.seed), row.seed),
        ),
    ]
