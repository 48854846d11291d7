"""How SWE-fficiency's reports name the scaffold, the model, its settings and the run: all in the file's name."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final, NamedTuple

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["SIZES", "SUITE", "Named", "is_gold", "names_of"]

SUITE: Final = "swefficiency"
SIZES: Final = {"": 498, "_lite": 100}
"""Ending of the suite's name -> tasks."""
_PREFIX: Final = "eval_report_"
_GOLD: Final = "gold"
_OPENHANDS: Final = re.compile(
    r"(?P<model>.+)_maxiter_(?P<iterations>\d+)_N_(?P<version>v[\d.]+)(?:-(?P<variant>.+?))?(?:-run_(?P<run>\d+))?"
)
_SWE_AGENT: Final = re.compile(
    r"(?P<config>.+?)__(?P<model>.+?)__t-(?P<temperature>[\d.]+)__p-(?P<top_p>[\d.]+)__c-(?P<cost_limit>[\d.]+)__(?P<tasks>.*)"
)


class Named(NamedTuple):
    """What a file's name says."""

    agent: str
    model: str | None
    run: str
    settings: dict[str, Any]
    lite: bool
    """Whether the report is of the smaller split: its folder says so, or the name."""


def is_gold(path: Path) -> bool:
    """Whether a report is of the experts' own patches, which are the reference and no agent."""
    return path.stem.removeprefix(_PREFIX) == _GOLD


def names_of(path: Path) -> Named:
    """Say whose report ``path`` is.

    OpenHands writes ``MODEL_maxiter_100_N_v0.51.1-no-hint-run_1``, SWE-agent ``CONFIG__PROVIDER--MODEL__t-…__p-…__c-…__TASKS``;
    any other name is that of the agent.
    """
    stem = path.stem.removeprefix(_PREFIX)
    lite = path.parent.name.endswith("_lite")
    if found := _OPENHANDS.fullmatch(stem):
        settings = {"scaffold": "OpenHands"} | found.groupdict()
        model, run = settings["model"], settings.pop("run") or "1"
        return Named(f"OpenHands / {model}", model, run, settings, lite)
    if found := _SWE_AGENT.fullmatch(stem):
        settings = {"scaffold": "SWE-agent"} | found.groupdict()
        lite = lite or "lite" in settings.pop("tasks")
        provider, _, model = settings["model"].rpartition("--")
        return Named(
            f"SWE-agent / {model}", f"{provider}/{model}" if provider else model, "1", settings, lite
        )
    return Named(stem or path.stem, None, "1", {}, lite)
