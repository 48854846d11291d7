"""What a reader must know about the data before believing a number."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np
import polars as pl

from measurand.analyze.means import count_units
from measurand.analyze.records import SEVERITIES, Finding, Severity
from measurand.model.outcomes import COUNTS_AS, CountsAs
from measurand.wording import plural

if TYPE_CHECKING:
    from collections.abc import Iterator

    from measurand.analyze.cells import Grid
    from measurand.analyze.select import Selection
    from measurand.analyze.settings import Settings
    from measurand.model.table import Trials

__all__ = ["findings"]

_SHOWN: Final = 10
_ENOUGH_TRIALS: Final = 10
"""Trials for each task that the protocol asks for (SPEC 15)."""
_FAIL: Final = [o.value for o, counts in COUNTS_AS.items() if counts is CountsAs.FAIL]
_NO_VERDICT: Final = [o.value for o, counts in COUNTS_AS.items() if counts is CountsAs.NO_VERDICT]


def findings(
    trials: Trials, selection: Selection, scored: pl.DataFrame, grid: Grid, settings: Settings
) -> tuple[Finding, ...]:
    """Collect the findings on the data, the gravest first."""
    found = [
        *selection.findings,
        *_coverage(selection, grid),
        *_verdicts(scored, grid),
        *_repeats(grid),
        *_costs(scored),
        *_anchors(scored, settings),
        *_families(grid),
        *_imports(trials),
    ]
    return tuple(sorted(found, key=lambda finding: SEVERITIES.index(finding.severity)))


def _finding(severity: Severity, subject: str, text: str, examples: list[str] | None = None) -> Finding:
    return Finding(severity=severity, subject=subject, text=text, examples=tuple((examples or [])[:_SHOWN]))


def _places(rows: pl.DataFrame) -> list[str]:
    """Where some of the rows stand; by their identity, when no file says."""
    names = pl.format("{}, {}, {}", "agent", "task", "trial")
    first = rows.sort("agent", "task", "trial").head(_SHOWN)
    return first.select(pl.coalesce("source_ref", names)).to_series().to_list()


def _coverage(selection: Selection, grid: Grid) -> Iterator[Finding]:
    if grid.unlisted:
        yield _finding(
            "info",
            "coverage",
            f"{grid.unlisted} of the suite's {len(grid.tasks)} tasks are named by no record; "
            "the benchmark counts them as failed for every agent.",
        )
    lacking = (grid.recorded[: len(selection.tasks)] == 0).sum(axis=0)
    short = [f"{a}: {plural(int(k), 'task')}" for a, k in zip(grid.agents, lacking, strict=True) if k]
    if not short:
        return
    if selection.declared.absent_is_fail:
        text = "Some agents have no record of some tasks; the benchmark counts absence as failure."
        yield _finding("info", "coverage", text, short)
        return
    missing = int((grid.planned == 0).sum())
    share = missing / grid.planned.size
    text = f"{missing} of {grid.planned.size} cells ({share:.1%}) are missing: an agent never attempted the task."
    yield _finding("warning", "coverage", text, short)


def _verdicts(scored: pl.DataFrame, grid: Grid) -> Iterator[Finding]:
    missing = int(grid.planned.sum() - grid.evaluated("gate").sum())
    if missing:
        counts = scored.filter(pl.col("gate").is_null()).group_by("outcome").len().sort("outcome")
        unrecorded = missing - int(counts["len"].sum())
        listed = [f"{outcome}: {count}" for outcome, count in counts.iter_rows()]
        yield _finding(
            "warning",
            "verdicts",
            f"Of {plural(int(grid.planned.sum()), 'planned trial')} {missing} {'has' if missing == 1 else 'have'} no verdict; "
            "the headline counts them as not passed, the bounds as all failed and all passed.",
            [*listed, f"planned and not recorded: {unrecorded}"] if unrecorded else listed,
        )
    late = scored.filter((pl.col("gate") == 1) & (pl.col("outcome") != "completed"))
    if late.height:
        listed = [f"{o}: {n}" for o, n in late.group_by("outcome").len().sort("outcome").iter_rows()]
        text = (
            f"{plural(late.height, 'trial')} ended badly and still passed the gate, and so counted as passed."
        )
        yield _finding("info", "verdicts", text, listed)
    none = [a for a, passes in zip(grid.agents, grid.total("gate").sum(axis=0), strict=True) if passes == 0]
    if none:
        text = f"{plural(len(none), 'agent')} passed no trial; every score is 0, whatever was handed in."
        yield _finding("info", "verdicts", text, none)
    ignored = scored.filter(pl.col("outcome").is_in(_NO_VERDICT) & pl.col("verdict").is_not_null())
    if ignored.height:
        text = f"{plural(ignored.height, 'trial')} with a verdict and an outcome that says there is none: counted as no verdict."
        yield _finding("warning", "verdicts", text, _places(ignored))
    void = scored.filter(pl.col("outcome").is_in(_FAIL) & (pl.col("verdict") == "pass"))
    if void.height:
        text = f"{plural(void.height, 'trial')} with a passed gate and nothing valid handed in: counted as failed."
        yield _finding("warning", "verdicts", text, _places(void))


def _repeats(grid: Grid) -> Iterator[Finding]:
    counts = grid.recorded[grid.recorded > 0]
    if not counts.size:
        return
    least, most = int(counts.min()), int(counts.max())
    if most == 1:
        yield _finding(
            "info",
            "trials",
            "One trial for each task: reproducibility and the spread between trials are not measurable "
            f"(at least 2 are needed, {_ENOUGH_TRIALS} are recommended).",
        )
        return
    if least != most:
        text = f"Agents have between {least} and {most} trials of a task; each cell is the mean of its own trials."
        yield _finding("info", "trials", text)
    if least < _ENOUGH_TRIALS:
        text = f"Some tasks have only {plural(least, 'trial')}; {_ENOUGH_TRIALS} are recommended for statements on consistency."
        yield _finding("info", "trials", text)


def _costs(scored: pl.DataFrame) -> Iterator[Finding]:
    cost = pl.col("cost_usd")
    known = scored.height - scored["cost_usd"].null_count()
    if 0 < known < scored.height:
        none = scored.group_by("agent").agg(cost.is_null().all()).filter("cost_usd")["agent"].sort().to_list()
        text = f"The cost of {scored.height - known} of {plural(scored.height, 'trial')} is unknown; totals are lower bounds."
        yield _finding("warning", "cost", text, [f"{agent}: no cost at all" for agent in none])
    free = scored.filter((cost == 0) & (pl.col("tokens") > 0))
    if free.height:
        text = f"{plural(free.height, 'trial')} cost 0.00 with tokens used: a free endpoint, or never priced?"
        yield _finding("warning", "cost", text, _places(free))
    tables = scored["price_table"].drop_nulls().unique().sort().to_list()
    if len(tables) > 1:
        yield _finding("warning", "cost", f"Costs rest on {len(tables)} price tables.", tables)


def _anchors(scored: pl.DataFrame, settings: Settings) -> Iterator[Finding]:
    valid = scored.filter("valid")
    if valid.is_empty():
        yield from _unanchored(scored)
        return
    scoring = settings.scoring
    beats, clipped = int(scored["beats_reference"].sum()), int(valid["clip_bound"].sum())
    text = (
        f"{beats} of {plural(scored.height, 'trial')} ({beats / scored.height:.2%}) beat the reference; the clip at "
        f"{scoring.clip:g} binds in {clipped} of {plural(valid.height, 'valid trial')} ({clipped / valid.height:.2%})."
    )
    yield _finding("info", "anchors", text)
    without = _tasks(scored, pl.col("reference").is_null().all().over("task"))
    if without:
        tasks = plural(scored["task"].n_unique(), "task")
        text = f"{len(without)} of {tasks} {'has' if len(without) == 1 else 'have'} no reference: the graded scores need one for each task and are left out."
        yield _finding("warning", "anchors", text, without)
    yield from _weak_anchors(scored, scoring.weak_anchor_ratio)
    yield from _weak_references(valid, scoring.weak_reference_share)
    lacking = scored.filter(
        (pl.col("gate") == 1) & pl.col("objective").is_null() & pl.col("reference").is_not_null()
    )
    if lacking.height:
        passed = plural(lacking.height, "trial")
        text = f"{passed} passed the gate without a quantity that can be scored; the objective is unknown."
        yield _finding("warning", "anchors", text, _places(lacking))


def _unanchored(scored: pl.DataFrame) -> Iterator[Finding]:
    """Quantities that nothing can be made of."""
    measured = scored.filter(pl.col("quantity").is_not_null() & pl.col("reference").is_null())
    if measured.height:
        text = (
            f"{plural(measured.height, 'trial')} with a quantity and no reference: it enters no score. Give anchors with "
            "--anchors FILE; or, for a quantity from 0 to 1, with --set kind=interval --set baseline=0 --set reference=1 "
            "--set better=higher."
        )
        yield _finding("warning", "anchors", text)


def _weak_anchors(scored: pl.DataFrame, least: float) -> Iterator[Finding]:
    """Tasks whose anchors are too near each other, equal, or not the same for all trials."""
    both = scored.filter(pl.col("baseline").is_not_null() & pl.col("reference").is_not_null())
    equal = _tasks(both, pl.col("baseline") == pl.col("reference"))
    if equal:
        text = f"On {plural(len(equal), 'task')} the baseline is the reference; the objective is 1 + ln(improvement) there."
        yield _finding("info", "anchors", text, equal)
    gain = (pl.col("reference") / pl.col("baseline")).log().abs()
    ratio = pl.col("kind").fill_null("ratio") == "ratio"
    weak = _tasks(both, ratio & (gain > 0) & (gain < np.log(least)))
    if weak:
        text = f"weak_anchors: on {plural(len(weak), 'task')} the reference improves on the baseline by less than {least:g} times."
        yield _finding("warning", "anchors", text, weak)
    uneven = _tasks(
        scored,
        pl.any_horizontal(
            pl.col(name).drop_nulls().n_unique().over("task") > 1 for name in ("baseline", "reference")
        ),
    )
    if uneven:
        text = f"On {plural(len(uneven), 'task')} the anchors differ between trials: fair only if measured anew with each trial."
        yield _finding("warning", "anchors", text, uneven)


def _weak_references(valid: pl.DataFrame, most: float) -> Iterator[Finding]:
    bound = _tasks(valid, pl.col("clip_bound").mean().over("task") > most)
    if bound:
        text = (
            f"weak_reference: on {plural(len(bound), 'task')} more than {most:.0%} of the valid trials reach the clip; a "
            "stronger reference would leave room to tell agents apart."
        )
        yield _finding("warning", "anchors", text, bound)


def _tasks(rows: pl.DataFrame, chosen: pl.Expr) -> list[str]:
    return rows.filter(chosen)["task"].unique().sort().to_list()


def _families(grid: Grid) -> Iterator[Finding]:
    if grid.families is None:
        return
    count = count_units(grid.families, len(grid.tasks))
    few = " With so few families a normal interval is optimistic." if count < 20 else ""
    text = f"{plural(len(grid.tasks), 'task')} in {plural(count, 'family', 'families')}; intervals and tests resample families.{few}"
    yield _finding("warning" if few else "info", "families", text)


def _imports(trials: Trials) -> Iterator[Finding]:
    if trials.duplicates:
        text = f"{plural(trials.duplicates, 'row')} merged with an equal record of the same trial."
        yield _finding("info", "import", text)
    if trials.conflicts:
        text = f"{plural(len(trials.conflicts), 'trial')} with records that disagree, resolved by a named policy."
        listed = [f"{c.agent}, {c.task}, {c.trial}: {' and '.join(c.rows)}" for c in trials.conflicts]
        yield _finding("warning", "import", text, listed)
    for report in trials.reports:
        for note in report.notes:
            severity: Severity = "info" if note.kind == "note" else "warning"
            text = f"{plural(note.count, 'row')}: {note.what}" + {
                "dropped": " (left out)",
                "unknown": " (taken as unknown)",
            }.get(note.kind, "")
            yield _finding(severity, "import", text + ".", list(note.examples))
