"""`exactformer simulate`: the hardmax dynamics, exactly, layer by layer."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from exactformer.cli.common import echo, input_path, json_option, output_path, progress, read_matrix
from exactformer.cli.presenter import AnswerTable, Shown, present

if TYPE_CHECKING:
    from exactformer.dynamics.orbit import Orbit

alpha_option = click.option("--alpha", metavar="X", help="The step alpha > 0, such as 1/2; replaces that of the file.")
matrix_option = click.option("--A", "matrix", metavar="ROWS", help="The matrix A as JSON rows, or a file with them.")
unchecked_option = click.option(
    "--unchecked", is_flag=True, help="Accept any square A; the answer says which hypotheses of the theorem fail."
)


@click.command("simulate")
@click.argument("tokens", metavar="TOKENS", type=input_path)
@click.option("--layers", type=click.IntRange(min=0), required=True, metavar="K", help="How many layers to run.")
@alpha_option
@matrix_option
@unchecked_option
@click.option("--graph", type=output_path, help="Write the last follower graph (.graphml, .json or .dot).")
@click.option("-o", "--output", type=output_path, metavar="CERT", help="Write a certificate of the orbit.")
@json_option
def command(
    tokens: Path,
    layers: int,
    alpha: str | None,
    matrix: str | None,
    unchecked: bool,
    graph: Path | None,
    output: Path | None,
    as_json: bool,
) -> None:
    """Run the pure-attention dynamics of TOKENS exactly for K layers: who leads, who follows whom, where they stand.

    \b
    Example:
      exactformer sample integer-grid -n 8 -d 2 --seed 1 -o tokens.json
      exactformer simulate tokens.json --layers 10
    """
    from exactformer.dynamics.graph import write_graph
    from exactformer.dynamics.orbit import simulate
    from exactformer.model.tokens import Tokens

    instance = Tokens.read(tokens, A=read_matrix(matrix), alpha=alpha)
    with progress("layers", layers) as done:
        orbit = simulate(instance, layers=layers, unchecked=unchecked, progress=done)
    for violation in orbit.engine_input.violations:
        echo(f"hypothesis violated: {violation}", err=True)
    if graph is not None:
        write_graph(orbit.graph(layers), graph)
    try:  # first the certificate, since the reader of the answer may have gone
        if output is not None:
            orbit.certify(output)
    finally:
        present(as_json, orbit.json, _shown(orbit))


def _shown(orbit: Orbit) -> Shown:
    follows, final, since = orbit.follows(orbit.layers), orbit.final.rows(), orbit.leads_from
    rows = [
        [i, final[i], list(follows[i]), f"since layer {since[i]}" if i in since else "-"] for i in range(len(final))
    ]
    changes = ", ".join(map(str, orbit.graph_changes)) or "none"
    note = f"leaders: {list(orbit.leaders)}; layers at which the follower graph changed: {changes}"
    yield AnswerTable(f"layer {orbit.layers}", ["token", "position", "follows", "leads"], rows, note)
