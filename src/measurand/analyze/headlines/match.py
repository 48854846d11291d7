"""Which number of ours a stated number is about: by agent, by name, and by the part of the trials that its file holds."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

import polars as pl

if TYPE_CHECKING:
    from collections.abc import Iterable

    from measurand.analyze.headlines.records import Headline
    from measurand.model.stated import Stated

__all__ = ["Matcher", "is_guess"]


class Matcher:
    """Finds the headline that a stated number is about."""

    def __init__(self, headlines: Iterable[Headline], frame: pl.DataFrame) -> None:
        self.agents = set(frame["agent"].unique())
        self._frame = frame
        self._known: dict[str, list[Headline]] = defaultdict(list)
        for one in headlines:
            self._known[one.agent].append(one)

    def find(self, stated: Stated) -> tuple[Headline | None, str]:
        """Return the headline, or ``None`` and why there is none."""
        if stated.agent not in self.agents:
            return None, "there are no trials of this agent among the data"
        named = _named(stated.name, self._known[stated.agent])
        if not named:
            return None, "not computed: trials do not define this number, or not one of this name"
        narrowed = self._narrowed(stated, named)
        if len(narrowed) == 1:
            return narrowed[0], ""
        where = ", ".join(sorted({one.part or one.suite for one in narrowed})[:5])
        return None, f"it cannot be told which trials it is about: {where}"

    def _narrowed(self, stated: Stated, named: list[Headline]) -> list[Headline]:
        """Numbers of the part, and of the suite, that the place of the stated number names; else of all trials."""
        place = stated.where.lower()
        parts, suites = self._in_file(stated, "job"), self._in_file(stated, "suite")
        choices = (
            [one for one in named if one.part and one.part.lower() in place],
            [one for one in named if one.part and parts == {one.part}],
            [one for one in named if not one.part],
            named,
        )
        fits = next(one for one in choices if one)
        if len(fits) == 1:
            return fits
        return (
            [one for one in fits if suites == {one.suite}]
            or [one for one in fits if one.suite.lower() in place]
            or fits
        )

    def _in_file(self, stated: Stated, column: str) -> set[str]:
        """Jobs or suites of the agent whose records stand in the file of the stated number, or else in its folder."""
        file = stated.where.partition(": ")[0]
        refs = self._frame.filter((pl.col("agent") == stated.agent) & pl.col(column).is_not_null())
        for start in (file, file.rpartition("/")[0] + "/"):
            if start != "/":
                found = refs.filter(pl.col("source_ref").str.starts_with(start))[column].unique()
                if found.len():
                    return set(found)
        return set()


def _named(name: str, headlines: list[Headline]) -> list[Headline]:
    """Numbers of that name; of that name and suite; or, where there are none, those that end the name."""
    name = name.lower()
    return (
        [one for one in headlines if name == one.name.lower()]
        or [one for one in headlines if name == f"{one.name} {one.suite}".lower()]
        or [one for one in headlines if one.name in {"accuracy", "mean"} and name.endswith(f" {one.name}")]
    )


def is_guess(stated: Stated, ours: Headline) -> bool:
    """Whether the two names agree in their endings only, such as ``includes accuracy`` and ``accuracy``."""
    return ours.name in {"accuracy", "mean"} and not stated.name.lower().startswith(ours.name)
