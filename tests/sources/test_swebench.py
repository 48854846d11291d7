"""SWE-bench's tree of submissions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec
import polars as pl
import pytest

from measurand.errors import ConflictError, FormatError, ValueRangeError
from measurand.model.merge import merge_trials
from measurand.sources.swebench.source import SwebenchSource

if TYPE_CHECKING:
    from pathlib import Path

    from tests.sources.conftest import Read

METADATA = """\
info: {name: Kite, site: https://example.org}
assets: {logs: s3://swe-bench-experiments/verified/kite/logs}
tags: {model: [gpt-a, gpt-b], org: [Sky], system: {attempts: 2+}}
"""


def write(path: Path, content: Any) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content if isinstance(content, bytes) else msgspec.json.encode(content))
    return path


def submission(folder: Path, metadata: str | None = METADATA, **lists: Any) -> Path:
    write(folder / "results/results.json", {"no_generation": [], "no_logs": [], "resolved": []} | lists)
    if metadata is not None:
        (folder / "metadata.yaml").write_text(metadata)
    return folder


def test_fields_of_a_submission(tmp_path: Path, read_swebench: Read) -> None:
    """The split names the suite, the folder the agent, the tags the models; attempts of the tags are not ours."""
    submission(tmp_path / "verified/2025_kite", resolved=["a__a-1"])
    row = read_swebench(tmp_path).frame.row(0, named=True)
    wanted = {
        "suite": "swebench_verified",
        "task": "a__a-1",
        "agent": "2025_kite",
        "model_requested": "gpt-a, gpt-b",
        "trial": "1",
        "job": None,
        "outcome": "completed",
        "verdict": "pass",
        "verdicts": [{"name": "official", "passed": True}],
        "attempts": None,
        "harness": "swebench",
        "source": "swebench",
        "source_ref": "verified/2025_kite/results/results.json: a__a-1",
    }
    assert {name: row[name] for name in wanted} == wanted


def test_lists_become_outcomes(tmp_path: Path, read_swebench: Read) -> None:
    """Each list says how a trial ended; the official verdict counts all that is not resolved as failed."""
    words = {
        "resolved": ("completed", None, "pass"),
        "no_generation": ("no_output", "no_generation", "fail"),
        "no_apply": ("invalid_output", "no_apply", "fail"),
        "no_logs": ("grader_error", "no_logs", None),
        "test_errored": ("grader_error", "test_errored", None),
        "test_timeout": ("grader_error", "test_timeout", None),
        "install_fail": ("grader_error", "install_fail", None),
        "reset_failed": ("grader_error", "reset_failed", None),
        "applied": ("completed", "not listed as resolved", "fail"),
        "with_logs": ("completed", "not listed as resolved", "fail"),
        "generated": ("completed", "not listed as resolved", "fail"),
    }
    submission(tmp_path / "lite/kite", **dict[str, Any]({word: [word] for word in words}))
    frame = read_swebench(tmp_path).frame
    assert {
        task: tuple(rest) for task, *rest in frame.select("task", "outcome", "reason", "verdict").rows()
    } == words
    official = {row["task"]: row["verdicts"][0]["passed"] for row in frame.iter_rows(named=True)}
    assert [word for word, passed in official.items() if passed] == ["resolved"]


def test_resolved_wins_over_other_lists(tmp_path: Path, read_swebench: Read) -> None:
    """An instance both resolved and without logs is resolved, and the contradiction is noted."""
    submission(tmp_path / "lite/kite", resolved=["a", "a", "b"], no_logs=["a"], generated=["b"])
    table = read_swebench(tmp_path)
    assert table.rows("task", "verdict") == [("a", "pass"), ("b", "pass")]
    assert table.log.rows_read == 2
    assert table.notes() == {
        "listed twice in resolved, counted once": 1,
        "listed as resolved and as no_logs; the former holds": 1,
    }


def test_unlisted_instances_failed(tmp_path: Path, read_swebench: Read) -> None:
    """An instance that only another submission of the split names is a fail; other splits stay apart."""
    submission(tmp_path / "verified/kite", resolved=["a"])
    submission(tmp_path / "verified/lark", resolved=["b"])
    submission(tmp_path / "lite/newt", metadata="{}", resolved=["c"])
    table = read_swebench(tmp_path)
    assert table.rows("agent", "task", "verdict", "reason") == [
        ("newt", "c", "pass", None),
        ("kite", "a", "pass", None),
        ("kite", "b", "fail", "not listed as resolved"),
        ("lark", "a", "fail", "not listed as resolved"),
        ("lark", "b", "pass", None),
    ]
    declared = [(d.suite, d.tasks, d.trials, d.absent_is_fail) for d in table.log.declarations]
    assert declared == [("swebench_lite", 300, 1, True), ("swebench_verified", 500, 1, True)]


def test_list_of_tasks(tmp_path: Path, read_swebench: Read) -> None:
    """With a list of tasks, those alone have rows: absent ones failed, foreign ones are dropped and said."""
    submission(tmp_path / "verified/kite", resolved=["a", "z"])
    tasks = tmp_path / "tasks.txt"
    tasks.write_text("a\n\nb\n")
    table = read_swebench(tmp_path / "verified", tasks=tasks)
    assert table.rows("task", "verdict") == [("a", "pass"), ("b", "fail")]
    assert table.notes("dropped") == {"instance that is not in the list of tasks": 1}
    assert table.log.declarations[0].tasks == 2


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"\n", "the list of tasks is empty"),
        (b"\xff", "no list of tasks"),
        (b"q\n", "no instance of the data"),
    ],
)
def test_list_of_tasks_that_is_none(
    tmp_path: Path, read_swebench: Read, content: bytes, message: str
) -> None:
    """An empty, undecodable or foreign list of tasks is refused."""
    submission(tmp_path / "verified/kite", resolved=["a"])
    tasks = tmp_path / "tasks.txt"
    tasks.write_bytes(content)
    with pytest.raises((FormatError, ValueRangeError), match=message):
        read_swebench(tmp_path / "verified", tasks=tasks)


def test_more_instances_than_the_split_has(tmp_path: Path, read_swebench: Read) -> None:
    """Ids beyond the known size of the split are refused, the rarest shown."""
    common = [f"a-{n}" for n in range(300)]
    submission(tmp_path / "lite/kite", metadata="{}", resolved=common)
    submission(tmp_path / "lite/lark", metadata="{}", resolved=[*common, "typo"])
    with pytest.raises(
        ValueRangeError, match="swebench_lite has 300 tasks, but 301 instances are named; rarest: typo"
    ):
        read_swebench(tmp_path)


def test_details_of_instances(tmp_path: Path, read_swebench: Read) -> None:
    """Details give verdict, cost and steps; an unknown resolution is no verdict. Bash-only's suite is Verified's."""
    details = {
        "a": {"resolved": True, "cost": 0.25, "api_calls": 14},
        "b": {"resolved": False, "cost": None, "api_calls": 3.0},
        "c": {"resolved": None},
        "d": {"resolved": False, "cost": -1},
    }
    write(tmp_path / "bash-only/mini/per_instance_details.json", details)
    table = read_swebench(tmp_path)
    assert table.rows("suite", "task", "outcome", "verdict", "cost_usd", "steps") == [
        ("swebench_verified", "a", "completed", "pass", 0.25, 14),
        ("swebench_verified", "b", "completed", "fail", None, 3),
        ("swebench_verified", "c", "grader_error", None, None, None),
        ("swebench_verified", "d", "completed", "fail", None, None),
    ]
    assert table.notes("unknown") == {"cost_usd negative or not finite": 1}


def test_results_and_details_of_one_submission_unite(tmp_path: Path, read_swebench: Read) -> None:
    """Where a submission has both files, an instance has one row with the verdict of one and the cost of the other."""
    folder = submission(tmp_path / "verified/kite", resolved=["a"])
    write(
        folder / "per_instance_details.json",
        {"a": {"resolved": True, "cost": 1}, "b": {"resolved": False, "cost": 2}},
    )
    assert read_swebench(tmp_path).rows("task", "verdict", "cost_usd") == [
        ("a", "pass", 1.0),
        ("b", "fail", 2.0),
    ]


def test_files_that_contradict_each_other(tmp_path: Path, read_swebench: Read) -> None:
    """Two files of a submission that disagree are a conflict, refused unless a policy is named."""
    folder = submission(tmp_path / "verified/kite", resolved=["a"])
    write(folder / "per_instance_details.json", {"a": {"resolved": True}, "b": {"resolved": True}})
    frame = read_swebench(tmp_path).frame
    with pytest.raises(
        ConflictError, match=r"task 'b'.*per_instance_details\.json: b and .*results\.json: b"
    ):
        merge_trials(frame)
    assert merge_trials(frame, "drop").frame["task"].to_list() == ["a"]


def test_submission_in_two_folders(tmp_path: Path, read_swebench: Read) -> None:
    """A submission that stands in two splits of the same tasks is one agent, and the log says so."""
    submission(tmp_path / "verified/kite", resolved=["a"])
    submission(tmp_path / "bash-only/kite", resolved=["a"])
    table = read_swebench(tmp_path)
    assert table.frame.height == 1
    assert table.notes() == {"submission in two folders: read as one": 1}


@pytest.mark.parametrize("start", ["", "verified", "verified/kite", "verified/kite/results/results.json"])
def test_any_level_of_the_tree(tmp_path: Path, read_swebench: Read, start: str) -> None:
    """The tree, a split, a submission or its results file may be given."""
    submission(tmp_path / "verified/kite", resolved=["a"])
    path = tmp_path / start
    assert SwebenchSource().sniff(path) is not None
    assert read_swebench(path).rows("suite", "agent", "task") == [("swebench_verified", "kite", "a")]


def test_where_the_suite_comes_from(tmp_path: Path, read_swebench: Read) -> None:
    """The split's folder names the suite, else the assets of the metadata, else the user; a folder wins over a user."""
    submission(tmp_path / "mine/kite", resolved=["a"])
    submission(tmp_path / "other/lark", metadata="{}", resolved=["a"])
    submission(tmp_path / "evaluation/pro max/newt", metadata="{}", resolved=["a"])
    assert set(read_swebench(tmp_path, suite="told").frame["suite"]) == {
        "swebench_verified",
        "told",
        "swebench_pro_max",
    }
    table = read_swebench(tmp_path)
    assert set(table.frame["suite"]) == {"swebench_verified", "swebench", "swebench_pro_max"}
    assert table.places("the data do not say which split: give it with --suite") == ("other/lark",)
    told = read_swebench(tmp_path / "mine", suite="told")
    assert told.notes() == {"the data say swebench_verified: --suite told is not used": 1}


@pytest.mark.parametrize(
    "metadata",
    [
        None,
        "tags: [",
        "- a",
        "x: !!python/object/apply:os.system ['exit 1']",
        "d: 2025-99-99",
        "a: &a [*a]",
        "x" * 2**21,
    ],
)
def test_metadata_are_optional(tmp_path: Path, read_swebench: Read, metadata: str | None) -> None:
    """Absent, broken, hostile or huge metadata leave the model unknown, and nothing else."""
    submission(tmp_path / "verified/kite", metadata=metadata, resolved=["a"])
    table = read_swebench(tmp_path)
    assert table.rows("verdict", "model_requested") == [("pass", None)]
    assert all("the model is unknown" in note or "its model is unknown" in note for note in table.notes())


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b'{"resolved": ["a"', r"verified/kite/results/results\.json: not readable JSON"),
        (b"[]", "not a JSON object"),
        (b'{"no_logs": []}', "there is no list 'resolved'"),
        (b'{"resolved": null}', "'resolved' is not a list of instance ids"),
        (b'{"resolved": {"a": 1}}', "'resolved' is not a list of instance ids"),
        (b'{"resolved": ["a", 3]}', "entry 2 of 'resolved' is 3, not an instance id"),
        (b'{"resolved": [" "]}', "entry 1 of 'resolved' is ' ', not an instance id"),
        (b'{"resolved": [], "no_logs": "a"}', "'no_logs' is not a list"),
        (b'{"resolved": [], "resolved": ["a"]}', "the key 'resolved' stands twice"),
        (b'{"resolved": ["\xff"]}', "not UTF-8"),
    ],
)
def test_broken_results_are_refused(
    tmp_path: Path, read_swebench: Read, content: bytes, message: str
) -> None:
    """Results that cannot be read as lists of ids are refused, and the file is named."""
    write(tmp_path / "verified/kite/results/results.json", content)
    with pytest.raises(FormatError, match=message):
        read_swebench(tmp_path)


@pytest.mark.parametrize(
    ("entry", "message"),
    [
        ({}, "there is no 'resolved'"),
        (3, "there is no 'resolved'"),
        ({"resolved": "yes"}, "'resolved' is 'yes', not true or false"),
        ({"resolved": True, "cost": "1"}, "'cost' is '1', not a number"),
        ({"resolved": True, "cost": True}, "'cost' is True, not a number"),
        ({"resolved": True, "api_calls": 1.5}, "'api_calls' is 1.5, not a whole number"),
    ],
)
def test_broken_details_are_refused(tmp_path: Path, read_swebench: Read, entry: Any, message: str) -> None:
    """A detail of the wrong type is refused; file and instance are named."""
    write(tmp_path / "bash-only/mini/per_instance_details.json", {"a": entry})
    with pytest.raises(ValueRangeError, match=rf"per_instance_details\.json: a: {message}"):
        read_swebench(tmp_path)


def test_submission_without_results(tmp_path: Path, read_swebench: Read) -> None:
    """A submission's folder without results is left out and said; an import of nothing is refused."""
    submission(tmp_path / "verified/kite", resolved=["a"])
    (tmp_path / "verified/hollow").mkdir()
    (tmp_path / "verified/hollow/metadata.yaml").write_text(METADATA)
    table = read_swebench(tmp_path)
    assert set(table.frame["agent"]) == {"kite"}
    assert table.places("submission without results") == ("verified/hollow",)
    with pytest.raises(FormatError, match="no results of SWE-bench"):
        read_swebench(tmp_path / "verified/hollow")


def test_links_are_not_followed_out_of_the_tree(tmp_path: Path, read_swebench: Read) -> None:
    """Folders, results and metadata behind a link that leaves the tree are not read; links within it add nothing."""
    secret = submission(tmp_path / "elsewhere/secret", resolved=["s"])
    tree = tmp_path / "tree"
    kite = submission(tree / "verified/kite", metadata=None, resolved=["a"])
    (tree / "verified/leak").symlink_to(secret, target_is_directory=True)
    (tree / "verified/again").symlink_to(kite, target_is_directory=True)
    (tree / "verified/loop").symlink_to(tree, target_is_directory=True)
    (kite / "metadata.yaml").symlink_to(secret / "metadata.yaml")
    (tree / "verified/thief/results").mkdir(parents=True)
    (tree / "verified/thief/results/results.json").symlink_to(secret / "results/results.json")
    table = read_swebench(tree)
    assert table.rows("agent", "task", "model_requested") == [("kite", "a", None)]
    assert table.notes("dropped")["link that leaves the tree: not followed"] == 2
    assert table.notes("note")["linked folder: read where it stands"] == 2


def test_real_samples(shared: Path, read_swebench: Read) -> None:
    """Real files: 396 and 372 of 500 resolved, 4 and 8 of 23 in two reports of sb-cli."""
    tree = read_swebench(shared / "samples/swebench_experiments")
    passes = tree.frame.group_by("agent").agg((pl.col("verdict") == "pass").sum(), pl.len().alias("rows"))
    assert sorted(passes.rows()) == [
        ("20251124_mini-v1.16.0_claude-opus-4-5-20251101", 372, 500),
        ("20251205_sonar-foundation-agent_claude-opus-4-5", 396, 500),
    ]
    assert tree.log.rows_read == 896
    reports = read_swebench(shared / "samples/swebench_harness/sb-cli-reports").frame
    passes = reports.group_by("agent").agg((pl.col("verdict") == "pass").sum(), pl.len().alias("rows"))
    assert sorted(passes.rows()) == [("kimi-k25-baseline", 4, 23), ("opus-46-baseline", 8, 23)]


def test_whole_tree_of_verified(shared: Path, tmp_path: Path, read_swebench: Read) -> None:
    """A tree of 174 submissions gives 87,000 trials with the resolved counts of its table, within seconds."""
    path = shared / "data/swebench_verified/results.parquet"
    if not path.is_file():
        pytest.skip(f"../shared is absent: {path}")
    table = pl.read_parquet(path)
    for (name,), rows in table.partition_by("submission", as_dict=True).items():
        submission(tmp_path / "verified" / str(name), resolved=rows.filter("passed")["task"].to_list())
    assert SwebenchSource().sniff(tmp_path) is not None
    frame = read_swebench(tmp_path / "verified").frame
    assert frame.height == 174 * 474, "26 tasks that nobody resolved are named nowhere in such a tree"
    got = frame.group_by("agent").agg((pl.col("verdict") == "pass").sum().alias("resolved")).sort("agent")
    wanted = table.group_by("submission").agg(pl.col("passed").sum().alias("resolved")).sort("submission")
    assert got["resolved"].to_list() == wanted["resolved"].to_list()
    tasks = tmp_path / "tasks.txt"
    tasks.write_text("\n".join(table["task"].unique()))
    assert read_swebench(tmp_path / "verified", tasks=tasks).frame.height == 174 * 500
