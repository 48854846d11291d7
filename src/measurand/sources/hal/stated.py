"""Numbers that an upload of HAL states of itself."""

from __future__ import annotations

from typing import TYPE_CHECKING

from measurand.model.stated import Stated
from measurand.sources.reading.loose_values import number, object_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from measurand.sources.hal.runs import Upload

__all__ = ["stated_by"]


def stated_by(upload: Upload) -> Iterator[Stated]:
    """Yield each single number among the results."""
    for key, value in object_of(upload.content.get("results")).items():
        found = number(value) if not isinstance(value, bool | str) else None
        if found is not None:
            unit = "USD" if "cost" in key else "share" if "accuracy" in key or "rate" in key else ""
            where = f"{upload.where}: results.{key}"
            yield Stated(
                agent=upload.agent, name=f"{key} {upload.suite}", value=found, unit=unit, where=where
            )
