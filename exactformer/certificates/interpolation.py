"""The certificate of claim `interpolation`: the blocks, then every sequence with its targets, in data order."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from itertools import chain, pairwise

import numpy as np

from exactformer.arithmetic.integers import SAFE, Array
from exactformer.arithmetic.state import State
from exactformer.certificates.envelope import write_certificate
from exactformer.errors import InvalidInput
from exactformer.io.canonical import canonical
from exactformer.io.json_lines import JsonObject, PathLike
from exactformer.model.temperatures import SoftmaxProof
from exactformer.model.transformer import Transformer
from exactformer.model.transformer_files import block_line

#: tokens whose texts are made at a time
_TOKENS = 1 << 16
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
    blocks = (block_line(k, block) for k, block in enumerate(transformer))
    header = {
        "attention": attention,
        **({} if softmax is None else {"beta": softmax.temperatures.json(), "bits": softmax.bits}),
        "dim": transformer.dim,
        "blocks": len(transformer),
        "sequences": len(offsets) - 1,
    }
    radius = [] if margin is None else [{"margin": margin}]
    lines = chain(radius, blocks, sequence_lines(tokens, offsets, targets, labels))
    write_certificate(path, "interpolation", header, lines, holds="" if margin is None else "margin")


def sequence_lines(
    tokens: State, offsets: Array, targets: TargetsOf | None, labels: Sequence[str] | None
) -> Iterator[JsonObject]:
    """One line a sequence: its tokens, its targets without repetition where given, its label where given."""
    rows, written, end = list[list[str]](), 0, 0
    for j, (start, stop) in enumerate(pairwise(offsets.tolist())):
        if stop > end:  # the texts of the next tokens, so that those of few are held
            written, end = start, min(len(tokens), max(stop, start + _TOKENS))
            rows = texts(State(tokens.array[start:end], tokens.denominator))
        line: JsonObject = {"sequence": j, "tokens": rows[start - written : stop - written]}
        if targets is not None:
            line["targets"] = [[canonical(x) for x in row] for row in dict.fromkeys(targets(j).rows())]
        if labels is not None:
            line["label"] = labels[j]
        yield line


def texts(points: State) -> list[list[str]]:
    """The canonical texts of all coordinates, row by row.

    >>> texts(State.of([["1/2", 0], [1, "-3/4"]]))
    [['1/2', '0'], ['1', '-3/4']]
    """
    array, common, dim = points.array, points.denominator, points.dim
    if array.dtype == object or common >= SAFE:
        return [[canonical(Fraction(int(n), common)) for n in row] for row in array.tolist()]
    divisors = np.gcd(array, common)
    above, below = (array // divisors).ravel().tolist(), (common // divisors).ravel().tolist()
    written = [str(p) if q == 1 else f"{p}/{q}" for p, q in zip(above, below, strict=True)]
    return [written[k : k + dim] for k in range(0, len(written), dim)]
