"""Task sets of AgentBench: how each scores a sample, and how its eight environments enter the overall score."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple

from measurand.sources.reading.loose_values import number, object_of, truth

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

__all__ = ["Environment", "Graded", "environment_of", "main_metric", "split_of"]

_LIFE: Final = 1600.0
"""Life points of the opponent's cards in the card game."""


class Graded(NamedTuple):
    """What a sample says of its own success."""

    score: float
    passed: bool
    steps: int | None = None


class Environment(NamedTuple):
    """One of AgentBench's eight environments."""

    name: str
    prefixes: tuple[str, ...]
    """How the name of a task set of it begins."""
    typical: float
    """Mean score of the models that AgentBench was published with, percent: the environment's weight is its inverse."""
    sizes: Mapping[str, int]
    """Split -> number of samples."""
    grade: Callable[[Mapping[str, Any]], Graded | None]
    """Reads the result of a sample; ``None`` where only the grader knows."""
    metric: tuple[str, ...]
    """Where ``overall.json`` has the score of the environment, below ``custom``."""
    scale: float = 1.0
    """What that score is multiplied by to be a share."""

    def official_score(self, score: float, split: str | None) -> float | None:
        """Part of a sample in the overall score, so that the mean over all samples of a split is that score.

        AgentBench's overall score is the mean over the eight environments of score/typical score.
        """
        if split is None or split not in self.sizes:
            return None
        total = sum(one.sizes[split] for one in _ENVIRONMENTS)
        return 100 * score / self.typical * total / (len(_ENVIRONMENTS) * self.sizes[split])


def _flag(result: Mapping[str, Any]) -> Graded | None:
    passed = truth(result.get("result"))
    log = result.get("log")
    steps = len(log) if isinstance(log, list) else None
    return None if passed is None else Graded(float(passed), passed, steps)


def _reward(result: Mapping[str, Any]) -> Graded | None:
    score = number(result.get("reward"))
    history = result.get("history")
    steps = len(history) if isinstance(history, list) else None
    return None if score is None else Graded(score, score >= 1, steps)


def _progress(result: Mapping[str, Any]) -> Graded | None:
    score, solved = number(result.get("progress")), number(result.get("accuracy"))
    return None if score is None else Graded(score, (score if solved is None else solved) >= 1)


def _game(result: Mapping[str, Any]) -> Graded | None:
    won = rounds = damage = 0.0
    for game in object_of(result.get("meta")).values():
        wins, times, hurt = (
            number(object_of(game).get(key)) for key in ("win_round", "test_times", "damage")
        )
        if wins is None or times is None or hurt is None:
            return None
        won, rounds, damage = won + wins, rounds + times, damage + hurt
    if rounds <= 0:
        return None
    share = damage / (_LIFE * len(object_of(result.get("meta"))))
    return Graded(0.7 * won / rounds + min(0.3, 0.3 * share), won >= rounds)


def _unknown(_: Mapping[str, Any]) -> Graded | None:
    return None


def _sizes(dev: int, std: int) -> dict[str, int]:
    return {"dev": dev, "std": std}


_ENVIRONMENTS: Final = (
    Environment("os", ("os", "operating"), 10.8, _sizes(26, 144), _flag, ("overall", "acc")),
    Environment("db", ("db", "database"), 13.0, _sizes(60, 300), _unknown, ("overall_cat_accuracy",)),
    Environment("kg", ("kg", "knowledge"), 13.9, _sizes(20, 150), _unknown, ("main",)),
    Environment("cg", ("card", "cg", "dcg"), 12.0, _sizes(12, 20), _game, ("score",)),
    Environment("ltp", ("ltp", "literal", "lateral"), 3.5, _sizes(20, 50), _progress, ("main",)),
    Environment("alfworld", ("alf",), 13.0, _sizes(20, 50), _flag, ("overall", "success_rate")),
    Environment("webshop", ("ws", "webshop"), 30.7, _sizes(80, 200), _reward, ("reward",)),
    Environment("mind2web", ("m2w", "mind2web"), 11.6, _sizes(31, 100), _unknown, ("step_sr",), 0.01),
)
_OTHER: Final = ("accuracy",)


def environment_of(task_set: str) -> Environment | None:
    """Environment by the name of a task set (``os-std``); ``None`` for sets of other benchmarks run by the harness."""
    name = task_set.lower()
    return next((one for one in _ENVIRONMENTS if name.startswith(one.prefixes)), None)


def split_of(task_set: str) -> str | None:
    """Split by the name of a task set: ``std`` or ``dev``.

    >>> split_of("os-std"), split_of("medagentbench")
    ('std', None)
    """
    split = task_set.lower().rpartition("-")[2]
    return split if split in {"std", "dev"} else None


def main_metric(custom: Mapping[str, Any], task_set: str) -> tuple[str, float] | None:
    """Where ``custom`` of ``overall.json`` has the main metric of a task set, and its value as a share."""
    environment = environment_of(task_set)
    path, scale = (_OTHER, 1.0) if environment is None else (environment.metric, environment.scale)
    found: Any = custom
    for key in path:
        found = object_of(found).get(key)
    value = number(found)
    return None if value is None else (".".join(path), value * scale)
