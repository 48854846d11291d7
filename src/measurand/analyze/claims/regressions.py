"""Tasks on which a new version passes less often than its baseline (SPEC 20, per-task regressions)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from measurand.analyze.claims.pair_records import Regressions, TaskRegression
from measurand.infer.claims.regressions import regressions

if TYPE_CHECKING:
    from measurand.analyze.cells import Grid
    from measurand.infer.claims.regressions import Regressions as Tested

__all__ = ["regressions_of"]

_SHOWN: Final = 10


def regressions_of(grid: Grid, new: int, baseline: int, level: float) -> Regressions:
    """Test each task of the baseline for a new version that passes less often.

    Trials with a verdict count, by the gate: a harness that fails is no regression of the agent. A task that changed has
    another digest and so is another task: the old one counts as deleted, the new one as added.

    Args:
        grid: the cells.
        new: column of the new version.
        baseline: column of the baseline.
        level: chance of any false finding.
    """
    there, there_before = grid.planned[:, new] > 0, grid.planned[:, baseline] > 0
    passes, trials = grid.total("gate").astype(np.int64), grid.evaluated("gate")
    at = np.flatnonzero(there_before)
    columns = (passes[at, new], trials[at, new], passes[at, baseline], trials[at, baseline])
    tested = regressions(*columns, level=level)
    both = (columns[1] > 0) & (columns[3] > 0)
    # Cross-multiplied, so that equal shares are equal.
    change = np.where(both, columns[0] * columns[3] - columns[2] * columns[1], 0)
    return Regressions(
        new=grid.agents[new],
        baseline=grid.agents[baseline],
        level=level,
        tasks=len(at),
        found=int(tested.worse.sum()),
        lower=int((change < 0).sum()),
        higher=int((change > 0).sum()),
        testable=tested.testable,
        factor=tested.factor,
        most_trials=int(np.minimum(columns[1], columns[3]).max(initial=0)),
        trials_needed=tested.least_trials_needed,
        rows=_rows(tested, [grid.tasks[i] for i in at], np.column_stack(columns).tolist(), change.tolist()),
        deleted=tuple(grid.tasks[i] for i in np.flatnonzero(there_before & ~there)),
        added=tuple(grid.tasks[i] for i in np.flatnonzero(there & ~there_before)),
        unjudged=int((there[at] & ~both).sum()),
        reason=tested.reason,
    )


def _rows(
    tested: Tested, tasks: list[str], counts: list[list[int]], change: list[int]
) -> tuple[TaskRegression, ...]:
    lower = [i for i, value in enumerate(change) if value < 0]
    lower.sort(key=lambda i: (tested.p[i], tasks[i]))
    return tuple(
        TaskRegression(
            task=tasks[i],
            passes=counts[i][0],
            trials=counts[i][1],
            baseline_passes=counts[i][2],
            baseline_trials=counts[i][3],
            p=float(tested.p[i]),
            p_adjusted=float(tested.p_adjusted[i]),
            found=bool(tested.worse[i]),
        )
        for place, i in enumerate(lower)
        if place < _SHOWN or tested.worse[i]
    )
