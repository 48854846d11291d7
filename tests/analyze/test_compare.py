"""Two agents side by side."""

from __future__ import annotations

import math
from itertools import product
from typing import TYPE_CHECKING, Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from measurand.analyze.compare import compare
from measurand.analyze.comparison import Comparison
from measurand.analyze.settings import Choice, Settings
from measurand.errors import UsageError
from measurand.infer.design.power import exact_sign_p

if TYPE_CHECKING:
    from tests.analyze.conftest import Make

QUICK = Settings(resamples=500)


def passing(**verdicts: str) -> list[dict[str, Any]]:
    """One letter a task: p passed, f failed, a dot was never attempted."""
    words = {"p": "pass", "f": "fail"}
    return [
        {"agent": agent, "task": f"t{n:02}", "verdict": words[letter]}
        for agent, letters in verdicts.items()
        for n, letter in enumerate(letters)
        if letter != "."
    ]


def test_clear_difference_is_said(make: Make) -> None:
    """An agent that is better on every task that differs is better, and the sentence says so with its p."""
    found = compare(make(passing(a="p" * 12, b="pp" + "f" * 10)), "a", "b")
    assert (found.n_tasks, found.a_better, found.b_better, found.equal) == (12, 10, 0, 2)
    assert found.difference.value == pytest.approx(10 / 12)
    assert found.p == found.p_discordant == pytest.approx(2 / 2**10)
    assert found.conclusion.startswith("a is better than b at the 5% level")


def test_turning_the_agents_turns_the_signs(make: Make) -> None:
    """Comparing b with a gives the same answer with the other sign."""
    trials = make(passing(a="ppppppppfp", b="pfpffffffp"))
    one, other = compare(trials, "a", "b", settings=QUICK), compare(trials, "b", "a", settings=QUICK)
    assert (one.a, one.b, other.a, other.b) == ("a", "b", "b", "a")
    assert one.difference.value == -(other.difference.value or math.nan)
    assert one.t == -(other.t or math.nan)
    assert (one.p, one.mean_a, one.a_better) == (other.p, other.mean_b, other.b_better)


def test_only_tasks_of_both_count(make: Make) -> None:
    """A task that one of them never attempted is in neither mean."""
    found = compare(make(passing(a="pppp..", b="..ppff")), "a", "b", settings=QUICK)
    assert (found.n_tasks, found.mean_a.value, found.mean_b.value, found.equal) == (2, 1.0, 1.0, 2)


def test_no_task_in_common_concludes_nothing(make: Make) -> None:
    """Without a task that both have there is no difference, and no number for it."""
    found = compare(make(passing(a="pp..", b="..pp")), "a", "b", settings=QUICK)
    assert (found.n_tasks, found.difference.value, found.mean_a.value, found.p_discordant) == (
        0,
        None,
        None,
        None,
    )
    assert found.conclusion.startswith("Nothing can be concluded")


def test_equal_agents_are_not_called_equal(make: Make) -> None:
    """Where no difference is shown, the sentence does not claim that there is none."""
    found = compare(make(passing(a="pppppppffffff", b="fffffffpppppp")), "a", "b", settings=QUICK)
    assert "not shown to differ" in found.conclusion
    assert "does not show that they are equal" in found.conclusion


def test_constant_difference_has_no_interval(make: Make) -> None:
    """A difference that is the same on every task has no bootstrap interval and no finite t, and is a finding."""
    found = compare(make(passing(a="p" * 8, b="f" * 8)), "a", "b", settings=QUICK)
    assert (found.difference.value, found.difference.low, found.t) == (1.0, None, None)
    assert found.difference.reason is not None
    assert found.conclusion.startswith("a is better than b")


def test_patterns_name_the_agents_in_the_order_asked_for(make: Make) -> None:
    """A pattern stands for the agent it fits, and a minus b is what was asked for."""
    trials = make(passing(alpha="pppp", zeta="ffff"))
    for a, b in (("z*", "a*"), ("zeta", "a*"), ("z*", "alpha"), ("zeta", "[!z]*"), ("zeta", "*a")):
        found = compare(trials, a, b, settings=QUICK)
        assert (found.a, found.b, found.difference.value) == ("zeta", "alpha", -1.0)


@pytest.mark.parametrize(("a", "b"), [("a", "a"), ("a", "nobody"), ("*", "*"), ("nobody", "noone")])
def test_two_agents_are_needed(make: Make, a: str, b: str) -> None:
    """The same agent twice, an unknown one, or patterns that fit more than two are refused."""
    with pytest.raises(UsageError):
        compare(make(passing(a="p", b="p", c="p")), a, b)


def test_two_configurations_of_one_name_can_be_compared(make: Make) -> None:
    """Two agents of one name are compared by the names that the standings give them."""
    rows = [
        {"agent": "k", "agent_digest": f"sha256:{digit * 16}", "task": f"t{n}", "verdict": verdict}
        for (digit, verdict), n in product((("1", "pass"), ("2", "fail")), range(8))
    ]
    found = compare(make(rows), "k@22222222", "k@11111111", settings=QUICK)
    assert (found.a, found.b, found.difference.value) == ("k@22222222", "k@11111111", -1.0)


def test_families_are_the_unit_of_a_comparison(make: Make) -> None:
    """With families the units are families, and the exact p of single tasks is not given."""
    rows = [{**row, "family": row["task"][:2]} for row in passing(a="p" * 30, b="f" * 30)]
    found = compare(make(rows), "a", "b", settings=QUICK)
    assert (found.unit, found.n_units, found.n_tasks, found.p_discordant) == ("family", 3, 30, None)
    assert found.conclusion.startswith("Nothing can be concluded")


def test_largest_differences_come_first(make: Make) -> None:
    """The tasks that differ most are listed, the largest first, equal ones left out."""
    rows = [
        {
            "agent": agent,
            "task": f"t{task}",
            "trial": str(trial),
            "verdict": "pass" if trial < passes else "fail",
        }
        for agent, cells in {"a": (4, 0, 2, 4), "b": (3, 4, 2, 0)}.items()
        for task, passes in enumerate(cells)
        for trial in range(4)
    ]
    largest = compare(make(rows), "a", "b", settings=QUICK).largest
    assert [(row.task, row.a, row.b) for row in largest] == [
        ("t1", 0.0, 1.0),
        ("t3", 1.0, 0.0),
        ("t0", 1.0, 0.75),
    ]


def test_choice_of_tasks_holds(make: Make) -> None:
    """A comparison can be restricted to some tasks, like a board."""
    trials = make(passing(a="ppff", b="ffpp"))
    found = compare(
        trials, "a", "b", choice=Choice(tasks=("t00", "t01")), settings=QUICK, command="measurand compare"
    )
    assert (found.n_tasks, found.difference.value, found.command) == (2, 1.0, "measurand compare")


letters = st.text("pf.", min_size=1, max_size=11)


@settings(max_examples=40, deadline=None)
@given(letters, letters)
def test_comparison_equals_its_naive_twin(make: Make, first: str, second: str) -> None:
    """Counts, difference and both p-values are those counted by hand, and no number is NaN or infinite."""
    if not first.strip(".") or not second.strip("."):
        return
    found = compare(make(passing(a=first, b=second)), "a", "b", settings=Settings(resamples=3_000))
    pairs = [(x, y) for x, y in zip(first, second, strict=False) if "." not in {x, y}]
    better, worse = pairs.count(("p", "f")), pairs.count(("f", "p"))
    assert (found.n_tasks, found.a_better, found.b_better) == (len(pairs), better, worse)
    if pairs:
        assert found.difference.value == pytest.approx((better - worse) / len(pairs))
        assert found.p_discordant == pytest.approx(exact_sign_p(better, worse))
        assert found.p == pytest.approx(found.p_discordant)
    assert msgspec.json.decode(msgspec.json.encode(found), type=Comparison) == found
    assert b"NaN" not in msgspec.json.encode(found)
    for value in (found.t, found.p, found.difference.low, found.difference.high):
        assert value is None or math.isfinite(value)


@given(st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4)), min_size=1, max_size=14))
@settings(max_examples=60, deadline=None)
def test_interval_and_p_value_never_contradict_each_other(make: Make, cells: list[tuple[int, int]]) -> None:
    """The interval leaves out 0 exactly when the p-value is at most the level; it comes from the same resamples."""
    rows = [
        {
            "agent": agent,
            "task": f"t{n:02}",
            "quantity": 1.0 + value,
            "baseline": 1.0,
            "reference": 2.0,
            "better": "higher",
        }
        for n, pair in enumerate(cells)
        for agent, value in zip("ab", pair, strict=True)
    ]
    found = compare(make(rows), "a", "b", settings=QUICK)
    low, high = found.difference.low, found.difference.high
    if low is None or high is None:
        assert found.difference.reason
        return
    assert found.p is not None
    assert (low > 0 or high < 0) == (found.p <= found.level)


def test_rounding_does_not_lift_an_interval_off_zero(make: Make) -> None:
    """Where the interval's end is 0 but for rounding, it contains 0, as its p-value says."""
    pairs = [(0, 1), (1, 0), (1, 0), (1, 0), (1, 0), (3, 0)]
    rows = [
        {"agent": agent, "task": f"t{n}", "quantity": float(v), "baseline": 0.0, "reference": 1.0}
        | {"kind": "interval", "better": "higher"}
        for n, pair in enumerate(pairs)
        for agent, v in zip("ab", pair, strict=True)
    ]
    found = compare(make(rows), "a", "b")
    assert found.p == pytest.approx(0.1875)
    assert found.difference.low is None or found.difference.low <= 0


def test_only_common_tasks_are_in_any_denominator(make: Make) -> None:
    """Each number of the comparison counts the tasks that both have, not all that either has."""
    found = compare(make(passing(a="pppfppfp....", b="....pfpfpfpp")), "a", "b", settings=QUICK)
    counts = (
        found.n_tasks,
        found.n_units,
        found.difference.n,
        found.detectable.n,
        found.mean_a.n,
        found.mean_b.n,
    )
    assert counts == (4, 4, 4, 4, 4, 4)
    assert found.a_better + found.b_better + found.equal == 4


def test_without_a_margin_nothing_is_said_of_it(make: Make) -> None:
    """Only a declared margin allows to say that an agent is no worse."""
    found = compare(make(passing(a="pppppp", b="pppppf")), "a", "b", settings=QUICK)
    assert found.margin is None
    assert all(note.topic != "Margin" for note in found.methods)
    assert "inferior" not in found.conclusion


def test_a_margin_is_answered_by_the_lower_bound(make: Make) -> None:
    """Equal on 100 tasks but for two each way: not worse by 10 points, and by less than that not shown."""
    trials = make(passing(a="p" * 96 + "ppff", b="p" * 96 + "ffpp"))
    wide, narrow = (compare(trials, "a", "b", settings=QUICK, margin=margin).margin for margin in (0.1, 0.02))
    assert wide is not None
    assert narrow is not None
    assert (wide.agent, wide.than, wide.not_worse, wide.equivalent) == ("a", "b", True, True)
    assert (narrow.not_worse, narrow.equivalent, narrow.low) == (False, False, wide.low)
    assert wide.low is not None
    assert -0.1 < wide.low < -0.02
    assert (wide.n, wide.level) == (100, 0.05)


def test_a_margin_is_in_units_of_the_score(make: Make) -> None:
    """A gate rate loses at most 1; 2 points are 0.02, and 2 is refused."""
    with pytest.raises(UsageError, match=r"2 points are 0\.02"):
        compare(make(passing(a="pppppp", b="pppppf")), "a", "b", settings=QUICK, margin=2)


@given(letters, letters, st.sampled_from([0.05, 0.3]))
@settings(max_examples=40, deadline=None)
def test_an_agent_found_better_is_never_short_of_the_margin(
    make: Make, first: str, second: str, margin: float
) -> None:
    """Where the test finds a better, the bound lies above 0 as well, and so above any margin."""
    both = [(x, y) for x, y in zip(first, second, strict=False) if "." not in {x, y}]
    if len(both) < 6:
        return
    found = compare(
        make(passing(a=first, b=second)), "a", "b", settings=Settings(resamples=3_000), margin=margin
    )
    if found.conclusion.startswith("a is better"):
        assert found.margin is not None
        assert found.margin.not_worse


@pytest.mark.parametrize("wins", [0, 5, 6, 9])
def test_a_comparison_says_how_many_differing_tasks_a_finding_takes(make: Make, wins: int) -> None:
    """Below six differing tasks no finding is possible at 5 %."""
    found = compare(make(passing(a="p" * 20, b="p" * (20 - wins) + "f" * wins)), "a", "b", settings=QUICK)
    assert found.discordance is not None
    assert (found.discordance.units, found.discordance.needed) == (wins, 6)
    assert (found.discordance.least_p <= 0.05) == (wins >= 6)
    assert (found.p is not None and found.p <= 0.05) == (wins >= 6)
