"""`exactformer meanfield enclose`: Euler steps of a few tokens, in rigorous enclosures."""

from __future__ import annotations

from pathlib import Path

import click

from exactformer.cli.common import input_path, json_option, progress
from exactformer.cli.presenter import AnswerTable, present

#: bits of the intervals that are printed
SHOWN = 60


@click.command("enclose")
@click.argument("system", metavar="SYSTEM", type=input_path)
@click.argument("tokens", metavar="TOKENS", type=input_path)
@click.option("--beta", required=True, metavar="B", help="The inverse temperature.")
@click.option("--step", default="1/20", metavar="h", show_default=True, help="The step of Euler's method.")
@click.option("--steps", type=click.IntRange(0, 100_000), default=20, show_default=True, help="How many steps.")
@click.option(
    "--bits", type=click.IntRange(16, 65_536), default=128, show_default=True, help="Bits of the initial radius."
)
@json_option
def command(system: Path, tokens: Path, beta: str, step: str, steps: int, bits: int, as_json: bool) -> int:
    """Enclose the tokens after explicit Euler steps at inverse temperature B; a token z stands for z/|z|.

    The intervals contain every orbit that starts within an angle of 2^-bits. Their radius grows by a proved bound of
    the derivative. Exits 4 where they become too wide.

    \b
    Example:
      exactformer meanfield sample metastable -o system.json
      exactformer meanfield sample circle -n 6 -o circle.json
      exactformer meanfield enclose system.json circle.json --beta 20 --steps 10
    """
    from exactformer.model.tokens import Tokens
    from exactformer.studies.mean_field.enclosure import enclose
    from exactformer.studies.mean_field.system import System

    given, points = System.read(system), Tokens.read(tokens).state
    with progress("steps", steps) as done:
        orbit = enclose(given, points, beta=beta, step=step, steps=steps, bits=bits, progress=done)
    last = orbit.intervals(-1, SHOWN)
    answer = {"tokens": last, "radius": orbit.radii[-1], "steps": steps, "approx_growth": orbit.approx_growth}
    rows = ([i, ", ".join(f"{float(low + high) / 2:.12g}" for low, high in token)] for i, token in enumerate(last))
    title = f"tokens after {steps} steps, each within {float(orbit.radii[-1]):.3g} of a point near"
    table = AnswerTable(title, ["token", "midpoint, nearly"], rows, f"growth a step: {orbit.approx_growth:.4f}")
    present(as_json, answer, [table])
    return 0
