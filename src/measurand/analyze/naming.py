"""Which agent a user means by a name or a pattern."""

from __future__ import annotations

from fnmatch import fnmatchcase

from measurand.analyze.select import unknown_name
from measurand.errors import UsageError
from measurand.wording import listed, plural

__all__ = ["agent_place"]


def agent_place(name: str, agents: tuple[str, ...]) -> int:
    """Find the one agent that a name or shell pattern fits, and return its place in ``agents``.

    Raises:
        UsageError: it fits none, or several.

    >>> agent_place("b*", ("ada", "bob"))
    1
    """
    if name in agents:
        return agents.index(name)
    fits = [i for i, agent in enumerate(agents) if fnmatchcase(agent, name)]
    if not fits:
        raise unknown_name("agent", name, agents)
    if len(fits) > 1:
        names = listed([agents[i] for i in fits])
        raise UsageError(f"{name!r} fits {plural(len(fits), 'agent')}: {names}", hint="name one")
    return fits[0]
