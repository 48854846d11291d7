"""Saturation of a board's head: the answer, the index under each score, and over time."""

from __future__ import annotations

from typing import TYPE_CHECKING

from measurand.report.board.saturation import READING, saturation_table, saturation_texts
from measurand.report.board.summary import saturation_sentence
from measurand.report.document import Document, Section
from measurand.report.headroom.windows import windows_document_section
from measurand.report.names import visible
from measurand.report.parts import (
    GENERATOR,
    NOT_COMPARABLE,
    findings_section,
    methods_section,
    suite_title,
)
from measurand.report.scores import score_words
from measurand.wording import plural

if TYPE_CHECKING:
    from measurand.analyze.headroom.saturation import SaturationReport

__all__ = ["saturation_document"]


def saturation_document(record: SaturationReport) -> Document:
    """Report on saturation: the index of the ranking score first."""
    return Document(
        title=f"Saturation: {suite_title(record.suite, record.suite_version)}",
        subtitle=f"{plural(record.n_agents, 'agent')} · {plural(record.n_tasks, 'task')} · by {score_words(record.score)}",
        banner="" if record.comparable else NOT_COMPARABLE,
        sections=(
            _answer(record),
            windows_document_section(record.windows),
            findings_section(record.findings),
            methods_section(record.methods),
        ),
        command=visible(record.command or ""),
        generator=GENERATOR,
    )


def _answer(record: SaturationReport) -> Section:
    sentences = [saturation_sentence(record.saturation[0])]
    other = [row for row in record.saturation if row.score == record.score and row.variant == "unpaired"]
    if other and other[0].index is not None:
        sentences.append(
            f"From the two shares alone, without the tasks, it would be S = {other[0].index:.2f} (unpaired)."
        )
    if any(row.index is not None for row in record.saturation):
        sentences += [READING[1], *saturation_texts(record.saturation)]
    return Section(
        id="answer",
        title="Is the head within noise?",
        sentences=tuple(sentences),
        tables=(saturation_table(record.saturation),),
        lead=True,
    )
