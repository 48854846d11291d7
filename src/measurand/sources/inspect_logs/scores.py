"""What the scores of a sample say: a gate's verdict, numbers, further verdicts.

A scorer gives a letter (C, I, P, N), a Boolean, a number, or several of these by key. The log does not say which
numbers are shares of full marks and which are on a scale of their own, so their range over the log decides: within
0 to 1, full marks pass and the rest fails; beyond, there is no verdict.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from measurand.errors import UsageError
from measurand.model.outcomes import Verdict

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from measurand.model.imports import NoteKind
    from measurand.sources.inspect_logs.records import Header, Score

__all__ = ["AS_GRADED", "MAPPED", "NO_RESPONSE", "OFFICIAL", "Judge", "Judgement", "Named", "number"]

OFFICIAL: Final = "official"
"""Name of the verdict that Inspect's own headline score gives."""
AS_GRADED: Final = "as_graded"
"""Name of the verdict before the score was edited."""
MAPPED: Final = ("verdict", "official_score", "quantity", "baseline", "reference", "family", "confidence")
"""Fields of the trial table that a user may take from a score or from metadata."""
NO_RESPONSE: Final = "no_response"
"""Inspect's word for an empty answer."""
_WORDS: Final = {"C": 1.0, "I": 0.0, "P": 0.5, "N": 0.0, "yes": 1.0, "true": 1.0, "no": 0.0, "false": 0.0}
_LONGEST_NUMBER: Final = 40


class Named(NamedTuple):
    """One score: a scorer's, or what it gave under one key."""

    scorer: str
    key: str | None = None

    @property
    def label(self) -> str:
        """Short name."""
        return self.scorer if self.key is None else self.key

    @property
    def path(self) -> str:
        """Name that no other score has."""
        return self.scorer if self.key is None else f"{self.scorer}.{self.key}"


class Judgement(NamedTuple):
    """What the scores of one sample come to."""

    verdict: Verdict | None = None
    number: float | None = None
    """The headline score as a number; ``None`` without a finite one."""
    scored: bool = False
    """Whether there is a score, a finite one or not."""
    blank: bool = False
    """Whether it is NaN, infinite or empty: the scorer could not say."""
    reason: str | None = None
    """The scorer's word for an abnormal score."""
    explanation: str | None = None
    verdicts: dict[str, bool] = {}  # noqa: RUF012 - never changed
    notes: tuple[tuple[NoteKind, str], ...] = ()


def number(value: Any) -> float | None:
    """Read the value of a score as Inspect's metrics do: letters C, P, I, N are 1, 0.5, 0, 0; ``None`` for what is no number."""
    if isinstance(value, str):
        if value in _WORDS or value.lower() in _WORDS:
            return _WORDS.get(value, _WORDS.get(value.lower()))
        value = value if len(value) <= _LONGEST_NUMBER else ""
    if not isinstance(value, (str, int, float)):
        return None
    try:
        found = float(value)
    except (ValueError, OverflowError):
        return None
    return found if math.isfinite(found) else None


@dataclass(slots=True)
class _Range:
    """Values of one score over a log."""

    within: bool = True
    """All from 0 to 1."""
    extremes: bool = True
    """All 0, 1 or a letter."""
    discrete: bool = False
    """Some is no decimal number, which alone would not tell a gate from a grade that happens to be 0."""
    found: set[float] = field(default_factory=set)

    def add(self, value: Any) -> None:
        worth = number(value)
        if worth is None:
            return
        self.within &= 0 <= worth <= 1
        self.extremes &= worth in {0.0, 1.0} or isinstance(value, str)
        self.discrete |= not isinstance(value, float)
        if self.extremes:
            self.found.add(worth)

    @property
    def is_gate(self) -> bool:
        return self.extremes and (self.discrete or self.found == {0.0, 1.0})


@dataclass(slots=True)
class Judge:
    """Judges the samples of one log."""

    header: Header
    mapping: Mapping[str, str]
    """Field of the trial table -> score or metadata it is taken from."""
    ranges: dict[Named, _Range] = field(default_factory=dict)

    def __post_init__(self) -> None:
        unknown = sorted(set(self.mapping) - set(MAPPED))
        if unknown:
            raise UsageError(
                f"--map {unknown[0]}=... cannot be taken from a log of Inspect AI",
                hint=f"one of: {', '.join(MAPPED)}",
            )

    def learn(self, samples: Iterable[dict[str, Score]]) -> None:
        """Look at the scores of all samples, so that their ranges are known."""
        for scores in samples:
            for named, value in _pieces(scores).items():
                self.ranges.setdefault(named, _Range()).add(value)

    def columns(self, scores: dict[str, Score], metadata: Mapping[str, Any]) -> dict[str, Any]:
        """What the fields of ``mapping`` are in one sample; those that are absent have no entry."""
        if not self.mapping:
            return {}
        found: dict[str, Any] = {f"metadata.{key}": value for key, value in metadata.items()}
        for scorer, score in scores.items():
            more = score.metadata if isinstance(score.metadata, dict) else {}
            found |= {f"{scorer}.metadata.{key}": value for key, value in more.items()}
        for named, value in _pieces(scores).items():
            found.setdefault(named.label, value)
            found[named.path] = value
        return {name: found[wanted] for name, wanted in self.mapping.items() if wanted in found}

    def judge(self, scores: dict[str, Score]) -> Judgement:
        """Say what the scores of a sample come to."""
        pieces = _pieces(scores)
        official = self._headline(scores, pieces)
        chosen = self._chosen(pieces) or official
        if chosen is None or official is None:
            return Judgement()
        score = scores[chosen.scorer]
        found = number(pieces[chosen])
        verdict = self._verdict(chosen, found)
        verdicts = self._others(pieces, {chosen, official})
        if (headline := self._verdict(official, number(pieces[official]))) is not None:
            verdicts[OFFICIAL] = headline is Verdict.PASS
        notes = self._notes(chosen, pieces, found, verdict)
        before = self._verdict(chosen, number(_original(score, chosen)))
        if score.history and before is not None:
            verdicts[AS_GRADED] = before is Verdict.PASS
        if score.history:
            notes.append(("note", "the score was edited after the run: the edited one holds"))
        return Judgement(
            verdict=verdict,
            number=number(pieces[official]),
            scored=True,
            blank=pieces[chosen] is None or _is_not_finite(pieces[chosen]),
            reason=_reason(score) or (NO_RESPONSE if pieces[chosen] == "N" else None),
            explanation=score.explanation if isinstance(score.explanation, str) else None,
            verdicts=verdicts,
            notes=tuple(notes),
        )

    def _chosen(self, pieces: Mapping[Named, Any]) -> Named | None:
        """The score that the user names as the gate."""
        wanted = self.mapping.get("verdict")
        return next((named for named in pieces if wanted in {named.label, named.path}), None)

    def _headline(self, scores: dict[str, Score], pieces: Mapping[Named, Any]) -> Named | None:
        """The score that sums up a sample: the log's headline, else its first score."""
        results = self.header.results
        wanted: list[tuple[str | None, str | None]] = []
        if results is not None and results.headline is not None:
            wanted.append((results.headline.scorer, results.headline.score))
        if results is not None and results.scores:
            wanted.append((results.scores[0].scorer, results.scores[0].name))
        for entry in (self.header.eval.scorers or [])[:1]:
            name = entry.get("name")
            wanted.append((name if isinstance(name, str) else None, None))
        for scorer, key in [*wanted, (next(iter(scores), None), None)]:
            of_scorer = [named for named in pieces if named.scorer == scorer]
            if of_scorer:
                return next((named for named in of_scorer if named.key == key), of_scorer[0])
        return next(iter(pieces), None)

    def _verdict(self, named: Named, found: float | None) -> Verdict | None:
        if found is None or not self.ranges.get(named, _Range()).within:
            return None
        return Verdict.PASS if found >= 1 else Verdict.FAIL

    def _is_gate(self, named: Named) -> bool:
        return named in self.ranges and self.ranges[named].is_gate

    def _others(self, pieces: Mapping[Named, Any], but: set[Named]) -> dict[str, bool]:
        """Verdicts of further scores that are gates: nothing between 0 and 1."""
        found: dict[str, bool] = {}
        for named, value in pieces.items():
            worth = number(value)
            if named in but or worth is None or not self._is_gate(named):
                continue
            label = named.path if named.label in found else named.label
            found[label] = worth >= 1
        return found

    def _notes(
        self, chosen: Named, pieces: Mapping[Named, Any], found: float | None, verdict: Verdict | None
    ) -> list[tuple[NoteKind, str]]:
        notes: list[tuple[NoteKind, str]] = []
        value = pieces[chosen]
        if found is None and not (value is None or _is_not_finite(value)):
            notes.append(("unknown", f"score {chosen.label!r} that is neither a letter nor a number"))
        if found is not None and verdict is None:
            notes.append(("note", f"score {chosen.label!r} goes beyond 0 to 1 in the log: no verdict"))
        used = set(self.mapping.values())
        notes += [
            ("note", f"score {named.label!r} is not used: --map quantity={named.label} takes it")
            for named in pieces
            if named != chosen and not self._is_gate(named) and not used & {named.label, named.path}
        ]
        return notes


def _pieces(scores: dict[str, Score]) -> dict[Named, Any]:
    """All scores of a sample by name. A scorer that gave nothing under any key gave one score, unknown."""
    found: dict[Named, Any] = {}
    for scorer, score in scores.items():
        if isinstance(score.value, dict) and score.value:
            found |= {Named(scorer, str(key)): value for key, value in score.value.items()}
        else:
            found[Named(scorer)] = score.value
    return found


def _original(score: Score, named: Named) -> Any:
    first = score.history[0] if score.history else None
    value = first.get("value") if isinstance(first, dict) else None
    return value.get(named.key) if isinstance(value, dict) else value


def _reason(score: Score) -> str | None:
    """The scorer's word, where logs of each age have it."""
    legacy = score.metadata.get("unscored_reason") if isinstance(score.metadata, dict) else None
    reason = score.reason if score.reason is not None else legacy
    return reason if isinstance(reason, str) else None


def _is_not_finite(value: Any) -> bool:
    return isinstance(value, float) and not math.isfinite(value)
