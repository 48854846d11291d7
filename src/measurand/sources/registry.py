"""Finds the sources that are installed, and the one that reads a path."""

from __future__ import annotations

from functools import cache
from importlib.metadata import entry_points
from pathlib import Path
from typing import Final, NamedTuple

from measurand.errors import FormatError, UsageError
from measurand.sources.base import Source

__all__ = ["GROUP", "Installed", "detect", "get", "installed"]

GROUP: Final = "measurand.sources"
"""Entry-point group in which a distribution names its sources."""


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


def detect(path: Path) -> Source:
    """Return the source that claims ``path`` with the highest confidence.

    Raises:
        FormatError: the path does not exist, or no source knows it.
    """
    if not path.exists():
        raise FormatError("no such file or folder", where=str(path))
    claims = [(match.confidence, name) for name, source in installed().sources.items() if (match := source.sniff(path))]
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
