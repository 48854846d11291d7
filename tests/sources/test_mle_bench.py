"""MLE-bench's grading reports."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from measurand.errors import FormatError, UsageError, ValueRangeError
from measurand.score.trials import score_trials
from measurand.sources.mle_bench.source import MleBenchSource

if TYPE_CHECKING:
    from pathlib import Path

    from tests.sources.conftest import ReadSource, Survives

SOURCE = MleBenchSource()


def record(competition: str = "leaves", score: float | None = 0.3, **changes: Any) -> dict[str, Any]:
    return {
        "competition_id": competition,
        "score": score,
        "gold_threshold": 0.0,
        "silver_threshold": 0.1,
        "bronze_threshold": 0.2,
        "median_threshold": 0.6,
        "any_medal": False,
        "gold_medal": False,
        "silver_medal": False,
        "bronze_medal": False,
        "above_median": True,
        "submission_exists": True,
        "valid_submission": True,
        "is_lower_better": True,
        "created_at": "2026-07-07T13:14:37.987456",
        "submission_path": "runs/leaves/submission.csv",
    } | changes


def higher(score: float, *, medal: bool) -> dict[str, Any]:
    thresholds = {
        "gold_threshold": 0.95,
        "silver_threshold": 0.9,
        "bronze_threshold": 0.8,
        "median_threshold": 0.5,
    }
    flags = {"any_medal": medal, "gold_medal": medal, "is_lower_better": False, "above_median": score > 0.5}
    return record("pets", score, **thresholds, **flags)


def padded(competition: str) -> dict[str, Any]:
    flags = (
        "gold_medal",
        "silver_medal",
        "bronze_medal",
        "above_median",
        "submission_exists",
        "valid_submission",
    )
    return {"competition_id": competition} | dict.fromkeys(flags, False)


def report(*records: Any, **changes: Any) -> bytes:
    content = {"total_runs": len(records), "total_medals": 1, "competition_reports": list(records)} | changes
    return json.dumps(content).encode()


def tree(root: Path, **reports: bytes) -> Path:
    for group, content in reports.items():
        (root / "runs" / group).mkdir(parents=True, exist_ok=True)
        (root / "runs" / group / f"2026-01-01T00-00-00_grading_report_{group}.json").write_bytes(content)
    return root / "runs"


def test_fields_of_a_record(tmp_path: Path, read_source: ReadSource) -> None:
    """Score, direction and thresholds become quantity and anchors: median and bronze; any medal is the official verdict."""
    row = read_source(SOURCE, tree(tmp_path, group1=report(record()))).frame.row(0, named=True)
    wanted = {
        "suite": "mle_bench",
        "task": "leaves",
        "agent": "group1",
        "job": "group1",
        "trial": "1",
        "outcome": "completed",
        "verdict": "pass",
        "official_score": 0.0,
        "quantity": 0.3,
        "better": "lower",
        "kind": "interval",
        "baseline": 0.6,
        "reference": 0.2,
        "source_ref": "group1/2026-01-01T00-00-00_grading_report_group1.json: competition_reports[0]",
    }
    assert {name: row[name] for name in wanted} == wanted
    assert {pair["name"]: pair["passed"] for pair in row["verdicts"]} == {
        "official": False,
        "gold": False,
        "above_median": True,
    }


@pytest.mark.parametrize(
    ("changes", "ended"),
    [
        (
            {"submission_exists": False, "valid_submission": False, "score": None},
            ("no_output", "fail", "no submission"),
        ),
        ({"valid_submission": False, "score": 0.97}, ("invalid_output", "fail", "invalid submission")),
        ({"valid_submission": None}, ("grader_error", None, "no word on valid_submission")),
    ],
)
def test_without_a_valid_submission(
    tmp_path: Path, read_source: ReadSource, changes: dict[str, Any], ended: tuple[Any, ...]
) -> None:
    """Nothing handed in and something invalid are two reasons; a score that stands there all the same is no quantity."""
    table = read_source(SOURCE, tree(tmp_path, g=report(record(**changes))))
    assert table.rows("outcome", "verdict", "reason") == [ended]
    assert table.frame["quantity"][0] is None


def test_mixed_directions(tmp_path: Path, read_source: ReadSource) -> None:
    """Lower and higher go together in a report; each task has its own direction and anchors (case 02)."""
    runs = tree(
        tmp_path, g=report(record(), higher(0.7, medal=False), record("worse", 0.9, above_median=False))
    )
    table = read_source(SOURCE, runs)
    assert table.rows("task", "better", "baseline", "reference") == [
        ("leaves", "lower", 0.6, 0.2),
        ("pets", "higher", 0.5, 0.8),
        ("worse", "lower", 0.6, 0.2),
    ]
    objective = score_trials(table.frame)["objective"].to_list()
    assert objective == pytest.approx([0.75, 2 / 3, 0.0])


def test_contradicting_directions_are_refused(tmp_path: Path, read_source: ReadSource) -> None:
    """A competition that two records give different directions cannot be scored."""
    runs = tree(tmp_path, g=report(record(), record(is_lower_better=False)))
    with pytest.raises(ValueRangeError, match="task 'leaves' has mixed directions"):
        read_source(SOURCE, runs)


@pytest.mark.parametrize(
    ("thresholds", "anchors"),
    [
        ({"bronze_threshold": 0.0, "median_threshold": 0.6}, (0.6, 0.0)),
        ({"bronze_threshold": -1.0, "median_threshold": 0.0}, (0.0, -1.0)),
        ({"bronze_threshold": 0.2, "median_threshold": 0.2}, (None, 0.2)),
        ({"bronze_threshold": 0.2, "median_threshold": None}, (None, 0.2)),
        ({"bronze_threshold": None}, (None, None)),
        ({"is_lower_better": None}, (None, None)),
    ],
)
def test_thresholds(
    tmp_path: Path, read_source: ReadSource, thresholds: dict[str, Any], anchors: tuple[Any, Any]
) -> None:
    """A threshold of exactly 0 is one like any other; equal or missing ones give no baseline."""
    table = read_source(SOURCE, tree(tmp_path, g=report(record(**thresholds))))
    assert table.rows("baseline", "reference") == [anchors]
    assert table.notes("unknown") == {}


def test_thresholds_the_wrong_way_round(tmp_path: Path, read_source: ReadSource) -> None:
    """A bronze threshold that is worse than the median gives no anchors, and the log says so."""
    table = read_source(SOURCE, tree(tmp_path, g=report(record(bronze_threshold=0.9))))
    assert table.rows("baseline", "reference") == [(None, None)]
    assert table.notes("unknown") == {"bronze_threshold is not better than median_threshold: no anchors": 1}


def test_run_groups_of_an_experiment(tmp_path: Path, read_source: ReadSource) -> None:
    """The table names the agent of run groups; their records are its seeds, in the order of the groups."""
    runs = tree(
        tmp_path,
        b=report(record(score=0.2), record("pets", 0.5)),
        a=report(record(score=0.1), record(score=0.15)),
        c=report(record()),
    )
    (runs / "run_group_experiments.csv").write_text("experiment_id,run_group\nkite-4h,a\nkite-4h,b\n")
    table = read_source(SOURCE, runs)
    assert table.rows("agent", "job", "task", "trial", "quantity") == [
        ("kite-4h", "a", "leaves", "1", 0.1),
        ("kite-4h", "a", "leaves", "2", 0.15),
        ("kite-4h", "b", "leaves", "3", 0.2),
        ("kite-4h", "b", "pets", "1", 0.5),
        ("c", "c", "leaves", "1", 0.3),
    ]
    assert table.places("no table names the experiment: the run group stands for the agent") == (
        "c/2026-01-01T00-00-00_grading_report_c.json",
    )
    assert (
        table.notes("note")["1 to 3 seeds a competition: all are kept, MLE-bench takes the last 1 or pads"]
        == 1
    )
    (declared,) = table.log.declarations
    assert (declared.tasks, declared.trials, declared.absent_is_fail) == (None, 3, False)


def test_padded_seeds(tmp_path: Path, read_source: ReadSource) -> None:
    """A record put in for a seed that never ran is no verdict; MLE-bench counts it as failed, which is kept."""
    table = read_source(SOURCE, tree(tmp_path, g=report(record(), padded("pets"))))
    assert table.rows("task", "outcome", "verdict", "official_score")[1] == ("pets", "missing", None, 0.0)
    assert table.notes("note")["padded seed: MLE-bench counts it as failed, no run stands behind it"] == 1


def test_official_number(tmp_path: Path, read_source: ReadSource) -> None:
    """The mean over competitions, then seeds, of the official score is the any-medal share, with its standard error."""
    gold: dict[str, Any] = {"gold_medal": True, "any_medal": True}
    runs = tree(
        tmp_path,
        s1=report(record(score=0.0, **gold), higher(0.99, medal=True)),
        s2=report(record(), higher(0.9, medal=True)),
        s3=report(record(score=None, valid_submission=False), higher(0.6, medal=False)),
    )
    (runs / "run_group_experiments.csv").write_text("experiment_id,run_group\nk,s1\nk,s2\nk,s3\n")
    seeds = (
        read_source(SOURCE, runs).frame.group_by("trial").agg(pl.col("official_score").mean()).sort("trial")
    )
    shares = seeds["official_score"]
    assert shares.to_list() == [1.0, 0.5, 0.0]
    assert shares.std() / 3**0.5 == pytest.approx(0.288675, abs=1e-6)  # type: ignore[operator]


def test_flags_against_score(tmp_path: Path, read_source: ReadSource) -> None:
    """Medals that the score does not earn are noted; the flags hold."""
    table = read_source(SOURCE, tree(tmp_path, g=report(record(score=0.19))))
    assert table.frame["official_score"][0] == 0
    assert table.notes("note")["medal flags contradict score and bronze_threshold; the flags hold"] == 1


def test_list_of_competitions(tmp_path: Path, read_source: ReadSource) -> None:
    """With a list of tasks, others are dropped, and a listed competition without a record counts as failed."""
    (tmp_path / "split.txt").write_text("leaves\nabsent\n")
    runs = tree(tmp_path, g=report(record(), record("pets")))
    table = read_source(SOURCE, runs, tasks=tmp_path / "split.txt")
    assert table.frame["task"].to_list() == ["leaves"]
    assert table.notes("dropped") == {"competition that is not in the list of tasks": 1}
    assert (table.log.declarations[0].tasks, table.log.declarations[0].absent_is_fail) == (2, True)


def test_one_record_is_a_report_of_itself(tmp_path: Path, read_source: ReadSource) -> None:
    """What grading a single sample prints is read too."""
    (tmp_path / "one.json").write_text(json.dumps(record()))
    table = read_source(SOURCE, tmp_path / "one.json")
    assert table.rows("task", "source_ref") == [("leaves", "one.json")]


def test_normalised_results(tmp_path: Path, read_source: ReadSource) -> None:
    """Lines of flags and tokens: output includes reasoning, which the source counts apart."""
    line = {
        "model": "kite",
        "benchmark": "mlebench",
        "task_id": "leaves",
        "score": {"above_median": 1, "any_medal": 1, "valid_submission": 1},
        "metadata": {
            "input_tokens": 10.0,
            "output_tokens": 3.0,
            "reasoning_tokens": 2.0,
            "total_tokens": 15.0,
            "num_turns": 4.0,
        },
    }
    empty: dict[str, Any] = {"model": "kite", "benchmark": "mlebench", "task_id": "pets", "score": {}}
    broken = line | {"task_id": None}
    content = "\n".join(map(json.dumps, (line, empty, broken))) + '\n{"cut'
    (tmp_path / "n.jsonl").write_text(content)
    table = read_source(SOURCE, tmp_path / "n.jsonl")
    assert table.rows("task", "outcome", "verdict", "official_score") == [
        ("leaves", "completed", "pass", 1.0),
        ("pets", "grader_error", None, None),
    ]
    meters = ("input_tokens", "output_tokens", "reasoning_tokens", "total_tokens", "steps")
    assert table.rows(*meters)[0] == (10, 5, 2, 15, 4)
    assert (table.log.rows_read, sum(table.notes("dropped").values())) == (4, 2)


def test_stated_totals(tmp_path: Path) -> None:
    """The totals of the run groups of an experiment are added up."""
    runs = tree(tmp_path, a=report(record(), total_medals=2), b=report(record(), record("pets")))
    (runs / "run_group_experiments.csv").write_text("experiment_id,run_group\nk,a\nk,b\n")
    stated = {one.name: (one.agent, one.value) for one in SOURCE.stated(runs)}
    assert stated == {"runs": ("k", 3), "medals": ("k", 3)}


def test_damaged_records_and_reports(tmp_path: Path, read_source: ReadSource) -> None:
    """Records and reports that cannot be read are dropped among others, with their reason; alone they are refused."""
    runs = tree(tmp_path, a=report(record(), 3, {"competition_id": None}), b=report(record())[:-40])
    table = read_source(SOURCE, runs)
    assert (table.frame.height, table.log.rows_read) == (1, 4)
    assert sum(table.notes("dropped").values()) == 3
    with pytest.raises(FormatError, match="not readable JSON"):
        read_source(SOURCE, next((runs / "b").iterdir()))


def test_sniffing(tmp_path: Path, read_source: ReadSource) -> None:
    """Reports and folders of run groups are claimed, other JSON is not."""
    (tmp_path / "x.json").write_text('{"competition_id": "a"}')
    (tmp_path / "y.jsonl").write_text('{"benchmark": "other", "task_id": "a"}\n')
    assert SOURCE.sniff(tmp_path) is None
    with pytest.raises(FormatError, match="no grading report of MLE-bench"):
        read_source(SOURCE, tmp_path)
    runs = tree(tmp_path, g=report(record()))
    for path in (runs, runs / "g", next((runs / "g").iterdir())):
        match = SOURCE.sniff(path)
        assert match is not None
        assert match.confidence == 95
    with pytest.raises(UsageError, match="--anchors"):
        read_source(SOURCE, runs, anchors=tmp_path)


FILES = {
    "a/1_grading_report.json": report(record(), padded("pets"), higher(0.7, medal=False)),
    "b/2_grading_report.json": report(record(score=0.1, gold_medal=True, any_medal=True)),
    "run_group_experiments.csv": b"experiment_id,run_group\nk,a\nk,b\n",
    "n.jsonl": b'{"model": "m", "benchmark": "mlebench", "task_id": "t", "score": {"any_medal": 0}, "metadata": {"num_turns": 1}}\n',
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


def test_published_records(shared: Path, read_source: ReadSource) -> None:
    """One graded record with a gold threshold of 0, and thirty normalised ones: 28 valid, one medal."""
    table = read_source(SOURCE, shared / "samples/mle_bench")
    graded = table.frame.filter(pl.col("quantity").is_not_null()).row(0, named=True)
    assert (graded["quantity"], graded["better"]) == (0.05826, "lower")
    assert (graded["baseline"], graded["reference"], graded["official_score"]) == (0.108345, 0.01526, 0.0)
    flags = table.frame.filter(agent="gemini-2.5-flash")
    assert flags.group_by("outcome", "verdict").len().sort("len").rows() == [
        ("invalid_output", "fail", 2),
        ("completed", "pass", 28),
    ]
    assert flags["official_score"].sum() == 1
    assert (flags["total_tokens"] == flags["input_tokens"] + flags["output_tokens"]).all()
    assert table.log.rows_read == table.frame.height == 31


def test_agrees_with_the_tidy_table(shared: Path, read_source: ReadSource) -> None:
    """The flags of the sample are those of the tidy table made from the same file by other code."""
    tidy = pl.read_csv(shared / "data/mle_bench/bridge_per_task_flags.csv", infer_schema_length=None)
    ours = read_source(SOURCE, shared / "samples/mle_bench").frame.filter(agent="gemini-2.5-flash")
    both = ours.join(tidy, on=["agent", "task"], suffix="_tidy")
    assert both.height == 30
    assert ((both["verdict"] == "pass") == both["valid"].cast(pl.String).str.to_lowercase().eq("true")).all()
    assert (both["total_tokens"] == both["total_tokens_tidy"]).all()
