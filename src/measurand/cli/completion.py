"""``measurand completion``: the script that completes commands and options in a shell."""

from __future__ import annotations

import click
from click.shell_completion import get_completion_class


@click.command()
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
@click.pass_context
def completion(ctx: click.Context, shell: str) -> None:
    """Print the completion script for SHELL.

    \b
    bash: measurand completion bash > ~/.local/share/bash-completion/completions/measurand
    zsh:  measurand completion zsh > a file _measurand in a folder of $fpath
    fish: measurand completion fish > ~/.config/fish/completions/measurand.fish
    """  # noqa: D301 - by a backspace click knows a paragraph to keep as it is
    kind = get_completion_class(shell)
    if kind is None:  # pragma: no cover - click knows the three shells offered
        raise click.UsageError(f"no completion for {shell}")
    script = kind(ctx.find_root().command, {}, "measurand", "_MEASURAND_COMPLETE")
    click.echo(script.source())
