"""SWE-ABS's files: which agents' patches the strengthened tests pass, by instance; or only how many."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import polars as pl

from measurand.errors import FormatError, ValueRangeError
from measurand.model.verdicts import VerdictCounts
from measurand.sources.reading.json_files import head, read_json
from measurand.sources.reading.loose_values import list_of, object_of, text, whole

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

__all__ = [
    "Instance",
    "counts_of",
    "is_counts",
    "is_verdicts",
    "read_counts",
    "read_instances",
    "read_second_verdicts",
]

_VERDICTS: Final = re.compile(
    rb'\s*\{\s*"(?:[^"\\]|\\.)+"\s*:\s*\{\s*"(?:pass|fail)"\s*:\s*\[(?:[^\]{}]*)\]\s*,\s*"(?:pass|fail)"\s*:\s*\['
)
"""How the verdicts of instances begin."""
_COUNTED: Final = (b'"sweAbs"', b'"modelKey"', b'"orig"')


class Instance(NamedTuple):
    """What the strengthened tests say of the patches for an instance, all of which passed the official tests."""

    name: str
    passed: tuple[str, ...]
    failed: tuple[str, ...]
    unclear: tuple[str, ...]
    """Agents in both lists."""
    repeated: tuple[str, ...]
    """Agents listed twice in one of them."""


def is_counts(file: Path) -> bool:
    """Whether a file begins as the leaderboard of counts, ``swe_abs_data.json``."""
    start = head(file)
    return all(mark in start for mark in _COUNTED)


def is_verdicts(file: Path) -> bool:
    """Whether a file begins as verdicts by instance, ``final_results.json``."""
    return _VERDICTS.match(head(file).removeprefix(b"\xef\xbb\xbf")) is not None


def read_instances(file: Path, where: str) -> Iterator[Instance | str]:
    """Yield the verdicts of each instance; of an instance whose entry holds no two lists of agents its name alone.

    Raises:
        FormatError: not JSON, or no object of objects.
    """
    content = read_json(file, where)
    if not isinstance(content, dict) or not content:
        raise FormatError(
            "no verdicts of SWE-ABS", where=where, hint="expected instance -> {pass: [agent], fail: [agent]}"
        )
    for name, entry in content.items():
        lists = [_names(object_of(entry).get(key)) for key in ("pass", "fail")]
        passed, failed = lists
        if passed is None or failed is None:
            yield name
            continue
        both = set(passed) & set(failed)
        repeated = [one for names in (passed, failed) for one in dict.fromkeys(names) if names.count(one) > 1]
        yield Instance(
            name,
            tuple(dict.fromkeys(one for one in passed if one not in both)),
            tuple(dict.fromkeys(one for one in failed if one not in both)),
            tuple(sorted(both)),
            tuple(repeated),
        )


def _names(value: Any) -> list[str] | None:
    names = [text(one) for one in list_of(value)]
    known = [one for one in names if one]
    return known if isinstance(value, list) and len(known) == len(names) else None


def read_second_verdicts(file: Path) -> pl.DataFrame:
    """Read the verdicts as a table for :func:`measurand.load.add_verdicts`: agent, task, passed.

    It joins the trials of SWE-bench's own tree, whose submissions are called as here.

    Raises:
        FormatError: not JSON, or no verdicts in it.
    """
    found = [one for one in read_instances(file, file.name) if isinstance(one, Instance)]
    rows = [(agent, one.name, True) for one in found for agent in one.passed]
    rows += [(agent, one.name, False) for one in found for agent in one.failed]
    if not rows:
        raise FormatError("no verdicts of SWE-ABS", where=file.name)
    return pl.DataFrame(
        rows, schema={"agent": pl.String, "task": pl.String, "passed": pl.Boolean}, orient="row"
    )


def read_counts(file: Path) -> tuple[VerdictCounts, ...]:
    """Read the counts, one row an agent, for :func:`measurand.analyze.verifiers.counted.counted_verdicts`.

    Raises:
        FormatError: not JSON, or no counts in it.
        ValueRangeError: counts that cannot be.
    """
    content = object_of(read_json(file, file.name))
    tasks = whole(object_of(content.get("metadata")).get("totalInstances"))
    found = tuple(
        _counts(entry, tasks, f"{file.name}: data[{place}]") for place, entry in enumerate(counts_of(content))
    )
    if not found:
        raise FormatError("no counts of SWE-ABS", where=file.name, hint="expected a list `data`")
    return found


def counts_of(content: dict[str, Any]) -> list[dict[str, Any]]:
    """Entries of the leaderboard."""
    return [entry for entry in list_of(content.get("data")) if isinstance(entry, dict)]


def _counts(entry: dict[str, Any], tasks: int | None, where: str) -> VerdictCounts:
    agent, first, second = (
        text(entry.get("modelKey")),
        whole(entry.get("oldCount")),
        whole(entry.get("newCount")),
    )
    if agent is None or first is None or second is None:
        raise ValueRangeError("no modelKey, oldCount or newCount", where=where)
    if second > first or (tasks is not None and first > tasks):
        raise ValueRangeError(f"{second} of {first} passes confirmed, of {tasks} tasks", where=where)
    return VerdictCounts(agent=agent, tasks=tasks, first=first, checked=first, second=second)
