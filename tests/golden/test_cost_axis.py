"""The cost axis on two public boards: prices of WeirdML's models, bills of SWE-bench submissions task by task."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from measurand.analyze.cost.cost_axis import CostAxis
from measurand.analyze.cost.pareto import pareto
from measurand.load import read
from measurand.sources.base import ReadOptions

if TYPE_CHECKING:
    from pathlib import Path

    from measurand.analyze.cost.records import CostRow, Pareto
    from measurand.model.table import Trials


@pytest.fixture(scope="module")
def weirdml(shared: Path) -> Pareto:
    options = ReadOptions(
        suite="weirdml",
        mapping={"quantity": "value"},
        constants={"kind": "interval", "baseline": "0", "reference": "1", "better": "higher"},
    )
    return pareto(read(shared / "data" / "weirdml" / "results.parquet", options=options))


@pytest.fixture(scope="module")
def submissions(shared: Path) -> Trials:
    options = ReadOptions(suite="swebench-verified", mapping={"agent": "submission"})
    return read(shared / "data" / "swebench_verified" / "results.parquet", options=options)


@pytest.fixture(scope="module")
def swebench(submissions: Trials) -> Pareto:
    return pareto(submissions)


def row(found: Pareto, part: str) -> CostRow:
    (only,) = [agent for agent in found.agents if agent.agent.endswith(part)]
    return only


def test_weirdml_front(weirdml: Pareto) -> None:
    """All 87 models have a price, the same on each of 17 tasks, and 15 are efficient."""
    assert (len(weirdml.agents), weirdml.apart, weirdml.n_used, weirdml.n_fixed) == (87, (), 17, 87)
    efficient = [agent.agent for agent in weirdml.agents if agent.efficient]
    assert len(efficient) == 15
    assert efficient[:3] == ["claude-opus-4.6 (adaptive)", "gpt-5.2 (xhigh)", "gemini-3-pro-preview (high)"]
    assert efficient[-1] == "llama-3.1-8b-instruct"


def test_weirdml_exchange_rates(weirdml: Pareto) -> None:
    """The dearest leads where 0.01 of the score is worth 65 cents a trial; seven efficient models lead nowhere."""
    dear = row(weirdml, "claude-opus-4.6 (adaptive)")
    assert dear.lead is not None
    assert dear.lead.high == pytest.approx((dear.quality - 0.6991) / (dear.cost - 0.52577), rel=0.01)
    assert dear.lead.high == pytest.approx(0.015274, rel=1e-4)
    assert sum(1 for agent in weirdml.agents if agent.lead) == 8


def test_weirdml_what_is_shown(weirdml: Pareto) -> None:
    """Seventeen tasks and 7,482 ordered pairs: only the cheapest is shown to lead, where cost counts for most."""
    assert weirdml.test is not None
    assert (len(weirdml.test.family), weirdml.test.level, weirdml.test.reason) == (87, 0.05, None)
    assert [agent.agent for agent in weirdml.agents if agent.supported] == ["llama-3.1-8b-instruct"]
    assert sum(agent.may_be_efficient is False for agent in weirdml.agents) == 11


def test_swebench_places_those_with_a_bill(swebench: Pareto) -> None:
    """25 submissions have a cost for each of 500 tasks; the other 149 are listed apart, never at 0."""
    assert (len(swebench.agents), len(swebench.apart), swebench.n_used) == (25, 149, 500)
    assert all(agent.at_least is None for agent in swebench.apart)
    opus = row(swebench, "claude-opus-4-5-20251101")
    assert [opus.quality, opus.cost] == pytest.approx([0.744, 0.7212], abs=1e-4)
    assert opus.per_success.value == pytest.approx(0.7212 / 0.744, abs=1e-3)
    assert opus.per_success.low is not None


def test_swebench_exchange_rates(swebench: Pareto) -> None:
    """Five are efficient and three lead: from $1.31 a point, from 3 cents, and below."""
    efficient = [agent.agent for agent in swebench.agents if agent.efficient]
    assert len(efficient) == 5
    names = ("opus-4-5-20251101", "3-pro-preview-20251118", "v3.2-reasoner")
    leads = [lead for name in names if (lead := row(swebench, name).lead) is not None]
    assert [lead.low for lead in leads] == pytest.approx([0, 0.0076544, 0.328794], rel=1e-4)
    assert [lead.high for lead in leads[:2]] == [lead.low for lead in leads[1:]]
    assert leads[2].high is None


def test_swebench_what_is_shown(swebench: Pareto) -> None:
    """The dearest efficient pair is not told apart by quality, and the cheaper one wins where a point is worth less than 4 cents."""
    assert swebench.test is not None
    assert swebench.test.critical_value == pytest.approx(3.93, abs=0.1)
    pairs = {(p.agent.split("_")[-1], p.rival.split("_")[-1]): p for p in swebench.pairs}
    opus, gemini = "claude-opus-4-5-20251101", "gemini-3-pro-preview-20251118"
    assert pairs[opus, gemini].supported is None
    shown = pairs[gemini, opus].supported
    assert shown is not None
    assert shown.low == pytest.approx(0.253, rel=0.05)
    assert shown.high is None
    assert 7 <= sum(agent.may_be_efficient is False for agent in swebench.agents) <= 11
    assert "skewness" in (swebench.test.caution or "")


def test_swebench_on_a_logarithmic_axis(submissions: Trials) -> None:
    """Rates are per doubling of cost, and the front is by geometric means."""
    found = pareto(submissions, axis=CostAxis(log=True))
    lead = row(found, "opus-4-5-20251101").lead
    assert lead is not None
    assert lead.high == pytest.approx(0.00369, abs=1e-4)
    assert sum(agent.efficient for agent in found.agents) == 6
