"""Which scores the data allow, and why not the others (SPEC 10)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import polars as pl

from measurand.model.verdicts import named_verdict
from measurand.score.names import GRADED
from measurand.wording import plural

if TYPE_CHECKING:
    from measurand.analyze.cells import Grid
    from measurand.analyze.settings import Settings

__all__ = ["official_verdicts", "passed_unknown", "unavailable"]

_NEED: Final = "--anchors FILE, --map reference=COLUMN or --set reference=VALUE"
_PASS_FAIL: Final = (
    "the data say passed or failed only; wanted are a quantity (--map quantity=COLUMN) and a reference for each task "
    f"({_NEED})"
)


def unavailable(scored: pl.DataFrame, grid: Grid, settings: Settings) -> dict[str, str]:
    """Say of each score that cannot be had from the data why; a score that is left out here is available.

    The graded scores need a reference for every task, and a quantity of the trials that passed: as many as the limit
    of missing cells allows may lack it, and count as 0. The official score needs a value in every planned trial,
    because 0 is not its worst value, and so cannot stand for a trial without one.

    Args:
        scored: scored rows of the trial table.
        grid: their cells.
        settings: ``missing_limit`` bounds the share of planned trials whose score is unknown though they passed.
    """
    found = {}
    lacking, tasks = _without_reference(scored), scored["task"].n_unique()
    official = settings.scoring.key_at is None and official_verdicts(scored) > 0
    for score in GRADED:
        if score != "key" and not scored["quantity"].count():
            found[score] = _PASS_FAIL
            continue
        reasons = []
        if score != "key":
            reasons += _no_reference(lacking, tasks)
        elif lacking == tasks and not official:
            reasons.append(
                "there is neither an official verdict nor a reference; without them it is the gate rate"
            )
        reasons += _no_quantity(scored, grid, score, settings.missing_limit)
        if reasons:
            found[score] = "; ".join(reasons)
    reason = _no_official_score(scored, grid)
    if reason:
        found["official"] = reason
    return found


def passed_unknown(scored: pl.DataFrame, score: str) -> int:
    """Trials that passed the gate and have no quantity, or none that can be scored by the reference of their task."""
    anchored = pl.col("reference").is_not_null().any().over("task")
    unmeasured = pl.col("quantity").is_null() if score != "key" else pl.lit(value=False)
    return scored.filter((pl.col("gate") == 1) & pl.col(score).is_null() & (anchored | unmeasured)).height


def official_verdicts(scored: pl.DataFrame) -> int:
    """Trials with an official verdict."""
    return int(scored.select(named_verdict("official").is_not_null().sum()).item())


def _without_reference(scored: pl.DataFrame) -> int:
    has = scored.group_by("task").agg(pl.col("reference").is_not_null().any())["reference"]
    return int((~has).sum())


def _no_reference(lacking: int, tasks: int) -> list[str]:
    if not lacking:
        return []
    if lacking == tasks:
        return [f"no task has a reference ({_NEED})"]
    return [
        f"{lacking:,} of {plural(tasks, 'task')} {'has' if lacking == 1 else 'have'} no reference ({_NEED})"
    ]


def _no_quantity(scored: pl.DataFrame, grid: Grid, score: str, limit: float) -> list[str]:
    unknown = passed_unknown(scored, score)
    if unknown <= limit * int(grid.planned.sum()):
        return []
    passed = int((scored["gate"] == 1).sum())
    what = (
        "quantity that can be scored"
        if score != "key"
        else "official verdict and no quantity that can be scored"
    )
    which = f"{unknown:,} of the {plural(passed, 'trial')} that passed the gate"
    return [
        f"{which} {'has' if unknown == 1 else 'have'} no {what}: to count more than {limit:.0%} of all as 0 would be a guess"
    ]


def _no_official_score(scored: pl.DataFrame, grid: Grid) -> str | None:
    planned, known = int(grid.planned.sum()), scored.height - scored["official_score"].null_count()
    if not known:
        return "the data give none (column official_score; higher is better, its mean orders the agents)"
    if known < planned:
        lacking = f"{planned - known:,} of {plural(planned, 'planned trial')} {'has' if planned - known == 1 else 'have'} none"
        return f"{lacking}, and nothing says what the benchmark would give them"
    return None
