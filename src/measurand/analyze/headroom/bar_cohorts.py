"""Which bars are tried, and on whom: the user's choice, and the cohorts that it makes of the agents."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, NamedTuple

from measurand.analyze.headroom.bar_records import Cohort
from measurand.analyze.headroom.dates import NO_DATES, Dates, Releases, as_day, named_in
from measurand.errors import UsageError
from measurand.infer.headroom.percentiles import FORMS

if TYPE_CHECKING:
    import datetime as dt
    from collections.abc import Mapping, Sequence

    from measurand.analyze.prepare import Prepared
    from measurand.analyze.records import Finding

__all__ = ["EARLY", "LATE", "BarOptions", "Columns", "cohort_record", "split"]

EARLY: Final = "early"
LATE: Final = "late"
_ALL: Final = "all"


@dataclass(frozen=True, slots=True)
class BarOptions:
    """Which bars are tried, and on whom.

    Raises:
        UsageError: a value outside its range, or two ways of splitting the agents.
    """

    cut: dt.date | str | None = None
    """Agents released before this day are early, those from it on late; without it all agents are one cohort."""
    dates: Dates | None = None
    """Release dates; by default the column ``released_at``."""
    cohorts: Mapping[str, str] | None = None
    """Agent -> ``early`` or ``late``, instead of a cut."""
    bars: Mapping[str, Mapping[str, float]] | None = None
    """Name of a bar -> task -> its value in the unit of the task's quantity."""
    field: Mapping[str, Sequence[float]] | None = None
    """Task -> frozen results that percentiles are taken in (NaN: a member without a valid one); by default the early
    cohort."""
    form: str = "hazen"
    """Form of the percentiles."""
    window: int | None = None
    """Agents of a sliding window over release dates; ``None`` for no windows."""

    def __post_init__(self) -> None:
        if self.cut is not None and self.cohorts:
            raise UsageError("a cut and cohorts both split the agents", hint="leave one out")
        if self.form not in FORMS:
            raise UsageError(
                f"there is no form {self.form!r} of percentiles", hint=f"one of: {', '.join(FORMS)}"
            )
        if self.window is not None and self.window < 2:
            raise UsageError(f"window is {self.window}: it holds at least 2 agents")
        wrong = sorted(set((self.cohorts or {}).values()).difference((EARLY, LATE)))
        if wrong:
            raise UsageError(f"there is no cohort {wrong[0]!r}", hint=f"one of: {EARLY}, {LATE}")


class Columns(NamedTuple):
    """A cohort as columns of the grid."""

    name: str
    columns: tuple[int, ...]


def split(
    prepared: Prepared, released: Releases, options: BarOptions, told: list[Finding]
) -> tuple[Columns, ...]:
    """Split the agents as the options say; without a cut or cohorts they are one cohort.

    Raises:
        UsageError: a cut without dates, or cohorts that name none of the agents.
    """
    agents = prepared.grid.agents
    if options.cohorts:
        said = named_in(prepared, options.cohorts, "cohorts", told)
        return tuple(
            Columns(name, tuple(i for i, agent in enumerate(agents) if said.get(agent) == name))
            for name in (EARLY, LATE)
        )
    if options.cut is None:
        return (Columns(_ALL, tuple(range(len(agents)))),)
    if not released.order:
        raise UsageError(f"the agents cannot be cut into early and late: {NO_DATES}")
    cut = as_day(options.cut, "the cut")
    early = tuple(i for i in sorted(released.days) if released.days[i] < cut)
    late = tuple(i for i in sorted(released.days) if released.days[i] >= cut)
    return (Columns(EARLY, early), Columns(LATE, late))


def cohort_record(cohort: Columns, prepared: Prepared, released: Releases) -> Cohort:
    """Name the agents of a cohort."""
    days = [released.days[i] for i in cohort.columns if i in released.days]
    return Cohort(
        name=cohort.name,
        agents=tuple(prepared.grid.agents[i] for i in cohort.columns),
        first_release=min(days).isoformat() if days else None,
        last_release=max(days).isoformat() if days else None,
    )
