"""Source ``swe_abs``: which patches that pass SWE-bench's tests pass the strengthened tests of SWE-ABS too."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from measurand.errors import FormatError
from measurand.model.digests import agent_digest
from measurand.model.imports import Declaration
from measurand.model.outcomes import Outcome, Verdict
from measurand.model.stated import Stated
from measurand.model.table import trials_frame
from measurand.model.trial import Trial
from measurand.sources.base import ImportLog, Match, ReadOptions, refuse_options
from measurand.sources.reading.folder_files import files_below, name_below, some_files
from measurand.sources.reading.json_files import read_json
from measurand.sources.reading.loose_values import number, object_of, text
from measurand.sources.swe_abs.files import Instance, counts_of, is_counts, is_verdicts, read_instances

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    import polars as pl

__all__ = ["STRENGTHENED", "SweAbsSource"]

STRENGTHENED: Final = "strengthened"
"""Name of the second verdict."""
_SUITE: Final = "swebench"
_ABSENT: Final = "in neither list: did not pass the official tests"
_BATCH: Final = 20_000
_STATED: Final = {"orig": "resolved", "sweAbs": f"resolved, {STRENGTHENED} tests"}
"""Key of the leaderboard -> what it says, in percent."""


class SweAbsSource:
    """Reads ``final_results.json``: instance -> ``{pass: [agent], fail: [agent]}``; and says what the counts state."""

    name = "swe_abs"
    title = (
        "SWE-ABS: strengthened verdicts by instance (final_results.json); swe_abs_data.json has counts only"
    )

    def sniff(self, path: Path) -> Match | None:
        """Claim verdicts by instance, counts, or a folder that holds one of them."""
        for file in some_files(path, ".json"):
            if is_verdicts(file):
                return Match(92, f"instance -> pass, fail: {file.name}")
            if is_counts(file):
                return Match(95, f"counts of SWE-ABS: {file.name}")
        return None

    def read(self, path: Path, options: ReadOptions, log: ImportLog) -> Iterator[pl.DataFrame]:
        """Yield one trial for each instance and agent: the official tests are the gate. Heeds ``suite``.

        Raises:
            FormatError: no verdicts by instance, or counts only.
        """
        refuse_options(options, self.name, "mapping", "constants", "outcomes", "anchors", "tasks")
        found: list[tuple[str, Instance]] = []
        counts = None
        for file in files_below(path, log, ".json"):
            where = name_below(file, path)
            if is_counts(file):
                counts = where
                log.add("note", "counts alone: they are no trials", where)
            elif file == path or is_verdicts(file):
                found += _instances(file, where, log)
            else:
                log.add("note", "JSON file without verdicts of SWE-ABS: not read", where)
        if not found:
            raise _nothing(path, counts)
        suite = options.suite or _SUITE
        if options.suite is None:
            log.add("note", "the data do not say which split: give it with --suite", "")
        log.declarations.append(Declaration(suite=suite, tasks=len({one.name for _, one in found}), trials=1))
        yield from _frames(found, suite, log)

    def stated(self, path: Path) -> Iterator[Stated]:
        """Yield the shares of resolved instances by both tests, as the leaderboard states them.

        Raises:
            FormatError: it is not JSON.
        """
        for file in files_below(path, ImportLog(self.name, str(path)), ".json"):
            if not is_counts(file):
                continue
            where = name_below(file, path)
            for place, entry in enumerate(counts_of(object_of(read_json(file, where)))):
                agent = text(entry.get("modelKey"))
                for key, name in _STATED.items():
                    value = number(entry.get(key))
                    if agent is not None and value is not None:
                        at = f"{where}: data[{place}].{key}"
                        yield Stated(agent=agent, name=name, value=value, unit="percent", where=at)


def _nothing(path: Path, counts: str | None) -> FormatError:
    if counts is not None:
        return FormatError(
            "counts of passes only: there are no trials in it",
            where=counts,
            hint="`measurand verdicts --counts TABLE` takes such counts: agent, first, second, tasks",
        )
    return FormatError(
        "no verdicts of SWE-ABS",
        where=str(path),
        hint="expected instance -> {pass: [agent], fail: [agent]}",
    )


def _instances(file: Path, where: str, log: ImportLog) -> list[tuple[str, Instance]]:
    found = []
    for one in read_instances(file, where):
        if isinstance(one, Instance):
            found.append((where, one))
            for agent in one.repeated:
                log.add("note", "listed twice, counted once", f"{where}: {one.name}: {agent}")
            for agent in one.unclear:
                log.add(
                    "unknown", f"{STRENGTHENED} verdict: both pass and fail", f"{where}: {one.name}: {agent}"
                )
        else:
            log.rows_read += 1
            log.add("dropped", "instance without two lists of agents", f"{where}: {one}")
    return found


def _frames(found: list[tuple[str, Instance]], suite: str, log: ImportLog) -> Iterator[pl.DataFrame]:
    """All agents that any instance names have a trial on each: what names an agent nowhere says that it failed."""
    agents = sorted({agent for _, one in found for agent in (*one.passed, *one.failed, *one.unclear)})
    if not agents:
        raise FormatError("it names no agent", where=found[0][0])
    trials: list[Trial] = []
    for where, one in found:
        trials += [_trial(agent, one, suite, where) for agent in agents]
        if len(trials) >= _BATCH:
            log.rows_read += len(trials)
            yield trials_frame(trials)
            trials = []
    if trials:
        log.rows_read += len(trials)
        yield trials_frame(trials)


def _trial(agent: str, one: Instance, suite: str, where: str) -> Trial:
    confirmed = True if agent in one.passed else False if agent in one.failed else None
    passed = confirmed is not None or agent in one.unclear
    verdicts = {"official": passed} | ({} if confirmed is None else {STRENGTHENED: confirmed})
    return Trial(
        suite=suite,
        task=one.name,
        agent=agent,
        agent_digest=agent_digest(agent),
        trial="1",
        outcome=Outcome.COMPLETED.value,
        reason=None if passed else _ABSENT,
        verdict=(Verdict.PASS if passed else Verdict.FAIL).value,
        verdicts=verdicts,
        harness="swebench",
        source=SweAbsSource.name,
        source_ref=f"{where}: {one.name}: {agent}",
    )
