"""JSON that is large, and JSON that is loose."""

from __future__ import annotations

import io
import json
import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from measurand.errors import FormatError
from measurand.sources.reading import json_spans, loose_json
from measurand.sources.reading.json_spans import split_array

TEXTS = st.text(alphabet='ab"\\{}[]:, \n', max_size=8)
VALUES = st.recursive(
    st.none() | st.integers() | TEXTS,
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(TEXTS | st.just("samples"), inner, max_size=3)
    ),
    max_leaves=8,
)


@given(
    before=VALUES,
    samples=st.lists(st.dictionaries(TEXTS, VALUES, max_size=3), max_size=4),
    after=VALUES,
    indent=st.sampled_from([None, 1, 4]),
    chunk=st.sampled_from([1, 2, 3, 7, 64, 4096]),
)
def test_objects_of_an_array(before: Any, samples: Any, after: Any, indent: int | None, chunk: int) -> None:
    """Each object of the array is found, whatever stands around it, and wherever the pieces that are read end."""
    document = {"before": before, "samples": samples, "after": after}
    data = json.dumps(document, indent=indent, ensure_ascii=False).encode()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(json_spans, "_CHUNK", chunk)
        split = split_array(io.BytesIO(data), "samples", 10**6, "x")
    assert split.complete
    assert json.loads(split.rest) == document | {"samples": []}
    assert [json.loads(data[start:end]) for start, end in split.spans] == samples


def test_document_that_breaks_off() -> None:
    """What was whole is found, and the rest is closed where it broke off within the array."""
    split = split_array(io.BytesIO(b'{"a": 1, "samples": [{"b": 2}, {"c": "'), "samples", 100, "x")
    assert (split.rest, split.spans, split.complete) == (b'{"a": 1, "samples": []}', [(21, 29)], False)


def test_what_is_outside_has_a_limit() -> None:
    """A document that is large outside the array is refused."""
    with pytest.raises(FormatError, match="larger than 5 bytes outside 'samples'"):
        split_array(io.BytesIO(b'{"a": 1, "samples": []}'), "samples", 5, "x")


@pytest.mark.parametrize("read", [loose_json.decode, lambda data, where: loose_json.loads(data, where).value])
def test_loose_json(read: Any) -> None:
    """Bare NaN and Infinity, halves of surrogate pairs, bytes that are not UTF-8 and a byte-order mark are read."""
    value = read(b'{"a": [NaN, -Infinity, 1e999], "b": "\\ud800x"}', "x")
    assert math.isnan(value["a"][0])
    assert value["a"][1:] == [-math.inf, math.inf]
    assert value["b"] == "\\ud800x"
    assert read(b'["\xff"]', "x") == ["\ufffd"]
    assert read(b'\xef\xbb\xbf{"a": 1}', "x") == {"a": 1}
    assert read(b'["\\ud83d\\ude00"]', "x") == ["😀"]


@pytest.mark.parametrize(
    ("data", "message"),
    [(b"{", "not readable JSON"), (b"", "not readable"), (b"[" * 200_000, "nested too deeply")],
)
def test_what_is_no_json(data: bytes, message: str) -> None:
    """What is no JSON even so is refused, and the place is named."""
    with pytest.raises(FormatError, match=message) as caught:
        loose_json.decode(data, "file.json")
    assert caught.value.where == "file.json"
