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
    from measurand.analyze.compare import compare
    from measurand.analyze.profile import Profile, profile
    from measurand.analyze.records import Comparison
    from measurand.analyze.settings import Choice, Settings
    from measurand.load import import_into, read
    from measurand.load import open_store as open  # noqa: A004 - as in gzip and zipfile: ours opens a store
    from measurand.model.outcomes import Outcome, Verdict
    from measurand.model.table import Trials
    from measurand.model.trial import Trial
    from measurand.score.trials import Scoring
    from measurand.sources.base import ReadOptions
    from measurand.store import Store

__all__ = [
    "Board",
    "Choice",
    "Comparison",
    "Outcome",
    "Profile",
    "ReadOptions",
    "Scoring",
    "Settings",
    "Store",
    "Trial",
    "Trials",
    "Verdict",
    "__version__",
    "board",
    "compare",
    "import_into",
    "open",
    "profile",
    "read",
]

_PLACES: Final = {
    "Board": "measurand.analyze.board",
    "Choice": "measurand.analyze.settings",
    "Comparison": "measurand.analyze.records",
    "Outcome": "measurand.model.outcomes",
    "Profile": "measurand.analyze.profile",
    "ReadOptions": "measurand.sources.base",
    "Scoring": "measurand.score.trials",
    "Settings": "measurand.analyze.settings",
    "Store": "measurand.store",
    "Trial": "measurand.model.trial",
    "Trials": "measurand.model.table",
    "Verdict": "measurand.model.outcomes",
    "board": "measurand.analyze.board",
    "compare": "measurand.analyze.compare",
    "import_into": "measurand.load",
    "open": "measurand.load:open_store",
    "profile": "measurand.analyze.profile",
    "read": "measurand.load",
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
