"""Source ``kernelbench``: leaderboards, megakernel tables and run details of KernelBench (hard, cuda, mega)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from measurand.errors import FormatError, InputError
from measurand.model.digests import agent_digest
from measurand.model.outcomes import Outcome, Verdict
from measurand.model.stated import Stated
from measurand.model.table import trials_frame
from measurand.model.trial import Trial
from measurand.sources.base import ImportLog, Match, ReadOptions, refuse_options
from measurand.sources.kernelbench.runs import (
    DETAIL,
    LEADERBOARD,
    Kind,
    Run,
    joined,
    kind_of,
    read_leaderboard,
    read_runs,
    standings,
)
from measurand.sources.reading.folder_files import files_below, name_below, some_files
from measurand.sources.reading.loose_values import whole

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    import polars as pl

__all__ = ["KernelbenchSource"]

_SUITE: Final = "kernelbench"
_PRICES: Final = "self-reported by kernelbench"
_REFUSED: Final = {"reward_hack", "rubric_leak", "bug", "fail", "timeout_unverified"}
"""What an audit says of a run that does not count."""
_FAILURES: Final = {
    "timeout": Outcome.AGENT_TIMEOUT,
    "no_solution": Outcome.NO_OUTPUT,
    "incomplete_session": Outcome.AGENT_ERROR,
    "build": Outcome.INVALID_OUTPUT,
    "build_failed": Outcome.INVALID_OUTPUT,
}
"""Word for a failure -> outcome; any other (incorrect, check_failed, check_timeout) is a kernel that was tried and failed."""


class KernelbenchSource:
    """Reads ``leaderboard*.json``, ``mega_results.csv`` and ``rundetail/*.json`` of kernelbench.com."""

    name = "kernelbench"
    title = "KernelBench: leaderboard JSON, mega_results.csv and details of runs (hard, cuda, mega)"

    def sniff(self, path: Path) -> Match | None:
        """Claim one of these files, or a folder that holds some (at its top or one folder below)."""
        found = next((kind for file in some_files(path, ".json", ".csv") if (kind := kind_of(file))), None)
        return Match(95, f"KernelBench: {found}") if found else None

    def read(self, path: Path, options: ReadOptions, log: ImportLog) -> Iterator[pl.DataFrame]:
        """Yield one trial for each run. Heeds no option: the data say the deck.

        Raises:
            FormatError: nothing of KernelBench at ``path``, or not readable.
        """
        refuse_options(options, self.name, "mapping", "constants", "outcomes", "anchors", "tasks")
        runs: dict[str, Run] = {}
        for run in _runs(path, log):
            key = run.run_id or run.where
            if key in runs:
                log.rows_read -= 1
                log.add("note", "run described in two files: read as one", run.where)
            runs[key] = joined(runs[key], run) if key in runs else run
        yield trials_frame(trial for run in runs.values() if (trial := _trial(run, log)))

    def stated(self, path: Path) -> Iterator[Stated]:
        """Yield how many runs of each model passed, as the leaderboard counts them."""
        for file, name, kind in _files(path, ImportLog(self.name, str(path))):
            if kind == LEADERBOARD:
                for label, place, model in standings(read_leaderboard(file, name)):
                    for key, said in (("pass_count", "passed"), ("total_runs", "runs")):
                        if (value := whole(model.get(key))) is not None:
                            where = f"{name}: models[{place}].{key}"
                            yield Stated(agent=label, name=said, value=value, where=where)


class _File(NamedTuple):
    path: Path
    name: str
    kind: Kind


def _files(path: Path, log: ImportLog) -> list[_File]:
    """Files of KernelBench; details last, since leaderboards name the agent in full."""
    found = []
    for file in files_below(path, log, ".json", ".csv"):
        name, kind = name_below(file, path), kind_of(file)
        if kind is None:
            log.add("note", "file that is nothing of KernelBench: not read", name)
        else:
            found.append(_File(file, name, kind))
    return sorted(found, key=lambda file: file.kind == DETAIL)


def _runs(path: Path, log: ImportLog) -> Iterator[Run]:
    files = _files(path, log)
    if not files:
        raise FormatError(
            "nothing of KernelBench",
            where=str(path),
            hint="expected a leaderboard (JSON), mega_results.csv, or details of runs (JSON)",
        )
    for file in files:
        try:
            yield from read_runs(file.path, file.name, file.kind, log)
        except InputError as error:
            if file.kind != DETAIL or file.path == path:
                raise
            log.add("dropped", f"detail of a run that cannot be read: {error.what}", error.where or file.name)


def _trial(run: Run, log: ImportLog) -> Trial | None:
    if run.problem is None or not run.agent:
        log.add("dropped", "run without problem or model", run.where)
        return None
    tokens = run.output_tokens
    if tokens == 0:
        log.add("unknown", "output_tokens is 0: unknown", run.where)
        tokens = None
    cost = run.cost_usd
    if cost == 0:
        log.add("unknown", "cost_usd is 0: unknown", run.where)
        cost = None
    ended, mega = _ended(run), run.deck == "mega"
    settings = {"harness": run.harness, "model": run.model, "effort": run.effort}
    return Trial(
        suite=f"{_SUITE}_{run.deck}",
        task=f"{run.problem}@{run.gpu}" if run.gpu else run.problem,
        family=run.problem,
        agent=run.agent,
        agent_digest=agent_digest(run.agent, settings),
        model_requested=run.model,
        trial=run.run_id or "1",
        outcome=ended.outcome,
        reason=ended.reason,
        verdict=ended.verdict,
        verdicts=_verdicts(run, ended.verdict),
        quantity=_quantity(run, log),
        unit="x" if mega else "share of roofline",
        better="higher",
        kind="ratio" if mega else "interval",
        baseline=1.0 if mega else 0.0,
        reference=None if mega else 1.0,
        cost_usd=cost,
        price_table=None if cost is None else _PRICES,
        input_tokens=run.input_tokens,
        output_tokens=tokens,
        wall_s=run.agent_s,
        waiting_s=run.waiting_s,
        started_at=run.started_at,
        harness=_SUITE,
        harness_version=run.environment,
        source=KernelbenchSource.name,
        source_ref=run.where,
    )


class _Ended(NamedTuple):
    outcome: Outcome
    verdict: Verdict | None
    reason: str | None = None


def _ended(run: Run) -> _Ended:
    """Say how a run ended. A correct kernel that the audit refuses is a fail, and its quantity stays on record."""
    if run.correct is None:
        return _Ended(Outcome.GRADER_ERROR, None, run.failure or "no word on correctness")
    if run.correct:
        refused = run.audit in _REFUSED
        return _Ended(
            Outcome.COMPLETED,
            Verdict.FAIL if refused else Verdict.PASS,
            f"audit: {run.audit}" if refused else None,
        )
    if run.has_solution is False:
        return _Ended(Outcome.NO_OUTPUT, Verdict.FAIL, run.failure or "no solution")
    failed = _FAILURES.get(run.failure or "", Outcome.COMPLETED)
    return _Ended(failed, Verdict.FAIL, run.failure or "not correct")


def _verdicts(run: Run, verdict: Verdict | None) -> dict[str, bool] | None:
    found = {"official": None if verdict is None else verdict is Verdict.PASS, "correct": run.correct}
    if run.deck == "mega":
        found["megakernel"] = run.megakernel
    return {name: passed for name, passed in found.items() if passed is not None} or None


def _quantity(run: Run, log: ImportLog) -> float | None:
    score = run.score
    if score is not None and (score < 0 or (score == 0 and run.deck == "mega")):
        log.add("unknown", "score is not positive", run.where)
        return None
    if score is not None and score > 1 and run.deck != "mega":
        log.add("note", "more than the roofline: a measurement to be checked", run.where)
    return score
