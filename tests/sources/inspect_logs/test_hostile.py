"""Logs that are damaged, cut off or made to do harm."""

from __future__ import annotations

import json
import random
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from measurand.errors import FormatError, MeasurandError
from measurand.sources.base import ImportLog, ReadOptions
from measurand.sources.checks import check_rows
from measurand.sources.inspect_logs import files as inspect_files
from measurand.sources.inspect_logs.source import InspectSource

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.sources.conftest import Imported, Read
    from tests.sources.inspect_logs.conftest import ReadLog, WriteLog, WriteZip

    Documents = Callable[[], list[tuple[str, bytes]]]

NAMES = ("log.eval", "log.json")
UNUSABLE = {"model_usage", "working_time", "scores", "metadata", "error_retries", "limit"}
"""Fields that the tests below give another type."""


def adds_up(table: Imported, *, dropped: int) -> None:
    assert sum(table.notes("dropped").values()) == dropped
    assert table.log.rows_read == table.frame.height + dropped


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(
    ("changes", "kept"),
    [
        ({"id": ...}, 0),
        ({"epoch": "first"}, 0),
        ({"id": {"a": 1}}, 0),
        ({"id": "007", "epoch": "1"}, 1),
        ({"id": 7, "model_usage": {"m": {"input_tokens": 3.0, "output_tokens": "x"}}}, 1),
        ({"total_time": "12.5"}, 1),
        ({"working_time": "long"}, 1),
        ({"scores": [1]}, 1),
        ({"metadata": "x", "error_retries": 3, "limit": []}, 1),
        ({"input": "a\ud800b \x1b[31m", "uuid": "\udfff"}, 1),
        ({"turn_count": -3}, 1),
        ({"turn_count": 10**30, "epoch": 10**30}, 1),
    ],
)
def test_fields_of_the_wrong_type(
    name: str, changes: dict[str, Any], kept: int, sample: Any, read_log: ReadLog
) -> None:
    """A sample without a usable id or epoch is dropped; any other field of the wrong type is unknown, and said."""
    table = read_log(sample(id="good"), {"id": None, "epoch": 1} | sample(**changes), name=name)
    assert table.frame.height == 1 + kept
    adds_up(table, dropped=1 - kept)
    unusable = {note for note in table.notes("unknown") if note.endswith("of the wrong type")}
    assert unusable == {f"{field} of the wrong type" for field in UNUSABLE & changes.keys() if kept}


def test_ids_are_text(write_log: WriteLog, sample: Any, read_inspect: Read) -> None:
    """007 stays 007, and 7 is '7'."""
    table = read_inspect(write_log("log.json", sample(id="007"), sample(id=7), sample(id="ä/b")))
    assert table.frame["task"].to_list() == ["007", "7", "ä/b"]


@pytest.mark.parametrize(
    "damage",
    [b"", b"{", b"[]", b"null", b"\xff\xfe", b'{"id": "b", "epoch": 1, "input": ' + b"[" * 100_000],
)
def test_damaged_sample_is_dropped(
    damage: bytes, tmp_path: Path, write_zip: WriteZip, sample: Any, read_inspect: Read
) -> None:
    """One sample that is no JSON costs itself and nothing else."""
    header = json.dumps({"eval": {"task": "t", "model": "m"}}).encode()
    good = json.dumps(sample()).encode()
    members = {"header.json": header, "samples/a_epoch_1.json": good, "samples/b_epoch_1.json": damage}
    table = read_inspect(write_zip(tmp_path / "log.eval", members))
    assert table.frame["task"].to_list() == ["a"]
    adds_up(table, dropped=1)
    (place,) = table.places("sample that cannot be read")
    assert place.startswith("log.eval: samples/b_epoch_1.json: ")


def test_bytes_that_are_not_utf8(
    tmp_path: Path, write_zip: WriteZip, sample: Any, read_inspect: Read
) -> None:
    """Such bytes are replaced, and said: the sample is kept."""
    data = json.dumps(sample(input="MARK")).encode().replace(b"MARK", b"\xff")
    header = json.dumps({"eval": {"task": "t", "model": "m"}}).encode()
    table = read_inspect(
        write_zip(tmp_path / "l.eval", {"header.json": header, "samples/a_epoch_1.json": data})
    )
    assert table.frame.height == 1
    assert table.notes("note")["bytes that are not UTF-8 were replaced"] == 1


def test_members_that_are_not_read(
    tmp_path: Path, write_zip: WriteZip, sample: Any, read_inspect: Read
) -> None:
    """Names that lead out of the archive, of no sample, or of half a sample are refused; those of samples count as dropped."""
    data = json.dumps(sample()).encode()
    members = {
        "_journal/start.json": json.dumps({"eval": {"task": "t", "model": "m"}}).encode(),
        "samples/a_epoch_1.json": data,
        "samples/../../b_epoch_1.json": data,
        "/etc/c_epoch_1.json": data,
        "samples/d_epoch_1.txt": data,
        "samples/e_epoch_1/events/0.json": b"[]",
    }
    table = read_inspect(write_zip(tmp_path / "log.eval", members))
    assert table.frame["task"].to_list() == ["a"]
    adds_up(table, dropped=3)
    start = "member of the zip that is not read: "
    assert table.notes("dropped") == {
        f"{start}a name that leads out of the archive": 1,
        f"{start}a sample without its sample.json": 1,
        f"{start}its name is that of no sample": 1,
    }
    assert table.notes("note")[f"{start}a name that leads out of the archive"] == 1


def test_samples_that_are_too_large(
    write_log: WriteLog, sample: Any, read_inspect: Read, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A sample beyond the limit is left out before it fills the memory."""
    monkeypatch.setattr(inspect_files, "MOST_OF_A_SAMPLE", 5_000)
    for name in NAMES:
        table = read_inspect(write_log(name, sample(), sample(id="big", input="x" * 10_000)))
        assert table.frame["task"].to_list() == ["a"]
        adds_up(table, dropped=1)


def test_zip_bomb(tmp_path: Path, write_zip: WriteZip, read_inspect: Read) -> None:
    """A gigabyte of zeros that says it is small is not unpacked."""
    members = {
        "header.json": json.dumps({"eval": {"task": "t", "model": "m"}}).encode(),
        "samples/a_epoch_1.json": bytes(2**27),
    }
    path = write_zip(tmp_path / "log.eval", members, lies={"size": 300})
    with pytest.raises(FormatError, match="damaged: its length or checksum"):
        read_inspect(path)


@pytest.mark.parametrize("name", NAMES)
def test_log_that_breaks_off(name: str, write_log: WriteLog, sample: Any, read_inspect: Read) -> None:
    """What is whole before the break is read, and the break is said."""
    path = write_log(name, *(sample(id=f"t{number}") for number in range(5)))
    data = path.read_bytes()
    mark = b"samples/t3" if name == "log.eval" else b'"id": "t3"'
    path.write_bytes(data[: data.index(mark) + 40])
    table = read_inspect(path)
    assert table.frame["task"].to_list() == ["t0", "t1", "t2"]
    assert any("breaks off" in note or "lost its directory" in note for note in table.notes("note"))


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "not readable JSON"),
        (b"PK\3\4", "a zip without members"),
        (b"PK\5\6" + bytes(18), "not readable JSON"),
        (b"[]", "not a JSON object"),
        (b'{"version": 2}', "no usable 'eval'"),
        (b'{"eval": {"task": "t"}}', "no usable 'eval'"),
        (b'{"version": 2, "eval"', "not readable JSON"),
        (b"[" * 100_000, "nested too deeply|not readable JSON"),
    ],
)
def test_files_that_are_no_logs(tmp_path: Path, read_inspect: Read, content: bytes, message: str) -> None:
    """What is no log at all is refused, and the file is named."""
    (tmp_path / "log.eval").write_bytes(content)
    with pytest.raises(FormatError, match=message) as caught:
        read_inspect(tmp_path / "log.eval")
    assert caught.value.where.startswith("log.eval")


def test_zip_that_is_no_log(tmp_path: Path, write_zip: WriteZip, read_inspect: Read) -> None:
    """A zip without a header is refused."""
    with pytest.raises(FormatError, match=r"a zip without header\.json"):
        read_inspect(write_zip(tmp_path / "log.eval", {"samples/a_epoch_1.json": b"{}"}))


def test_header_that_is_damaged(tmp_path: Path, write_zip: WriteZip, sample: Any, read_inspect: Read) -> None:
    """The journal's beginning stands in for a header that cannot be read."""
    members = {
        "_journal/start.json": json.dumps({"eval": {"task": "t", "model": "m"}}).encode(),
        "samples/a_epoch_1.json": json.dumps(sample()).encode(),
        "header.json": b"{",
    }
    table = read_inspect(write_zip(tmp_path / "log.eval", members))
    assert table.frame["suite"].to_list() == ["t"]
    assert any(note.startswith("header.json cannot be read") for note in table.notes("note"))


def test_one_bad_log_among_good_ones(write_log: WriteLog, sample: Any, read_inspect: Read) -> None:
    """A log that cannot be read is dropped; if none can be, that is an error."""
    path = write_log("logs/good.eval", sample())
    (path.parent / "bad.eval").write_bytes(b"x")
    table = read_inspect(path.parent)
    assert table.frame.height == 1
    adds_up(table, dropped=1)
    path.unlink()
    with pytest.raises(FormatError, match="not readable JSON"):
        read_inspect(path.parent)


def test_folders(write_log: WriteLog, sample: Any, read_inspect: Read, tmp_path: Path) -> None:
    """Links out of the folder are not followed, other files are named, an empty folder is refused."""
    write_log("elsewhere/secret.eval", sample(id="secret"))
    path = write_log("logs/deep/er/log.eval", sample())
    (tmp_path / "logs/leak.eval").symlink_to(tmp_path / "elsewhere/secret.eval")
    (tmp_path / "logs/leaks").symlink_to(tmp_path / "elsewhere", target_is_directory=True)
    (tmp_path / "logs/again").symlink_to(path.parent, target_is_directory=True)
    (tmp_path / "logs/other.json").write_text("{}")
    (tmp_path / "logs/logs.json").write_text("{}")
    table = read_inspect(tmp_path / "logs")
    assert table.frame["task"].to_list() == ["a"]
    assert table.notes() == {
        "link that leaves the folder: not followed": 2,
        "JSON file that is no log: not read": 1,
    }
    adds_up(table, dropped=2)
    (tmp_path / "empty").mkdir()
    with pytest.raises(FormatError, match="no logs of Inspect AI"):
        read_inspect(tmp_path / "empty")


def test_empty_log_is_said(write_log: WriteLog, read_inspect: Read) -> None:
    """A log whose evaluation failed before any sample gives no trial, and says so."""
    table = read_inspect(write_log("log.json", status="error"))
    assert table.frame.is_empty()
    assert table.notes()["log without samples"] == 1


def test_sniffing(write_log: WriteLog, sample: Any, tmp_path: Path, write_zip: WriteZip) -> None:
    """Logs and folders of logs are claimed; other zips, other JSON, empty and missing files are not."""
    source = InspectSource()
    log = write_log("logs/log.eval", sample())
    plain = write_log("logs/deep/log.json", sample())
    renamed = tmp_path / "renamed.bin"
    renamed.write_bytes(log.read_bytes())
    for path in (log, plain, renamed, tmp_path / "logs", tmp_path):
        match = source.sniff(path)
        assert match is not None
        assert match.confidence >= 90
    (tmp_path / "none").mkdir()
    (tmp_path / "none/empty.eval").write_bytes(b"")
    (tmp_path / "none/other.json").write_text('{"version": 2, "status": "x"}')
    write_zip(tmp_path / "none/other.eval", {"a.txt": b""})
    write_zip(tmp_path / "none/other.zip", {"header.json": b""})
    for path in (tmp_path / "none", *(tmp_path / "none").iterdir(), tmp_path / "missing"):
        assert source.sniff(path) is None


def mutated(data: bytes, seed: int) -> bytes:
    """A log with bytes flipped, pieces cut out or doubled, or its end lost."""
    rng = random.Random(seed)  # noqa: S311 - damage, not secrets
    changed = bytearray(data)
    for _ in range(rng.randint(1, 4)):
        place = rng.randrange(len(changed)) if changed else 0
        way = rng.randrange(5)
        if way == 0 and changed:
            changed[place] ^= 1 << rng.randrange(8)
        elif way == 1:
            del changed[place : place + rng.randint(1, 200)]
        elif way == 2:
            changed[place:place] = changed[place : place + rng.randint(1, 50)]
        elif way == 3:
            del changed[place:]
        else:
            changed[place : place + 4] = rng.choice(
                [b"null", b"NaN,", b"\xff\xff\xff\xff", b'"\\ud8', b"1e99"]
            )
    return bytes(changed)


def pruned(value: Any, rng: random.Random) -> Any:
    """A value with keys deleted and values replaced at random."""
    odd: list[Any] = [None, 3, "x", [], {}, -1, 1e308, float("nan"), True, "2026-01-05T09:00:00Z", 2**70]
    if rng.random() < 0.02:
        return rng.choice(odd)
    if isinstance(value, dict):
        return {name: pruned(one, rng) for name, one in value.items() if rng.random() > 0.02}
    if isinstance(value, list):
        return [pruned(one, rng) for one in value]
    return value


def read_whatever(path: Path) -> None:
    """Read with traces; only errors of ours may come."""
    log = ImportLog("inspect", str(path), keep_trace=lambda drafts: str(len(list(drafts))))
    source = InspectSource()
    try:
        source.sniff(path)
        rows = [check_rows(frame, log) for frame in source.read(path, ReadOptions(), log)]
        list(source.stated(path))
    except MeasurandError:
        return
    report = log.report(rows_kept=sum(frame.height for frame in rows), policy="refuse")
    assert report.rows_read == report.rows_kept + report.dropped


def check_mutations(folder: Path, seed: int, documents: list[tuple[str, bytes]]) -> None:
    for name, data in documents:
        path = folder / name
        path.write_bytes(mutated(data, seed))
        read_whatever(path)
    plain = next(data for name, data in documents if name.endswith(".json"))
    path = folder / "pruned.json"
    rng = random.Random(seed)  # noqa: S311 - damage, not secrets
    path.write_text(json.dumps(pruned(json.loads(plain), rng)))
    read_whatever(path)


@pytest.fixture(scope="module")
def documents(shared: Path) -> Documents:
    """Samples by name. Not the bytes themselves: hypothesis would write them out."""
    folder = shared / "samples/inspect"
    names = ("approvals.eval", "errors_and_nonfinite.json", "experimental_chunked/shell_agent_chunked.eval")
    read = [(name.rpartition("/")[2], (folder / name).read_bytes()) for name in names]
    return lambda: read


_SETTINGS = settings(
    deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture], derandomize=True
)


@settings(_SETTINGS, max_examples=50)
@given(seed=st.integers(0, 2**32))
def test_mutated_logs_raise_only_our_errors(seed: int, tmp_path: Path, documents: Documents) -> None:
    """Whatever is done to a log, it is read, in part or not at all, and the report adds up."""
    check_mutations(tmp_path, seed, documents())


@pytest.mark.slow
@settings(_SETTINGS, max_examples=1000)
@given(seed=st.integers(0, 2**32))
def test_many_mutated_logs(seed: int, tmp_path: Path, documents: Documents) -> None:
    """As above, more often."""
    check_mutations(tmp_path, seed, documents())
