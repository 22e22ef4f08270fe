"""E, |Theta|^2 and E + eps|Theta|^2 of a softmax network on data: exact, or enclosed, and certified.

E is the mean over the sequences of the squared Hausdorff distance between output tokens and targets, as sets. Weights
are rational, so |Theta|^2 is exact; with uniform attention E is rational too, otherwise balls enclose it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import chain
from pathlib import Path
from typing import TypeVar

from flint import arb, ctx, fmpq

from exactformer.arithmetic.ball import largest_ball, least_ball
from exactformer.arithmetic.state import State
from exactformer.arithmetic.text import NumberLike, exact
from exactformer.constructions.targets import LabelTargets, Targets, targets_of
from exactformer.display.verbs import Listed
from exactformer.errors import InvalidInput, Undecided
from exactformer.evaluate.balls import FIRST_BITS, BallTransformer, ends
from exactformer.evaluate.box_attention import BoxTransformer
from exactformer.evaluate.boxes import Boxes
from exactformer.io.canonical import canonical
from exactformer.io.json_lines import JsonObject, PathLike
from exactformer.model.batch import Batch
from exactformer.model.dataset import Dataset
from exactformer.model.float_weights import read_exact_or_floats
from exactformer.model.norms import Enclosure, norm2, rational, sum_of
from exactformer.model.temperatures import SoftmaxProof, Temperatures, inverse_temperature
from exactformer.model.transformer import Transformer
from exactformer.training.loss_claim import write_loss

#: bits of the first and the last attempt to prove a side with the checker's enclosures
_LEAST_BITS, _MOST_BITS = 64, 4096

_Number = TypeVar("_Number", Fraction, arb)
#: the largest, or the least, of some numbers
_Pick = Callable[[Sequence[_Number]], _Number]


@dataclass(frozen=True, repr=False)
class RegularisedLoss(Listed):
    """E (`loss`) and |Theta|^2 (`norm2`) of a network at inverse temperature beta, for one eps."""

    network: Transformer = field(repr=False)
    data: Dataset = field(repr=False)
    targets: Targets = field(repr=False)
    beta: Fraction
    eps: Fraction
    loss: Enclosure
    norm2: Enclosure

    @property
    def objective(self) -> Enclosure:
        """E + eps|Theta|^2."""
        return Enclosure(self.loss.low + self.eps * self.norm2.low, self.loss.high + self.eps * self.norm2.high)

    def json(self) -> JsonObject:
        """The numbers, exact or as [low, high]."""
        ends = {"loss": self.loss, "norm2": self.norm2, "objective": self.objective}
        return {
            "beta": canonical(self.beta),
            "eps": canonical(self.eps),
            **{name: [canonical(found.low), canonical(found.high)] for name, found in ends.items()},
        }

    def __repr__(self) -> str:
        about = {"loss": self.loss, "norm2": self.norm2, "objective": self.objective}
        shown = ", ".join(f"{name} about {float(found.high):.6g}" for name, found in about.items())
        return f"RegularisedLoss({shown}, eps {float(self.eps):g})"

    def certify(self, path: PathLike, *, below: NumberLike | None = None, above: NumberLike | None = None) -> Path:
        """Writes the certificate that the objective is below, or above, a bound; Undecided where it is not provably so.

        The enclosures of the certificate's format are computed first, with ever more bits, so that a file that is
        written is one that the checker accepts.
        """
        if (below is None) == (above is None):
            raise InvalidInput("expected one bound, below or above, got " + ("both" if above is not None else "none"))
        side, given = ("below", below) if above is None else ("above", above)
        bound, beta = rational(exact(given, side)), Temperatures(self.beta, self.beta)
        bits = _LEAST_BITS
        while not self._proves(side, bound, beta, bits):
            bits *= 2
        write_loss(
            path,
            transformer=self.network,
            tokens=self.data.tokens,
            offsets=self.data.offsets,
            targets=self.targets.state,
            labels=self.data.label_texts,
            softmax=SoftmaxProof(beta, bits),
            eps=self.eps,
            side=side,
            bound=bound,
        )
        return Path(path)

    def _proves(self, side: str, bound: Fraction, beta: Temperatures, bits: int) -> bool:
        """Whether enclosures of so many bits prove the side; Undecided where they refute it, or bits run out."""
        found = box_objective(self.network, self.data, self.targets, beta, self.eps, bits)
        if found.high < bound if side == "below" else found.low > bound:
            return True
        refuted = found.low >= bound if side == "below" else found.high <= bound
        if refuted or 2 * bits > _MOST_BITS:
            shown = f"[{float(found.low):.6g}, {float(found.high):.6g}]"
            raise Undecided(
                f"E + eps|Theta|^2 lies in {shown}, which does not prove it {side} about {float(bound):.6g}"
            )
        return False


def regularised_loss(
    network: Transformer | PathLike,
    dataset: object,
    labels: Sequence[object] | None = None,
    *,
    targets: object = None,
    label_targets: LabelTargets | None = None,
    eps: NumberLike,
    beta: NumberLike = 1,
    bits: int = FIRST_BITS,
) -> RegularisedLoss:
    """E, |Theta|^2 and E + eps|Theta|^2 of a network with softmax attention at inverse temperature beta.

    `network` is a Transformer, or the path of a transformer file, a certificate, an NPZ file or a torch state.

    What it is for: mathematics/training#t2.

    >>> from exactformer.model.attention import SelfAttention
    >>> from exactformer.model.transformer import Block
    >>> soft = Transformer(1, [Block(None, SelfAttention(0, [[1]], [[1]], [[1]]))])
    >>> found = regularised_loss(soft, [[[0], [1]]], targets=[[1]], eps="1/10")
    >>> round(float(found.loss), 10), found.norm2.json(), round(float(found.objective), 10)
    (0.25, '3', 0.55)
    """
    data = Dataset.of(dataset, labels, targets=targets)
    weight = rational(exact(eps, "eps"))
    if weight < 0:
        raise InvalidInput(f"eps: expected a number >= 0, got {canonical(weight)}")
    transformer = network if isinstance(network, Transformer) else read_exact_or_floats(network)
    if transformer.dim != data.dim:
        raise InvalidInput(f"expected data of the network's dimension {transformer.dim}, got {data.dim}")
    return loss_of(transformer, data, targets_of(data, label_targets), weight, inverse_temperature(beta), bits)


def loss_of(
    network: Transformer, data: Dataset, targets: Targets, eps: Fraction, beta: Fraction, bits: int = FIRST_BITS
) -> RegularisedLoss:
    """The same, of data whose targets are known."""
    uniform = all(b.self_attention is None or b.self_attention.is_uniform for b in network)
    if uniform:
        loss = sum_of(iter([d / len(data) for d in _exact_distances(network, data, targets)]))
    else:
        loss = _enclosed_mean(network, data, targets, beta, bits)
    return RegularisedLoss(network, data, targets, beta, eps, loss, norm2(network))


def _exact_distances(network: Transformer, data: Dataset, targets: Targets) -> Iterable[Fraction]:
    """The squared Hausdorff distance of every sequence, uniform attention."""
    found = network.evaluate(Batch.of(data.tokens, data.offsets))
    bounds = found.offsets.tolist()
    for j in range(len(data)):
        outputs = [tuple(map(rational, found.row(r))) for r in range(bounds[j], bounds[j + 1])]
        wanted = [tuple(map(rational, y)) for y in targets.state(j).rows()]
        table = [[sum(((a - b) ** 2 for a, b in zip(x, y, strict=True)), Fraction(0)) for y in wanted] for x in outputs]
        yield hausdorff(table, max, min)


def _enclosed_mean(network: Transformer, data: Dataset, targets: Targets, beta: Fraction, bits: int) -> Enclosure:
    """The mean of the squared Hausdorff distances, in balls."""
    balls = BallTransformer(network, beta, bits)
    with ctx.workprec(bits):
        total = arb(0)
        for j in range(len(data)):
            outputs = balls.images(data[j].tokens).tolist()
            wanted = [[arb(fmpq(*rational(y).as_integer_ratio())) for y in row] for row in targets.state(j).rows()]
            table = [[_distance2(x, y) for y in wanted] for x in outputs]
            total += hausdorff(table, largest_ball, least_ball)
        low, high = ends(total / len(data))
    return Enclosure(max(low, Fraction(0)), high)


def _distance2(x: Sequence[arb], y: Sequence[arb]) -> arb:
    """|x - y|^2; by products, since arb has no power of a ball around zero."""
    moves = [a - b for a, b in zip(x, y, strict=True)]
    return sum((move * move for move in moves), arb(0))


def hausdorff(table: list[list[_Number]], most: _Pick[_Number], least: _Pick[_Number]) -> _Number:
    """max(max_i min_k, max_k min_i) of a table of distances between outputs i and targets k.

    >>> hausdorff([[Fraction(4), Fraction(1)], [Fraction(0), Fraction(9)]], max, min)
    Fraction(1, 1)
    """
    found: _Number = most([least(side) for side in (*table, *zip(*table, strict=True))])
    return found


def box_objective(
    network: Transformer, data: Dataset, targets: Targets, beta: Temperatures, eps: Fraction, bits: int
) -> Enclosure:
    """The enclosure of E + eps|Theta|^2 in a certificate of so many bits, as FORMAT.md, section 14, defines it."""
    boxes = BoxTransformer(network, beta)
    states = (boxes.enclose(Boxes.of(data[j].tokens), bits) for j in range(len(data)))
    distances = [_box_distance(state, targets.state(j), bits) for j, state in enumerate(states)]
    each = [_outward(x * x, x * x, bits) for x in _weights(network)]
    low, high = (
        (Fraction(sum(d[k] for d in distances), len(data)) + eps * sum(s[k] for s in each)) / (1 << bits)
        for k in (0, 1)
    )
    return Enclosure(low, high)


def _weights(network: Transformer) -> Iterator[Fraction]:
    """All numbers of a network, matrices entry by entry."""
    d = network.dim
    for block in network:
        if (ff := block.feed_forward) is not None:
            matrices = (ff.U.dense(ff.width, d), ff.W.dense(d, ff.width))
            yield from map(rational, chain((ff.eta,), ff.b, *matrices[0], *matrices[1]))
        if (sa := block.self_attention) is not None:
            yield from map(rational, chain((sa.rho,), *(row for m in (sa.V, sa.Q, sa.K) for row in m.dense(d, d))))


def _box_distance(state: Boxes, targets: State, bits: int) -> tuple[int, int]:
    """The ends of the squared Hausdorff distance, in units of 2^-bits."""
    lows, highs = [], []
    for box in set(map(tuple, state.rows())):
        pairs = []
        for y in targets.rows():
            sides = [(low - rational(c), high - rational(c)) for (low, high), c in zip(box, y, strict=True)]
            nearest = sum((max(low, -high, Fraction(0)) ** 2 for low, high in sides), Fraction(0))
            farthest = sum((max(-low, high) ** 2 for low, high in sides), Fraction(0))
            pairs.append(_outward(nearest, farthest, bits))
        lows.append([low for low, _ in pairs])
        highs.append([high for _, high in pairs])
    return hausdorff(lows, max, min), hausdorff(highs, max, min)


def _outward(low: Fraction, high: Fraction, bits: int) -> tuple[int, int]:
    low, high = low * (1 << bits), high * (1 << bits)
    return low.numerator // low.denominator, -(-high.numerator // high.denominator)
