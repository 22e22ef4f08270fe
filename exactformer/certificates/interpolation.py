"""The certificate of claim `interpolation`: the blocks, then every sequence with its targets, in data order."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from functools import lru_cache
from itertools import chain, pairwise

import numpy as np

from exactformer.arithmetic.integers import SAFE, Array
from exactformer.arithmetic.state import State
from exactformer.certificates.envelope import write_certificate
from exactformer.errors import InvalidInput
from exactformer.io.canonical import canonical
from exactformer.io.json_lines import JsonLine, PathLike
from exactformer.model.temperatures import SoftmaxProof
from exactformer.model.transformer import Transformer
from exactformer.model.transformer_files import block_line

#: tokens whose texts are made at a time
_TOKENS = 1 << 16
#: texts of target sets that are kept
_KEPT = 1 << 12
#: the target points of sequence j
TargetsOf = Callable[[int], State]


def write_interpolation(
    path: PathLike,
    *,
    transformer: Transformer,
    tokens: State,
    offsets: Array,
    targets: TargetsOf,
    labels: Sequence[str] | None = None,
    attention: str = "hardmax",
    softmax: SoftmaxProof | None = None,
    margin: Fraction | None = None,
) -> None:
    """Writes the claim that the transformer maps every sequence exactly onto its target set.

    Sequence j owns the tokens offsets[j] .. offsets[j+1]-1. `attention="softmax"` claims it for softmax attention: at
    the temperatures of `softmax`, to be proved with its bits, or without it at every temperature, which the format
    allows only where Q or K is zero in every block. `margin` claims it also for tokens that move by at most so much in
    every coordinate.
    """
    uniform = all(b.self_attention is None or b.self_attention.is_uniform for b in transformer)
    wrong = softmax is None and attention == "softmax" and not uniform
    if attention not in ("hardmax", "softmax") or wrong or (softmax is not None and attention == "hardmax"):
        raise InvalidInput(
            f"expected attention hardmax, or softmax where every attention is uniform or temperatures are proved, "
            f"got {attention}; construct with attention softmax (shallow, deep, leaders, temperature)"
        )
    blocks: Iterator[JsonLine] = (block_line(k, block) for k, block in enumerate(transformer))
    header = {
        "attention": attention,
        **({} if softmax is None else {"beta": softmax.temperatures.json(), "bits": softmax.bits}),
        "dim": transformer.dim,
        "blocks": len(transformer),
        "sequences": len(offsets) - 1,
    }
    radius: list[JsonLine] = [] if margin is None else [{"margin": margin}]
    lines = chain(radius, blocks, sequence_lines(tokens, offsets, targets, labels))
    write_certificate(path, "interpolation", header, lines, holds="" if margin is None else "margin")


def sequence_lines(
    tokens: State, offsets: Array, targets: TargetsOf | None, labels: Sequence[str] | None
) -> Iterator[str]:
    """The JSON text of one line a sequence: its tokens, its targets without repetition and its label where given."""
    numbers, written, end, dim = list[int | str](), 0, 0, tokens.dim
    known = _Known(targets) if targets is not None else None
    for j, (start, stop) in enumerate(pairwise(offsets.tolist())):
        if stop > end:  # the texts of the next tokens, so that those of few are held
            written, end = start, min(len(tokens), max(stop, start + _TOKENS))
            numbers = texts(State(tokens.array[start:end], tokens.denominator))
        own = numbers[(start - written) * dim : (stop - written) * dim]
        line = f'{{"sequence":{j},"tokens":{_form(stop - start, dim) % tuple(own)}'
        if known is not None:
            line += f',"targets":{known.text(j)}'
        if labels is not None:
            line += f',"label":{json.dumps(labels[j])}'
        yield line + "}"


class _Known:
    """The texts of target sets; those of labels recur, so that some are kept."""

    def __init__(self, targets: TargetsOf) -> None:
        self.targets = targets
        self.texts: dict[tuple[bytes, int], str] = {}

    def text(self, j: int) -> str:
        """The target points of sequence j, each once, as JSON."""
        points = self.targets(j)
        if points.array.dtype == object:
            return self._made(points)
        key = points.array.tobytes(), points.denominator
        if key not in self.texts:
            if len(self.texts) == _KEPT:
                self.texts.clear()
            self.texts[key] = self._made(points)
        return self.texts[key]

    def _made(self, points: State) -> str:
        rows = dict.fromkeys(points.rows())
        return _form(len(rows), points.dim) % tuple([canonical(x) for row in rows for x in row])


@lru_cache(maxsize=32)
def _form(count: int, dim: int) -> str:
    """The JSON of so many points, with a place for every coordinate."""
    point = ",".join(['"%s"'] * dim)
    return f"[{','.join([f'[{point}]'] * count)}]"


def texts(points: State) -> list[int | str]:
    """What is written for all coordinates, row by row: integers as they are, fractions as canonical text.

    >>> texts(State.of([["1/2", 0], [1, "-3/4"]]))
    ['1/2', 0, 1, '-3/4']
    """
    array, common = points.array, points.denominator
    if array.dtype == object or common >= SAFE:
        return [canonical(Fraction(int(n), common)) for n in array.ravel().tolist()]
    if common == 1:
        whole: list[int | str] = array.ravel().tolist()
        return whole
    divisors = np.gcd(array, common)
    above, below = (array // divisors).ravel().tolist(), (common // divisors).ravel().tolist()
    return [p if q == 1 else f"{p}/{q}" for p, q in zip(above, below, strict=True)]
