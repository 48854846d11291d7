"""Finds the sources that are installed, and the one that reads a path."""

from __future__ import annotations

from functools import cache
from importlib.metadata import entry_points
from typing import TYPE_CHECKING, Final, NamedTuple

import msgspec

from measurand.errors import FormatError, UsageError
from measurand.sources.base import Match, Source

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["GROUP", "Installed", "Listing", "SourceRow", "detect", "get", "installed", "listing"]

GROUP: Final = "measurand.sources"
"""Entry-point group in which a distribution names its sources."""


class SourceRow(msgspec.Struct, frozen=True):
    """A source as users see it."""

    name: str
    title: str
    claim: str | None = None
    """Its claim on the path asked about: confidence and reason."""


class Listing(msgspec.Struct, frozen=True):
    """What can be read."""

    sources: tuple[SourceRow, ...]
    broken: dict[str, str]
    path: str | None = None


class Installed(NamedTuple):
    """The sources that are installed."""

    sources: dict[str, Source]
    broken: dict[str, str]
    """Plug-ins that cannot be loaded, and why. They hinder nobody who does not name them."""


@cache
def installed() -> Installed:
    """Load all installed sources, in the order of their names."""
    found: dict[str, Source] = {}
    broken: dict[str, str] = {}
    for entry in sorted(entry_points(group=GROUP), key=lambda entry: entry.name):
        try:
            source = entry.load()()
        except Exception as error:  # noqa: BLE001 - a plug-in may fail in any way
            broken[entry.name] = f"{entry.value} cannot be loaded: {error}"
            continue
        if isinstance(source, Source):
            found[entry.name] = source
        else:
            broken[entry.name] = f"{entry.value} lacks name, title, sniff or read"
    return Installed(found, broken)


def get(name: str) -> Source:
    """Return the source called ``name``.

    Raises:
        UsageError: there is none, or its plug-in cannot be loaded.
    """
    known, broken = installed()
    if name in broken:
        raise UsageError(broken[name], hint="correct or uninstall the distribution that brings it")
    if name not in known:
        raise UsageError(f"there is no source {name!r}", hint=f"one of: {', '.join(known)}")
    return known[name]


def _claims(path: Path) -> tuple[dict[str, Match], dict[str, str]]:
    """What each source claims of ``path``, and why some could not look: they claim nothing, and hinder no other."""
    claims: dict[str, Match] = {}
    failed: dict[str, str] = {}
    for name, source in installed().sources.items():
        try:
            match = source.sniff(path)
        except Exception as error:  # noqa: BLE001 - a plug-in may fail in any way
            failed[name] = f"it failed to look at {path}: {error}"
            continue
        if match is not None:
            claims[name] = match
    return claims, failed


def detect(path: Path) -> Source:
    """Return the source that claims ``path`` with the highest confidence.

    Raises:
        FormatError: the path does not exist, or no source knows it.
    """
    if not path.exists():
        raise FormatError("no such file or folder", where=str(path))
    found, failed = _claims(path)
    claims = [(match.confidence, name) for name, match in found.items()]
    if not claims:
        also = "".join(f"; the source {name!r}: {why}" for name, why in failed.items())
        raise FormatError(
            f"no source knows this format{also}",
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


def listing(path: Path | None = None) -> Listing:
    """List the sources; with a path, say what each claims of it."""
    found, broken = installed()
    claims, failed = _claims(path) if path is not None else ({}, {})
    rows = []
    for name, source in found.items():
        match = claims.get(name)
        rows.append(SourceRow(name, source.title, f"{match.confidence} %: {match.why}" if match else None))
    return Listing(tuple(rows), broken | failed, None if path is None else str(path))
