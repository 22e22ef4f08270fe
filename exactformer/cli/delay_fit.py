"""`exactformer delay fit`: TD-DMD or a time-delayed transformer on a series."""

from __future__ import annotations

from pathlib import Path

import click

from exactformer.cli.common import input_path, json_option, output_path, progress, say
from exactformer.cli.delay_series import column_option, read_series
from exactformer.cli.presenter import AnswerTable, present


@click.command("fit")
@click.argument("series", metavar="SERIES", type=input_path)
@click.option("--window", type=click.IntRange(min=1), required=True, metavar="m", help="Rows that a prediction sees.")
@click.option(
    "--model",
    type=click.Choice(["dmd", "tf"]),
    default="tf",
    show_default=True,
    help="Linear prediction (TD-DMD), or a time-delayed transformer.",
)
@click.option("--start", type=click.Choice(["dmd", "random"]), help="Where training starts; both unless given.")
@click.option(
    "--encoding",
    type=click.Choice(["block", "additive"]),
    default="block",
    show_default=True,
    help="A matrix for every row of the window, or one for all.",
)
@click.option(
    "--inputs", type=click.IntRange(min=0), default=0, metavar="k", help="The first k columns are known inputs."
)
@column_option
@click.option("--steps", type=click.IntRange(min=1), default=2500, show_default=True, help="Steps of training.")
@click.option("--seed", type=click.IntRange(min=0), default=0, show_default=True, help="Seed of the start.")
@click.option("-o", "--output", type=output_path, required=True, metavar="NET", help="The network file to write.")
@json_option
def command(
    series: Path,
    window: int,
    model: str,
    start: str | None,
    encoding: str,
    inputs: int,
    columns: tuple[str, ...],
    steps: int,
    seed: int,
    output: Path,
    as_json: bool,
) -> None:
    """Fit on the first 60 % of the rows, choose by rollouts on the next 20 %, measure once on the last 20 %.

    Valid steps are the mean over 8 test starts of the steps until the error exceeds half a standard deviation. All
    figures are approximate (floats); the network file holds exactly the numbers of the network.

    \b
    Example:
      exactformer delay sample lorenz -n 1500 -o lorenz.csv
      exactformer delay fit lorenz.csv --window 6 --steps 200 -o lorenz.json
      exactformer delay roll lorenz.json lorenz.csv --steps 5
    """
    from exactformer.studies.time_delay.fit import SeriesParts, fit_parts
    from exactformer.studies.time_delay.network_file import write_network

    data = read_series(series, columns)
    if inputs >= data.dim:
        raise click.UsageError(f"--inputs: expected fewer than the {data.dim} columns of the series, got {inputs}")
    parts = SeriesParts.of(data, window)
    say(f"{len(parts.train)} train, {len(parts.validation)} validation, {len(parts.test)} test rows; seed {seed}")
    with progress("train", 2 * steps if start is None else steps) as done:
        fitted = fit_parts(
            parts,
            window,
            model=model,
            start=start,
            encoding=encoding,
            seed=seed,
            steps=steps,
            inputs=inputs,
            progress=done,
        )
    write_network(fitted.network, output)
    measures = fitted.measures.json()
    rows = [[name.removeprefix("approx_").replace("_", " "), value] for name, value in measures.items()]
    title = f"{model}, started from {fitted.start}: the test part, approximately"
    answer = {"model": model, "start": fitted.start, "seed": seed, **measures}
    present(as_json, answer, [AnswerTable(title, ["", ""], _rounded(rows))])
    say(f"wrote {output}", quiet=as_json)


def _rounded(rows: list[list[object]]) -> list[list[object]]:
    def short(value: object) -> object:
        if isinstance(value, list):
            return ", ".join(str(short(v)) for v in value)
        return f"{value:.4g}" if isinstance(value, float) else value

    return [[name, short(value)] for name, value in rows]
