"""Softmax attention on boxes, at every temperature of a range (FORMAT.md, section 2.1)."""

from collections.abc import Iterable
from fractions import Fraction
from operator import mul
from typing import NamedTuple

from ..core.budget import division_cost
from ..core.certificate import Certificate
from ..core.lines import exact_keys
from ..core.matrices import read_matrix
from ..core.numbers import over_common, ratio
from ..core.points import bits, over_one_denominator
from ..core.verdict import Json, well_formed
from .boxes import Box, Boxes, Temperatures, form, rounded, settled
from .exponential import Interval, exponential

Ends = tuple[int, int]  # an interval, over a denominator known from the context
Vector = tuple[Ends, ...]  # a query or a key: an interval for every row of Q or K
#: operations, apart from products, of the image of a token, of a score and of a weight
IMAGE, SCORE, WEIGHT = 400, 100, 500


class Tokens(NamedTuple):
    """The boxes of all tokens over one denominator, their keys, and how often each token stands there.

    No integer of the boxes is longer than so many bits.
    """

    boxes: list[Box]
    keys: list[Vector]
    counts: list[int]
    bits: int

    def hull(self, chosen: Iterable[int]) -> Box:
        """The least box around some of the tokens."""
        boxes = [self.boxes[j] for j in chosen]
        low = tuple([min(column) for column in zip(*[box.low for box in boxes])])
        return Box(low, tuple([max(column) for column in zip(*[box.high for box in boxes])]), boxes[0].below)


class SoftAttention:
    """x_i -> (p/q)*x_i + (V/below) mean, the mean of all tokens x_j weighted by exp(beta <Q x_i, K x_j>/scale)."""

    def __init__(self, SA: Json, beta: Temperatures, file: Certificate) -> None:
        exact_keys(SA, "rho", "V", "Q", "K")
        self.beta, self.budget, self.dim = beta, file.budget, file.dim
        self.p, self.q = ratio(SA["rho"], file.budget)
        V, Q, K = (
            [over_common(*row, file.budget) for row in read_matrix(SA[key], height, file.dim, file)]
            for key, height in (("V", file.dim), ("Q", None), ("K", None))
        )
        free = any(type(SA[key]) is dict and "zero" in SA[key] for key in "QK")
        well_formed(free or len(Q) == len(K), "Q and K have different numbers of rows")
        self.V, self.below = over_one_denominator(V, file.budget)
        (self.Q, left), (self.K, right) = (over_one_denominator(part, file.budget) for part in (Q, K))
        self.scale = left * right
        if not any(map(any, self.Q)) or not any(map(any, self.K)):
            self.Q, self.K = [], []  # all scores are 0
        numbers = [(self.p, self.q, self.below, self.scale), *self.V, *self.Q, *self.K]
        ends = [end.as_integer_ratio() for end in (beta.low, beta.high or beta.low)]
        self.size = 2 * max(map(bits, numbers)) + max(map(bits, ends))

    def __call__(self, state: Boxes) -> Boxes:
        """The state after this part; tokens with one query have one mean."""
        boxes = state.over_one_denominator(self.budget)
        longest = state.bits + bits([boxes[0].below])
        self.charge(len(boxes) * (2 * len(self.Q) + 2) * self.dim, longest, IMAGE * len(boxes))
        queries = [tuple([form(row, x) for row in self.Q]) for x in boxes]
        keys = [tuple([form(row, x) for row in self.K]) for x in boxes]
        if self.beta.high is None and len(self.Q) == 1:
            queries = one_for_each_sign(queries)
        tokens = Tokens([boxes[i] for i in state.owners], [keys[i] for i in state.owners], state.counts, longest)
        means = {query: self.mean(query, tokens) for query in self.budget.distinct(queries)}
        sources = [(i if self.p else 0, query) for i, query in enumerate(queries)]  # rho = 0: the box does not matter
        images = {source: self.image(boxes[source[0]], means[source[1]]) for source in dict.fromkeys(sources)}
        number = {source: k for k, source in enumerate(images)}
        return settled(list(images.values()), [number[sources[i]] for i in state.owners], state.counts, self.budget)

    def charge(self, terms: int, longest: int, more: int) -> None:
        """Charges so many products and sums of numbers of the layer and numbers of so many bits, and more."""
        self.budget.spend(more + terms * division_cost(self.size + 2 * longest + self.beta.bits))

    def image(self, x: Box, mean: Box) -> Box:
        """(p/q)*x + (V/below)*mean, rounded outward."""
        old, new = self.p * self.below * mean.below, self.q * x.below
        own = [(old * a, old * b) if old >= 0 else (old * b, old * a) for a, b in zip(x.low, x.high)]
        moves = [form(row, mean) for row in self.V]
        low = [a + new * c for (a, _), (c, _) in zip(own, moves)]
        high = [b + new * c for (_, b), (_, c) in zip(own, moves)]
        return rounded(low, high, new * self.below * mean.below, self.beta.rounding)

    def mean(self, query: Vector, tokens: Tokens) -> Box:
        """A box that contains the mean of the tokens for the query, whatever beta; not in lowest terms."""
        n, one = len(tokens.keys), SCORE if self.beta.high is None else SCORE + WEIGHT
        self.charge(n * (4 * len(query) + 4 * self.dim + 4) + self.dim**2, 2 * tokens.bits, n * one)
        best = reference(query, tokens.keys)
        gaps = [(0, 0) if j == best else gap(query, tokens.keys[best], key) for j, key in enumerate(tokens.keys)]
        if not any(map(any, gaps)):
            return uniform_mean(tokens)
        unit = tokens.boxes[0].below ** 2 * self.scale
        if self.beta.high is None:
            return self.dominated_mean(best, [low for low, _ in gaps], unit, tokens)
        (b, c), (d, e) = self.beta.low.as_integer_ratio(), self.beta.high.as_integer_ratio()
        lows = [Fraction(low * b, unit * c) if low >= 0 else Fraction(low * d, unit * e) for low, _ in gaps]
        highs = [Fraction(high * d, unit * e) if high >= 0 else Fraction(high * b, unit * c) for _, high in gaps]
        return self.weighted_mean(best, list(zip(lows, highs)), tokens)

    def dominated_mean(self, best: int, gaps: list[int], unit: int, tokens: Tokens) -> Box:
        """Rule A: the tokens with a positive gap have at most the share eps/whole of all weight, at every beta >= b/c.

        Their weights are at most exp(-gap*b/c) of that of the best token, which is not among them, and e^-t is at most
        2^-floor(10t/7), since e^(7/10) > 2; for hardmax their weights are 0. The gaps are integers over `unit`.
        """
        precision, (b, c) = self.beta.bits, self.beta.low.as_integer_ratio()
        first = tokens.hull([j for j, low in enumerate(gaps) if low <= 0])
        rest = [j for j, low in enumerate(gaps) if low > 0]
        if not rest:
            return first
        halvings = [min(precision, 10 * b * gaps[j] // (7 * c * unit)) for j in rest]
        whole = tokens.counts[best] << precision
        eps = min(whole, sum([tokens.counts[j] << (precision - e) for j, e in zip(rest, halvings)]))
        other = tokens.hull(rest)
        low = tuple([whole * m + min(0, eps * (n - m)) for m, n in zip(first.low, other.low)])
        high = tuple([whole * m + max(0, eps * (n - m)) for m, n in zip(first.high, other.high)])
        return Box(low, high, first.below * whole)

    def weighted_mean(self, best: int, gaps: list[Interval], tokens: Tokens) -> Box:
        """Rule B: x_best + sum w_j (x_j - x_best) / sum w_j with w_j = count_j * exp(-gap_j), within the hull of all.

        The weights are brought to one denominator, which then cancels.
        """
        precision, n = self.beta.bits, len(gaps)
        whole = tokens.hull(range(n))
        if any(low < -(precision // 2) for low, _ in gaps):
            return whole
        found = [exponential(x, precision, self.budget) for x in gaps]
        found[best] = (Fraction(1), Fraction(1))
        above, below = zip(*[end.as_integer_ratio() for x in found for end in x])
        ends = over_common(above, below, self.budget)
        weights = [(k * low, k * high) for k, low, high in zip(tokens.counts, ends[:-1:2], ends[1:-1:2])]
        least, most = sum([low for low, _ in weights]), sum([high for _, high in weights])
        self.budget.products(4 * n * self.dim, 2 * bits(ends) + bits(tokens.counts) + tokens.bits)
        lows, highs = [], []
        for i in range(self.dim):
            low, high = pull(best, weights, [(box.low[i], box.high[i]) for box in tokens.boxes])
            down, up = low * (least if low >= 0 else most), high * (most if high >= 0 else least)
            lows.append(max(tokens.boxes[best].low[i] * least * most + down, whole.low[i] * least * most))
            highs.append(min(tokens.boxes[best].high[i] * least * most + up, whole.high[i] * least * most))
        return Box(tuple(lows), tuple(highs), whole.below * least * most)


def pull(best: int, weights: list[Ends], column: list[Ends]) -> Ends:
    """sum over j != best of w_j (x_j - x_best) in one coordinate, the weights w_j being positive."""
    (a, b), low, high = column[best], 0, 0
    for j, (weight, (c, d)) in enumerate(zip(weights, column)):
        if j != best:
            low += (c - b) * weight[c < b]
            high += (d - a) * weight[d >= a]
    return low, high


def one_for_each_sign(queries: list[Vector]) -> list[Vector]:
    """All positive queries replaced by the hull of them, all negative ones by theirs: scores of rank one."""
    found: dict[int, list[Ends]] = {1: [], 0: [], -1: []}
    signs = [(low > 0) - (high < 0) for ((low, high),) in queries]
    for sign, (ends,) in zip(signs, queries):
        found[sign].append(ends)
    hulls = {sign: ((min(ends)[0], max([high for _, high in ends])),) for sign, ends in found.items() if ends}
    return [hulls[sign] if sign else query for sign, query in zip(signs, queries)]


def reference(query: Vector, keys: list[Vector]) -> int:
    """The first token with the largest score between the midpoints of query and key."""
    middle = [low + high for low, high in query]
    scores = [sum([m * (low + high) for m, (low, high) in zip(middle, key)]) for key in keys]
    return scores.index(max(scores))


def gap(query: Vector, best: Vector, key: Vector) -> Ends:
    """<query, best - key>."""
    low = high = 0
    for (q, r), (a, b), (c, d) in zip(query, best, key):
        ends = (q * (a - d), q * (b - c), r * (a - d), r * (b - c))
        low, high = low + min(ends), high + max(ends)
    return low, high


def uniform_mean(tokens: Tokens) -> Box:
    """The mean of the tokens, each counted as often as it stands there."""
    low = tuple([sum(map(mul, tokens.counts, x)) for x in zip(*[box.low for box in tokens.boxes])])
    high = tuple([sum(map(mul, tokens.counts, x)) for x in zip(*[box.high for box in tokens.boxes])])
    return Box(low, high, tokens.boxes[0].below * sum(tokens.counts))
