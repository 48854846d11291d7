"""What a report says of saturation: over time, with ties, and where there is nothing to say."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec
import pytest

from measurand.analyze.headroom.saturation import SaturationReport
from measurand.analyze.headroom.windows import WindowRow, Windows
from measurand.report import render_html, render_markdown, render_text
from measurand.report.board.saturation import index_form, tiers_cell
from measurand.report.headroom.saturation import saturation_document
from measurand.report.headroom.windows import windows_document_section, windows_section
from measurand.report.headroom.windows_figure import windows_spec
from measurand.report.numbers import DASH
from measurand.report.svg import render_svg

if TYPE_CHECKING:
    from measurand.analyze.board import Board

NAMES = ("<b>kite</b>", "line\nbreak\x1b[2J", "wren")


def window(number: int, tiers: tuple[int, ...] = (1, 1, 2), index: float | None = 0.5) -> WindowRow:
    return WindowRow(
        first_release=f"2025-{number:02}-01",
        last_release=f"2025-{number + 2:02}-01",
        agents=NAMES,
        tiers=tiers,
        n_tiers=max(tiers) if tiers else None,
        n_pairs=3,
        n_significant=2,
        index=index,
        category="moderate" if index is not None else None,
        t=2.0 if index is not None else None,
        reason=None if tiers else "no two agents differ",
    )


def windows(rows: list[WindowRow], **more: Any) -> Windows:
    values: dict[str, Any] = {
        "score": "gate",
        "width": 3,
        "n_dated": 5,
        "undated": (),
        "windows": tuple(rows),
        "level": 0.05,
        "resamples": 10_000,
        "seed": 0,
        "undecided": 1,
    }
    return Windows(**values | more)


@pytest.fixture
def record(board: Board) -> SaturationReport:
    return SaturationReport(
        suite="AlgoTune",
        suite_version=None,
        score="objective",
        comparable=True,
        n_agents=14,
        n_tasks=154,
        saturation=board.saturation,
        windows=windows([window(1), window(2, (1, 1, 1), 0.95)]),
        findings=(),
        methods=(),
        command="measurand saturation results.csv",
    )


@pytest.mark.parametrize(
    ("value", "text"),
    [(0.0, "0.00"), (0.002, "< 0.01"), (0.5, "0.50"), (0.999, "> 0.99"), (1.0, "1.00"), (None, DASH)],
)
def test_an_index_never_reads_as_an_end_it_has_not_reached(value: float | None, text: str) -> None:
    """Only a true 0 or 1 is written as one."""
    assert index_form(value) == text


def test_tiers_are_counted_with_their_sizes() -> None:
    """Best first; a dash where there are none."""
    assert tiers_cell((1, 1, 2)).full == "2 (2 + 1)"
    assert tiers_cell(()).text == DASH


def test_the_latest_window_stands_first_and_the_caution_follows(record: SaturationReport) -> None:
    """Latest and earliest, how many are tied, and that the windows are not controlled together."""
    section = windows_document_section(record.windows)
    assert section.sentences[0] == (
        "Under gate rate the latest 3 agents (released 2025-02-01 to 2025-04-01) have 1 tier, S = 0.95; the earliest 3"
        " (released 2025-01-01 to 2025-03-01) have 2 tiers, S = 0.50."
    )
    assert "Of 2 windows 1 holds a single tier, and in 1 S is 0.9 or more" in section.sentences[1]
    assert "not controlled together" in section.sentences[2]
    assert len(section.figures) == 1


def test_windows_without_an_answer_say_why() -> None:
    """Counted, with the reason, and drawn as a gap."""
    part = windows([window(1, (), None), window(2), window(3)], undated=("<i>late</i>",))
    text = " ".join(windows_document_section(part).sentences)
    assert "In 1 window nothing can be told apart: no two agents differ." in text
    assert "1 agent without a release date is in no window: <i>late</i>." in text
    assert (
        "the earliest 3 (released 2025-01-01 to 2025-03-01) have no answer on tiers, S not available" in text
    )


def test_one_window_is_no_course_of_time() -> None:
    """One sentence and no figure."""
    section = windows_document_section(windows([window(1)]))
    assert section.sentences[0].startswith("One window of 3 agents")
    assert section.figures == ()


def test_many_windows_are_thinned_and_kept_whole_beside() -> None:
    """The page shows the first, some, and the last; the folded table has all."""
    rows = [window(1 + number % 9, index=number / 40) for number in range(40)]
    shown, whole = windows_document_section(windows(rows)).tables
    values = [row.cells[3].value for row in shown.rows]
    assert len(values) <= 12
    assert (values[0], values[-1]) == (0.0, 39 / 40)
    assert (len(whole.rows), whole.detail, shown.detail) == (40, True, False)


def test_without_dates_a_board_says_nothing_and_the_command_says_why() -> None:
    """A report on a board is not longer for what cannot be had."""
    part = windows([], n_dated=0, reason="no agent has a release date: add a column")
    assert windows_section(part) is None
    (sentence,) = windows_document_section(part).sentences
    assert sentence == "Saturation over time is not available: no agent has a release date: add a column."
    assert (
        windows_section(windows([], reason="a window holds 10 agents, and 5 have a release date")) is not None
    )


def test_the_answer_is_the_index_of_the_ranking_score(record: SaturationReport) -> None:
    """First the answer, then how to read it; a value that is absent says why."""
    document = saturation_document(record)
    answer = document.sections[0]
    assert answer.sentences[0].startswith("Saturation between first and fifth is S = 0.58, moderate")
    assert any("not a p-value" in sentence for sentence in answer.sentences[1:])
    assert "key: n < 2" in answer.sentences


def test_nothing_to_read_is_not_explained(record: SaturationReport) -> None:
    """Without any index there is one sentence, not a lesson on S."""
    row = msgspec.structs.replace(
        record.saturation[0], index=None, category=None, reason="there is one agent"
    )
    (sentence,) = (
        saturation_document(msgspec.structs.replace(record, saturation=(row,))).sections[0].sentences
    )
    assert sentence.endswith("not available: there is one agent.")


def test_names_of_others_are_shown_and_not_obeyed(record: SaturationReport) -> None:
    """No markup and no control character of a name reaches a reader."""
    document = saturation_document(record)
    assert "<b>kite" not in render_html(document)
    for text in (render_text(document), render_markdown(document)):
        assert "\x1b" not in text


def test_the_figure_draws_each_known_value() -> None:
    """One point a window and panel; what is unknown is left out."""
    svg = render_svg(
        windows_spec([window(1, (), None), window(2), window(3)]), key="k", title="t", description="d"
    )
    assert svg.count("<text") > 5
    assert svg.count("f-odd") == 2
    assert svg.count("f-even") == 2
