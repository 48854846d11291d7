"""The trace: what happened in a trial, event by event, each bound to the one before it by its hash.

A change of any event, or a missing one, breaks the chain from there on; the last hash, kept with the trial, tells.
"""

from __future__ import annotations

import datetime as dt
import hashlib
from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple, get_args

import msgspec

from measurand.errors import FormatError
from measurand.model.digests import canonical_json

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

__all__ = ["KINDS", "START", "Draft", "Event", "EventKind", "chain", "decode_trace", "encode_trace", "flaw"]

EventKind = Literal[
    "trial_start",
    "model_call",
    "decision",
    "action",
    "observation",
    "approval_request",
    "approval",
    "snapshot",
    "error",
    "note",
    "trial_end",
]
"""What an event is.

``trial_start``: task, agent, limits. ``model_call``: model, tokens by class, cost_usd, seconds, stop_reason. ``decision``: text in which
the agent says what it will do. ``action``: id, tool, arguments. ``observation``: action (its id), text, error. ``approval_request`` and
``approval``: action, decision, decider. ``snapshot``: digest of a state. ``error``: class, message. ``note``: anything else
worth keeping. ``trial_end``: outcome, verdict.
"""

KINDS: Final[tuple[EventKind, ...]] = get_args(EventKind)

START: Final = "sha256:" + 64 * "0"
"""What the first event follows."""


class Draft(NamedTuple):
    """An event before it has its place in a trace."""

    kind: EventKind
    payload: dict[str, Any]
    t: dt.datetime | None = None
    """When, UTC; ``None`` when the source does not say."""
    mono: float | None = None
    """Seconds on a clock that never goes back."""
    cause: int | None = None
    """The event it follows from, by its number."""


class Event(msgspec.Struct, frozen=True, kw_only=True):
    """One event of a trace."""

    seq: int
    """Its place, from 0. Order is by this, never by the clock."""
    kind: EventKind
    t: dt.datetime | None
    mono: float | None
    cause: int | None
    payload: dict[str, Any]
    prev: str
    """Hash of the event before it."""
    hash: str
    """SHA-256 over ``prev`` and the canonical JSON of the rest."""


def chain(drafts: Iterable[Draft]) -> Iterator[Event]:
    """Number the events of a trace and bind each to the one before.

    >>> [event.seq for event in chain([Draft("trial_start", {}), Draft("trial_end", {})])]
    [0, 1]
    """
    prev = START
    for seq, draft in enumerate(drafts):
        event = Event(seq=seq, **draft._asdict(), prev=prev, hash="")
        event = msgspec.structs.replace(event, hash=_hash(event))
        prev = event.hash
        yield event


def flaw(events: Iterable[Event]) -> str | None:
    """Say where a trace was changed after it was written; ``None`` when it was not.

    >>> events = list(chain([Draft("note", {"text": "a"}), Draft("note", {"text": "b"})]))
    >>> flaw(events), flaw(events[1:])
    (None, 'event 1 stands at place 0')
    """
    prev = START
    for place, event in enumerate(events):
        if event.seq != place:
            return f"event {event.seq} stands at place {place}"
        if event.prev != prev or event.hash != _hash(event):
            return f"event {place} is not what was written"
        prev = event.hash
    return None


def _hash(event: Event) -> str:
    body = {name: getattr(event, name) for name in ("seq", "kind", "t", "mono", "cause", "payload")}
    return "sha256:" + hashlib.sha256(event.prev.encode() + canonical_json(body)).hexdigest()


def encode_trace(events: Iterable[Event]) -> bytes:
    """Write a trace as JSON Lines, one event a line."""
    return b"".join(canonical_json(event) + b"\n" for event in events)


def decode_trace(data: bytes, where: str) -> tuple[Event, ...]:
    """Read a trace back.

    Args:
        data: JSON Lines.
        where: how errors name it.

    Raises:
        FormatError: a line is no event.
    """
    events = []
    for number, line in enumerate(data.splitlines(), 1):
        try:
            events.append(msgspec.json.decode(line, type=Event))
        except (msgspec.MsgspecError, UnicodeDecodeError) as error:
            raise FormatError(f"not an event of a trace: {error}", where=f"{where}:{number}") from error
    return tuple(events)
