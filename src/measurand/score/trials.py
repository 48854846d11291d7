"""Scores of trials: what the gate said, and what the quantity is worth under each scoring."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from measurand.errors import UsageError
from measurand.model.outcomes import Verdict
from measurand.model.verdicts import named_verdict
from measurand.score.objective import (
    CLIP,
    Floats,
    clipped,
    improvement,
    interval_score,
    linear_score,
    log_ratio_score,
    reference_only_score,
)
from measurand.score.verdicts import gate_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["Scoring", "score_trials"]


@dataclass(frozen=True, slots=True)
class Scoring:
    """How quantities become scores. Every threshold is a choice, and reports print it.

    Raises:
        UsageError: a value outside its range.
    """

    clip: float = CLIP
    """Upper clip of the objective."""
    key_at: float | None = None
    """Improvement over the reference from which the answer key counts as reached; ``None``: the official verdict
    where there is one, else 1 (the reference itself)."""
    weak_anchor_ratio: float = 1.25
    """A task whose reference improves on the baseline by less than this factor is flagged."""
    weak_reference_share: float = 0.10
    """A reference that more than this share of valid trials pass by up to the clip is flagged."""

    def __post_init__(self) -> None:
        _need(self.clip >= 1, f"clip is {self.clip}", "it is at least 1, where the reference stands")
        _need(
            self.key_at is None or 0 < self.key_at < math.inf,
            f"key_at is {self.key_at}",
            "it is a positive factor",
        )
        _need(
            self.weak_anchor_ratio >= 1, f"weak_anchor_ratio is {self.weak_anchor_ratio}", "it is at least 1"
        )
        share = self.weak_reference_share
        _need(0 <= share <= 1, f"weak_reference_share is {share}", "it lies between 0 and 1")


def _need(condition: bool, what: str, hint: str) -> None:  # noqa: FBT001 - reads as a sentence at each call
    if not condition:
        raise UsageError(what, hint=hint)


def score_trials(frame: pl.DataFrame, scoring: Scoring | None = None) -> pl.DataFrame:
    """Add scores to rows of the trial table. A null score is no verdict, never 0.

    Args:
        frame: rows of the trial table.
        scoring: thresholds; the defaults when left out.

    Returns:
        The rows with the columns

        - ``gate``: 1 passed, 0 not; null without a verdict;
        - ``objective``, ``capped``, ``capped_linear``, ``key``: see :data:`measurand.score.names.SCORES`; 0 where the gate failed, null
          where it passed and there is no quantity. ``key`` falls back to the gate on tasks of which no trial has a
          reference; the others are null there;
        - ``official``: what the benchmark itself gives, by its own rules: a failed gate changes nothing here;
        - ``unclipped``: the score before clipping, of trials that passed the gate (``valid``);
        - ``improvement``: ratio to the reference of valid trials of ratio kind;
        - ``valid``, ``clip_bound``, ``below_baseline``, ``beats_reference``: Booleans.

    Source: SPEC 9 (gate), 10.1 and 10.2 (scores).
    """
    scoring = scoring or Scoring()
    frame = frame.with_columns(gate=gate_of(pl.col("verdict") == Verdict.PASS.value))
    gate = _floats(frame, "gate")
    raw = _raw_scores(frame)
    valid = (gate == 1) & ~np.isnan(raw.unclipped)
    graded = {
        "objective": clipped(raw.unclipped, scoring.clip),
        "capped": clipped(raw.unclipped, 1.0),
        "capped_linear": clipped(raw.linear, 1.0),
    }
    anchored = _anchored(frame)
    columns = {name: _gated(values, gate, anchored) for name, values in graded.items()}
    columns["key"] = _key(frame, gate, raw, anchored, scoring.key_at)
    columns["official"] = _floats(frame, "official_score")
    columns["unclipped"] = np.where(valid, raw.unclipped, np.nan)
    columns["improvement"] = np.where(valid, raw.improvement, np.nan)
    return frame.with_columns(
        *(pl.Series(name, values, nan_to_null=True) for name, values in columns.items()),
        pl.Series("valid", valid),
        pl.Series("clip_bound", valid & (raw.unclipped > scoring.clip)),
        pl.Series("below_baseline", valid & (raw.unclipped < 0)),
        pl.Series(
            "beats_reference",
            valid & (np.where(np.isnan(raw.improvement), raw.unclipped, raw.improvement) > 1),
        ),
    )


@dataclass(frozen=True, slots=True)
class _Raw:
    unclipped: Floats
    linear: Floats
    improvement: Floats


def _raw_scores(frame: pl.DataFrame) -> _Raw:
    """Scores before gate and clip; NaN without a quantity or a reference."""
    quantity, baseline, reference = (_floats(frame, name) for name in ("quantity", "baseline", "reference"))
    lower = (frame["better"] == "lower").fill_null(value=False).to_numpy()
    interval = (frame["kind"] == "interval").fill_null(value=False).to_numpy()
    baseline = np.where(baseline == reference, np.nan, baseline)
    ratio = np.where(
        np.isnan(baseline),
        reference_only_score(quantity, reference, lower_is_better=lower),
        log_ratio_score(quantity, baseline, reference),
    )
    affine = interval_score(quantity, baseline, reference)
    return _Raw(
        unclipped=np.where(interval, affine, ratio),
        linear=np.where(interval, affine, linear_score(quantity, baseline, reference, lower_is_better=lower)),
        improvement=np.where(interval, np.nan, improvement(quantity, reference, lower_is_better=lower)),
    )


def _anchored(frame: pl.DataFrame) -> NDArray[np.bool_]:
    """Whether the task has a reference: a trial that failed needs none of its own to be worth 0."""
    has = pl.col("reference").is_not_null().any().over("suite", "task")
    return frame.select(has.alias("anchored"))["anchored"].to_numpy()


def _gated(score: Floats, gate: Floats, anchored: NDArray[np.bool_]) -> Floats:
    """0 where the gate failed, the score where it passed, unknown where either is or the task has no reference."""
    return np.where(anchored, np.where(gate == 0, 0.0, np.where(gate == 1, score, np.nan)), np.nan)


def _key(
    frame: pl.DataFrame, gate: Floats, raw: _Raw, anchored: NDArray[np.bool_], key_at: float | None
) -> Floats:
    reached = np.where(np.isnan(raw.improvement), raw.unclipped, raw.improvement)
    unreached = np.where(anchored, np.nan, gate)
    by_quantity = np.where(
        np.isnan(reached), unreached, gate * (reached >= (1.0 if key_at is None else key_at))
    )
    by_quantity = np.where(gate == 0, 0.0, by_quantity)
    if key_at is not None:
        return by_quantity
    official = _official(frame)
    return np.where(np.isnan(official), by_quantity, official)


def _official(frame: pl.DataFrame) -> Floats:
    if frame["verdicts"].null_count() == frame.height:
        return np.full(frame.height, np.nan)
    official = named_verdict("official").cast(pl.Float64)
    return _floats(frame.select(official.alias("official")), "official")


def _floats(frame: pl.DataFrame, name: str) -> Floats:
    return frame[name].cast(pl.Float64).fill_null(float("nan")).to_numpy()
