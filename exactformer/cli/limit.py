"""`exactformer limit`: where every token ends, proved for all layers."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from exactformer.cli.common import echo, input_path, json_option, output_path, progress, read_matrix
from exactformer.cli.presenter import AnswerTable, Shown, present, show
from exactformer.cli.simulate import alpha_option, matrix_option, unchecked_option

if TYPE_CHECKING:
    from exactformer.arithmetic.power_sum import Number
    from exactformer.dynamics.limits import Limit, Unsettled
    from exactformer.io.json_lines import JsonObject


@click.command("limit")
@click.argument("tokens", metavar="TOKENS", type=input_path)
@alpha_option
@matrix_option
@unchecked_option
@click.option("--at", type=click.IntRange(min=0), metavar="K", help="Also give every token at layer K, however large.")
@click.option(
    "--budget", type=click.IntRange(min=0), metavar="N", help="Changes of follower sets before giving up (2000)."
)
@click.option("-o", "--output", type=output_path, metavar="CERT", help="Write a certificate of the limit.")
@json_option
def command(
    tokens: Path,
    alpha: str | None,
    matrix: str | None,
    unchecked: bool,
    at: int | None,
    budget: int | None,
    output: Path | None,
    as_json: bool,
) -> int:
    """Prove the limit of every token of TOKENS, for all layers at once, and its place on the polytope of the leaders.

    If the budget does not suffice, the answer is undecided (exit 4), and what still changes is shown.

    \b
    Example:
      exactformer sample rotated-grid -n 8 -d 2 --seed 1 -o tokens.json
      exactformer limit tokens.json --at 1000000000 -o limit.jsonl
      proofs-check limit.jsonl
    """
    from exactformer.dynamics.engine_input import EngineInput
    from exactformer.dynamics.limits import CHANGE_BUDGET, Unsettled, prove_limit
    from exactformer.model.tokens import Tokens

    instance = Tokens.read(tokens, A=read_matrix(matrix), alpha=alpha)
    with progress("layers") as done:
        found = prove_limit(
            EngineInput(instance, unchecked=unchecked), CHANGE_BUDGET if budget is None else budget, done
        )
    if isinstance(found, Unsettled):
        return _unsettled(found, as_json)
    for violation in found.engine_input.violations:
        echo(f"hypothesis violated: {violation}", err=True)
    try:  # first the certificate, since the reader of the answer may have gone
        if output is not None:
            found.certify(output)
    finally:
        present(as_json, lambda: _json(found, at), _shown(found, at))
    return 0


def _json(found: Limit, at: int | None) -> JsonObject:
    answer = found.json()
    if at is not None:
        answer["at"] = {"layer": at, "tokens": [[_number(x) for x in row] for row in found.at(at)]}
    return answer


def _number(value: Number) -> object:
    return value.json() if hasattr(value, "json") else value


def _shown(found: Limit, at: int | None) -> Shown:
    columns = ["token", "tends to", "kind", *([f"at layer {at}"] if at is not None else [])]
    rows = [[i, point, kind] for i, (point, kind) in enumerate(zip(found.points, found.kinds, strict=True))]
    if at is not None:
        for row, values in zip(rows, found.at(at), strict=True):
            row.append(show(values))
    note = f"leaders: {list(found.leaders)}; clusters: {[list(c) for c in found.clusters]}"
    yield AnswerTable(f"limits, proved for all layers from layer {found.proved_from_layer} on", columns, rows, note)


def _unsettled(found: Unsettled, as_json: bool) -> int:
    echo(f"exactformer: undecided: {found}", err=True)
    rows = ([k, i, list(old), list(new)] for k, i, old, new in found.changes)
    changes = AnswerTable("the last changes", ["layer", "token", "followed", "follows"], rows)
    present(as_json, found.json, [changes])
    return 4
