"""Pieces of JSON whose types nobody vouches for, and the long texts that a log keeps apart."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from measurand.sources.reading.loose_values import list_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

__all__ = ["Attachments", "known", "objects_in", "text_of"]

_REFERENCE: Final = "attachment://"
_IMAGE: Final = "data:"


def objects_in(value: Any) -> Iterator[dict[str, Any]]:
    """The objects of a list; what is no list has none."""
    return (entry for entry in list_of(value) if isinstance(entry, dict))


def text_of(value: Any) -> str | None:
    """The value if it is a text."""
    return value if isinstance(value, str) else None


def known(payload: Mapping[str, Any]) -> dict[str, Any]:
    """The entries that are not null."""
    return {name: value for name, value in payload.items() if value is not None}


class Attachments:
    """Long texts of a sample, put back where the sample refers to them. Images stay references: the name is their hash."""

    def __init__(self, read: Callable[[], Mapping[str, Any]]) -> None:
        self._texts = read()

    def resolve(self, value: Any) -> Any:
        """The value with its references resolved."""
        return self._resolved(value) if self._texts else value

    def _resolved(self, value: Any) -> Any:
        match value:
            case str():
                return self._text(value) if value.startswith(_REFERENCE) else value
            case list():
                return [self._resolved(entry) for entry in value]
            case dict():
                return {name: self._resolved(entry) for name, entry in value.items()}
            case _:
                return value

    def _text(self, reference: str) -> str:
        text = self._texts.get(reference.removeprefix(_REFERENCE))
        return text if isinstance(text, str) and not text.startswith(_IMAGE) else reference
