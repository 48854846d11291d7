"""Runs of agents on SWE-bench as their trajectories tell them, and what a run makes of what the harness says."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from measurand.model.outcomes import COUNTS_AS, CountsAs, Outcome
from measurand.model.trace import Draft
from measurand.model.trial import UNNAMED
from measurand.sources.reading.chat_trace import known
from measurand.sources.swebench.records import Mark

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

__all__ = ["AgentRun", "Ended", "joined_mark", "metered_cost", "run_events", "suite_of"]

_INSTANCE: Final = re.compile(r"[\w.-]+__[\w.-]+-(\d+|[0-9a-f]{40}(-v\w+)?)")
"""How SWE-bench calls its instances: ``OWNER__REPOSITORY-NUMBER``; SWE-bench Pro has commits for numbers."""
_CUT_SHORT: Final = {Outcome.COMPLETED, Outcome.NO_OUTPUT, Outcome.MISSING}
"""What the harness may say of a run that was cut short: how it ended says more."""


class Ended(NamedTuple):
    """How the agent ended."""

    word: str | None
    """The exit status, in the scaffold's word."""
    cause: Outcome | None = None
    """What cut it short; ``None`` when the agent itself was done."""
    message: str | None = None
    """The error that ended it."""


@dataclass(frozen=True, slots=True)
class AgentRun:
    """One run of an agent on one instance."""

    task: str
    where: str
    folder: Path
    """Folder of all runs of that start."""
    scaffold: str
    agent: str
    agent_digest: str
    ended: Ended
    handed_in: bool
    """Whether there is a patch."""
    version: str | None = None
    model: str | None = None
    names: frozenset[str] = frozenset()
    """What results may call the agent."""
    meters: dict[str, Any] = field(default_factory=dict)
    """Fields of the trial table that say what it used."""
    start: dict[str, Any] = field(default_factory=dict)
    """What more the beginning of the trace says."""
    events: Callable[[], Iterator[Draft]] | None = None
    """Reads the events between start and end, from number 1 on; ``None`` without a trajectory."""


def suite_of(task: str) -> str:
    """Suite of an instance, as far as its id tells."""
    return "swebench" if _INSTANCE.fullmatch(task) else UNNAMED


def metered_cost(cost: float | None, calls: int) -> tuple[float | None, bool]:
    """Return a cost, and whether it was 0 though models were called: that is no price, but none known."""
    unpriced = cost == 0 and calls > 0
    return None if unpriced else cost, unpriced


def joined_mark(ended: Ended, mark: Mark | None, *, handed_in: bool) -> Mark:
    """Say what became of a trial.

    Args:
        ended: how the agent ended.
        mark: what the harness says; ``None`` where nothing was graded.
        handed_in: whether there is something to grade.
    """
    if mark is None or (mark.outcome is Outcome.MISSING and mark.passed is None):
        return _ungraded(ended, handed_in=handed_in)
    if ended.cause is None or mark.outcome not in _CUT_SHORT:
        return mark
    return Mark(mark.rank, ended.word, ended.cause, mark.passed, judged=mark.judged)


def _ungraded(ended: Ended, *, handed_in: bool) -> Mark:
    """Without a patch there is nothing to grade, and SWE-bench counts it as not resolved."""
    word, cause, _ = ended
    if cause is not None and COUNTS_AS[cause] is CountsAs.NO_VERDICT:
        return Mark(40, word, cause, None, judged=not handed_in)
    if handed_in:
        reason = f"{word}, not graded" if word else "not graded"
        return Mark(80, reason, Outcome.COMPLETED, None, judged=False)
    return Mark(15, word or "no patch", cause or Outcome.NO_OUTPUT, passed=False)


def run_events(run: AgentRun, mark: Mark, suite: str) -> Iterator[Draft]:
    """Yield the trace of a run: its beginning, what happened, how it ended."""
    start = {
        "suite": suite,
        "task": run.task,
        "agent": run.agent,
        "model": run.model,
        "scaffold": run.scaffold,
        "scaffold_version": run.version,
        **run.start,
    }
    yield Draft("trial_start", known(start))
    if run.events is not None:
        yield from run.events()
    if run.ended.message:
        yield Draft("error", known({"class": run.ended.word, "message": run.ended.message}))
    verdict = None if mark.passed is None else "pass" if mark.passed else "fail"
    end = {"outcome": mark.outcome.value, "verdict": verdict, "exit_status": run.ended.word}
    yield Draft("trial_end", known(end))
