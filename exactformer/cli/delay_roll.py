"""`exactformer delay roll`: the next rows of a series."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING

import click

from exactformer.arithmetic.floats import float_of
from exactformer.cli.common import input_path, json_option, output_path, progress, say
from exactformer.cli.delay_series import column_option, read_series
from exactformer.cli.presenter import AnswerTable, present, show
from exactformer.errors import InvalidInput

if TYPE_CHECKING:
    from exactformer.arithmetic.integers import Array


@click.command("roll")
@click.argument("network", metavar="NET", type=input_path)
@click.argument("series", metavar="SERIES", type=input_path)
@click.option("--steps", type=click.IntRange(min=1), default=20, show_default=True, metavar="k", help="How many rows.")
@click.option("--bits", type=click.IntRange(min=53, max=20_000), metavar="b", help="Enclosures with this precision.")
@click.option("--exact", is_flag=True, help="Rational numbers, where the network is rational (as TD-DMD is).")
@click.option("--plot", "picture", type=output_path, metavar="PNG", help="Draw the rows, with their enclosures.")
@column_option
@json_option
def command(
    network: Path,
    series: Path,
    steps: int,
    bits: int | None,
    exact: bool,
    picture: Path | None,
    columns: tuple[str, ...],
    as_json: bool,
) -> None:
    """Predict the next rows after the last ones of SERIES, each from those before it.

    With --bits every coordinate is enclosed rigorously: the statement is about exactly the network in the file, and
    the first step at which float64 leaves the enclosure is said.

    \b
    Example:
      exactformer delay sample lorenz -n 1500 -o lorenz.csv
      exactformer delay fit lorenz.csv --window 6 --model dmd -o dmd.json
      exactformer delay roll dmd.json lorenz.csv --steps 10 --bits 128
    """
    from exactformer.studies.time_delay.approx_rollout import float_rows
    from exactformer.studies.time_delay.network_file import read_network

    if exact and bits is not None:
        raise click.UsageError("--exact and --bits exclude each other")
    net, data = read_network(network), read_series(series, columns)
    if data.dim != net.dim:
        raise InvalidInput(
            f"{series}: expected {net.dim} columns, as the network has, got {data.dim}; choose them with --column"
        )
    data.verify_length(net.window, net.window)
    start = data.rows()[-net.window :]
    floats = float_rows(net, data.floats(), steps)
    enclosures = None
    if exact:
        from exactformer.studies.time_delay.network import exact_rollout

        values: Sequence[Sequence[float | Fraction | list[Fraction]]] = exact_rollout(net, start, steps)
    elif bits is not None:
        from exactformer.studies.time_delay.enclosure import enclose

        with progress("steps", steps) as done:
            enclosures = enclose(net, start, steps, bits=bits, progress=done)
        values = [[[low, high] for low, high in zip(e.low, e.high, strict=True)] for e in enclosures]
        left = next((k + 1 for k, e in enumerate(enclosures) if not e.contains(floats[k])), None)
        say("float64 stays within the enclosures" if left is None else f"float64 leaves the enclosures at step {left}")
    else:
        values = floats.tolist()
    if picture is not None:
        from exactformer.report.delay_plot import plot_rollout

        plot_rollout(data, floats, enclosures, path=picture)
        say(f"wrote {picture}", quiet=as_json)
    answer = {"values": values} if exact or bits else {"values": _dyadic(floats), "approx_values": values}
    headings = ["step", *(data.names or [f"z{i + 1}" for i in range(data.dim)])]
    table = AnswerTable(f"{steps} steps", headings, ([k + 1, *map(_cell, row)] for k, row in enumerate(values)))
    present(as_json, answer, [table])


def _dyadic(floats: Array) -> list[list[Fraction]]:
    """The exact values of the floats of an approximate rollout."""
    return [[Fraction(x) for x in row] for row in floats.tolist()]


def _cell(value: float | Fraction | list[Fraction]) -> str:
    if isinstance(value, list):
        low, high = value
        return f"{float_of((low + high) / 2):.10g} +- {float_of((high - low) / 2):.2g}"
    return show(value) if isinstance(value, Fraction) else f"{value:.8g}"
