"""AlgoTune's summary."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec
import pytest

from measurand.errors import FormatError, ValueRangeError
from measurand.sources.algotune import AlgotuneSource

if TYPE_CHECKING:
    from pathlib import Path

    from tests.sources.conftest import Read, ReadText


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
