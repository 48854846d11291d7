"""What the name of a result file of tau-bench says: who ran with which settings, in which domain."""

from __future__ import annotations

import re
from typing import Any, Final, NamedTuple

from measurand.sources.reading.chat_trace import content_text
from measurand.sources.reading.loose_values import list_of, object_of

__all__ = ["Named", "domain_of_policy", "named"]

_BY_RUN: Final = re.compile(
    r"(?P<strategy>.*?(?:tool-calling|act|react|few-shot))-(?P<model>.+)-(?P<temperature>\d+(?:\.\d+)?)"
    r"_range_(?P<first>-?\d+)-(?P<last>-?\d+)_user-(?P<user>.+)"
    r"-(?P<user_strategy>llm|react|verify|reflection|human)_(?P<job>[\w-]+)"
)
"""As ``run.py`` calls its files."""
_DOMAIN: Final = re.compile(r"(?:^|[-_ .])(airline|retail)(?=$|[-_ .])", re.IGNORECASE)
_POLICY: Final = re.compile(r"\b(airline|retail) agent", re.IGNORECASE)
_COPY: Final = re.compile(r"[-_. ](cut|copy|results?)$", re.IGNORECASE)
_LOOKED_AT: Final = 2000


class Named(NamedTuple):
    """What a file is called after."""

    agent: str
    model: str | None
    domain: str | None
    job: str | None = None
    settings: dict[str, Any] | None = None
    """What makes the agent answer as it does."""
    user: dict[str, Any] | None = None
    """The simulated user."""


def named(stem: str) -> Named:
    """Read the name of a file, without its ending.

    >>> named("tool-calling-gpt-4o-0.0_range_0--1_user-gpt-4o-llm_0612093015").agent
    'gpt-4o (tool-calling)'
    >>> named("gpt-4o-airline")[:3]
    ('gpt-4o', 'gpt-4o', 'airline')
    """
    found = _DOMAIN.search(stem)
    domain = found[1].lower() if found else None
    parts = _BY_RUN.fullmatch(stem)
    if parts is None:
        model = _COPY.sub("", stem)
        model = _DOMAIN.sub("", model, count=1).strip("-_ .") or model
        return Named(model, model, domain)
    settings = {
        "model": parts["model"],
        "strategy": parts["strategy"],
        "temperature": float(parts["temperature"]),
    }
    return Named(
        agent=f"{parts['model']} ({parts['strategy']})",
        model=parts["model"],
        domain=domain,
        job=parts["job"],
        settings=settings,
        user={"model": parts["user"], "strategy": parts["user_strategy"]},
    )


def domain_of_policy(record: dict[str, Any]) -> str | None:
    """Domain after the policy in the system's message of a record."""
    for message in list_of(record.get("traj"))[:2]:
        said = content_text(object_of(message).get("content")) or ""
        if found := _POLICY.search(said[:_LOOKED_AT]):
            return found[1].lower()
    return None
