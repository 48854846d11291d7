"""Vega-Lite to static SVG that follows the page's colours: no script, no style attribute, nothing fetched.

The renderer's SVG is parsed and rebuilt from the few elements and attributes that a static figure needs; whatever else it
holds is left behind. Colours of the palette become classes beside their value.
"""

from __future__ import annotations

import re
from functools import cache
from typing import Any, Final
from xml.etree import ElementTree as ET

from measurand.report.figures import VEGA_LITE
from measurand.report.palette import LIGHT

__all__ = ["render_svg"]

NAMESPACE: Final = "http://www.w3.org/2000/svg"

ELEMENTS: Final = frozenset({"g", "path", "rect", "line", "text", "tspan"})

ATTRIBUTES: Final = frozenset(
    [
        "d",
        "transform",
        "x",
        "y",
        "x1",
        "y1",
        "x2",
        "y2",
        "dx",
        "dy",
        "width",
        "height",
        "rx",
        "ry",
        "r",
        "cx",
        "cy",
        "fill",
        "fill-opacity",
        "stroke",
        "stroke-width",
        "stroke-dasharray",
        "stroke-linecap",
        "stroke-opacity",
        "opacity",
        "text-anchor",
        "font-size",
        "font-weight",
        "font-family",
    ]
)

DEFAULTS: Final = frozenset({("opacity", "1"), ("stroke-width", "1")})
"""Attributes that say what would be so without them."""

NUMBER: Final = re.compile(r"-?\d+\.\d{3,}")


def render_svg(
    spec: dict[str, Any], *, key: str, title: str, description: str, css_class: str = "figure"
) -> str:
    """Draw ``spec`` as an SVG element to stand in an HTML page.

    Args:
        spec: Vega-Lite with inline data and colours of `measurand.report.palette`.
        key: beginning of the ids inside the element; unique in the page.
        title: name of the figure for assistive technology.
        description: what it shows, for those who do not see it.
        css_class: class of the element.

    Returns:
        The element as text, everything in it escaped.
    """
    import vl_convert

    drawn = vl_convert.vegalite_to_svg(spec, vl_version=VEGA_LITE, allowed_base_urls=[])
    source = ET.fromstring(drawn)  # noqa: S314 - written by our own renderer a moment ago, without a document type
    root = ET.Element(
        "svg",
        {
            "xmlns": NAMESPACE,
            "class": css_class,
            "role": "img",
            "aria-labelledby": f"{key}-title {key}-desc",
            **{name: source.attrib[name] for name in ("width", "height", "viewBox")},
        },
    )
    ET.SubElement(root, "title", {"id": f"{key}-title"}).text = title
    ET.SubElement(root, "desc", {"id": f"{key}-desc"}).text = description
    for child in source:
        _copy(child, root)
    return ET.tostring(root, encoding="unicode")


def _copy(source: ET.Element, parent: ET.Element) -> None:
    """Copy what a static figure needs of ``source`` and its children to ``parent``."""
    tag = source.tag.removeprefix(f"{{{NAMESPACE}}}")
    if tag not in ELEMENTS or source.get("display") == "none" or (tag == "path" and _is_frame(source)):
        return
    attributes = {
        name: NUMBER.sub(_rounded, value)
        for name, value in source.attrib.items()
        if name in ATTRIBUTES and (name, value) not in DEFAULTS
    }
    classes = _classes(source)
    if classes:
        attributes["class"] = classes
    target = parent if tag == "g" and not attributes else ET.SubElement(parent, tag, attributes)
    if tag in {"text", "tspan"}:
        target.text = source.text
    for child in source:
        _copy(child, target)


def _is_frame(path: ET.Element) -> bool:
    """Whether ``path`` is one of the renderer's invisible frames."""
    return not path.get("d") or (path.get("class") == "background" and not path.get("fill"))


def _rounded(match: re.Match[str]) -> str:
    return f"{float(match.group()):.2f}".rstrip("0").rstrip(".")


@cache
def _names() -> dict[str, str]:
    return {value: name for name, value in LIGHT.items()}


def _classes(source: ET.Element) -> str:
    """Classes for the colours of the palette that ``source`` is drawn in."""
    found = (
        (prefix, _names().get(source.get(attribute, "").lower()))
        for prefix, attribute in (("f", "fill"), ("s", "stroke"))
    )
    return " ".join(f"{prefix}-{name}" for prefix, name in found if name)
