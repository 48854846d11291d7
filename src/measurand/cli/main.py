"""The command ``measurand``: finds its subcommands lazily, and turns errors into one message and an exit code."""

from __future__ import annotations

import os
import sys
from importlib import import_module
from io import TextIOWrapper
from typing import TYPE_CHECKING, Final

import click

from measurand._version import __version__
from measurand.cli import codes
from measurand.errors import MeasurandError, UsageError
from measurand.wording import meant

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["COMMANDS", "main", "run"]

COMMANDS: Final = {
    "bars": "measurand.cli.bars:bars",
    "claims": "measurand.cli.claims:claims",
    "compare": "measurand.cli.compare:compare",
    "completion": "measurand.cli.completion:completion",
    "import": "measurand.cli.importing:import_",
    "intervals": "measurand.cli.intervals:intervals",
    "pareto": "measurand.cli.pareto:pareto",
    "plan": "measurand.cli.plan:plan",
    "profile": "measurand.cli.profile:profile",
    "reliability": "measurand.cli.reliability:reliability",
    "report": "measurand.cli.report:report",
    "reprice": "measurand.cli.reprice:reprice",
    "reproduce": "measurand.cli.reproduce:reproduce",
    "saturation": "measurand.cli.saturation:saturation",
    "scorings": "measurand.cli.scorings:scorings",
    "sources": "measurand.cli.sources:sources",
    "store": "measurand.cli.store:store",
    "tiers": "measurand.cli.tiers:tiers",
    "verdicts": "measurand.cli.verdicts:verdicts",
}
"""Command -> where it is. Loaded only when used, so that ``measurand --version`` answers at once."""


class _LazyGroup(click.Group):
    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - the signature is click's
        return sorted(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002 - as above
        if cmd_name not in COMMANDS:
            return None
        module, _, name = COMMANDS[cmd_name].partition(":")
        command: click.Command = getattr(import_module(module), name)
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args[0] not in COMMANDS:
            raise click.UsageError(f"there is no command {args[0]!r}{meant(args[0], COMMANDS)}", ctx)
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl(
                [
                    (name, command.get_short_help_str(70))
                    for name in COMMANDS
                    if (command := self.get_command(ctx, name))
                ]
            )


@click.group(cls=_LazyGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, message="measurand %(version)s")
def main() -> None:
    """Measure AI agents: which ones really differ, how much headroom is left, and at what cost.

    \b
    Exit codes: 0 ok; 1 measured "no"; 2 wrong call; 3 unusable data;
    4 partial data under --strict; 130 interrupted.
    """  # noqa: D301 - by a backspace click knows a paragraph to keep as it is


def run(arguments: Sequence[str] | None = None) -> None:
    """Run the command line and leave the process with its exit code."""
    # A caller may have closed them; what is said then goes nowhere.
    sys.stdout = sys.stdout or open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115, PTH123 - open as long as we run
    sys.stderr = sys.stderr or open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115, PTH123 - as above
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(encoding="utf-8", errors="backslashreplace")
    try:
        typed = sys.argv[1:] if arguments is None else list(arguments)
        code = main.main(args=list(typed), standalone_mode=False, obj=typed)
    except click.exceptions.NoArgsIsHelpError as error:
        error.show()
        code = error.exit_code
    except click.ClickException as error:
        context = getattr(error, "ctx", None)
        usage = f"{context.get_usage()}\n" if context is not None else ""
        click.echo(f"{usage}error: {error.format_message()}", err=True)
        code = error.exit_code
    except (click.Abort, KeyboardInterrupt):
        click.echo("interrupted", err=True)
        code = codes.INTERRUPTED
    except MeasurandError as error:
        click.echo(f"error: {error}", err=True)
        code = codes.USAGE if isinstance(error, UsageError) else codes.DATA
    except OSError as error:
        where = f"{error.filename}: " if error.filename else ""
        click.echo(f"error: {where}{error.strerror or error}", err=True)
        code = codes.DATA
    sys.exit(code if isinstance(code, int) else codes.OK)
