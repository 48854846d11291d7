"""Pilots made by hand or drawn."""

from __future__ import annotations

from typing import Any

import numpy as np

from measurand.analyze.settings import Settings

QUICK = Settings(resamples=500)


def rows(**cells: list[str]) -> list[dict[str, Any]]:
    """One text a task, one letter a trial: p passed, f failed."""
    words = {"p": "pass", "f": "fail"}
    return [
        {"agent": agent, "task": f"t{n:02}", "trial": str(k), "verdict": words[letter], "cost_usd": 0.5}
        for agent, tasks in cells.items()
        for n, letters in enumerate(tasks)
        for k, letter in enumerate(letters)
    ]


def pilot(seed: int = 1, tasks: int = 30, trials: int = 3, **chances: float) -> list[dict[str, Any]]:
    """Pass/fail trials of agents of the given strength on tasks of differing difficulty."""
    rng = np.random.default_rng(seed)
    ease = rng.uniform(-0.3, 0.3, size=tasks)
    own = {agent: rng.uniform(-0.2, 0.2, size=tasks) for agent in chances}
    cells = {
        agent: [
            "".join(
                rng.choice(
                    ["p", "f"], size=trials, p=[q := float(np.clip(p + own[agent][n] + e, 0.02, 0.98)), 1 - q]
                )
            )
            for n, e in enumerate(ease)
        ]
        for agent, p in chances.items()
    }
    return rows(**cells)
