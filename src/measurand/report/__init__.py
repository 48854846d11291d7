"""Results become documents, and documents become text, Markdown, HTML, CSV and JSON.

The content of a report is decided once (`measurand.report.content`); the renderers only draw it. Packages that take long to
load are imported when a format needs them.
"""

from measurand.report.content import board_document, comparison_document, import_document
from measurand.report.csv import render_csv, render_pairs_csv, table_csv
from measurand.report.document import Document
from measurand.report.files import write_text_atomic
from measurand.report.html import render_html
from measurand.report.jsonout import to_json
from measurand.report.listings import sources_document, store_document
from measurand.report.markdown import render_markdown
from measurand.report.text import render_text

__all__ = [
    "Document",
    "board_document",
    "comparison_document",
    "import_document",
    "render_csv",
    "render_html",
    "render_markdown",
    "render_pairs_csv",
    "render_text",
    "sources_document",
    "store_document",
    "table_csv",
    "to_json",
    "write_text_atomic",
]
