"""WebArena's tables of results and logs of runs."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from measurand.errors import FormatError, UsageError
from measurand.sources.webarena.source import WebarenaSource

if TYPE_CHECKING:
    from pathlib import Path

    from tests.sources.conftest import ReadSource, Survives

SOURCE = WebarenaSource()

RESULTS = [{"t": 7, "m": "kite", "s": 1}, {"t": 8, "m": "kite", "s": 0}, {"t": 7, "m": "lark", "s": 0.5}]
MODELS = [
    {"id": "kite", "name": "Kite Agent", "success_rate": 66.9, "has_trajectories": True},
    {"id": "newt", "name": "Newt", "success_rate": None, "has_trajectories": False},
]
TASKS = [{"id": 7, "intent": "find", "site": "map", "template_id": 59, "eval_type": "url_match"}]
RAW = [
    {
        "task_id": 8,
        "intent_template": "find {{x}}",
        "intent_template_id": 60,
        "eval": {"eval_types": ["string_match"]},
    }
]
LOG = """\
2023-09-24 13:49:36,264 - INFO - [Config file]: /tmp/abc/7.json
2023-09-24 13:49:36,264 - INFO - [Intent]: find
2023-09-24 13:50:36,264 - INFO - [Result] (PASS) /tmp/abc/7.json
2023-09-24 13:50:37,264 - INFO - [Config file]: config_files/8.json
2023-09-24 13:50:38,264 - INFO - [Unhandled Error] TimeoutError('30000ms')]
2023-09-24 13:50:39,264 - INFO - [Config file]: config_files/9.json
2023-09-24 13:50:40,264 - INFO - [Config file]: config_files/10.json
2023-09-24 13:50:41,264 - INFO - [Result] (FAIL) config_files/10.json
2023-09-24 13:50:42,264 - INFO - [Config file]: config_files/8.json
2023-09-24 13:50:43,264 - INFO - [Result] (FAIL) config_files/8.json
2023-09-24 13:50:44,264 - INFO - Average score: 0.3333
2023-09-24 13:50:45,264 - INFO - [Config file]: config_files/11.json
"""


def table_folder(folder: Path, **more: Any) -> Path:
    for name, content in ({"results": RESULTS, "models": MODELS, "tasks": TASKS} | more).items():
        (folder / f"{name}.json").write_text(json.dumps(content))
    return folder


def test_table_of_results(tmp_path: Path, read_source: ReadSource) -> None:
    """Models give the agents their names, templates of the tasks are families; a fractional score is no pass."""
    table = read_source(SOURCE, table_folder(tmp_path, **{"test.raw": RAW}))
    columns = ("agent", "task", "family", "outcome", "verdict", "official_score", "attempts", "source_ref")
    assert table.rows(*columns) == [
        ("Kite Agent", "7", "template 59", "completed", "pass", 1.0, None, "results.json: record 1"),
        ("Kite Agent", "8", "template 60", "completed", "fail", 0.0, None, "results.json: record 2"),
        ("lark", "7", "template 59", "completed", "fail", 0.5, None, "results.json: record 3"),
    ]
    assert table.frame["task_digest"].is_null().to_list() == [True, False, True]
    assert table.notes() == {}
    assert table.log.declarations[0].trials == 1


@pytest.mark.parametrize("score", [None, "x", 2, -1, "NaN"])
def test_scores_that_are_none(tmp_path: Path, read_source: ReadSource, score: Any) -> None:
    """A missing score, or one outside of 0 to 1, is no verdict."""
    table = read_source(SOURCE, table_folder(tmp_path, results=[{"t": 7, "m": "kite", "s": score}]))
    assert table.rows("outcome", "verdict", "official_score") == [("grader_error", None, None)]
    assert table.notes("unknown") == {"score missing or not between 0 and 1": 1}


def test_entries_that_are_none(tmp_path: Path, read_source: ReadSource) -> None:
    """Entries without task or model are dropped, others read."""
    records = [RESULTS[0], {"t": None, "m": "kite", "s": 1}, 3, RESULTS[1]]
    table = read_source(SOURCE, table_folder(tmp_path, results=records))
    assert (table.frame.height, table.log.rows_read, sum(table.notes("dropped").values())) == (2, 4, 2)


def test_log_of_runs(tmp_path: Path, read_source: ReadSource) -> None:
    """Results pass or fail; an error or a break is no verdict; of a task run again the last result holds."""
    (tmp_path / "kite").mkdir()
    (tmp_path / "kite/merge_log.txt").write_text(LOG)
    table = read_source(SOURCE, tmp_path)
    columns = ("agent", "task", "outcome", "verdict", "reason", "attempts", "source_ref")
    assert table.rows(*columns) == [
        ("kite", "7", "completed", "pass", None, 1, "kite/merge_log.txt:3"),
        ("kite", "9", "interrupted", None, "began, and no result", 1, "kite/merge_log.txt:6"),
        ("kite", "10", "completed", "fail", None, 1, "kite/merge_log.txt:8"),
        ("kite", "8", "completed", "fail", None, 2, "kite/merge_log.txt:10"),
        ("kite", "11", "interrupted", None, "began, and no result", 1, "kite/merge_log.txt:12"),
    ]
    assert table.log.rows_read == 5


def test_error_of_a_run(tmp_path: Path, read_source: ReadSource) -> None:
    """An error that nobody handled is a fault of the harness; an error after a result does not undo it."""
    begin, error = "[Config file]: 1.json\n", "[OpenAI Error] RateLimitError('slow down')\n"
    (tmp_path / "a.txt").write_text(begin + "[Result] (PASS) 1.json\n" + begin + error)
    (tmp_path / "b.txt").write_text("[Result] (FAIL) 2.json\n[Config file]: 3.json\n" + error)
    table = read_source(SOURCE, tmp_path)
    assert table.rows("task", "outcome", "verdict", "attempts") == [
        ("1", "completed", "pass", 2),
        ("2", "completed", "fail", 1),
        ("3", "infra_error", None, 1),
    ]
    assert table.frame["reason"][2] == "OpenAI Error: RateLimitError('slow down')"


def test_logs_in_a_folder_of_logs(tmp_path: Path, read_source: ReadSource) -> None:
    """Logs in a folder for logs belong to the agent whose run the folder above is."""
    (tmp_path / "kite/log_files").mkdir(parents=True)
    (tmp_path / "kite/log_files/log_1.log").write_text("[Result] (PASS) 1.json\n")
    assert read_source(SOURCE, tmp_path).rows("agent", "task") == [("kite", "1")]


def test_stated_numbers(tmp_path: Path) -> None:
    """Success rates of the models and average scores of logs are stated."""
    table_folder(tmp_path)
    (tmp_path / "merge_log.txt").write_text(LOG)
    stated = [(one.agent, one.name, one.value, one.unit, one.where) for one in SOURCE.stated(tmp_path)]
    assert stated == [
        ("Kite Agent", "success rate", 66.9, "percent", "models.json: kite.success_rate"),
        (tmp_path.name, "average score", 0.3333, "share", "merge_log.txt:11"),
    ]


def test_damaged_models(tmp_path: Path, read_source: ReadSource) -> None:
    """Models or tasks that break off are refused, and the file is named."""
    table_folder(tmp_path)
    (tmp_path / "models.json").write_text(json.dumps(MODELS)[:-3])
    with pytest.raises(FormatError, match=r"models\.json: not readable JSON"):
        read_source(SOURCE, tmp_path)


def test_sniffing(tmp_path: Path, read_source: ReadSource) -> None:
    """Results and logs are claimed, models and tasks alone and other lists are not."""
    (tmp_path / "models.json").write_text(json.dumps(MODELS))
    (tmp_path / "x.json").write_text('[{"t": 1, "m": "a", "s": 1, "x": 2}]')
    (tmp_path / "notes.txt").write_text("Result: PASS 1.json")
    assert SOURCE.sniff(tmp_path) is None
    with pytest.raises(FormatError, match="no results of WebArena"):
        read_source(SOURCE, tmp_path)
    table_folder(tmp_path)
    (tmp_path / "merge_log.txt").write_text(LOG)
    for name, confidence in (("results.json", 90), ("merge_log.txt", 94), ("", 95)):
        match = SOURCE.sniff(tmp_path / name)
        assert match is not None
        assert match.confidence == confidence
    with pytest.raises(UsageError, match="--anchors"):
        read_source(SOURCE, tmp_path, anchors=tmp_path)


FILES = {
    "results.json": json.dumps(RESULTS).encode(),
    "models.json": json.dumps(MODELS).encode(),
    "tasks.json": json.dumps(TASKS).encode(),
    "test.raw.json": json.dumps(RAW).encode(),
    "kite/merge_log.txt": LOG.encode(),
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


def test_published_results(shared: Path, read_source: ReadSource) -> None:
    """200 results of one agent, 14 right; its stated 45.7 percent is far from that, as the extraction had failed."""
    folder = shared / "samples/webarena"
    table = read_source(SOURCE, folder)
    assert set(table.frame["agent"]) == {"AgentOccam-Judge"}
    assert table.frame.group_by("outcome", "verdict").len().sort("verdict").rows() == [
        ("completed", "fail", 186),
        ("completed", "pass", 14),
    ]
    assert table.frame["task"].n_unique() == table.log.rows_read == 200
    stated = {one.agent: one.value for one in SOURCE.stated(folder)}
    assert (len(stated), stated["AgentOccam-Judge"]) == (10, 45.7)
    tidy = pl.read_csv(shared / "data/webarena/results.csv").filter(pl.col("agent") == "agentoccam")
    both = table.frame.join(tidy.with_columns(pl.col("task").cast(pl.String)), on="task", suffix="_tidy")
    assert both.height == 200
    assert ((both["verdict"] == "pass") == both["passed"].cast(pl.String).str.to_lowercase().eq("true")).all()
