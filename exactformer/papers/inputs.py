"""The files that the commands of the atlas read, beside those that `exactformer sample` makes."""

from __future__ import annotations

import json
from collections.abc import Sequence
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING

from exactformer.io.json_lines import write_atomically

if TYPE_CHECKING:
    from exactformer.io.json_lines import JsonObject

#: tokens: name -> (alpha, A or None, tokens)
TOKENS: dict[str, tuple[str, list[list[str]] | None, list[list[str]]]] = {
    "figure-1a.json": ("1/2", None, [["1", "0"], ["2", "1"], ["2", "-1"], ["3/2", "3"]]),
    "figure-1b.json": ("1/2", [["2", "1"], ["1", "1"]], [["1", "0"], ["2", "1"], ["2", "-1"], ["3/2", "3"]]),
    "late.json": (
        "1",
        None,
        [["1", "1"], ["-1", "1"], ["499999/500000", "1000001/1000000"], ["-499999/500000", "1000001/1000000"],
         ["0", "1/2"]],
    ),
    "last-case.json": (
        "15",
        None,
        [["4", "1", "0", "0"], ["-4", "1", "0", "0"], ["2", "13/12", "0", "0"], ["-2", "13/12", "0", "0"],
         ["0", "3/4", "1/2", "0"], ["0", "1/2", "1/4", "1/3"]],
    ),
}  # fmt: skip

_CIRCLE = [(3, 4), (-3, 4), (5, 0), (0, -5), (4, -3)]
#: a lemma on attention -> (the scores <Q x, K y> as a matrix, the tokens of one sequence, where they end)
LEMMAS = {
    "lemma-4.1": ([[1, 0]], [(3, 1), (1, 2), (-2, 0), (-1, 5)], [(3, 1), (-2, 0)]),
    "lemma-4.2": ([[1, 0], [0, 1]], [(1, 2), (3, 1), (5, 5), (4, 4)], [(5, 5)]),
    "lemma-4.3": ([[1, 0], [0, 1]], _CIRCLE, _CIRCLE),
}  # fmt: skip


def write_inputs(folder: Path) -> None:
    """Writes every file into a folder."""
    from exactformer.io.canonical import canonical
    from exactformer.report.gallery import configurations

    for name, tokens in configurations().items():
        text = json.dumps(tokens.json(), default=canonical)
        write_atomically(folder / f"{name.replace(' ', '-')}.json", f"{text}\n".encode())
    for name, (alpha, A, rows) in TOKENS.items():
        metric = {} if A is None else {"A": A}
        _write(folder / name, {"exactformer": "tokens", "version": [1, 0], "alpha": alpha, **metric, "tokens": rows})
    _write(
        folder / "frank-wolfe.json",
        {"exactformer": "frank-wolfe", "B": [["1"]], "tokens": [["3"], ["-1"]], "layers": 600, "step": None},
    )
    for name, length in (("short.json", 10), ("long.json", 300)):
        _write(folder / name, sequences_of_length(length))
    for lemma in LEMMAS:
        _write_lemma(lemma, folder)
    model = files("exactformer.studies.sentiment") / "assets" / "imdb-2.model.xz"
    write_atomically(folder / "imdb-2.model.xz", model.read_bytes())


def sequences_of_length(length: int) -> JsonObject:
    """Six sequences of so many tokens with six labels: the same tokens at the front, whatever the length."""
    sequences: list[JsonObject] = [
        {"tokens": [[str(i), str(i * j % 11)] for i in range(length)], "label": f"label {j}"} for j in range(6)
    ]
    return {"exactformer": "dataset", "version": [1, 0], "sequences": sequences}


def _write(path: Path, content: JsonObject) -> None:
    write_atomically(path, (json.dumps(content) + "\n").encode())


def _write_lemma(lemma: str, folder: Path) -> None:
    """The attention of a lemma as one block, its sequence with the limits as targets, and the certificate of both."""
    from exactformer.model.attention import SelfAttention
    from exactformer.model.dataset import Dataset
    from exactformer.model.matrix import Dense, Scalar
    from exactformer.model.transformer import Block, Transformer

    scores, tokens, ends = LEMMAS[lemma]
    attention = SelfAttention(0, Scalar(1), Dense(scores), Dense(scores))
    transformer = Transformer(2, [Block(None, attention)])
    data = {"tokens": _texts(tokens), "targets": _texts(ends)}
    _write(folder / f"{lemma}.json", {"exactformer": "dataset", "version": [1, 0], "sequences": [data]})
    transformer.certify(Dataset.read(folder / f"{lemma}.json"), folder / f"{lemma}.jsonl")


def _texts(points: Sequence[Sequence[int]]) -> list[list[str]]:
    return [[str(x) for x in point] for point in points]
