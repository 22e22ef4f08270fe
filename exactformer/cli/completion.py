"""`exactformer completion`: the script that makes a shell complete commands and options."""

from __future__ import annotations

import click

from exactformer.cli.common import json_option
from exactformer.cli.presenter import print_json


@click.command("completion")
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
@json_option
@click.pass_context
def command(ctx: click.Context, shell: str, as_json: bool) -> None:
    """Print the completion script of a shell.

    \b
    Example:
      exactformer completion bash > exactformer-completion.bash
    """
    from click.shell_completion import get_completion_class

    kind = get_completion_class(shell)
    if kind is None:
        raise click.UsageError(f"click knows no completion for {shell}")
    script = kind(ctx.find_root().command, {}, "exactformer", "_EXACTFORMER_COMPLETE").source()
    if as_json:
        print_json({"shell": shell, "script": script})
    else:
        click.echo(script)
