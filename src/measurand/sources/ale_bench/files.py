"""Files of ALE-Bench: the summary of its leaderboard, and the folder that an evaluation writes for each problem."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from measurand.errors import FormatError
from measurand.sources.ale_bench.results import Agent, Place, Result, agent_of, refinements_of, result_of
from measurand.sources.reading import loose_json
from measurand.sources.reading.capped_files import is_inside, read_capped
from measurand.sources.reading.failure_words import short
from measurand.sources.reading.folder_files import folders_above, name_below
from measurand.sources.reading.json_files import head
from measurand.sources.reading.json_lists import read_list
from measurand.sources.reading.loose_values import list_of, number, object_of, text

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from measurand.sources.base import ImportLog

__all__ = ["RUN", "blocks", "is_part_of_run", "is_run", "is_summary", "run_results", "summary_results"]

RUN: Final = "final_results.json"
_SETTINGS: Final = "experiment_settings.json"
_COSTS: Final = "total_cost.json"
_PARTS: Final = {_SETTINGS, _COSTS, "aggregated_results.json", "results.json"}
_FOLDERS: Final = {"results", "ale_bench_results", "conversations"}
_SUMMARY_MARKS: Final = (b'"overall_results"', b'"num_self_refine"', b'"model_name"')
_RUN_MARKS: Final = (b'"overall_absolute_score"', b'"performance"', b'"rank"')
_MOST: Final = 2**27


def is_summary(file: Path) -> bool:
    """Whether a file is the summary of the leaderboard."""
    start = head(file)
    return start.lstrip(b"\xef\xbb\xbf \t\r\n")[:1] == b"[" and all(mark in start for mark in _SUMMARY_MARKS)


def is_run(file: Path) -> bool:
    """Whether a file has the final results of an evaluation on a problem."""
    return file.name == RUN and all(mark in head(file) for mark in _RUN_MARKS)


def is_part_of_run(file: Path) -> bool:
    """Whether a file stands beside final results, and needs no mention."""
    return file.name in _PARTS or file.parent.name in _FOLDERS


def blocks(file: Path, where: str) -> Iterator[tuple[Agent | None, dict[str, Any], str]]:
    """Yield the configurations of a summary: the agent, what the summary has of it, and where; damaged ones are empty.

    Raises:
        FormatError: the file cannot be read.
    """
    for entry in read_list(file, None, where).entries:
        model = entry.value
        if model is None:
            yield None, {}, f"{entry.where}: {entry.why or 'damaged'}"
            continue
        for block in map(object_of, list_of(model.get("overall_results"))):
            agent = agent_of(model.get("model_name"), block.get("num_self_refine"))
            yield agent, block, f"{entry.where}: {agent.name if agent else 'unnamed'}"


def summary_results(file: Path, where: str, suite: str, log: ImportLog) -> Iterator[Result]:
    """Yield the results of a summary."""
    for agent, block, here in blocks(file, where):
        if not block:
            log.rows_read += 1
            log.add("dropped", "model that cannot be read", here)
        results = list_of(block.get("results"))
        if agent is not None and agent.refinements == 1 and results:
            what = "one sample of several: tokens and cost leave out the others that were drawn"
            log.add("note", what, here)
        for place, record in enumerate(results):
            log.rows_read += 1
            task = text(object_of(record).get("problem_id"))
            if agent is None or task is None:
                log.add(
                    "dropped",
                    "result without model, num_self_refine or problem_id",
                    f"{here}: results[{place}]",
                )
            else:
                yield result_of(record, agent, Place(suite, task, f"{here}: {task}"), log)


def run_results(file: Path, root: Path, suite: str, log: ImportLog) -> Iterator[Result]:
    """Yield the results of an evaluation on a problem, one for each method."""
    where = name_below(file, root)
    try:
        methods = object_of(loose_json.decode(read_capped(file, where, _MOST), where))
    except FormatError as error:
        log.rows_read += 1
        log.add("dropped", f"results that cannot be read: {error.what}", where)
        return
    problem = file.absolute().parent.parent
    model = text(_beside(problem.parent / _SETTINGS, root).get("model_name"))
    costs = _beside(file.parent / _COSTS, root)
    for method, record in methods.items():
        log.rows_read += 1
        here = f"{where}: {short(method)}"
        agent = agent_of(model or object_of(record).get("model_name"), refinements_of(method))
        if agent is None or not isinstance(record, dict):
            log.add("dropped", "method that is not known, or without a model", here)
            continue
        cost = object_of(costs.get(method))
        judged = _beside(problem / "ale_bench_results" / f"private_result_{method}.json", root)
        more = {
            "overall_judge_result": judged.get("overall_judge_result"),
            "total_tokens": cost.get("total_tokens"),
            "cost": number(cost.get("total_cost")),
        }
        task = text(record.get("problem_id")) or folders_above(problem, 1)[0]
        yield result_of(record | more, agent, Place(suite, task, here), log)


def _beside(file: Path, root: Path) -> dict[str, Any]:
    """What a file beside the results says; nothing where there is none that can be read, or a link leads out."""
    inside = root if root.is_dir() else root.absolute().parent.parent.parent
    try:
        if file.is_file() and is_inside(file, inside):
            return object_of(loose_json.decode(read_capped(file, file.name, _MOST), file.name))
    except (FormatError, OSError):
        pass
    return {}
