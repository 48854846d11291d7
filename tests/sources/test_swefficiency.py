"""SWE-fficiency's evaluation reports."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from measurand.errors import FormatError, UsageError
from measurand.sources.swefficiency.names import names_of
from measurand.sources.swefficiency.source import SwefficiencySource

if TYPE_CHECKING:
    from pathlib import Path

    from tests.sources.conftest import ReadSource, Survives

SOURCE = SwefficiencySource()
HEADER = "instance_id,raw_pred_speedup_ratio,pred_speedup_ratio,gold_speedup_ratio,human_speedup_ratio,correctness,correctness_pct,pre_edit_runtime,patch_length"
OPENHANDS = "eval_report_kite-2_maxiter_100_N_v0.51.1-no-hint-run_1.csv"
SWE_AGENT = "eval_report_default_perf__sky--kite-2__t-0.50__p-1.00__c-1.00___swefficiency_full_test.csv"


def line(
    task: str = "a__a-1",
    raw: str = "2.0",
    gold: str = "4.0",
    ratio: str = "0.5",
    *,
    passed: str = "1.0",
    share: str = "1.0",
) -> str:
    return f"{task},{raw},{raw or 1},{gold},{ratio},{passed},{share},0.35,12"


def write(folder: Path, *lines: str, name: str = OPENHANDS) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / name
    path.write_text("\n".join([HEADER, *lines]) + "\n")
    return path


def test_fields(tmp_path: Path, read_source: ReadSource) -> None:
    """The speed-up as measured is the quantity, between the unpatched code and the expert's patch."""
    row = read_source(SOURCE, write(tmp_path, line())).frame.row(0, named=True)
    wanted = {
        "suite": "swefficiency",
        "task": "a__a-1",
        "agent": "OpenHands / kite-2",
        "model_requested": "kite-2",
        "trial": "1",
        "outcome": "completed",
        "reason": None,
        "verdict": "pass",
        "official_score": -2.0,
        "quantity": 2.0,
        "unit": "x",
        "better": "higher",
        "kind": "ratio",
        "baseline": 1.0,
        "reference": 4.0,
        "cost_usd": None,
        "harness": "swefficiency",
        "source": "swefficiency",
        "source_ref": f"{OPENHANDS}:2",
    }
    assert {name: row[name] for name in wanted} == wanted


def test_speed_up_of_a_patch_that_fails_its_tests(tmp_path: Path, read_source: ReadSource) -> None:
    """It stays on record and earns nothing: the trial failed, with the share of tests as reason."""
    path = write(tmp_path, line(raw="12.25", ratio="0.25", passed="0.0", share="0.9976"))
    assert read_source(SOURCE, path).rows("outcome", "verdict", "quantity", "official_score", "reason") == [
        ("completed", "fail", 12.25, -4.0, "correctness_pct 0.9976")
    ]


def test_empty_is_missing_and_not_1(tmp_path: Path, read_source: ReadSource) -> None:
    """Without test output there is no speed-up; the report counts it as failed, and the log says what is not known."""
    table = read_source(SOURCE, write(tmp_path, line(raw="", ratio="0.25", passed="0.0", share="0.0")))
    assert table.rows("outcome", "verdict", "quantity", "reason") == [
        ("no_output", "fail", None, "no test output")
    ]
    assert table.notes() == {
        "no test output (no patch, or one that could not be run): failed, as officially": 1
    }


def test_pass_without_a_speed_up(tmp_path: Path, read_source: ReadSource) -> None:
    """Tests that pass with a workload that was not measured: passed, no quantity."""
    table = read_source(SOURCE, write(tmp_path, line(raw="")))
    assert table.rows("outcome", "verdict", "quantity") == [("completed", "pass", None)]
    assert list(table.notes()) == ["the tests pass and there is no speed-up: the workload was not measured"]


@pytest.mark.parametrize("raw", ["0", "-1", "fast", "inf", "nan"])
def test_speed_ups_that_are_none(tmp_path: Path, read_source: ReadSource, raw: str) -> None:
    """Zero, negative and unreadable speed-ups become unknown, never 0."""
    table = read_source(SOURCE, write(tmp_path, line(raw=raw)))
    assert table.frame["quantity"].to_list() == [None]
    assert table.notes("unknown") == {"raw_pred_speedup_ratio is no positive number": 1}


def test_no_word_on_correctness(tmp_path: Path, read_source: ReadSource) -> None:
    """Without it there is no verdict."""
    table = read_source(SOURCE, write(tmp_path, line(passed="")))
    assert table.rows("outcome", "verdict") == [("grader_error", None)]


def test_expert_slower_than_the_unpatched_code(tmp_path: Path, read_source: ReadSource) -> None:
    """Such a patch is a reference without a baseline."""
    table = read_source(SOURCE, write(tmp_path, line(gold="0.9"), line("b", gold="")))
    assert table.rows("baseline", "reference") == [(None, 0.9), (None, None)]


def test_record_without_id_is_dropped(tmp_path: Path, read_source: ReadSource) -> None:
    """What names no instance is dropped with its line; so is a last line that was cut."""
    path = write(tmp_path, line(""), line("b"))
    with path.open("a") as file:
        file.write("c,1.0,1")
    table = read_source(SOURCE, path)
    assert table.frame["task"].to_list() == ["b"]
    assert table.log.rows_read == 3
    assert table.notes("dropped") == {"no instance_id": 1, "cut last line": 1}
    assert table.places("no instance_id") == (f"{OPENHANDS}:2",)


def test_names_of_files() -> None:
    """Scaffold, model, run and settings come from the names that OpenHands and SWE-agent give."""
    from pathlib import Path

    openhands = names_of(Path("eval_reports_lite") / OPENHANDS.replace("run_1", "run_3"))
    assert (openhands.agent, openhands.run, openhands.lite) == ("OpenHands / kite-2", "3", True)
    assert openhands.settings["iterations"] == "100"
    assert openhands.settings["variant"] == "no-hint"
    swe_agent = names_of(Path(SWE_AGENT))
    assert (swe_agent.agent, swe_agent.model, swe_agent.lite) == ("SWE-agent / kite-2", "sky/kite-2", False)
    assert swe_agent.settings["temperature"] == "0.50"
    assert names_of(Path("eval_report_mine.csv"))[:3] == ("mine", None, "1")
    assert names_of(Path(SWE_AGENT.replace("full", "lite"))).lite


def test_runs_and_splits(tmp_path: Path, read_source: ReadSource) -> None:
    """Runs are trials of one agent; the smaller split is a suite of its own; both are declared with their sizes."""
    write(tmp_path / "eval_reports", line())
    write(tmp_path / "eval_reports", line(), name=OPENHANDS.replace("run_1", "run_2"))
    write(tmp_path / "eval_reports_lite", line())
    table = read_source(SOURCE, tmp_path)
    assert sorted(table.rows("suite", "trial")) == [
        ("swefficiency", "1"),
        ("swefficiency", "2"),
        ("swefficiency_lite", "1"),
    ]
    declared = {d.suite: (d.tasks, d.trials, d.absent_is_fail) for d in table.log.declarations}
    assert declared == {"swefficiency": (498, 2, True), "swefficiency_lite": (100, 1, True)}
    assert table.frame["agent_digest"].n_unique() == 1
    assert set(read_source(SOURCE, tmp_path, suite="swefficiency").frame["suite"]) == set(declared)


def test_experts_are_no_agent(tmp_path: Path, read_source: ReadSource) -> None:
    """Their report among others is left alone, and read when it is named; other CSV files are noted."""
    gold = write(tmp_path, line(), name="eval_report_gold.csv")
    write(tmp_path, line())
    (tmp_path / "other.csv").write_text("a,b\n1,2\n")
    table = read_source(SOURCE, tmp_path)
    assert table.frame["agent"].to_list() == ["OpenHands / kite-2"]
    assert sorted(table.notes("note")) == [
        "file without the columns of a report: not read",
        "the experts' own patches are the reference, no agent: not read",
    ]
    assert read_source(SOURCE, gold).frame["agent"].to_list() == ["gold"]


def test_nothing_to_read(tmp_path: Path, read_source: ReadSource) -> None:
    """A folder without reports is refused, and so is an option that has no effect."""
    with pytest.raises(FormatError, match="no report of SWE-fficiency"):
        read_source(SOURCE, tmp_path)
    with pytest.raises(UsageError, match="--map"):
        read_source(SOURCE, tmp_path, mapping={"quantity": "value"})


def test_links_are_not_followed_out(tmp_path: Path, read_source: ReadSource) -> None:
    """A report behind a link that leaves the folder is dropped; one behind a link within is read where it stands."""
    outside = write(tmp_path / "outside", line("secret"))
    write(tmp_path / "in", line())
    (tmp_path / "in" / "eval_report_x.csv").symlink_to(outside)
    (tmp_path / "in" / "folder").symlink_to(tmp_path / "outside")
    (tmp_path / "in" / "again").symlink_to(tmp_path / "in")
    table = read_source(SOURCE, tmp_path / "in")
    assert table.frame["task"].to_list() == ["a__a-1"]
    assert table.notes("dropped") == {"link that leaves the folder: not followed": 2}
    assert table.log.rows_read == 3


def test_sniffing(tmp_path: Path) -> None:
    """Reports and folders of them are claimed by their columns, whatever their order; other tables are not."""
    path = write(tmp_path / "eval_reports", line())
    for one in (path, path.parent, tmp_path):
        match = SOURCE.sniff(one)
        assert match is not None
        assert match.confidence >= 90
    other = tmp_path / "other.csv"
    other.write_text("instance_id,correctness\n")
    assert SOURCE.sniff(other) is None
    assert SOURCE.sniff(tmp_path / "nowhere") is None


def test_published_reports(shared: Path, read_source: ReadSource) -> None:
    """Two agents on 498 tasks: passes, failures with and without a speed-up, and the harmonic means of the reports."""
    table = read_source(SOURCE, shared / "samples/swefficiency")
    frame = table.frame
    assert (frame.height, table.log.rows_read, frame["task"].n_unique()) == (996, 996, 498)
    counts = dict(
        frame.group_by("outcome", "verdict")
        .len()
        .select(pl.concat_str("outcome", pl.lit(" "), "verdict"), "len")
        .rows()
    )
    assert counts == {"completed pass": 453, "completed fail": 318, "no_output fail": 225}
    assert frame.filter(outcome="completed")["quantity"].null_count() == 0
    harmonic = dict(frame.group_by("agent").agg(-1 / pl.col("official_score").mean()).rows())
    assert harmonic == pytest.approx(
        {
            "SWE-agent / gemini-2.5-flash": 0.0013665397112985248,
            "OpenHands / gpt-5-mini": 0.0056255253222382805,
        }
    )


def test_agrees_with_the_tidy_table(shared: Path, read_source: ReadSource) -> None:
    """Speed-ups, references and verdicts are those that an independent reader found in the same files."""
    ours = read_source(SOURCE, shared / "samples/swefficiency").frame
    theirs = pl.read_parquet(shared / "data/swefficiency/results.parquet").filter(split="full")
    both = ours.join(theirs, on=["agent", "task"], how="inner", suffix="_tidy")
    assert both.height == 996
    for mine, tidy in (("quantity", "value"), ("reference", "reference_tidy")):
        assert both[mine].to_list() == both[tidy].to_list()
    assert (both["verdict"] == "pass").to_list() == both["passed"].to_list()


def test_samples_of_others(shared: Path) -> None:
    """Nothing that other tools wrote is claimed."""
    folders = [folder for folder in (shared / "samples").iterdir() if folder.name != "swefficiency"]
    assert [folder.name for folder in folders if SOURCE.sniff(folder)] == []


def damage(survives: Survives, data: st.DataObject) -> None:
    lines = [HEADER, line(), line("b", raw="", passed="0.0"), line("c", gold="0.5")]
    survives(SOURCE, {OPENHANDS: "\n".join(lines).encode(), SWE_AGENT: "\n".join(lines).encode()}, data)


@given(st.data())
@settings(max_examples=50, deadline=None)
def test_damage(survives: Survives, data: st.DataObject) -> None:
    """A damaged report is refused, or what is kept and dropped adds up."""
    damage(survives, data)


@pytest.mark.slow
@given(st.data())
@settings(max_examples=1000, deadline=None)
def test_more_damage(survives: Survives, data: st.DataObject) -> None:
    """The same, more often."""
    damage(survives, data)
