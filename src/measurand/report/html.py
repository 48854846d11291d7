"""A report as one HTML file that needs neither network nor script, under a policy that forbids both."""

from __future__ import annotations

import base64
import hashlib
from functools import cache
from itertools import groupby
from typing import TYPE_CHECKING, NamedTuple

from measurand.report.csv import table_csv
from measurand.report.palette import DARK, LIGHT, figure_rules
from measurand.report.svg import render_svg

if TYPE_CHECKING:
    from jinja2 import Environment
    from markupsafe import Markup

    from measurand.report.document import Document, Figure, Row, Table

__all__ = ["render_html"]


class Band(NamedTuple):
    """Rows of a table that belong together."""

    label: str
    css_class: str
    rows: list[Row]


class Drawing(NamedTuple):
    """A figure as SVG, for a page and for a telephone."""

    wide: Markup
    narrow: Markup | None


def render_html(document: Document) -> str:
    """Write ``document`` as one self-contained HTML page with static SVG figures.

    The page fetches nothing and runs no script; its Content-Security-Policy allows its own style sheet, by digest, and
    nothing else. It follows the reader's dark or light preference, prints, and offers each table as CSV.

    Raises:
        ValueError: a figure's specification is invalid.
    """
    from markupsafe import Markup

    environment = _environment()
    style = environment.get_template("report.css.jinja").render(light=LIGHT, dark=DARK, rules=figure_rules())
    digest = base64.b64encode(hashlib.sha256(style.encode("utf-8")).digest()).decode("ascii")
    return environment.get_template("report.html.jinja").render(
        document=document,
        style=Markup(style),  # noqa: S704 - our own template, filled with the palette
        style_digest=digest,
        drawings={figure.id: _drawing(figure) for section in document.sections for figure in section.figures},
    )


@cache
def _environment() -> Environment:
    from jinja2 import Environment, PackageLoader, StrictUndefined

    environment = Environment(
        loader=PackageLoader("measurand.report"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {"bands": _bands, "data_link": _data_link, "headed_by": _headed_by}
    return environment


def _drawing(figure: Figure) -> Drawing:
    from markupsafe import Markup

    def draw(spec: dict[str, object], size: str) -> Markup:
        svg = render_svg(
            spec,
            key=f"{figure.id}-{size}",
            title=figure.title,
            description=figure.alt,
            css_class=f"figure {size}" if figure.narrow is not None else "figure",
        )
        return Markup(svg)  # noqa: S704 - rebuilt from a parsed tree, in which every text is escaped

    narrow = None if figure.narrow is None else draw(figure.narrow, "narrow")
    return Drawing(draw(figure.spec, "wide"), narrow)


def _bands(table: Table) -> list[Band]:
    """Rows of ``table`` in their bands, neighbours together."""
    if not table.band_word:
        return [Band("", "", list(table.rows))]
    bands = []
    for number, rows in groupby(table.rows, key=lambda row: row.band):
        label = "Not tested" if number is None else f"{table.band_word} {number}"
        css_class = "band-none" if number is None else f"band-{'odd' if number % 2 else 'even'}"
        bands.append(Band(label, css_class, list(rows)))
    untold = len(bands) == 1 and bands[0].css_class == "band-none"
    return [Band("", "", list(table.rows))] if untold else bands


def _headed_by(table: Table) -> int:
    """Position of the column whose cells head their rows: the first name, or the first column."""
    names = [position for position in table.visible if table.columns[position].name]
    return names[0] if names else table.visible[0]


def _data_link(table: Table) -> str:
    """Address that holds the table itself as CSV."""
    text = table_csv(table).encode("utf-8", errors="backslashreplace")
    return f"data:text/csv;charset=utf-8;base64,{base64.b64encode(text).decode('ascii')}"
