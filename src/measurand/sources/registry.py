"""Finds the sources that are installed, and the one that reads a path."""

from __future__ import annotations

from functools import cache
from importlib.metadata import entry_points
from pathlib import Path
from typing import Final

from measurand.errors import FormatError, MeasurandError, UsageError
from measurand.sources.base import Source

__all__ = ["GROUP", "detect", "get", "sources"]

GROUP: Final = "measurand.sources"
"""Entry-point group in which a distribution names its sources."""


@cache
def sources() -> dict[str, Source]:
    """All installed sources by name.

    Raises:
        UsageError: an installed plug-in cannot be loaded, or is no source.
    """
    found: dict[str, Source] = {}
    for entry in sorted(entry_points(group=GROUP), key=lambda entry: entry.name):
        try:
            source = entry.load()()
        except Exception as error:
            raise UsageError(
                f"the source {entry.name!r} cannot be loaded: {error}",
                where=entry.value,
                hint="correct or uninstall the distribution that brings it",
            ) from error
        if not isinstance(source, Source):
            raise UsageError(f"the source {entry.name!r} lacks name, title, sniff or read", where=entry.value)
        found[entry.name] = source
    return found


def get(name: str) -> Source:
    """Return the source called ``name``.

    Raises:
        UsageError: there is none.
    """
    known = sources()
    if name not in known:
        raise UsageError(f"there is no source {name!r}", hint=f"one of: {', '.join(known)}")
    return known[name]


def detect(path: Path) -> Source:
    """Return the source that claims ``path`` with the highest confidence.

    Raises:
        FormatError: the path does not exist, or no source knows it.
    """
    if not path.exists():
        raise FormatError("no such file or folder", where=str(path))
    claims = [(match.confidence, name) for name, source in sources().items() if (match := source.sniff(path))]
    if not claims:
        raise FormatError(
            "no source knows this format",
            where=str(path),
            hint="`measurand sources` lists what can be read; name one with --from",
        )
    best = max(confidence for confidence, _ in claims)
    names = [name for confidence, name in claims if confidence == best]
    if len(names) > 1:
        raise FormatError(
            f"several sources claim this: {', '.join(names)}", where=str(path), hint="name one with --from"
        )
    return get(names[0])


def describe_claims(path: Path) -> dict[str, str]:
    """Which sources claim ``path``, and why: for error messages and `measurand sources PATH`."""
    claims: dict[str, str] = {}
    for name, source in sources().items():
        try:
            match = source.sniff(path)
        except MeasurandError:
            continue
        if match:
            claims[name] = f"{match.confidence} %: {match.why}"
    return claims
