"""Reports and logs of SWE-bench's harness."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec
import pytest

from measurand.errors import FormatError, ValueRangeError
from measurand.model.merge import merge_trials
from measurand.sources.swebench.source import SwebenchSource

if TYPE_CHECKING:
    from pathlib import Path

    from tests.sources.conftest import Read


def write(path: Path, content: Any) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content if isinstance(content, bytes) else msgspec.json.encode(content))
    return path


def report(path: Path, **lists: Any) -> Path:
    return write(path, {"total_instances": 4, "schema_version": 2, "resolved_ids": []} | lists)


def instance(path: Path, name: str, **flags: bool) -> Path:
    entry = {
        "patch_is_None": False,
        "patch_exists": True,
        "patch_successfully_applied": True,
        "resolved": False,
    }
    return write(path / name / "report.json", {name: entry | flags})


def test_report_of_the_harness(tmp_path: Path, read_swebench: Read) -> None:
    """A report names model and run; each of its lists says how a trial ended."""
    words = {
        "resolved_ids": ("completed", None, "pass", True),
        "unresolved_ids": ("completed", "not resolved", "fail", False),
        "empty_patch_ids": ("no_output", "empty_patch_ids", "fail", False),
        "error_ids": ("grader_error", "error_ids", None, False),
        "failed_ids": ("grader_error", "failed_ids", None, False),
        "pending_ids": ("missing", "pending_ids", None, False),
        "incomplete_ids": ("no_output", "not submitted", "fail", False),
        "submitted_ids": ("missing", "submitted, not evaluated", None, False),
    }
    path = report(
        tmp_path / "acme__gpt-4.1.run7.json",
        completed_ids=["resolved_ids", "error_ids"],
        **{w: [w] for w in words},
    )
    table = read_swebench(path, suite="swebench_lite")
    assert set(table.rows("suite", "agent", "job")) == {("swebench_lite", "acme__gpt-4.1", "run7")}
    got = {
        row["task"]: (row["outcome"], row["reason"], row["verdict"], row["verdicts"][0]["passed"])
        for row in table.frame.iter_rows(named=True)
    }
    assert got == words
    assert table.log.declarations[0].tasks == 4


def test_folder_of_reports(tmp_path: Path, read_swebench: Read) -> None:
    """Reports in a folder are jobs of their own; what another report names is not added to them."""
    report(tmp_path / "kite.one.json", resolved_ids=["a"], unresolved_ids=["b"])
    report(tmp_path / "kite.two.json", resolved_ids=["b"], total_instances=1)
    write(tmp_path / "preds.json", {"a": {"model_patch": ""}})
    table = read_swebench(tmp_path)
    assert table.rows("agent", "job", "task", "verdict") == [
        ("kite", "one", "a", "pass"),
        ("kite", "one", "b", "fail"),
        ("kite", "two", "b", "pass"),
    ]
    assert table.log.declarations[0].tasks is None
    assert {
        "JSON file that is no report: not read",
        "reports of different total_instances in one suite",
    } <= table.notes().keys()


@pytest.mark.parametrize(
    ("name", "suite", "agent"),
    [
        ("swe-bench_lite__dev__mine.json", "swebench_lite_dev", "mine"),
        ("swe-bench_verified__test__my__run.json", "swebench_verified", "my__run"),
        ("swe-bench__test__mine.json", "swebench_test", "mine"),
        ("nodot.json", "swebench", "nodot"),
    ],
)
def test_names_of_reports(tmp_path: Path, read_swebench: Read, name: str, suite: str, agent: str) -> None:
    """The file name of sb-cli says subset, split and run; a name without a run is the agent's."""
    assert read_swebench(report(tmp_path / name, resolved_ids=["a"])).rows("suite", "agent") == [
        (suite, agent)
    ]


def test_logs_of_the_harness(tmp_path: Path, read_swebench: Read) -> None:
    """The report of each instance says how its trial ended; a log without a report says why there is none."""
    model = tmp_path / "logs/run_evaluation/run7/acme__gpt"
    instance(model, "a", resolved=True)
    instance(model, "b")
    instance(model, "c", patch_is_None=True)
    instance(model, "d", patch_exists=False)
    instance(model, "e", patch_successfully_applied=False)
    write(model / "f/run_instance.log", b"... >>>>> Patch Apply Failed:\n")
    write(model / "g/run_instance.log", b"docker went away\n")
    assert SwebenchSource().sniff(tmp_path) is not None
    table = read_swebench(tmp_path)
    assert set(table.rows("agent", "job")) == {("acme__gpt", "run7")}
    assert table.rows("task", "outcome", "verdict") == [
        ("a", "completed", "pass"),
        ("b", "completed", "fail"),
        ("c", "no_output", "fail"),
        ("d", "no_output", "fail"),
        ("e", "invalid_output", "fail"),
        ("f", "invalid_output", "fail"),
        ("g", "grader_error", None),
    ]
    assert not table.log.declarations[0].absent_is_fail


def test_summary_and_logs_of_one_run_unite(tmp_path: Path, read_swebench: Read) -> None:
    """Summary and logs of one run are one submission; the more telling of two agreeing records holds."""
    model = tmp_path / "logs/run_evaluation/run7/kite"
    instance(model, "a", resolved=True)
    write(model / "b/run_instance.log", b">>>>> Patch Apply Failed")
    report(tmp_path / "kite.run7.json", resolved_ids=["a"], error_ids=["b"], incomplete_ids=["c"])
    frame = read_swebench(tmp_path).frame
    assert frame.select("task", "outcome").rows() == [
        ("a", "completed"),
        ("b", "invalid_output"),
        ("c", "no_output"),
    ]
    assert merge_trials(frame).conflicts == ()


@pytest.mark.parametrize(
    "content", [b"[1]", b'{"a": 1}', b'{"a": {"patch_successfully_applied": 1, "resolved": 1}}']
)
def test_broken_report_of_an_instance(tmp_path: Path, read_swebench: Read, content: bytes) -> None:
    """A broken report of an instance is refused, and named."""
    write(tmp_path / "run/kite/a/report.json", content)
    with pytest.raises((FormatError, ValueRangeError), match=r"run/kite/a/report\.json"):
        read_swebench(tmp_path)


def test_foreign_paths_are_not_claimed(tmp_path: Path) -> None:
    """Other JSON files, results of other tools, empty and absent folders are left to other sources."""
    source = SwebenchSource()
    others = [
        write(tmp_path / "a/results.json", {"resolved_ids": ["x"], "unresolved_ids": [], "n_resolved": 1}),
        write(tmp_path / "b/results/results.json", {"accuracy": 1}),
        write(tmp_path / "c/report.json", {"resolved": True}),
        write(tmp_path / "d/t.csv", b"resolved_ids,total_instances\n"),
    ]
    for path in [*others, *(other.parent for other in others), tmp_path, tmp_path / "nowhere"]:
        assert source.sniff(path) is None, path
