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
    from measurand.analyze.board import Board, board
    from measurand.analyze.claims.claims import Claims, claims
    from measurand.analyze.compare import compare
    from measurand.analyze.comparison import Comparison
    from measurand.analyze.cost.pareto import CostAxis, Pareto, pareto
    from measurand.analyze.design.goal import Goal
    from measurand.analyze.design.plan import plan
    from measurand.analyze.design.records import Plan
    from measurand.analyze.headroom.bars import BarOptions, Bars, bars
    from measurand.analyze.headroom.saturation import SaturationReport, saturation
    from measurand.analyze.intervals import Intervals, intervals
    from measurand.analyze.profile import profile
    from measurand.analyze.profile_records import Profile
    from measurand.analyze.repeats.reliability import Reliability, reliability
    from measurand.analyze.reproduce import Reproduction, reproduce
    from measurand.analyze.scorings.scorings import Scorings, scorings
    from measurand.analyze.settings import Choice, Settings
    from measurand.analyze.tiering.tiers import TierBoard, tiers
    from measurand.analyze.verifiers.counted import counted_verdicts
    from measurand.analyze.verifiers.records import SecondVerdicts
    from measurand.analyze.verifiers.verdicts import second_verdicts
    from measurand.load import add_verdicts, import_into, read, read_verdict_counts
    from measurand.load import open_store as open  # noqa: A004 - as in gzip and zipfile: ours opens a store
    from measurand.model.outcomes import Outcome, Verdict
    from measurand.model.table import Trials
    from measurand.model.trial import Trial
    from measurand.model.verdicts import VerdictCounts
    from measurand.score.reprice import reprice
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
    "Reproduction",
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
    "reprice",
    "reproduce",
    "saturation",
    "scorings",
    "second_verdicts",
    "tiers",
]

_PLACES: Final = {
    "BarOptions": "measurand.analyze.headroom.bars",
    "Bars": "measurand.analyze.headroom.bars",
    "Board": "measurand.analyze.board",
    "Choice": "measurand.analyze.settings",
    "Claims": "measurand.analyze.claims.records",
    "Comparison": "measurand.analyze.comparison",
    "CostAxis": "measurand.analyze.cost.cost_axis",
    "Goal": "measurand.analyze.design.goal",
    "Intervals": "measurand.analyze.interval_records",
    "Outcome": "measurand.model.outcomes",
    "Pareto": "measurand.analyze.cost.records",
    "Plan": "measurand.analyze.design.records",
    "Profile": "measurand.analyze.profile_records",
    "ReadOptions": "measurand.sources.base",
    "Reliability": "measurand.analyze.repeats.records",
    "Reproduction": "measurand.analyze.reproduce",
    "SaturationReport": "measurand.analyze.headroom.saturation",
    "Scoring": "measurand.score.trials",
    "Scorings": "measurand.analyze.scorings.scorings",
    "SecondVerdicts": "measurand.analyze.verifiers.records",
    "Settings": "measurand.analyze.settings",
    "Store": "measurand.store",
    "TierBoard": "measurand.analyze.tiering.tiers",
    "Trial": "measurand.model.trial",
    "Trials": "measurand.model.table",
    "Verdict": "measurand.model.outcomes",
    "VerdictCounts": "measurand.model.verdicts",
    "add_verdicts": "measurand.load",
    "bars": "measurand.analyze.headroom.bars",
    "board": "measurand.analyze.board",
    "claims": "measurand.analyze.claims.claims",
    "compare": "measurand.analyze.compare",
    "counted_verdicts": "measurand.analyze.verifiers.counted",
    "import_into": "measurand.load",
    "intervals": "measurand.analyze.intervals",
    "open": "measurand.load:open_store",
    "pareto": "measurand.analyze.cost.pareto",
    "plan": "measurand.analyze.design.plan",
    "profile": "measurand.analyze.profile",
    "read": "measurand.load",
    "read_verdict_counts": "measurand.load",
    "reliability": "measurand.analyze.repeats.reliability",
    "reprice": "measurand.score.reprice",
    "reproduce": "measurand.analyze.reproduce",
    "saturation": "measurand.analyze.headroom.saturation",
    "scorings": "measurand.analyze.scorings.scorings",
    "second_verdicts": "measurand.analyze.verifiers.verdicts",
    "tiers": "measurand.analyze.tiering.tiers",
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
