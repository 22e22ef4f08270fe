"""Trained networks in integers over 2^p: the arithmetic of `argmax` and `enclosure` certificates, step by step.

A token is (m, r): integers with |2^p x_i - m_i| <= r for every coordinate. Every rounding is a floor and adds its error
to r. The steps are those of the certificate format, so that verdicts can be foretold bit by bit. The statements are
about real arithmetic, not about what a device returns.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import isqrt
from operator import mul

import numpy as np
from flint import fmpz_mat

from exactformer.errors import InvalidInput, Undecided
from exactformer.evaluate.integer_functions import ceil_div, exp_minus, gelu, gelu_tanh
from exactformer.model.head_rules import HeadRule
from exactformer.model.heads import seen_positions
from exactformer.model.network import Float32, Network

LEAST_BITS, MOST_BITS = 32, 480


@dataclass(frozen=True)
class IntegerBall:
    """Integers m and r with |2^p x_i - m_i| <= r for all i."""

    middle: list[int]
    radius: int


class _Tensor:
    """A tensor as integers over 2^e with the least e >= 0, row by row as they are asked for."""

    def __init__(self, values: Float32) -> None:
        self._values = values.reshape(1, -1) if values.ndim == 1 else values
        fraction, exponent = np.frexp(values[values != 0].astype(np.float64))
        whole = np.abs(fraction * 2.0**24).astype(np.int64)
        places = 24 - exponent - (np.frexp((whole & -whole).astype(np.float64))[1] - 1)
        self.e = int(max(0, places.max(initial=0)))

    def row(self, i: int) -> list[int]:
        """The integers of row i."""
        pairs = [float(v).as_integer_ratio() for v in self._values[i]]
        return [n << (self.e + 1 - q.bit_length()) for n, q in pairs]

    def rows(self) -> list[list[int]]:
        """The integers of all rows."""
        return [self.row(i) for i in range(len(self._values))]


class _Weights:
    """The tensors of a network as integers, made when they are asked for and kept: no precision enters."""

    def __init__(self, network: Network) -> None:
        self._network = network
        self._tensors: dict[str, _Tensor] = {}
        self._matrices: dict[str, tuple[fmpz_mat, int, int]] = {}

    def tensor(self, name: str) -> _Tensor:
        """The tensor of that name."""
        if name not in self._tensors:
            self._tensors[name] = _Tensor(self._network.tensors[name])
        return self._tensors[name]

    def matrix(self, name: str) -> tuple[fmpz_mat, int, int]:
        """2^e times the transposed matrix, e, and the largest sum of absolute values of a row of the integers."""
        if name not in self._matrices:
            table = self.tensor(name)
            rows = table.rows()
            norm = max(sum(map(abs, row)) for row in rows)
            self._matrices[name] = fmpz_mat(rows).transpose(), table.e, norm
        return self._matrices[name]


class IntegerNetwork:
    """A network at p bits. Raises Undecided where a step cannot be bounded at this precision."""

    def __init__(self, network: Network, bits: int) -> None:
        if not LEAST_BITS <= bits <= MOST_BITS:
            raise InvalidInput(f"bits: expected {LEAST_BITS} to {MOST_BITS}, got {bits}")
        self.network, self.p, self.one = network, bits, 1 << bits
        self.shape = network.architecture
        epsilon = self.shape.epsilon
        self.epsilon = (epsilon.numerator << bits) // epsilon.denominator
        self._roots: dict[Fraction, int] = {}
        self._weights = network.remembered(_Weights)

    def outputs(self, ids: Sequence[int], types: Sequence[int] | None = None) -> list[IntegerBall]:
        """The outputs of all positions: logits, or the last tokens where there is no head."""
        tokens = self.hidden(*self.network.verify_ids(ids, types))
        if self.shape.head == "none":
            return tokens
        return self._linear(tokens, "token" if self.shape.head == "tied" else "head", "head_bias")

    def hidden(self, ids: Sequence[int], types: Sequence[int]) -> list[IntegerBall]:
        """The tokens after all blocks and the final LayerNorm."""
        return self.run([self._embedded(t, i, kind) for i, (t, kind) in enumerate(zip(ids, types, strict=True))])

    def run(self, tokens: list[IntegerBall]) -> list[IntegerBall]:
        """The same from the sums of rows of the tables on, known up to any radius."""
        if self.shape.embedding_norm:
            tokens = [self._layer_norm(x, "embedding_gain", "embedding_bias") for x in tokens]
        if self.shape.embedding is not None:
            tokens = self._linear(tokens, "map", "map_bias")
        for k in range(self.shape.blocks):
            tokens = self._block(tokens, f"{0 if self.shape.shared else k}.", self.shape.head_rules(k))
        if self.shape.final_norm:
            tokens = [self._layer_norm(x, "final_gain", "final_bias") for x in tokens]
        return tokens

    def _block(self, tokens: list[IntegerBall], k: str, rules: tuple[HeadRule, ...]) -> list[IntegerBall]:
        pre, post = self.shape.norm == "pre", self.shape.norm == "post"
        read = [self._layer_norm(x, k + "gain1", k + "bias1") for x in tokens] if pre else tokens
        tokens = _added(tokens, self._linear(self._attention(read, k, rules), k + "out"))
        tokens = [self._layer_norm(x, k + "gain1", k + "bias1") for x in tokens] if post else tokens
        read = [self._layer_norm(x, k + "gain2", k + "bias2") for x in tokens] if pre else tokens
        units = [self._activated(u) for u in self._linear(read, k + "up")]
        tokens = _added(tokens, self._linear(units, k + "down"))
        return [self._layer_norm(x, k + "gain2", k + "bias2") for x in tokens] if post else tokens

    def _row(self, name: str, row: int = 0) -> list[int]:
        """2^p times one row of a table, a gain or a bias."""
        table = self._weights.tensor(name)
        if table.e > self.p:
            raise Undecided(f"{name} needs {table.e} bits, got {self.p}; give more")
        return [w << (self.p - table.e) for w in table.row(row)]

    def _embedded(self, token: int, position: int, kind: int) -> IntegerBall:
        rows = [self._row("token", token), self._row("position", position)]
        if self.shape.types:
            rows.append(self._row("type", kind))
        return IntegerBall([sum(column) for column in zip(*rows, strict=True)], 0)

    def _linear(self, tokens: list[IntegerBall], name: str, bias: str = "") -> list[IntegerBall]:
        """W x + b, token by token: floors of exact sums."""
        matrix, e, norm = self._weights.matrix(name)
        added = self._row(bias or name + "_bias")
        found = (fmpz_mat([x.middle for x in tokens]) * matrix).tolist()
        return [
            IntegerBall(
                [(int(v) >> e) + b for v, b in zip(row, added, strict=True)], ceil_div(x.radius * norm, 1 << e) + 1
            )
            for row, x in zip(found, tokens, strict=True)
        ]

    def _layer_norm(self, x: IntegerBall, gain: str, bias: str) -> IntegerBall:
        """(x - mean) / sqrt(variance + epsilon) * gain + bias."""
        p, m, r, d = self.p, x.middle, x.radius, len(x.middle)
        mean = sum(m) // d
        c = [v - mean for v in m]
        s = isqrt(sum(map(mul, c, c)) // d + (self.epsilon << p))
        if s == 0:
            raise Undecided(f"a LayerNorm divides by less than 2^-{p}; more bits may decide")
        moved = r + 3 + self.one // s
        if s <= 2 * moved:
            raise Undecided(f"a LayerNorm divides by a number not known well enough at {p} bits; more may decide")
        z = [(v << p) // s for v in c]
        radius = ceil_div(((2 * r + 2) << p) + (max(map(abs, z)) + 1) * moved, s - moved) + 1
        g, b = self._row(gain), self._row(bias)
        middle = [(v * w >> p) + a for v, w, a in zip(z, g, b, strict=True)]
        return IntegerBall(middle, ceil_div(radius * max(map(abs, g)), self.one) + 1)

    def _activated(self, u: IntegerBall) -> IntegerBall:
        if self.shape.activation == "relu":
            return IntegerBall([max(v, 0) for v in u.middle], u.radius)
        function = gelu if self.shape.activation == "gelu" else gelu_tanh
        values = [function(v, self.p) for v in u.middle]
        return IntegerBall([v for v, _ in values], ceil_div(113 * u.radius, 100) + max(r for _, r in values) + 1)

    def _attention(self, tokens: list[IntegerBall], k: str, rules: tuple[HeadRule, ...]) -> list[IntegerBall]:
        """The heads side by side, for every token."""
        qkv = self._linear(tokens, k + "qkv")
        found = []
        for i in range(len(qkv)):
            seen = [[qkv[j] for j in seen_positions(rule.mask, i, len(qkv))] for rule in rules]
            heads = [self._head(qkv[i], seen[a], a, rule) for a, rule in enumerate(rules)]
            found.append(IntegerBall([v for head in heads for v in head.middle], max(head.radius for head in heads)))
        return found

    def _root(self, beta: Fraction) -> int:
        """2^p beta / sqrt(d_k), at most 2 too small."""
        if beta not in self._roots:
            square = beta * beta / self.shape.head_dim
            self._roots[beta] = isqrt((square.numerator << 2 * self.p) // square.denominator)
        return self._roots[beta]

    def _head(self, query: IntegerBall, keys: list[IntegerBall], a: int, rule: HeadRule) -> IntegerBall:
        """The mean of the values of one head, weighted by softmax of the scores; 0 where nothing is seen."""
        p, D, d, width = self.p, self._root(rule.beta), self.shape.dim, self.shape.head_dim
        if not keys:
            return IntegerBall([0] * width, 0)
        if D < 4:
            raise Undecided(f"beta = {rule.beta} needs more than {p} bits")
        floors = 3 if rule.beta <= 1 else 3 + ceil_div(D + 2, self.one)  # a floor times beta / sqrt(d_k)
        at = [slice(o + a * width, o + (a + 1) * width) for o in (0, d, 2 * d)]
        q, rq = query.middle[at[0]], query.radius
        scores, moved = [], 0
        for key in keys:
            k = key.middle[at[1]]
            scores.append((sum(map(mul, q, k)) >> p) * D >> p)
            error = rq * sum(map(abs, k)) + key.radius * sum(map(abs, q)) + width * rq * key.radius
            error = ceil_div(ceil_div(error, self.one) * (D + 2), self.one)
            moved = max(moved, error + floors + ceil_div(2 * abs(scores[-1]), D))
        if rule.ties is not None:
            best = max(range(len(keys)), key=scores.__getitem__)
            if any(scores[best] - s <= 2 * moved for j, s in enumerate(scores) if j != best):
                raise Undecided(f"the largest score of a hardmax head is not certain at {p} bits; more may decide")
            return IntegerBall(keys[best].middle[at[2]], keys[best].radius)
        weights = [exp_minus(max(scores) - v, p) for v in scores]
        Z, error = sum(w for w, _ in weights), sum(r for _, r in weights)
        if 4 * moved >= self.one or 4 * error >= Z:
            raise Undecided(f"the scores of a head are not known well enough at {p} bits; more may decide")
        columns = list(zip(*(key.middle[at[2]] for key in keys), strict=True))
        middle = [sum(w * v for (w, _), v in zip(weights, column, strict=True)) // Z for column in columns]
        span = max(max(column) - min(column) for column in columns)
        relative = 4 * moved + ceil_div(4 * error << p, Z)
        return IntegerBall(middle, max(key.radius for key in keys) + ceil_div(relative * span, self.one) + 2)


def _added(x: list[IntegerBall], y: list[IntegerBall]) -> list[IntegerBall]:
    """Sums, token by token."""
    return [
        IntegerBall([a + b for a, b in zip(u.middle, v.middle, strict=True)], u.radius + v.radius)
        for u, v in zip(x, y, strict=True)
    ]
