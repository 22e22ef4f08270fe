"""`exactformer sentiment sample`: generated reviews."""

from __future__ import annotations

from pathlib import Path

import click

from exactformer.cli.common import json_option, output_path, say
from exactformer.cli.presenter import present


@click.command("sample")
@click.option("-n", "count", type=click.IntRange(min=1), default=1000, metavar="N", help="Reviews (1000).")
@click.option("--seed", type=click.IntRange(min=0), default=0, metavar="S", help="Seed (0).")
@click.option("-o", "--output", type=output_path, required=True, metavar="FILE", help="The CSV file to write.")
@json_option
def command(count: int, seed: int, output: Path, as_json: bool) -> None:
    """Write N generated reviews as CSV, label and text: made of a few hundred words, as input for the other commands.

    \b
    Example:
      exactformer sentiment sample -n 200 --seed 1 -o reviews.csv
    """
    from exactformer.io.json_lines import write_atomically
    from exactformer.studies.sentiment.families import reviews_csv

    write_atomically(output, reviews_csv(count, seed).encode())
    say(f"{count} generated reviews, seed {seed}: wrote {output}")
    present(as_json, lambda: {"reviews": count, "seed": seed}, ())
