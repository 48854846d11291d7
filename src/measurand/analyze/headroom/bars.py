"""What a harder bar would have done: pass or fail at other heights beside graded scores, early agents beside late ones."""

from __future__ import annotations

from statistics import median
from typing import TYPE_CHECKING, NamedTuple

from measurand.analyze.findings import findings
from measurand.analyze.headroom.bar_cells import Judged, TrialQuantities
from measurand.analyze.headroom.bar_cohorts import EARLY, LATE, BarOptions, Columns, cohort_record, split
from measurand.analyze.headroom.bar_records import BarRow, Bars, BarsPart, BarWindows, CohortResult, TunedBar
from measurand.analyze.headroom.bar_scores import Scored, scores_of
from measurand.analyze.headroom.dates import Releases, as_day, releases
from measurand.analyze.headroom.saturation_rows import saturation_notes
from measurand.analyze.headroom.windows import head_test, index_of, no_windows, resolve_windows
from measurand.analyze.prepare import Prepared, prepare
from measurand.analyze.records import Finding, MethodNote
from measurand.analyze.settings import Choice, Settings
from measurand.errors import UsageError
from measurand.infer.headroom.bars import Candidate, choose_bar
from measurand.infer.headroom.resolution import resolution

if TYPE_CHECKING:
    from measurand.model.table import Trials

__all__ = ["BarOptions", "Bars", "bars", "bars_of"]


def bars(
    trials: Trials,
    choice: Choice | None = None,
    settings: Settings | None = None,
    *,
    options: BarOptions | None = None,
    command: str | None = None,
) -> Bars:
    """Say what pass or fail at a harder bar would have shown, beside graded scores of the same trials.

    Args:
        trials: what was recorded, with quantities; and with anchors, or bars in ``options``.
        choice: which rows; all when left out.
        settings: how they are judged; ``top`` is the size of a cohort's head. The score is each row's own.
        options: which bars, and on whom.
        command: the command that reproduces this.

    Returns:
        For each bar and graded score and each cohort: tiers of its head, saturation, and the share of agents at 0;
        and the bar tuned on the early cohort with its result on the late one.

    Raises:
        InputError: there are no trials, or rows that must not be ranked together.
        UsageError: no quantity, nothing to hold it against, a cut without dates, or a score.

    Source: SPEC 13b, 10.3.
    """
    choice, settings, options = choice or Choice(), settings or Settings(), options or BarOptions()
    if settings.score is not None:
        raise UsageError("every bar ranks by itself, and no score is chosen", hint="leave --score out")
    prepared = prepare(trials, choice, settings)
    found = list[Finding]()
    part = bars_of(prepared, settings, options, found)
    checks = findings(trials, prepared.selection, prepared.scored, prepared.grid, settings)
    return Bars(
        **{name: getattr(part, name) for name in BarsPart.__struct_fields__},
        suite=prepared.selection.suite,
        suite_version=prepared.selection.version,
        comparable=prepared.selection.comparable,
        findings=(*found, *checks),
        methods=_methods(settings, part),
        command=command,
    )


def bars_of(
    prepared: Prepared, settings: Settings, options: BarOptions, found: list[Finding] | None = None
) -> BarsPart:
    """Judge every bar and graded score on every cohort; remarks on names and dates are added to ``found``."""
    told = [] if found is None else found
    released = releases(prepared, options.dates)
    told += released.findings
    cohorts = split(prepared, released, options, told)
    trials = TrialQuantities.of(prepared)
    scores = scores_of(prepared, trials, cohorts, options, told)
    window_reason = None if options.window is None else no_windows(len(released.order), options.window)
    asked = _Asked(prepared, settings, released, cohorts, None if window_reason else options.window)
    rows = tuple(_row(score, asked) for score in scores.rows)
    in_cohort = {column for cohort in cohorts for column in cohort.columns}
    return BarsPart(
        cut=None if options.cut is None else as_day(options.cut, "the cut").isoformat(),
        cohorts=tuple(cohort_record(cohort, prepared, released) for cohort in cohorts),
        left_out=tuple(agent for i, agent in enumerate(prepared.grid.agents) if i not in in_cohort),
        rows=rows,
        tuned=_tuned(rows),
        form=options.form,
        field=scores.field,
        window=options.window,
        window_reason=window_reason,
        unavailable=tuple(scores.unavailable),
    )


class _Asked(NamedTuple):
    """What every row is judged by."""

    prepared: Prepared
    settings: Settings
    released: Releases
    cohorts: tuple[Columns, ...]
    window: int | None


def _row(score: Scored, asked: _Asked) -> BarRow:
    return BarRow(
        name=score.name,
        graded=score.graded,
        multiplier=score.multiplier,
        cohorts=tuple(_result(score.judged, cohort, asked) for cohort in asked.cohorts),
        windows=None if asked.window is None else _windows(score.judged, asked, asked.window),
    )


def _result(judged: Judged, cohort: Columns, asked: _Asked) -> CohortResult:
    grid = asked.prepared.grid
    found = resolution(
        judged.cells[judged.tasks][:, cohort.columns],
        test=head_test(asked.settings),
        families=None if grid.families is None else grid.families[judged.tasks],
        rng=asked.settings.seed,
    )
    index, category, t = index_of(found)
    reason = found.saturation.reason
    return CohortResult(
        cohort=cohort.name,
        n_agents=found.n_agents,
        n_tasks=found.n_tasks,
        head=tuple(grid.agents[cohort.columns[i]] for i in found.head),
        tiers=found.tier,
        n_tiers=found.n_tiers,
        n_pairs=found.n_pairs,
        n_significant=found.n_significant,
        undecided=found.undecided,
        index=index,
        category=category,
        t=t,
        zeros=found.zeros,
        zero_share=found.zero_share,
        notes=(*saturation_notes(found.saturation), *([reason] if reason else [])),
        reason=found.reason,
    )


def _windows(judged: Judged, asked: _Asked, width: int) -> BarWindows:
    found = resolve_windows(
        judged.cells,
        asked.prepared,
        asked.settings,
        width=width,
        released=asked.released,
        tasks=judged.tasks,
    )
    results = [result for _, _, result in found]
    tiers = [result.n_tiers for result in results if result.n_tiers is not None]
    indices = [result.saturation.index for result in results if result.saturation.index is not None]
    return BarWindows(
        windows=len(results),
        no_answer=len(results) - len(tiers),
        one_tier=sum(number == 1 for number in tiers),
        median_tiers=float(median(tiers)) if tiers else None,
        median_index=median(indices) if indices else None,
    )


def _tuned(rows: tuple[BarRow, ...]) -> TunedBar:
    """Choose among the multiplicative bars by the early cohort, and look how the choice does on the late one."""
    candidates = [row for row in rows if row.multiplier is not None]
    chosen, reason = _choice(candidates, EARLY)
    if chosen is None:
        return TunedBar(
            bar=None,
            multiplier=None,
            early=None,
            late=None,
            hindsight=None,
            hindsight_late=None,
            reason=reason,
        )
    hindsight, _ = _choice(candidates, LATE)
    return TunedBar(
        bar=chosen.name,
        multiplier=chosen.multiplier,
        early=chosen.of(EARLY),
        late=chosen.of(LATE),
        hindsight=None if hindsight is None else hindsight.name,
        hindsight_late=None if hindsight is None else hindsight.of(LATE),
    )


def _choice(candidates: list[BarRow], cohort: str) -> tuple[BarRow | None, str | None]:
    if not candidates:
        return None, "it needs a reference for every task, to make bars of several heights"
    results = [(row, result) for row in candidates if (result := row.of(cohort)) is not None]
    if not results:
        return (
            None,
            "it needs an early and a late cohort: release dates and --cut DATE, or a table with cohorts",
        )
    place = choose_bar(
        [Candidate(row.multiplier or 0.0, result.n_tiers, result.index) for row, result in results]
    )
    if place is None:
        return None, f"no bar allows a conclusion on the {cohort} cohort: {results[0][1].reason}"
    return results[place][0], None


def _methods(settings: Settings, part: BarsPart) -> tuple[MethodNote, ...]:
    notes = [("Bars", _BARS), ("Head", _head_note(settings)), ("Saturation", _saturation_note(settings))]
    if part.field is not None:
        notes.append(("Percentiles", _percentile_note(part)))
    if part.tuned.bar is not None:
        notes.append(("Tuned bar", _TUNED))
    if part.window is not None and part.window_reason is None:
        notes.append(("Windows", _windows_note(settings, part.window)))
    return tuple(MethodNote(topic=topic, text=text) for topic, text in notes)


_BARS = (
    "A trial is worth 1 if it passed the gate and its quantity is at least as good as the bar, else 0; a cell is the mean over "
    "the planned trials of an agent on a task. Multiplicative bars: baseline·(reference/baseline)^λ, without a baseline "
    "reference·e^(λ-1) (λ-1 negated where lower is better), baseline + λ(reference - baseline) for interval quantities; "
    "reached exactly where the unclipped objective is at least λ."
)
_TUNED = (
    "Of the multiplicative bars the one that gives the early cohort's head the most tiers, then the lowest S, then the lowest "
    "bar. Its early result is in sample; the late one is not."
)


def _head_note(settings: Settings) -> str:
    family = "all agents" if settings.top is None else f"the first {settings.top} agents"
    return (
        f"In each cohort and under each score {family} by that score: step-down max-T test over all pairs, null: "
        f"{settings.null}; family-wise level {settings.level:.0%} for each test, {settings.resamples} resamples to "
        f"begin with, seed {settings.seed}; leader rule. The tests of several scores are not controlled together."
    )


def _saturation_note(settings: Settings) -> str:
    return (
        f"S = exp(-R²), R = (mean d / sd d)·n^{settings.alpha / 2:g}, first agent of the cohort against the one at place "
        f"{settings.places}. At zero: agents whose mean is 0."
    )


def _percentile_note(part: BarsPart) -> str:
    return (
        f"Field: {part.field}; form {part.form}. Share of the field that a valid result beats, ties half; a member without a "
        "valid result is worse than any. A failed gate is 0. There is no room above the field's best."
    )


def _windows_note(settings: Settings, width: int) -> str:
    return (
        f"Every {width} agents that follow each other by day of release, tested among themselves at the family-wise "
        f"{settings.level:.0%} level, {settings.resamples} resamples, seed {settings.seed}; not controlled together."
    )
