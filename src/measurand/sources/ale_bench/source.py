"""Source ``ale_bench``: ALE-Bench's summary of its leaderboard, and the folders that its evaluation writes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import msgspec

from measurand.errors import FormatError
from measurand.model.imports import Declaration
from measurand.model.stated import Stated
from measurand.model.table import trials_frame
from measurand.sources.ale_bench.files import (
    RUN,
    blocks,
    is_part_of_run,
    is_run,
    is_summary,
    run_results,
    summary_results,
)
from measurand.sources.ale_bench.results import SOURCE, Result
from measurand.sources.base import ImportLog, Match, ReadOptions, refuse_options
from measurand.sources.reading.folder_files import files_below, name_below, some_files
from measurand.sources.reading.loose_values import number, object_of
from measurand.sources.reading.sniffed_files import some_named

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    import polars as pl

    from measurand.model.trial import Trial

__all__ = ["AleBenchSource"]

_BATCH: Final = 10_000
_HEADLINES: Final = {
    "performance": ("average performance", ""),
    "rank": ("average rank", ""),
    "cost": ("average cost", "USD"),
}
"""Statistics of a configuration -> what its mean states, and its unit."""


class AleBenchSource:
    """Reads ``results_summary.json`` of the leaderboard, and ``PROBLEM/results/final_results.json`` of evaluations."""

    name = SOURCE
    title = "ALE-Bench: results_summary.json of the leaderboard, and final_results.json of evaluations"

    def sniff(self, path: Path) -> Match | None:
        """Claim a summary, or the folder of an evaluation or of one of its problems."""
        if any(is_summary(file) for file in some_files(path, ".json")):
            return Match(95, "ALE-Bench: summary with overall_results and num_self_refine")
        if any(is_run(file) for file in some_named(path, RUN, 3)):
            return Match(93, f"ALE-Bench: {RUN} of an evaluation")
        return None

    def read(self, path: Path, options: ReadOptions, log: ImportLog) -> Iterator[pl.DataFrame]:
        """Yield one trial for each configuration and problem. Heeds suite.

        Raises:
            FormatError: nothing of ALE-Bench at ``path``, or a summary that cannot be read.
        """
        refuse_options(options, self.name, "mapping", "constants", "outcomes", "anchors", "tasks")
        suite = options.suite or SOURCE
        results = list(_results(path, suite, log))
        if not log.rows_read:
            raise FormatError(
                "no results of ALE-Bench",
                where=str(path),
                hint=f"expected a summary with overall_results, or PROBLEM/results/{RUN}",
            )
        log.declarations.append(Declaration(suite=suite, trials=1))
        trials = _with_directions(results, log)
        for start in range(0, len(trials), _BATCH):
            yield trials_frame(trials[start : start + _BATCH])

    def stated(self, path: Path) -> Iterator[Stated]:
        """Yield the mean performance, rank and cost that the summary gives for each configuration."""
        for file in files_below(path, ImportLog(self.name, str(path)), ".json"):
            if not is_summary(file):
                continue
            for agent, block, where in blocks(file, name_below(file, path)):
                for key, (name, unit) in _HEADLINES.items():
                    value = number(object_of(object_of(block.get(key)).get("all")).get("mean"))
                    if value is not None and agent is not None:
                        place = f"{where}: {key}.all.mean"
                        yield Stated(agent=agent.name, name=name, value=value, unit=unit, where=place)


def _results(path: Path, suite: str, log: ImportLog) -> Iterator[Result]:
    for file in files_below(path, log, ".json"):
        if is_summary(file):
            yield from summary_results(file, name_below(file, path), suite, log)
        elif is_run(file):
            yield from run_results(file, path, suite, log)
        elif file != path and not is_part_of_run(file):
            log.add("note", "JSON file that is no result of ALE-Bench: not read", name_below(file, path))


def _with_directions(results: list[Result], log: ImportLog) -> list[Trial]:
    """Say of each problem which way its score is better, by how scores and ranks go together: the files do not say it."""
    known: dict[str, list[tuple[float, float]]] = {}
    for trial, rank in results:
        if trial.quantity is not None and rank is not None:
            known.setdefault(trial.task, []).append((trial.quantity, rank))
    better = {task: _direction(pairs) for task, pairs in known.items()}
    for task, direction in better.items():
        if direction is None:
            log.add("note", "too few different results to tell which way the score is better", task)
    return [msgspec.structs.replace(trial, better=better.get(trial.task)) for trial, _ in results]


def _direction(pairs: list[tuple[float, float]]) -> str | None:
    """Direction of a score by its covariance with the rank, whose first is the best."""
    scores, ranks = (sum(values) / len(values) for values in zip(*pairs, strict=True))
    together = sum((score - scores) * (rank - ranks) for score, rank in pairs)
    return None if together == 0 else "higher" if together < 0 else "lower"
