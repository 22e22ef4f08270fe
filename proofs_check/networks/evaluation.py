"""The network in integers over 2^p (FORMAT.md, section 16, Arithmetic): one function for each of its parts."""

from collections.abc import Sequence
from math import isqrt
from operator import mul
from typing import NamedTuple

from ..core.budget import Budget
from .architecture import Architecture, Shape
from .functions import Value, exponential, gelu, gelu_tanh, up
from .linear import Matrix, Token, token_bits
from .weights import fixed, integers, least_exponent, verify_held
from .work import dot_cost, entry_cost, exponential_cost, gelu_cost


class Undecided(Exception):
    """At these bits nothing is known about an input; the argument says why."""


class Norm(NamedTuple):
    """Gain and bias over 2^p."""

    gain: list[int]
    bias: list[int]


class Block(NamedTuple):
    """The parts of one block; without LayerNorm the norms are none."""

    qkv: Matrix
    out: Matrix
    up: Matrix
    down: Matrix
    norms: tuple[Norm, Norm] | None


class Attended(NamedTuple):
    """Queries, keys and values of a token by heads, the sums of the absolute values of keys, and their radius."""

    queries: list[list[int]]
    keys: list[list[int]]
    sizes: list[int]
    values: list[list[int]]
    radius: int
    bits: int


class Table:
    """Rows of numbers over 2^p."""

    def __init__(self, shape: Shape, text: bytes, p: int) -> None:
        verify_held(least_exponent(text), p)
        self.size, self.text, self.p = 4 * shape[1], text, p

    def row(self, i: int) -> list[int]:
        """Row i times 2^p."""
        return integers(self.text[i * self.size : (i + 1) * self.size], self.p)


class Network:
    """A network at p bits; what it computes is charged to a budget before it is computed."""

    def __init__(self, net: Architecture, weights: dict[str, tuple[Shape, bytes]], budget: Budget) -> None:
        self.net, self.budget, self.p, self.one = net, budget, net.bits, 1 << net.bits
        self.weights = weights
        self.tables = [Table(*weights[key], self.p) for key in ("token", "position", "type") if key in weights]
        self.embedding_norm = self.norm("embedding gain", "embedding bias") if net.embedding_norm else None
        kept = [self.block(k) for k in range(min(net.blocks, 1) if net.shared else net.blocks)]
        self.blocks = kept * net.blocks if net.shared else kept
        self.final_norm = self.norm("final gain", "final bias") if net.final_norm else None
        self.head = None if net.head == "none" else self.matrix("token" if net.head == "tied" else "head", "head bias")
        self.epsilon = (net.epsilon.numerator << self.p) // net.epsilon.denominator
        self.scale = isqrt((1 << 2 * self.p) // (net.dim // net.heads))  # 2^p/sqrt(d_k)
        self.first: dict[tuple[int, ...], tuple[Token, Attended]] = {}

    def vector(self, key: str) -> list[int]:
        """The entries of a gain or a bias over 2^p."""
        return fixed(self.weights[key][1], self.p)

    def norm(self, gain: str, bias: str) -> Norm:
        """A LayerNorm by the names of its tensors."""
        return Norm(self.vector(gain), self.vector(bias))

    def matrix(self, key: str, bias: str) -> Matrix:
        """A linear map by the names of its tensors."""
        return Matrix(*self.weights[key], self.vector(bias), self.budget)

    def block(self, k: int) -> Block:
        """Block k."""
        keys = ("qkv", "out", "up", "down")
        qkv, out, inner, outer = [self.matrix(f"block {k} {key}", f"block {k} {key} bias") for key in keys]
        if self.net.norm == "none":
            return Block(qkv, out, inner, outer, None)
        first, second = [self.norm(f"block {k} gain{i}", f"block {k} bias{i}") for i in (1, 2)]
        return Block(qkv, out, inner, outer, (first, second))

    def outputs(self, ids: Sequence[int], types: Sequence[int], wanted: Sequence[int]) -> list[Token]:
        """The classes of the positions wanted; raises Undecided."""
        inputs = list(zip(ids, range(len(ids)), types)) if types else list(zip(ids, range(len(ids))))
        state = [self.embedded(key) for key in inputs] if not self.blocks else []
        for k, block in enumerate(self.blocks):
            pairs = [self.entered(key, block) for key in inputs] if k == 0 else self.attended(block, state)
            last = k == len(self.blocks) - 1
            attended = [second for _, second in pairs]
            kept = wanted if last else range(len(ids))
            state = [self.through(block, pairs[i][0], i, attended) for i in kept]
        state = state if self.blocks else [state[i] for i in wanted]
        return [self.classes(x) for x in state]

    def embedded(self, key: tuple[int, ...]) -> Token:
        """The token with this id, position and perhaps type."""
        self.budget.spend(100 + 40 * self.net.dim * len(key))
        rows = [table.row(i) for table, i in zip(self.tables, key)]
        token = list(map(sum, zip(*rows))), 0
        return token if self.embedding_norm is None else self.normed(token, self.embedding_norm)

    def entered(self, key: tuple[int, ...], block: Block) -> tuple[Token, Attended]:
        """A token with its queries, keys and values in the first block, which are kept: they depend on nothing else."""
        if key not in self.first:
            [found] = self.attended(block, [self.embedded(key)])
            self.budget.hold(3 * self.net.dim + 16, found[1].bits + 320)  # an integer is an object of 40 bytes more
            self.first[key] = found
        return self.first[key]

    def attended(self, block: Block, state: Sequence[Token]) -> list[tuple[Token, Attended]]:
        """The tokens with their queries, keys and values."""
        before = block.norms[0] if block.norms and self.net.norm == "pre" else None
        return [(x, self.by_heads(block.qkv.apply(self.normed(x, before) if before else x))) for x in state]

    def by_heads(self, token: Token) -> Attended:
        """Queries, keys and values in one vector, taken apart."""
        (m, r), d, size = token, self.net.dim, self.net.dim // self.net.heads
        parts = [[m[k : k + size] for k in range(start, start + d, size)] for start in (0, d, 2 * d)]
        queries, keys, values = parts
        return Attended(queries, keys, [sum(map(abs, key)) for key in keys], values, r, token_bits(token))

    def through(self, block: Block, x: Token, i: int, attended: Sequence[Attended]) -> Token:
        """Token i after the block."""
        self.budget.spend(100 + 8 * self.net.dim)
        pre, post = [block.norms if self.net.norm == kind else None for kind in ("pre", "post")]
        x = plus(x, block.out.apply(self.attention(i, attended[: i + 1] if self.net.causal else attended)))
        x = self.normed(x, post[0]) if post else x
        inner = self.activation(block.up.apply(self.normed(x, pre[1]) if pre else x))
        x = plus(x, block.down.apply(inner))
        return self.normed(x, post[1]) if post else x

    def attention(self, i: int, attended: Sequence[Attended]) -> Token:
        """The heads' means of values, one after the other, for the query of token i."""
        n, d, h = len(attended), self.net.dim, self.net.heads
        bits = max([one.bits for one in attended])
        scores = h * n * (40 + dot_cost(d // h, bits) + exponential_cost(self.p, self.p.bit_length()))
        self.budget.spend(160 * h + scores + d * (dot_cost(n, bits) + entry_cost(bits)))
        parts = [self.mean(attended[i].queries[a], attended[i].radius, a, attended) for a in range(h)]
        return [x for m, _ in parts for x in m], max([r for _, r in parts])

    def mean(self, query: list[int], radius: int, a: int, attended: Sequence[Attended]) -> Token:
        """The mean of the values of one head by the softmax of the scores of a query."""
        p, scale, one = self.p, self.scale, self.one
        size, eta, scores = sum(map(abs, query)), 0, []
        for other in attended:
            score = (sum(map(mul, query, other.keys[a])) >> p) * scale >> p
            moved = radius * other.sizes[a] + other.radius * size + len(query) * radius * other.radius
            eta = max(eta, up(up(moved, one) * (scale + 2), one) + 3 + up(2 * abs(score), scale))
            scores.append(score)
        top = max(scores)
        shares = [exponential(top - score, p) for score in scores]
        weights, error = [w for w, _ in shares], sum([r for _, r in shares])
        total = sum(weights)
        if 4 * eta >= one or 4 * error >= total:
            raise Undecided("the scores of a head are not known well enough")
        columns = list(zip(*[other.values[a] for other in attended]))
        span = max([max(column) - min(column) for column in columns])
        spread = up((4 * eta + up(4 * error << p, total)) * span, one)
        found = [sum(map(mul, weights, column)) // total for column in columns]
        return found, max([other.radius for other in attended]) + spread + 2

    def normed(self, token: Token, norm: Norm) -> Token:
        """LayerNorm."""
        (m, r), p, d = token, self.p, self.net.dim
        bits = max(token_bits(token), self.epsilon.bit_length())
        self.budget.spend(300 + dot_cost(d, bits) + 2 * d * entry_cost(bits + p))
        mean = sum(m) // d
        c = [x - mean for x in m]
        s = isqrt(sum(map(mul, c, c)) // d + (self.epsilon << p))
        D = r + 3 + self.one // s if s else 0
        if s <= 2 * D:
            raise Undecided("a LayerNorm divides by what may be 0")
        z = [(x << p) // s for x in c]
        radius = up((2 * r + 2 << p) + (max(map(abs, z)) + 1) * D, s - D) + 1
        found = [(x * g >> p) + b for x, g, b in zip(z, norm.gain, norm.bias)]
        return found, up(radius * max(map(abs, norm.gain)), self.one) + 1

    def activation(self, token: Token) -> Token:
        """ReLU or GELU of every coordinate."""
        (m, r), p = token, self.p
        self.budget.spend(20 + 6 * len(m))
        if self.net.activation == "relu":
            return [max(x, 0) for x in m], r
        tail = max(16, isqrt(2 * p) + 1)
        tanh = self.net.activation == "gelu_tanh"
        for square in [x * x >> 2 * p if abs(x) >> p < tail else tail * tail for x in m]:
            self.budget.spend(exponential_cost(p + 16, p.bit_length()) + 110 if tanh else gelu_cost(square, p))
        found: list[Value] = [gelu_tanh(x, p) if tanh else gelu(x, p) for x in m]
        return [y for y, _ in found], up(113 * r, 100) + max([error for _, error in found]) + 1

    def classes(self, x: Token) -> Token:
        """The numbers of the classes of an output token."""
        x = self.normed(x, self.final_norm) if self.final_norm else x
        return x if self.head is None else self.head.apply(x)


def plus(x: Token, y: Token) -> Token:
    """The sum of two tokens."""
    return [a + b for a, b in zip(x[0], y[0])], x[1] + y[1]
