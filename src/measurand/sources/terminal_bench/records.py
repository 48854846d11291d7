"""Records of Terminal-Bench's trials: what its words say, and what each trial took."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from measurand.model.outcomes import COUNTS_AS, CountsAs, Outcome, Verdict
from measurand.sources.reading.loose_values import object_of, text, time, truth, whole

if TYPE_CHECKING:
    from collections.abc import Mapping

    from measurand.sources.base import ImportLog

__all__ = ["Judged", "job_of", "judge", "meters", "tests_of"]

_OUTCOMES: Final = {
    "unset": Outcome.COMPLETED,
    "none": Outcome.COMPLETED,
    "agent_timeout": Outcome.AGENT_TIMEOUT,
    "unknown_agent_error": Outcome.AGENT_ERROR,
    "fatal_llm_parse_error": Outcome.AGENT_ERROR,
    "context_length_exceeded": Outcome.LIMIT,
    "output_length_exceeded": Outcome.LIMIT,
    "agent_installation_failed": Outcome.INFRA_ERROR,
    "test_timeout": Outcome.GRADER_ERROR,
    "parse_error": Outcome.GRADER_ERROR,
}
"""Failure mode -> outcome. A mode that is not here is judged by whether the tests gave a verdict."""
_PASSED: Final = "passed"
_NUMBERED: Final = re.compile(r".+\.\d+-of-\d+\.(?P<run>.+)")


class Judged(NamedTuple):
    """What became of a trial."""

    outcome: Outcome
    verdict: Verdict | None
    reason: str | None
    resolved: bool
    """Whether Terminal-Bench counts it as resolved; what has no verdict is not."""


def judge(record: Mapping[str, Any], words: Mapping[str, Outcome]) -> Judged:
    """Say what became of a trial.

    Args:
        record: the record.
        words: failure mode -> outcome, where the user says it.
    """
    mode = text(record.get("failure_mode")) or "unset"
    resolved = truth(record.get("is_resolved"))
    outcome = words.get(mode) or _OUTCOMES.get(mode)
    reason = None if mode in {"unset", "none"} else mode
    if outcome is None:
        outcome = Outcome.COMPLETED if resolved is not None else Outcome.GRADER_ERROR
    if outcome is Outcome.COMPLETED and resolved is None:
        return Judged(Outcome.GRADER_ERROR, None, reason or "is_resolved is null", resolved=False)
    if resolved and record.get("parser_results") == {}:
        return Judged(Outcome.GRADER_ERROR, None, "resolved without any test", resolved=True)
    return Judged(outcome, _verdict(outcome, resolved), reason, resolved=resolved is True)


def _verdict(outcome: Outcome, resolved: bool | None) -> Verdict | None:  # noqa: FBT001 - the record's own value
    if COUNTS_AS[outcome] is CountsAs.NO_VERDICT:
        return None
    passed = resolved is True and COUNTS_AS[outcome] is not CountsAs.FAIL
    return Verdict.PASS if passed else Verdict.FAIL


def tests_of(record: Mapping[str, Any]) -> tuple[int, int]:
    """Tests that passed, and all of them."""
    results = object_of(record.get("parser_results"))
    return sum(value == _PASSED for value in results.values()), len(results)


def job_of(record: Mapping[str, Any], otherwise: str) -> str:
    """Run that a record is of: as it says itself, so that a copy in another folder is the same trial."""
    recorded = (text(record.get("recording_path")) or "").partition("/")[0]
    named = _NUMBERED.fullmatch(text(record.get("trial_name")) or "")
    return recorded or (named["run"] if named else otherwise)


def meters(record: Mapping[str, Any], log: ImportLog, where: str) -> dict[str, Any]:
    """Tokens and times of a trial, as fields of the trial table. Agents that report no tokens have 0 of them."""
    read, written = whole(record.get("total_input_tokens")), whole(record.get("total_output_tokens"))
    if read == 0 and written in {0, None}:
        log.add("note", "0 tokens: the agent reports none", where)
        read = written = None
    began, ended = (time(record.get(f"trial_{name}")) for name in ("started_at", "ended_at"))
    return {
        "input_tokens": read,
        "output_tokens": written,
        "started_at": began,
        "finished_at": ended,
        "wall_s": _seconds(record, "trial"),
        "working_s": _seconds(record, "agent"),
    }


def _seconds(record: Mapping[str, Any], phase: str) -> float | None:
    began, ended = (time(record.get(f"{phase}_{name}")) for name in ("started_at", "ended_at"))
    return None if began is None or ended is None else (ended - began).total_seconds()
