"""Measurand measures AI agents.

The short way from results to an honest answer::

    import measurand

    trials = measurand.read("results.parquet")       # or a store, a folder, a data frame
    board = measurand.board(trials)
    print(board.test.n_significant, "of", board.test.n_pairs, "pairs differ")

Names load when they are first used, so that ``import measurand`` is quick.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

from measurand._version import __version__

if TYPE_CHECKING:
    from measurand.analyze.bars import BarOptions, Bars, bars
    from measurand.analyze.board import Board, board
    from measurand.analyze.claims import Claims, claims
    from measurand.analyze.compare import compare
    from measurand.analyze.comparison import Comparison
    from measurand.analyze.intervals import Intervals, intervals
    from measurand.analyze.pareto import CostAxis, Pareto, pareto
    from measurand.analyze.plan import plan
    from measurand.analyze.plan_goal import Goal
    from measurand.analyze.plan_records import Plan
    from measurand.analyze.profile import Profile, profile
    from measurand.analyze.reliability import Reliability, reliability
    from measurand.analyze.saturation import SaturationReport, saturation
    from measurand.analyze.scorings import Scorings, scorings
    from measurand.analyze.settings import Choice, Settings
    from measurand.analyze.tiers import TierBoard, tiers
    from measurand.analyze.verdict_counted import counted_verdicts
    from measurand.analyze.verdict_records import SecondVerdicts
    from measurand.analyze.verdicts import second_verdicts
    from measurand.load import add_verdicts, import_into, read, read_verdict_counts
    from measurand.load import open_store as open  # noqa: A004 - as in gzip and zipfile: ours opens a store
    from measurand.model.outcomes import Outcome, Verdict
    from measurand.model.table import Trials
    from measurand.model.trial import Trial
    from measurand.model.verdicts import VerdictCounts
    from measurand.score.trials import Scoring
    from measurand.sources.base import ReadOptions
    from measurand.store import Store

__all__ = [
    "BarOptions",
    "Bars",
    "Board",
    "Choice",
    "Claims",
    "Comparison",
    "CostAxis",
    "Goal",
    "Intervals",
    "Outcome",
    "Pareto",
    "Plan",
    "Profile",
    "ReadOptions",
    "Reliability",
    "SaturationReport",
    "Scoring",
    "Scorings",
    "SecondVerdicts",
    "Settings",
    "Store",
    "TierBoard",
    "Trial",
    "Trials",
    "Verdict",
    "VerdictCounts",
    "__version__",
    "add_verdicts",
    "bars",
    "board",
    "claims",
    "compare",
    "counted_verdicts",
    "import_into",
    "intervals",
    "open",
    "pareto",
    "plan",
    "profile",
    "read",
    "read_verdict_counts",
    "reliability",
    "saturation",
    "scorings",
    "second_verdicts",
    "tiers",
]

_PLACES: Final = {
    "BarOptions": "measurand.analyze.bars",
    "Bars": "measurand.analyze.bars",
    "Board": "measurand.analyze.board",
    "Choice": "measurand.analyze.settings",
    "Claims": "measurand.analyze.claim_records",
    "Comparison": "measurand.analyze.comparison",
    "CostAxis": "measurand.analyze.cost_axis",
    "Goal": "measurand.analyze.plan_goal",
    "Intervals": "measurand.analyze.interval_records",
    "Outcome": "measurand.model.outcomes",
    "Pareto": "measurand.analyze.pareto_records",
    "Plan": "measurand.analyze.plan_records",
    "Profile": "measurand.analyze.profile",
    "ReadOptions": "measurand.sources.base",
    "Reliability": "measurand.analyze.reliability_records",
    "SaturationReport": "measurand.analyze.saturation",
    "Scoring": "measurand.score.trials",
    "Scorings": "measurand.analyze.scorings",
    "SecondVerdicts": "measurand.analyze.verdict_records",
    "Settings": "measurand.analyze.settings",
    "Store": "measurand.store",
    "TierBoard": "measurand.analyze.tiers",
    "Trial": "measurand.model.trial",
    "Trials": "measurand.model.table",
    "Verdict": "measurand.model.outcomes",
    "VerdictCounts": "measurand.model.verdicts",
    "add_verdicts": "measurand.load",
    "bars": "measurand.analyze.bars",
    "board": "measurand.analyze.board",
    "claims": "measurand.analyze.claims",
    "compare": "measurand.analyze.compare",
    "counted_verdicts": "measurand.analyze.verdict_counted",
    "import_into": "measurand.load",
    "intervals": "measurand.analyze.intervals",
    "open": "measurand.load:open_store",
    "pareto": "measurand.analyze.pareto",
    "plan": "measurand.analyze.plan",
    "profile": "measurand.analyze.profile",
    "read": "measurand.load",
    "read_verdict_counts": "measurand.load",
    "reliability": "measurand.analyze.reliability",
    "saturation": "measurand.analyze.saturation",
    "scorings": "measurand.analyze.scorings",
    "second_verdicts": "measurand.analyze.verdicts",
    "tiers": "measurand.analyze.tiers",
}
"""Public name -> where it is."""


def __getattr__(name: str) -> Any:
    if name not in _PLACES:
        raise AttributeError(f"module 'measurand' has no attribute {name!r}")
    module, _, other = _PLACES[name].partition(":")
    value = getattr(import_module(module), other or name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
