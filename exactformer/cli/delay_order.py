"""`exactformer delay order`: the recurrence of least order, proved."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from exactformer.cli.common import (
    echo,
    input_path,
    json_option,
    output_path,
    print_json,
    print_table,
    progress,
    say,
    show,
)

if TYPE_CHECKING:
    from exactformer.studies.time_delay.recurrence import NoRecurrence, Recurrence


@click.command("order")
@click.argument("series", metavar="SERIES", type=input_path)
@click.option(
    "--cap", type=click.IntRange(min=1), default=12, show_default=True, metavar="m", help="The largest order."
)
@click.option("--intercept", is_flag=True, help="Allow a constant term.")
@click.option("-o", "--output", type=output_path, metavar="CERT", help="Write the certificate here.")
@json_option
def command(series: Path, cap: int, intercept: bool, output: Path | None, as_json: bool) -> int:
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
    from exactformer.studies.time_delay.series import Series

    with progress("order", cap) as done:
        found = least_order(Series.read(series), cap=cap, intercept=intercept, progress=done)
    if output is not None:
        found.certify(output)
        say(f"wrote {output}", quiet=as_json)
    if isinstance(found, NoRecurrence):
        _refuse(found, as_json)
        return 1
    _answer(found, as_json)
    return 0


def _answer(found: Recurrence, as_json: bool) -> None:
    scalar = found.series.dim == 1
    coefficients = [A[0][0] if scalar else A for A in found.coefficients]
    if as_json:
        print_json(
            {
                "order": found.order,
                "coefficients": coefficients,
                "intercept": found.intercept[0] if scalar else found.intercept,
                "unique": found.minor is not None,
            }
        )
        return
    rows = [[f"A_{j + 1}", "; ".join(map(show, A))] for j, A in enumerate(found.coefficients)]
    if any(found.intercept):
        rows.append(["c", show(found.intercept)])
    unique = "no other coefficients do" if found.minor is not None else "other coefficients do as well"
    title = (
        f"order {found.order}: z_(k+{found.order}) = A_1 z_k + .. on all {len(found.series)} rows, exactly; {unique}"
    )
    print_table(title, ["", "oldest first"], rows)


def _refuse(found: NoRecurrence, as_json: bool) -> None:
    if as_json:
        print_json({"order": None, "cap": len(found.refuted), "ranks": found.ranks})
        return
    rows = [[r.order, a, b] for r, (a, b) in zip(found.refuted, found.ranks, strict=True)]
    print_table("no recurrence of these orders", ["order", "rank of windows", "with what follows"], rows)
    echo(f"no linear recurrence of order up to {len(found.refuted)} holds on all rows", err=True)
