"""Logs in the layout of Inspect AI, made here, and readers for them."""

from __future__ import annotations

import copy
import json
import struct
import zlib
from typing import TYPE_CHECKING, Any, Protocol

import pytest
import zstandard

from measurand.sources.inspect_logs.source import InspectSource

if TYPE_CHECKING:
    from pathlib import Path

    from tests.sources.conftest import Imported, Read, TracesOf

    from measurand.model.trace import Event

STORED, DEFLATED, ZSTANDARD = 0, 8, 93


class WriteZip(Protocol):
    """Writes a zip; ``lies`` replaces what it says of its members."""

    def __call__(
        self,
        path: Path,
        members: dict[str, bytes],
        *,
        method: int = ZSTANDARD,
        cut: bool = False,
        lies: dict[str, int] | None = None,
    ) -> Path: ...


class WriteLog(Protocol):
    """Writes a log: ``changes`` are merged into its header, ``spec`` into what was evaluated."""

    def __call__(self, name: str, *samples: dict[str, Any], **changes: Any) -> Path: ...


class ReadLog(Protocol):
    """Writes a log and reads it."""

    def __call__(self, *samples: dict[str, Any], name: str = "log.eval", **options: Any) -> Imported: ...


class Traces(Protocol):
    """Reads a path and gives the trace of each trial."""

    def __call__(self, path: Path) -> list[list[Event]]: ...


def packed(data: bytes, method: int) -> bytes:
    if method == ZSTANDARD:
        return zstandard.ZstdCompressor().compress(data)
    if method == DEFLATED:
        deflate = zlib.compressobj(wbits=-15)
        return deflate.compress(data) + deflate.flush()
    return data


@pytest.fixture(scope="session")
def write_zip() -> WriteZip:
    def write(
        path: Path,
        members: dict[str, bytes],
        *,
        method: int = ZSTANDARD,
        cut: bool = False,
        lies: dict[str, int] | None = None,
    ) -> Path:
        lies = lies or {}
        directory, body = b"", b""
        for name, data in members.items():
            raw, stored = name.encode(), packed(data, method)
            size, crc = lies.get("size", len(data)), lies.get("crc", zlib.crc32(data))
            fields = (lies.get("stated_method", method), 0, 33, crc, len(stored), size, len(raw), 0)
            flags, mode = lies.get("flags", 0x800), lies.get("mode", 0) << 16
            entry = struct.pack("<4s6H3L5H2L", b"PK\1\2", 63, 63, flags, *fields, 0, 0, 0, mode, len(body))
            directory += entry + raw
            body += struct.pack("<4s5H3L2H", b"PK\3\4", 63, flags, *fields) + raw + stored
        end = (b"PK\5\6", 0, 0, len(members), len(members), len(directory), len(body), 0)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(body if cut else body + directory + struct.pack("<4s4H2LH", *end))
        return path

    return write


SPEC: dict[str, Any] = {
    "eval_id": "eval-1",
    "run_id": "run-1",
    "created": "2026-01-05T09:00:00+00:00",
    "task": "repairs",
    "task_id": "task-1",
    "task_version": 2,
    "dataset": {"samples": 2, "sample_ids": ["a", "b"], "shuffled": False},
    "model": "lab/kite",
    "model_args": {},
    "config": {"epochs": 1},
    "packages": {"inspect_ai": "0.3.285"},
}
SAMPLE: dict[str, Any] = {
    "id": "a",
    "epoch": 1,
    "input": "Repair it.",
    "target": "1",
    "messages": [],
    "output": {"model": "kite-2026", "choices": [{"message": {"role": "assistant", "content": "done"}}]},
    "scores": {"tests": {"value": "C", "history": []}},
    "metadata": {},
    "store": {},
    "events": [],
    "model_usage": {
        "lab/kite": {
            "input_tokens": 10,
            "output_tokens": 5,
            "total_tokens": 40,
            "input_tokens_cache_read": 20,
            "input_tokens_cache_write": 5,
            "reasoning_tokens": 2,
            "total_cost": 0.5,
        }
    },
    "role_usage": {},
    "started_at": "2026-01-05T10:00:00+01:00",
    "completed_at": "2026-01-05T09:05:00Z",
    "total_time": 300.0,
    "working_time": 240.5,
    "uuid": "sample-1",
    "error_retries": [],
    "attachments": {},
    "turn_count": 3,
}


@pytest.fixture(scope="session")
def sample() -> Any:
    """A sample with changed fields; a field set to ``...`` is left out."""

    def make(**changes: Any) -> dict[str, Any]:
        merged = copy.deepcopy(SAMPLE) | changes
        return {name: value for name, value in merged.items() if value is not ...}

    return make


@pytest.fixture
def write_log(tmp_path: Path, write_zip: WriteZip) -> WriteLog:
    def write(name: str, *samples: dict[str, Any], **changes: Any) -> Path:
        spec = SPEC | changes.pop("spec", {})
        header = {
            "version": 2,
            "status": "success",
            "eval": spec,
            "plan": {"name": "plan", "steps": []},
        } | changes
        path = tmp_path / name
        if path.suffix == ".json":
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(json.dumps(header | {"samples": list(samples)}, indent=2))
            return path
        members = {"_journal/start.json": json.dumps(header).encode()}
        for one in samples:
            epoch = one["epoch"] if one["epoch"] in range(1, 100) else 1
            members[f"samples/{one['id']}_epoch_{epoch}.json"] = json.dumps(one).encode()
        members["summaries.json"] = json.dumps(samples).encode()
        members["header.json"] = json.dumps(header).encode()
        return write_zip(path, members)

    return write


@pytest.fixture
def read_log(write_log: WriteLog, read_inspect: Read) -> ReadLog:
    def read(*samples: dict[str, Any], name: str = "log.eval", **options: Any) -> Imported:
        return read_inspect(write_log(name, *samples), **options)

    return read


@pytest.fixture(scope="session")
def traces(traces_of: TracesOf) -> Traces:
    return lambda path: traces_of(InspectSource(), path)
