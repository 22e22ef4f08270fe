"""`exactformer sample`: an instance of a named family, tokens or a data set."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import click

from exactformer.cli.common import echo, json_option, output_path, say
from exactformer.cli.presenter import AnswerTable, present

if TYPE_CHECKING:
    from exactformer.io.json_lines import JsonObject


@click.command("sample")
@click.argument("family", metavar="FAMILY", required=False)
@click.option("-n", "count", type=click.IntRange(min=1), default=8, metavar="N", help="Tokens, or sequences (8).")
@click.option("-d", "dim", type=click.IntRange(min=1), default=2, metavar="D", help="Dimension (2).")
@click.option(
    "--seed", type=click.IntRange(min=0), metavar="S", help="Seed; a new one is drawn and printed if left out."
)
@click.option("-o", "--output", type=output_path, metavar="FILE", help="Where to write; stdout if left out.")
@click.option("--list", "listed", is_flag=True, help="List the families.")
@json_option
def command(
    family: str | None, count: int, dim: int, seed: int | None, output: Path | None, listed: bool, as_json: bool
) -> None:
    """Write an instance of a named FAMILY: tokens for the dynamics, or a data set for the constructions.

    \b
    Example:
      exactformer sample --list
      exactformer sample emerging-leader -n 8 -d 2 --seed 1 -o tokens.json
    """
    from exactformer.instances.named_families import DESCRIPTIONS, sample

    if listed or family is None:
        if not listed:
            raise click.UsageError("Missing argument 'FAMILY'; 'exactformer sample --list' lists them.")
        present(as_json, DESCRIPTIONS, [AnswerTable("families", ["name", "what"], DESCRIPTIONS.items())])
        return
    if family not in DESCRIPTIONS:
        raise click.UsageError(f"no family is called {family!r}: expected one of {', '.join(DESCRIPTIONS)}.")
    if seed is None:
        import secrets

        seed = secrets.randbelow(2**32)
    instance = sample(family, n=count, d=dim, seed=seed)
    say(f"{family}: n = {count}, d = {dim}, seed {seed}")
    _write(instance.json(), output)


def _write(content: JsonObject, output: Path | None) -> None:
    from exactformer.io.canonical import canonical
    from exactformer.io.json_lines import write_atomically

    text = json.dumps(content, default=canonical) + "\n"
    if output is None:
        echo(text.removesuffix("\n"))
    else:
        write_atomically(output, text.encode())
