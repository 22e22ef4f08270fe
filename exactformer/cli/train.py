"""`exactformer train`: regularised training with exact figures, a guarantee, and verdicts."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from exactformer.cli.common import Options, input_path, json_option, make_folder, progress, say
from exactformer.cli.construct import read_label_targets
from exactformer.cli.presenter import AnswerTable, Shown, present

if TYPE_CHECKING:
    from exactformer.training.runs import Training, TrainingRun

COLUMNS = ("eps", "start", "loss", "norm^2", "objective", "guarantee", "verdict")
#: options that the published experiment has values of its own for
_SETTINGS = ("attention", "width", "blocks", "rank", "start", "seed", "label_targets")
#: inside the output folder, until everything is done
RESUME = "resume"


@click.command("train")
@click.argument("data", type=input_path, required=False)
@click.option("--eps", help="Weights of |Theta|^2, separated by commas, such as 1e-1,1e-2.")
@click.option(
    "--attention",
    type=click.Choice(["uniform", "softmax"]),
    default="uniform",
    show_default=True,
    help="Mean pooling, or softmax attention (needs the extra train).",
)
@click.option("--width", type=click.IntRange(min=1), default=4, show_default=True, help="Units of a layer.")
@click.option("--blocks", type=click.IntRange(min=1), default=1, show_default=True, help="Blocks, for softmax.")
@click.option("--rank", type=click.IntRange(min=1), default=1, show_default=True, help="Rows of Q and K, for softmax.")
@click.option(
    "--start",
    type=click.Choice(["random", "warm", "both"]),
    default="both",
    show_default=True,
    help="Where training starts; warm means from the interpolant.",
)
@click.option("--epochs", type=click.IntRange(min=1), help="At most this many steps per run (default 2000).")
@click.option("--seed", type=click.IntRange(min=0), default=0, show_default=True, help="Seed of the starts.")
@click.option(
    "--label-targets", type=input_path, help='JSON file {"label": [coordinates], ..} of points for the labels.'
)
@click.option("--certify", is_flag=True, help="Also write certificates of the verdicts (claim loss).")
@click.option(
    "--experiment", type=click.Choice(["interpolation"]), help="The published experiment, in place of DATA and --eps."
)
@click.option("-o", "--output", type=click.Path(path_type=Path, file_okay=False), required=True, help="A folder.")
@json_option
def command(
    data: Path | None,
    eps: str | None,
    experiment: str | None,
    output: Path,
    certify: bool,
    as_json: bool,
    **options: Any,
) -> None:
    """Train networks on DATA for every eps, and prove on which side of the guarantee they end.

    Minimisers of E + eps|Theta|^2 stay below eps|Theta*|^2 for every exact interpolant Theta*. The smallest
    interpolant found is certified (interpolant.jsonl); loss and norm of every run are exact, or enclosed; a run above
    the guarantee is certainly not a global minimiser. Weights go to transformer files,
    the history to history.csv, a picture to training.png. If interrupted, the same command resumes where it stopped.

    \b
    Example:
      exactformer sample random-classes -n 12 -d 2 --seed 1 -o data.json
      exactformer train data.json --eps 1e-1,1e-2 -o trained
    """
    if experiment is not None:
        given = [name for name in ("data", "eps", *_SETTINGS) if _is_given(name)]
        if given:
            raise click.UsageError(f"--experiment has settings of its own: leave out {', '.join(given)}")
        _experiment(output, options["epochs"], certify, as_json)
        return
    if data is None or eps is None:
        raise click.UsageError("expected DATA and --eps, or --experiment interpolation")
    _train(data, eps, output, certify, as_json, options)


def _is_given(name: str) -> bool:
    """Whether an option stands on the command line."""
    source = click.get_current_context().get_parameter_source(name)
    return source is click.core.ParameterSource.COMMANDLINE


def _train(data: Path, eps: str, output: Path, certify: bool, as_json: bool, options: Options) -> None:
    from exactformer.model.dataset import Dataset
    from exactformer.report.training_plot import plot_training
    from exactformer.training.saved_runs import SavedRuns
    from exactformer.training.train import train

    say(f"seed {options['seed']}")
    options["epochs"] = options["epochs"] or 2000
    options["label_targets"] = read_label_targets(options["label_targets"])
    dataset = Dataset.read(data)
    make_folder(output, "interpolant.jsonl", "run*.jsonl", "history.csv", "training.png")
    resume = going_on(output)
    with may_go_on(), progress("train", 100) as update:
        result = train(
            dataset, eps=eps.split(","), resume=resume, progress=lambda n, of: update(100 * n // of), **options
        )
    answer = result.json()
    answer["interpolant"]["certificate"] = str(output / "interpolant.jsonl")
    _write(result, result.runs, output, certify)
    plot_training(result, path=output / "training.png")
    SavedRuns(resume).clear()
    present(as_json, answer, _shown(result, result.runs))
    separating = result.separating_eps
    if separating is not None:
        bound = f"eps < {float(separating):.3g}"
        say(f"a global minimiser has every sequence nearest to its own target for {bound}", quiet=as_json)
    say(f"wrote {output}", quiet=as_json)


def _experiment(output: Path, epochs: int | None, certify: bool, as_json: bool) -> None:
    from exactformer.report.training_plot import plot_experiment_epochs, plot_experiment_eps
    from exactformer.training.experiment import run_experiment
    from exactformer.training.saved_runs import SavedRuns

    make_folder(output)
    resume = going_on(output)
    with may_go_on(), progress("experiment", 1000) as update:
        result = run_experiment(epochs=epochs, resume=resume, progress=lambda n, of: update(1000 * n // of))
    answer = result.json()
    answer["interpolant"]["certificate"] = str(output / "interpolant.jsonl")
    _write(result.ours, [one.run for one in result.runs], output, certify)
    plot_experiment_epochs(result, path=output / "loss_epochs.png")
    plot_experiment_eps(result, path=output / "loss_eps.png")
    SavedRuns(resume).clear()
    shown = _shown(result.ours, [one.run for one in result.runs])
    present(as_json, answer, chain(shown, result.readings()))
    say(f"wrote {output}", quiet=as_json)


@contextmanager
def may_go_on() -> Iterator[None]:
    """Says, where a training is interrupted, that it is not lost."""
    try:
        yield
    except KeyboardInterrupt:
        say("the same command goes on from here")
        raise


def going_on(output: Path) -> Path:
    """The folder of what an interrupted training has kept; says so if there is something."""
    folder = output / RESUME
    if folder.is_dir() and any(folder.iterdir()):
        say("going on where the training was interrupted")
    return folder


def _write(result: Training, runs: Iterable[TrainingRun], output: Path, certify: bool) -> None:
    """The certificate of the interpolant, the weights, the certificates of the verdicts if wanted, the history."""
    result.interpolant.certify(output / "interpolant.jsonl")
    for k, run in enumerate(runs):
        run.network.save(output / f"run{k}.jsonl")
        if certify and run.verdict != "undecided":
            run.certify(output / f"run{k}.loss.jsonl")
            if run.verdict == "not a global minimiser":
                result.certify_guarantee(run, output / f"run{k}.interpolant.loss.jsonl")
    _write_history(runs, output / "history.csv")


def _shown(result: Training, runs: Iterable[TrainingRun]) -> Shown:
    best = result.interpolant
    rows = []
    for run in runs:
        figures: tuple[Any, ...] = (run.figures.loss, run.figures.norm2, run.figures.objective, run.guarantee)
        rows.append([str(run.eps), run.start, *(f"{float(x):.6g}" for x in figures), run.verdict])
    title = f"|Theta*|^2 is about {float(best.norm2):.6g}: {best.method}, width {best.transformer.width}"
    note = f"figures rounded here, in full in --json; verdicts are proved, and are about {result.scope}"
    yield AnswerTable(title, COLUMNS, rows, note)


def _write_history(runs: Iterable[TrainingRun], path: Path) -> None:
    from exactformer.io.json_lines import write_atomically

    buffer = io.StringIO()
    table = csv.writer(buffer, lineterminator="\n")
    table.writerow(["run", "eps", "start", "step", "approx_loss", "approx_norm2"])
    for k, run in enumerate(runs):
        table.writerows([k, str(run.eps), run.start, step, loss, norm] for _, step, loss, norm in run.history)
    write_atomically(path, buffer.getvalue().encode())
