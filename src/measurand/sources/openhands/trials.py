"""Trials of OpenHands: attempts at an instance with their result, or a list of events alone."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple

from measurand.errors import FormatError
from measurand.model.digests import agent_digest
from measurand.model.outcomes import Outcome, Verdict
from measurand.model.trace import Draft
from measurand.model.trial import UNNAMED, Trial
from measurand.sources.openhands.clock import clock_of
from measurand.sources.openhands.endings import ended_by_events
from measurand.sources.openhands.events import events_in, history_events, response_of
from measurand.sources.openhands.meters import meters_of
from measurand.sources.openhands.output import Tried, attempt_events
from measurand.sources.reading.chat_trace import known
from measurand.sources.reading.loose_values import object_of, text
from measurand.sources.swebench.agent_runs import Ended, joined_mark
from measurand.sources.swebench.records import Mark, Record

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from measurand.sources.base import ImportLog

__all__ = ["Place", "trial_of_events", "trial_of_output"]

_HARNESS: Final = "openhands"


class Place(NamedTuple):
    """What all trials of a file have in common."""

    suite: str | None
    """Suite that the user gives, where the data do not say."""
    job: str | None
    log: ImportLog


def trial_of_output(
    tried: Tried, result: Record | None, place: Place, offsets: dict[Path, list[int]]
) -> Trial:
    """Give the trial of an instance; its own grade goes before one that lies beside it."""
    last, log = tried.chosen, place.log
    setup = last.setup
    own = last.mark or (result.mark if result else None)
    mark = joined_mark(last.ended, own, handed_in=last.handed_in)
    if setup.suite and place.suite not in {None, setup.suite}:
        log.add("note", f"the data say {setup.suite}: --suite {place.suite} is not used", last.where)
    suite = setup.suite or place.suite or UNNAMED
    start = {
        "suite": suite,
        "task": last.task,
        "agent": setup.agent,
        "model": setup.model,
        "limits": setup.limits or None,
    }

    def events() -> Iterator[Draft]:
        yield Draft("trial_start", known(start))
        number = 1
        for attempt in tried.attempts:
            if len(tried.attempts) > 1:
                yield Draft("note", {"what": "attempt", "attempt": attempt.number})
                number += 1
            for event in attempt_events(attempt, number, offsets):
                number += 1
                yield event
        yield from _end(last.ended, mark)

    return Trial(
        suite=suite,
        task=last.task,
        agent=setup.agent,
        agent_digest=setup.agent_digest,
        model_requested=setup.model,
        trial="1",
        job=place.job,
        **_fields(mark),
        **tried.meters(log),
        harness=_HARNESS,
        harness_version=setup.version,
        source=_HARNESS,
        source_ref=last.where,
        trace_digest=log.trace(events) if any(one.has_history for one in tried.attempts) else None,
    )


def trial_of_events(file: Path, content: list[Any], where: str, place: Place) -> Trial:
    """Give the trial that a list of events is. It says nothing of its task, and nothing of success.

    Raises:
        FormatError: there are no events in it.
    """
    log, found = place.log, events_in(content)
    if not found:
        raise FormatError("no events", where=where)
    log.add(
        "note", "events alone: the task is called after the file, and nothing says whether it passed", where
    )
    system = next((object_of(event.get("args")) for event in found if event.get("action") == "system"), {})
    models = [text(response_of(event).get("model")) for event in found]
    model = next((name for name in models if name), None)
    scaffold = " ".join(filter(None, ("OpenHands", text(system.get("agent_class")))))
    name = f"{model} ({scaffold})" if model else scaffold
    ended, clock = ended_by_events(found), clock_of(found, {})
    if not clock.steady:
        log.add("unknown", "wall_s: the clock went back", where)
    reason = f"{ended.word}, not graded"
    mark = Mark(80, reason, Outcome.COMPLETED, None, judged=False)
    if ended.cause is not None:
        mark = Mark(40, ended.word, ended.cause, None, judged=False)
    suite, task = place.suite or UNNAMED, file.name.removesuffix(".json") or file.name
    version = text(system.get("openhands_version"))
    start = {"suite": suite, "task": task, "agent": name, "model": model, "scaffold_version": version}

    def events() -> Iterator[Draft]:
        yield Draft("trial_start", known(start))
        yield from history_events(found, {}, 1, clock)
        yield from _end(ended, mark)

    return Trial(
        suite=suite,
        task=task,
        agent=name,
        agent_digest=agent_digest(name, {"version": version} if version else None),
        model_requested=model,
        trial="1",
        job=place.job,
        **_fields(mark),
        **meters_of({}, found, log, where),
        **clock.ends(),
        harness=_HARNESS,
        harness_version=version,
        source=_HARNESS,
        source_ref=where,
        trace_digest=log.trace(events),
    )


def _fields(mark: Mark) -> dict[str, Any]:
    return {
        "outcome": mark.outcome.value,
        "reason": mark.reason,
        "verdict": _verdict(mark),
        "verdicts": {"official": mark.passed is True} if mark.judged else None,
    }


def _verdict(mark: Mark) -> str | None:
    return None if mark.passed is None else (Verdict.PASS if mark.passed else Verdict.FAIL).value


def _end(ended: Ended, mark: Mark) -> Iterator[Draft]:
    if ended.message:
        yield Draft("error", {"message": ended.message})
    end = {"outcome": mark.outcome.value, "verdict": _verdict(mark), "reason": mark.reason}
    yield Draft("trial_end", known(end))
