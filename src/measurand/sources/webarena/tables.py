"""JSON files of WebArena: a table of results (task, model, score), the models, and the tasks with their templates."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple

from measurand.errors import FormatError
from measurand.model.digests import task_digest
from measurand.sources.reading import loose_json
from measurand.sources.reading.capped_files import read_capped
from measurand.sources.reading.json_files import head
from measurand.sources.reading.json_lists import read_list
from measurand.sources.reading.loose_values import list_of, number, object_of, text

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from measurand.sources.reading.json_lists import Entry

__all__ = ["Model", "Task", "kind_of", "read_models", "read_results", "read_tasks"]

_MOST: Final = 2**27
_RESULTS: Final = (b'"t"', b'"m"', b'"s"')
_MODELS: Final = (b'"success_rate"', b'"has_trajectories"')
_TASKS: Final = (b'"template_id"', b'"eval_type"')
_RAW: Final = (b'"intent_template_id"', b'"intent_template"', b'"eval_types"')


class Task(NamedTuple):
    """A task of WebArena."""

    family: str | None
    """Its template: tasks made from one resemble each other."""
    digest: str | None


class Model(NamedTuple):
    """An agent of a leaderboard."""

    name: str
    success_rate: float | None
    """Percent."""


def kind_of(file: Path) -> str | None:
    """Kind of a JSON file of WebArena: results, models, tasks; ``None`` for any other."""
    if not file.name.lower().endswith(".json"):
        return None
    start = head(file)
    if start.lstrip(b"\xef\xbb\xbf \t\r\n")[:1] != b"[":
        return None
    record = start.partition(b"}")[0]
    if all(mark in record for mark in _RESULTS) and record.count(b":") == len(_RESULTS):
        return "results"
    if all(mark in start for mark in _MODELS):
        return "models"
    return "tasks" if any(all(mark in start for mark in marks) for marks in (_TASKS, _RAW)) else None


def read_results(file: Path, where: str) -> Iterator[Entry]:
    """Yield the entries of a table of results.

    Raises:
        FormatError: the file cannot be read.
    """
    yield from read_list(file, None, where).entries


def read_models(file: Path, where: str) -> dict[str, Model]:
    """Read the models by their ids.

    Raises:
        FormatError: the file cannot be read.
    """
    found = {}
    for entry in _objects(file, where):
        if (model := text(entry.get("id"))) is not None:
            found[model] = Model(text(entry.get("name")) or model, number(entry.get("success_rate")))
    return found


def read_tasks(file: Path, where: str) -> dict[str, Task]:
    """Read the tasks by their ids, from the benchmark's own file or a digest of it.

    Raises:
        FormatError: the file cannot be read.
    """
    found = {}
    for entry in _objects(file, where):
        task = text(entry.get("task_id")) or text(entry.get("id"))
        template = text(entry.get("intent_template_id")) or text(entry.get("template_id"))
        if task is not None:
            whole = "intent_template_id" in entry and isinstance(entry.get("eval"), dict)
            digest = task_digest(entry) if whole else None
            found[task] = Task(None if template is None else f"template {template}", digest)
    return found


def _objects(file: Path, where: str) -> list[dict[str, Any]]:
    content = loose_json.decode(read_capped(file, where, _MOST), where)
    if not isinstance(content, list):
        raise FormatError("not a list", where=where)
    return [object_of(entry) for entry in list_of(content)]
