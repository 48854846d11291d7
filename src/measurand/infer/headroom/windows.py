"""Saturation over time: agents in the order of their release, a window of neighbours at a time."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from measurand.errors import UsageError
from measurand.infer.arrays import as_table
from measurand.infer.headroom.resolution import HeadTest, Resolution, resolution

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import ArrayLike

__all__ = ["Window", "sliding_windows"]


@dataclass(frozen=True, slots=True, eq=False)
class Window:
    """One window of `sliding_windows`.

    Attributes:
        start: first column of the window.
        stop: column after its last one.
        resolution: tiers and saturation of its agents; its columns count from 0 at `start`.
    """

    start: int
    stop: int
    resolution: Resolution

    @property
    def head(self) -> tuple[int, ...]:
        """Columns of the whole table, best first."""
        return tuple(self.start + column for column in self.resolution.head)


def sliding_windows(
    table: ArrayLike,
    *,
    width: int = 10,
    test: HeadTest | None = None,
    families: ArrayLike | None = None,
    rng: int | np.random.Generator,
) -> tuple[Window, ...]:
    """Resolve every window of ``width`` neighbouring columns: columns 0..w-1, then 1..w, and so on.

    All agents of a window are tested with a max-T test of their own, so that the chance of a false split is at most
    the level within each window. The windows overlap and are not controlled together: among many some will hold a
    false split. A seed is used anew for each window, so that equal windows get equal answers.

    Args:
        table: (n_tasks, m_agents) one value a cell, higher is better, columns in the order of release; NaN = missing.
        width: agents of a window, at least 2.
        test: how a window is tested; its ``top`` is not heeded. Resamples do not rise unless ``most`` says so.
        families: (n_tasks,) a family id for each task.
        rng: seed or generator.

    Returns:
        m - w + 1 windows; none when there are fewer agents than that.

    Raises:
        UsageError: an argument outside its range.
        InputError: an infinite value in the table.

    Source: SPEC 13b.

    Example:
        >>> import numpy as np
        >>> gain = np.linspace(0.1, 0.3, 12)
        >>> columns = np.column_stack([0 * gain, gain, 2 * gain, 2 * gain])
        >>> [(window.head, window.resolution.tier) for window in sliding_windows(columns, width=3, rng=1)]
        [((2, 1, 0), (1, 2, 3)), ((2, 3, 1), (1, 1, 2))]
    """
    values, test = as_table(table), test or HeadTest()
    if width < 2:
        raise UsageError(f"the width of a window is {width}", hint="a window holds at least 2 agents")
    own = replace(test, top=None, most=test.resamples if test.most is None else test.most)
    return tuple(
        Window(
            start,
            start + width,
            resolution(values[:, start : start + width], test=own, families=families, rng=rng),
        )
        for start in range(values.shape[1] - width + 1)
    )
