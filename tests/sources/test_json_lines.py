"""JSON Lines of other tools, line by line."""

from __future__ import annotations

import hashlib
import runpy
import sys
from typing import TYPE_CHECKING

import pytest

from measurand.errors import FormatError
from measurand.sources.reading.json_lines import first_object, read_lines

if TYPE_CHECKING:
    from pathlib import Path


def test_damaged_lines_hinder_no_other(tmp_path: Path) -> None:
    """A line is an object, or the reason why not; blank lines are none, and lines keep their numbers."""
    path = tmp_path / "a.jsonl"
    path.write_bytes(b'\xef\xbb\xbf{"a": 1}\n\r\n[1]\n{"b": \n{"c": "\xff \\ud800"}\n{"d": NaN}')
    lines = list(read_lines(path, "a"))
    assert [line.where for line in lines] == ["a:1", "a:3", "a:4", "a:5", "a:6"]
    assert [line.value is not None for line in lines] == [True, False, False, True, True]
    assert lines[1].why == "not an object"
    assert str(lines[2].why).startswith("not readable JSON")


def test_lines_beyond_the_limit(tmp_path: Path) -> None:
    """A line that is too long is told and skipped, also as the last one; the digest is of all bytes."""
    path = tmp_path / "a.jsonl"
    path.write_bytes(b'{"a": "' + b"x" * 3_000_000 + b'"}\n{"b": 1}\n{"c": "' + b"x" * 200)
    digest = hashlib.sha256()
    lines = list(read_lines(path, "a", most=100, digest=digest))
    assert [(line.where, line.why) for line in lines] == [
        ("a:1", "longer than 100 bytes"),
        ("a:2", None),
        ("a:3", "longer than 100 bytes"),
    ]
    assert digest.hexdigest() == hashlib.sha256(path.read_bytes()).hexdigest()


def test_first_object(tmp_path: Path) -> None:
    """The first line is looked at whatever it is; what is none gives nothing."""
    path = tmp_path / "a.jsonl"
    for content, wanted in ((b'{"a": 1}\nx', {"a": 1}), (b"", {}), (b"[1]", {}), (b'{"a": ', {})):
        path.write_bytes(content)
        assert first_object(path) == wanted
    assert first_object(tmp_path) == {}
    with pytest.raises(FormatError, match="cannot be read"):
        list(read_lines(tmp_path, "a"))


def test_large_and_dirty_file(shared: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Case 12: a line of 20 MB, bytes that are not UTF-8, half a surrogate pair and a blank line lose no record."""
    path = tmp_path / "trace.jsonl"
    monkeypatch.setattr(sys, "argv", ["input.make.py", str(path), "5000"])
    runpy.run_path(str(shared / "cases/12-large-and-dirty-trace/input.make.py"))
    values = [line.value for line in read_lines(path, "t")]
    assert len(values) == 5003
    assert sum(value is not None and value["type"] == "action" for value in values) == 2500
