"""The page: one file, no script, nothing fetched, every text escaped, every table headed."""

from __future__ import annotations

import base64
import hashlib
import re
from collections import Counter
from html.parser import HTMLParser
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

import pytest

from measurand.model.imports import ImportReport
from measurand.report import board_document, comparison_document, import_document, render_html
from measurand.report.figures import Bar, ForestRow, MatrixCell, forest_spec, matrix_spec
from measurand.report.palette import DARK, LIGHT
from measurand.report.svg import render_svg

if TYPE_CHECKING:
    from collections.abc import Callable

    from measurand.analyze.board import Board

    Change = Callable[..., Any]

VOID = {"meta", "br", "hr", "img", "input", "link", "wbr"}


class Page(HTMLParser):
    """Elements with their attributes; fails on a tag that is not closed in order."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.style = ""
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if self.open and self.open[-1] == "style":
            self.style += data

    def named(self, tag: str) -> list[dict[str, str | None]]:
        return [attributes for name, attributes in self.elements if name == tag]


@pytest.fixture(
    scope="module", params=["board", "hostile_board", "lonely_board", "untestable_board", "comparison"]
)
def text(request: pytest.FixtureRequest) -> str:
    record = request.getfixturevalue(request.param)
    document = comparison_document(record) if request.param == "comparison" else board_document(record)
    return render_html(document)


def test_the_page_is_well_formed(text: str) -> None:
    page = Page(text)
    assert text.startswith("<!DOCTYPE html>")
    ids = [attributes["id"] for _, attributes in page.elements if "id" in attributes]
    assert [name for name, number in Counter(ids).items() if number > 1] == []


def test_the_page_has_no_script_and_no_inline_style(text: str) -> None:
    page = Page(text)
    assert page.named("script") == []
    for tag, attributes in page.elements:
        assert "style" not in attributes, tag
        assert not any(name.startswith("on") for name in attributes), tag


def test_the_page_fetches_nothing(text: str) -> None:
    page = Page(text)
    assert {tag for tag, _ in page.elements} & {
        "img",
        "link",
        "iframe",
        "object",
        "embed",
        "image",
        "use",
    } == set()
    for _, attributes in page.elements:
        assert not {"src", "srcset", "action", "xlink:href"} & set(attributes)
        assert (attributes.get("href") or "#").startswith(("#", "data:text/csv"))
    assert "url(" not in page.style
    assert "@import" not in page.style


def test_the_policy_allows_the_style_sheet_alone(text: str) -> None:
    page = Page(text)
    digest = base64.b64encode(hashlib.sha256(page.style.encode()).digest()).decode()
    policy = next(
        meta["content"] for meta in page.named("meta") if meta.get("http-equiv") == "Content-Security-Policy"
    )
    assert policy is not None
    assert policy.startswith(f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'")
    assert len(page.named("style")) == 1


def test_links_inside_the_page_have_targets(text: str) -> None:
    page = Page(text)
    ids = {attributes.get("id") for _, attributes in page.elements}
    for link in page.named("a"):
        href = link["href"] or ""
        assert href.startswith("data:") or href.removeprefix("#") in ids
    for _, attributes in page.elements:
        assert set((attributes.get("aria-labelledby") or "").split()) <= ids


def test_readers_who_do_not_see_are_led(text: str) -> None:
    page = Page(text)
    assert page.named("html")[0]["lang"] == "en"
    assert [len(page.named(tag)) for tag in ("main", "header", "footer", "nav", "h1")] == [1, 1, 1, 1, 1]
    assert len(page.named("caption")) == len(page.named("table"))
    assert all(head.get("scope") in {"col", "row", "rowgroup"} for head in page.named("th"))
    assert all(svg["role"] == "img" for svg in page.named("svg"))
    assert len(page.named("desc")) == len(page.named("svg"))


def test_each_table_offers_its_numbers(board: Board) -> None:
    page = Page(render_html(board_document(board)))
    links = {link["download"]: link["href"] for link in page.named("a") if "download" in link}
    assert set(links) >= {
        "standings.csv",
        "pairs.csv",
        "saturation.csv",
        "costs.csv",
        "tiers.csv",
        "forest-data.csv",
    }
    standings = base64.b64decode(unquote(links["standings.csv"] or "").split("base64,")[1]).decode()
    head, first = standings.splitlines()[:2]
    assert {"score_objective_low", "gate_planned_high", "cost_usd_total", "possible_best"} <= set(
        head.split(",")
    )
    assert len(first.split(",")) == len(head.split(","))


def test_tiers_are_seen_as_bands(board: Board) -> None:
    html = render_html(board_document(board))
    assert html.count('<tbody class="band-odd">') >= 2
    assert html.count('<tbody class="band-even">') >= 1
    assert '<tbody class="band-none">' in html


def test_hostile_names_are_text(hostile_board: Board) -> None:
    html = render_html(board_document(hostile_board))
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in html
    assert "<script" not in html
    assert "<b>" not in html
    assert "\x1b" not in html
    assert "\u202e" not in html
    assert "x" * 500 in html


def test_a_document_without_figures_needs_no_renderer() -> None:
    report = ImportReport(source="table", paths=("<a>.csv",), rows_read=1, rows_kept=1)
    assert "&lt;a&gt;.csv" in render_html(import_document(report))


def test_a_large_board_stays_a_small_file_with_every_agent(large_board: Board) -> None:
    html = render_html(board_document(large_board))
    assert len(html) < 1_000_000
    assert html.count("scaffold-173") >= 2


def forest() -> dict[str, Any]:
    rows = [
        ForestRow("a </text><script>", 0.7, 0.6, 0.8, 1),
        ForestRow("b", 0.6, None, None, 2),
        ForestRow("b", 0.5, 0.4, 0.6, None, tested=False),
    ]
    return forest_spec(rows, Bar(0.05, "0.050"), title="mean")


def test_every_colour_of_a_figure_follows_the_page() -> None:
    cells = [
        MatrixCell(0, 1, 0.1, "0.03", significant=True),
        MatrixCell(0, 2, 0.01, "0.5", significant=False),
    ]
    for spec in (forest(), matrix_spec(["a", "b", "c"], cells)):
        svg = render_svg(spec, key="k", title="t", description="d")
        for attribute, prefix in (("fill", "f"), ("stroke", "s")):
            for element in re.findall(rf"<[^>]* {attribute}=\"#[^>]*>", svg):
                assert re.search(rf'class="[^"]*\b{prefix}-\w+', element), element
        assert not re.search(r'(fill|stroke)="(black|white|#000|rgb)', svg)


def test_a_figure_is_escaped_and_static() -> None:
    svg = render_svg(forest(), key="k", title="<t>", description='"d" & </desc>')
    assert "&lt;/text&gt;&lt;script&gt;" in svg
    assert "&lt;t&gt;" in svg
    assert "<script" not in svg
    assert "style=" not in svg
    assert "aria-label=" not in svg
    assert not re.search(r'="[^"]*\d\.\d{3,}', svg)


def test_the_renderer_does_not_fetch() -> None:
    spec = {"data": {"url": "https://example.com/data.csv"}, "mark": "point", "encoding": {}}
    with pytest.raises(ValueError, match="example"):
        render_svg(spec, key="k", title="t", description="d")


def test_a_bar_of_the_same_name_as_an_agent_is_another_row() -> None:
    spec = forest_spec([ForestRow("detectable", 0.5, 0.4, 0.6, 1)], Bar(0.1, "0.1"), title="mean")
    order = spec["layer"][0]["encoding"]["y"]["scale"]["domain"]
    assert len(order) == len(set(order)) == 2


def test_palettes_have_the_same_names_and_distinct_values() -> None:
    assert LIGHT.keys() == DARK.keys()
    assert len(set(LIGHT.values())) == len(LIGHT)


def luminance(colour: str) -> float:
    parts = [int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5)]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: str, other: str) -> float:
    light, dark = sorted((luminance(one), luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


@pytest.mark.parametrize("colours", [LIGHT, DARK], ids=["light", "dark"])
def test_texts_have_enough_contrast(colours: dict[str, str]) -> None:
    """WCAG 2.2 AA: 4.5 for text, on the page and on the bands; in the cells of the matrix too."""
    for text in ("ink", "soft", "odd", "even", "mark", "untested"):
        assert contrast(colours[text], colours["ground"]) >= 4.5, text
        assert contrast(colours[text], colours["band"]) >= 4.5, text
    for heat in ("heat0", "heat1", "heat2"):
        assert contrast(colours["weak"], colours[heat]) >= 4.5, heat
    for heat in ("heat3", "heat4"):
        assert contrast(colours["bright"], colours[heat]) >= 4.5, heat
