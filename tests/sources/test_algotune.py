"""AlgoTune's summary."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from measurand.errors import FormatError, ValueRangeError
from measurand.sources.algotune.source import AlgotuneSource
from measurand.sources.algotune.timings import read_timings

if TYPE_CHECKING:
    from pathlib import Path

    from tests.sources.conftest import Read, ReadText, Survives


def summary(value: Any) -> bytes:
    return msgspec.json.encode({"sort": {"kite": {"final_speedup": value}, "lark": {"final_speedup": "2"}}})


def test_speed_up_is_the_quantity(read_algotune: ReadText) -> None:
    """A number is a passed gate with a speed-up over the reference of 1, higher being better."""
    row = read_algotune(summary("1.53790")).frame.row(0, named=True)
    wanted = {
        "suite": "algotune",
        "task": "sort",
        "agent": "kite",
        "model_requested": "kite",
        "trial": "1",
        "outcome": "completed",
        "verdict": "pass",
        "quantity": 1.5379,
        "unit": "x",
        "better": "higher",
        "kind": "ratio",
        "baseline": None,
        "reference": 1.0,
        "source": "algotune",
        "source_ref": "agent_summary.json: sort/kite",
    }
    assert {name: row[name] for name in wanted} == wanted


def test_no_valid_solver_is_a_fail(read_algotune: ReadText) -> None:
    """N/A is an invalid output: a fail without a quantity, its reason in the source's word."""
    table = read_algotune(summary("N/A"))
    assert table.rows("outcome", "reason", "verdict", "quantity")[0] == (
        "invalid_output",
        "N/A",
        "fail",
        None,
    )


@pytest.mark.parametrize(
    ("value", "score"), [("4", -0.25), ("1", -1.0), ("0.25", -1.0), ("N/A", -1.0), (2, -0.5)]
)
def test_official_score_is_the_part_in_the_harmonic_mean(
    read_algotune: ReadText, value: Any, score: float
) -> None:
    """AlgoTune counts N/A and slow-downs as 1; the mean of -1/x orders as the harmonic mean does."""
    assert read_algotune(summary(value)).frame["official_score"][0] == score


@pytest.mark.parametrize(
    "value", ["n/a", "", "fast", "0", "-1.5", "inf", "nan", "1e999", "1_0", None, True, [1], 0]
)
def test_other_values_are_refused(read_algotune: ReadText, value: Any) -> None:
    """What is neither a positive number nor N/A is refused; task and model are named."""
    with pytest.raises(ValueRangeError, match=r"agent_summary\.json: sort/kite: task 'sort', model 'kite'"):
        read_algotune(summary(value))


@pytest.mark.parametrize("entry", ['{"speedup": "1"}', "3", "null"])
def test_missing_key_is_refused(read_algotune: ReadText, entry: str) -> None:
    """An entry without a speed-up is refused; task and model are named."""
    with pytest.raises(ValueRangeError, match="task 'sort', model 'kite': there is no final_speedup"):
        read_algotune(f'{{"sort": {{"kite": {entry}}}}}')


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b'{"t": {"m": {"final_speedup": "1"}, "m": {"final_speedup": "2"}}}', "the key 'm' stands twice"),
        (b'{"t": {}, "t": {}}', "the key 't' stands twice"),
        (b'{"t": {"m": {"final_speedup": "1"', "not readable JSON"),
        (b'{"t": {"\xff": 1}}', r"agent_summary\.json:1: not UTF-8: byte 0xff"),
        (b'{"t": [1]}', r"agent_summary\.json: t: not a JSON object"),
        (b"[]", "not a JSON object"),
        (b'{"": {}}', "an empty name"),
        (b"{}", "the summary is empty"),
        (b"[" * 100_000, "nested too deeply"),
        (b'{"t": {"m": {"final_speedup": NaN}}}', "not readable JSON"),
    ],
)
def test_files_that_are_refused(read_algotune: ReadText, content: bytes, message: str) -> None:
    """Repeated keys, cut files, other encodings and other shapes are refused, and the file is named."""
    with pytest.raises(FormatError, match=message):
        read_algotune(content)


def test_absent_pair_is_noted(read_algotune: ReadText) -> None:
    """A model without an entry for a task gets no row, and the log says so."""
    table = read_algotune(
        '{"t": {"a": {"final_speedup": "1"}, "b": {"final_speedup": 2}}, "u": {"a": {"final_speedup": "N/A"}}}'
    )
    assert table.log.rows_read == table.frame.height == 3
    assert table.places("the model has no entry for the task") == ("agent_summary.json: u/b",)


def test_declaration(read_algotune: ReadText) -> None:
    """The suite is declared with one trial of each model on each task."""
    (declared,) = read_algotune(summary("1")).log.declarations
    assert (declared.suite, declared.tasks, declared.trials) == ("algotune", None, 1)


def test_sniffing(tmp_path: Path, read_algotune_path: Read) -> None:
    """The summary and a folder that holds it are claimed; other JSON files and folders are not."""
    source = AlgotuneSource()
    assert source.sniff(tmp_path) is None
    (tmp_path / "reports").mkdir()
    (tmp_path / "reports/agent_summary.json").write_bytes(summary("1"))
    (tmp_path / "other.json").write_text('{"resolved": []}')
    for path in (tmp_path, tmp_path / "reports", tmp_path / "reports/agent_summary.json"):
        match = source.sniff(path)
        assert match is not None
        assert match.confidence >= 90
    assert source.sniff(tmp_path / "other.json") is None
    assert read_algotune_path(tmp_path).frame.height == 2
    with pytest.raises(FormatError, match=r"no agent_summary\.json"):
        read_algotune_path(tmp_path / "nowhere")


def test_published_summary(shared: Path, read_algotune_path: Read) -> None:
    """The published summary: 154 tasks, 18 models, 2358 numbers, 70.5628 % of all trials above 1."""
    frame = read_algotune_path(shared / "samples/algotune").frame
    assert (frame.height, frame["task"].n_unique(), frame["agent"].n_unique()) == (2772, 154, 18)
    assert frame["quantity"].count() == 2358
    assert (frame["quantity"] > 1).sum() / frame.height == pytest.approx(0.705628, abs=1e-6)


def timings(*spreads: float, success: bool = True) -> bytes:
    runs = {
        str(place): {"success": success, "avg_min_ms": 25.0 * spread, "std_min_ms": 1}
        for place, spread in enumerate(spreads)
    }
    return msgspec.json.encode(
        {"sort": {"target_time_ms": 100, "n": 4, "dataset_size": 100, "baseline_runs": runs}}
    )


def test_timings_beside_the_summary(tmp_path: Path, read_algotune: ReadText) -> None:
    """generation.json says how large the problems are: tasks get a digest, and the reference a version."""
    plain = read_algotune(summary("1.5")).frame
    assert plain.select("task_digest", "anchors_id").row(0) == (None, None)
    (tmp_path / "generation.json").write_bytes(timings(1, 1.05))
    table = read_algotune(summary("1.5"))
    row = table.frame.row(0, named=True)
    assert row["task_digest"].startswith("sha256:")
    assert row["anchors_id"].startswith("generation.json sha256:")
    assert row["quantity"] == 1.5
    assert table.notes() == {}
    (tmp_path / "generation.json").write_bytes(timings(1, 1.05).replace(b'"n":4', b'"n":5'))
    assert read_algotune(summary("1.5")).frame["task_digest"][0] != row["task_digest"]


@pytest.mark.parametrize(
    ("content", "notes"),
    [
        (
            timings(1, 1.2),
            {"runs of the reference solver differ by more than 10%: lesser speed-ups may be chance": 1},
        ),
        (timings(1, success=False), {"no timing of the reference solver": 1}),
        (b'{"other": {}}', {"no timing of the reference solver": 1}),
        (b"[1]", {"timings of the reference solver that cannot be read: not a JSON object": 1}),
        (b'{"sort": 3}', {"no timing of the reference solver": 1}),
    ],
)
def test_timings_that_say_little(
    tmp_path: Path, read_algotune: ReadText, content: bytes, notes: dict[str, int]
) -> None:
    """Unsteady, failed, absent and unreadable timings are noted; the trials are read all the same."""
    (tmp_path / "generation.json").write_bytes(content)
    table = read_algotune(summary("1.5"))
    assert table.frame.height == 2
    assert table.notes() == notes


def test_failed_runs_of_the_reference(tmp_path: Path, read_algotune: ReadText) -> None:
    """A run of the reference solver that failed is counted, and the others stand."""
    content = timings(1, 1).replace(b'"success":true', b'"success":false', 1)
    (tmp_path / "generation.json").write_bytes(content)
    assert read_algotune(summary("1.5")).notes() == {
        "runs of the reference solver that failed or have no time": 1
    }


def test_timings_behind_a_link(tmp_path: Path, read_algotune: ReadText) -> None:
    """A link that leaves the folder is not followed."""
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside/generation.json").write_bytes(timings(1))
    (tmp_path / "in").mkdir()
    (tmp_path / "in/generation.json").symlink_to(tmp_path / "outside/generation.json")
    assert read_algotune(summary("1"), name="in/agent_summary.json").frame["task_digest"].to_list() == [
        None,
        None,
    ]


def test_published_timings(shared: Path, read_algotune_path: Read) -> None:
    """The reference of all 154 tasks was timed three times; on four the times differ by more than a tenth."""
    table = read_algotune_path(shared / "samples/algotune")
    assert table.frame["task_digest"].null_count() == 0
    assert table.frame["task_digest"].n_unique() == 154
    assert list(table.notes().values()) == [4]
    tidy = pl.read_csv(shared / "data/algotune/tasks.csv")
    found = read_timings(shared / "samples/algotune/generation.json").tasks
    means = {task: 1000 * sum(timing.seconds) / len(timing.seconds) for task, timing in found.items()}
    assert means == pytest.approx(dict(tidy.select("task", "reference_time_ms_mean").rows()))


def test_samples_of_others(shared: Path) -> None:
    """Nothing that other tools wrote is claimed."""
    folders = [folder for folder in (shared / "samples").iterdir() if folder.name != "algotune"]
    assert [folder.name for folder in folders if AlgotuneSource().sniff(folder)] == []


def damage(survives: Survives, data: st.DataObject) -> None:
    survives(AlgotuneSource(), {"agent_summary.json": summary("1.5"), "generation.json": timings(1, 2)}, data)


@given(st.data())
@settings(max_examples=50, deadline=None)
def test_damage(survives: Survives, data: st.DataObject) -> None:
    """A damaged summary or file of timings is refused, or what is kept adds up."""
    damage(survives, data)


@pytest.mark.slow
@given(st.data())
@settings(max_examples=1000, deadline=None)
def test_more_damage(survives: Survives, data: st.DataObject) -> None:
    """The same, more often."""
    damage(survives, data)
