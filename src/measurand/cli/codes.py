"""Exit codes of the command line (DESIGN section 9)."""

from __future__ import annotations

from typing import Final

__all__ = ["DATA", "INTERRUPTED", "NO", "OK", "PARTIAL", "USAGE"]

OK: Final = 0
NO: Final = 1
"""Measured "no": a policy failed, a segment is damaged."""
USAGE: Final = 2
DATA: Final = 3
PARTIAL: Final = 4
"""Under ``--strict``: a row was dropped, or a value became unknown."""
INTERRUPTED: Final = 130
