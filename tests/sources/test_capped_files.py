"""Whole files, read up to a limit."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from measurand.errors import FormatError
from measurand.sources.reading.capped_files import (
    is_file,
    is_folder,
    is_inside,
    is_link,
    read_capped,
    read_object,
)

if TYPE_CHECKING:
    from pathlib import Path


def test_what_is_read(tmp_path: Path) -> None:
    """A file of the size allowed is read; larger ones, folders and absent files are refused by the name given."""
    file = tmp_path / "a"
    file.write_bytes(b"12345")
    assert read_capped(file, "a", 5) == b"12345"
    with pytest.raises(FormatError, match="a: larger than 4 bytes"):
        read_capped(file, "a", 4)
    for path in (tmp_path, tmp_path / "absent", tmp_path / ("x" * 400)):
        with pytest.raises(FormatError, match="b: no ordinary file"):
            read_capped(path, "b", 5)


def test_objects_from_within(tmp_path: Path) -> None:
    """A JSON object within the folder is read; others, and links that leave it, are refused."""
    inside = tmp_path / "inside"
    inside.mkdir()
    (tmp_path / "secret").write_text("{}")
    (inside / "link").symlink_to(tmp_path / "secret")
    (inside / "own").write_text('{"a": NaN}')
    (inside / "list").write_text("[]")
    assert list(read_object(inside / "own", "own", inside, 20)) == ["a"]
    for name, message in (("link", "link that leaves the folder"), ("list", "not a JSON object")):
        with pytest.raises(FormatError, match=message):
            read_object(inside / name, name, inside, 20)
    assert (is_inside(inside / "own", inside), is_inside(inside / "link", inside)) == (True, False)


def test_looking_never_fails(tmp_path: Path) -> None:
    """Names that are too long, and links in a circle, are neither files nor folders."""
    (tmp_path / "a").symlink_to(tmp_path / "b")
    (tmp_path / "b").symlink_to(tmp_path / "a")
    for path in (tmp_path / ("x" * 400), tmp_path / "a"):
        assert not is_file(path)
        assert not is_folder(path)
        assert is_link(path)
    assert not is_link(tmp_path)
