"""`exactformer delay paper`: the four studies, with the simple baselines beside them."""

from __future__ import annotations

import csv
import io
from pathlib import Path
from typing import TYPE_CHECKING

import click

from exactformer.cli.common import input_path, json_option, make_folder, progress, say
from exactformer.cli.presenter import AnswerTable, present

if TYPE_CHECKING:
    from exactformer.arithmetic.integers import Array
    from exactformer.studies.time_delay.experiments import ExperimentEntry

COLUMNS = ("study", "model", "parameters", "one step", "valid steps", "bounded", "W1", "spectrum", "phase")


@click.command("paper")
@click.option(
    "-o", "--output", type=click.Path(path_type=Path, file_okay=False), required=True, metavar="DIR", help="Folder."
)
@click.option(
    "--study", "names", multiple=True, help="Only this study: tones, aerodynamics, lorenz, reaction-diffusion."
)
@click.option("--aerofoil", type=input_path, help="Measured data for the aerodynamics: a CSV file, the angle first.")
@click.option("--seeds", type=click.IntRange(min=1), default=2, show_default=True, help="Seeds of every model.")
@click.option("--steps", type=click.IntRange(min=1), default=2500, show_default=True, help="Steps of training.")
@json_option
def command(output: Path, names: tuple[str, ...], aerofoil: Path | None, seeds: int, steps: int, as_json: bool) -> None:
    """Run the paper's studies and say what reproduces; tables and pictures go into a folder.

    Only the abstract of the paper could be read: the settings are ours. Every model sees the same window, the
    validation rollout chooses, and the test part is looked at once.

    Example: exactformer delay paper --study tones --seeds 1 --steps 200 -o delay
    """
    from exactformer.report.delay_plot import plot_study
    from exactformer.studies.time_delay.experiments import STUDIES, run_study
    from exactformer.studies.time_delay.series import Series

    known = {study.name for study in STUDIES}
    if not set(names) <= known:
        raise click.UsageError(f"--study: expected {', '.join(sorted(known))}, got {', '.join(set(names) - known)}")
    make_folder(output, "*.png", "studies.csv")
    entries: list[ExperimentEntry] = []
    for study in (s for s in STUDIES if not names or s.name in names):
        measured = Series.read(aerofoil).floats() if aerofoil is not None and study.name == "aerodynamics" else None
        with progress(study.name):
            truth, found = run_study(study, seeds=seeds, steps=steps, rows=measured, progress=say)
        plot_study(study.words, truth, _drawn(found), path=output / f"{study.name}.png")
        entries += found
    _write_csv(entries, output / "studies.csv")
    readings = _readings(entries)
    table = AnswerTable("the test part, approximately; mean over seeds", COLUMNS, _rows(entries))
    answer = {"entries": [entry.json() for entry in entries], "reproduces": readings}
    present(as_json, answer, [table, *readings])


def _drawn(entries: list[ExperimentEntry]) -> dict[str, Array]:
    """The rollouts of a picture: one a model, that of the first seed."""
    return {entry.model: entry.rollout for entry in entries if entry.seed == 0}


def _rows(entries: list[ExperimentEntry]) -> list[list[object]]:
    rows = []
    for study, model in dict.fromkeys((e.study, e.model) for e in entries):
        own = [e.measures for e in entries if (e.study, e.model) == (study, model)]
        figures = [
            sum(getattr(m, f"approx_{name}") for m in own) / len(own)
            for name in ("one_step", "valid_steps", "bounded", "w1", "spectrum_error", "phase_error")
        ]
        rows.append([study, model, own[0].parameters, *(f"{x:.3g}" for x in figures)])
    return rows


def _valid(entries: list[ExperimentEntry], study: str, model: str) -> float | None:
    own = [e.measures.approx_valid_steps for e in entries if (e.study, e.model) == (study, model)]
    return sum(own) / len(own) if own else None


def _readings(entries: list[ExperimentEntry]) -> list[str]:
    """What the figures say, computed from them."""
    readings = []
    for study in dict.fromkeys(e.study for e in entries):
        names = ("TD-DMD", "TD-TF from dmd", "TD-TF from random", "perceptron", "reservoir")
        linear, from_dmd, random, perceptron, reservoir = (_valid(entries, study, name) or 0.0 for name in names)
        best = max(from_dmd, random)
        gain = "reproduces" if best >= max(2 * linear, 1.0) else "does not reproduce"
        simple = max(perceptron, reservoir)
        readings.append(
            f"{study}: the advantage of attention over TD-DMD {gain} ({best:.0f} valid steps against {linear:.0f}); "
            f"the better of two simple nonlinear baselines: {simple:.0f}"
        )
    return readings


def _write_csv(entries: list[ExperimentEntry], path: Path) -> None:
    from exactformer.io.json_lines import write_atomically

    rows = [entry.json() for entry in entries]
    text = io.StringIO()
    writer = csv.DictWriter(text, list(rows[0]))
    writer.writeheader()
    writer.writerows(rows)
    write_atomically(path, text.getvalue().encode())
