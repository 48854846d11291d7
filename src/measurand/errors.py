"""Everything that Measurand raises on purpose.

The tree::

    MeasurandError
    ├── UsageError            (ValueError)  the call itself is wrong: an unknown option value, score or agent name
    ├── InputError            (ValueError)  the data cannot be used as they are
    │   ├── MappingError                    a column of a table cannot be mapped to a field
    │   ├── FormatError                     a file is cut, foreign, undecodable or of no known format
    │   ├── ValueRangeError                 a value outside its range: quantity, anchor, direction, outcome word
    │   ├── ConflictError                   two records of one trial disagree
    │   └── ComparabilityError              rows that must not be ranked together
    ├── StoreError            (OSError)     a folder that is no store, or one of a newer version
    └── MissingExtraError     (ImportError) an optional package is needed for this call

Each message says what is wrong, where (file and line, column or trial) and what to do about it.
"""

from __future__ import annotations

__all__ = [
    "ComparabilityError",
    "ConflictError",
    "FormatError",
    "InputError",
    "MappingError",
    "MeasurandError",
    "MissingExtraError",
    "StoreError",
    "UsageError",
    "ValueRangeError",
]


class MeasurandError(Exception):
    """Root of all errors raised on purpose.

    Args:
        what: what is wrong, in one sentence.
        where: the file and line, column, agent or trial concerned; empty when the whole input is.
        hint: what to do about it.
    """

    def __init__(self, what: str, *, where: str = "", hint: str = "") -> None:
        self.what = what
        self.where = where
        self.hint = hint
        super().__init__(what)

    def __str__(self) -> str:
        text = f"{self.where}: {self.what}" if self.where else self.what
        return f"{text}\n  {self.hint}" if self.hint else text


class UsageError(MeasurandError, ValueError):
    """The call itself is wrong: an option value, a score or an agent that does not exist."""


class InputError(MeasurandError, ValueError):
    """The data cannot be used as they are."""


class MappingError(InputError):
    """A column of a table cannot be mapped to a field of the trial table."""


class FormatError(InputError):
    """A file is truncated, foreign, not decodable, or of no known format."""


class ValueRangeError(InputError):
    """A value is outside its range: a quantity, an anchor, a direction, an outcome word."""


class ConflictError(InputError):
    """Two records of one trial disagree."""


class ComparabilityError(InputError):
    """Rows that must not be ranked together: their fingerprints differ."""


class StoreError(MeasurandError, OSError):
    """A folder that is no store, or a store written by a newer version."""


class MissingExtraError(MeasurandError, ImportError):
    """An optional package is needed for this call."""

    @classmethod
    def for_package(cls, package: str, extra: str) -> MissingExtraError:
        """Build the error for ``package``, which the extra ``extra`` brings."""
        return cls(f"this needs the package {package!r}", hint=f"pip install 'measurand[{extra}]'")
