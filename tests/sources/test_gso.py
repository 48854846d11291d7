"""GSO's reports."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from measurand.errors import FormatError, UsageError, ValueRangeError
from measurand.sources.gso.source import GsoSource

if TYPE_CHECKING:
    from pathlib import Path

    from tests.sources.conftest import ReadSource, Survives

SOURCE = GsoSource()
SETS = (
    "completed_ids",
    "passed_ids",
    "base_failed_ids",
    "patch_failed_ids",
    "test_failed_ids",
    "empty_patch_ids",
    "error_ids",
    "opt_base_ids",
    "opt_commit_ids",
    "opt_main_ids",
)


def report(*, stats: Any = None, summary: Any = None, **sets: list[str]) -> dict[str, Any]:
    return {
        "summary": {"total_instances": 12, "opt_commit": len(sets.get("opt_commit_ids", [])), "k": 1}
        | (summary or {}),
        "instance_sets": {name: [] for name in SETS} | sets,
        "schema_version": 1,
        "opt_stats": stats or {},
    }


def write(path: Path, content: Any) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content if isinstance(content, bytes) else msgspec.json.encode(content))
    return path


FULL = report(
    completed_ids=["a", "b", "c", "d", "i"],
    passed_ids=["a", "b"],
    base_failed_ids=["c"],
    patch_failed_ids=["d"],
    test_failed_ids=["e"],
    empty_patch_ids=["f"],
    error_ids=["g"],
    incomplete_ids=["h"],
    opt_base_ids=["a", "b"],
    opt_commit_ids=["a"],
    hacked_ids=["a"],
    stats={"a": {"gm_speedup_patch_base": 3.0, "gm_speedup_commit_base": 2.0}},
)


def test_sets_become_outcomes(tmp_path: Path, read_source: ReadSource) -> None:
    """Each set says how a trial ended; what only another report names was not submitted."""
    write(tmp_path / "kite.json", FULL)
    write(tmp_path / "lark.json", report(passed_ids=["j"]))
    table = read_source(SOURCE, tmp_path)
    kite = table.frame.filter(agent="kite").select("task", "outcome", "verdict", "reason").rows()
    assert kite == [
        ("a", "completed", "pass", None),
        ("b", "completed", "pass", None),
        ("c", "grader_error", None, "base_failed"),
        ("d", "invalid_output", "fail", "patch_failed"),
        ("e", "completed", "fail", "test_failed"),
        ("f", "no_output", "fail", "empty_patch"),
        ("g", "grader_error", None, "error"),
        ("h", "no_output", "fail", "not submitted"),
        ("i", "grader_error", None, "completed, and in no other set"),
        ("j", "no_output", "fail", "not submitted"),
    ]
    assert table.log.rows_read == table.frame.height == 20
    (declared,) = table.log.declarations
    assert (declared.suite, declared.tasks, declared.trials, declared.absent_is_fail) == ("gso", 12, 1, True)


def test_fields_of_a_published_speed_up(tmp_path: Path, read_source: ReadSource) -> None:
    """The speed-up is published where it reaches the expert's; then the expert's of the same run is the reference."""
    row = read_source(SOURCE, write(tmp_path / "kite.json", FULL)).frame.row(0, named=True)
    wanted = {
        "suite": "gso",
        "task": "a",
        "agent": "kite",
        "model_requested": "kite",
        "trial": "1",
        "verdicts": [
            {"name": "beats_base", "passed": True},
            {"name": "hack_control", "passed": False},
            {"name": "official", "passed": True},
        ],
        "quantity": 3.0,
        "unit": "x",
        "better": "higher",
        "baseline": None,
        "reference": 2.0,
        "official_score": None,
        "source_ref": "kite.json: a",
    }
    assert {name: row[name] for name in wanted} == wanted


def test_censored_speed_ups_are_noted(tmp_path: Path, read_source: ReadSource) -> None:
    """A pass without a published speed-up has no quantity, and the log counts it; without hacked_ids nothing is said of hacks."""
    table = read_source(SOURCE, write(tmp_path / "kite.json", report(passed_ids=["a"])))
    assert table.rows("verdict", "quantity", "reference") == [("pass", None, None)]
    assert table.notes() == {"the tests pass and no speed-up is published (it is less than the expert's)": 1}
    assert [entry["name"] for entry in table.frame["verdicts"][0]] == ["beats_base", "official"]


@pytest.mark.parametrize("value", [0, -1, "NaN", None, [], True])
def test_speed_ups_that_are_none(tmp_path: Path, read_source: ReadSource, value: Any) -> None:
    """What is no positive number is unknown."""
    stats = {"a": {"gm_speedup_patch_base": value, "gm_speedup_commit_base": value}}
    table = read_source(SOURCE, write(tmp_path / "kite.json", report(passed_ids=["a"], stats=stats)))
    assert table.rows("quantity", "reference") == [(None, None)]


def test_names_of_the_harness(tmp_path: Path, read_source: ReadSource) -> None:
    """MODEL.RUN.report.json names model and run; the best of several trials is an agent of its own."""
    write(tmp_path / "kite-5.2.pass.report.json", report(passed_ids=["a"]))
    write(tmp_path / "kite-5.2.opt@3.pass.report.json", report(passed_ids=["a"], summary={"k": 3}))
    table = read_source(SOURCE, tmp_path)
    assert sorted(table.rows("agent", "model_requested", "job")) == [
        ("kite-5.2", "kite-5.2", "pass"),
        ("kite-5.2 (best of 3)", "kite-5.2", "pass"),
    ]
    assert table.frame["agent_digest"].n_unique() == 2


def test_stated(tmp_path: Path) -> None:
    """Summaries of reports state scores; the manifest does for the models whose report is there."""
    write(
        tmp_path / "reports/kite.json",
        report(passed_ids=["a"], summary={"score": 8.5, "score_hack_control": 4}),
    )
    summary = {"score": 8.5, "opt_base": 3}
    write(
        tmp_path / "manifest.json",
        {"models": {m: {"report": "r", "summary": summary | {"opt_commit": 1}} for m in ("kite", "lark")}},
    )
    stated = [(one.agent, one.name, one.value, one.unit, one.where) for one in SOURCE.stated(tmp_path)]
    assert ("kite", "opt@1", 8.5, "percent", "reports/kite.json: summary.score") in stated
    assert (
        "kite",
        "opt@1 without hacks",
        4.0,
        "percent",
        "reports/kite.json: summary.score_hack_control",
    ) in stated
    assert ("kite", "opt@1", 8.5, "percent", "manifest.json: models.kite.summary.score") in stated
    assert {agent for agent, *_ in stated} == {"kite"}


def test_summary_that_disagrees(tmp_path: Path, read_source: ReadSource) -> None:
    """A count that is not that of its set is noted."""
    table = read_source(
        SOURCE, write(tmp_path / "kite.json", report(passed_ids=["a"], summary={"passed_instances": 7}))
    )
    assert "the summary and the sets disagree: passed_instances is 7, and passed_ids has 1" in table.notes(
        "note"
    )


def test_damaged_reports(tmp_path: Path, read_source: ReadSource) -> None:
    """A damaged report among good ones is dropped with its reason; alone it is refused."""
    write(tmp_path / "kite.json", report(passed_ids=["a"]))
    cut = write(tmp_path / "lark.json", msgspec.json.encode(report(passed_ids=["a"]))[:-20])
    write(tmp_path / "wren.json", report(passed_ids=[1.5]))  # type: ignore[list-item]
    write(tmp_path / "other.json", {"a": 1})
    table = read_source(SOURCE, tmp_path)
    assert table.frame["agent"].to_list() == ["kite"]
    assert (table.log.rows_read, sum(table.notes("dropped").values())) == (3, 2)
    assert table.places("JSON file that is no report: not read") == ("other.json",)
    with pytest.raises(FormatError, match=r"lark\.json: not readable JSON"):
        read_source(SOURCE, cut)
    with pytest.raises(ValueRangeError, match="passed_ids holds something else than ids"):
        read_source(SOURCE, tmp_path / "wren.json")
    with pytest.raises(FormatError, match="no instance_sets"):
        read_source(SOURCE, tmp_path / "other.json")


def test_sniffing(tmp_path: Path, read_source: ReadSource) -> None:
    """Reports, and folders of reports or of a manifest, are claimed; other JSON is not."""
    path = write(tmp_path / "reports/kite.json", FULL)
    write(tmp_path / "other/other.json", {"instance_sets": {}})
    for one in (path, path.parent, tmp_path):
        match = SOURCE.sniff(one)
        assert match is not None
        assert match.confidence >= 90
    assert SOURCE.sniff(tmp_path / "other") is None
    with pytest.raises(FormatError, match="no report of GSO"):
        read_source(SOURCE, tmp_path / "other")
    with pytest.raises(UsageError, match="--anchors"):
        read_source(SOURCE, path, anchors=path)


def test_published_reports(shared: Path, read_source: ReadSource) -> None:
    """Two of the published reports: outcomes, censored speed-ups, and what the summaries state."""
    table = read_source(SOURCE, shared / "samples/gso")
    counts = dict(
        table.frame.group_by("outcome", "verdict")
        .len()
        .select(pl.format("{} {}", "outcome", pl.col("verdict").fill_null("none")), "len")
        .rows()
    )
    assert counts == {
        "completed pass": 120,
        "completed fail": 50,
        "grader_error none": 2,
        "invalid_output fail": 1,
        "no_output fail": 31,
    }
    assert table.frame["quantity"].count() == 14
    official = table.frame.explode("verdicts").unnest("verdicts").filter(name="official")
    shares = {
        agent: 100 * passed
        for agent, passed in official.group_by("agent").agg(pl.col("passed").mean()).rows()
    }
    stated = {one.agent: one.value for one in SOURCE.stated(shared / "samples/gso") if one.name == "opt@1"}
    assert stated == {"kimi-k2": 4.9, "o3": 8.82}
    assert shares == pytest.approx(stated, abs=0.005)


def test_agrees_with_the_tidy_table(shared: Path, read_source: ReadSource) -> None:
    """Verdicts, speed-ups and references are those that an independent reader found."""
    ours = read_source(SOURCE, shared / "samples/gso").frame
    both = ours.join(
        pl.read_parquet(shared / "data/gso/results.parquet"), on=["agent", "task"], suffix="_tidy"
    )
    assert both.height == 204
    assert ((both["verdict"] == "pass").fill_null(value=False)).to_list() == both["tests_passed"].to_list()
    for mine, tidy in (("quantity", "value"), ("reference", "reference_tidy")):
        assert (
            both.filter(pl.col(mine).is_not_null())[mine].to_list()
            == both.filter(pl.col(tidy).is_not_null())[tidy].to_list()
        )


def test_samples_of_others(shared: Path) -> None:
    """Nothing that other tools wrote is claimed."""
    folders = [folder for folder in (shared / "samples").iterdir() if folder.name != "gso"]
    assert [folder.name for folder in folders if SOURCE.sniff(folder)] == []


def damage(survives: Survives, data: st.DataObject) -> None:
    other = report(
        passed_ids=["j"], stats={"j": {"gm_speedup_patch_base": 1.5, "gm_speedup_commit_base": 1.2}}
    )
    files = {"reports/kite.json": msgspec.json.encode(FULL), "reports/lark.json": msgspec.json.encode(other)}
    survives(SOURCE, files, data)


@given(st.data())
@settings(max_examples=50, deadline=None)
def test_damage(survives: Survives, data: st.DataObject) -> None:
    """A damaged report is refused or dropped, or what is kept adds up."""
    damage(survives, data)


@pytest.mark.slow
@given(st.data())
@settings(max_examples=1000, deadline=None)
def test_more_damage(survives: Survives, data: st.DataObject) -> None:
    """The same, more often."""
    damage(survives, data)
