"""How reliable agents are over repeated trials: reproducibility, pass@j and pass^j, confidence, evenness of spending."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from measurand.analyze.estimates import gate_rates
from measurand.analyze.findings import findings
from measurand.analyze.means import count_units, head, ranking_means, unit_name
from measurand.analyze.prepare import Prepared, prepare
from measurand.analyze.records import Estimate, GateRate, MethodNote
from measurand.analyze.repeats.confidences import confidence_rows
from measurand.analyze.repeats.pass_curves import REACHED_BY, PassCurve, common_size, pass_curves
from measurand.analyze.repeats.records import (
    AgentReliability,
    ConfidenceRow,
    Reliability,
    ReliabilityPart,
)
from measurand.analyze.repeats.repeated_cells import Counted, cell_rows, label_counts, task_flips
from measurand.analyze.repeats.resources import Spending, quantity_consistency, spending
from measurand.analyze.repeats.task_means import Figure, task_means
from measurand.analyze.settings import Choice, Settings
from measurand.errors import UsageError
from measurand.infer.means.coverage import CLAIMED_FROM
from measurand.infer.repeats.reliability import LEAST_TRIALS, RECOMMENDED_TRIALS, rubric_label

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray

    from measurand.analyze.cells import Floats, Grid
    from measurand.model.table import Trials

__all__ = ["Reliability", "ReliabilityPart", "reliability", "reliability_of"]

_NEEDS: Final = f"needs at least {LEAST_TRIALS} trials with a verdict of a task"
_BOUNDS: Final[dict[str, tuple[float, float] | None]] = {
    "plug_in": (0.0, 1.0),
    "unbiased": None,
    "maximum": (0.5, 1.0),
    "one_minus_variance": (0.75, 1.0),
    "agreement": (0.0, 1.0),
    "flips": (0.0, 1.0),
}
"""Form of consistency -> least and greatest value of a task."""


def reliability(
    trials: Trials,
    choice: Choice | None = None,
    settings: Settings | None = None,
    *,
    abstain_below: float | None = None,
    command: str | None = None,
) -> Reliability:
    """Say how reliable the agents of one suite are over repeated trials of its tasks.

    Args:
        trials: what was recorded.
        choice: which rows; all when left out.
        settings: how they are judged; its ``level`` is the error, intervals are at 1 minus it.
        abstain_below: stated confidence below which a trial counts as abstained; without it nothing is said of abstention.
        command: the command that reproduces this.

    Returns:
        For each agent D3 in its named forms beside the gate rate, pass@j and pass^j, pair agreement, flip rate, calibration
        where confidences are stated, and the consistency of what it spends. What the data do not allow is ``None`` with
        its reason; ``reason`` says when no task has two trials.

    Raises:
        InputError: there are no trials, or rows that must not be ranked together.
        UsageError: a suite or agent that is not there, or a bound of abstention outside 0..1.

    Source: SPEC 3 and 20.
    """
    choice, settings = choice or Choice(), settings or Settings()
    prepared = prepare(trials, choice, settings)
    part = reliability_of(prepared, settings, abstain_below=abstain_below)
    return Reliability(
        **{name: getattr(part, name) for name in part.__struct_fields__},
        suite=prepared.selection.suite,
        suite_version=prepared.selection.version,
        comparable=prepared.selection.comparable,
        cells=cell_rows(prepared.grid, 1 - settings.level),
        findings=findings(trials, prepared.selection, prepared.scored, prepared.grid, settings),
        methods=_methods(part),
        command=command,
    )


def reliability_of(
    prepared: Prepared, settings: Settings, *, abstain_below: float | None = None
) -> ReliabilityPart:
    """Say how reliable the agents of a prepared selection are."""
    _, scored, grid, _ = prepared
    if abstain_below is not None and not 0 < abstain_below <= 1:
        raise UsageError(f"abstain_below is {abstain_below}", hint="pass a confidence above 0, up to 1")
    counted = Counted(grid)
    curves = pass_curves(grid) if counted.repeated else []
    spent, quantity = spending(scored, grid), quantity_consistency(scored, grid)
    figures = [
        figure for i in range(len(grid.agents)) for figure in _figures(i, counted, curves, spent, quantity)
    ]
    found = iter(task_means(figures, grid.families, settings))
    means = [
        [next(found) for _ in _figures(i, counted, curves, spent, quantity)] for i in range(len(grid.agents))
    ]
    rates = gate_rates(grid, settings)
    stated = confidence_rows(prepared, settings, abstain_below=abstain_below)
    order = head(ranking_means(grid.cells("gate").planned), grid.agents, None)
    rows = [
        _row(_Agent(i, grid, counted, rates[i], stated.get(grid.agents[i])), means[i], curves, spent)
        for i in order
    ]
    return ReliabilityPart(
        agents=tuple(rows),
        size=common_size([curve.sizes[-1] if curve.sizes else 0 for curve in curves]),
        level=1 - settings.level,
        n_tasks=len(grid.tasks),
        n_units=count_units(grid.families, len(grid.tasks)),
        unit=unit_name(grid.families),
        resamples=settings.resamples,
        seed=settings.seed,
        abstain_below=abstain_below,
        flips=task_flips(grid, counted),
        reason=None if counted.repeated else _why_not(counted),
    )


def _why_not(counted: Counted) -> str:
    if counted.trials.max(initial=0) == 0:
        return f"{_NEEDS}; no trial has a verdict"
    return f"{_NEEDS}; each has 1 ({RECOMMENDED_TRIALS} are recommended)"


def _figures(
    agent: int, counted: Counted, curves: Sequence[PassCurve], spent: Spending, quantity: Floats | None
) -> list[Figure]:
    """Figures of one agent: the forms of consistency, the curve, resources, and the quantity where there is any."""
    forms = counted.forms._asdict()
    figures = [Figure(forms[name][:, agent], _NEEDS, bounds) for name, bounds in _BOUNDS.items()]
    if curves:
        figures += curves[agent].figures()
    needs = "needs a task with at least 2 known values of cost, time or steps"
    figures.append(Figure(spent.consistency[:, agent], needs))
    if quantity is not None:
        figures.append(Figure(quantity[:, agent], "needs a task with at least 2 valid quantities above 0"))
    return figures


class _Agent(NamedTuple):
    """What is known of one agent before its means."""

    column: int
    grid: Grid
    counted: Counted
    rate: GateRate
    stated: ConfidenceRow | None


def _row(
    agent: _Agent, means: Sequence[Estimate], curves: Sequence[PassCurve], spent: Spending
) -> AgentReliability:
    forms = dict(zip(_BOUNDS, means, strict=False))
    rest = list(means[len(_BOUNDS) :])
    curve = curves[agent.column] if curves else None
    points = () if curve is None else curve.points(rest)
    after = rest[2 * len(points) :]
    trials = agent.counted.trials[:, agent.column]
    seen, repeated = trials[trials > 0], trials[trials >= LEAST_TRIALS]
    most = forms["maximum"].value
    return AgentReliability(
        agent=agent.grid.agents[agent.column],
        gate=agent.rate,
        tasks=len(repeated),
        least_trials=int(seen.min(initial=seen.max(initial=0))),
        most_trials=int(seen.max(initial=0)),
        no_verdict=agent.rate.trials_planned - agent.rate.trials_evaluated,
        d3=forms["plug_in"],
        d3_unbiased=forms["unbiased"],
        d3_max=forms["maximum"],
        d3_max_label=None if most is None else rubric_label(most),
        labels=label_counts(agent.counted.forms.maximum[:, agent.column]),
        one_minus_variance=forms["one_minus_variance"],
        agreement=forms["agreement"],
        flip_rate=forms["flips"],
        passes=points,
        resources=after[0],
        meters=spent.meters[agent.column],
        quantity=after[1] if len(after) > 1 else None,
        calibration=agent.stated,
        flags=_flags(repeated, seen),
    )


def _flags(repeated: NDArray[np.int64], seen: NDArray[np.int64]) -> tuple[str, ...]:
    flags = []
    if len(repeated) and repeated.min() < RECOMMENDED_TRIALS:
        flags.append("k_below_10")
    if len(repeated) and seen.min() != seen.max():
        flags.append("uneven_trials")
    return tuple(flags)


def _methods(part: ReliabilityPart) -> tuple[MethodNote, ...]:
    unit = "tasks" if part.unit == "task" else "families of tasks"
    notes = {
        "Which trials": "Trials with a verdict; those without one are left out of k and counted. Tasks weigh equally; "
        f"consistency is over tasks with at least {LEAST_TRIALS} trials.",
        "D3": "(2p - 1)² = 1 - 4p(1 - p) with p the share passed of k trials, mean over tasks; biased upward by "
        "4p(1 - p)/k. Unbiased: 1 - 4 k/(k - 1) p(1 - p), for comparisons across numbers of trials. D3_max: max(p, 1 - p); "
        "its labels: 1 perfectly consistent, from 0.90 rarely inconsistent, from 0.75 moderately consistent, else highly "
        "stochastic. A task that always fails has D3 = 1.",
        "pass@j and pass^j": "1 - C(k - c, j)/C(k, j) and C(c, j)/C(k, j) for c passes of k trials, mean over tasks with at least "
        f"j trials; shown as far as {REACHED_BY:.0%} of the agent's tasks have them. Bounds: planned trials without a verdict "
        "all failed, and all passed.",
        "Agreement": "1 - 2c(k - c)/(k(k - 1)): chance that two fresh trials of a task agree. Flip rate: share of tasks with "
        "both passed and failed trials.",
        "Resources": "exp(-mean coefficient of variation of cost, time and steps) in a task, standard deviation over k - 1; "
        "trials lost to the harness and unknown values stay out.",
        "Intervals": f"{part.level:.0%}: percentile bootstrap over {unit}, {part.resamples} resamples, seed {part.seed}; where each "
        "task has 0 or 1, or all have the same value, Wilson over the units. The bootstrap claims its level from "
        f"{CLAIMED_FROM['percentile']} {unit} on; there are {part.n_units}. One task: Clopper-Pearson of p, folded.",
    }
    if part.reason:
        notes = {"Which trials": notes["Which trials"]}
    if any(row.calibration for row in part.agents):
        notes["Calibration"] = (
            "Brier: mean (confidence - verdict)²; skill against always stating the pass rate; ECE over ten equal bins, biased "
            "upward and so without interval; AUROC, ties half; risk-coverage 1 for the best order, 0 for a random one. "
            "Trials of a task weigh 1/k, so that tasks weigh equally."
        )
    return tuple(MethodNote(topic=topic, text=text) for topic, text in notes.items())
