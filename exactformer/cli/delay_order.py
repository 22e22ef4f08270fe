"""`exactformer delay order`: the recurrence of least order, proved."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from exactformer.cli.common import echo, input_path, json_option, output_path, progress, say
from exactformer.cli.delay_series import column_option, read_series
from exactformer.cli.presenter import AnswerTable, Shown, present, show

if TYPE_CHECKING:
    from exactformer.studies.time_delay.recurrence import NoRecurrence, Recurrence


@click.command("order")
@click.argument("series", metavar="SERIES", type=input_path)
@click.option(
    "--cap", type=click.IntRange(min=1), default=12, show_default=True, metavar="m", help="The largest order."
)
@click.option("--intercept", is_flag=True, help="Allow a constant term.")
@column_option
@click.option("-o", "--output", type=output_path, metavar="CERT", help="Write the certificate here.")
@json_option
def command(
    series: Path, cap: int, intercept: bool, columns: tuple[str, ...], output: Path | None, as_json: bool
) -> int:
    """Find the least m with z_{k+m} = A_1 z_k + .. + A_m z_{k+m-1} on all rows of SERIES, and prove it.

    Exits 1, with the ranks that show it, where no recurrence of order up to the cap exists; 4 where the series is too
    short to tell.

    \b
    Example:
      exactformer delay sample tones --count 2 -n 60 -o tones.csv
      exactformer delay order tones.csv -o order.jsonl
      proofs-check order.jsonl
    """
    from exactformer.studies.time_delay.recurrence import NoRecurrence, least_order

    data = read_series(series, columns)
    with progress("order", cap) as done:
        found = least_order(data, cap=cap, intercept=intercept, progress=done)
    if output is not None:
        found.certify(output)
        say(f"wrote {output}", quiet=as_json)
    if isinstance(found, NoRecurrence):
        present(as_json, found.json, _refusal_shown(found))
        return 1
    present(as_json, found.json, _shown(found))
    return 0


def _shown(found: Recurrence) -> Shown:
    rows = [[f"A_{j + 1}", "; ".join(map(show, A))] for j, A in enumerate(found.coefficients)]
    if any(found.intercept):
        rows.append(["c", show(found.intercept)])
    unique = "no other coefficients do" if found.minor is not None else "other coefficients do as well"
    title = (
        f"order {found.order}: z_(k+{found.order}) = A_1 z_k + .. on all {len(found.series)} rows, exactly; {unique}"
    )
    yield AnswerTable(title, ["", "oldest first"], rows)


def _refusal_shown(found: NoRecurrence) -> Shown:
    rows = [[r.order, a, b] for r, (a, b) in zip(found.refuted, found.ranks, strict=True)]
    yield AnswerTable("no recurrence of these orders", ["order", "rank of windows", "with what follows"], rows)
    echo(f"no linear recurrence of order up to {len(found.refuted)} holds on all rows", err=True)
