"""Columns of the tables on a second verdict."""

from __future__ import annotations

from typing import TYPE_CHECKING

from measurand.report.document import Cell, Column
from measurand.report.numbers import DASH, count, decimal, finite, percent
from measurand.report.parts import Field, data_column, estimate_cell, name_cell

if TYPE_CHECKING:
    from collections.abc import Sequence

    from measurand.analyze.verifiers.records import SecondVerdict, VerdictRow

    RowField = Field[VerdictRow]

__all__ = ["agent_fields", "corrected_fields", "summary_fields"]


def summary_fields() -> list[Field[SecondVerdict]]:
    """Columns of a table with one row a verdict."""

    def share(part: SecondVerdict) -> Cell:
        if part.median_share is None:
            return Cell(DASH, None, "muted")
        span = f"({percent(part.lowest_share)} to {percent(part.highest_share)})".replace("%", "")
        return Cell(percent(part.median_share), part.median_share, minor=span)

    def chance(part: SecondVerdict) -> Cell:
        band = part.order.band
        if band is None:
            return Cell(DASH, None, "muted")
        mean = band.mean if band.expected is None else band.expected
        return Cell(decimal(mean, 1), mean, minor=f"[{band.low}, {band.high}]")

    def tops(part: SecondVerdict) -> Cell:
        sizes = [len(rows[0].agents) for rows in (part.tiers.first, part.tiers.second) if rows]
        return Cell(" to ".join(map(str, sizes)) or DASH, sizes[-1] if sizes else None)

    def reversed_(part: SecondVerdict) -> Cell:
        if part.order.n_agents < 2:
            return Cell(DASH, None, "muted")
        return Cell(f"{part.order.reversed} of {part.order.neighbours}", part.order.reversed)

    return [
        Field(Column("verdict", "Verdict", name=True), lambda part: name_cell(part.second_name, "strong")),
        Field(
            Column("checked", "Re-checked", "right", importance=3),
            lambda part: Cell(
                f"{count(part.errors.passes_checked)} of {count(part.errors.passes)}",
                part.errors.passes_checked,
            ),
        ),
        Field(Column("rejected", "Rejected", "right"), share),
        Field(Column("reversed", "Reversed", "right"), reversed_),
        Field(Column("by_chance", "By chance", "right", importance=1), chance),
        Field(
            Column("tau_b", "tau-b", "right", importance=4),
            lambda part: Cell(decimal(part.order.tau_b), finite(part.order.tau_b)),
        ),
        Field(Column("top_tier", "Top tier", "right", importance=2), tops),
    ]


def agent_fields(record: SecondVerdict) -> list[RowField]:
    """Columns of the table of agents: rates, ranks and tiers before and after."""

    def rank(value: int | None) -> Cell:
        return Cell(DASH if value is None else count(value), value, "muted" if value is None else "plain")

    def whole(value: int) -> Cell:
        return Cell(count(value), value)

    rated = any(row.first.value is not None for row in record.agents)
    ranked = any(row.rank_first is not None for row in record.agents)
    ranks: list[RowField] = [
        Field(Column("rank_first", "Rank", "right"), lambda row: rank(row.rank_first)),
        Field(Column("rank_both", "After", "right"), lambda row: rank(row.rank_second)),
    ]
    rates: list[RowField] = [
        Field(Column("first", "First", "right"), lambda row: _plain_rate(row.first.value)),
        Field(Column("both", "By both", "right", shown=ranked), lambda row: _plain_rate(row.second.value)),
    ]
    counts: list[RowField] = [
        Field(Column("passes", "Passes", "right", importance=5), lambda row: whole(row.passes)),
        Field(Column("checked", "Re-checked", "right", importance=6), lambda row: whole(row.checked)),
        Field(Column("rejected", "Rejected", "right", importance=4), lambda row: whole(row.rejected)),
    ]
    tiers: list[RowField] = [
        Field(Column("tier_first", "Tier", "right", importance=2), lambda row: rank(row.tier_first)),
        Field(Column("tier_both", "Tier after", "right", importance=2), lambda row: rank(row.tier_second)),
    ]
    return [
        *(ranks if ranked else []),
        Field(Column("agent", "Agent", name=True), lambda row: name_cell(row.agent, "strong")),
        *(rates if rated else []),
        Field(
            Column("rejected_share", "Share rejected", "right"),
            lambda row: estimate_cell(row.rejected_share, percent),
        ),
        *(tiers if record.tiers.first else []),
        *counts,
        *_bounds(),
    ]


def _bounds() -> list[RowField]:
    return [
        data_column("first_low", lambda row: row.first.low),
        data_column("first_high", lambda row: row.first.high),
        data_column("both_low", lambda row: row.second.low),
        data_column("both_high", lambda row: row.second.high),
        data_column("both_if_unchecked_rejected", lambda row: row.second_low),
        data_column("rejected_share_low", lambda row: row.rejected_share.low),
        data_column("rejected_share_high", lambda row: row.rejected_share.high),
    ]


def _plain_rate(value: float | None) -> Cell:
    return Cell(percent(value), finite(value), "muted" if finite(value) is None else "plain")


def corrected_fields(rows: Sequence[VerdictRow]) -> list[RowField]:
    """Columns of the rates corrected from a sample."""
    weighted = any(row.corrected is not None and row.corrected.power is not None for row in rows)

    def rogan_gladen(row: VerdictRow) -> Cell:
        return estimate_cell(None if row.corrected is None else row.corrected.rogan_gladen, percent)

    def powered(row: VerdictRow) -> Cell:
        return estimate_cell(None if row.corrected is None else row.corrected.prediction_powered, percent)

    def power(row: VerdictRow) -> Cell:
        value = None if row.corrected is None else finite(row.corrected.power)
        return Cell(decimal(value), value, "muted" if value is None else "plain")

    return [
        Field(Column("agent", "Agent", name=True), lambda row: name_cell(row.agent, "strong")),
        Field(Column("first", "First", "right", importance=2), lambda row: _plain_rate(row.first.value)),
        Field(Column("rogan_gladen", "Rogan-Gladen", "right"), rogan_gladen),
        Field(Column("prediction_powered", "Prediction-powered", "right"), powered),
        Field(Column("power", "Weight of first", "right", importance=3, shown=weighted), power),
        Field(
            Column("checked", "Re-checked", "right", importance=1),
            lambda row: Cell(f"{count(row.checked)} of {count(row.passes)}", row.checked),
        ),
    ]
