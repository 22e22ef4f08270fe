"""`exactformer export`: a transformer for torch, NumPy or a paper."""

from __future__ import annotations

from pathlib import Path

import click

from exactformer.cli.common import input_path, json_option, output_path
from exactformer.cli.presenter import AnswerTable, present


@click.command("export")
@click.argument("certificate", metavar="CERT", type=input_path)
@click.option("--to", "form", type=click.Choice(["torch", "npz", "latex"]), required=True, help="The form to write.")
@click.option("-o", "--output", type=output_path, required=True, help="The file to write.")
@json_option
def command(certificate: Path, form: str, output: Path, as_json: bool) -> None:
    """Write the transformer of CERT as a torch.export program, float64 arrays (NPZ) or LaTeX.

    For a certificate it also says whether the float64 and float32 copies still interpolate its data:
    every output exactly a target, rounded to that type.

    \b
    Example:
      exactformer sample all-but-one -n 4 -d 2 --seed 1 -o data.json
      exactformer construct data.json -o cert.jsonl
      exactformer export cert.jsonl --to npz -o weights.npz
    """
    from exactformer.float_comparison.exports import export, float_copies
    from exactformer.model.transformer_files import read_transformer

    transformer = read_transformer(certificate)
    copies = float_copies(certificate)
    export(transformer, output, to=form)
    answer = {"written": str(output), "form": form, "copies": [c.json() for c in copies]}
    rows = [
        [c.dtype, "yes" if c.interpolates else "no", f"{c.interpolated} of {c.sequences}", c.largest_deviation]
        for c in copies
    ]
    columns = ["copy", "still interpolates", "sequences", "largest deviation"]
    present(as_json, answer, [AnswerTable(f"wrote {output}", columns, rows)])
