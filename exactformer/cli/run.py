"""`exactformer run`: a transformer, exactly, on new sequences."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from exactformer.cli.common import input_path, json_option, print_json, print_table
from exactformer.errors import InvalidInput


@click.command("run")
@click.argument("certificate", metavar="CERT", type=input_path)
@click.argument("data", metavar="DATA", type=input_path)
@click.option("--positions", is_flag=True, help="The transformer was built with --positions.")
@click.option("--follows", is_flag=True, help="Also show which tokens each token attends to, block by block.")
@json_option
def command(certificate: Path, data: Path, positions: bool, follows: bool, as_json: bool) -> None:
    """Run the transformer of CERT (a certificate or a transformer file) exactly on the sequences of DATA.

    A sequence whose outputs are the targets of a label of the certificate gets that label.

    \b
    Example:
      exactformer sample all-but-one -n 6 -d 2 --seed 1 -o data.json
      exactformer construct data.json -o cert.jsonl
      exactformer run cert.jsonl data.json
    """
    from exactformer.certificates.opened import Certificate
    from exactformer.model.batch import Batch
    from exactformer.model.dataset import append_positions
    from exactformer.model.dataset_files import read_tokens

    opened = Certificate.open(certificate)
    transformer, labels = opened.transformer(), opened.label_of()
    tokens, offsets = read_tokens(data)
    if positions:
        tokens = append_positions(tokens, offsets)
    _verify_dimension(tokens.dim, transformer.dim, data)
    images = transformer.evaluate(Batch.of(tokens, offsets))
    answers = []
    for j in range(len(offsets) - 1):
        outputs = [images.row(r) for r in images.inverse[offsets[j] : offsets[j + 1]]]
        answer: dict[str, Any] = {"outputs": outputs, "label": labels.get(frozenset(outputs))}
        if follows or as_json:
            part = tokens.take(slice(int(offsets[j]), int(offsets[j + 1])))
            answer["follows"] = _follows(transformer, part)
        answers.append(answer)
    if as_json:
        print_json({"sequences": answers})
        return
    columns = ["sequence", "label", "outputs", *(["follows, block by block"] if follows else [])]
    rows = [
        [j, a["label"] or "-", _set(a["outputs"]), *([a["follows"]] if follows else [])] for j, a in enumerate(answers)
    ]
    print_table(f"{len(answers)} sequences through {len(transformer)} blocks", columns, rows)


def _verify_dimension(dim: int, expected: int, data: Path) -> None:
    if dim != expected:
        hint = "; a transformer that was built with --positions runs with --positions" if dim == expected - 1 else ""
        raise InvalidInput(f"{data}: expected tokens of dimension {expected}, as of the transformer, got {dim}{hint}")


def _follows(transformer: Any, tokens: Any) -> list[Any]:
    """The follower sets of one sequence in every block with attention (null without)."""
    from exactformer.model.batch import Batch
    from exactformer.model.transformer import follower_sets

    return follower_sets(transformer, Batch.of(tokens))


def _set(points: list[Any]) -> str:
    from exactformer.cli.common import show

    distinct = list(dict.fromkeys(points))
    shown = ", ".join(show(p) for p in distinct[:6])
    return f"{{{shown}{', ..' if len(distinct) > 6 else ''}}}"
