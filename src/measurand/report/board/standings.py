"""The standings of a board: who stands where, how often the gate was passed, and what it cost."""

from __future__ import annotations

from typing import TYPE_CHECKING

from measurand.model.outcomes import COUNTS_AS, CountsAs
from measurand.report.document import Cell, Column, Section, Table
from measurand.report.numbers import DASH, UNKNOWN, count, finite, interval, percent, quantity, ranks
from measurand.report.parts import (
    Field,
    build_table,
    data_column,
    estimate_cell,
    meter_cell,
    meter_label,
    name_cell,
    percent_level,
    success_cell,
)
from measurand.report.scores import score_words, value_form
from measurand.score.names import GATE
from measurand.wording import plural

if TYPE_CHECKING:
    from collections.abc import Callable

    from measurand.analyze.board import Board
    from measurand.analyze.records import AgentRow, Meter, ScoreSummary

    AgentField = Field[AgentRow]

__all__ = ["meters_section", "outcomes_table", "standings_section", "tidy_table"]


SHOWN_BESIDE = ("objective", "key")
"""Scores with a column beside the ranking one; the others are in the data formats and in the table of saturation."""


def standings_section(board: Board) -> Section:
    """Every agent by rank, with intervals and denominators."""
    if not board.standings:
        return Section(id="standings", title="Standings", sentences=("No agent has a trial to rank.",))
    by_gate = board.score == GATE
    fields = [
        _rank_field(),
        *([_tier_field()] if board.test.tiers else []),
        _agent_field(),
        *([_gate_field()] if by_gate else _score_fields(board, (board.score,))),
        *(_range_fields() if board.test.tiers else []),
        *([] if by_gate else [_gate_field()]),
        *_gate_fields(board),
        *_score_fields(board, tuple(n for n in _scores(board) if n in SHOWN_BESIDE and n != board.score)),
        *(field for name in _meters(board)[:1] for field in _meter_fields(name, 3)[:1]),
        _tasks_field(board),
    ]
    shown = {field.column.key for field in fields}
    fields += [field for field in _data_fields(board) if field.column.key not in shown]
    table = Table(
        "standings",
        f"Standings by {score_words(board.score)}",
        (),
        (),
        note=_standings_note(board),
        band_word="Tier",
    )
    return Section(
        id="standings",
        title="Standings",
        tables=(build_table(fields, board.standings, band=lambda row: row.tier, table=table),),
    )


def meters_section(board: Board) -> Section:
    """What the trials cost, one column a meter; costs never enter a rank."""
    names = _meters(board)
    if not any(meter.known for row in board.standings for meter in row.meters):
        text = "No cost was recorded for any trial: dollars, tokens, steps and time are unknown, not zero."
        return Section(id="costs", title="Costs", sentences=(text,))
    note = (
        "Unknown is not zero: a total with ≥ is a lower bound, followed by the trials whose meter is known and all trials."
        " Per trial: over the trials whose meter is known. Per success: the total of all trials, failed ones included, over the"
        " successes."
    )
    rows = [row for row in board.standings if any(meter.known for meter in row.meters)]
    without = len(board.standings) - len(rows)
    verb = "has" if without == 1 else "have"
    untold = f"{plural(without, 'agent')} {verb} no recorded cost at all: unknown, not zero, and left out of the table."
    fields = [
        _rank_field(),
        _agent_field(),
        *(field for index, name in enumerate(names) for field in _meter_fields(name, index)),
    ]
    table = Table("costs", "Costs of all trials", (), (), note=note)
    return Section(
        id="costs",
        title="Costs",
        sentences=(untold,) if without else (),
        tables=(build_table(fields, rows, band=lambda _: None, table=table),),
    )


def outcomes_table(board: Board) -> Table | None:
    """Recorded trials by outcome; ``None`` when all of them completed."""
    names = tuple(dict.fromkeys(name for row in board.standings for name in row.outcomes))
    if set(names) <= {"completed"}:
        return None
    fields = [_rank_field(), _agent_field(), *(_outcome_field(name) for name in names)]
    without = [o.replace("_", " ") for o, counts in COUNTS_AS.items() if counts is CountsAs.NO_VERDICT]
    note = f"Without a verdict: {', '.join(without)}, and completed trials whose gate gave none."
    table = Table("outcomes", "Recorded trials by outcome", (), (), note=note, detail=True)
    return build_table(fields, board.standings, band=lambda _: None, table=table)


def tidy_table(board: Board) -> Table:
    """Everything the standings know, one row an agent and one column a number, for CSV."""
    table = Table("standings", "", (), ())
    return build_table(_data_fields(board), board.standings, band=lambda row: row.tier, table=table)


def _data_fields(board: Board) -> list[AgentField]:
    return [
        data_column("rank", lambda row: row.rank),
        data_column("agent", lambda row: row.agent),
        *_place_data(),
        *_gate_data(),
        *(field for name in _scores(board) for field in _score_data(name)),
        *(field for name in _meters(board) for field in _meter_data(name)),
    ]


def _scores(board: Board) -> tuple[str, ...]:
    """Names of all scores, the ranking one first."""
    names = dict.fromkeys(summary.score for row in board.standings for summary in row.scores)
    return tuple(sorted(names, key=lambda name: name != board.score))


def _meters(board: Board) -> tuple[str, ...]:
    return tuple(dict.fromkeys(meter.name for row in board.standings for meter in row.meters))


def _rank_field() -> AgentField:
    return Field(Column("rank", "Rank", "right"), lambda row: Cell(count(row.rank), row.rank))


def _agent_field() -> AgentField:
    return Field(Column("agent", "Agent", name=True), lambda row: name_cell(row.agent, "strong"))


def _tier_field() -> AgentField:
    def cell(row: AgentRow) -> Cell:
        return Cell(count(row.tier), row.tier, "plain" if row.tier is not None else "muted")

    return Field(Column("tier", "Tier", "right", importance=1), cell)


def _range_fields() -> list[AgentField]:
    def joint(row: AgentRow) -> Cell:
        return Cell(ranks(row.rank_low, row.rank_high), row.rank_low, "plain" if row.tested else "muted")

    def letters(row: AgentRow) -> Cell:
        return Cell(row.letters or DASH, row.letters, "plain" if row.letters else "muted")

    return [
        Field(Column("rank_low", "Ranks", "right", importance=2), joint),
        Field(Column("letters", "Letters", importance=6), letters),
    ]


def _place_data() -> list[AgentField]:
    return [
        data_column("tested", lambda row: row.tested),
        data_column("rank_low", lambda row: row.rank_low),
        data_column("rank_high", lambda row: row.rank_high),
        data_column("tier", lambda row: row.tier),
        data_column("letters", lambda row: row.letters),
        data_column("possible_best", lambda row: row.possible_best),
        data_column("tasks", lambda row: row.tasks),
        data_column("trials", lambda row: row.trials),
    ]


def _gate_field() -> AgentField:
    return Field(
        Column("gate_planned", "Gate rate", "right"), lambda row: estimate_cell(row.gate.planned, percent)
    )


def _gate_fields(board: Board) -> list[AgentField]:
    def passes(row: AgentRow) -> Cell:
        return Cell(f"{count(row.gate.passes)}/{count(row.gate.trials_planned)}", row.gate.passes)

    fields: list[AgentField] = [Field(Column("passes", "Passed/planned", "right", importance=3), passes)]
    if any(row.gate.trials_evaluated != row.gate.trials_planned for row in board.standings):
        fields.append(Field(Column("gate_evaluated", "Of evaluated", "right", importance=4), _evaluated))
    return fields


def _evaluated(row: AgentRow) -> Cell:
    complete = row.gate.trials_evaluated == row.gate.trials_planned
    bounds = "" if complete else interval(row.gate.low, row.gate.high, percent)
    return Cell(percent(row.gate.evaluated), row.gate.evaluated, minor=bounds)


def _gate_data() -> list[AgentField]:
    return [
        data_column("passes", lambda row: row.gate.passes),
        data_column("trials_planned", lambda row: row.gate.trials_planned),
        data_column("trials_evaluated", lambda row: row.gate.trials_evaluated),
        data_column("gate_planned", lambda row: row.gate.planned.value),
        data_column("gate_planned_low", lambda row: row.gate.planned.low),
        data_column("gate_planned_high", lambda row: row.gate.planned.high),
        data_column("gate_evaluated", lambda row: row.gate.evaluated),
        data_column("gate_bound_low", lambda row: row.gate.low),
        data_column("gate_bound_high", lambda row: row.gate.high),
    ]


def _summary(row: AgentRow, name: str) -> ScoreSummary | None:
    return next((summary for summary in row.scores if summary.score == name), None)


def _score_fields(board: Board, names: tuple[str, ...]) -> list[AgentField]:
    def field(name: str) -> AgentField:
        def cell(row: AgentRow) -> Cell:
            found = _summary(row, name)
            return estimate_cell(found.mean if found else None, value_form(name))

        importance = 0 if name == board.score else 5
        return Field(Column(f"score_{name}", score_words(name), "right", importance=importance), cell)

    return [field(name) for name in names]


def _score_data(name: str) -> list[AgentField]:
    def of(suffix: str, value: Callable[[ScoreSummary], float | None]) -> AgentField:
        def read(row: AgentRow) -> float | None:
            found = _summary(row, name)
            return None if found is None else value(found)

        return data_column(f"score_{name}{suffix}", read)

    return [
        of("", lambda summary: summary.mean.value),
        of("_low", lambda summary: summary.mean.low),
        of("_high", lambda summary: summary.mean.high),
        of("_given_pass", lambda summary: summary.given_pass),
        of("_valid", lambda summary: summary.valid),
        of("_clipped", lambda summary: summary.clipped),
        of("_below_baseline", lambda summary: summary.below_baseline),
    ]


def _tasks_field(board: Board) -> AgentField:
    def tasks(row: AgentRow) -> Cell:
        text = f"{count(row.tasks)}/{count(board.n_tasks)}"
        return Cell(text, row.tasks, "plain" if row.tasks == board.n_tasks else "warning")

    return Field(Column("tasks", "Tasks", "right", importance=7), tasks)


def _meter(row: AgentRow, name: str) -> Meter | None:
    return next((meter for meter in row.meters if meter.name == name), None)


def _meter_fields(name: str, index: int) -> list[AgentField]:
    def mean(row: AgentRow) -> Cell:
        meter = _meter(row, name)
        if meter is None or finite(meter.mean_known) is None:
            return Cell(UNKNOWN, None, "muted")
        return Cell(quantity(meter.mean_known, meter.unit), meter.mean_known)

    label = meter_label(name)
    return [
        Field(
            Column(f"{name}_total", label, "right", importance=index),
            lambda row: meter_cell(_meter(row, name)),
        ),
        Field(
            Column(f"{name}_per_success", f"{label} per success", "right", importance=index + 2),
            lambda row: success_cell(_meter(row, name)),
        ),
        Field(Column(f"{name}_mean", f"{label} per trial", "right", importance=index + 6), mean),
    ]


def _meter_data(name: str) -> list[AgentField]:
    def of(suffix: str, value: Callable[[Meter], float | bool | None]) -> AgentField:
        def read(row: AgentRow) -> float | bool | None:
            meter = _meter(row, name)
            return None if meter is None else value(meter)

        return data_column(f"{name}{suffix}", read)

    return [
        of("_total", lambda meter: meter.total),
        of("_is_lower_bound", lambda meter: meter.lower_bound),
        of("_known_trials", lambda meter: meter.known),
        of("_mean_known", lambda meter: meter.mean_known),
        of("_median_known", lambda meter: meter.median_known),
        of("_per_success", lambda meter: meter.per_success),
    ]


def _outcome_field(name: str) -> AgentField:
    def cell(row: AgentRow) -> Cell:
        number = row.outcomes.get(name, 0)
        return Cell(count(number), number, "plain" if number else "muted")

    return Field(Column(name, name.replace("_", " "), "right"), cell)


def _brackets(board: Board) -> list[str]:
    """Say level and method of the intervals, score by score."""
    levels: set[float] = set()
    methods: dict[str, dict[str, None]] = {}
    for row in board.standings:
        shown = (s for s in row.scores if s.score == board.score or s.score in SHOWN_BESIDE)
        means = {"gate rate": row.gate.planned} | {score_words(s.score): s.mean for s in shown}
        for name, estimate in means.items():
            if estimate.level is not None and estimate.method:
                levels.add(estimate.level)
                methods.setdefault(estimate.method, {})[name] = None
    if not levels:
        return []
    how = "; ".join(f"{method} for {', '.join(names)}" for method, names in methods.items())
    level = " or ".join(percent_level(level) for level in sorted(levels))
    return [f"Brackets: {level} interval ({how})."]


def _standings_note(board: Board) -> str:
    parts = _brackets(board)
    parts.append(
        "Gate rate: over planned trials, where no verdict counts as not passed; tasks weigh equally."
    )
    if any(row.gate.trials_evaluated != row.gate.trials_planned for row in board.standings):
        parts.append(
            "Of evaluated: over trials with a verdict; its brackets count all others as failed, or as passed."
        )
    if board.test.tiers:
        parts.append(
            "Ranks: the ranks that are not ruled out jointly. Agents of one tier, or with a common letter, were not shown to"
            " differ; that does not make them equal."
        )
        if not all(row.tested for row in board.standings):
            parts.append(f"{DASH}: not in the tested family.")
    return " ".join(parts)
