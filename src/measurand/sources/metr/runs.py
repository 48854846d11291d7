"""A run of METR's ``runs.jsonl`` becomes a trial."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from measurand.model.digests import agent_digest
from measurand.model.outcomes import COUNTS_AS, CountsAs, Outcome, Verdict
from measurand.model.trial import Trial
from measurand.sources.reading.loose_values import number, text, time, whole

if TYPE_CHECKING:
    import datetime as dt
    from collections.abc import Mapping
    from pathlib import Path

    from measurand.sources.base import ImportLog

__all__ = ["Setting", "Versions", "human_time", "run_trial", "suite_version"]

_SOURCE: Final = "metr"
_PRICES: Final = f"self-reported by {_SOURCE}"
_VERSION: Final = re.compile(
    r"(?:time[-_]horizon|th|task_results|benchmark_results)[-_]?(\d+)[-_.](\d+)(?!\d)"
)
_FAILURES: Final = {
    "usagelimits": Outcome.LIMIT,
    "agent": Outcome.AGENT_ERROR,
    "server": Outcome.INFRA_ERROR,
    "serverortask": Outcome.INFRA_ERROR,
    "task": Outcome.INFRA_ERROR,
    "user": Outcome.CANCELLED,
}
"""``fatal_error_from`` -> outcome."""


def suite_version(file: Path) -> str | None:
    """Version of the suite, after the name of the file or of a folder that it stands in: ``time-horizon-1-1``."""
    found = (_VERSION.search(part) for part in reversed(file.absolute().parts))
    return next((f"{match[1]}.{match[2]}" for match in found if match), None)


class Setting(NamedTuple):
    """What holds for all runs of a file."""

    suite: str
    version: str | None
    released: Mapping[str, dt.datetime]
    """Model -> when it was released."""


class _Anchored(NamedTuple):
    """Quantity and anchors of a run."""

    quantity: float | None
    reference: float | None
    anchors_id: str | None


def run_trial(run: Mapping[str, Any], setting: Setting, where: str, log: ImportLog) -> Trial | None:
    """Turn a run into a trial; ``None``, and told to the log, when it names no task, no agent or has no id."""
    task, model, run_id = (text(run.get(key)) for key in ("task_id", "model", "run_id"))
    agent = text(run.get("alias")) or model
    if task is None or agent is None or run_id is None:
        log.add("dropped", "run without task_id, alias or run_id", where)
        return None
    outcome, verdict, official, reason = _ended(run, where, log)
    anchors = _anchored(run, where, log)
    started, finished, seconds = _times(run, where, log)
    cost = _cost(run, where, log)
    return Trial(
        suite=setting.suite,
        suite_version=setting.version,
        task=task,
        family=text(run.get("task_family")),
        human_minutes=human_time(run.get("human_minutes"), where, log),
        agent=agent,
        agent_digest=agent_digest(agent, {"model": model}),
        model_requested=model,
        released_at=setting.released.get(model or "", setting.released.get(agent)),
        trial=run_id,
        outcome=outcome,
        reason=reason,
        verdict=verdict,
        verdicts=None if official is None else {"official": official},
        quantity=anchors.quantity,
        unit="score",
        better="higher",
        kind="interval",
        baseline=0.0,
        reference=anchors.reference,
        anchors_id=anchors.anchors_id,
        cost_usd=cost,
        price_table=None if cost is None else _PRICES,
        total_tokens=_tokens(run, where, log),
        wall_s=seconds,
        started_at=started,
        finished_at=finished,
        source=_SOURCE,
        source_ref=where,
    )


class _Ended(NamedTuple):
    outcome: Outcome
    verdict: Verdict | None
    official: bool | None
    reason: str | None


def _ended(run: Mapping[str, Any], where: str, log: ImportLog) -> _Ended:
    """Say how a run ended. METR counts every run that has a score; a fault that is not the agent's is no verdict here."""
    scored = number(run.get("score_binarized"))
    if scored not in {None, 0.0, 1.0}:
        log.add("unknown", "score_binarized is neither 0 nor 1", where)
        scored = None
    official = None if scored is None else scored == 1
    word = text(run.get("fatal_error_from"))
    outcome = _FAILURES.get(word.lower(), Outcome.AGENT_ERROR) if word else Outcome.COMPLETED
    if word and word.lower() not in _FAILURES:
        log.add("note", f"unknown fatal_error_from, read as an error of the agent: {word}", where)
    if COUNTS_AS[outcome] is CountsAs.NO_VERDICT:
        return _Ended(outcome, None, official, word)
    if official is None:
        if word:
            return _Ended(outcome, Verdict.FAIL, None, word)
        return _Ended(Outcome.GRADER_ERROR, None, None, "no score_binarized")
    return _Ended(outcome, Verdict.PASS if official else Verdict.FAIL, official, word)


def _anchored(run: Mapping[str, Any], where: str, log: ImportLog) -> _Anchored:
    """Read the continuous score, and what the skilled person scored: its reference."""
    quantity, reference = number(run.get("score_cont")), number(run.get("human_score"))
    if quantity is None and run.get("score_cont") is not None:
        log.add("unknown", "score_cont is no finite number", where)
    if reference is not None and reference <= 0:
        log.add("unknown", "human_score is not positive: no reference", where)
        reference = None
    origin = text(run.get("human_source"))
    return _Anchored(quantity, reference, f"human {origin}" if origin and reference is not None else None)


def human_time(value: Any, where: str, log: ImportLog) -> float | None:
    """Read the minutes that a skilled person needs."""
    minutes = number(value)
    if minutes is not None and minutes > 0:
        return minutes
    log.add("unknown", "human_minutes missing or not positive", where)
    return None


def _cost(run: Mapping[str, Any], where: str, log: ImportLog) -> float | None:
    cost = number(run.get("generation_cost"))
    if cost == 0:
        log.add("unknown", "generation_cost is 0.0, which means not recorded", where)
        return None
    return cost


def _tokens(run: Mapping[str, Any], where: str, log: ImportLog) -> int | None:
    value = run.get("tokens_count")
    tokens = whole(value)
    if value is not None and not tokens:
        log.add("unknown", "tokens_count is 0 or no count", where)
        return None
    return tokens


def _times(
    run: Mapping[str, Any], where: str, log: ImportLog
) -> tuple[dt.datetime | None, dt.datetime | None, float | None]:
    """Begin, end and seconds between; an end before the begin is no time."""
    started, finished = time(run.get("started_at")), time(run.get("completed_at"))
    if started is None or finished is None:
        return started, finished, None
    seconds = (finished - started).total_seconds()
    if seconds < 0:
        log.add("unknown", "completed_at is before started_at", where)
        return started, None, None
    return started, finished, seconds


class Versions:
    """Notes tasks that were run in several versions, and agents that ran in several scaffolds: METR pools them."""

    def __init__(self) -> None:
        self.seen: dict[tuple[str, str], str] = {}
        self.told: set[tuple[str, str]] = set()

    def see(self, run: Mapping[str, Any], where: str, log: ImportLog) -> None:
        """Take note of a run that was kept."""
        scaffold = (text(run.get("scaffold")) or "").rpartition(",")[2] or None
        agent = text(run.get("alias")) or text(run.get("model")) or ""
        self._one(
            "task run in several versions",
            text(run.get("task_id")) or "",
            text(run.get("task_version")),
            where,
            log,
        )
        self._one("agent run in several scaffolds", agent, scaffold, where, log)

    def _one(self, what: str, name: str, value: str | None, where: str, log: ImportLog) -> None:
        key = (what, name)
        if value is None or self.seen.setdefault(key, value) == value or key in self.told:
            return
        self.told.add(key)
        log.add("note", what, f"{where}: {name}")
