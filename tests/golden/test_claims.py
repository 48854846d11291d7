"""Claims on real leaderboards: what their first places allow to say."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl
import pytest

from measurand.analyze.claims.claims import claims
from measurand.analyze.compare import compare
from measurand.load import read
from measurand.sources.base import ReadOptions

if TYPE_CHECKING:
    from pathlib import Path

    from measurand.analyze.claims.records import Claims
    from measurand.model.table import Trials


@pytest.fixture(scope="module")
def verified(shared: Path) -> Claims:
    options = ReadOptions(suite="swebench-verified", mapping={"agent": "submission"})
    return claims(read(shared / "data" / "swebench_verified" / "results.parquet", options=options))


@pytest.fixture(scope="module")
def terminal(shared: Path) -> Trials:
    data = pl.read_parquet(shared / "data" / "terminal_bench_core" / "trials.parquet")
    rows = data.filter(~pl.col("is_duplicate")).select(
        agent=pl.col("submission").cast(pl.String),
        task=pl.col("task").cast(pl.String),
        trial=pl.int_range(pl.len()).over("submission", "task").cast(pl.String),
        verdict="passed",
        started_at=pl.col("started").cast(pl.String),
    )
    return read(rows)


def test_the_first_place_of_swe_bench_verified_is_no_record(verified: Claims) -> None:
    """Two submissions share it, and not one of the nine rivals tested is beaten."""
    best = verified.best
    assert (best.supported, best.beaten, best.rivals, best.untested) == (False, 0, 9, 164)
    assert len(best.shares_first_with) == 1
    assert best.hardest is not None
    assert (best.hardest.rival, best.hardest.difference) == (best.shares_first_with[0], 0.0)
    assert best.hardest.discordance.units == 36


def test_the_top_score_of_swe_bench_verified_is_too_high(verified: Claims) -> None:
    """396 of 500; having been picked from 174 submissions added about one point, and hardly more than two."""
    top = verified.top
    assert (top.raw, top.agents) == (396 / 500, 174)
    assert top.bias is not None
    assert 0.005 < top.bias < 0.02
    assert top.contenders < 20


def test_terminal_bench_submissions_were_run_on_different_days(terminal: Trials) -> None:
    """The guard finds that most rivals of the first were run at other times, and says which."""
    found = claims(terminal)
    apart = [one.b for one in found.timings if one.apart]
    assert (len(found.timings), len(apart)) == (9, 6)
    warned = next(finding for finding in found.findings if finding.subject == "time")
    assert warned.examples == tuple(apart)


def test_one_task_of_terminal_bench_is_lost_by_the_smaller_model(terminal: Trials) -> None:
    """Five trials of 80 tasks by the same scaffold: one task fell from five of five to none, others not for sure."""
    found = compare(terminal, "*goose_claude-4-sonnet", "*goose_claude-4-opus", margin=0.05)
    single = found.regressions
    assert single is not None
    assert (single.tasks, single.found, single.lower, single.higher) == (80, 1, 13, 8)
    assert (single.rows[0].task, single.rows[0].passes, single.rows[0].baseline_passes) == (
        "openssl-selfsigned-cert",
        0,
        5,
    )
    assert found.margin is not None
    assert found.margin.not_worse is False
