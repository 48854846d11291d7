"""Claims in words: the best agent, its true score, and being no worse than another."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from measurand.report.claims.pair_words import discordance_sentences, margin_sentences, short
from measurand.report.document import Cell, Column, Document, Section, Table
from measurand.report.names import visible
from measurand.report.numbers import DASH, count, finite, interval, p_statement, p_value
from measurand.report.parts import (
    GENERATOR,
    NOT_COMPARABLE,
    Field,
    build_table,
    findings_section,
    listed,
    methods_section,
    name_cell,
    percent_level,
    suite_title,
)
from measurand.report.scores import difference_form, score_words, size_form, value_form
from measurand.wording import plural

if TYPE_CHECKING:
    from measurand.analyze.claims.records import BestClaim, Claims, ClaimsPart, RivalRow

__all__ = ["claims_document", "claims_section"]

_SHOWN: Final = 30
"""Rivals in the table, the hardest to beat first."""


def claims_document(record: Claims) -> Document:
    """Report on claims: the answers first, then the rivals one by one."""
    sections = (
        Section(id="answer", title="What can be claimed", sentences=tuple(_sentences(record)), lead=True),
        _rivals(record),
        findings_section(record.findings),
        methods_section(record.methods),
    )
    return Document(
        title=f"Claims: {suite_title(record.suite, record.suite_version)}",
        subtitle=f"{plural(record.n_agents, 'agent')} · {plural(record.n_tasks, 'task')} · by {score_words(record.score)}",
        banner="" if record.comparable else NOT_COMPARABLE,
        sections=tuple(section for section in sections if section is not None),
        command=visible(record.command or ""),
        generator=GENERATOR,
    )


def claims_section(part: ClaimsPart) -> Section | None:
    """What a report on a board says of claims; ``None`` where there is one agent only."""
    if not part.best.rivals:
        return None
    return Section(id="claims", title="Claims", sentences=tuple(_sentences(part)))


def _sentences(part: ClaimsPart) -> list[str]:
    sentences = [*_best(part.best), *_hardest(part), *_untested(part.best), *_top(part)]
    if part.margin is not None:
        sentences += margin_sentences(part.margin, part.score)
    return [*sentences, *_times(part)]


def _best(claim: BestClaim) -> list[str]:
    agent, hardest = short(claim.agent), claim.hardest
    if claim.supported is None or hardest is None:
        why = visible(claim.reason or "the test gives no answer").rstrip(".")
        return [f"Whether {agent} is the best cannot be said: {why[:1].lower()}{why[1:]}."]
    p = p_statement(claim.p, resamples=hardest.resamples, exact=hardest.exact)
    how = (
        "each pair alone, since it was named beforehand"
        if claim.named
        else "adjusted for all pairs, since it was picked for being first"
    )
    of = "all other agents" if claim.named else "the other agents tested"
    if claim.supported:
        first = (
            f"{agent} is the best of {plural(claim.rivals + 1, 'agent')}: it beats each of {of} ({p}, {how})."
        )
    else:
        of = "does not surely beat its only rival" if claim.rivals == 1 else ""
        beats = of or f"beats {count(claim.beaten)} of its {plural(claim.rivals, 'rival')}"
        first = f"That {agent} is the best is not shown: it {beats} ({p}, {how})."
    level = (
        [f"It shares the first place with {listed(claim.shares_first_with)}."]
        if claim.shares_first_with
        else []
    )
    return [first, *level]


def _untested(claim: BestClaim) -> list[str]:
    if not claim.untested or claim.supported is None:
        return []
    were = "was" if claim.untested == 1 else "were"
    return [
        f"{plural(claim.untested, 'more agent')} further down {were} not tested; --top all tests them too."
    ]


def _hardest(part: ClaimsPart) -> list[str]:
    row = part.best.hardest
    if row is None or part.best.supported is None:
        return []
    signed = difference_form(part.score)
    around = interval(row.low, row.high, signed)
    what = "" if part.best.named else " for all pairs at once"
    level = f" ({percent_level(1 - part.best.level)} interval{what} {around})" if around else ""
    ahead = (
        "no task in common"
        if finite(row.difference) is None
        else f"a difference of {signed(row.difference)}{level}"
    )
    text = f"Hardest to beat is {short(row.rival)}: {ahead} over {plural(row.n_tasks, 'task')}."
    few = sum(other.discordance.units < other.discordance.needed for other in part.best.rows)
    more = discordance_sentences(row.discordance, part.best.level, part.unit)
    if few > 1 and more:
        more.append(f"The same holds of {plural(few - 1, 'other rival')}.")
    return [text, *more]


def _top(part: ClaimsPart) -> list[str]:
    top = part.top
    agent, form, size = short(top.agent), value_form(part.score), size_form(part.score)
    words = score_words(part.score)
    if finite(top.corrected) is None or finite(top.bias) is None:
        why = visible(top.reason or "there are no values").rstrip(".")
        return [
            f"What picking the first has added to the top score cannot be said: {why[:1].lower()}{why[1:]}."
        ]
    if top.agents < 2:
        return []
    around = interval(top.low, top.high, form)
    level = f" ({percent_level(top.level)} interval {around})" if around else ""
    picked = f"having been picked as the highest of {plural(top.agents, 'agent')}"
    if _nothing(size(top.bias)):
        text = f"{agent} stands at a {words} of {form(top.raw)}{level}; {picked} has added next to nothing to it."
    else:
        left = f"which leaves {form(top.corrected)}{level}"
        text = f"{agent} stands at a {words} of {form(top.raw)}; {picked} is estimated to have added {size(top.bias)}, {left}."
    if around and top.caution:
        text += f" The interval is optimistic: {visible(top.caution)}."
    if part.best.named and part.best.agent == top.agent:
        return [f"{text} Named beforehand, it was not picked, and its own mean stands as it is."]
    return [text]


def _nothing(size: str) -> bool:
    """Whether a size is written with no digit but 0."""
    return not any(digit in size for digit in "123456789")


def _times(part: ClaimsPart) -> list[str]:
    """Say with how many rivals the claimant was run at the same time."""
    known = [timing for timing in part.timings if timing.reason is None]
    if not known:
        return []
    hardly = [timing for timing in known if timing.hardly]
    agent = short(part.best.agent)
    if not hardly:
        return [f"The trials of {agent} and those of its rivals overlap in time."]
    of = (
        "those of its rival"
        if len(known) == 1
        else f"those of {count(len(hardly))} of {plural(len(known), 'rival')} whose times are known"
    )
    drift = "drift of the provider or the machine cannot be told from the agent there"
    return [f"The trials of {agent} hardly overlap in time with {of}: {drift}."]


def _rivals(part: Claims) -> Section | None:
    claim = part.best
    if not claim.rows:
        return None
    signed = difference_form(part.score)

    def difference(row: RivalRow) -> Cell:
        if finite(row.difference) is None:
            return Cell(DASH, None, "muted")
        return Cell(signed(row.difference), row.difference, minor=interval(row.low, row.high, signed))

    def beaten(row: RivalRow) -> Cell:
        return Cell("yes" if row.beaten else "not shown", row.beaten, "strong" if row.beaten else "muted")

    def differing(row: RivalRow) -> Cell:
        few = row.discordance.units < row.discordance.needed
        return Cell(count(row.discordance.units), row.discordance.units, "warning" if few else "plain")

    fields: list[Field[RivalRow]] = [
        Field(Column("rival", "Rival", name=True), lambda row: name_cell(row.rival)),
        Field(Column("difference", "Difference", "right"), difference),
        Field(
            Column("p", "p" if claim.named else "Adjusted p", "right"),
            lambda row: Cell(p_value(row.p, resamples=row.resamples, exact=row.exact), row.p),
        ),
        Field(Column("discordant", "Differing", "right", importance=1), differing),
        Field(
            Column("n_tasks", "Tasks", "right", importance=2),
            lambda row: Cell(count(row.n_tasks), row.n_tasks),
        ),
        Field(Column("beaten", "Beaten"), beaten),
    ]
    rows = claim.rows[:_SHOWN]
    more = len(claim.rows) - len(rows)
    needed = claim.rows[0].discordance.needed
    note = (
        f"{visible(short(claim.agent))} minus each rival, the hardest to beat first. A rival that is ahead or level has p = 1. "
        f"Below {count(needed)} differing tasks (or families of tasks) no finding is possible."
        + (f" {plural(more, 'more rival')} in the data." if more else "")
    )
    table = Table("rivals", "Rivals", (), (), note=note)
    filled = build_table(fields, rows, band=lambda _: None, table=table)
    return Section(id="rivals", title="Against each rival", tables=(filled,))
