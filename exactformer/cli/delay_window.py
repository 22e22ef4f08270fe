"""`exactformer delay window`: the least window of frozen positive attention."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING

import click

from exactformer.arithmetic.rational import RationalRow
from exactformer.cli.common import input_path, json_option, output_path, progress, say
from exactformer.cli.delay_series import column_option, read_series
from exactformer.cli.presenter import AnswerTable, Shown, present, show
from exactformer.errors import InvalidInput

if TYPE_CHECKING:
    from exactformer.studies.time_delay.positive_window import PositiveWindow


@click.command("window")
@click.argument("series", metavar="[SERIES]", type=input_path, required=False)
@click.option(
    "--cos", "cosines", metavar="c1,c2", help="Tones by the cosines of their frequencies instead, as 4/5,12/13."
)
@click.option(
    "--cap", type=click.IntRange(min=2), default=60, show_default=True, metavar="m", help="The largest window."
)
@column_option
@click.option("-o", "--output", type=output_path, metavar="CERT", help="Write the certificate here.")
@json_option
def command(
    series: Path | None, cosines: str | None, cap: int, columns: tuple[str, ...], output: Path | None, as_json: bool
) -> None:
    """Find the least window in which attention that does not depend on the tokens, with one encoding for all of them,
    reproduces a series of numbers exactly; every smaller window is refused with a proof (Farkas).

    \b
    Example:
      exactformer delay window --cos 4/5,12/13 -o window.jsonl
      proofs-check window.jsonl
    """
    from exactformer.studies.time_delay.positive_window import least_window, polynomial_of_tones

    if (series is None) == (cosines is None):
        raise click.UsageError("expected either a SERIES or --cos c1,c2")
    polynomial = polynomial_of_tones(_cosines(cosines)) if cosines is not None else _polynomial(series, columns)
    with progress("window", cap) as done:
        found = least_window(polynomial, cap=cap, progress=done)
    if output is not None:
        found.certify(output)
        say(f"wrote {output}", quiet=as_json)
    present(as_json, found.json, _shown(found))


def _shown(found: PositiveWindow) -> Shown:
    rows = [[j + 1, show(weight)] for j, weight in enumerate(found.weights)]
    kind = "positive" if found.strict else "nonnegative (a limit of positive ones)"
    title = (
        f"window {found.window}: z_(k+{found.window}) = {show(found.newest)} z_(k+{found.window - 1}) "
        f"{'+' if found.sign > 0 else '-'} sum a_j z_(k+j-1), all a_j {kind}"
    )
    refused = f"windows 2 to {found.window - 1} are refused, each with a proof" if found.window > 2 else ""
    yield AnswerTable(title, ["j", "a_j"], rows, refused)


def _cosines(text: str) -> list[Fraction]:
    from exactformer.arithmetic.text import exact

    numbers = [exact(part, "--cos") for part in text.split(",")]
    rational = [x for x in numbers if isinstance(x, Fraction)]
    if len(rational) < len(numbers):
        raise InvalidInput(f"--cos: expected rational numbers such as 4/5, got {text!r:.60}")
    return rational


def _polynomial(path: Path | None, columns: tuple[str, ...]) -> RationalRow:
    """The characteristic polynomial of a series of numbers."""
    from exactformer.errors import NoConstruction, proof_at
    from exactformer.studies.time_delay.recurrence import Recurrence, least_order

    series = read_series(path or Path(), columns)
    if series.dim != 1:
        known = f" ({', '.join(series.names[:8])})" if series.names else ""
        raise InvalidInput(
            f"{path}: expected one column (a series of numbers), got {series.dim}{known}; choose one with --column"
        )
    found = least_order(series)
    if not isinstance(found, Recurrence):
        raise NoConstruction(
            f"{path}: no linear recurrence of order up to {len(found.refuted)} holds, so no window of frozen attention "
            f"reproduces it ({proof_at('delay#d2')}); `exactformer delay order` shows the ranks"
        )
    return found.polynomial
