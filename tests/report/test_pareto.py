"""Quality against cost in words, tables and a figure."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec
import pytest
from tests.report.conftest import HOSTILE

from measurand.analyze.cost.records import (
    CostApart,
    CostRow,
    PairRates,
    Pareto,
    ParetoPart,
    RateInterval,
    RateTest,
)
from measurand.analyze.records import Estimate
from measurand.report import render_html, render_markdown, render_text
from measurand.report.cost.figure import NARROW_PLANE, WIDE_PLANE, PlanePoint, front_spec
from measurand.report.cost.pareto import pareto_document, pareto_section, pareto_sentences
from measurand.report.cost.tables import agents_table, apart_table, leads_table, pairs_table
from measurand.report.cost.words import axis_words, known_words, rate_text, rate_unit, worth
from measurand.report.names import cell_width
from measurand.report.svg import render_svg

if TYPE_CHECKING:
    from collections.abc import Sequence


def rates(low: float, high: float | None) -> RateInterval:
    return RateInterval(low=low, high=high)


def row(agent: str, quality: float, cost: float, **more: Any) -> CostRow:
    usual = CostRow(
        agent=agent,
        quality=quality,
        cost=cost,
        log2_cost=None,
        coverage=1.0,
        per_success=Estimate(value=cost / quality, low=cost, high=2 * cost / quality, level=0.95, n=40),
        per_success_at_least=False,
        efficient=True,
        dominated_by=None,
        lead=None,
        tested=True,
        may_be_efficient=True,
        excluded_by=(),
        supported=None,
        may_lead=(rates(0, None),),
    )
    return msgspec.structs.replace(usual, **more)


TEST = RateTest(
    family=("ada", "eve", "bob", "cyd"),
    level=0.05,
    critical_value=3.1,
    method="paired t",
    n_tasks=40,
    n_units=40,
    unit="task",
    resamples=10_000,
    exact=False,
    seed=0,
    reason=None,
    caution=None,
)
ROWS = (
    row("ada", 0.9, 3.0, lead=rates(0, 0.1), supported=rates(0, 0.05), may_lead=(rates(0, 0.2),)),
    row("eve", 0.8, 2.9),
    row("bob", 0.7, 1.0, lead=rates(0.1, None), may_lead=(rates(0.05, None),)),
    row(
        "cyd",
        0.6,
        2.0,
        efficient=False,
        dominated_by="bob",
        may_be_efficient=False,
        excluded_by=("bob",),
        may_lead=(),
    ),
)
PART = ParetoPart(
    score="gate",
    meter="cost_usd",
    unit="USD",
    log_cost=False,
    coverage=1.0,
    n_tasks=40,
    n_used=40,
    n_fixed=0,
    agents=ROWS,
    apart=(
        CostApart(
            agent="dan", quality=0.95, known=0, trials=40, at_least=None, reason="no trial has a known cost"
        ),
        CostApart(agent="fay", quality=0.5, known=30, trials=40, at_least=1.5, reason="30 of 40"),
    ),
    pairs=(
        PairRates(agent="ada", rival="bob", rates=rates(0, 0.1), supported=rates(0, 0.05), p=0.01),
        PairRates(agent="cyd", rival="bob", rates=None, supported=None, p=1.0),
    ),
    test=TEST,
    other_meters=("steps",),
    reason=None,
)


def change(**more: Any) -> ParetoPart:
    return msgspec.structs.replace(PART, **more)


def document(part: ParetoPart) -> Pareto:
    return Pareto(
        **{name: getattr(part, name) for name in part.__struct_fields__},
        suite="s",
        suite_version="1",
        comparable=True,
        findings=(),
        methods=(),
        command="measurand pareto x",
    )


@pytest.mark.parametrize(
    ("interval", "price", "text", "shown"),
    [
        (rates(0, None), "any amount", "[0, ∞)", "[0, ∞)"),
        (rates(0, 0.5), "$0.02 and more", "[0, 0.5]", "[0, 0.5)"),
        (rates(0.25, None), "up to $0.04", "[0.25, ∞)", "(0.25, ∞)"),
        (rates(0.25, 0.5), "$0.02 to $0.04", "[0.25, 0.5]", "(0.25, 0.5)"),
        (rates(0.25, 0.25), "$0.04", "[0.25, 0.25]", "(0.25, 0.25)"),
        (rates(0, 0), "only where cost counts nothing", "[0, 0]", "[0, 0)"),
        (rates(12.3456, 56_789), "$0.00000018 to $0.00081", "[12.3, 56.8k]", "(12.3, 56.8k)"),
        (None, "–", "–", "–"),
    ],
)
def test_exchange_rates_in_words(interval: RateInterval | None, price: str, text: str, shown: str) -> None:
    """A high exchange rate is a low price of a point, so that the ends change places."""
    assert worth(interval, PART) == price
    assert rate_text(interval) == text
    assert rate_text(interval, shown=True) == shown


def test_a_doubling_must_bring_points() -> None:
    part = change(log_cost=True)
    assert worth(rates(0, 0.05), part) == "up to 5 points"
    assert worth(rates(0.0123, 0.05), part) == "1.23 to 5 points"
    assert worth(rates(0.05, None), part) == "5 points and more"
    assert worth(rates(0.05, None), change(log_cost=True, score="objective")) == "0.05 and more"
    assert (axis_words(part), rate_unit(part)) == ("A doubling must bring", "score per doubling")


def test_meters_have_their_units() -> None:
    tokens = change(meter="tokens", unit="tokens", score="objective")
    assert worth(rates(0, 0.000_01), tokens) == "1.00k and more"
    assert axis_words(tokens) == "0.01 is worth (tokens)"
    assert (rate_unit(tokens), known_words(tokens)) == ("score per token", "tokens are known")
    assert (rate_unit(change(meter="wall_s", unit="s")), known_words(PART)) == (
        "score per s",
        "cost is known",
    )


def test_the_answer_comes_first() -> None:
    """Who is efficient, who leads at which price, what is shown with its error, who has no place."""
    text = " ".join(pareto_sentences(PART))
    assert pareto_sentences(PART)[0].startswith("Of 4 agents whose cost is known, 3 are efficient")
    assert "By the means: ada at $0.10 and more; bob at up to $0.10." in text
    assert "eve is efficient and leads nowhere" in text
    assert (
        "at most a 5% chance of any false statement over 12 ordered pairs and all exchange rates: ada at $0.20"
        in text
    )
    assert "3 of the 4 tested may be efficient; the other 1 is shown to be dominated; 3 may lead" in text
    assert "1 agent has no recorded cost and no place: unknown, not zero (dan)" in text
    assert "1 agent is listed apart: fay: 30 of 40" in text


def test_what_weakens_the_answer_is_said() -> None:
    """Little data, skewed costs, tasks left out, costs that do not vary, a part of the agents tested."""

    def text(**more: Any) -> str:
        return " ".join(pareto_sentences(change(**more)))

    assert "Nothing of this is shown: too few" in text(test=msgspec.structs.replace(TEST, reason="too few"))
    assert "Caution: skewed." in text(test=msgspec.structs.replace(TEST, caution="skewed"))
    assert "over the 30 of 40 tasks" in text(n_used=30)
    assert "The cost of 4 agents is the same on every task" in text(n_fixed=4)
    part = msgspec.structs.replace(TEST, family=("ada", "eve"))
    assert "all others of the 2 tested" in text(test=part)
    bare = tuple(msgspec.structs.replace(one, supported=None) for one in ROWS)
    assert "No agent is shown to beat all the others" in text(agents=bare)


def test_one_leader_and_one_agent() -> None:
    alone = msgspec.structs.replace(ROWS[0], lead=rates(0, None))
    assert pareto_sentences(change(agents=(alone,)))[0].startswith("ada alone has a place")
    two = (alone, ROWS[3])
    assert "By the means, ada leads whatever the score is worth." in pareto_sentences(change(agents=two))


def test_nobody_has_a_place() -> None:
    """No cost at all is told from costs that are partly known, and other meters are named."""
    none = change(agents=(), test=None, apart=PART.apart[:1], reason="nobody")
    (only,) = pareto_sentences(none)
    assert only.startswith("No trial records its cost")
    assert only.endswith("unknown, not zero. Other meters are recorded: steps (--meter).")
    partly = pareto_sentences(change(agents=(), test=None, reason="nobody"))
    assert "fay, 75.0% of its trials" in partly[1]
    assert "--coverage" in partly[2]
    assert "unknown, not zero" in pareto_section(None).sentences[0]
    assert pareto_section(none).figures == ()


def test_section_of_a_board_has_figure_and_leads() -> None:
    section = pareto_section(PART)
    assert [table.id for table in section.tables] == ["cost-leads"]
    assert [figure.id for figure in section.figures] == ["front"]


def test_tables() -> None:
    """Raw ends stand beside the words; a lower bound is marked; nothing unknown is 0."""
    table = agents_table(PART)
    keys = [column.key for column in table.columns]
    ada = dict(zip(keys, table.rows[0].cells, strict=True))
    assert (ada["lead_low"].value, ada["lead_high"].value, ada["supported_high"].value) == (0, 0.1, 0.05)
    assert ada["per_success"].full == "$3.33 [3.00, 6.67]"
    cyd = dict(zip(keys, table.rows[3].cells, strict=True))
    assert (cyd["efficient"].value, cyd["dominated_by"].value, cyd["may_be_efficient"].text) == (
        False,
        "bob",
        "no",
    )
    leads, pairs, apart = leads_table(PART), pairs_table(PART), apart_table(PART)
    assert leads is not None
    assert [r.cells[0].text for r in leads.rows] == ["ada", "bob"]
    assert leads.rows[1].cells[4].text == "up to $0.20"
    assert pairs is not None
    assert [cell.text for cell in pairs.rows[0].cells] == [
        "ada",
        "bob",
        "[0, 0.1]",
        "$0.10 and more",
        "[0, 0.05)",
        "0.010",
    ]
    assert len(pairs.rows) == 1
    assert apart is not None
    assert [r.cells[2].text for r in apart.rows] == ["unknown", "≥ $1.50"]


@pytest.mark.parametrize(
    ("estimate", "at_least", "text"),
    [
        (Estimate(value=2.0, low=1.0, high=None, level=0.95), False, "$2.00 [1.00, no end)"),
        (Estimate(value=2.0, reason="unknown trials"), True, "≥ $2.00"),
        (Estimate(value=None, reason="there is no success"), False, "no success"),
    ],
)
def test_cost_per_success(estimate: Estimate, text: str, *, at_least: bool) -> None:
    changed = msgspec.structs.replace(ROWS[0], per_success=estimate, per_success_at_least=at_least)
    table = agents_table(change(agents=(changed,)))
    place = [column.key for column in table.columns].index("per_success")
    assert table.rows[0].cells[place].full == text


def test_hostile_names_do_no_harm() -> None:
    """Names of others stay text in every format, and the figure is drawn."""
    rows = tuple(
        row(name, 0.9 - 0.05 * n, 10.0 / (n + 1), lead=rates(n / 10, (n + 1) / 10))
        for n, name in enumerate(HOSTILE)
    )
    part = change(
        agents=rows, apart=tuple(msgspec.structs.replace(PART.apart[1], agent=name) for name in HOSTILE)
    )
    page = render_html(pareto_document(document(part)))
    assert "<script>alert" not in page
    assert "\u202e" not in page
    for text in (
        render_text(pareto_document(document(part)), width=80),
        render_markdown(pareto_document(document(part))),
    ):
        assert "\x1b" not in text
        assert "\u202e" not in text


def test_document_at_eighty_columns() -> None:
    text = render_text(pareto_document(document(PART)), width=80)
    assert max(cell_width(line) for line in text.splitlines()) <= 80
    assert "λ: exchange rate, score per USD" in text


POINTS = [
    PlanePoint("ada", 3.0, 0.9, "efficient"),
    PlanePoint("bob", 0.02, 0.7, "efficient"),
    PlanePoint("cyd", 2.0, 0.6, "shown to be dominated"),
]


def front(points: Sequence[PlanePoint], **more: Any) -> dict[str, Any]:
    return front_spec(points, x_title="cost", y_title="gate rate", unit="USD", share=True, **more)


def test_figure_has_a_logarithmic_axis_unless_something_is_free() -> None:
    scale = front(POINTS)["layer"][0]["encoding"]["x"]["scale"]
    assert scale["type"] == "log"
    assert scale["domain"][0] < min(point.cost for point in POINTS)
    assert scale["domain"][1] > max(point.cost for point in POINTS)
    free = front([POINTS[0], PlanePoint("bob", 0.0, 0.7, "efficient")])["layer"][0]["encoding"]["x"]["scale"]
    assert "type" not in free
    assert free["domain"][0] == 0


def test_front_runs_from_the_cheapest_efficient_agent_to_the_right_end() -> None:
    spec = front(POINTS)
    steps = spec["layer"][0]["data"]["values"]
    assert [step["quality"] for step in steps] == [0.7, 0.9, 0.9]
    assert steps[-1]["cost"] == spec["layer"][0]["encoding"]["x"]["scale"]["domain"][1]


@pytest.mark.parametrize("size", [WIDE_PLANE, NARROW_PLANE])
@pytest.mark.parametrize("points", [POINTS, POINTS[:1], [PlanePoint("free", 0.0, 0.0, "efficient")]])
def test_figure_is_drawn(points: list[PlanePoint], size: Any) -> None:
    """Also of one agent, and of one that costs and scores nothing."""
    drawn = render_svg(front(points, size=size), key="k", title="t", description="d")
    assert points[0].agent in drawn
    assert drawn.count("<path") >= len(points)
