"""Names that others chose cannot move the cursor, reverse a line or be mistaken for each other."""

from __future__ import annotations

import unicodedata

from hypothesis import given
from hypothesis import strategies as st

from measurand.report.names import EMPTY, cell_width, name_shown, pad, shorten, unique_labels, visible

any_text = st.text(st.characters())


def test_control_and_direction_characters_are_written_as_escapes() -> None:
    assert visible("a\x1b[2Jb\n\u202ec\ud800") == r"a\x1b[2Jb\n\u202ec\ud800"


def test_joined_emoji_and_foreign_scripts_stay() -> None:
    for name in ("👩‍🚀", "وكيل", "エージェント", "naïve"):
        assert visible(name) == name


@given(any_text)
def test_nothing_that_controls_a_terminal_is_left(text: str) -> None:
    shown = visible(text)
    assert not any(unicodedata.category(char) in {"Cc", "Cs"} for char in shown)
    shown.encode("utf-8")


def test_a_name_is_never_empty() -> None:
    assert name_shown("") == EMPTY
    assert name_shown("  ") == EMPTY


@given(any_text, st.integers(1, 40))
def test_shortened_text_fits(text: str, width: int) -> None:
    assert cell_width(shorten(visible(text), width)) <= width


def test_the_end_of_a_name_survives_shortening() -> None:
    assert shorten("provider/model-with-long-name-v2", 12) == "provid…me-v2"


def test_wide_characters_take_two_columns() -> None:
    assert cell_width("日本") == 4
    assert pad("日本", 6) == "日本  "
    assert pad("7", 3, right=True) == "  7"


@given(st.lists(any_text, max_size=30))
def test_labels_are_all_different(names: list[str]) -> None:
    labels = unique_labels(names, 12)
    assert len(set(labels)) == len(names)
    assert all(cell_width(label) <= 12 for label in labels)
