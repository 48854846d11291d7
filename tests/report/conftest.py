"""Boards and comparisons built by hand: what reports are drawn from, with the difficult cases in them."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, Any

import msgspec
import pytest

from measurand.analyze.board import Board
from measurand.analyze.comparison import Comparison, TaskDifference
from measurand.analyze.records import (
    AgentRow,
    Estimate,
    Finding,
    GateRate,
    Meter,
    MethodNote,
    PairRow,
    SaturationRow,
    ScoreSummary,
    TierRow,
    TierTest,
)

if TYPE_CHECKING:
    from collections.abc import Callable

HOSTILE = (
    "<script>alert(1)</script>",
    "quote\"d ' & </svg><b>bold</b>",
    "\u202egnp.exe\u202c",
    "وكيل الاختبار",
    "🤖👩‍🚀 agent",
    "x" * 500,
    "pipe | and *stars* `tick` [link](https://example.com)",
    "line\nbreak\x1b[2J\x00",
    "=HYPERLINK(1)",
    "",
)


def estimate(value: float | None, half: float = 0.04, n: int = 154) -> Estimate:
    if value is None:
        return Estimate(value=None, reason="no task", n=n)
    return Estimate(value=value, low=value - half, high=value + half, level=0.95, method="t over tasks", n=n)


def gate(rate: float, trials: int, without_verdict: int = 0) -> GateRate:
    evaluated = trials - without_verdict
    passes = min(round(rate * trials), evaluated)
    return GateRate(
        planned=msgspec.structs.replace(
            estimate(passes / trials, 0.06), high=min(passes / trials + 0.06, 1.0), method="Wilson"
        ),
        evaluated=passes / evaluated if evaluated else None,
        low=passes / trials,
        high=(passes + without_verdict) / trials,
        passes=passes,
        trials_evaluated=evaluated,
        trials_planned=trials,
    )


def meters(index: int, trials: int, passes: int) -> tuple[Meter, ...]:
    known = (trials, trials - 3, 0)[index % 3]
    total = 0.42 * known * (1 + index / 7) if known else None
    cost = Meter(
        name="cost_usd",
        unit="usd",
        known=known,
        trials=trials,
        total=total,
        lower_bound=0 < known < trials,
        mean_known=total / known if total else None,
        median_known=total / known if total else None,
        per_success=total / passes if total and passes else None,
    )
    tokens = msgspec.structs.replace(
        cost, name="tokens", unit="tokens", total=total and total * 41_234, per_success=None
    )
    return cost, tokens


def agent_row(
    name: str, index: int, *, tested: bool = True, tier: int | None = 1, mean: float = 0.5
) -> AgentRow:
    rate = max(min(mean - 0.25, 1.0), 0.0)
    missing = 4 if index % 4 == 2 else 0
    rates = gate(rate, 154, missing)
    return AgentRow(
        agent=name,
        rank=index + 1,
        tested=tested,
        rank_low=max(1, index - 1) if tested else None,
        rank_high=index + 3 if tested else None,
        tier=tier if tested else None,
        letters="ab"[: 1 + index % 2] if tested else None,
        possible_best=(tier == 1) if tested else None,
        gate=rates,
        scores=(
            ScoreSummary(score="objective", mean=estimate(mean, 0.05), given_pass=1.1, clipped=3, valid=120),
            ScoreSummary(score="key", mean=estimate(rate, 0.06), valid=rates.passes),
        ),
        family_errors=None,
        meters=meters(index, 154, rates.passes),
        tasks=154 - (index == 3),
        trials=154,
        outcomes={
            "completed": 150 - missing,
            "agent_timeout": 4,
            **({"infra_error": missing} if missing else {}),
        },
    )


def tier_test(rows: list[AgentRow], score: str = "objective") -> TierTest:
    """A test in which pairs two tiers apart, or far apart, are significant."""
    random_p = random.Random(7)  # noqa: S311 - p-values for show
    pairs = []
    for i, a in enumerate(rows):
        for b in rows[i + 1 :]:
            difference = (a.score(score).mean.value or 0) - (b.score(score).mean.value or 0)
            significant = difference > 0.12
            p = 1 / 10_001 if difference > 0.25 else random_p.uniform(0.001, 0.049)
            pairs.append(
                PairRow(
                    better=a.agent,
                    worse=b.agent,
                    difference=difference,
                    t=difference / 0.02,
                    p_raw=p / 2,
                    p_adjusted=p if significant else random_p.uniform(0.06, 1),
                    n_tasks=154,
                    significant=significant,
                )
            )
    numbers = sorted({row.tier for row in rows if row.tier is not None})
    return TierTest(
        score=score,
        family=tuple(row.agent for row in rows),
        null="signs",
        method="step-down max-T on paired t",
        level=0.05,
        n_tasks=154,
        n_units=154,
        unit="task",
        n_pairs=len(pairs),
        n_significant=sum(pair.significant for pair in pairs),
        resamples=10_000,
        exact=False,
        seed=1,
        max_standard_error=0.0021,
        missing_cells=1,
        spread=0.3,
        largest_gap=0.06,
        detectable=Estimate(value=0.081, n=154, method="normal"),
        pairs=tuple(pairs),
        tiers=tuple(
            TierRow(
                tier=number,
                agents=tuple(row.agent for row in rows if row.tier == number),
                fully_supported=None if number == 1 else number == 2,
            )
            for number in numbers
        ),
        notes=("The labels null gives the same tiers.",),
        reason=None,
    )


def board_of(names: list[str], family: int = 10) -> Board:
    """A board of the named agents, of which the first ``family`` are tested."""
    rows = [
        agent_row(name, index, tested=index < family, tier=1 + index // 4, mean=1.2 - 0.035 * index)
        for index, name in enumerate(names)
    ]
    tested = rows[:family]
    saturation = SaturationRow(
        score="objective",
        variant="paired",
        index=0.58,
        category="moderate",
        r=0.738,
        t=2.6,
        n=154,
        k=5,
        alpha=0.5,
        first=names[0],
        kth=names[min(4, len(names) - 1)],
        dominance=0.07,
        tiers=tuple(row.tier or 0 for row in tested),
    )
    return Board(
        suite="AlgoTune",
        suite_version="1.0",
        score="objective",
        comparable=True,
        n_agents=len(rows),
        n_tasks=154,
        n_trials=154 * len(rows),
        n_families=None,
        started="2026-03-01T10:00:00+00:00",
        finished="2026-03-09T11:00:00+00:00",
        standings=tuple(rows),
        tests=(tier_test(tested), tier_test(tested, "key")),
        saturation=(
            saturation,
            msgspec.structs.replace(
                saturation,
                score="key",
                index=None,
                category=None,
                r=None,
                t=None,
                dominance=0.7,
                reason="n < 2",
            ),
        ),
        findings=(
            Finding(severity="info", subject="cost", text="Cost is known for 2 of 3 agents."),
            Finding(
                severity="problem",
                subject="coverage",
                text="1 cell is missing.",
                examples=("agent-3 on task svd <b>",),
            ),
            Finding(severity="warning", subject="verdicts", text="8 trials have no verdict."),
        ),
        methods=(
            MethodNote(topic="Intervals", text="Student t over tasks at 95%."),
            MethodNote(
                topic="Tiers", text="Leader rule on the adjusted p-values of the step-down max-T test."
            ),
        ),
        command="measurand report results.parquet --score objective --seed 1",
    )


@pytest.fixture(scope="session")
def board() -> Board:
    """Fourteen agents with sober names, ten of them tested."""
    makers = ("claude-sonnet", "gpt", "gemini-pro", "deepseek", "qwen-coder", "mistral-large", "kimi")
    return board_of([f"{makers[i % 7]}-{3 + i / 10:.1f}" for i in range(14)])


@pytest.fixture(scope="session")
def hostile_board() -> Board:
    """Agents whose names try to break whatever shows them."""
    return board_of([*HOSTILE, "sober-agent"])


@pytest.fixture(scope="session")
def large_board() -> Board:
    """A leaderboard of 174 agents."""
    return board_of([f"2026{i:04d}_scaffold-{i}_model-with-a-longer-name-{i}" for i in range(174)])


@pytest.fixture(scope="session")
def lonely_board() -> Board:
    """One agent: no pair, no test, no cost."""
    board = board_of(["alone"], family=1)
    row = msgspec.structs.replace(board.standings[0], meters=(), tier=None, letters=None, possible_best=None)
    reason = "There is one agent, and nothing to compare it with."
    test = msgspec.structs.replace(
        board.test, reason=reason, tiers=(), spread=None, largest_gap=None, detectable=Estimate(value=None)
    )
    return msgspec.structs.replace(
        board, standings=(row,), tests=(test,), saturation=(), findings=(), started=None, finished=None
    )


@pytest.fixture(scope="session")
def untestable_board(board: Board) -> Board:
    """Too few tasks for any finding, and rows that are not comparable."""
    reason = "With 5 tasks the least attainable p is 0.0625: no difference can be significant at 5%."
    test = msgspec.structs.replace(board.test, reason=reason, tiers=(), n_significant=0)
    rows = tuple(
        msgspec.structs.replace(
            row, tier=None, letters=None, rank_low=None, rank_high=None, possible_best=None
        )
        for row in board.standings
    )
    return msgspec.structs.replace(board, standings=rows, tests=(test,), comparable=False)


@pytest.fixture(scope="session")
def comparison(board: Board) -> Comparison:
    """Two agents, the first better."""
    a, b = board.standings[0], board.standings[6]
    return Comparison(
        suite="AlgoTune",
        suite_version="1.0",
        score="objective",
        a=a.agent,
        b=b.agent,
        comparable=True,
        mean_a=a.score("objective").mean,
        mean_b=b.score("objective").mean,
        difference=Estimate(value=0.21, low=0.12, high=0.31, level=0.95, method="sign inversion", n=154),
        t=4.4,
        p=1 / 10_001,
        method="paired sign permutation",
        level=0.05,
        resamples=10_000,
        exact=False,
        seed=1,
        n_tasks=154,
        n_units=154,
        unit="task",
        a_better=88,
        b_better=40,
        equal=26,
        p_discordant=None,
        least_attainable_p=None,
        detectable=Estimate(value=0.13, n=154),
        conclusion=f"{a.agent} is better than {b.agent} under objective.",
        largest=(TaskDifference(task="svd", a=2.9, b=0.1), TaskDifference(task="<i>fft</i>", a=0.2, b=1.1)),
        meters_a=a.meters,
        meters_b=b.meters,
        findings=(),
        methods=(MethodNote(topic="Difference", text="Mean of the paired differences over common tasks."),),
        command="measurand compare results.parquet a b",
    )


@pytest.fixture(scope="session")
def changed() -> Callable[..., Any]:
    """Copy of a record with other values in some fields."""
    return msgspec.structs.replace
