"""What a report says: which sentences, figures and tables come from which results.

Decided here once; the renderers only draw. Every report puts the answer first, then what it rests on.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from measurand.report.board.families import families_section
from measurand.report.board.saturation import saturation_section
from measurand.report.board.standings import meters_section, outcomes_table, standings_section
from measurand.report.board.summary import summary_section, test_sentence
from measurand.report.board.tests import differences_section, tiers_section
from measurand.report.claims.claims import claims_section
from measurand.report.comparison import comparison_document
from measurand.report.cost.pareto import pareto_section
from measurand.report.document import Document, Item, Section
from measurand.report.headroom.windows import windows_section
from measurand.report.imports import import_document
from measurand.report.names import visible
from measurand.report.parts import GENERATOR, NOT_COMPARABLE, findings_section, methods_section, suite_title
from measurand.report.profile import profile_section
from measurand.report.repeats.reliability import reliability_section
from measurand.report.scores import score_words
from measurand.report.verifiers.verdicts import verdicts_section
from measurand.wording import plural

if TYPE_CHECKING:
    from measurand.analyze.board import Board

__all__ = ["board_document", "comparison_document", "import_document"]


def board_document(board: Board) -> Document:
    """Report on one suite: the answer, standings, costs, tiers, differences, saturation, data quality, methods."""
    sections = (
        summary_section(board),
        standings_section(board),
        None if board.claims is None else claims_section(board.claims),
        tiers_section(board),
        differences_section(board),
        families_section(board),
        saturation_section(board),
        None if board.windows is None else windows_section(board.windows),
        verdicts_section(board.verdicts),
        None if board.reliability is None else reliability_section(board.reliability, board.test.family),
        None if board.profile is None else profile_section(board.profile),
        pareto_section(board.cost) if board.cost is not None else None,
        meters_section(board) if board.standings else None,
        _data_section(board),
        methods_section(board.methods, [_test_item(board)]),
    )
    return Document(
        title=suite_title(board.suite, board.suite_version),
        subtitle=_subtitle(board),
        banner="" if board.comparable else NOT_COMPARABLE,
        sections=tuple(section for section in sections if section is not None),
        command=visible(board.command or ""),
        generator=GENERATOR,
    )


def _subtitle(board: Board) -> str:
    parts = [
        plural(board.n_agents, "agent"),
        plural(board.n_tasks, "task"),
        plural(board.n_trials, "recorded trial"),
    ]
    if board.n_families is not None:
        parts.append(plural(board.n_families, "task family", "task families"))
    days = [moment[:10] for moment in (board.started, board.finished) if moment]
    if days:
        parts.append(visible(" to ".join(dict.fromkeys(days))))
    return " · ".join(parts)


def _data_section(board: Board) -> Section:
    outcomes = outcomes_table(board) if board.standings else None
    section = findings_section(board.findings)
    return section if outcomes is None else msgspec.structs.replace(section, tables=(outcomes,))


def _test_item(board: Board) -> Item:
    """The parameters of each test, so that they are named even where the notes of the analysis are short."""
    return Item(
        "Tests",
        "",
        details=tuple(f"{score_words(test.score)}: {test_sentence(test)}" for test in board.tests),
    )
