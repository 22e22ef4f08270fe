"""Recognisers: tokens, marks, features, blocks with heads (FORMAT.md, section 17, rules 3 and 4)."""

import math
from fractions import Fraction
from itertools import pairwise
from typing import NamedTuple

from ..core.budget import Budget, division_cost
from ..core.certificate import Certificate
from ..core.lines import count, entries, exact_keys, has_key
from ..core.numbers import Ratio, number, ratio
from ..core.points import Point, bits
from ..core.verdict import Json, holds, well_formed
from .matrices import FeedForward, Matrix, read_feed_forward, read_matrix, read_numbers, reduced

KEYS = ("tokens", "begin", "end", "features", "at", "accept", "threshold", "zero", "empty")
MASKS = {None: "whole", "before": "past", "upto": "past", "after": "future", "from": "future"}
TIES = ("all", "first", "last")
EXPONENT = 32
MOST = 10**15  # no residue is larger
Polynomial = list[tuple[Fraction, int, int]]


class Feature(NamedTuple):
    """A coordinate, and what is added to it: a value by the residue of i, or P(i, N)/D(i, N)."""

    coordinate: int
    period: list[Fraction]
    ratio: tuple[Polynomial, Polynomial] | None

    def at(self, i: int, n: int, budget: Budget) -> Fraction:
        """The value at position i of n; a denominator that vanishes is refused."""
        if self.ratio is None:
            return self.period[i % len(self.period)]
        above, below = (value(p, i, n, budget) for p in self.ratio)
        holds(below != 0, f"the denominator of a feature vanishes at position {i} of {n}")
        return above / below


def value(polynomial: Polynomial, i: int, n: int, budget: Budget) -> Fraction:
    """The sum of x i^a N^b."""
    total = Fraction(0)
    for x, a, b in polynomial:
        size = x.numerator.bit_length() + x.denominator.bit_length() + (a + b) * n.bit_length()
        budget.spend(100 + 4 * division_cost(size + total.denominator.bit_length()))
        total += x * i**a * n**b
    return total


class Head(NamedTuple):
    """One head; kind says whether it sees the past, the future or the whole."""

    V: Matrix
    Q: Matrix
    K: Matrix
    mask: str | None
    ties: str
    kind: str


class Block(NamedTuple):
    """A feed-forward part or none, then attention; without heads it is the identity and rho is 1."""

    feed_forward: FeedForward | None
    rho: Ratio
    heads: list[Head]


class Recogniser(NamedTuple):
    """Everything that the recogniser line and the block lines say; `period` is the lcm of the periods, or MOST."""

    tokens: list[Point]
    begin: Point | None
    end: Point | None
    features: list[Feature]
    at: str
    accept: Point
    threshold: Fraction
    zero: str
    empty: bool | None
    blocks: list[Block]
    period: int

    def token(self, x: Point, i: int, n: int, budget: Budget) -> Point:
        """The token x at position i of n with the features added."""
        if not self.features:
            return x
        found, common = list(x[:-1]), x[-1]
        for feature in self.features:
            more = feature.at(i, n, budget)
            below = math.lcm(common, more.denominator)
            budget.spend(len(found) * (2 + division_cost(below.bit_length() + bits(found))))
            found = found if below == common else [m * (below // common) for m in found]
            found[feature.coordinate] += more.numerator * (below // more.denominator)
            common = below
        return reduced([*found, common], budget)

    def sign(self, x: Point, budget: Budget) -> str:
        """The verdict of the token at the accepting position."""
        size = bits(x) + bits(self.accept)
        budget.spend(60 + len(x) * (1 + division_cost(size) // 8) + division_cost(size))
        above = sum([m * n for m, n in zip(x[:-1], self.accept[:-1]) if n])
        difference = above * self.threshold.denominator - self.threshold.numerator * x[-1] * self.accept[-1]
        return "accept" if difference > 0 else "reject" if difference < 0 else "zero"

    def is_right(self, out: str | None, member: bool) -> bool:
        """Whether a verdict is that of the automaton; null is that of a word without a position."""
        if out is None:
            out = "zero" if self.empty is None else "accept" if self.empty else "reject"
        if out == "zero":
            return self.zero == "rejected" and not member
        return (out == "accept") == member


def read_recogniser(file: Certificate, letters: int, periodic: bool) -> Recogniser:
    """The recogniser line and the block lines."""
    found = exact_keys(file.lines.value(subject=True), *KEYS)
    tokens = [vector(x, file) for x in entries(found["tokens"], letters)]
    begin, end = (None if found[key] is None else vector(found[key], file) for key in ("begin", "end"))
    well_formed(type(found["features"]) is list, "features are a list")
    features = [read_feature(f, file) for f in found["features"]]
    well_formed(not periodic or all(f.ratio is None for f in features), "a ratio has no place in scope all")
    well_formed(found["at"] in ("first", "last"), '"at" must be first or last')
    well_formed(found["zero"] in ("rejected", "neither"), '"zero" must be rejected or neither')
    well_formed(found["empty"] is None or type(found["empty"]) is bool, '"empty" must be true, false or null')
    well_formed(found["empty"] is None or (begin is None and end is None), 'with a mark "empty" must be null')
    accept, threshold = vector(found["accept"], file), number(found["threshold"], file.budget)
    blocks = [read_block(b, file) for b in range(file.header["blocks"])]
    more = (found["zero"], found["empty"], blocks, lcm_of_periods(features))
    return Recogniser(tokens, begin, end, features, found["at"], accept, threshold, *more)


def lcm_of_periods(features: list[Feature]) -> int:
    """The least common multiple of the periods, or MOST if it is larger."""
    found = 1
    for feature in features:
        found = min(MOST, math.lcm(found, len(feature.period) or 1))
    return found


def vector(value: object, file: Certificate) -> Point:
    """A list of d numbers."""
    return read_numbers(entries(value, file.dim), file)


def read_feature(value: Json, file: Certificate) -> Feature:
    """A periodic feature, or a ratio of polynomials in i and N."""
    kind = "period" if has_key(value, "period") else "ratio"
    exact_keys(value, "coordinate", kind)
    coordinate = count(value["coordinate"], 0, file.dim)
    if kind == "period":
        return Feature(coordinate, [number(x, file.budget) for x in entries(value["period"])], None)
    above, below = (read_polynomial(p, file) for p in entries(value["ratio"], 2))
    return Feature(coordinate, [], (above, below))


def read_polynomial(value: object, file: Certificate) -> Polynomial:
    """Terms [x, a, b] with x not zero, the exponents (a, b) strictly increasing."""
    found: Polynomial = []
    for term in entries(value):
        x, a, b = entries(term, 3)
        found.append((number(x, file.budget), count(a, 0, EXPONENT + 1), count(b, 0, EXPONENT + 1)))
        well_formed(found[-1][0] != 0, "a coefficient is zero")
    exponents = [(a, b) for _, a, b in found]
    well_formed(all(one < two for one, two in pairwise(exponents)), "exponents must increase strictly")
    return found


def read_block(b: int, file: Certificate) -> Block:
    """A block line."""
    index, FF, SA = file.lines.fields("block", "feed_forward", "self_attention", subject=True)
    count(index, b, b + 1)
    feed_forward = read_feed_forward(FF, file)
    if SA is None:
        return Block(feed_forward, (1, 1), [])
    exact_keys(SA, "rho", "heads")
    return Block(feed_forward, ratio(SA["rho"], file.budget), [read_head(head, file) for head in entries(SA["heads"])])


def read_head(value: Json, file: Certificate) -> Head:
    """One head: Q and K have one height, which is 1 if both are zero."""
    exact_keys(value, "V", "Q", "K", "mask", "ties")
    mask, ties = value["mask"], value["ties"]
    well_formed(mask is None or (type(mask) is str and mask in MASKS), "an unknown mask")
    well_formed(type(ties) is str and ties in TIES, "an unknown tie rule")
    first, second = ("Q", "K") if not has_key(value["Q"], "zero") else ("K", "Q")
    one = read_matrix(value[first], None, file.dim, file)
    two = read_matrix(value[second], one.height, file.dim, file)
    Q, K = (one, two) if first == "Q" else (two, one)
    return Head(read_matrix(value["V"], file.dim, file.dim, file), Q, K, mask, ties, MASKS[mask])
