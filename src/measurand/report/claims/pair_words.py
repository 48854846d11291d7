"""Sentences about two agents beside their difference: margins, what could be found at all, times."""

from __future__ import annotations

from typing import TYPE_CHECKING

from measurand.report.names import name_shown, shorten, visible
from measurand.report.numbers import count, finite, p_value, percent
from measurand.report.parts import percent_level
from measurand.report.scores import difference_form, size_form
from measurand.wording import plural

if TYPE_CHECKING:
    from measurand.analyze.claims.pair_records import Discordance, MarginAnswer, Timing

__all__ = ["discordance_sentences", "margin_sentences", "short", "timing_sentences"]


def short(name: str, width: int = 32) -> str:
    """Name of an agent in a sentence."""
    return shorten(name_shown(name), width)


def margin_sentences(answer: MarginAnswer, score: str) -> list[str]:
    """Answer on a margin in one sentence or two."""
    size, signed = size_form(score), difference_form(score)
    agent, than, margin = short(answer.agent), short(answer.than), size(answer.margin)
    claim = f"to {than} within a margin of {margin}"
    if answer.not_worse is None or answer.low is None:
        why = visible(answer.reason or "there is no bound").rstrip(".")
        return [f"Whether {agent} is non-inferior {claim} cannot be said: {why}."]
    bound = f"the lower bound of the difference is {signed(answer.low)} ({_terms(answer)})"
    if not answer.not_worse:
        return [f"{agent} was not shown to be non-inferior {claim}: {bound}."]
    sentences = [f"{agent} is non-inferior {claim}: {bound}."]
    if answer.equivalent:
        upper = f"With an upper bound of {signed(answer.high)}"
        sentences.append(f"{upper} the two are equivalent within this margin.")
    return sentences


def _terms(answer: MarginAnswer) -> str:
    level = percent_level(answer.level)
    return f"of all pairs at once, {level}" if "all pairs" in answer.method else f"one-sided, {level}"


def discordance_sentences(found: Discordance | None, level: float, unit: str = "task") -> list[str]:
    """Say that two agents differ on too few tasks for any finding; nothing where they do not."""
    if found is None or found.units >= found.needed:
        return []
    many = {"task": "tasks", "family": "families of tasks"}.get(unit, f"{unit}s")
    one = {"family": "family of tasks"}.get(unit, unit)
    where = (
        f"differ on {plural(found.units, one, many)} only" if found.units else f"differ on none of the {many}"
    )
    best = f", where the least attainable p is {p_value(found.least_p)}" if found.units else ""
    return [
        f"The two {where}{best}: a finding at the {percent_level(level)} level takes at least {count(found.needed)} that differ."
    ]


def timing_sentences(timing: Timing | None) -> list[str]:
    """Say how far the trials of two agents were run at the same time; nothing where no times are known."""
    if timing is None or finite(timing.a_within) is None or finite(timing.b_within) is None:
        return []
    if timing.apart:
        return []
    a, b = short(timing.a), short(timing.b)
    unknown = (
        f"; {plural(timing.untimed, 'trial')} of {count(timing.trials)} without a time"
        if timing.untimed
        else ""
    )
    if timing.a_within == timing.b_within == 1:
        return [f"All trials of {a} and {b} were run over the same stretch of time{unknown}."]
    within = f"{percent(timing.a_within)} of the trials of {a} started while {b} was being run"
    return [f"{within}, and {percent(timing.b_within)} of those of {b} while {a} was{unknown}."]
