"""Ways of scoring the same quantities: bars of several heights, and graded scores beside them."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from measurand.analyze.headroom.bar_cells import Judged, TrialQuantities
from measurand.analyze.headroom.bar_cohorts import EARLY, BarOptions, Columns
from measurand.analyze.records import Finding
from measurand.errors import UsageError
from measurand.infer.headroom.bars import MULTIPLIERS
from measurand.wording import plural

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from measurand.analyze.prepare import Prepared

__all__ = ["Scored", "Scores", "scores_of"]


class Scored(NamedTuple):
    """A way of scoring, and the cells that it gives."""

    name: str
    graded: bool
    multiplier: float | None
    judged: Judged


class Scores(NamedTuple):
    """All ways of scoring that the data allow."""

    rows: list[Scored]
    field: str | None
    unavailable: list[str]


_NO_ANCHORS = (
    "Multiplicative bars and the objective are not available: they need a reference for every task (column `reference`, "
    "or --anchors FILE)."
)
_NO_FIELD = (
    "Percentiles are not available: they need a frozen field, from --field FILE, or from the early cohort where release "
    "dates and --cut DATE (or cohorts) make one."
)


def scores_of(
    prepared: Prepared,
    trials: TrialQuantities,
    cohorts: tuple[Columns, ...],
    options: BarOptions,
    told: list[Finding],
) -> Scores:
    """Score the trials in every way that the data and the options allow; remarks on tasks are added to ``told``.

    Raises:
        UsageError: there is no way, or a bar or field for none of the tasks.
    """
    anchored, given = "objective" in prepared.scores, options.bars or {}
    if not anchored and not given and not options.field:
        raise UsageError(
            "there is nothing to hold the quantities against",
            hint="give anchors (column `reference`, or --anchors FILE), --bars FILE or --field FILE",
        )
    told += _strange_tasks(prepared, given, "bars")
    named = [Scored(name, False, None, trials.at_bar(values)) for name, values in given.items()]
    field, what = _field(trials, cohorts, options)
    graded = [_from_grid(prepared, "objective", graded=True)] if anchored else []
    if field is not None:
        if options.field is not None:
            told += _strange_tasks(prepared, {"field": field}, "field")
        percentiles = trials.in_field(field, options.form)
        graded.append(Scored(f"percentiles ({options.form})", True, None, percentiles))
    return Scores(
        [*(_multiplicative(prepared, trials) if anchored else []), *named, *graded],
        what,
        [*([] if anchored else [_NO_ANCHORS]), *([] if field is not None else [_NO_FIELD])],
    )


def _multiplicative(prepared: Prepared, trials: TrialQuantities) -> list[Scored]:
    """The bars at multiples of the reference; and the answer key, where it is not the bar at the reference."""
    rows = [_at_multiple(trials, multiplier) for multiplier in MULTIPLIERS]
    key = _from_grid(prepared, "key", graded=False)
    at_reference = next(row for row in rows if row.multiplier == 1.0)
    if np.array_equal(key.judged.cells, at_reference.judged.cells, equal_nan=True):
        return rows
    return [*rows, key]


def _from_grid(prepared: Prepared, score: str, *, graded: bool) -> Scored:
    everything = np.ones(len(prepared.grid.tasks), dtype=bool)
    name = "answer key" if score == "key" else score
    return Scored(name, graded, None, Judged(prepared.grid.cells(score).planned, everything))


def _field(
    trials: TrialQuantities, cohorts: tuple[Columns, ...], options: BarOptions
) -> tuple[Mapping[str, Sequence[float]] | None, str | None]:
    """The field of the percentiles, and what it is."""
    if options.field is not None:
        return options.field, "the field given"
    early = next((cohort.columns for cohort in cohorts if cohort.name == EARLY), ())
    if not early:
        return None, None
    return trials.field_of(early), f"the {plural(len(early), 'agent')} of the early cohort"


def _at_multiple(trials: TrialQuantities, multiplier: float) -> Scored:
    name = "reference (λ = 1)" if multiplier == 1.0 else f"λ = {multiplier:g}"
    return Scored(name, False, multiplier, trials.at_multiple(multiplier))


def _strange_tasks(prepared: Prepared, given: Mapping[str, Mapping[str, object]], what: str) -> list[Finding]:
    """Tasks that bars or fields name and nobody has, and tasks that they leave out."""
    tasks, told = set(prepared.grid.tasks), list[Finding]()
    for name, values in given.items():
        strange, lacking = sorted(set(values) - tasks), sorted(tasks - set(values))
        if not tasks & set(values):
            raise UsageError(
                f"{name!r} has a value for none of the tasks", hint="name tasks as the trials do"
            )
        if strange:
            text = f"{plural(len(strange), 'task')} of {name!r} {'is' if len(strange) == 1 else 'are'} not looked at."
            told.append(Finding(severity="info", subject=what, text=text, examples=tuple(strange[:10])))
        if lacking:
            text = f"{name!r} has no value for {plural(len(lacking), 'task')}: judged on the other {len(tasks) - len(lacking)}."
            told.append(Finding(severity="warning", subject=what, text=text, examples=tuple(lacking[:10])))
    return told
