"""Which definition computes the headline numbers of which source."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from measurand.analyze.headlines.contests import ale_bench
from measurand.analyze.headlines.horizons import metr
from measurand.analyze.headlines.medals import mle_bench
from measurand.analyze.headlines.rewards import harbor, osworld, tau, weirdml
from measurand.analyze.headlines.shares import (
    agentbench,
    gaia,
    gate_rate,
    gso,
    inspect,
    kernelbench,
    resolved,
    success_rate,
    terminal_bench,
)
from measurand.analyze.headlines.speedups import algotune, swefficiency

if TYPE_CHECKING:
    from measurand.analyze.headlines.records import Define

__all__ = ["HEADLINES", "definition"]

HEADLINES: Final[dict[str, Define]] = {
    "agentbench": agentbench,
    "ale_bench": ale_bench,
    "algotune": algotune,
    "gaia": gaia,
    "gso": gso,
    "harbor": harbor,
    "inspect": inspect,
    "kernelbench": kernelbench,
    "metr": metr,
    "mle_bench": mle_bench,
    "osworld": osworld,
    "swebench": resolved,
    "swefficiency": swefficiency,
    "tau2": tau,
    "tau_bench": tau,
    "terminal_bench": terminal_bench,
    "webarena": success_rate,
    "weirdml": weirdml,
}
"""Name of a source -> the definition of its benchmark."""


def definition(source: str) -> Define:
    """Give the definition of a source's benchmark; the rate of its gate where none of its own is known."""
    return HEADLINES.get(source, gate_rate)
