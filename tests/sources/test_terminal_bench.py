"""Runs of Terminal-Bench's first harness."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from measurand.errors import ConflictError, FormatError, UsageError
from measurand.model.merge import merge_trials
from measurand.sources.terminal_bench.source import TerminalBenchSource

if TYPE_CHECKING:
    from pathlib import Path

    from tests.sources.conftest import ReadSource, Survives, TracesOf

SOURCE = TerminalBenchSource()


def record(task: str = "hello", run: str = "run-1", *, number: int = 1, **more: Any) -> dict[str, Any]:
    """A trial as the newer layout has it."""
    name = f"{task}.{number}-of-2.{run}"
    return {
        "id": f"id of {name}",
        "trial_name": name,
        "task_id": task,
        "instruction": "do it",
        "is_resolved": True,
        "failure_mode": "unset",
        "parser_results": {"test_a": "passed", "test_b": "passed"},
        "recording_path": f"{run}/{task}/{name}/sessions/agent.cast",
        "total_input_tokens": 100,
        "total_output_tokens": 20,
        "trial_started_at": "2025-07-11T10:00:00+00:00",
        "trial_ended_at": "2025-07-11T10:02:00+00:00",
        "agent_started_at": "2025-07-11T10:00:10+00:00",
        "agent_ended_at": "2025-07-11T10:01:10+00:00",
    } | more


def old_record(task: str = "hello") -> dict[str, Any]:
    """A trial as the older layout has it: no times, and ``uuid``."""
    return {
        "trial_name": f"{task}.1-of-5",
        "task_id": task,
        "is_resolved": True,
        "failure_mode": "unset",
        "parser_results": {"test_a": "passed"},
        "total_input_tokens": 14,
        "total_output_tokens": 3,
        "uuid": "u",
        "recording_path": f"2025-09-01/{task}/{task}.1-of-5/sessions/agent.cast",
    }


def write(path: Path, content: Any) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content if isinstance(content, bytes) else json.dumps(content).encode())
    return path


def trial(run: Path, value: Any, folder: str | None = None) -> Path:
    """Write the folder of a trial."""
    place = run / (folder or f"{value['task_id']}/{value['trial_name']}")
    write(place / "results.json", value)
    return place


def run(folder: Path, *records: dict[str, Any], metadata: bool = True, **stated: Any) -> Path:
    """Write the files of a run."""
    write(folder / "results.json", {"id": "r", "results": records} | stated)
    if metadata:
        write(
            folder / "run_metadata.json",
            {
                "run_id": folder.name,
                "dataset_name": "terminal-bench-core",
                "dataset_version": "0.1.1",
                "agent_name": "kite",
                "model_name": "sky/big-1",
                "n_attempts": 1,
                "task_ids": None,
            },
        )
        write(
            folder / "tb.lock",
            {"harness": {"version": "0.2.12"}, "run_config": {"global_timeout_multiplier": 1.0}},
        )
    return folder


def test_fields(tmp_path: Path, read_source: ReadSource) -> None:
    """A record with the files of its run: where each field comes from."""
    row = read_source(SOURCE, run(tmp_path / "run-1", record())).frame.row(0, named=True)
    wanted = {
        "suite": "terminal-bench-core",
        "suite_version": "0.1.1",
        "task": "hello",
        "agent": "sky/big-1 (kite)",
        "model_requested": "sky/big-1",
        "trial": "hello.1-of-2.run-1",
        "job": "run-1",
        "outcome": "completed",
        "reason": None,
        "verdict": "pass",
        "verdicts": [{"name": "official", "passed": True}],
        "official_score": 1.0,
        "input_tokens": 100,
        "cached_tokens": None,
        "output_tokens": 20,
        "cost_usd": None,
        "wall_s": 120.0,
        "working_s": 60.0,
        "environment_digest": None,
        "harness": "terminal-bench",
        "harness_version": "0.2.12",
        "source": "terminal_bench",
        "source_ref": "results.json: results[0]",
    }
    assert {name: row[name] for name in wanted} == wanted
    assert str(row["started_at"]) == "2025-07-11 10:00:00+00:00"


@pytest.mark.parametrize(
    ("mode", "resolved", "wanted"),
    [
        ("unset", True, ("completed", None, "pass", 1.0)),
        ("none", False, ("completed", None, "fail", 0.0)),
        ("unset", None, ("grader_error", "is_resolved is null", None, 0.0)),
        ("agent_timeout", True, ("agent_timeout", "agent_timeout", "pass", 1.0)),
        ("agent_timeout", False, ("agent_timeout", "agent_timeout", "fail", 0.0)),
        ("agent_timeout", None, ("agent_timeout", "agent_timeout", "fail", 0.0)),
        ("unknown_agent_error", None, ("agent_error", "unknown_agent_error", "fail", 0.0)),
        ("fatal_llm_parse_error", False, ("agent_error", "fatal_llm_parse_error", "fail", 0.0)),
        ("context_length_exceeded", True, ("limit", "context_length_exceeded", "pass", 1.0)),
        ("output_length_exceeded", False, ("limit", "output_length_exceeded", "fail", 0.0)),
        ("agent_installation_failed", False, ("infra_error", "agent_installation_failed", None, 0.0)),
        ("test_timeout", None, ("grader_error", "test_timeout", None, 0.0)),
        ("parse_error", None, ("grader_error", "parse_error", None, 0.0)),
        ("odd", True, ("completed", "odd", "pass", 1.0)),
        ("odd", None, ("grader_error", "odd", None, 0.0)),
        ("unset", "true", ("completed", None, "pass", 1.0)),
    ],
)
def test_failure_modes(
    tmp_path: Path, read_source: ReadSource, mode: str, resolved: Any, wanted: tuple[Any, ...]
) -> None:
    """A failure mode is an outcome; a pass in spite of it stays a pass; officially null is not resolved."""
    run(tmp_path, record(failure_mode=mode, is_resolved=resolved, parser_results=None))
    table = read_source(SOURCE, tmp_path)
    assert table.rows("outcome", "reason", "verdict", "official_score") == [wanted]
    assert table.frame["verdicts"][0].to_list() == [{"name": "official", "passed": wanted[3] == 1.0}]


def test_outcome_of_the_user(tmp_path: Path, read_source: ReadSource) -> None:
    """The user may say what a failure mode means."""
    run(tmp_path, record(failure_mode="parse_error", is_resolved=None))
    table = read_source(SOURCE, tmp_path, outcomes={"parse_error": "invalid_output"})
    assert table.rows("outcome", "verdict") == [("invalid_output", "fail")]
    with pytest.raises(UsageError, match="not a valid Outcome"):
        read_source(SOURCE, tmp_path, outcomes={"parse_error": "bad"})
    with pytest.raises(UsageError, match="has no use for --map"):
        read_source(SOURCE, tmp_path, mapping={"task": "x"})


def test_resolved_without_tests(tmp_path: Path, read_source: ReadSource) -> None:
    """No test at all resolves a task by the harness's rule; it is no verdict. A failed test beside it is noted."""
    run(tmp_path, record(parser_results={}), record("bye", parser_results={"test_a": "failed"}))
    table = read_source(SOURCE, tmp_path)
    assert table.rows("task", "outcome", "reason", "verdict", "official_score") == [
        ("hello", "grader_error", "resolved without any test", None, 1.0),
        ("bye", "completed", None, "pass", 1.0),
    ]
    assert table.places("resolved, though a test did not pass; the former holds") == (
        "results.json: results[1]",
    )


@pytest.mark.parametrize(
    ("more", "wanted"),
    [
        ({"total_input_tokens": 0, "total_output_tokens": 0}, (None, None, 120.0)),
        ({"total_input_tokens": "7", "total_output_tokens": -1}, (7, None, 120.0)),
        ({"total_input_tokens": 10**40, "total_output_tokens": 1.5}, (None, None, 120.0)),
        ({"trial_ended_at": "2025-07-11T09:00:00Z"}, (100, 20, None)),
        ({"trial_ended_at": "soon"}, (100, 20, None)),
    ],
)
def test_doubtful_numbers(
    tmp_path: Path, read_source: ReadSource, more: dict[str, Any], wanted: tuple[Any, ...]
) -> None:
    """0 tokens mean that the agent reports none; a clock that went back gives no time."""
    run(tmp_path, record(**more))
    assert read_source(SOURCE, tmp_path).rows("input_tokens", "output_tokens", "wall_s") == [wanted]


def test_one_trial_in_two_files(tmp_path: Path, read_source: ReadSource) -> None:
    """The run's file and the trial's own say the same: one record. If they differ, both are kept, a conflict."""
    folder = run(tmp_path / "run-1", record(), record("bye"))
    trial(folder, record())
    trial(folder, record("bye") | {"is_resolved": False})
    table = read_source(SOURCE, folder)
    assert table.log.rows_read == 3
    assert table.rows("task", "source_ref") == [
        ("bye", "results.json: results[1]"),
        ("bye", "bye/bye.1-of-2.run-1/results.json"),
        ("hello", "hello/hello.1-of-2.run-1/results.json"),
    ]
    with pytest.raises(ConflictError, match="task 'bye'"):
        merge_trials(table.frame)


def test_a_run_copied_into_another(tmp_path: Path, read_source: ReadSource) -> None:
    """Case 11: a nested copy has the same trials, by run and name; each counts once."""
    outer = tmp_path / "20250825_kite" / "run-1"
    trial(outer, record())
    trial(outer, record("bye", is_resolved=False))
    trial(outer / "run-0", record(run="run-0"))
    trial(tmp_path / "20250825_kite" / "run-0", record(run="run-0"))
    table = read_source(SOURCE, tmp_path)
    merged = merge_trials(table.frame)
    assert (table.log.rows_read, merged.frame.height, merged.duplicates) == (4, 3, 1)
    assert merged.frame.select("agent").unique().rows() == [("20250825_kite",)]
    assert sorted(merged.frame["job"]) == ["run-0", "run-1", "run-1"]


def test_counted_and_planned_trials(tmp_path: Path, read_source: ReadSource) -> None:
    """Tasks that the run lists without a record, and those it planned, have their trials too."""
    folder = run(
        tmp_path,
        record(),
        record("odd", is_resolved=None, failure_mode="parse_error"),
        resolved_ids=["hello", "lost", "lost"],
        unresolved_ids=["odd", "failed"],
        accuracy=0.6,
        n_resolved=3,
        pass_at_k={"2": 0.5, "4": None},
    )
    metadata = json.loads((folder / "run_metadata.json").read_bytes())
    write(
        folder / "run_metadata.json",
        metadata | {"task_ids": ["hello", "odd", "lost", "failed", "never"], "n_attempts": 2},
    )
    table = read_source(SOURCE, tmp_path)
    assert table.rows("task", "outcome", "verdict", "official_score") == [
        ("hello", "completed", "pass", 1.0),
        ("odd", "grader_error", None, 0.0),
        ("lost", "completed", "pass", 1.0),
        ("lost", "completed", "pass", 1.0),
        ("failed", "completed", "fail", 0.0),
        ("hello", "missing", None, 0.0),
        ("odd", "missing", None, 0.0),
        ("failed", "missing", None, 0.0),
        ("never", "missing", None, 0.0),
        ("never", "missing", None, 0.0),
    ]
    assert table.log.rows_read == 10
    assert table.frame.select("agent_digest", "job", "harness_version", "suite_version").n_unique() == 2
    assert table.notes() == {"in resolved_ids, without a record": 2, "in unresolved_ids, without a record": 1}
    (declared,) = table.log.declarations
    assert (declared.suite, declared.suite_version, declared.tasks, declared.trials) == (
        "terminal-bench-core",
        "0.1.1",
        5,
        2,
    )
    assert [(one.name, one.value, one.unit) for one in SOURCE.stated(tmp_path)] == [
        ("accuracy", 0.6, "share"),
        ("n_resolved", 3.0, ""),
        ("pass@2", 0.5, "share"),
    ]


@pytest.mark.parametrize(
    ("place", "wanted"),
    [
        ("20250711_kite_big/run-1", ("20250711_kite_big", "terminal-bench", None)),
        ("terminal-bench-core@0.1.1/kite/run-1", ("run-1", "terminal-bench-core", "0.1.1")),
        ("terminal-bench-core:0.1.1/20250711_kite/run-1", ("20250711_kite", "terminal-bench-core", "0.1.1")),
        ("mine", ("mine", "terminal-bench", None)),
    ],
)
def test_names_of_folders(
    tmp_path: Path, read_source: ReadSource, place: str, wanted: tuple[Any, ...]
) -> None:
    """Without files of a run, folders name agent and data set."""
    trial(tmp_path / place, record())
    assert read_source(SOURCE, tmp_path).rows("agent", "suite", "suite_version") == [wanted]


def test_suite_of_the_user(tmp_path: Path, read_source: ReadSource) -> None:
    """Where the data do not say it, the user names the data set and its version; the data win."""
    run(tmp_path / "a", record())
    trial(tmp_path / "b", record(run="b"))
    table = read_source(SOURCE, tmp_path, suite="terminal-bench-core@0.1.1")
    assert table.frame.select("suite", "suite_version").unique().rows() == [("terminal-bench-core", "0.1.1")]
    other = read_source(SOURCE, tmp_path, suite="other")
    assert set(other.frame["suite"]) == {"terminal-bench-core", "other"}
    assert other.places("the data say terminal-bench-core: --suite other is not used") == ("a/results.json",)
    untold = read_source(SOURCE, tmp_path)
    assert untold.places("the data do not say which data set: give it with --suite NAME@VERSION") == ("b",)


def test_time_limits_of_the_run(tmp_path: Path, read_source: ReadSource) -> None:
    """Case 09: limits other than the tasks' own are part of the environment, so that they are not ranked together."""
    for name, factor in (("a", 1.0), ("b", 2.0)):
        folder = run(tmp_path / name, record(run=name))
        write(folder / "tb.lock", {"run_config": {"global_timeout_multiplier": factor}})
    one, other = read_source(SOURCE, tmp_path).frame["environment_digest"]
    assert one is None
    assert other is not None


def test_settings_of_the_agent(tmp_path: Path, read_source: ReadSource) -> None:
    """Arguments of the agent make another agent; those that the harness always passes do not."""
    for name, passed in (("a", None), ("b", {"no_rebuild": False}), ("c", {"parser": "xml"})):
        folder = run(tmp_path / name, record(run=name))
        metadata = json.loads((folder / "run_metadata.json").read_bytes())
        write(folder / "run_metadata.json", metadata | {"agent_kwargs": passed})
    digests = read_source(SOURCE, tmp_path).frame["agent_digest"].to_list()
    assert digests[0] == digests[1] != digests[2]


def test_several_files_of_results(tmp_path: Path, read_source: ReadSource) -> None:
    """Each file of results in a submission's folder is a run; the older layout has neither times nor a run's name."""
    folder = tmp_path / "20250829_kite"
    for day in (25, 26):
        write(folder / f"2025-08-{day}__results.json", {"results": [record(run=f"2025-08-{day}")]})
    trial(folder / "2025-09-01", old_record())
    table = read_source(SOURCE, folder)
    assert table.rows("agent", "job", "wall_s", "input_tokens") == [
        ("20250829_kite", "2025-08-25", 120.0, 100),
        ("20250829_kite", "2025-08-26", 120.0, 100),
        ("20250829_kite", "2025-09-01", None, 14),
    ]


def test_single_files(tmp_path: Path, read_source: ReadSource) -> None:
    """The results of a run or of a trial may be given alone."""
    folder = run(tmp_path / "run-1", record(), record("bye"))
    alone = trial(tmp_path / "x", old_record())
    assert read_source(SOURCE, folder / "results.json").rows("task", "agent") == [
        ("hello", "sky/big-1 (kite)"),
        ("bye", "sky/big-1 (kite)"),
    ]
    for path in (alone, alone / "results.json"):
        assert read_source(SOURCE, path).rows("task", "agent", "job") == [("hello", "agent", "2025-09-01")]


def test_damaged_records(tmp_path: Path, read_source: ReadSource) -> None:
    """What cannot be read is dropped with its reason, metadata are noted; the rest is kept."""
    whole: list[Any] = [record(), {"is_resolved": True}, 3]
    run(tmp_path / "a", *whole)
    cut = json.dumps(record(run="b")).encode()[:-40]
    trial(tmp_path / "b", record(run="b"))
    write(tmp_path / "b/bye/bye.1-of-2.b/results.json", cut)
    write(tmp_path / "b/run_metadata.json", b"{")
    write(tmp_path / "c/results.json", json.dumps({"results": [record(run="c")]}).encode()[:-9])
    table = read_source(SOURCE, tmp_path)
    assert table.frame.height == 2
    assert table.log.rows_read == 6
    dropped = {what.partition(": not readable")[0]: count for what, count in table.notes("dropped").items()}
    assert dropped["record without a task_id"] == 2
    assert sum(dropped.values()) == 4
    assert dropped["results.json"] == 1
    assert any(what.startswith("run_metadata.json: not readable JSON") for what in table.notes("note"))


def test_links(tmp_path: Path, read_source: ReadSource, traces_of: TracesOf) -> None:
    """Nothing outside of the folder is read, by whatever link."""
    outside = trial(tmp_path / "outside", record(run="secret"))
    cast(outside / "sessions/agent.cast")
    inside = tmp_path / "inside"
    own = trial(inside, record())
    (own / "sessions").symlink_to(outside / "sessions")
    (inside / "leak").symlink_to(outside)
    (inside / "loop").symlink_to(inside)
    (inside / "bye").mkdir()
    (inside / "bye/results.json").symlink_to(outside / "results.json")
    (inside / "run_metadata.json").symlink_to(outside / "results.json")
    table = read_source(SOURCE, inside)
    assert table.rows("job") == [("run-1",)]
    assert table.notes("dropped") == {"link that leaves the folder: not followed": 3}
    assert table.log.rows_read == 4
    assert traces_of(SOURCE, inside) == []


def cast(
    path: Path, *lines: bytes, header: str = '{"version": 2, "width": 80, "timestamp": 1755308656}'
) -> Path:
    usual = (b'[0.5, "o", "$ "]', b'[1.0, "i", "ls\\r"]', b'[1.5, "o", "a\\r\\n"]', b'[2, "m", "mark"]')
    return write(path, b"\n".join([header.encode(), *(lines or usual)]) + b"\n")


def test_trace(tmp_path: Path, traces_of: TracesOf, read_source: ReadSource) -> None:
    """A recording: keys are actions, what the terminal shows follows from the last of them."""
    cast(trial(tmp_path, record()) / "sessions/agent.cast")
    (trace,) = traces_of(SOURCE, tmp_path)
    assert [(event.kind, event.mono, event.cause) for event in trace] == [
        ("trial_start", None, None),
        ("note", None, None),
        ("observation", 0.5, None),
        ("action", 1.0, None),
        ("observation", 1.5, 3),
        ("note", 2.0, None),
        ("trial_end", None, None),
    ]
    assert trace[3].payload == {"tool": "terminal", "arguments": {"keys": "ls\r"}}
    assert str(trace[3].t) == "2025-08-16 01:44:17+00:00"
    assert trace[-1].payload["tests"] == {"test_a": "passed", "test_b": "passed"}
    assert read_source(SOURCE, tmp_path).frame["trace_digest"].to_list() == [None]


def test_trace_with_times_since_the_event_before(tmp_path: Path, traces_of: TracesOf) -> None:
    """Version 3 of the format counts from one event to the next."""
    cast(trial(tmp_path, record()) / "sessions/agent.cast", header='{"version": 3, "timestamp": 0}')
    (trace,) = traces_of(SOURCE, tmp_path)
    assert [event.mono for event in trace[2:-1]] == [0.5, 1.5, 3.0, 5.0]


@pytest.mark.parametrize("content", [b"", b"[]", b'{"version": 9}', b"\xff\x00", b"not a recording"])
def test_what_is_no_recording(tmp_path: Path, traces_of: TracesOf, content: bytes) -> None:
    """Another format, or an empty file, gives no trace."""
    write(trial(tmp_path, record()) / "sessions/agent.cast", content)
    assert traces_of(SOURCE, tmp_path) == []


def test_dirty_recording(tmp_path: Path, traces_of: TracesOf) -> None:
    """Case 12: cut lines, foreign bytes, halves of surrogate pairs, escapes and impossible times are kept as they are."""
    lines = (
        b'[0.1, "o", "caf\xe9"]',
        b'[NaN, "o", "\\ud800\\u0000\\u001b[2J"]',
        b'[1e300, "i", "x"]',
        b"",
        b'["soon", "r", "80x24"]',
        b'{"a": 1}',
        b'[1, "o", "cut',
    )
    cast(trial(tmp_path, record()) / "sessions/agent.cast", *lines)
    (trace,) = traces_of(SOURCE, tmp_path)
    assert [(event.kind, event.payload.get("what")) for event in trace[2:-1]] == [
        ("observation", None),
        ("observation", None),
        ("action", None),
        ("note", "r"),
        ("note", "damaged line"),
        ("note", "damaged line"),
    ]
    assert trace[2].payload == {"text": "caf\ufffd", "replaced_bytes": True}
    assert trace[3].payload["text"] == "\\ud800\0\x1b[2J"
    assert trace[4].t is None


@pytest.mark.slow
def test_large_recording(tmp_path: Path) -> None:
    """Case 12: a recording of 400,000 events and a line of 20 MB is read line by line, in bounded memory."""
    path = trial(tmp_path, record()) / "sessions/agent.cast"
    path.parent.mkdir()
    with path.open("w") as file:
        file.write('{"version": 2, "timestamp": 0}\n')
        for number in range(400_000):
            file.write(f'[{number}, "{"io"[number % 2]}", "{"x" * 200}"]\n')
        file.write(f'[400000, "o", "{"x" * 20_000_000}"]\n')
    code = (
        "import sys; from pathlib import Path\n"
        "from measurand.sources.base import ImportLog, ReadOptions\n"
        "from measurand.sources.terminal_bench.source import TerminalBenchSource\n"
        "log = ImportLog('t', 't', keep_trace=lambda events: str(sum(1 for _ in events)))\n"
        "(frame,) = TerminalBenchSource().read(Path(sys.argv[1]), ReadOptions(), log)\n"
        # VmHWM is of this program alone; ru_maxrss would begin at the size of the process that started it.
        "peak = next(line.split()[1] for line in open('/proc/self/status') if line.startswith('VmHWM'))\n"
        "print(frame['trace_digest'][0], peak)"
    )
    command = [sys.executable, "-c", code, str(tmp_path)]
    done = subprocess.run(command, capture_output=True, check=True, text=True)  # noqa: S603 - our own code
    events, kilobytes = map(int, done.stdout.split())
    assert events == 400_004
    assert kilobytes < 400_000


def test_sniffing(tmp_path: Path) -> None:
    """Runs, trials, their files and folders of them are claimed; other results are not."""
    root = tmp_path / "results"
    folder = run(root / "terminal-bench-core@0.1.1/20250711_kite/run-1", record())
    one = trial(folder, record())
    for path in (root, folder.parent, folder, folder / "results.json", one, one / "results.json"):
        match = SOURCE.sniff(path)
        assert match is not None, path
        assert match.confidence >= 90
    foreign = tmp_path / "foreign"
    write(foreign / "results.json", {"results": [{"task_id": 1, "resolved": True}]})
    write(foreign / "x.json", b"\xff")
    for path in (foreign, foreign / "results.json", foreign / "x.json", tmp_path / "nowhere"):
        assert SOURCE.sniff(path) is None


def test_nothing_to_read(tmp_path: Path, read_source: ReadSource) -> None:
    """A folder or file without results of Terminal-Bench is refused."""
    write(tmp_path / "results.json", {"results": []})
    for path in (tmp_path, tmp_path / "results.json", tmp_path / "nowhere"):
        with pytest.raises(FormatError, match="no results of Terminal-Bench"):
            read_source(SOURCE, path)


@settings(max_examples=50, deadline=None)
@given(st.data())
def test_damage(survives: Survives, data: st.DataObject) -> None:
    """Whatever is damaged: an error on purpose, or a report that adds up."""
    _damage(survives, data)


@pytest.mark.slow
@settings(max_examples=1000, deadline=None)
@given(st.data())
def test_much_damage(survives: Survives, data: st.DataObject) -> None:
    """The same with many more examples."""
    _damage(survives, data)


def _damage(survives: Survives, data: st.DataObject) -> None:
    lines = b'{"version": 2, "timestamp": 5}\n[1, "i", "a"]\n[2, "o", "b"]\n'
    files = {
        "results.json": {
            "results": [record(), record("bye", is_resolved=None, failure_mode="parse_error")],
            "resolved_ids": ["hello", "lost"],
            "unresolved_ids": ["bye"],
            "accuracy": 0.5,
            "pass_at_k": {"2": 1.0},
        },
        "run_metadata.json": {
            "run_id": "r",
            "task_ids": ["hello", "more"],
            "n_attempts": 2,
            "agent_kwargs": {},
        },
        "tb.lock": {"harness": {"version": "1"}, "agent": {"name": "kite"}, "run_config": {}},
        "hello/a/results.json": record(number=2),
    }
    contents = {name: json.dumps(value).encode() for name, value in files.items()}
    survives(SOURCE, contents | {"hello/a/sessions/agent.cast": lines}, data)


def test_real_samples(shared: Path, read_source: ReadSource, traces_of: TracesOf) -> None:
    """Real runs: outcomes, what the runs state of themselves, tokens and times, and a recording."""
    path = shared / "samples/terminal_bench"
    table = read_source(SOURCE, path)
    assert table.log.rows_read == table.frame.height == 162
    assert table.notes("dropped") == table.notes("unknown") == {}
    recorded = table.frame.filter(~pl.col("reason").str.contains("without a record").fill_null(value=False))
    assert recorded.group_by("outcome", "reason", "verdict").len().sort(
        "outcome", "reason", "verdict"
    ).rows() == [
        ("completed", None, "fail", 3),
        ("completed", None, "pass", 8),
        ("grader_error", "parse_error", None, 1),
        ("grader_error", "test_timeout", None, 1),
    ]
    official = table.frame.group_by("agent").agg(pl.col("official_score").sum(), pl.len().alias("trials"))
    assert sorted(official.rows()) == [
        ("20250711_openhands_claude-4-sonnet", 32.0, 80),
        ("20250829_goose_claude-4-sonnet", 32.0, 80),
        ("20250902_orchestrator_claude-4-sonnet", 1.0, 1),
        ("swe-agent-mini_trial", 0.0, 1),
    ]
    stated = {(one.agent, one.name): one.value for one in SOURCE.stated(path)}
    assert stated == {
        (agent, name): value
        for agent in ("20250711_openhands_claude-4-sonnet", "20250829_goose_claude-4-sonnet")
        for name, value in (("accuracy", 0.4), ("n_resolved", 32.0), ("n_unresolved", 48.0))
    }
    orchestrator = table.frame.filter(pl.col("agent").str.contains("orchestrator"))
    assert orchestrator.select("input_tokens", "output_tokens", "wall_s").rows() == [(14094, 1133, None)]
    (trace,) = traces_of(SOURCE, path)
    kinds = [event.kind for event in trace]
    assert (len(trace), kinds.count("action"), kinds.count("observation")) == (193, 5, 185)


def test_published_trials(shared: Path, tmp_path: Path, read_source: ReadSource) -> None:
    """All 5,280 trials of the first leaderboard, in its tree: verdicts, failure modes and a nested copy."""
    path = shared / "data/terminal_bench_core/trials.parquet"
    if not path.is_file():
        pytest.skip(f"../shared is absent: {path}")
    rows = pl.read_parquet(path).with_columns(pl.col(pl.Categorical).cast(pl.String))
    for (submission, name, copy), trials in rows.partition_by(
        "submission", "run", "is_duplicate", as_dict=True
    ).items():
        records = [
            {
                "trial_name": f"{row['task']}.{row['trial'] if trials.height == 400 else 1}",
                "task_id": row["task"],
                "is_resolved": row["passed"] if row["graded"] else None,
                "failure_mode": row["failure_mode"],
                "recording_path": f"{name.rpartition('/')[2]}/x",
            }
            for row in trials.iter_rows(named=True)
        ]
        folder = tmp_path / "terminal-bench-core@0.1.1" / submission / name
        write((folder / "copy" if copy else folder) / "results.json", {"results": records})
    table = read_source(SOURCE, tmp_path)
    assert table.log.rows_read == table.frame.height == 5280
    merged = merge_trials(table.frame).frame
    assert merged.height == 5280 - rows.filter("is_duplicate").height == 5200
    modes = table.frame.group_by("outcome", "verdict").len().sort("outcome", "verdict").rows()
    assert modes == [
        ("agent_error", "fail", 110),
        ("agent_timeout", "fail", 1136),
        ("agent_timeout", "pass", 379),
        ("completed", "fail", 1576),
        ("completed", "pass", 1752),
        ("grader_error", None, 323),
        ("infra_error", None, 4),
    ]
    assert table.frame["official_score"].sum() == rows["passed"].sum()
    assert set(merged.select("suite", "suite_version").rows()) == {("terminal-bench-core", "0.1.1")}
