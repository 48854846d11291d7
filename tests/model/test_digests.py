"""Digests of agents and tasks."""

from __future__ import annotations

import hashlib
import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from measurand.model.digests import agent_digest, canonical_json, task_digest

json_values = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)


@settings(deadline=None)
@given(st.dictionaries(st.text(), json_values, max_size=6))
def test_order_of_keys_does_not_matter(value: dict[str, object]) -> None:
    """Equal values give equal bytes, in whatever order their keys came."""
    turned = dict(reversed(value.items()))
    assert canonical_json(value) == canonical_json(turned)


@settings(deadline=None)
@given(json_values)
def test_canonical_json_is_json(value: object) -> None:
    """Any other JSON reader gets the same value back."""
    assert json.loads(canonical_json(value)) == value


def test_canonical_json_is_written_one_way() -> None:
    """Keys are sorted at every depth, there is no white space, and text stays UTF-8."""
    assert (
        canonical_json({"b": [1, {"z": None, "a": "é"}], "a": True})
        == '{"a":true,"b":[1,{"a":"é","z":null}]}'.encode()
    )


def test_canonical_json_refuses_what_json_cannot_hold() -> None:
    """A value that JSON cannot hold has no digest."""
    with pytest.raises(TypeError):
        canonical_json({"a": object()})


def test_digest_is_that_of_the_standard_library() -> None:
    """A digest is the SHA-256 of the canonical JSON, so that others can recompute it."""
    plain = json.dumps({"agent": "kite", "configuration": {}}, sort_keys=True, separators=(",", ":"))
    assert agent_digest("kite") == "sha256:" + hashlib.sha256(plain.encode()).hexdigest()


def test_agent_digest_depends_on_name_and_configuration() -> None:
    """Another name or another setting is another agent."""
    digests = {agent_digest("kite"), agent_digest("lark"), agent_digest("kite", {"model": "m"})}
    assert len(digests) == 3


def test_task_digest_of_bytes_is_that_of_the_file() -> None:
    """A task given as bytes has the digest that `sha256sum` prints."""
    assert task_digest(b"content") == "sha256:" + hashlib.sha256(b"content").hexdigest()
    assert task_digest({"a": 1, "b": 2}) == task_digest({"b": 2, "a": 1}) != task_digest({"a": 1})
