"""`exactformer delay sample`: generated series."""

from __future__ import annotations

from pathlib import Path

import click

from exactformer.cli.common import echo, json_option, output_path, say
from exactformer.cli.presenter import present

SYSTEMS = ("tones", "fibonacci", "two-tones", "lorenz", "pitching", "reaction-diffusion")


@click.command("sample")
@click.argument("system", type=click.Choice(SYSTEMS))
@click.option("-n", "rows", type=click.IntRange(min=1), default=400, show_default=True, help="Rows.")
@click.option("--count", type=click.IntRange(min=1, max=5), default=2, show_default=True, help="Tones, of `tones`.")
@click.option("--seed", type=click.IntRange(min=0), default=0, show_default=True, help="Seed, of `pitching`.")
@click.option("-o", "--output", type=output_path, metavar="CSV", help="Where to write; stdout if left out.")
@json_option
def command(system: str, rows: int, count: int, seed: int, output: Path | None, as_json: bool) -> None:
    """Write a series: exact (tones, fibonacci) or of floats, each written with all its digits.

    Example: exactformer delay sample lorenz -n 2000 -o lorenz.csv
    """
    from exactformer.io.json_lines import write_atomically
    from exactformer.studies.time_delay.systems import sample_rows

    lines = [",".join(map(str, row)) for row in sample_rows(system, rows, count=count, seed=seed)]
    text = "\n".join(lines) + "\n"
    if output is None and not as_json:
        echo(text.removesuffix("\n"))
        return
    if output is not None:
        write_atomically(output, text.encode())
        say(f"wrote {output}", quiet=as_json)
    present(as_json, lambda: {"system": system, "rows": rows, "written": None if output is None else str(output)}, ())
