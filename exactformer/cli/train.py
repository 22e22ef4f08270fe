"""`exactformer train`: regularised training with exact figures, a guarantee, and verdicts."""

from __future__ import annotations

import csv
import io
from pathlib import Path
from typing import Any

import click

from exactformer.cli.common import input_path, json_option, make_folder, print_json, print_table, progress, say


@click.command("train")
@click.argument("data", type=input_path)
@click.option("--eps", required=True, help="Weights of |Theta|^2, separated by commas, such as 1e-1,1e-2.")
@click.option("--width", type=click.IntRange(min=1), default=4, show_default=True, help="Units of the layer.")
@click.option("--start", type=click.Choice(["random", "warm", "both"]), default="both", show_default=True)
@click.option("--epochs", type=click.IntRange(min=1), default=2000, show_default=True, help="Steps of L-BFGS at most.")
@click.option("--seed", type=click.IntRange(min=0), default=0, show_default=True, help="Seed of the starts.")
@click.option("-o", "--output", type=click.Path(path_type=Path, file_okay=False), required=True, help="A folder.")
@json_option
def command(data: Path, eps: str, output: Path, as_json: bool, **options: Any) -> None:
    """Train networks with mean pooling on DATA for every eps, and prove on which side of the guarantee they end.

    Minimisers of E + eps|Theta|^2 stay below eps|Theta*|^2 for every exact interpolant Theta*. The smallest found is
    certified (interpolant.jsonl); loss and norm of every run are exact; a run above the guarantee is certainly no
    global minimiser. Weights go to transformer files, the history to history.csv.

    \b
    Example:
      exactformer sample random-classes -n 12 -d 2 --seed 1 -o data.json
      exactformer train data.json --eps 1e-1,1e-2 -o trained
    """
    from exactformer.model.dataset import Dataset
    from exactformer.training.train import train

    say(f"seed {options['seed']}")
    dataset = Dataset.read(data)
    make_folder(output, "interpolant.jsonl", "run*.jsonl", "history.csv")
    with progress("train", 100) as update:
        result = train(dataset, eps=eps.split(","), progress=lambda n, of: update(100 * n // of), **options)
    result.interpolant.certify(output / "interpolant.jsonl")
    for k, run in enumerate(result.runs):
        run.network.write(output / f"run{k}.jsonl")
    _write_history(result, output / "history.csv")
    if as_json:
        best = result.interpolant
        known = {"norm2": best.norm2.json(), "method": best.method, "certificate": str(output / "interpolant.jsonl")}
        print_json({"interpolant": known, "runs": [run.json() for run in result.runs]})
        return
    rows = [
        [str(r.eps), r.start, *(f"{float(x):.6g}" for x in (r.loss, r.norm2, r.objective, r.guarantee)), r.verdict]
        for r in result.runs
    ]
    title = f"|Theta*|^2 is about {float(result.interpolant.norm2):.6g}: {result.interpolant.method}"
    columns = ["eps", "start", "loss", "norm^2", "objective", "guarantee", "verdict"]
    print_table(title, columns, rows, note="figures rounded here, exact in --json; verdicts are proved")
    say(f"wrote {output}")


def _write_history(result: Any, path: Path) -> None:
    from exactformer.model.json_lines import write_atomically

    buffer = io.StringIO()
    table = csv.writer(buffer, lineterminator="\n")
    table.writerow(["run", "eps", "start", "step", "approx_loss", "approx_norm2"])
    for k, run in enumerate(result.runs):
        table.writerows([k, str(run.eps), run.start, step, loss, norm] for _, step, loss, norm in run.history)
    write_atomically(path, buffer.getvalue().encode())
