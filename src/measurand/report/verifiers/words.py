"""A second verdict in sentences: what it rejects, and what is left of order and tiers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from measurand.report.names import name_shown, shorten, visible
from measurand.report.numbers import count, decimal, finite, p_statement, percent
from measurand.report.parts import percent_level
from measurand.score.names import GATE
from measurand.wording import plural

if TYPE_CHECKING:
    from measurand.analyze.verifiers.records import OrderChange, RemovalBand, SecondVerdict

__all__ = ["answer", "both_facts", "order_sentences", "shares_sentence", "tier_sentence", "verdict_word"]


def verdict_word(name: str) -> str:
    """Name of a verdict in a sentence or heading."""
    return "the gate" if name == GATE else shorten(name_shown(name), 32)


def answer(part: SecondVerdict) -> str:
    """What the second verdict rejects, and what it does to order and tiers, in one sentence."""
    second = verdict_word(part.second_name)
    if part.median_share is None:
        why = (
            "nobody passes anything"
            if not part.errors.passes
            else "it was given on none of the passes looked at here"
        )
        return f"It cannot be said what the second verdict ({second}) rejects: {why}."
    return f"The second verdict ({second}) {_rejects(part)}{_moves(part.order)}{_tops(part)}."


def _rejects(part: SecondVerdict) -> str:
    if not part.errors.passes_rejected:
        return f"rejects none of the {plural(part.errors.passes_checked, 're-checked pass', 're-checked passes')}"
    if part.n_shares == 1:
        agent = next(row.agent for row in part.agents if row.rejected_share.value is not None)
        return f"rejects {percent(part.median_share)} of the passes of {shorten(name_shown(agent), 48)} that it looked at"
    span = f"{percent(part.lowest_share)} to {percent(part.highest_share)}"
    return f"rejects a median {percent(part.median_share)} of an agent's passes ({span} over {plural(part.n_shares, 'agent')})"


def _moves(order: OrderChange) -> str:
    if order.n_agents < 2:
        return ""
    if not order.neighbours:
        return "; no two agents were apart by the first verdict"
    apart = plural(order.neighbours, "pair", "pairs")
    verb = "changes places" if order.reversed == 1 else "change places"
    if not order.reversed:
        return f"; of {apart} of neighbours none changes places"
    return f"; of {apart} of neighbours {count(order.reversed)} {verb}"


def _tops(part: SecondVerdict) -> str:
    tiers = part.tiers
    if tiers.reason is not None or not tiers.first or not tiers.second:
        return ""
    before, after = (len(rows[0].agents) for rows in (tiers.first, tiers.second))
    if before == after:
        return f", and the top tier keeps its size of {plural(before, 'agent')}"
    return f", and the top tier goes from {plural(before, 'agent')} to {count(after)}"


def shares_sentence(part: SecondVerdict) -> list[str]:
    """Whether the rejected shares of the agents differ by more than chance."""
    if part.shares_p is None:
        return []
    p = p_statement(part.shares_p, resamples=part.resamples, exact=False)
    if part.shares_p <= part.tiers.level:
        return [f"Agents differ in the share of passes that is rejected, by more than chance ({p})."]
    return [f"The agents were not shown to differ in the share of passes that is rejected ({p})."]


def order_sentences(order: OrderChange) -> list[str]:
    """Reversals beside what random removal would give, ties, and the agreement of both orders."""
    if order.n_agents < 2:
        why = visible(order.reason or "there are fewer than 2 agents").rstrip(".")
        return [f"The order after is not available: {why}."]
    return [*_chance(order), *_ties(order), *_agreement(order)]


def _chance(order: OrderChange) -> list[str]:
    band = order.band
    if band is None or not order.neighbours:
        return []
    mean = band.mean if band.expected is None else band.expected
    text = (
        f"Removing the same share of everybody's passes at random ({percent(band.share)}) would reverse {decimal(mean, 1)} pairs "
        f"on average ({percent_level(band.level)} band {band.low} to {band.high}); {_against(order, band)}."
    )
    return [text]


def _against(order: OrderChange, band: RemovalBand) -> str:
    seen = f"the {count(order.reversed)} seen {'is' if order.reversed == 1 else 'are'}"
    if order.reversed > band.high:
        return f"{seen} more: the second verdict treats agents differently"
    if order.reversed < band.low:
        return f"{seen} fewer: the order is kept better than by chance"
    return f"{seen} within it"


def _agreement(order: OrderChange) -> list[str]:
    """Tau-b over all pairs of agents, beside what random removal leaves of it."""
    if finite(order.tau_b) is None:
        return []
    text = f"Over all pairs of agents, Kendall's tau-b between the orders before and after is {decimal(order.tau_b)}"
    band = order.band
    if band is None or band.tau_low is None or band.tau_high is None:
        return [f"{text}."]
    chance = (
        f"random removal leaves {decimal(band.tau)} ({decimal(band.tau_low)} to {decimal(band.tau_high)})"
    )
    if order.tau_b is not None and order.tau_b < band.tau_low:
        return [f"{text}; {chance}, so that more than chance is at work: agents lose different shares."]
    return [f"{text}; {chance}."]


def _ties(order: OrderChange) -> list[str]:
    parts = []
    if order.tied:
        parts.append(
            f"{plural(order.tied, 'pair')} of neighbours {'ties' if order.tied == 1 else 'tie'} after"
        )
    if order.skipped:
        verb = "ties" if order.skipped == 1 else "tie"
        text = f"{plural(order.skipped, 'pair')} of neighbours {verb} before and {'is' if order.skipped == 1 else 'are'} left out"
        if abs(order.over_ties - order.reversed) > 0.05:
            text += f" (over all ways to list agents that tie, {decimal(order.over_ties, 1)} pairs change places on average)"
        parts.append(text)
    return [f"{text}." for text in parts]


def tier_sentence(part: SecondVerdict) -> str:
    """Tiers of the same agents before and after, or why there are none."""
    tiers = part.tiers
    if tiers.reason is not None:
        return f"Tiers before and after are not available: {visible(tiers.reason).rstrip('.')}."
    before, after = (plural(len(rows), "tier") for rows in (tiers.first, tiers.second))
    pairs = plural(tiers.n_pairs, "pair")
    return (
        f"The first {plural(len(tiers.family), 'agent')} fall into {before} before and {after} after; {count(tiers.significant_first)} "
        f"and {count(tiers.significant_second)} of {pairs} differ at the family-wise {percent_level(tiers.level)} level."
    )


def both_facts(part: SecondVerdict) -> list[str]:
    """That an order may be noise, and that a stricter verdict may still separate agents better: both are said."""
    order, tiers = part.order, part.tiers
    if tiers.reason is not None or order.band is None or not part.errors.passes_rejected:
        return []
    gain = tiers.significant_second - tiers.significant_first
    noise = order.reversed <= order.band.high
    if gain > 0:
        start = "Neighbours change places as chance would have it, and yet" if noise else "Besides,"
        return [f"{start} both verdicts together tell more pairs apart than the first alone."]
    if gain < 0:
        return ["Both verdicts together tell fewer pairs apart than the first alone."]
    return []
