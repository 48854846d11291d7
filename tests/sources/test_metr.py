"""METR's runs and counts."""

from __future__ import annotations

import datetime as dt
import json
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from measurand.errors import FormatError, UsageError
from measurand.sources.metr.runs import suite_version
from measurand.sources.metr.source import MetrSource

if TYPE_CHECKING:
    from pathlib import Path

    from tests.sources.conftest import Imported, ReadSource, Survives

SOURCE = MetrSource()


def run(**changes: Any) -> dict[str, Any]:
    return {
        "task_id": "maze/small",
        "task_family": "maze",
        "run_id": "r1",
        "alias": "Kite (Inspect)",
        "model": "kite_inspect",
        "score_cont": 0.75,
        "score_binarized": 1,
        "fatal_error_from": None,
        "human_minutes": 12.5,
        "human_score": 1.423,
        "human_source": "baseline",
        "generation_cost": 0.5,
        "started_at": 1758931705966.0,
        "completed_at": 1758931715966.0,
        "task_version": "1.0",
        "tokens_count": 1200.0,
        "scaffold": "tools,kites/react",
    } | changes


def lines(*runs: dict[str, Any]) -> bytes:
    return b"".join(json.dumps(one).encode() + b"\n" for one in runs)


COUNTS = """\
agent:
  Lark:
    coefficient: -0.5
    intercept: 4.0
    tasks:
    - {task_id: maze/small, human_minutes: 12.5, n_successes: 2, n_runs: 3, task_weight: 1.0}
    - {task_id: alone, human_minutes: 3, n_successes: 0, n_runs: 1, task_weight: 1.0}
"""
RESULTS = """\
results:
  kite_inspect:
    metrics:
      p50_horizon_length: {estimate: 60.5, ci_low: 1, ci_high: 99}
      p80_horizon_length: {estimate: 12.0}
      average_score: {estimate: 0.55}
    release_date: 2025-02-24
"""


@pytest.fixture
def read_runs(tmp_path: Path, read_source: ReadSource) -> Any:
    def read(*runs: dict[str, Any]) -> Imported:
        (tmp_path / "runs.jsonl").write_bytes(lines(*runs))
        return read_source(SOURCE, tmp_path / "runs.jsonl")

    return read


def test_fields_of_a_run(read_runs: Any) -> None:
    """A run gives its ids, human time, scores, anchors, meters and times."""
    row = read_runs(run()).frame.row(0, named=True)
    wanted = {
        "suite": "metr_time_horizons",
        "task": "maze/small",
        "family": "maze",
        "human_minutes": 12.5,
        "agent": "Kite (Inspect)",
        "model_requested": "kite_inspect",
        "trial": "r1",
        "outcome": "completed",
        "verdict": "pass",
        "verdicts": [{"name": "official", "passed": True}],
        "quantity": 0.75,
        "unit": "score",
        "better": "higher",
        "kind": "interval",
        "baseline": 0.0,
        "reference": 1.423,
        "anchors_id": "human baseline",
        "cost_usd": 0.5,
        "price_table": "self-reported by metr",
        "total_tokens": 1200,
        "wall_s": 10.0,
        "started_at": dt.datetime(2025, 9, 27, 0, 8, 25, 966000, tzinfo=dt.UTC),
        "source_ref": "runs.jsonl:1",
    }
    assert {name: row[name] for name in wanted} == wanted


@pytest.mark.parametrize(
    ("changes", "ended"),
    [
        ({"score_binarized": 0}, ("completed", "fail", None)),
        ({"fatal_error_from": "usageLimits", "score_binarized": 0}, ("limit", "fail", "usageLimits")),
        ({"fatal_error_from": "usageLimits"}, ("limit", "pass", "usageLimits")),
        ({"fatal_error_from": "agent", "score_binarized": None}, ("agent_error", "fail", "agent")),
        ({"fatal_error_from": "serverOrTask", "score_binarized": 0}, ("infra_error", None, "serverOrTask")),
        ({"fatal_error_from": "user", "score_binarized": 0}, ("cancelled", None, "user")),
        ({"fatal_error_from": "gremlin", "score_binarized": 0}, ("agent_error", "fail", "gremlin")),
        ({"score_binarized": None}, ("grader_error", None, "no score_binarized")),
        ({"score_binarized": 0.5}, ("grader_error", None, "no score_binarized")),
    ],
)
def test_how_a_run_ended(read_runs: Any, changes: dict[str, Any], ended: tuple[Any, ...]) -> None:
    """Who caused a fatal error decides whether it is a fail; METR's own verdict is kept beside."""
    table = read_runs(run(**changes))
    assert table.rows("outcome", "verdict", "reason") == [ended]
    official = table.frame["verdicts"].to_list()[0]
    scored = changes.get("score_binarized", 1)
    assert official == ([{"name": "official", "passed": scored == 1}] if scored in {0, 1} else None)


@pytest.mark.parametrize(
    ("changes", "note", "columns"),
    [
        (
            {"generation_cost": 0.0},
            "generation_cost is 0.0, which means not recorded",
            ("cost_usd", "price_table"),
        ),
        ({"human_minutes": 0}, "human_minutes missing or not positive", ("human_minutes",)),
        ({"tokens_count": 0}, "tokens_count is 0 or no count", ("total_tokens",)),
        ({"score_cont": float("nan")}, "score_cont is no finite number", ("quantity",)),
        ({"human_score": 0}, "human_score is not positive: no reference", ("reference", "anchors_id")),
        ({"completed_at": 1.0e12}, "completed_at is before started_at", ("finished_at", "wall_s")),
    ],
)
def test_unusable_values_are_unknown(
    read_runs: Any, changes: dict[str, Any], note: str, columns: tuple[str, ...]
) -> None:
    """A cost of 0.0 and other values that mean nothing become unknown, and the log says so."""
    table = read_runs(run(**changes))
    assert table.notes("unknown") == {note: 1}
    assert table.rows(*columns) == [(None,) * len(columns)]


def test_damaged_lines_are_dropped(tmp_path: Path, read_source: ReadSource) -> None:
    """Lines that are no run are dropped with their reason, and the others are read."""
    content = lines(run(), run(run_id=None), run(run_id="r2")) + b'[1]\n{"task_id": "cut'
    (tmp_path / "runs.jsonl").write_bytes(content)
    table = read_source(SOURCE, tmp_path)
    assert table.frame["trial"].to_list() == ["r1", "r2"]
    assert table.log.rows_read == 5
    assert sum(table.notes("dropped").values()) == 3
    assert table.places("run without task_id, alias or run_id") == ("runs.jsonl:2",)


def test_versions_and_scaffolds_are_told(read_runs: Any) -> None:
    """METR pools versions of a task and scaffolds of a model: so it is read, once noted each."""
    table = read_runs(run(), run(run_id="r2", task_version="1.1", scaffold="kites/triframe"))
    assert table.notes("note") == {"task run in several versions": 1, "agent run in several scaffolds": 1}
    assert table.frame["agent_digest"].n_unique() == 1


def test_counts_become_trials(tmp_path: Path, read_source: ReadSource) -> None:
    """Successes of so many runs are as many trials; which was which is not known, and said."""
    (tmp_path / "task_results_1_1.yaml").write_text(COUNTS)
    table = read_source(SOURCE, tmp_path)
    assert table.rows("agent", "task", "family", "trial", "verdict", "human_minutes", "suite_version") == [
        ("Lark", "maze/small", "maze", "1", "pass", 12.5, "1.1"),
        ("Lark", "maze/small", "maze", "2", "pass", 12.5, "1.1"),
        ("Lark", "maze/small", "maze", "3", "fail", 12.5, "1.1"),
        ("Lark", "alone", None, "1", "fail", 3.0, "1.1"),
    ]
    assert table.notes() == {"successes counted by task: the order of the runs is not known": 1}


@pytest.mark.parametrize(
    "entry", ["{task_id: a, n_runs: 2, n_successes: 3}", "{n_runs: 1, n_successes: 0}", "3"]
)
def test_counts_that_are_none(tmp_path: Path, read_source: ReadSource, entry: str) -> None:
    """More successes than runs, or no task, is dropped."""
    (tmp_path / "task_results_1_1.yaml").write_text(COUNTS + f"    - {entry}\n")
    table = read_source(SOURCE, tmp_path)
    assert (table.frame.height, table.log.rows_read) == (4, 5)
    assert sum(table.notes("dropped").values()) == 1


def test_runs_come_before_counts(tmp_path: Path, read_source: ReadSource) -> None:
    """Counts of an agent whose runs are there are not read again; release dates come from the results beside."""
    (tmp_path / "runs.jsonl").write_bytes(lines(run(alias="Lark")))
    (tmp_path / "task_results_1_1.yaml").write_text(COUNTS)
    (tmp_path / "benchmark_results_1_1.yaml").write_text(RESULTS)
    (tmp_path / "other.yaml").write_text("a: 1")
    table = read_source(SOURCE, tmp_path)
    assert table.frame.height == 1
    assert table.frame["released_at"][0] == dt.datetime(2025, 2, 24, tzinfo=dt.UTC)
    assert table.notes("note") == {
        "counts of an agent whose runs are here: not read": 1,
        "successes counted by task: the order of the runs is not known": 1,
        "file that is nothing of METR: not read": 1,
    }


def test_stated_numbers(tmp_path: Path) -> None:
    """Horizons and average scores are stated by the results, and horizons by the fitted coefficients of the counts."""
    (tmp_path / "runs.jsonl").write_bytes(lines(run()))
    (tmp_path / "task_results_1_1.yaml").write_text(COUNTS)
    (tmp_path / "benchmark_results_1_1.yaml").write_text(RESULTS)
    stated = [(one.agent, one.name, one.value, one.unit) for one in SOURCE.stated(tmp_path)]
    assert stated == [
        ("Kite (Inspect)", "50% time horizon", 60.5, "minutes"),
        ("Kite (Inspect)", "80% time horizon", 12.0, "minutes"),
        ("Kite (Inspect)", "average score", 0.55, "share"),
        ("Lark", "50% time horizon", 256.0, "minutes"),
    ]


@pytest.mark.parametrize(
    ("name", "version"),
    [
        ("time-horizon-1-1/runs.jsonl", "1.1"),
        ("runs_th1_0.jsonl", "1.0"),
        ("runs.jsonl", None),
        ("th-12.jsonl", None),
    ],
)
def test_version_by_name(tmp_path: Path, name: str, version: str | None) -> None:
    """The name of a folder or file says which time horizon it is."""
    assert suite_version(tmp_path / name) == version


def test_sniffing(tmp_path: Path, read_source: ReadSource) -> None:
    """Runs and counts are claimed; headlines alone, other YAML and other lines are not, and cannot be read."""
    assert SOURCE.sniff(tmp_path) is None
    (tmp_path / "benchmark_results_1_1.yaml").write_text(RESULTS)
    (tmp_path / "x.jsonl").write_text('{"task_id": "a"}\n')
    assert SOURCE.sniff(tmp_path) is None
    with pytest.raises(FormatError, match="no runs of METR"):
        read_source(SOURCE, tmp_path)
    (tmp_path / "task_results.yml").write_text(COUNTS)
    assert SOURCE.sniff(tmp_path / "task_results.yml") is not None
    (tmp_path / "runs.jsonl").write_bytes(lines(run()))
    match = SOURCE.sniff(tmp_path)
    assert match is not None
    assert match.confidence == 95
    with pytest.raises(UsageError, match="--task-list"):
        read_source(SOURCE, tmp_path, tasks=tmp_path / "x.jsonl")


def test_broken_yaml(tmp_path: Path, read_source: ReadSource) -> None:
    """Counts that are no YAML are refused, or dropped among others; so are hostile tags."""
    file = tmp_path / "task_results.yaml"
    file.write_text(COUNTS + "    - {task_id: [")
    with pytest.raises(FormatError, match="not readable YAML"):
        read_source(SOURCE, file)
    file.write_text("x: !!python/object/apply:os.system ['exit 1']\n" + COUNTS)
    (tmp_path / "runs.jsonl").write_bytes(lines(run()))
    table = read_source(SOURCE, tmp_path)
    assert (table.frame.height, table.log.rows_read) == (1, 2)
    assert len(table.notes("dropped")) == 1


def test_link_out_of_the_folder(tmp_path: Path, read_source: ReadSource) -> None:
    """A link that leaves the folder is not followed, and counts as dropped."""
    (tmp_path / "in").mkdir()
    (tmp_path / "secret.jsonl").write_bytes(lines(run(run_id="secret")))
    (tmp_path / "in/runs.jsonl").write_bytes(lines(run()))
    (tmp_path / "in/leak.jsonl").symlink_to(tmp_path / "secret.jsonl")
    table = read_source(SOURCE, tmp_path / "in")
    assert table.frame["trial"].to_list() == ["r1"]
    assert table.notes("dropped") == {"link that leaves the folder: not followed": 1}


FILES = {
    "runs.jsonl": lines(run(), run(run_id="r2", score_binarized=0)),
    "task_results_1_1.yaml": COUNTS.encode(),
    "benchmark_results_1_1.yaml": RESULTS.encode(),
}


@given(st.data())
@settings(max_examples=50, deadline=None)
def test_damage(survives: Survives, data: st.DataObject) -> None:
    """Whatever is damaged, there is no traceback, and what is read adds up."""
    survives(SOURCE, FILES, data)


@pytest.mark.slow
@given(st.data())
@settings(max_examples=300, deadline=None)
def test_much_damage(survives: Survives, data: st.DataObject) -> None:
    """The same, more often."""
    survives(SOURCE, FILES, data)


def test_published_runs(shared: Path, read_source: ReadSource) -> None:
    """Fourteen published runs, and counts of 24 tasks: no cost, two limits, horizons near those METR states."""
    folder = shared / "samples/metr_time_horizons"
    table = read_source(SOURCE, folder)
    known = table.frame.filter(table.frame["source_ref"].str.contains("jsonl"))
    assert known.group_by("agent", "outcome", "verdict").len().sort("agent", "outcome", "verdict").rows() == [
        ("Claude 3 Opus (Inspect)", "completed", "fail", 7),
        ("Claude 3 Opus (Inspect)", "limit", "fail", 2),
        ("o3 (Inspect)", "completed", "fail", 1),
        ("o3 (Inspect)", "completed", "pass", 4),
    ]
    assert known["cost_usd"].null_count() == 14
    assert known["total_tokens"].sum() == 22287038
    assert known["human_minutes"].min() == 1.085
    assert table.log.rows_read == table.frame.height == 154
    stated = {one.agent: one.value for one in SOURCE.stated(folder)}
    assert stated["GPT-5.4"] == pytest.approx(341.735, rel=0.01)
