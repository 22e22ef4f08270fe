"""`exactformer crosscheck`: where floating point departs from exact arithmetic."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from exactformer.cli.common import input_path, json_option, read_matrix
from exactformer.cli.presenter import AnswerTable, Shown, present, show
from exactformer.cli.simulate import alpha_option, matrix_option

if TYPE_CHECKING:
    from exactformer.evaluate.floats import Backend
    from exactformer.float_comparison.dynamics import DynamicsCheck


@click.command("crosscheck")
@click.argument("path", metavar="TOKENS|CERT", type=input_path)
@click.option("--layers", type=click.IntRange(min=0), default=50, show_default=True, help="Layers of the dynamics.")
@click.option(
    "--dtype",
    type=click.Choice(["float64", "float32"]),
    default="float64",
    show_default=True,
    help="The floats to compare with.",
)
@click.option(
    "--backend",
    type=click.Choice(["numpy", "torch"]),
    default="numpy",
    show_default=True,
    help="The library that computes with them.",
)
@click.option("--device", default=None, help="A torch device such as cuda.")
@alpha_option
@matrix_option
@json_option
def command(
    path: Path,
    layers: int,
    dtype: str,
    backend: str,
    device: str | None,
    matrix: str | None,
    alpha: str | None,
    as_json: bool,
) -> int:
    """Run the same layers in floating point and show where the results differ.

    For a token file: the first layer with a wrong follower set, wrong leaders and wrong clusters. For a
    certificate: the first block with wrong maximisers, the error of the outputs, and the number of sequences that the
    float copy still gets right (every output nearest to a target of its own). Exits 1 if floats differ: a wrong
    maximiser, a wrong sequence, or an error larger than half the digits of the type.

    \b
    Example:
      exactformer sample rational-polygon -n 6 --seed 1 -o tokens.json
      exactformer crosscheck tokens.json --layers 40
    """
    from exactformer.evaluate.floats import Backend
    from exactformer.io.file_kind import form_of

    chosen = Backend.of(backend, dtype, device)
    if form_of(path) in ("certificate", "transformer"):
        return _transformer(path, chosen, as_json)
    from exactformer.float_comparison.dynamics import crosscheck_dynamics
    from exactformer.model.tokens import Tokens

    check = crosscheck_dynamics(Tokens.read(path, A=read_matrix(matrix), alpha=alpha), layers=layers, backend=chosen)
    present(as_json, check.json, _dynamics_shown(check))
    return 0 if check.agrees else 1


def _lead(check: DynamicsCheck) -> str:
    """By how much the exact maximisers lead where floats first choose others."""
    if check.margin is None:
        return ", where all exact scores tie"
    return f", where the best exact score leads the next one by {show(check.margin)}"


def _dynamics_shown(check: DynamicsCheck) -> Shown:
    rows: list[list[object]] = [
        ["leaders", list(check.leaders_exact), list(check.leaders_float)],
        ["clusters", check.clusters_exact or "undecided", check.clusters_float],
    ]
    if check.first_difference is not None:
        for i, exact, approx in zip(check.tokens[:8], check.follows_exact, check.follows_float, strict=False):
            rows.append([f"layer {check.first_difference}: token {i} follows", list(exact), list(approx)])
    verdict = (
        f"{check.dtype} departs at layer {check.first_difference}{_lead(check)}."
        if check.first_difference is not None
        else f"{check.dtype} chose every follower set of {check.layers} layers rightly; the tokens are off by "
        f"{check.largest_deviation:.3g}{'' if check.agrees else ', more than rounding explains'}."
    )
    yield AnswerTable("exact against float", ["", "exact", check.dtype], rows, verdict)


def _transformer(path: Path, backend: Backend, as_json: bool) -> int:
    from exactformer.float_comparison.transformers import crosscheck_certificate

    check = crosscheck_certificate(path, backend)
    found = check.first_difference
    place = "nowhere" if found is None else f"block {found.block}, sequence {found.sequence}, token {found.token}"
    rows: list[list[object]] = [
        ["first wrong maximiser", place],
        ["sequences the float copy gets right", f"{check.right} of {check.sequences}"],
        ["largest deviation of an output", f"{check.largest_deviation:.3g}"],
        ["smallest gap, best minus second-best score", check.smallest_margin if check.smallest_margin else "-"],
    ]
    verdict = f"{backend.name} {'agrees with' if check.agrees else 'departs from'} exact arithmetic."
    present(as_json, check.json, [AnswerTable("exact against float", ["", ""], rows, verdict)])
    return 0 if check.agrees else 1
