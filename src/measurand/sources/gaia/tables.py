"""Result tables of GAIA in Markdown: sections, each a run with its model and a table of its questions."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from measurand.model.stated import Stated
from measurand.sources.gaia.records import Agent, Run
from measurand.sources.reading.capped_files import read_capped

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

__all__ = ["COLUMNS", "Section", "read_tables"]

COLUMNS: Final = {"Task ID", "Level", "Correct"}
"""What a table of results names, in any order."""
_MOST: Final = 2**27
_HEADING: Final = re.compile(r"#{1,6}\s+(?P<title>.+?)\s*#*")
_FACT: Final = re.compile(r"\*\*(?P<name>[^*]{1,40}):\*\*\s*(?P<value>.*?)\s*")
_RULE: Final = re.compile(r"\|?[\s:|-]+\|?")
_CELLS: Final = re.compile(r"(?<!\\)\|")
_RESULTS: Final = re.compile(r"(?P<right>\d{1,9})/(?P<all>\d{1,9}) correct.*")
_MARKS: Final = {"✅": True, "❌": False, "✓": True, "✗": False, "yes": True, "no": False}


class Section:
    """A section of a file: what it says of its run, and the rows of its table."""

    def __init__(self, title: str | None) -> None:
        self.title = title
        self.facts: dict[str, str] = {}
        self.rows: list[tuple[int, dict[str, object]]] = []
        """Number of the line, and the cells by the names of their columns."""

    def agent(self, name: str) -> Agent:
        """Who ran: the model and what provides its tools; ``name`` where the section names no model."""
        model = self.facts.get("Model") or None
        return Agent(model or name, model, self.facts.get("Providers"))

    def run(self, suite: str, name: str) -> Run:
        """What holds for all rows."""
        return Run(suite, self.agent(name), self.title, graded_here=False)

    def stated(self, name: str, where: str) -> Iterator[Stated]:
        """Yield how many were right, as the section states it."""
        found = _RESULTS.fullmatch(self.facts.get("Results", ""))
        if found and int(found["all"]):
            for said, value in (("correct", int(found["right"])), ("questions", int(found["all"]))):
                yield Stated(
                    agent=self.agent(name).name,
                    name=said,
                    value=value,
                    where=f"{where}: {self.title}: Results",
                )


def read_tables(file: Path, where: str) -> list[Section]:
    """Read the sections of a file that have a table of results.

    Raises:
        FormatError: the file cannot be read.
    """
    lines = read_capped(file, where, _MOST).decode("utf-8-sig", errors="replace").splitlines()
    sections = [Section(None)]
    columns: list[str] | None = None
    for place, line in enumerate(map(str.strip, lines), start=1):
        if heading := _HEADING.fullmatch(line):
            sections.append(Section(heading["title"]))
            columns = None
        elif fact := _FACT.fullmatch(line):
            sections[-1].facts[fact["name"].strip()] = fact["value"]
        elif not line.startswith("|"):
            columns = None
        elif columns is None:
            cells = _cells(line)
            columns = cells if COLUMNS.issubset(cells) else []
        elif columns and not _RULE.fullmatch(line):
            sections[-1].rows.append((place, _row(columns, _cells(line))))
    return [section for section in sections if section.rows]


def _cells(line: str) -> list[str]:
    return [
        cell.strip().replace("\\|", "|")
        for cell in _CELLS.split(line.strip().removeprefix("|").removesuffix("|"))
    ]


def _row(columns: list[str], cells: list[str]) -> dict[str, object]:
    row: dict[str, object] = {}
    if len(cells) != len(columns):
        return row
    row.update(zip(columns, cells, strict=True))
    return row | {"task_id": row["Task ID"], "correct": _MARKS.get(str(row["Correct"]).strip("️").lower())}
