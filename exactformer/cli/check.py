"""`exactformer check`: the independent checker, with data in any format."""

from __future__ import annotations

from dataclasses import asdict, replace
from pathlib import Path

import click

from exactformer.cli.common import input_path, json_option, read_matrix, worker_options
from exactformer.cli.presenter import present
from exactformer.cli.simulate import alpha_option, matrix_option


@click.command("check")
@click.argument("certificate", metavar="CERT", type=input_path)
@click.option("--data", type=input_path, help="The data that the certificate must be about: JSON, CSV, NPZ or NPY.")
@click.option("--weights", type=input_path, help="The weights (.f32) of a network, where CERT has only their digest.")
@click.option(
    "--with",
    "checker",
    type=click.Choice(["verified"]),
    help="Also run the checker proved correct, if it is installed.",
)
@click.option("--plain", is_flag=True, help="Use the definitions alone, without short cuts, in one process.")
@click.option("--positions", is_flag=True, help="The certificate was built with --positions.")
@alpha_option
@matrix_option
@worker_options
@click.option("--max-bytes", type=click.IntRange(min=1), help="Bytes of the file; past a limit it is declined.")
@click.option("--max-line", type=click.IntRange(min=1), help="Bytes of one line.")
@click.option("--max-digits", type=click.IntRange(min=1, max=2**31 - 2), help="Characters of one number.")
@click.option("--max-bits", type=click.IntRange(min=1), help="Bits of an integer on the way.")
@click.option("--max-operations", type=click.IntRange(min=1), help="Multiplications in all.")
@click.option("--max-memory", type=click.IntRange(min=1), help="Bytes of the long numbers that are held.")
@json_option
def command(
    certificate: Path,
    data: Path | None,
    weights: Path | None,
    checker: str | None,
    plain: bool,
    positions: bool,
    matrix: str | None,
    alpha: str | None,
    workers: int,
    scheduler: str | None,
    as_json: bool,
    **limits: int | None,
) -> int:
    """Run the independent checker on CERT.

    The same as `proofs-check`, except that the data may also be CSV, NPZ or NPY: they are read here and handed
    to the checker. With --workers several processes verify the sequences of an interpolation, where the system can
    fork, with --scheduler the workers of a dask cluster; verdict, line and limits are those of one process. With
    --plain the checker evaluates its definitions as they stand, without short cuts: slower, with the same verdict.

    Below *accepted* stand the other checkers that know the claim: JavaScript (proofs_check/js), Rocq (`exactformer
    export-rocq`), verified (`--with verified`).

    With `--with verified` a certificate that is accepted is handed to `proofs-check-verified`, the checker extracted
    from its proof in Rocq, and its verdict is the answer. If it is not installed, or does not know the claim, the
    answer is declined.

    \b
    Example:
      exactformer sample all-but-one -n 6 -d 2 --seed 1 -o data.json
      exactformer construct data.json -o cert.jsonl
      exactformer check cert.jsonl --data data.json
    """
    from exactformer.checking import EXIT_CODES, Limits, check

    if plain and (workers != 1 or scheduler is not None):
        raise click.UsageError("--plain is one process: leave --workers and --scheduler out")
    raised = Limits(**{name.removeprefix("max_"): value for name, value in limits.items() if value is not None})
    verdict = check(
        certificate,
        data=data,
        positions=positions,
        A=read_matrix(matrix),
        alpha=alpha,
        limits=raised,
        workers=workers,
        weights=weights,
        scheduler=scheduler,
        plain=plain,
    )
    if checker and verdict:
        from exactformer.verified import check_verified

        found = check_verified(certificate, raised)
        verdict = replace(found, tier=verdict.tier, also=tuple(name for name in verdict.also if name != checker))
    place = f"{verdict.where}: " if verdict.where else ""
    shown = [f"{verdict.verdict}: {place}{verdict.why}"]
    present(as_json, asdict(verdict), shown + [verdict.others] * verdict.accepted)
    return EXIT_CODES[verdict.verdict]
