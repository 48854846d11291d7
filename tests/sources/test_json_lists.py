"""Long lists in JSON files, read one object at a time."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from measurand.errors import FormatError
from measurand.sources.reading.json_lists import read_list

if TYPE_CHECKING:
    from pathlib import Path

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 9) | st.text('[]{}",\\ a\u00e9', max_size=6),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text('[]{}",\\a', max_size=3), inner, max_size=3)
    ),
    max_leaves=8,
)
OBJECTS = st.lists(st.dictionaries(st.text('ab"\\{[', max_size=3), VALUES, max_size=3), max_size=5)


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("lists") / "a.json"


def entries(path: Path, key: str | None = None, **limits: int) -> list[tuple[Any, str | None]]:
    return [(entry.value, entry.why) for entry in read_list(path, key, path.name, **limits).entries]


@settings(deadline=None)
@given(OBJECTS, st.sampled_from([None, 2]), st.booleans())
def test_whole_lists(file: Path, objects: list[dict[str, Any]], indent: int | None, mark: bool) -> None:  # noqa: FBT001
    """Each object comes back as it was written, whatever signs its texts hold; what stands beside is kept."""
    written = json.dumps(objects, indent=indent).encode()
    file.write_bytes((b"\xef\xbb\xbf" if mark else b"") + written)
    assert entries(file) == [(one, None) for one in objects]
    beside = {"before": {"list": [1]}, "list": objects, "after": [{}]}
    file.write_bytes(json.dumps(beside, indent=indent).encode())
    found = read_list(file, "list", "a")
    assert found.rest == beside | {"list": []}
    assert [entry.value for entry in found.entries] == objects


@settings(deadline=None)
@given(OBJECTS.filter(bool), st.data())
def test_cut_lists(file: Path, objects: list[dict[str, Any]], data: st.DataObject) -> None:
    """Of a list that is cut anywhere, the whole objects come back, and at most one entry says that it is cut."""
    written = json.dumps(objects).encode()
    cut = data.draw(st.integers(1, len(written) - 1))
    file.write_bytes(written[:cut])
    found = entries(file)
    whole = [value for value, _ in found if value is not None]
    assert whole == objects[: len(whole)]
    damaged = [why for value, why in found if value is None]
    assert len(damaged) <= 1
    ends = [len(json.dumps(objects[: number + 1]).encode()) - 1 for number in range(len(objects))]
    assert len(whole) == sum(end <= cut for end in ends)
    begun = written[ends[len(whole) - 1] if whole else 1 : cut].strip(b", ")
    assert len(damaged) == bool(begun)


def test_what_is_no_object(tmp_path: Path) -> None:
    """Something else than objects is told where it stands; an object that is too large is left out."""
    path = tmp_path / "a.json"
    path.write_bytes(b'[{"a": 1}, 7, {"b": tru}, [1], {"c": "xxxxxxxxxxxxxxxx"}]')
    found = entries(path, most=20)
    assert [value for value, _ in found] == [{"a": 1}, None, None, None, None]
    assert [why.split(":")[0] if why else why for _, why in found] == [
        None,
        "not an object",
        "not readable JSON",
        "not an object",
        "larger than 20 bytes",
    ]


@pytest.mark.parametrize("content", [b"", b"7", b"{", b"\xff\xfe[", b'{"list": 7} {"a": 1}'])
def test_what_is_refused(tmp_path: Path, content: bytes) -> None:
    """What is not JSON beside the list is refused with the name of the file."""
    path = tmp_path / "a.json"
    path.write_bytes(content)
    with pytest.raises(FormatError, match=r"a\.json"):
        read_list(path, "list", "a.json")
    with pytest.raises(FormatError, match="cannot be read"):
        read_list(tmp_path / "none.json", "list", "none.json")
