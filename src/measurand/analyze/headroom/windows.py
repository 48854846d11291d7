"""Saturation over time: tiers and saturation of agents released one after the other."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final

import msgspec
import numpy as np

from measurand.analyze.headroom.dates import NO_DATES, Dates, Releases, releases
from measurand.analyze.headroom.saturation_rows import saturation_notes
from measurand.infer.headroom.resolution import HeadTest, Resolution
from measurand.infer.headroom.windows import sliding_windows
from measurand.wording import plural

if TYPE_CHECKING:
    import datetime as dt

    from numpy.typing import NDArray

    from measurand.analyze.cells import Floats
    from measurand.analyze.prepare import Prepared
    from measurand.analyze.settings import Settings

__all__ = [
    "WIDTH",
    "WindowRow",
    "Windows",
    "head_test",
    "index_of",
    "no_windows",
    "resolve_windows",
    "windows_of",
]

WIDTH: Final = 10
"""Agents of a window, as many as the head of a board."""


class WindowRow(msgspec.Struct, frozen=True, kw_only=True):
    """Agents that follow each other by release, judged among themselves."""

    first_release: str
    """Day of the oldest agent, ISO 8601."""
    last_release: str
    """Day of the newest agent."""
    agents: tuple[str, ...]
    """Best first."""
    tiers: tuple[int, ...]
    """Tier of each agent, best first; empty where nothing can be concluded."""
    n_tiers: int | None
    n_pairs: int
    n_significant: int
    index: float | None
    """Saturation index of the window's first agent against its k-th."""
    category: str | None
    t: float | None
    """Paired t; ``None`` also when it is infinite."""
    notes: tuple[str, ...] = ()
    reason: str | None = None
    """Why no two agents can be told apart; beside it there may be one tier."""


class Windows(msgspec.Struct, frozen=True, kw_only=True):
    """Windows over the agents in the order of their release, under one score."""

    score: str
    width: int
    n_dated: int
    undated: tuple[str, ...]
    """Agents without a release date: in no window."""
    windows: tuple[WindowRow, ...]
    """By release, the oldest first; each leaves out the oldest agent of the one before and takes in the next."""
    level: float
    """Family-wise level within each window; the windows are not controlled together."""
    resamples: int
    seed: int
    undecided: int
    """Adjusted p-values within three Monte-Carlo standard errors of the level, over all windows."""
    reason: str | None = None
    """Why there are no windows."""


def windows_of(
    prepared: Prepared,
    settings: Settings,
    *,
    width: int = WIDTH,
    dates: Dates | None = None,
    released: Releases | None = None,
) -> Windows:
    """Judge every window of ``width`` agents that follow each other by release, under the ranking score.

    Args:
        prepared: agents and their cells.
        settings: level, resamples, seed, place and exponent of the saturation index, limit of missing cells.
        width: agents of a window, at least 2.
        dates: release dates; by default the column ``released_at``.
        released: release dates that were found already.

    Returns:
        The windows. None, with the reason, where fewer agents than a window holds have a date.

    Source: SPEC 13b.
    """
    released = released or releases(prepared, dates)
    score = prepared.scores[0]
    found = resolve_windows(
        prepared.grid.cells(score).planned, prepared, settings, width=width, released=released
    )
    return Windows(
        score=score,
        width=width,
        n_dated=len(released.order),
        undated=released.undated,
        windows=tuple(_row(days, names, result) for days, names, result in found),
        level=settings.level,
        resamples=settings.resamples,
        seed=settings.seed,
        undecided=sum(result.undecided for _, _, result in found),
        reason=no_windows(len(released.order), width),
    )


def resolve_windows(
    table: Floats,
    prepared: Prepared,
    settings: Settings,
    *,
    width: int,
    released: Releases,
    tasks: NDArray[np.bool_] | None = None,
) -> list[tuple[list[dt.date], list[str], Resolution]]:
    """Resolve the windows of ``table`` (tasks × agents of the grid): days, agents best first, and what was found.

    Args:
        table: cells of the grid.
        prepared: agents and tasks.
        settings: how windows are judged.
        width: agents of a window.
        released: release dates.
        tasks: which tasks count; all when left out.
    """
    grid, order = prepared.grid, released.order
    rows = np.ones(len(grid.tasks), dtype=bool) if tasks is None else tasks
    found = sliding_windows(
        table[rows][:, order],
        width=width,
        test=head_test(settings),
        families=None if grid.families is None else grid.families[rows],
        rng=settings.seed,
    )
    return [
        (
            [released.days[column] for column in order[window.start : window.stop]],
            [grid.agents[order[column]] for column in window.head],
            window.resolution,
        )
        for window in found
    ]


def head_test(settings: Settings) -> HeadTest:
    """How heads are tested, as the settings say."""
    return HeadTest(
        top=settings.top,
        null=settings.null,
        level=settings.level,
        resamples=settings.resamples,
        missing_limit=settings.missing_limit,
        k=settings.places,
        alpha=settings.alpha,
    )


def index_of(result: Resolution) -> tuple[float | None, str | None, float | None]:
    """Saturation index, its class and a finite t."""
    found = result.saturation
    t = found.t if found.t is not None and math.isfinite(found.t) else None
    return found.index, found.category, t


def _row(days: list[dt.date], names: list[str], result: Resolution) -> WindowRow:
    index, category, t = index_of(result)
    reason = result.saturation.reason
    return WindowRow(
        first_release=days[0].isoformat(),
        last_release=days[-1].isoformat(),
        agents=tuple(names),
        tiers=result.tier,
        n_tiers=result.n_tiers,
        n_pairs=result.n_pairs,
        n_significant=result.n_significant,
        index=index,
        category=category,
        t=t,
        notes=(*saturation_notes(result.saturation), *([reason] if reason else [])),
        reason=result.reason,
    )


def no_windows(dated: int, width: int) -> str | None:
    """Why there are no windows of ``width`` agents; ``None`` when there are."""
    if not dated:
        return NO_DATES
    if dated < width:
        return f"a window holds {plural(width, 'agent')}, and {dated} {'has' if dated == 1 else 'have'} a release date"
    return None
