"""Suites as users and harnesses name them: a name, or a name and a version."""

from __future__ import annotations

import re
from typing import Final

__all__ = ["name_and_version"]

_VERSIONED: Final = re.compile(r"(?P<name>.+?)(@|==)(?P<version>[^@=]+)")


def name_and_version(given: str | None) -> tuple[str | None, str | None]:
    """Split ``NAME@VERSION`` (or ``NAME==VERSION``); a name alone has no version.

    >>> name_and_version("terminal-bench@2.0"), name_and_version("mine"), name_and_version(None)
    (('terminal-bench', '2.0'), ('mine', None), (None, None))
    """
    found = _VERSIONED.fullmatch(given) if given else None
    return (found["name"], found["version"]) if found else (given, None)
