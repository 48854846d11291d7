"""Where the cap at the reference and the clip of the objective bind, and which anchors they go by (SPEC 8, 10, 13)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import msgspec
import polars as pl

from measurand.analyze.scorings.available import official_verdicts, passed_unknown
from measurand.wording import plural

if TYPE_CHECKING:
    from measurand.analyze.settings import Settings
    from measurand.score.trials import Scoring

__all__ = ["AnchorForm", "Anchors", "Binding", "TaskBinding", "anchors_of", "binding_of"]

_SHOWN: Final = 10


class TaskBinding(msgspec.Struct, frozen=True, kw_only=True):
    """How often the bounds bind on one task."""

    task: str
    valid: int
    """Trials that passed the gate and have a quantity."""
    at_cap: int
    at_clip: int


class Binding(msgspec.Struct, frozen=True, kw_only=True):
    """How often a trial beats the reference, and how often a bound of a score hides by how much."""

    trials: int
    """Recorded trials."""
    passed: int
    valid: int
    """Trials that passed the gate and have a quantity: what the shares of the bounds are of."""
    unknown: int
    """Trials that passed without a quantity that can be scored; with any, ``beats`` is a lower bound."""
    beats: int
    """Trials better than the reference."""
    at_cap: int
    """Valid trials at or above the reference: the capped score is 1, whatever they gain beyond it."""
    at_clip: int
    """Valid trials above the clip of the objective."""
    below_baseline: int
    """Valid trials worse than the baseline: 0 under every graded score, as a failed gate is."""
    clip: float
    tasks: int
    """Tasks with a valid trial."""
    tasks_all_capped: int
    """Tasks on which every valid trial is at the cap: there the capped score tells no two valid trials apart."""
    tasks_clipped: int
    """Tasks whose reference is weak by the rule: more than ``weak_share`` of their valid trials are above the clip."""
    weak_share: float
    most: tuple[TaskBinding, ...]
    """Tasks on which a bound binds most: by the share above the clip, then by the share at the cap."""
    reason: str | None = None
    """Why nothing is known of it: there is no valid trial."""
    bounds_reason: str | None = None
    """Why the valid trials do not tell how often cap and clip bind, though ``beats`` is known."""


class AnchorForm(msgspec.Struct, frozen=True, kw_only=True):
    """Tasks whose objective has one form."""

    form: str
    """``baseline and reference``, ``reference only``, ``interval`` or ``none``."""
    tasks: int


class Anchors(msgspec.Struct, frozen=True, kw_only=True):
    """The anchors that quantities are judged by."""

    forms: tuple[AnchorForm, ...]
    """Tasks by the form of their objective; a task whose trials differ in it counts in each."""
    units: tuple[str, ...]
    reference_low: float | None
    """Least reference, in ``units``."""
    reference_high: float | None
    gain_low: float | None
    """Least improvement of a reference over its baseline, as a factor above 1; ``None`` without tasks that have both."""
    gain_median: float | None
    gain_high: float | None
    ids: tuple[str, ...]
    """Versions or dates of the anchors."""
    undated: int
    """Tasks whose anchors bear neither version nor date."""
    weak: tuple[str, ...]
    """Tasks whose reference improves on the baseline by less than ``weak_below``."""
    weak_below: float
    uneven: tuple[str, ...]
    """Tasks whose anchors differ between trials."""
    trials: int
    key_official: int
    """Trials whose key is an official verdict; the others' is whether they reach the reference."""
    key_at: float
    """Improvement over the reference from which the key counts as reached."""


def binding_of(scored: pl.DataFrame, settings: Settings) -> Binding:
    """Count where the bounds bind.

    Args:
        scored: scored rows of the trial table.
        settings: clip and thresholds; ``missing_limit`` bounds the share of passed trials without a quantity from which
            the others are not taken to speak for all.

    Returns:
        The counts, all 0 with the reason where no trial is valid.
    """
    scoring = settings.scoring
    valid = scored.filter("valid").with_columns(at_cap=pl.col("unclipped") >= 1)
    tasks = (
        valid.group_by("task")
        .agg(pl.len().alias("valid"), pl.col("at_cap").sum(), pl.col("clip_bound").sum().alias("at_clip"))
        .with_columns(cap=pl.col("at_cap") / pl.col("valid"), clip=pl.col("at_clip") / pl.col("valid"))
        .sort("clip", "cap", "valid", "task", descending=[True, True, True, False])
    )
    most = tasks.filter(pl.col("at_cap") > 0).head(_SHOWN)
    passed, unknown = int((scored["gate"] == 1).sum()), passed_unknown(scored, "objective")
    return Binding(
        trials=scored.height,
        passed=passed,
        valid=valid.height,
        unknown=unknown,
        beats=int(scored["beats_reference"].sum()),
        at_cap=int(valid["at_cap"].sum()),
        at_clip=int(valid["clip_bound"].sum()),
        below_baseline=int(valid["below_baseline"].sum()),
        clip=scoring.clip,
        tasks=tasks.height,
        tasks_all_capped=int((tasks["at_cap"] == tasks["valid"]).sum()),
        tasks_clipped=int((tasks["clip"] > scoring.weak_reference_share).sum()),
        weak_share=scoring.weak_reference_share,
        most=tuple(
            TaskBinding(**row)
            for row in most.select("task", "valid", "at_cap", "at_clip").iter_rows(named=True)
        ),
        reason=None if valid.height else "no trial passed with a quantity and a reference to judge it by",
        bounds_reason=None
        if unknown <= settings.missing_limit * passed
        else f"{unknown:,} of the {plural(passed, 'trial')} that passed have no quantity that can be scored, and the "
        f"{valid.height:,} others need not be like them",
    )


def anchors_of(scored: pl.DataFrame, scoring: Scoring) -> Anchors:
    """Say which anchors the trials were judged by.

    Args:
        scored: scored rows of the trial table.
        scoring: thresholds.
    """
    anchored = scored.filter(pl.col("reference").is_not_null())
    both = pl.col("baseline").is_not_null() & (pl.col("baseline") != pl.col("reference"))
    ratio = pl.col("kind").fill_null("ratio") == "ratio"
    gain = (pl.col("reference") / pl.col("baseline")).log().abs().exp()
    pairs = anchored.filter(both & ratio).select("task", gain=gain)
    gains = pairs.group_by("task").agg(pl.col("gain").min())
    weak = gains.filter((pl.col("gain") > 1) & (pl.col("gain") < scoring.weak_anchor_ratio))
    dated = anchored.filter(pl.col("anchors_id").is_not_null())["task"].n_unique()
    return Anchors(
        forms=_forms(scored, both=both, ratio=ratio),
        units=_known(anchored["unit"]),
        reference_low=_number(anchored["reference"].min()),
        reference_high=_number(anchored["reference"].max()),
        gain_low=_number(gains["gain"].min()),
        gain_median=_number(gains["gain"].median()),
        gain_high=_number(gains["gain"].max()),
        ids=_known(anchored["anchors_id"]),
        undated=anchored["task"].n_unique() - dated,
        weak=_known(weak["task"]),
        weak_below=scoring.weak_anchor_ratio,
        uneven=_uneven(anchored),
        trials=scored.height,
        key_official=official_verdicts(scored) if scoring.key_at is None else 0,
        key_at=1.0 if scoring.key_at is None else scoring.key_at,
    )


def _forms(scored: pl.DataFrame, *, both: pl.Expr, ratio: pl.Expr) -> tuple[AnchorForm, ...]:
    has = pl.col("reference").is_not_null()
    of_rows = {
        "baseline and reference": has & ratio & both,
        "reference only": has & ratio & both.not_(),
        "interval": has & ratio.not_(),
    }
    counts = {form: _tasks(scored, chosen) for form, chosen in of_rows.items()}
    counts["none"] = scored["task"].n_unique() - _tasks(scored, has)
    return tuple(AnchorForm(form=form, tasks=tasks) for form, tasks in counts.items() if tasks)


def _tasks(scored: pl.DataFrame, chosen: pl.Expr) -> int:
    return scored.filter(chosen.fill_null(value=False))["task"].n_unique()


def _uneven(anchored: pl.DataFrame) -> tuple[str, ...]:
    counts = anchored.group_by("task").agg(pl.col("baseline", "reference").n_unique())
    return _known(counts.filter((pl.col("baseline") > 1) | (pl.col("reference") > 1))["task"])


def _known(values: pl.Series) -> tuple[str, ...]:
    return tuple(values.drop_nulls().unique().sort().to_list())


def _number(value: object) -> float | None:
    return float(value) if isinstance(value, (int, float)) else None
