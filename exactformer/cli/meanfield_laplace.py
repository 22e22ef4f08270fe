"""`exactformer meanfield laplace`: how near the mean of softmax is to its direction, at every low temperature."""

from __future__ import annotations

from pathlib import Path

import click

from exactformer.cli.common import input_path, json_option, output_path, read_matrix, say
from exactformer.cli.presenter import present, show
from exactformer.cli.simulate import matrix_option


@click.command("laplace")
@click.argument("tokens", metavar="TOKENS", type=input_path)
@click.option("--x", "point", required=True, metavar="POINT", help="The point, its coordinates separated by commas.")
@click.option("--beta", required=True, metavar="B", help="The least inverse temperature.")
@matrix_option
@click.option("-o", "--output", type=output_path, metavar="CERT", help="Write the certificate here.")
@json_option
def command(tokens: Path, point: str, beta: str, matrix: str | None, output: Path | None, as_json: bool) -> int:
    """Bound |m_beta(x) - A x/|A x|| for every beta >= B, m_beta the mean of TOKENS with weights e^(beta <A x, y>).

    TOKENS lie on the unit sphere exactly; A is that of the file, B' = K'Q in the notation of the mean field, the
    identity unless given.

    \b
    Example:
      exactformer meanfield sample circle -n 200 -o circle.json
      exactformer meanfield laplace circle.json --x 3/5,4/5 --beta 100 -o laplace.jsonl
      proofs-check laplace.jsonl --data circle.json
    """
    from exactformer.model.tokens import Tokens
    from exactformer.studies.mean_field.laplace import laplace_bound

    found = laplace_bound(Tokens.read(tokens, A=read_matrix(matrix)), point.split(","), beta)
    if sum(c * c for c in found.x) != 1:
        say("x is not on the unit sphere; scores are <A x, y> with x as it is given")
    if output is not None:
        found.certify(output)
        say(f"wrote {output}", quiet=as_json)
    shown = (
        f"|m - u| <= {show(found.bound)} ~ {float(found.bound):.6g} for every beta >= {show(found.beta)}\n"
        f"at beta = {show(found.beta)} it is {float(found.error[1]):.6g}, nearly"
    )
    present(as_json, found.json, [shown])
    return 0
