"""Saturation of a board: how far its head lies within noise, under each score."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from measurand.report.document import Cell, Column, Section, Table
from measurand.report.names import shorten, visible
from measurand.report.numbers import DASH, MINUS, count, decimal, finite, percent
from measurand.report.parts import Field, build_table, name_cell
from measurand.report.scores import score_words

if TYPE_CHECKING:
    from collections.abc import Sequence

    from measurand.analyze.board import Board
    from measurand.analyze.records import SaturationRow

__all__ = [
    "READING",
    "index_form",
    "saturation_section",
    "saturation_table",
    "saturation_texts",
    "tiers_cell",
]

READING = (
    (
        f"S compares the first agent with the k-th, both taken by the score judged: S = exp({MINUS}R²). Near 1 their difference"
        " is within noise; near 0 the head of the board is well separated."
    ),
    (
        "S is not a p-value: R is t divided by a power of n, so that a middling S goes with a clear t when n is large."
        " Read it beside t and the tiers."
    ),
)
"""How to read the index."""


def saturation_section(board: Board) -> Section | None:
    """The saturation index under every score; ``None`` when none was computed."""
    if not board.saturation:
        return None
    return Section(
        id="saturation",
        title="Saturation",
        sentences=(*READING, *saturation_texts(board.saturation)),
        tables=(saturation_table(board.saturation),),
    )


def saturation_texts(rows: Sequence[SaturationRow]) -> tuple[str, ...]:
    """Remarks on each index, and why one is not there; each said once."""
    texts = (
        f"{score_words(row.score)}: {visible(text)}"
        for row in rows
        for text in (*row.notes, *([row.reason] if row.reason else []))
    )
    return tuple(dict.fromkeys(texts))


def saturation_table(rows: Sequence[SaturationRow]) -> Table:
    """The index under each score; at least one row."""
    alphas = ", ".join(f"{alpha:g}" for alpha in sorted({row.alpha for row in rows}))
    note = f"The index takes n tasks for n to the power {alphas}, since tasks resemble each other. Tiers: how many the tested family has, and how many agents each, best first."
    table = Table("saturation", "Saturation by score", (), (), note=note)
    return build_table(_fields(), rows, band=lambda _: None, table=table)


def index_form(value: float | None) -> str:
    """Saturation index with two decimals: 0.93; only a true 0 or 1 reads as 0.00 or 1.00."""
    text = decimal(value)
    if value is not None and text == "0.00" and value > 0:
        return "< 0.01"
    return "> 0.99" if value is not None and text == "1.00" and value < 1 else text


def tiers_cell(tiers: Sequence[int]) -> Cell:
    """Number of tiers, and how many agents each has, best first; a dash where nothing can be concluded."""
    if not tiers:
        return Cell(DASH, None, "muted")
    sizes = [count(size) for _, size in sorted(Counter(tiers).items())]
    return Cell(str(len(sizes)), len(sizes), minor=f"({shorten(' + '.join(sizes), 24)})")


def _number(value: float | None, digits: int = 2) -> Cell:
    return Cell(decimal(value, digits), finite(value), "plain" if finite(value) is not None else "muted")


def _fields() -> list[Field[SaturationRow]]:
    def agent(name: str | None) -> Cell:
        return Cell(DASH, None, "muted") if name is None else name_cell(name)

    return [
        Field(Column("score", "Score"), lambda row: Cell(score_words(row.score), row.score, "strong")),
        Field(
            Column("variant", "Variant", importance=3), lambda row: Cell(visible(row.variant), row.variant)
        ),
        Field(
            Column("s", "S", "right"),
            lambda row: Cell(
                index_form(row.index), finite(row.index), "muted" if row.index is None else "plain"
            ),
        ),
        Field(
            Column("class", "Class"),
            lambda row: Cell(visible(row.category or DASH).replace("_", " "), row.category),
        ),
        Field(Column("r", "R", "right", importance=4), lambda row: _number(row.r)),
        Field(Column("t", "t", "right"), lambda row: _number(row.t)),
        Field(Column("n", "n", "right", importance=2), lambda row: Cell(count(row.n), row.n)),
        Field(Column("k", "k", "right", importance=5), lambda row: Cell(count(row.k), row.k)),
        Field(Column("alpha", "", shown=False), lambda row: Cell("", row.alpha)),
        Field(Column("first", "First", importance=6, name=True), lambda row: agent(row.first)),
        Field(Column("kth", "k-th", importance=6, name=True), lambda row: agent(row.kth)),
        Field(
            Column("dominance", "One task's share", "right", importance=7),
            lambda row: Cell(percent(row.dominance), finite(row.dominance)),
        ),
        Field(Column("tiers", "Tiers", "right", importance=1), lambda row: tiers_cell(row.tiers)),
    ]
