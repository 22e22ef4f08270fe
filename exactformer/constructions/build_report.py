"""What was built: blocks, width, parameters and bits, with the bounds they were proved to meet."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from typing import NamedTuple

from flint import arb, ctx, fmpz

from exactformer.arithmetic.ball import ends, until_decided
from exactformer.arithmetic.short_text import short_repr
from exactformer.constructions.problem import Problem
from exactformer.errors import Undecided
from exactformer.io.canonical import canonical
from exactformer.io.json_lines import JsonObject
from exactformer.model.norms import Enclosure, norm2
from exactformer.model.temperatures import SoftmaxProof
from exactformer.model.transformer import Block, Transformer


class Step(NamedTuple):
    """One block and the stage of the proof it belongs to."""

    stage: str
    block: Block


class CompactFigures(NamedTuple):
    """What method compact tells besides: the linear pieces that hold the labels, and the numbers shallow would need."""

    groups: int
    shallow_parameters: int


@short_repr
@dataclass(frozen=True)
class BuildReport:
    """The figures of one construction.

    `bound` is the number of blocks proved for the method on data of this shape, `paper_bound` the
    2*sum m + 2N + 1 of the existence theorem; `parameters` counts the nonzero numbers stored (factors of a
    rank-one matrix), `dense_parameters` all entries of dense layers. `margin` is a radius of perturbation
    (largest coordinate, every token of a sequence) under which every sequence is still mapped exactly; None
    where every perturbation is harmless. `attention_rank` is the largest rank of a block's scores <Q x, K y>. For
    softmax `paper_bound` is the theorem's 2*sum m + 3N; where it is exact at some temperatures only, `softmax` has
    their range and the bits of the proof, and `scale` is the factor of Q. `looped_parameters` counts equal blocks once,
    `weight_bits` the bits of all nonzero numbers; N labels of entropy H cannot be stored in fewer bits than N*H on
    average, which is `information_bits`, rounded up. `norm2` is the squared norm of all weights.
    """

    method: str
    blocks: int
    width: int
    parameters: int
    dense_parameters: int
    max_bits: int
    attention_rank: int
    hinges: int
    margin: Fraction | None
    bound: int
    paper_bound: int
    sequences: int
    measures: int
    dim: int
    looped_parameters: int
    weight_bits: int
    information_bits: int
    norm2: Enclosure
    attention: str = "hardmax"
    softmax: SoftmaxProof | None = None
    scale: Fraction | None = None
    compact: CompactFigures | None = None

    def json(self) -> JsonObject:
        """The figures as in `--json`."""
        names = ("method", "blocks", "width", "parameters", "dense_parameters", "max_bits", "attention_rank", "hinges")
        table: JsonObject = {name: getattr(self, name) for name in names}
        table["margin"] = "unbounded" if self.margin is None else canonical(self.margin)
        rest = ("bound", "paper_bound", "sequences", "measures", "dim")
        rest_bits = ("looped_parameters", "weight_bits", "information_bits")
        table |= {name: getattr(self, name) for name in (*rest, *rest_bits)}
        table["norm2"] = self.norm2.json()
        if self.compact is not None:
            table |= self.compact._asdict()
        if self.attention == "softmax":
            table["attention"] = self.attention
        if self.softmax is not None:
            table |= {"beta": self.softmax.temperatures.json(), "proof_bits": self.softmax.bits}
        if self.scale is not None:
            table["scale"] = canonical(self.scale)
        return table


def information_bits(counts: Iterable[int]) -> int:
    """N*H rounded up: log2 of N^N / prod n_k^n_k, for N labels of which n_k are of class k.

    That number is a power of two if its odd primes cancel; else its logarithm is no integer, and enclosures decide.

    >>> information_bits([2, 2]), information_bits([4]), information_bits([3, 1])
    (4, 0, 4)
    """
    times = Counter(counts)
    whole = sum(n * many for n, many in times.items())
    powers: Counter[int] = Counter()
    powers.update({n: -n * many for n, many in times.items()})
    powers[whole] += whole
    primes: Counter[int] = Counter()
    for n, power in powers.items():
        primes.update({int(p): power * e for p, e in fmpz(n).factor()})
    if not any(power for p, power in primes.items() if p != 2):
        return primes[2]

    def rounded_up(bits: int) -> int:
        with ctx.workprec(bits):
            low, high = ends(sum((power * arb(n).log() for n, power in powers.items()), arb(0)) / arb(2).log())
        if math.ceil(low) != math.ceil(high):
            raise Undecided("the enclosure contains an integer")
        return math.ceil(high)

    return until_decided(rounded_up)


def report_on(
    method: str,
    transformer: Transformer,
    problem: Problem,
    hinges: int,
    margin: Fraction | None,
    bound: int,
    attention: str = "hardmax",
    softmax: SoftmaxProof | None = None,
    scale: Fraction | None = None,
    compact: CompactFigures | None = None,
) -> BuildReport:
    """The report of a transformer built by a method for a problem."""
    members = problem.member.tolist()
    total = sum(len(problem.targets[j]) for j in members)
    return BuildReport(
        method=method,
        blocks=len(transformer),
        width=transformer.width,
        parameters=transformer.parameters,
        dense_parameters=transformer.dense_parameters,
        max_bits=transformer.bits,
        attention_rank=max(transformer.attention_ranks),
        hinges=hinges,
        margin=margin,
        bound=bound,
        paper_bound=2 * total + (3 * len(members) if attention == "softmax" else 2 * len(members) + 1),
        sequences=len(members),
        measures=len(problem.targets),
        dim=transformer.dim,
        attention=attention,
        softmax=softmax,
        scale=scale,
        looped_parameters=transformer.looped_parameters,
        weight_bits=transformer.weight_bits,
        information_bits=information_bits(Counter(problem.targets).values()),
        norm2=norm2(transformer),
        compact=compact,
    )
