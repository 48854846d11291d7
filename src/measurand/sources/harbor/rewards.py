"""Rewards of a Harbor trial: one number, or several by name."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple

from measurand.errors import FormatError
from measurand.sources.reading import loose_json
from measurand.sources.reading.capped_files import is_file, is_inside, read_capped
from measurand.sources.reading.loose_values import number, object_of

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

__all__ = ["PASS", "Rewards", "reward_file", "rewards_of"]

PASS: Final = 1.0
"""A reward from here on is a passed gate: Harbor's tasks give less to partial work."""
_MAIN: Final = ("reward", "gate")
"""Keys that hold the verdict where a verifier gives several rewards."""
_FILES: Final = ("verifier/reward.json", "verifier/reward.txt")
_MOST: Final = 2**20


class Rewards(NamedTuple):
    """What the verifier gave."""

    values: dict[str, float]
    unusable: tuple[str, ...] = ()
    """Keys whose value is no finite number."""

    @property
    def key(self) -> str | None:
        """The key that holds the verdict: ``reward``, else ``gate``, else the only one."""
        named = next((key for key in _MAIN if key in self.values), None)
        return named or (next(iter(self.values)) if len(self.values) == 1 and not self.unusable else None)

    @property
    def main(self) -> float | None:
        """The reward that Harbor takes the mean of; with several keys, the one called ``reward``."""
        key = "reward" if "reward" in self.values else self.key
        return None if key is None or (key == "gate" and len(self.values) > 1) else self.values[key]


def rewards_of(result: Mapping[str, Any]) -> Rewards:
    """Rewards of a trial or step: a map, or in older results one number."""
    verifier = object_of(result.get("verifier_result"))
    given = verifier.get("rewards", verifier.get("reward"))
    named = given if isinstance(given, dict) else {} if given is None else {"reward": given}
    numbers = {
        key: float(value) if isinstance(value, bool) else number(value) for key, value in named.items()
    }
    return Rewards(
        {key: value for key, value in numbers.items() if value is not None},
        tuple(key for key, value in numbers.items() if value is None),
    )


def reward_file(folder: Path, root: Path) -> Rewards | None:
    """What the verifier wrote into the folder of a trial, where that can be read and lies within ``root``."""
    for name in _FILES:
        file = folder / name
        if is_file(file) and is_inside(file, root):
            try:
                found = loose_json.decode(read_capped(file, name, _MOST), name)
            except FormatError:
                return None
            return rewards_of({"verifier_result": {"rewards": found}})
    return None
