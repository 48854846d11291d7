"""Times of OpenHands's events: without a zone, unless something beside them says, in UTC, when a model answered."""

from __future__ import annotations

import re
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Final

from measurand.sources.reading.loose_values import list_of, object_of, time
from measurand.sources.tau2.messages import clock_offset

if TYPE_CHECKING:
    import datetime as dt

__all__ = ["Clock", "clock_of"]

_ZONE: Final = re.compile(r"(Z|[+-]\d\d:?\d\d)\s*")


class Clock:
    """Reads the times of one history.

    Args:
        offset: by how much its clock must be set forward to show UTC; ``None`` where nothing tells.
        shown: its times in the order of the events, as shown.
    """

    def __init__(self, offset: dt.timedelta | None, shown: list[tuple[str, dt.datetime]]) -> None:
        self.offset = offset
        self.shown = shown
        self.steady = all(one[1] <= other[1] for one, other in pairwise(shown))
        """Whether it never went back."""

    def read(self, value: Any) -> tuple[dt.datetime | None, float | None]:
        """Return a time in UTC, and seconds since the start; ``None`` where either is unknown."""
        shown = time(value) if isinstance(value, str) else None
        if shown is None:
            return None, None
        seconds = (shown - self.shown[0][1]).total_seconds() if self.shown and self.steady else None
        if _ZONE.search(str(value)[10:]):
            return shown, seconds
        try:
            return (None if self.offset is None else shown + self.offset), seconds
        except OverflowError:
            return None, seconds

    def ends(self) -> dict[str, Any]:
        """Fields of the trial table: start, end, and the time between, as far as they are known."""
        if not self.shown or not self.steady:
            return {}
        (first, began), (last, ended) = self.shown[0], self.shown[-1]
        return {
            "started_at": self.read(first)[0],
            "finished_at": self.read(last)[0],
            "wall_s": (ended - began).total_seconds(),
        }


def clock_of(events: list[dict[str, Any]], metrics: dict[str, Any]) -> Clock:
    """Return the clock of a history.

    Args:
        events: the history.
        metrics: its sums; their list of costs says when each was incurred, in seconds since 1970.
    """
    shown: list[tuple[str, dt.datetime]] = []
    answers: list[dict[str, Any]] = []
    for event in events:
        stamp = event.get("timestamp")
        if isinstance(stamp, str) and (at := time(stamp)) is not None:
            shown.append((stamp, at))
        response = object_of(object_of(event.get("tool_call_metadata")).get("model_response"))
        if "action" in event and response:
            answers.append({"timestamp": stamp, "raw_data": {"created": response.get("created")}})
    spoken = next((event for event in events if event.get("source") == "agent" and _is_turn(event)), {})
    answers += [
        {"timestamp": spoken.get("timestamp"), "raw_data": {"created": object_of(cost).get("timestamp")}}
        for cost in list_of(metrics.get("costs"))[:1]
    ]
    return Clock(clock_offset(answers), shown)


def _is_turn(event: dict[str, Any]) -> bool:
    return event.get("kind") in {"ActionEvent", "MessageEvent"} or event.get("action") not in {None, "system"}
