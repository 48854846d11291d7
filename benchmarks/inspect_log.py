"""How fast a large log of Inspect AI is read, traces off and on, and how much memory that needs.

Run: ``python benchmarks/inspect_log.py --peer PYTHON``, where PYTHON is an interpreter with inspect-ai: it is timed with
``read_eval_log`` on the same files. Each reading has a process of its own; its time leaves out the loading of packages, its
peak memory does not. Ratios are of processor time, which other load on the machine does not change. Exit code 1 when a
limit is broken.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import struct
import subprocess
import sys
import tempfile
import zlib
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

SAMPLES, TURNS = 500, 15
"""A sample is about 0.48 MB of JSON, the whole log about 240 MB."""
WORDS = ("value", "first", "second", "return", "module", "index", "error", "parse", "count", "shape", "total")
MOST_MEGABYTES = 150.0
LEAST_RATIO, LEAST_RATIO_WITH_TRACES = 5.0, 2.0
ZSTD = 93
THEIRS = "inspect_ai.log.read_eval_log"
OURS = """
import sys, time
from pathlib import Path
import polars, zstandard
from measurand.load import import_into, read
from measurand.model.trace import chain
from measurand.sources import registry
from measurand.sources.base import ImportLog, ReadOptions

def keep(drafts):
    for event in chain(drafts):
        last = event.hash
    return last

path, way, store = Path(sys.argv[1]), sys.argv[2], sys.argv[3]
source = registry.get("inspect")
started, processor = time.perf_counter(), time.process_time()
if way == "store":
    count = import_into(store, path, traces=True).rows_kept
elif way == "traces":
    log = ImportLog("inspect", str(path), keep_trace=keep)
    count = sum(frame.height for frame in source.read(path, ReadOptions(), log))
else:
    count = len(read(path))
print(time.perf_counter() - started, time.process_time() - processor, count)
"""
PEER = """
import sys, time
from inspect_ai.log import read_eval_log
started, processor = time.perf_counter(), time.process_time()
log = read_eval_log(sys.argv[1])
print(time.perf_counter() - started, time.process_time() - processor, len(log.samples))
"""


class Usage(NamedTuple):
    """What one reading needed."""

    seconds: float
    processor_seconds: float
    megabytes: float


class Case(NamedTuple):
    """One reading to measure."""

    name: str
    command: Callable[[], tuple[str, ...]]
    least_ratio: float | None = None
    """How many times faster than the peer it has to be."""
    most_megabytes: float | None = None


def message(number: int, role: str, text: str, **more: Any) -> dict[str, Any]:
    """Return a message of a conversation."""
    return {"id": f"msg{number:019}", "content": text, "role": role} | more


def event(number: int, kind: str, **more: Any) -> dict[str, Any]:
    """Return an event with what all events have."""
    seconds = f"{number // 60 % 60:02}:{number % 60:02}.{number:06}"
    head = {
        "uuid": f"event{number:017}",
        "span_id": "span-agent",
        "timestamp": f"2026-01-05T09:{seconds}+00:00",
    }
    return head | {"working_start": number / 7, "event": kind} | more


def tools() -> list[dict[str, Any]]:
    """Return the tools that each call of the model names."""
    described = {"type": "string", "description": "what the tool is to do, in one or two sentences"}
    parameters = {"type": "object", "properties": dict.fromkeys(("command", "path", "text"), described)}
    return [
        {
            "name": name,
            "description": f"The tool {name}. " + "It works in the sandbox. " * 8,
            "parameters": parameters,
        }
        for name in ("shell", "edit", "submit")
    ]


def turn(number: int, sample: int) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Return the messages and the events of one turn: a call of the model, a tool, a sandbox command."""
    call, first = f"call_{sample}_{number}", number * 10
    said = f"Turn {number}: the last output names module {sample % 17}; look at line {number * 31}. " * 4
    rng = random.Random(1000 * sample + number)  # noqa: S311 - filler text
    output = "\n".join(f"{rng.getrandbits(40):x}: {' '.join(rng.choices(WORDS, k=6))}" for _ in range(70))
    request = {
        "id": call,
        "function": "shell",
        "arguments": {"command": f"sed -n {number}p a.py"},
        "type": "function",
    }
    answer = message(first, "assistant", said, source="generate", tool_calls=[request])
    result = message(first + 1, "tool", output, tool_call_id=call, function="shell")
    usage = {"input_tokens": 900, "output_tokens": 80, "total_tokens": 1480, "input_tokens_cache_read": 500}
    usage_cost = usage | {"total_cost": 0.0041}
    choice = {"message": answer, "stop_reason": "tool_calls"}
    completed = {"completed": f"2026-01-05T10:00:{number:02}.5+00:00", "working_time": 0.25}
    events = [
        event(
            first,
            "model",
            model="local/model",
            input=[],
            input_refs=[[0, 2 * number + 1]],
            tools=tools(),
            tool_choice="auto",
            config={"temperature": 0.5},
            output={
                "model": "model-2026",
                "choices": [choice],
                "completion": said,
                "usage": usage_cost,
                "time": 0.2,
            },
            call={"request": {"model": "model"}, "response": {"content": said}, "call_refs": [[0, 1]]},
            **completed,
        ),
        event(first + 1, "span_begin", id=f"span-{call}", parent_id="span-agent", type="tool", name="shell"),
        event(
            first + 2,
            "tool",
            type="function",
            id=call,
            function="shell",
            arguments=request["arguments"],
            result=output,
            events=[],
            message_id=result["id"],
            **completed,
        ),
        event(
            first + 3,
            "sandbox",
            action="exec",
            cmd="bash -c sed",
            options={},
            result=0,
            output=output,
            **completed,
        ),
        event(first + 4, "store", changes=[{"op": "replace", "path": "/steps", "value": number}]),
        event(first + 5, "span_end", id=f"span-{call}"),
    ]
    return [answer, result], events


def sample_document(number: int) -> dict[str, Any]:
    """Return a sample as the log of one holds it."""
    messages = [message(0, "user", f"[{number}] Repair the module.", source="input")]
    events = [
        event(0, "span_begin", id="span-agent", type="agent", name="loop"),
        event(
            1,
            "sample_init",
            sample={"input": "Repair", "target": "1", "id": number},
            state={"messages": messages},
        ),
    ]
    for index in range(TURNS):
        said, happened = turn(index, number)
        messages += said
        events += happened
    changes = [{"op": "add", "path": f"/messages/{i}", "value": said} for i, said in enumerate(messages)]
    score: dict[str, Any] = {
        "value": "C" if number % 3 else "I",
        "answer": "1",
        "explanation": "by the tests",
        "history": [],
    }
    usage = {"input_tokens": 900 * TURNS, "output_tokens": 80 * TURNS, "total_tokens": 1480 * TURNS}
    events += [
        event(998, "state", changes=changes),
        event(999, "score", score=score, target="1", intermediate=False, scorer="tests"),
    ]
    return {
        "id": f"task-{number:04}",
        "epoch": 1,
        "input": f"[{number}] Repair the module.",
        "target": "1",
        "messages": messages,
        "output": {"model": "model-2026", "choices": [{"message": messages[-2], "stop_reason": "stop"}]},
        "scores": {"tests": score},
        "metadata": {},
        "store": {"steps": TURNS},
        "events": events,
        "model_usage": {
            "local/model": usage | {"input_tokens_cache_read": 500 * TURNS, "total_cost": 0.0041 * TURNS}
        },
        "role_usage": {},
        "started_at": "2026-01-05T09:00:00+00:00",
        "completed_at": "2026-01-05T09:05:00+00:00",
        "total_time": 300.0,
        "working_time": 240.0,
        "uuid": f"sample{number:016}",
        "error_retries": [],
        "attachments": {},
        "events_data": {"messages": messages, "calls": messages},
        "turn_count": TURNS,
    }


def header() -> dict[str, Any]:
    """Return what a log says before its samples."""
    ids = [f"task-{number:04}" for number in range(SAMPLES)]
    metric = {"name": "accuracy", "value": 0.666, "params": {}}
    score = {"name": "tests", "scorer": "tests", "scored_samples": SAMPLES, "metrics": {"accuracy": metric}}
    spec = {
        "eval_id": "eval0000000000000000000",
        "run_id": "run00000000000000000000",
        "created": "2026-01-05T09:00:00+00:00",
        "task": "repairs",
        "task_id": "task0000000000000000000",
        "task_version": 1,
        "dataset": {"samples": SAMPLES, "sample_ids": ids, "shuffled": False},
        "model": "local/model",
        "model_args": {},
        "config": {"epochs": 1},
        "packages": {"inspect_ai": "0.3.285"},
    }
    stats = {"started_at": spec["created"], "completed_at": "2026-01-05T10:00:00+00:00", "model_usage": {}}
    return {
        "version": 2,
        "status": "success",
        "eval": spec,
        "plan": {"name": "plan", "steps": [{"solver": "loop", "params": {}}], "config": {}},
        "results": {"total_samples": SAMPLES, "completed_samples": SAMPLES, "scores": [score]},
        "stats": stats,
    }


def members() -> Iterator[tuple[str, bytes]]:
    """Yield the members of a log in a zip, in the order in which the samples finish."""
    start = {name: header()[name] for name in ("version", "eval", "plan")}
    yield "_journal/start.json", json.dumps(start).encode()
    summaries = []
    for number in range(SAMPLES):
        sample = sample_document(number)
        summaries.append(
            {name: sample[name] for name in ("id", "epoch", "input", "target", "scores", "uuid")}
        )
        yield f"samples/{sample['id']}_epoch_1.json", json.dumps(sample, separators=(",", ":")).encode()
    yield "summaries.json", json.dumps(summaries).encode()
    yield "header.json", json.dumps(header()).encode()


def write_zip(path: Path) -> int:
    """Write the log as a zip of Zstandard members; return the bytes of JSON in it."""
    import zstandard

    directory, total, count = b"", 0, 0
    with path.open("wb") as file:
        for name, data in members():
            packed = zstandard.ZstdCompressor().compress(data)
            fields = (ZSTD, 0, 33, zlib.crc32(data), len(packed), len(data), len(name), 0)
            entry = struct.pack("<4s6H3L5H2L", b"PK\1\2", 63, 63, 0, *fields, 0, 0, 0, 0, file.tell())
            directory += entry + name.encode()
            file.write(struct.pack("<4s5H3L2H", b"PK\3\4", 63, 0, *fields) + name.encode() + packed)
            total, count = total + len(data), count + 1
        end = (b"PK\5\6", 0, 0, count, count, len(directory), file.tell(), 0)
        file.write(directory + struct.pack("<4s4H2LH", *end))
    return total


def write_json(path: Path) -> int:
    """Write the same log as one JSON document; return its bytes."""
    with path.open("w", encoding="utf-8") as file:
        file.write(json.dumps(header(), indent=2)[:-2] + ',\n  "samples": [')
        for number in range(SAMPLES):
            file.write(",\n" if number else "\n")
            file.write(json.dumps(sample_document(number), indent=2))
        file.write("\n  ]\n}\n")
        return file.tell()


def run_once(command: tuple[str, ...]) -> Usage:
    """Run a reading in a process of its own.

    Raises:
        RuntimeError: it failed, or did not read all samples.
    """
    with tempfile.TemporaryFile("w+b") as output:
        process = subprocess.Popen(command, stdout=output, stderr=subprocess.STDOUT)
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        output.seek(0)
        text = output.read().decode(errors="replace")
    answer = text.split("\n")[-2].split() if "\n" in text else []
    if process.returncode != 0 or len(answer) != 3 or answer[2] != str(SAMPLES):
        raise RuntimeError(text)
    peak = used.ru_maxrss * (1 if sys.platform == "darwin" else 1024) / 1e6
    return Usage(float(answer[0]), float(answer[1]), peak)


def cases(log: Path, folder: Path, peer: str | None) -> list[Case]:
    """Return the readings of one log: the peer's first, since the others are set beside it."""
    ours = (sys.executable, "-c", OURS, str(log))
    stores = iter(folder / f"store-{log.suffix[1:]}-{number}" for number in range(1000))
    own = [
        Case("measurand, without traces", lambda: (*ours, "table", ""), LEAST_RATIO, MOST_MEGABYTES),
        Case("measurand, with traces, hash-chained", lambda: (*ours, "traces", ""), LEAST_RATIO_WITH_TRACES),
        Case("measurand, traces written to a store", lambda: (*ours, "store", str(next(stores)))),
    ]
    if peer is None:
        return own
    return [Case(THEIRS, lambda: (peer, "-c", PEER, str(log))), *own]


def compare(log: Path, folder: Path, peer: str | None, repeats: int) -> bool:
    """Print the table of one log, and return whether all limits are kept. The readings take turns, as does other load."""
    measured = cases(log, folder, peer)
    runs: dict[str, list[Usage]] = {case.name: [] for case in measured}
    for _ in range(repeats):
        for case in measured:
            runs[case.name].append(run_once(case.command()))
    usages = {
        name: Usage(*(median(values) for values in zip(*taken, strict=True))) for name, taken in runs.items()
    }
    beside = usages[THEIRS].processor_seconds if THEIRS in usages else None
    kept = [report(case, usages[case.name], beside) for case in measured]
    return all(kept)


def report(case: Case, usage: Usage, beside: float | None) -> bool:
    """Print the line of a reading, and return whether it is within its limits."""
    ratio = None if beside is None else beside / usage.processor_seconds
    slow = ratio is not None and case.least_ratio is not None and ratio < case.least_ratio
    large = case.most_megabytes is not None and usage.megabytes > case.most_megabytes
    limits = [f">= {case.least_ratio:g} x"] if case.least_ratio else []
    limits += [f"{case.most_megabytes:g} MB"] if case.most_megabytes else []
    verdict = f"{', '.join(limits)}: {'BROKEN' if slow or large else 'kept'}" if limits else ""
    times = "" if ratio is None else f"{ratio:.1f} x"
    print(
        f"{case.name:<38} {usage.seconds:7.2f} s {usage.processor_seconds:7.2f} s {usage.megabytes:6.0f} MB"
        f" {times:>8}  {verdict}",
        flush=True,
    )
    return not slow and not large


def main() -> int:
    """Write the logs, measure, print the tables, and return the exit code."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--peer", help="interpreter that has inspect-ai")
    parser.add_argument("--repeats", type=int, default=3, help="runs of each reading (default: 3)")
    arguments = parser.parse_args()
    kept = True
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for suffix, write in ((".eval", write_zip), (".json", write_json)):
            log = folder / f"log{suffix}"
            megabytes = write(log) / 1e6
            print(
                f"{suffix}: {SAMPLES} samples, {megabytes:.0f} MB of JSON, {log.stat().st_size / 1e6:.0f} MB on disk"
            )
            print(f"{'':<38} {'time':>9} {'processor':>9} {'peak':>9}")
            kept &= compare(log, folder, arguments.peer, arguments.repeats)
            log.unlink()
    if arguments.peer is None:
        print("no --peer: nothing to compare with")
    return int(not kept)


if __name__ == "__main__":
    sys.exit(main())
