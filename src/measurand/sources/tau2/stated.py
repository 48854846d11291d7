"""Numbers that a submission to tau2's leaderboard states: pass^k and cost for each domain."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

from measurand.errors import FormatError
from measurand.model.stated import Stated
from measurand.sources.reading.json_files import read_json
from measurand.sources.reading.json_lists import read_list
from measurand.sources.reading.loose_values import number, object_of, text
from measurand.sources.tau2.files import kind_of
from measurand.sources.tau2.runs import run_of

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

__all__ = ["stated_by"]

_PASS: Final = re.compile(r"pass_(\d+)")


def stated_by(file: Path, where: str) -> Iterator[Stated]:
    """Yield what a submission states.

    Raises:
        FormatError: it is not JSON.
    """
    submission = object_of(read_json(file, where))
    model = text(submission.get("model_name")) or "unnamed"
    for domain, numbers in object_of(submission.get("results")).items():
        agent = _agent(file, object_of(submission.get("trajectory_files")).get(domain)) or model
        for key, value in object_of(numbers).items():
            if (named := _named(key)) and (found := number(value)) is not None:
                name, unit = named
                yield Stated(
                    agent=agent,
                    name=f"{name} tau2_{domain}",
                    value=found,
                    unit=unit,
                    where=f"{where}: results.{domain}.{key}",
                )


def _named(key: str) -> tuple[str, str] | None:
    if found := _PASS.fullmatch(key):
        return f"pass^{found[1]}", "percent"
    return ("mean agent cost", "USD") if key == "cost" else None


def _agent(submission: Path, file: Any) -> str | None:
    """The agent as an import names it, where the trajectories lie beside the submission."""
    name = text(file)
    if name is None or "/" in name or "\\" in name or name.startswith("."):
        return None
    for folder in (submission.parent, submission.parent / "trajectories"):
        path = folder / name
        inside = path.resolve().is_relative_to(submission.parent.resolve())
        if inside and path.is_file() and kind_of(path) == "results":
            try:
                return run_of(read_list(path, "simulations", name).rest, path.stem, None, name).agent
            except (FormatError, RecursionError):
                return None
    return None
