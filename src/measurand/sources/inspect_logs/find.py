"""Finds logs of Inspect AI, and recognises them by their beginnings."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from measurand.errors import FormatError
from measurand.sources.inspect_logs.files import HEADER, MOST_OF_A_HEADER, START
from measurand.sources.reading import loose_json
from measurand.sources.reading.folder_files import files_below, name_below, some_files
from measurand.sources.reading.json_files import head
from measurand.sources.reading.zip_members import MAGIC, ZipMembers

if TYPE_CHECKING:
    from pathlib import Path

    from measurand.sources.base import ImportLog

__all__ = ["Identity", "find", "identify", "recognise"]

_ENDINGS: Final = (".eval", ".json")
_NAME_AT: Final = 30
"""Where the name of the first member stands in a zip."""
_LENGTH_AT: Final = 26
_FIRST: Final = (b"_journal/start.json", b"header.json", b"summaries.json", b"samples/")
_JSON: Final = re.compile(
    rb'(?:\xef\xbb\xbf)?\s*\{\s*"version"\s*:\s*\d+\s*,\s*"status"\s*:\s*"\w+"\s*,\s*"eval"\s*:\s*(?=\{)'
)
_OWN_INDEXES: Final = ("eval-set.json", "logs.json")
"""What an eval set keeps beside its logs."""


class Identity(NamedTuple):
    """What tells logs apart; in the order of time."""

    created: str
    evaluation: str
    task: str
    """The task with its model: a retry has the same."""


def recognise(path: Path) -> str | None:
    """Say what of Inspect ``path`` is, looking at few files and at their beginnings only."""
    if path.is_file():
        return "a log" if _is_log(path) else None
    return "a folder of logs" if any(map(_is_log, some_files(path, *_ENDINGS))) else None


def _is_log(path: Path) -> bool:
    start = head(path)
    if not start.startswith(MAGIC):
        return path.suffix.lower() == ".json" and _JSON.match(start) is not None
    length = int.from_bytes(start[_LENGTH_AT : _LENGTH_AT + 2], "little")
    name = start[_NAME_AT : _NAME_AT + length]
    if name.startswith(_FIRST[0]):
        return True
    return path.suffix.lower() == ".eval" and name.startswith(_FIRST)


def find(root: Path, log: ImportLog) -> list[Path]:
    """List the logs below ``root``, in the order of their paths; other JSON files are noted.

    Raises:
        FormatError: there are none.
    """
    found = []
    for file in files_below(root, log, *_ENDINGS):
        if file == root or file.suffix.lower() == ".eval" or _is_log(file):
            found.append(file)
        elif file.name not in _OWN_INDEXES:
            log.add("note", "JSON file that is no log: not read", name_below(file, root))
    if not found:
        raise FormatError("no logs of Inspect AI", where=str(root), hint="expected *.eval, or *.json logs")
    return found


def identify(path: Path) -> Identity | None:
    """Read what tells a log apart, from its beginning or its header; ``None`` when that cannot be read."""
    try:
        spec = _spec(path)
    except (FormatError, ValueError, RecursionError):
        return None
    texts = {name: value for name, value in spec.items() if isinstance(value, str)}
    evaluation = texts.get("eval_id") or texts.get("run_id", "")
    return Identity(texts.get("created", ""), evaluation, texts.get("task_id", ""))


def _spec(path: Path) -> dict[str, Any]:
    start = head(path)
    if start.startswith(MAGIC):
        with ZipMembers(path, path.name) as archive:
            name = HEADER if HEADER in archive else START
            header = loose_json.decode(archive.read(name, MOST_OF_A_HEADER), name) if name in archive else {}
        spec = header.get("eval") if isinstance(header, dict) else None
    else:
        mark = _JSON.match(start)
        text = start[mark.end() :].decode("utf-8", errors="replace") if mark else "{}"
        spec, _ = json.JSONDecoder().raw_decode(text)
    return spec if isinstance(spec, dict) else {}
