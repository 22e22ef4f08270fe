"""What the verbs of `exactformer delay` share: the series, and which of its columns are used."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from exactformer.cli.common import say

if TYPE_CHECKING:
    from exactformer.studies.time_delay.series import Series

column_option = click.option(
    "--column",
    "columns",
    multiple=True,
    metavar="NAME|k",
    help="Use this column, by name or number from 1; may be repeated. All columns unless given.",
)


def read_series(path: Path, columns: tuple[str, ...], *, quiet: bool = False) -> Series:
    """The series of the file; a column that only counts the rows is pointed out."""
    from exactformer.studies.time_delay.series import Series

    series = Series.read(path, columns)
    if series.counter is not None:
        name = series.names[series.counter] if series.names else f"{series.counter + 1}"
        others = [n for k, n in enumerate(series.names) if k != series.counter]
        chosen = " ".join(f"--column {n}" for n in others[:4]) or "--column"
        say(f"column {name} only counts the rows and is used as data; leave it out with {chosen}", quiet=quiet)
    return series
