"""`exactformer repair`: a trained network that nearly fits becomes an exact one, with its certificate."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from exactformer.cli.common import input_path, json_option, output_path, say
from exactformer.cli.construct import read_label_targets
from exactformer.cli.presenter import AnswerTable, Shown, present

if TYPE_CHECKING:
    from exactformer.training.repair import Repaired


@click.command("repair")
@click.argument("network", type=input_path)
@click.argument("data", type=input_path)
@click.option(
    "--label-targets", type=input_path, help='JSON file {"label": [coordinates], ..} of points for the labels.'
)
@click.option("--keep-shape", is_flag=True, help="Add no unit: correct V or W instead, where that is possible.")
@click.option("--seed", type=click.IntRange(min=0), default=0, show_default=True, help="Seed of the direction.")
@click.option("-o", "--output", type=output_path, help="Write the certificate here.")
@json_option
def command(
    network: Path,
    data: Path,
    label_targets: Path | None,
    keep_shape: bool,
    seed: int,
    output: Path | None,
    as_json: bool,
) -> None:
    """Turn NETWORK, which nearly fits DATA, into one that fits exactly, with at most one more unit per sequence.

    NETWORK is a transformer file, a certificate, an NPZ file with arrays block0.V, block1.eta, block1.U, block1.b,
    block1.W, .. or a torch state of the same names; attention must be uniform and pool (rho = 0). Labels get the mean
    outputs of their sequences, rounded, unless --label-targets gives their points.

    \b
    Example:
      exactformer sample random-classes -n 20 -d 2 --seed 1 -o data.json
      exactformer construct data.json -o network.jsonl
      exactformer repair network.jsonl data.json -o repaired.jsonl
      exactformer check repaired.jsonl
    """
    from exactformer.model.dataset import Dataset
    from exactformer.training.repair import repair

    say(f"seed {seed}")
    dataset = Dataset.read(data)
    points = read_label_targets(label_targets)
    repaired = repair(network, dataset, label_targets=points, keep_shape=keep_shape, seed=seed)
    if output is not None:
        repaired.certify(output)
    present(as_json, repaired.json, _shown(repaired, len(dataset)))
    if output is not None:
        say(f"wrote {output}", quiet=as_json)


def _shown(repaired: Repaired, sequences: int) -> Shown:
    from exactformer.arithmetic.floats import float_of

    row: list[object] = [f"{float_of(repaired.residual):.3g}", f"{float(repaired.norm2_before):.6g}"]
    row += [f"{float(repaired.norm2_after):.6g}", repaired.units_added, repaired.transformer.width]
    columns = ["largest residual (about)", "norm^2 before (about)", "norm^2 after (about)", "units added", "width"]
    yield AnswerTable(f"{sequences} sequences exactly on their targets", columns, [row])
