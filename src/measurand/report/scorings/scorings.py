"""The scorings of a suite side by side: tiers and saturation under each, and how the order moves between them."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Final

from measurand.report.document import Cell, Column, Document, Figure, Item, Section, Table
from measurand.report.figures import NARROW, WIDE
from measurand.report.names import name_shown, shorten, visible
from measurand.report.numbers import DASH, count, decimal, finite, percent
from measurand.report.parts import (
    GENERATOR,
    NOT_COMPARABLE,
    Field,
    build_table,
    findings_section,
    listed,
    methods_section,
    name_cell,
    suite_title,
)
from measurand.report.scores import score_words, size_form
from measurand.report.scorings.binding import (
    anchors_section,
    binding_section,
    binding_summary,
    left_out_section,
)
from measurand.report.scorings.figure import Head, heads_spec
from measurand.wording import plural, upper_first

if TYPE_CHECKING:
    from collections.abc import Sequence

    from measurand.analyze.scorings.rows import AgentPlaces, OrderPair, ScoringRow
    from measurand.analyze.scorings.scorings import Scorings, ScoringsPart

__all__ = ["scorings_document", "scorings_section"]

_NAME: Final = 32


def scorings_document(record: Scorings) -> Document:
    """Report on the scorings: what depends on the choice of one, then each of them, the orders, the bounds and the rows."""
    sections = (
        _answer(record),
        _scorings(record),
        _places(record),
        _orders(record),
        binding_section(record.binding),
        anchors_section(record.anchors),
        left_out_section(record.left_out),
        findings_section(record.findings),
        methods_section(record.methods, _remarks(record)),
    )
    parts = (plural(record.n_agents, "agent"), plural(record.n_tasks, "task"))
    return Document(
        title=f"Scorings: {suite_title(record.suite, record.suite_version)}",
        subtitle=" · ".join((*parts, plural(record.n_trials, "recorded trial"))),
        banner="" if record.comparable else NOT_COMPARABLE,
        sections=tuple(section for section in sections if section is not None),
        command=visible(record.command or ""),
        generator=GENERATOR,
    )


def scorings_section(part: ScoringsPart) -> Section | None:
    """What a report on a board says of the scorings; ``None`` where there is but one."""
    if len(_given(part)) < 2:
        return None
    orders = _orders(part)
    return Section(
        id="scorings",
        title="What the choice of a score decides",
        sentences=(*_tiers(part), *_moves(part), *binding_summary(part.binding)),
        figures=_figure(part),
        tables=orders.tables if orders is not None else (),
    )


def _given(part: ScoringsPart) -> list[ScoringRow]:
    """Scorings that the data allow, those that say the same as an earlier one left out."""
    return [row for row in part.rows if row.reason is None and row.same_as is None]


def _words(name: str) -> str:
    """Name of a scoring in a sentence."""
    known = {"key": "the answer key", "gate": "the gate rate", "objective": "the objective"}
    words = score_words(name)
    return known.get(name, f"the {words}" if words.endswith("score") else f"the {words} score")


def _answer(part: ScoringsPart) -> Section:
    return Section(
        id="answer",
        title="What depends on the scoring",
        sentences=(*_tiers(part), *_moves(part), *binding_summary(part.binding), *_unavailable(part)),
        lead=True,
    )


def _unavailable(part: ScoringsPart) -> list[str]:
    """Which scorings the data do not allow, and why; scorings with one reason in one sentence."""
    return _for_one_reason(
        "not available: ", [(row.score, f"{row.reason}.") for row in part.rows if row.reason is not None]
    )


def _for_one_reason(what: str, scores: list[tuple[str, str]]) -> list[str]:
    by_reason: dict[str, list[str]] = {}
    for name, reason in scores:
        by_reason.setdefault(reason, []).append(_words(name))
    return [
        f"{upper_first(listed(names, 9))} {'is' if len(names) == 1 else 'are'} {what}{visible(reason)}"
        for reason, names in by_reason.items()
    ]


def _tiers(part: ScoringsPart) -> list[str]:
    """How many tiers each scoring makes of the first agents."""
    given = _given(part)
    known = [row for row in given if row.n_tiers is not None]
    if not known:
        return [f"No scoring tells the agents apart: {visible(row.test_reason or '')}" for row in given[:1]]
    by_count: dict[int, list[str]] = {}
    for row in known:
        by_count.setdefault(row.n_tiers or 0, []).append(_words(row.score))
    first = f"The first {plural(max(len(row.family) for row in known), 'agent')} form"
    if len(given) == 1:
        n = plural(known[0].n_tiers or 0, "tier")
        return [f"{first} {n} under {_words(known[0].score)}, the only scoring that the data allow."]
    parts = [f"{plural(n, 'tier')} under {listed(by_count[n], 9)}" for n in sorted(by_count, reverse=True)]
    return [
        f"{first} {', '.join(parts)}.",
        *_for_one_reason(
            "without tiers: ", [(row.score, row.test_reason or "") for row in given if row.n_tiers is None]
        ),
    ]


def _moves(part: ScoringsPart) -> list[str]:
    """How far the order under the other scorings is from that of the standard."""
    pairs = [pair for pair in part.orders if pair.a == part.standard and pair.tau_b is not None]
    if not pairs:
        return []
    least, most = min(pairs, key=lambda p: p.tau_b or 0), max(pairs, key=lambda p: p.tau_b or 0)
    text = (
        f"Against {_words(part.standard)}, the order of {plural(least.n_agents, 'agent')} agrees least under {_words(least.b)}:"
        f" Kendall's τ-b {decimal(least.tau_b)}, {plural(least.reversed_pairs, 'pair')} turned round"
    )
    if most is least:
        return [f"{text}."]
    return [f"{text}; and most under {_words(most.b)}: {decimal(most.tau_b)}."]


def _scorings(part: ScoringsPart) -> Section:
    """What the test and the saturation index say under each scoring."""
    by_note: dict[str, list[str]] = {}
    for row in _given(part):
        for note in row.notes if row.spread else ():
            by_note.setdefault(note, []).append(_words(row.score))
    sentences = tuple(f"{upper_first(listed(names, 9))}: {visible(note)}." for note, names in by_note.items())
    return Section(
        id="scorings",
        title="Scorings",
        sentences=sentences,
        tables=(_tiers_table(part.rows), _saturation_table([row for row in part.rows if row.reason is None])),
    )


def _tiers_table(rows: Sequence[ScoringRow]) -> Table:
    fields: list[Field[ScoringRow]] = [
        Field(Column("score", "Scoring"), _name_of_row),
        Field(Column("tiers", "Tiers", "right"), _tier_count),
        Field(Column("pairs", "Pairs that differ", "right"), _pairs),
        Field(
            Column("spread", "Spread", "right"),
            lambda row: Cell(size_form(row.score)(row.spread), finite(row.spread)),
        ),
        Field(Column("first", "First", importance=1, name=True), lambda row: _agent(row.first)),
    ]
    note = (
        "Tiers: how many the agents tested under a scoring form, and how many agents each has, best first. Spread: the first mean"
        " minus the last of these agents."
    )
    table = Table("scorings", "Tiers under each scoring", (), (), note=note)
    return build_table(fields, rows, band=lambda _: None, table=table)


def _saturation_table(rows: Sequence[ScoringRow]) -> Table:
    k = max((row.k for row in rows), default=0)
    fields: list[Field[ScoringRow]] = [
        Field(Column("score", "Scoring"), _name_of_row),
        Field(Column("s", "S", "right"), lambda row: _number(row.index)),
        Field(
            Column("class", "Class"),
            lambda row: Cell(visible(row.category or DASH).replace("_", " "), row.category),
        ),
        Field(Column("t", "t", "right"), lambda row: _number(row.t)),
        Field(Column("r", "R", "right"), lambda row: _number(row.r)),
        Field(Column("n", "", shown=False), lambda row: Cell("", row.n)),
        Field(
            Column("dominance", "One task's share", "right"),
            lambda row: Cell(percent(row.dominance), finite(row.dominance)),
        ),
        Field(Column("first", "First", importance=1, name=True), lambda row: _agent(row.first)),
        Field(Column("kth", f"Place {k or 'k'}", importance=2, name=True), lambda row: _agent(row.kth)),
    ]
    note = (
        "The first agent against the one at the later place, both taken by the scoring. S near 1: within noise; near 0: well"
        " separated; it is no p-value, so read it with t and the tiers. One task's share: of the sum of absolute differences."
    )
    table = Table("saturation", "Saturation under each scoring", (), (), note=note)
    return build_table(fields, rows, band=lambda _: None, table=table)


def _dash() -> Cell:
    return Cell(DASH, None, "muted")


def _number(value: float | None) -> Cell:
    return _dash() if finite(value) is None else Cell(decimal(value), value)


def _agent(name: str | None) -> Cell:
    return _dash() if name is None else name_cell(name)


def _name_of_row(row: ScoringRow) -> Cell:
    minor = (
        "not available" if row.reason is not None else f"as {score_words(row.same_as)}" if row.same_as else ""
    )
    return Cell(
        score_words(row.score), row.score, "muted" if row.reason else "strong", minor and f"({minor})"
    )


def _pairs(row: ScoringRow) -> Cell:
    return _dash() if row.n_tiers is None else Cell(f"{row.n_significant}/{row.n_pairs}", row.n_significant)


def _tier_count(row: ScoringRow) -> Cell:
    if row.n_tiers is None:
        return _dash()
    sizes = [count(size) for _, size in sorted(Counter(row.tiers).items())]
    return Cell(count(row.n_tiers), row.n_tiers, minor=f"({shorten(' + '.join(sizes), 20)})")


def _places(part: ScoringsPart) -> Section | None:
    """Ranks and tiers of the agents that are among the first under any scoring."""
    given = _given(part)
    heads = {agent for row in given if row.spread for agent in row.family}
    rows = [one for one in part.agents if one.agent in heads]
    if not rows:
        return None
    note = "Rank under each scoring and, in brackets, the tier of the agents tested under it. Shown are the agents tested under any."
    table = Table("places", "Ranks and tiers under each scoring", (), (), note=note)
    filled = build_table(_place_fields(given), rows, band=lambda _: None, table=table)
    return Section(
        id="places", title="The first agents under each scoring", figures=_figure(part), tables=(filled,)
    )


def _place_fields(given: list[ScoringRow]) -> list[Field[AgentPlaces]]:
    fields: list[Field[AgentPlaces]] = [
        Field(Column("agent", "Agent", name=True), lambda one: name_cell(one.agent, "strong"))
    ]
    for row in given:
        column = Column(row.score, upper_first(score_words(row.score)), "right")
        fields.append(Field(column, lambda one, name=row.score: _place(one, name)))  # type: ignore[misc]
        mean = Column(f"{row.score}_mean", "", shown=False)
        fields.append(Field(mean, lambda one, name=row.score: _mean(one, name)))  # type: ignore[misc]
    return fields


def _place(one: AgentPlaces, name: str) -> Cell:
    place = one.places.get(name)
    if place is None:
        return _dash()
    return Cell(count(place.rank), place.rank, minor="" if place.tier is None else f"({place.tier})")


def _mean(one: AgentPlaces, name: str) -> Cell:
    place = one.places.get(name)
    return Cell("", None if place is None else finite(place.mean))


def _figure(part: ScoringsPart) -> tuple[Figure, ...]:
    given = [row for row in _given(part) if row.spread]
    if len(given) < 2:
        return ()
    heads = [Head(upper_first(score_words(row.score)), row.family, row.tiers) for row in given]
    first = "; ".join(f"{head.label}: {shorten(name_shown(head.agents[0]), _NAME)}" for head in heads)
    return (
        Figure(
            id="heads",
            title="The first agents under each scoring, with their tiers",
            alt=f"A column of places for each of {len(heads)} scorings, lines between the places of an agent. First are {first}.",
            spec=heads_spec(heads, size=WIDE),
            narrow=heads_spec(heads, size=NARROW),
            note="The number in a disc is the tier. A line that ends is an agent that leaves the agents tested.",
        ),
    )


def _orders(part: ScoringsPart) -> Section | None:
    if not part.orders:
        return None
    mine = [pair for pair in part.orders if pair.a == part.standard]
    sentences = [
        f"{upper_first(_words(row.score))} gives every agent the same numbers as {_words(row.same_as)}."
        for row in part.rows
        if row.same_as
    ]
    note = (
        f"Orders of all agents, against that under {_words(part.standard)}. τ-b: 1 is the same order. Turned round: pairs of agents"
        " in opposite orders."
    )
    table = Table("orders", f"Orders against {_words(part.standard)}", (), (), note=note)
    tables = [build_table(_order_fields(standard=False), mine, band=lambda _: None, table=table)]
    if len(part.orders) > len(mine):
        every = Table("all-orders", "Orders of any two scorings", (), (), detail=True)
        tables.append(
            build_table(_order_fields(standard=True), part.orders, band=lambda _: None, table=every)
        )
    return Section(id="orders", title="How the order moves", sentences=tuple(sentences), tables=tuple(tables))


def _order_fields(*, standard: bool) -> list[Field[OrderPair]]:
    return [
        Field(
            Column("a", "Scoring", shown=standard), lambda pair: Cell(score_words(pair.a), pair.a, "strong")
        ),
        Field(
            Column("b", "and" if standard else "Scoring"),
            lambda pair: Cell(score_words(pair.b), pair.b, "strong"),
        ),
        Field(Column("tau_b", "τ-b", "right"), lambda pair: _number(pair.tau_b)),
        Field(
            Column("reversed", "Pairs turned round", "right"),
            lambda pair: (
                _dash() if pair.tau_b is None else Cell(count(pair.reversed_pairs), pair.reversed_pairs)
            ),
        ),
        Field(
            Column("moved", "Agents moved", "right"),
            lambda pair: _dash() if pair.moved is None else Cell(count(pair.moved), pair.moved),
        ),
        Field(
            Column("most_moved", "Moved most", importance=1, name=True), lambda pair: _agent(pair.most_moved)
        ),
        Field(
            Column("ranks", "Ranks", "right", importance=1),
            lambda pair: (
                _dash() if pair.rank_a is None else Cell(f"{pair.rank_a} → {pair.rank_b}", pair.rank_b)
            ),
        ),
    ]


def _remarks(part: ScoringsPart) -> list[Item]:
    details = [
        f"{score_words(row.score)}: {visible(note)}" for row in _given(part) for note in row.test_notes
    ]
    return [Item("Tests", "", details=tuple(details))] if details else []
