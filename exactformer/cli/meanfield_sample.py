"""`exactformer meanfield sample`: named systems, and tokens on the circle."""

from __future__ import annotations

import json
from pathlib import Path

import click

from exactformer.cli.common import echo, json_option, output_path, say
from exactformer.cli.presenter import AnswerTable, present

#: the name under which tokens are asked for, in place of a system
CIRCLE = "circle"


@click.command("sample")
@click.argument("name", metavar="NAME", required=False)
@click.option("-n", "count", type=click.IntRange(min=1, max=100_000), default=100, help="Tokens of `circle` (100).")
@click.option(
    "-d", "--dim", type=click.IntRange(min=2, max=64), default=3, metavar="D", help="Dimension of `random` (3)."
)
@click.option("--seed", type=click.IntRange(min=0), default=0, metavar="S", help="Seed of `random` (0).")
@click.option("-o", "--output", type=output_path, metavar="FILE", help="Where to write; stdout if left out.")
@click.option("--list", "listed", is_flag=True, help="List the names.")
@json_option
def command(
    name: str | None, count: int, dim: int, seed: int, output: Path | None, listed: bool, as_json: bool
) -> None:
    """Write the system called NAME; or, for `circle`, rational tokens on the unit circle.

    \b
    Example:
      exactformer meanfield sample --list
      exactformer meanfield sample random -d 4 --seed 1 -o system.json
    """
    from exactformer.io.canonical import canonical
    from exactformer.io.json_lines import write_atomically
    from exactformer.studies.mean_field.families import SYSTEMS, circle_tokens, sample_system

    known = {**{key: what for key, (_, what) in SYSTEMS.items()}, CIRCLE: "tokens on the unit circle, -n of them"}
    if listed:
        present(as_json, known, [AnswerTable("systems and tokens", ["name", "what"], known.items())])
        return
    if name not in known:
        raise click.UsageError(f"no system is called {name!r}: expected one of {', '.join(known)}.")
    instance = circle_tokens(count) if name == CIRCLE else sample_system(name, dim=dim, seed=seed)
    say(f"{name}: dimension {instance.dim}" + (f", seed {seed}" if name == "random" else ""))
    text = json.dumps(instance.json(), default=canonical) + "\n"
    if output is None:
        echo(text.removesuffix("\n"))
    else:
        write_atomically(output, text.encode())
