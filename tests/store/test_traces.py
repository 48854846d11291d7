"""Traces in a store."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from measurand.errors import FormatError
from measurand.model.trace import Draft
from measurand.store import Store
from measurand.store.traces import TRACES

if TYPE_CHECKING:
    from pathlib import Path

DRAFTS = [Draft("trial_start", {"task": "t"}), Draft("action", {"tool": "bash"}), Draft("trial_end", {})]


def test_a_trace_is_read_back_by_its_digest(tmp_path: Path) -> None:
    """The same events make one file, however often they are kept."""
    store = Store.open(tmp_path / "s", create=True)
    digest = store.keep_trace(DRAFTS)
    assert digest is not None
    assert store.keep_trace(iter(DRAFTS)) == digest
    assert [event.kind for event in store.trace(digest)] == ["trial_start", "action", "trial_end"]
    assert len(list((tmp_path / "s" / TRACES).iterdir())) == 1
    assert Store.open(tmp_path / "s", create=True).info().trials == 0


def test_no_event_is_no_trace(tmp_path: Path) -> None:
    assert Store.open(tmp_path / "s", create=True).keep_trace([]) is None


def test_a_trace_that_is_not_what_its_name_says_is_refused(tmp_path: Path) -> None:
    """One trace under the name of another, a cut file, a digest that is a path."""
    store = Store.open(tmp_path / "s", create=True)
    digest, other = store.keep_trace(DRAFTS), store.keep_trace(DRAFTS[:2])
    assert digest is not None
    assert other is not None
    path = {d: tmp_path / "s" / TRACES / f"{d.removeprefix('sha256:')}.jsonl.zst" for d in (digest, other)}
    path[other].replace(path[digest])
    with pytest.raises(FormatError, match="does not end in the hash"):
        store.trace(digest)
    path[digest].write_bytes(path[digest].read_bytes()[:20])
    with pytest.raises(FormatError):
        store.trace(digest)
    with pytest.raises(FormatError, match="cannot be read"):
        store.trace(other)
    with pytest.raises(FormatError, match="not the digest"):
        store.trace("sha256:../../x")
