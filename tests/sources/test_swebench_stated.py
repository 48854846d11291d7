"""Shares of resolved instances that SWE-bench's own files state."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec
import polars as pl
import pytest

from measurand.errors import FormatError
from measurand.sources.swebench.source import SwebenchSource

if TYPE_CHECKING:
    from pathlib import Path

    from tests.sources.conftest import Read

SOURCE = SwebenchSource()


def write(path: Path, content: Any) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content if isinstance(content, bytes) else msgspec.json.encode(content))
    return path


def stated(path: Path) -> list[tuple[str, str, float, str]]:
    return [(one.agent, one.name, one.value, one.unit) for one in SOURCE.stated(path)]


def test_results_of_a_submission(tmp_path: Path) -> None:
    """A list of resolved instances states their share of the split, where its size is known; ids listed twice count once."""
    write(tmp_path / "lite/kite/results/results.json", {"resolved": ["a", "b", "b"], "no_logs": []})
    write(tmp_path / "mine/lark/results/results.json", {"resolved": ["a"], "no_logs": []})
    wanted = ("kite", "resolved", 100 * 2 / 300, "percent")
    assert stated(tmp_path) == [wanted]
    assert stated(tmp_path / "lite/kite/results/results.json") == [wanted]


def test_reports_and_leaderboards(tmp_path: Path) -> None:
    """Reports state counts of all instances of their data; leaderboards state shares and costs, by submission."""
    write(
        tmp_path / "acme__kite.run7.json", {"resolved_instances": 3, "total_instances": 4, "resolved_ids": []}
    )
    entries = [
        {"folder": "2026_kite", "name": "Kite", "resolved": 62.5, "instance_cost": 0.5},
        {"name": "Lark", "resolved": "bad", "instance_cost": None},
    ]
    write(tmp_path / "leaderboards.json", {"leaderboards": [{"name": "Verified", "results": entries}]})
    assert stated(tmp_path) == [
        ("acme__kite", "resolved", 75.0, "percent"),
        ("2026_kite", "resolved", 62.5, "percent"),
        ("2026_kite", "cost per instance", 0.5, "USD"),
    ]
    board = list(SOURCE.stated(tmp_path))[1]
    assert board.where == "leaderboards.json: Verified: 2026_kite: resolved"


def test_broken_files(tmp_path: Path) -> None:
    """A file that cannot be read is refused; one that states nothing gives nothing."""
    write(tmp_path / "a.json", {"resolved_instances": "x", "total_instances": 0})
    assert stated(tmp_path) == []
    write(tmp_path / "a.json", b'{"resolved_instances": 1, "total_instances":')
    with pytest.raises(FormatError, match=r"a\.json"):
        stated(tmp_path)


def test_real_samples(shared: Path, read_swebench: Read) -> None:
    """What the samples state is what their trials give: 79.2 % of Verified; 17.4 and 34.8 % of the dev split of Lite."""
    path = shared / "samples/swebench_experiments"
    said = {one.agent: one.value for one in SOURCE.stated(path) if one.name == "resolved"}
    sonar = "20251205_sonar-foundation-agent_claude-opus-4-5"
    assert said[sonar] == 79.2
    assert said["20250928_trae_doubao_seed_code"] == 78.8
    assert len(said) == 8
    frame = read_swebench(path).frame.filter(agent=sonar)
    assert 100 * (frame["verdict"] == "pass").sum() / 500 == said[sonar]
    reports = shared / "samples/swebench_harness/sb-cli-reports"
    said = {one.agent: one.value for one in SOURCE.stated(reports)}
    assert said == {"kimi-k25-baseline": 100 * 4 / 23, "opus-46-baseline": 100 * 8 / 23}
    rates = read_swebench(reports).frame.group_by("agent").agg(100 * (pl.col("verdict") == "pass").mean())
    assert dict(rates.rows()) == pytest.approx(said)
