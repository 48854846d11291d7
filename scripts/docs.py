"""Writes the generated pages of the documentation, and checks all of it.

``--write`` makes docs/reference/cli.md and docs/reference/trial-table.md from the code. ``--check`` fails when they
are not what the code says, when a command or option has no help, when a relative link leads nowhere, or when a Python
example of the README or the tutorial does not run.
"""

from __future__ import annotations

import io
import re
import shlex
import sys
import tempfile
from contextlib import chdir, redirect_stdout
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from measurand.cli.main import COMMANDS, main
from measurand.model.outcomes import COUNTS_AS
from measurand.model.trial import COLUMNS, SCHEMA_VERSION

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT: Final = Path(__file__).resolve().parents[1]
REFERENCE: Final = ROOT / "docs" / "reference"
MADE: Final = "Made from the code by `make docs`; do not edit."
COMMANDS_INTRODUCTION: Final = (
    f"{MADE} Exit codes: 0 ok; 1 measured 'no'; 2 wrong call; 3 unusable data; 4 partial data under `--strict`; "
    "130 interrupted."
)
LINK: Final = re.compile(r"\[[^\]]*\]\(([^)#\s]+)(?:#[^)]*)?\)")
COMMAND: Final = re.compile(r"^(?:    |\$ )?measurand ([a-z].*?)(?: +[>|#].*)?$", re.MULTILINE)
CONTINUED: Final = re.compile(r"\\\n +")
EXAMPLE: Final = re.compile(r"^```python\n(.*?)^```", re.MULTILINE | re.DOTALL)


def commands() -> Iterator[tuple[str, click.Command]]:
    """All commands and subcommands with their full names."""
    context = click.Context(main)
    for name in sorted(COMMANDS):
        command = main.get_command(context, name)
        if command is None:
            continue
        yield name, command
        if isinstance(command, click.Group):
            for inner in sorted(command.commands):
                yield f"{name} {inner}", command.commands[inner]


def command_page() -> str:
    """The reference of the command line."""
    parts = ["# Commands", COMMANDS_INTRODUCTION]
    for name, command in commands():
        with click.Context(command, info_name=f"measurand {name}", terminal_width=100) as context:
            parts.append(f"## measurand {name}\n\n```text\n{command.get_help(context)}\n```")
    return "\n\n".join(parts) + "\n"


def table_page() -> str:
    """The reference of the trial table and the outcome vocabulary."""
    lines = [
        "# The trial table",
        "",
        f"{MADE} Version {SCHEMA_VERSION}. One row a trial; unknown is null and stays null.",
        "",
        "| column | type | null | meaning |",
        "|---|---|---|---|",
        *(
            f"| `{column.name}` | {column.type.__name__} | {'yes' if column.nullable else 'no'} | {column.doc} |"
            for column in COLUMNS
        ),
        "",
        "## Outcomes",
        "",
        "| outcome | counts as |",
        "|---|---|",
        *(f"| `{outcome}` | {counts.replace('_', ' ')} |" for outcome, counts in COUNTS_AS.items()),
    ]
    return "\n".join(lines) + "\n"


def pages() -> dict[Path, str]:
    """The generated pages."""
    return {REFERENCE / "cli.md": command_page(), REFERENCE / "trial-table.md": table_page()}


def problems() -> Iterator[str]:
    """Say all that is wrong with the documentation."""
    for path, text in pages().items():
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            yield f"{path.relative_to(ROOT)} is not what the code says: run `make docs`"
    yield from _unexplained()
    written = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), *ROOT.glob("examples/**/*.md")])
    for page in written:
        yield from _dead_links(page)
        if page.parent != REFERENCE:
            yield from _wrong_commands(page)
    for page in (ROOT / "README.md", ROOT / "docs" / "tutorial.md"):
        yield from _failing_examples(page)


def _wrong_commands(page: Path) -> Iterator[str]:
    """Find command lines of a page that name a command or an option that there is not."""
    known = dict(commands())
    text = CONTINUED.sub(" ", page.read_text(encoding="utf-8"))
    for line in COMMAND.findall(text):
        words = shlex.split(line, comments=True)
        name = next((n for n in (" ".join(words[:2]), words[0] if words else "") if n in known), None)
        if name is None:
            yield f"{page.relative_to(ROOT)}: there is no command `measurand {line}`"
            continue
        options = {
            flag for parameter in known[name].params for flag in (*parameter.opts, *parameter.secondary_opts)
        }
        for word in words:
            if word.startswith("-") and word.split("=")[0] not in {*options, "--help", "-h"}:
                yield f"{page.relative_to(ROOT)}: `measurand {name}` has no option {word}"


def _unexplained() -> Iterator[str]:
    for name, command in commands():
        if not command.help:
            yield f"measurand {name} has no help"
        for parameter in command.params:
            if isinstance(parameter, click.Option) and not parameter.help:
                yield f"measurand {name} {parameter.opts[0]} has no help"


def _dead_links(page: Path) -> Iterator[str]:
    for target in LINK.findall(page.read_text(encoding="utf-8")):
        if "://" not in target and not (page.parent / target).exists():
            yield f"{page.relative_to(ROOT)}: the link to {target} leads nowhere"


def _failing_examples(page: Path) -> Iterator[str]:
    """Run the Python examples of a page one after the other, in an empty folder."""
    names: dict[str, object] = {}
    with tempfile.TemporaryDirectory() as folder, chdir(folder), redirect_stdout(io.StringIO()):
        for number, code in enumerate(EXAMPLE.findall(page.read_text(encoding="utf-8")), start=1):
            try:
                exec(compile(code, f"{page.name}, example {number}", "exec"), names)  # noqa: S102 - our own page
            except Exception as error:  # noqa: BLE001 - whatever an example raises is what is wrong with it
                yield f"{page.relative_to(ROOT)}, example {number}: {type(error).__name__}: {error}"


def run() -> int:
    """Write or check, as the argument says."""
    if sys.argv[1:] == ["--write"]:
        REFERENCE.mkdir(parents=True, exist_ok=True)
        for path, text in pages().items():
            path.write_text(text, encoding="utf-8")
        return 0
    found = list(problems())
    for problem in found:
        print(problem, file=sys.stderr)  # noqa: T201 - a script's output
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(run())
