"""Which column of a table is which field: obvious names, or what the user says."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from measurand.errors import MappingError
from measurand.model.trial import COLUMNS
from measurand.wording import meant

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from measurand.sources.base import ImportLog

__all__ = ["ALIASES", "EVALUATED", "NOT", "map_columns"]

EVALUATED: Final = "evaluated"
"""Not a field of the trial table: whether the trial was graded at all. False gives the outcome ``missing``."""

ALIASES: Final[dict[str, tuple[str, ...]]] = {
    "suite": ("benchmark", "dataset"),
    "suite_version": ("benchmark_version", "dataset_version"),
    "task": (
        "task_id",
        "task_name",
        "instance",
        "instance_id",
        "sample_id",
        "problem",
        "problem_id",
        "question_id",
    ),
    "task_digest": ("task_sha", "task_sha256", "task_hash", "task_checksum"),
    "family": ("task_family", "cluster"),
    "agent": ("agent_name", "submission", "system", "solver"),
    "model_requested": ("model", "model_name"),
    "released_at": ("released", "release_date", "model_release_date"),
    "trial": ("trial_id", "epoch", "rollout", "repetition", "run", "run_id"),
    "job": ("job_id",),
    "outcome": ("status",),
    "verdict": ("passed", "pass", "resolved", "is_resolved", "success", "solved", "correct", "is_correct"),
    "quantity": ("value", "score", "metric_value"),
    "better": ("direction",),
    "baseline": ("baseline_value",),
    "reference": ("reference_value", "gold", "gold_value"),
    "anchors_id": ("anchored_on", "frozen_on", "anchors"),
    "cost_usd": ("cost", "usd", "instance_cost", "total_cost", "total_cost_usd"),
    "total_tokens": ("tokens", "n_tokens"),
    "input_tokens": ("prompt_tokens", "tokens_in"),
    "output_tokens": ("completion_tokens", "tokens_out"),
    "steps": ("n_steps", "api_calls", "turns", "num_turns", "agent_turns"),
    "tool_calls": ("n_tool_calls",),
    "wall_s": ("seconds", "duration_s", "wall_seconds", "wall_time_s", "trial_time_s"),
    "working_s": ("agent_time_s",),
    "started_at": ("started", "start_time"),
    "finished_at": ("finished", "end_time", "ended_at"),
    "harness_version": ("harness_ver",),
    EVALUATED: ("graded",),
}
"""Field -> names that other tools give its column, in order of preference. A column named as the field comes first."""

_SET_BY_READER: Final = {"source", "source_ref", "verdicts"}
_FIELDS: Final = [column.name for column in COLUMNS if column.name not in _SET_BY_READER] + [EVALUATED]
_TEXT: Final = {column.name for column in COLUMNS if column.type is str} - {"verdict", "better"}
_VERDICT_PREFIX: Final = "verdict:"
NOT: Final = "not "
"""Before a column, where a verdict is its opposite."""


def map_columns(
    names: Sequence[str],
    chosen: Mapping[str, str],
    log: ImportLog,
    *,
    required: Sequence[str] = ("agent", "task"),
) -> dict[str, str]:
    """Say for each field which column holds it.

    Args:
        names: columns of the table.
        chosen: what the user says: field -> column. Wins over every name. ``a+b`` joins two text columns, an empty
            column leaves the field out.
        log: learns the mapping and the columns left over.
        required: fields that the table must have. A table of trials also needs something that says how one ended.

    Raises:
        MappingError: a field or column that does not exist, two columns for one field, or no agent, no task, or
            nothing that says how a trial ended.
    """
    _check_chosen(names, chosen, log.path)
    taken = {part for column in chosen.values() for part in column_parts(column, names)}
    free = {_plain(name): name for name in names if name not in taken}
    mapped = dict(chosen)
    for field in _FIELDS:
        if field not in mapped and (column := _find(field, free, log.path)) is not None:
            mapped[field] = column
    if "agent" not in mapped and "model_requested" in mapped:
        mapped["agent"] = mapped["model_requested"]
    mapped |= {name: name for name in names if is_further_verdict(name) and name not in mapped}
    mapped = {field: column for field, column in mapped.items() if column}
    _check_complete(names, mapped, log.path, required)
    used = {part for column in mapped.values() for part in column_parts(column, names)}
    log.mapped |= mapped
    unused = (n for n in names if n not in used and f"{NOT}{n}" not in used and not n.startswith("__"))
    log.ignored = tuple(dict.fromkeys((*log.ignored, *unused)))
    return mapped


def column_parts(column: str, names: Sequence[str]) -> list[str]:
    """Columns that a chosen column stands for: itself, or the parts of ``a+b``."""
    return [column] if column in names else [part.strip() for part in column.split("+")]


def is_further_verdict(field: str) -> bool:
    """Whether a field is ``verdict:NAME``, the further verdict of that name."""
    return field.startswith(_VERDICT_PREFIX) and field != _VERDICT_PREFIX


def verdict_columns(names: Sequence[str]) -> dict[str, str]:
    """Columns ``verdict:NAME`` with further verdicts: name -> column."""
    return {n.removeprefix(_VERDICT_PREFIX): n for n in names if is_further_verdict(n)}


def _plain(name: str) -> str:
    return re.sub(r"[^a-z0-9]+", "_", name.lower()).strip("_")


def _find(field: str, free: Mapping[str, str], path: str) -> str | None:
    if field in free:
        return free[field]
    found = [free[alias] for alias in ALIASES.get(field, ()) if alias in free]
    if len(found) > 1:
        raise MappingError(
            f"the columns {' and '.join(map(repr, found))} could both be {field!r}",
            where=path,
            hint=f"say which: --map {field}={found[0]}",
        )
    return found[0] if found else None


def _check_chosen(names: Sequence[str], chosen: Mapping[str, str], path: str) -> None:
    for field, column in chosen.items():
        if field not in _FIELDS and not is_further_verdict(field):
            raise MappingError(f"there is no field {field!r}{meant(field, _FIELDS)}", where=path)
        parts = column_parts(column, names) if column else []
        if len(parts) > 1 and field not in _TEXT:
            raise MappingError(f"{field!r} is not text: it takes one column, not {column!r}", where=path)
        for part in parts:
            if part not in names:
                raise MappingError(
                    f"there is no column {part!r}{meant(part, names)}",
                    where=path,
                    hint=f"columns: {', '.join(names)}",
                )


def _check_complete(
    names: Sequence[str], mapped: Mapping[str, str], path: str, required: Sequence[str]
) -> None:
    for field in required:
        if field not in mapped:
            raise MappingError(
                f"no column can be mapped to {field!r}",
                where=path,
                hint=f"say which: --map {field}=COLUMN, with one of: {', '.join(names)}",
            )
    if "agent" in required and not mapped.keys() & {"verdict", "outcome", "quantity"}:
        raise MappingError(
            "no column says how a trial ended: a verdict, an outcome or a quantity is needed",
            where=path,
            hint=f"say which: --map verdict=COLUMN, with one of: {', '.join(names)}",
        )
