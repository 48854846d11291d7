"""The steps of an OSWorld trial (``traj.jsonl``): how it ended, how much was done, and its trace."""

from __future__ import annotations

import datetime as dt
import json
import re
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from measurand.model.trace import Draft
from measurand.sources.reading.chat_trace import content_text, known
from measurand.sources.reading.json_lines import read_lines
from measurand.sources.reading.loose_values import text, truth

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

__all__ = ["Steps", "events", "read_steps"]

_STAMP: Final = re.compile(r"(\d{8}@\d{6})(\d{1,6})?")
_SIGNALS: Final = {"DONE", "FAIL"}
"""Actions by which the agent ends the trial: nothing is done to the computer."""


class Steps(NamedTuple):
    """What the file of a trial says."""

    steps: int = 0
    actions: int = 0
    done: bool | None = None
    """Whether the last action ended the trial; ``None`` without any."""
    error: str | None = None
    """What the harness wrote when it broke the trial off."""
    first: dt.datetime | None = None
    last: dt.datetime | None = None
    damaged: int = 0
    """Lines that cannot be read."""


def read_steps(file: Path, where: str) -> Steps:
    """Read the file.

    Raises:
        FormatError: it cannot be read.
    """
    numbers: set[str] = set()
    found = Steps()
    for line in read_lines(file, where):
        step = line.value
        if step is None:
            found = found._replace(damaged=found.damaged + 1)
        elif "Error" in step:
            found = found._replace(error=_shown(step["Error"]) or "error")
        elif "action" in step:
            at = _time(step.get("action_timestamp"))
            numbers.add(text(step.get("step_num")) or line.where)
            found = found._replace(
                steps=len(numbers),
                actions=found.actions + (text(step["action"]) not in _SIGNALS),
                done=bool(truth(step.get("done"))) or text(step["action"]) in _SIGNALS,
                first=found.first or at,
                last=at or found.last,
            )
    return found


def events(file: Path, where: str, start: Mapping[str, Any], end: Mapping[str, Any]) -> Iterator[Draft]:
    """Yield what happened, in the order of the file: what the agent said, did and what came of it; errors as such."""
    yield Draft("trial_start", dict(start))
    number, said, decision = 1, None, None
    for line in read_lines(file, where):
        step = line.value or {}
        at = _time(step.get("action_timestamp"))
        if "Error" in step:
            yield Draft("error", {"message": _shown(step["Error"])}, at)
            number += 1
            continue
        if "action" not in step:
            yield Draft("note", {"what": "line of the trajectory", "line": step or line.why}, at)
            number += 1
            continue
        num, response = text(step.get("step_num")), _shown(step.get("response"))
        if response is not None and (num, response) != said:
            said, decision = (num, response), number
            yield Draft("decision", known({"text": response, "step": num}), at)
            number += 1
        action = f"{num}.{number}"
        yield Draft(
            "action", {"id": action, "tool": "computer", "arguments": step["action"]}, at, cause=decision
        )
        yield Draft("observation", _seen(step, action), at, cause=number)
        number += 2
    yield Draft("trial_end", known(dict(end)))


def _seen(step: Mapping[str, Any], action: str) -> dict[str, Any]:
    names = ("reward", "done", "info", "screenshot_file", "screenshot_file_before_exec")
    return known({"action": action} | {name: step.get(name) for name in names})


def _shown(value: Any) -> str | None:
    """What the agent or the harness wrote, which may be text, parts of a message or an object."""
    if value is None or isinstance(value, str):
        return text(value)
    return content_text(value) or json.dumps(value, ensure_ascii=False, sort_keys=True, default=str)


def _time(value: Any) -> dt.datetime | None:
    """Time of an action, by the clock of the machine that ran it; no zone is given, and UTC taken."""
    stamp = _STAMP.fullmatch(value) if isinstance(value, str) else None
    if stamp is None:
        return None
    try:
        found = dt.datetime.strptime(stamp[1], "%Y%m%d@%H%M%S").replace(tzinfo=dt.UTC)
    except ValueError:
        return None
    return found.replace(microsecond=int((stamp[2] or "0").ljust(6, "0")))
