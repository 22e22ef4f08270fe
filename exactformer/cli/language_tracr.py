"""`exactformer language tracr`: a compiled RASP model in exact arithmetic, beside its program."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click

from exactformer.cli.common import input_path, json_option, note_input, note_output, output_path, say
from exactformer.cli.presenter import present

if TYPE_CHECKING:
    from collections.abc import Mapping

    from exactformer.arithmetic.integers import Array
    from exactformer.languages.tracr_report import TracrReport


@click.command("tracr")
@click.argument("model", metavar="MODEL.npz", type=input_path)
@click.option("--repair", is_flag=True, help="Repair the model and verify the repaired one.")
@click.option("-o", "--output", type=output_path, metavar="FILE.npz", help="Write the repaired model here.")
@json_option
def command(model: Path, repair: bool, output: Path | None, as_json: bool) -> int:
    """Evaluate a model compiled by tracr exactly, and find where and why it departs from its program.

    MODEL.json describes the weights and MODEL.runs.json has the runs of the program and of the float model; both stand
    beside MODEL.npz. Attention is hardmax with every tie. Causes: a lost tie (the program gives None), a wide ramp (the
    weights are too coarse), soft attention (the scores are divided by sqrt(key size)). Exits 0 if exact and float
    outputs are the program's on all runs (with --repair: those of the repaired model), else 1.

    \b
    Example:
      exactformer language tracr length.npz --repair -o repaired.npz
    """
    from exactformer.languages.tracr import read_tracr
    from exactformer.languages.tracr_report import approx_runs, read_runs, repaired, report_of

    if output is not None and not repair:
        raise click.UsageError("-o writes the repaired model: give --repair with it")
    if model.suffix != ".npz" or (output is not None and output.suffix != ".npz"):
        raise click.UsageError("expected models as files that end in .npz")
    for ending in (".json", ".runs.json"):
        note_input(model.with_suffix(ending))
        if output is not None:
            note_output(output.with_suffix(ending))
    found, runs = read_tracr(model), read_runs(model)
    report = report_of(found, runs)
    answer = report.json()
    judged = report
    if repair:
        better = repaired(found)
        better_runs = approx_runs(better, runs)
        judged = report_of(better, better_runs)
        answer["repaired"] = judged.json()
        if output is not None:
            _write(better.arrays, better.about, [[r.word, r.program, r.floats] for r in better_runs], output)
            say(f"wrote {output} with its .json and .runs.json", quiet=as_json)
    shown = [*_shown(report, "the model", found.most)]
    shown += _shown(judged, "the repaired model", found.most) if repair else ()
    present(as_json, answer, shown)
    return 0 if judged.exact_agrees == judged.float_agrees == judged.inputs else 1


def _write(arrays: Mapping[str, Array], about: object, runs: object, output: Path) -> None:
    import io
    import json

    import numpy as np

    from exactformer.io.json_lines import write_atomically

    buffer = io.BytesIO()
    np.savez(buffer, allow_pickle=False, **arrays)
    write_atomically(output.with_suffix(".runs.json"), json.dumps(runs).encode() + b"\n")
    write_atomically(output.with_suffix(".json"), json.dumps(about).encode() + b"\n")
    write_atomically(output, buffer.getvalue())


def _shown(report: TracrReport, what: str, most: int) -> Iterator[str]:
    """The answer in words."""
    which = f"all {report.inputs} inputs of at most {most} tokens" if report.complete else f"{report.inputs} inputs"
    yield f"{what} on {which}:"
    yield f"  exact arithmetic gives what the program gives on {report.exact_agrees}"
    yield f"  floats give what the program gives on {report.float_agrees}"
    if report.complete and report.exact_agrees == report.inputs:
        yield f"  proved: up to its length {most} the exact model is the program"
    for cause in report.causes:
        yield f"  {cause.cause}, on {cause.inputs} inputs: {cause.why}"
        shown = " ".join(cause.word)
        yield f"    first on {shown}, position {cause.position}: program {cause.program}, got {cause.got}"
