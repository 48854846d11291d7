"""A benchmark's own headline numbers: as its files state them, and computed from its trials by its definition."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from measurand.analyze.headlines.costs import costs
from measurand.analyze.headlines.explain import Agreement, explain, in_unit
from measurand.analyze.headlines.match import Matcher, is_guess
from measurand.analyze.headlines.registry import HEADLINES, definition

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from measurand.analyze.headlines.records import Headline
    from measurand.load import Progress
    from measurand.model.imports import ConflictPolicy
    from measurand.model.stated import Stated
    from measurand.model.table import Trials
    from measurand.sources.base import ReadOptions

__all__ = ["Reproduced", "Reproduction", "reproduce", "set_beside"]


class Reproduced(msgspec.Struct, frozen=True, kw_only=True):
    """A headline number of an agent, stated and computed."""

    agent: str
    name: str
    unit: str
    """Unit of all three numbers: share, percent, minutes, USD, x; empty for a plain number."""
    stated: float | None
    """``None`` where the files do not state it."""
    ours: float | None
    """``None`` where the trials do not suffice."""
    difference: float | None
    """Ours less the stated one."""
    agreement: Agreement
    explanation: str
    n: int = 0
    """Trials, or tasks, behind ours."""
    definition: str = ""
    """How ours is computed."""
    where: str = ""
    """File and key of the stated number."""


class Reproduction(msgspec.Struct, frozen=True, kw_only=True):
    """All headline numbers of a benchmark's files."""

    source: str
    suites: tuple[str, ...]
    own_definition: bool
    """Whether the benchmark's own definition is known; else ours is the rate of the gate."""
    n_trials: int
    n_dropped: int
    """Records that the import did not keep."""
    n_stated: int
    rows: tuple[Reproduced, ...]
    command: str | None = None

    def agreeing(self, *kinds: Agreement) -> int:
        """Number of rows of these kinds of agreement."""
        return sum(row.agreement in kinds for row in self.rows)


def reproduce(
    source: str,
    path: str | Path,
    *,
    options: ReadOptions | None = None,
    on_conflict: ConflictPolicy | None = None,
    command: str | None = None,
    progress: Progress | None = None,
) -> Reproduction:
    """Set the headline numbers that a benchmark's files state beside those computed from its trials.

    Args:
        source: name of the source that reads the files.
        path: file or folder.
        options: what the data do not say themselves.
        on_conflict: what to do with records of one trial that disagree.
        command: the command that asks, kept in the result.
        progress: told how far the reading is.

    Returns:
        One row for each stated number, then those that the definition gives and the files do not state.

    Raises:
        UsageError: there is no such source.
        InputError: the data cannot be used.
    """
    from pathlib import Path

    from measurand.load import read
    from measurand.sources.registry import get

    reader: Any = get(source)
    more: dict[str, Any] = {} if options is None else {"options": options}
    trials = read(path, source=source, on_conflict=on_conflict, progress=progress, **more)
    stated = tuple(reader.stated(Path(path))) if hasattr(reader, "stated") else ()
    return set_beside(trials, stated, source, command=command)


def set_beside(
    trials: Trials, stated: Iterable[Stated], source: str, *, command: str | None = None
) -> Reproduction:
    """Set stated numbers beside those computed from ``trials`` by the definition of ``source``'s benchmark."""
    headlines = definition(source)(trials.frame, trials.declarations) + costs(trials.frame, source)
    matcher = Matcher(headlines, trials.frame)
    rows: list[Reproduced] = []
    found: set[tuple[str, str]] = set()
    numbers = list(stated)
    for one in numbers:
        ours, why = matcher.find(one)
        if ours is not None:
            found.add((ours.agent, ours.name))
        rows.append(_row(one, ours, why))
    rows += [
        _unstated(one)
        for one in headlines
        if not one.part and not one.beside and (one.agent, one.name) not in found
    ]
    return Reproduction(
        source=source,
        suites=tuple(sorted(trials.frame["suite"].unique())),
        own_definition=source in HEADLINES,
        n_trials=trials.frame.height,
        n_dropped=sum(report.dropped for report in trials.reports),
        n_stated=len(numbers),
        rows=tuple(rows),
        command=command,
    )


def _row(stated: Stated, ours: Headline | None, why: str) -> Reproduced:
    explained = None if ours is None else explain(stated, ours)
    if (
        ours is not None
        and explained is not None
        and explained.agreement == "unexplained"
        and is_guess(stated, ours)
    ):
        text = f"it cannot be told whether the score of the trials is the one it is about; its {ours.name} is {ours.value:.6g}"
        ours, explained, why = None, None, text
    value = None if ours is None else in_unit(ours.value, ours.unit, stated.unit)
    return Reproduced(
        agent=stated.agent,
        name=stated.name,
        unit=stated.unit or (ours.unit if ours is not None else ""),
        stated=stated.value,
        ours=value,
        difference=None if value is None else value - stated.value,
        agreement="not computed" if explained is None else explained.agreement,
        explanation=why if explained is None else explained.text,
        n=0 if ours is None else ours.n,
        definition="" if ours is None else ours.note,
        where=stated.where,
    )


def _unstated(ours: Headline) -> Reproduced:
    return Reproduced(
        agent=ours.agent,
        name=ours.name,
        unit=ours.unit,
        stated=None,
        ours=ours.value,
        difference=None,
        agreement="not stated",
        explanation="the files do not state it" if ours.value is not None else ours.note,
        n=ours.n,
        definition=ours.note,
    )
