"""Repair: a trained network that nearly fits its data becomes one that fits exactly, with practically the same weights.

Uniform attention with rho = 0 collapses every sequence j to a point z_j before the last feed-forward layer. Along a
direction u on which different z_j differ, at most N further units of that layer are a curve through the residuals
r_j = target_j - output_j: a constant unit r_1, and hinges at the u.z_j. Balanced, their squared norm is at most
2|r_1| + 2 sum |jump_k| |(u, u.z_k)|, which vanishes with the residuals.
"""

from __future__ import annotations

import math
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise

import numpy as np

from exactformer.arithmetic.floats import float_of
from exactformer.arithmetic.integers import count
from exactformer.arithmetic.short_text import spoken
from exactformer.certificates.certificate import Certificate
from exactformer.constructions.fitted_transformer import FittedTransformer
from exactformer.constructions.targets import LabelTargets, Targets, targets_of
from exactformer.constructions.verification import verify_interpolates
from exactformer.errors import InvalidInput, NoConstruction, Reason, proof_at
from exactformer.geometry.points import dot
from exactformer.io.json_lines import JsonObject
from exactformer.model.batch import Batch
from exactformer.model.dataset import Dataset
from exactformer.model.feed_forward import FeedForward
from exactformer.model.float_weights import read_exact_or_floats
from exactformer.model.matrix import Dense
from exactformer.model.norms import Enclosure, norm2, rational
from exactformer.model.transformer import Block, Transformer
from exactformer.training.pooled_module import is_module, pooled_module
from exactformer.training.same_shape import same_shape

_Point = tuple[Fraction, ...]

#: directions of small integers that are compared by their least gap
_DIRECTIONS, _ENTRY = 400, 8
#: label points that nobody gave are rounded to this fraction
_GRID = 16


@dataclass(frozen=True, repr=False)
class Repaired(FittedTransformer):
    """The exact network, the data it was verified on, and what the repair changed.

    Attention is uniform, so the certificate holds for softmax at every temperature.
    """

    transformer: Transformer
    data: Dataset
    targets: Targets
    residual: Fraction
    norm2_before: Enclosure
    norm2_after: Enclosure
    units_added: int
    attention: str = "softmax"

    def json(self) -> JsonObject:
        """The answer of `exactformer repair`."""
        return {
            "residual": str(self.residual),
            "norm2_before": self.norm2_before.json(),
            "norm2_after": self.norm2_after.json(),
            "units_added": self.units_added,
            "width": self.transformer.width,
        }

    def __repr__(self) -> str:
        added = spoken(self.units_added, "unit")
        return f"Repaired({spoken(len(self.data), 'sequence')} mapped exactly onto their targets with {added} more)"


def repair(
    network: object,
    dataset: object,
    labels: Sequence[object] | None = None,
    *,
    targets: object = None,
    label_targets: LabelTargets | None = None,
    keep_shape: bool = False,
    seed: int = 0,
) -> Repaired:
    """The network with at most N more units in its last layer that maps every sequence exactly onto its target.

    `network` is a Transformer, a result that has one, a torch.nn.Module that pools its tokens (mean, then at most one
    hidden layer of ReLU), or the path of a transformer file, a certificate, an NPZ file or a torch state. Labels get
    the points of `label_targets`, or the mean outputs of their sequences, rounded to sixteenths (finer where two would
    coincide). With `keep_shape` no unit is added: V or W is corrected instead, where that is possible. Raises
    InvalidInput where attention is not uniform or does not pool, NoConstruction where pooled points of different
    targets coincide, or where the shape cannot be kept.

    Proof: mathematics/training#t6; for `keep_shape`: mathematics/training#t7.

    >>> from exactformer.model.attention import SelfAttention
    >>> nearly = FeedForward("1.01", [[0]], [0], [[0]])
    >>> mean = SelfAttention(0, {"scalar": 1}, {"zero": True}, {"zero": True})
    >>> network = Transformer(1, [Block(None, mean), Block(nearly)])
    >>> fixed = repair(network, [[[0], [2]], [[3]], [[5]]], targets=[[1], [3], [5]])
    >>> fixed.residual, fixed.transformer([[5]]).rows()
    (Fraction(1, 20), [(Fraction(5, 1),)])
    """
    data = Dataset.of(dataset, labels, targets=targets)
    transformer = _transformer_of(network, data)
    head, last = _split(transformer, data)
    points, outputs = _images(head, last, data)
    wanted = _targets(data, outputs, label_targets)
    residuals = [
        tuple(rational(y) - x for x, y in zip(output, wanted.state(j).rows()[0], strict=True))
        for j, output in enumerate(outputs)
    ]
    nodes, added = _merged(points, residuals), 0
    if not any(map(any, residuals)):
        found = transformer
    elif keep_shape:
        found = same_shape(transformer, data, wanted)
    else:
        units = list(_curve(nodes, _direction([z for z, _ in nodes], np.random.default_rng(count(seed, "seed")))))
        found = Transformer(transformer.dim, [*head.blocks, Block(_with_units(last, units, transformer.dim))])
        added = len(units)
    verify_interpolates(found, data, wanted)
    largest = max(abs(r) for residual in residuals for r in residual)
    return Repaired(found, data, wanted, largest, norm2(transformer), norm2(found), added)


def _transformer_of(network: object, data: Dataset) -> Transformer:
    """The network to repair, whatever it is given as."""
    if isinstance(network, (FittedTransformer, Certificate)):
        return network.transformer
    if is_module(network):
        return pooled_module(network, data)
    if isinstance(network, (str, os.PathLike)):
        return read_exact_or_floats(network)
    if not isinstance(network, Transformer):
        raise InvalidInput(
            f"network: expected a Transformer, a torch.nn.Module or a path, got {type(network).__name__}; "
            "arrays of weights are read from an NPZ file"
        )
    return network


def _split(transformer: Transformer, data: Dataset) -> tuple[Transformer, FeedForward]:
    """The blocks up to the last pooling and on to the last feed-forward layer, and that layer."""
    if transformer.dim != data.dim:
        raise InvalidInput(f"expected data of the network's dimension {transformer.dim}, got {data.dim}")
    layers = [block.self_attention for block in transformer if block.self_attention is not None]
    if not all(layer.is_uniform for layer in layers):
        raise InvalidInput("expected uniform attention (Q or K zero) in every block: repair is for mean pooling")
    if not any(layer.rho == 0 for layer in layers):
        raise InvalidInput("expected a block with rho = 0, which pools every sequence to its mean, got none")
    last = transformer.blocks[-1]
    pooled = any(b.self_attention is not None and b.self_attention.rho == 0 for b in transformer.blocks[:-1])
    if last.feed_forward is not None and last.self_attention is None and pooled:
        return Transformer(transformer.dim, transformer.blocks[:-1]), last.feed_forward
    nothing = [[0] * transformer.dim]
    return transformer, FeedForward(1, nothing, [0], [[0]] * transformer.dim)


def _images(head: Transformer, last: FeedForward, data: Dataset) -> tuple[list[_Point], list[_Point]]:
    """The pooled point of every sequence, and the output of the network on it."""
    pooled = head.evaluate(Batch.of(data.tokens, data.offsets))
    starts = pooled.offsets[:-1].tolist()
    points = [tuple(map(rational, pooled.row(r))) for r in starts]
    after = Transformer(head.dim, [Block(last)]).evaluate(pooled)
    return points, [tuple(map(rational, after.row(r))) for r in after.offsets[:-1].tolist()]


def _targets(data: Dataset, outputs: list[_Point], given: LabelTargets | None) -> Targets:
    """The targets of the data, one per sequence; label points as given or as the network has them on average."""
    if data.label_texts is not None and given is None:
        given = _label_points(data.label_texts, outputs)
    wanted = targets_of(data, given)
    several = next((j for j, chosen in enumerate(wanted.sets) if len(chosen) > 1), None)
    if several is not None:
        raise InvalidInput(f"expected one target per sequence, got {len(wanted.sets[several])} for sequence {several}")
    return wanted


def _label_points(labels: Sequence[str], outputs: list[_Point]) -> dict[str, _Point]:
    """The mean output of every label, rounded to a grid on which different labels stay apart."""
    members: dict[str, list[_Point]] = {}
    for label, output in zip(labels, outputs, strict=True):
        members.setdefault(label, []).append(output)
    means = {k: [sum(column, Fraction(0)) / len(v) for column in zip(*v, strict=True)] for k, v in members.items()}
    if len({tuple(mean) for mean in means.values()}) < len(means):
        raise InvalidInput("the network sends two labels to the same mean output: give their points as label targets")
    grid = _GRID
    while True:
        points = {k: tuple(Fraction(round(x * grid), grid) for x in mean) for k, mean in means.items()}
        if len(set(points.values())) == len(points):
            return points
        grid *= 2


def _merged(points: list[_Point], residuals: list[_Point]) -> list[tuple[_Point, _Point]]:
    """The different pooled points with their residuals; NoConstruction where one point has two."""
    seen: dict[_Point, int] = {}
    clashes = []
    for j, z in enumerate(points):
        first = seen.setdefault(z, j)
        if residuals[first] != residuals[j]:
            why = f"sequences {first} and {j} have the same pooled point and different targets"
            clashes.append(Reason("pooled point", (), why, {"pair": [first, j]}))
    if clashes:
        listed = "\n  ".join(reason.why for reason in clashes[:10])
        cure = "train a network that tells them apart, or build one: exactformer construct"
        cure += f"\nwhat a repair needs: {proof_at('training#t6')}"
        raise NoConstruction(f"this network cannot be repaired on these data:\n  {listed}\n{cure}", clashes)
    return [(z, residuals[j]) for z, j in seen.items()]


def _direction(points: list[_Point], rng: np.random.Generator) -> _Point:
    """A direction of small numbers on which the points differ, with a large least gap beside its length."""
    floats = np.array([[float_of(x) for x in z] for z in points])
    dim, size = floats.shape[1], _ENTRY
    while True:
        tried = rng.integers(-size, size, (_DIRECTIONS, dim), endpoint=True)
        tried = tried[np.any(tried, axis=1)]
        along = np.sort(floats @ tried.T, axis=0)
        gaps = np.diff(along, axis=0).min(axis=0) if len(points) > 1 else np.ones(len(tried))
        for k in np.argsort(-gaps / np.linalg.norm(tried, axis=1), kind="stable"):
            u = tuple(Fraction(int(c), size) for c in tried[k])
            if len({dot(u, z) for z in points}) == len(points):
                return u
        size *= 2


def _curve(nodes: list[tuple[_Point, _Point]], u: _Point) -> Iterator[tuple[_Point, Fraction, _Point]]:
    """(row, bias, column) of the units of a curve through the residuals, each balanced by a power of two."""
    ordered = sorted((dot(u, z), residual) for z, residual in nodes)
    first = ordered[0][1]
    zero = (Fraction(0),) * len(u)
    if any(first):
        yield _balanced_unit(zero, Fraction(1), first)
    slope = zero
    for (t, r), (later, q) in pairwise(ordered):
        new = tuple((b - a) / (later - t) for a, b in zip(r, q, strict=True))
        jump = tuple(b - a for a, b in zip(slope, new, strict=True))
        slope = new
        if any(jump):
            yield _balanced_unit(u, -t, jump)


def _balanced_unit(row: _Point, bias: Fraction, column: _Point) -> tuple[_Point, Fraction, _Point]:
    inner = sum((x * x for x in (*row, bias)), Fraction(0))
    outer = sum((x * x for x in column), Fraction(0))
    ratio = outer / inner
    exponent = ratio.numerator.bit_length() - ratio.denominator.bit_length()
    factor = Fraction(2) ** math.floor(exponent / 4 + 0.5)
    return tuple(factor * x for x in row), factor * bias, tuple(x / factor for x in column)


def _with_units(layer: FeedForward, units: list[tuple[_Point, Fraction, _Point]], dim: int) -> FeedForward:
    """The layer with the units behind its own."""
    if not units:
        return layer
    rows = [*layer.U.dense(layer.width, dim), *(row for row, _, _ in units)]
    columns = [*zip(*layer.W.dense(dim, layer.width), strict=True), *(column for _, _, column in units)]
    biases = [*layer.b, *(bias for _, bias, _ in units)]
    return FeedForward(layer.eta, Dense(rows), biases, Dense(list(zip(*columns, strict=True))))
