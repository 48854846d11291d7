"""A plan in words, tables and a figure."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import msgspec
import numpy as np
import polars as pl
import pytest
from tests.report.conftest import HOSTILE

from measurand.analyze.design.goal import Goal
from measurand.analyze.design.plan import plan
from measurand.analyze.settings import Settings
from measurand.load import read
from measurand.report import render_html, render_markdown, render_text
from measurand.report.design.figure import tasks_spec
from measurand.report.design.plan import outlook_sentence, plan_document
from measurand.report.figures import NARROW, WIDE
from measurand.report.svg import render_svg

if TYPE_CHECKING:
    from measurand.analyze.design.records import Plan

PLAIN = Goal(difference=0.2)


def made(goal: Goal = PLAIN, *, names: tuple[str, ...] = ("ada", "bob", "cyd"), **columns: Any) -> Plan:
    """Plan from three agents with three trials of each of 30 tasks."""
    rng = np.random.default_rng(4)
    ease = rng.choice([-0.2, 0.2], size=(30, len(names)))
    rows = [
        {
            "agent": name,
            "task": f"t{n}",
            "trial": str(k),
            "passed": int(rng.random() < 0.75 - 0.2 * i + ease[n, i]),
        }
        for i, name in enumerate(names)
        for n in range(30)
        for k in range(3)
    ]
    frame = pl.DataFrame(rows).with_columns(**{name: pl.lit(value) for name, value in columns.items()})
    return plan(read(frame), settings=Settings(resamples=500), goal=goal)


def sentences(found: Plan) -> list[str]:
    return list(plan_document(found).sections[0].sentences)


def test_the_answer_comes_first() -> None:
    """What it takes: difference, agents, power, tasks, trials and dollars in one sentence."""
    found = made(cost_usd=0.25)
    best = found.best
    assert best is not None
    first = sentences(found)[0]
    assert first.startswith("To show a difference of 20.0 points between ada and bob with 80% power")
    assert f"{best.tasks} tasks at {best.trials} trials each ({best.total_trials} trials in all, $" in first


def test_too_few_tasks_are_said_at_once() -> None:
    """Where the suite has too few tasks the first sentence says how many there are, the second what they reach."""
    found = made(Goal(difference=0.01))
    first, second = sentences(found)[:2]
    assert first.endswith("; there are only 30.")
    assert second.startswith("However many trials, these 30 tasks reach no difference below ")


def test_unknown_cost_is_said() -> None:
    """Unmetered pilots have no dollars in the answer, and a sentence that says why."""
    found = sentences(made())
    assert "$" not in found[0]
    assert any("The cost is not available: no trial of the pilot has a known cost" in text for text in found)


def test_lower_bounds_are_marked() -> None:
    """A cost of which a part is unknown is a lower bound wherever it stands."""
    found = made(Goal(difference=0.2, prices={"ada": 1.0}))
    assert ", ≥ $" in sentences(found)[0]
    table = plan_document(found).sections[1].tables[0]
    costs = [row.cells[[c.key for c in table.columns].index("cost_usd")].text for row in table.rows]
    assert all(text.startswith("≥ $") for text in costs)


def test_half_width_has_its_own_words() -> None:
    """The mean of one agent to plus or minus so many points."""
    found = made(Goal(half_width=0.05))
    assert sentences(found)[0].startswith("To know the mean of ada to ±5.0 points (95% interval)")
    text = render_text(plan_document(found))
    assert "Power" not in text
    assert "Neighbours" not in text


def test_budget_and_task_price_are_answered() -> None:
    """For so many dollars: tasks, difference and power; and the number of trials worth while."""
    found = made(Goal(difference=0.2, budget=30.0, price_task=2.0), cost_usd=0.1)
    texts = sentences(found)
    assert any(
        text.startswith("For $30.00: ") and "with 80% power, and the difference" in text for text in texts
    )
    assert any(text.startswith("With $2.00 for a further task, about ") for text in texts)
    poor = sentences(made(Goal(difference=0.2, budget=0.01), cost_usd=0.1))
    assert "What $0.01 reach is not available: it is too little." in poor
    unknown = sentences(made(Goal(difference=0.2, budget=1.0)))
    assert "What $1.00 reach is not available: its cost is unknown." in unknown


def test_no_plan_is_a_sentence() -> None:
    """Without an answer there is a reason, and neither table nor figure of designs."""
    found = made(names=("ada",))
    assert sentences(found) == [
        "There is no plan: needs at least 2 agents; there is 1 (a half-width is planned for one)."
    ]
    assert [section.id for section in plan_document(found).sections] == ["answer", "data", "methods"]


def test_stop_rule_is_a_table() -> None:
    """Looks have their level, and those too early to stop say so."""
    document = plan_document(made(Goal(difference=0.2, looks=6)))
    (section,) = [section for section in document.sections if section.id == "looks"]
    cells = [row.cells[2].text for row in section.tables[0].rows]
    assert cells[0] == "cannot stop"
    assert float(cells[-1]) < 0.05
    assert any(text.startswith("With 6 looks it takes at most ") for text in document.sections[0].sentences)


def test_families_are_counted_beside_tasks() -> None:
    """New tasks come in families, and the answer says how many."""
    rng = np.random.default_rng(4)
    rows = [
        {"agent": a, "task": f"t{n}", "trial": str(k), "family": f"f{n % 6}", "passed": int(rng.random() < p)}
        for a, p in (("ada", 0.8), ("bob", 0.4))
        for n in range(30)
        for k in range(2)
    ]
    found = plan(read(pl.DataFrame(rows)), settings=Settings(resamples=500), goal=PLAIN)
    assert "families of the usual size" in sentences(found)[0]
    assert "families" in [column.key for column in plan_document(found).sections[1].tables[0].columns]


@pytest.mark.parametrize("goal", [Goal(), Goal(half_width=0.1), Goal(difference=0.1, looks=3, budget=9.0)])
def test_hostile_names_are_data_in_every_format(goal: Goal) -> None:
    """Names of agents never become markup, control sequences or broken tables."""
    document = plan_document(made(goal, names=HOSTILE[:9], cost_usd=0.1))
    text, page = render_text(document), render_html(document)
    assert "\x1b" not in text
    assert "\u202e" not in text
    assert "<script>alert(1)</script>" not in page
    assert render_markdown(document)


def test_figure_is_drawn_wide_and_narrow() -> None:
    """Both sizes become a drawing that names its lines; one design alone has no curve."""
    found = made()
    for size in (WIDE, NARROW):
        spec = tasks_spec(found.designs, least=found.on_suite.least_tasks, there=30, size=size)
        drawn = render_svg(spec, key="k", title="t", description="d")
        assert "tasks that there are" in drawn
        assert "however many trials" in drawn
    assert "however many trials" not in str(tasks_spec(found.designs, least=None, there=30))
    one = made(replace(PLAIN, trials=(3,)))
    assert plan_document(one).sections[1].figures == ()


def test_outlook_is_one_sentence() -> None:
    """For a board: the gap, the tasks it takes, those that there are, and whether more trials would help."""
    (outlook, *_) = made(Goal()).neighbours
    few = msgspec.structs.replace(outlook, difference=0.014, tasks=9_950, trials=1.0, suite_tasks=500)
    begin = (
        "To show the gap of 1.4 points between ada and bob with 80% power takes about 9,950 tasks at 1 trial each;"
        " there are 500"
    )
    for change, end in (
        ({"suite_trials": 7}, ", which would take 7 trials each."),
        (
            {"suite_trials": None, "limit": 0.042},
            ", and no number of trials on these shows less than 4.2 points.",
        ),
        ({"suite_trials": None, "limit": None}, "."),
        ({"tasks": 400, "suite_trials": 1}, "."),
    ):
        found = outlook_sentence(msgspec.structs.replace(few, **change), "gate")
        assert found is not None
        assert found.replace("about 400", "about 9,950") == begin + end
    assert outlook_sentence(None, "gate") is None
    assert outlook_sentence(msgspec.structs.replace(outlook, tasks=None, reason="equal"), "gate") is None
