"""Instances of the Frank-Wolfe dynamics: x_i <- x_i + g_t (m_i - x_i), m_i the mean of the maximisers of <B x_i, .>."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import product
from random import Random

from exactformer.arithmetic.rational import RationalRow, RationalRows, identity
from exactformer.arithmetic.text import NumberLike, exact
from exactformer.display.latex import latex_number, latex_rows
from exactformer.dynamics.plain_orbit import PlainLayer, integer_rows, moved, score_layer
from exactformer.errors import InvalidInput
from exactformer.instances.generators import circle_points, identity_mostly, point_set
from exactformer.instances.numbers import (
    integral_rows,
    nudged,
    rounded_rows,
    simpler_numbers,
    total_cost,
    with_entry,
    without,
    without_column,
)
from exactformer.instances.tokens import latex_tokens, simpler_points, tokens_of
from exactformer.io.json_lines import JsonObject


@dataclass(frozen=True)
class FrankWolfe:
    """Tokens, a square matrix B, a number of layers, and the step sizes.

    Steps are g_t = c q^t for `step` = (c, q) with 0 < c <= 1 and 0 < q <= 1 (q = 1: constant), and g_t = 2/(t+2)
    without.

    >>> FrankWolfe(((Fraction(1),),), ((Fraction(1),), (Fraction(-2),)), 3).share(1)
    Fraction(2, 3)
    """

    B: RationalRows
    tokens: RationalRows
    layers: int
    step: tuple[Fraction, Fraction] | None = None

    def __post_init__(self) -> None:
        d = len(self.tokens[0]) if self.tokens else 0
        if not d or any(len(row) != d for row in (*self.B, *self.tokens)) or len(self.B) != d:
            raise InvalidInput("expected tokens of one dimension d and a d-by-d matrix B")
        if self.step is not None and not all(0 < x <= 1 for x in self.step):
            raise InvalidInput(f"expected step sizes c q^t with c and q in (0, 1], got {self.step}")

    def share(self, t: int) -> Fraction:
        """The step size g_t."""
        return Fraction(2, t + 2) if self.step is None else self.step[0] * self.step[1] ** t

    def orbit(self, sign: int = 1) -> Iterator[PlainLayer]:
        """Layers 0..`layers` of the dynamics of sign * B, each mean taken over the tokens of its layer."""
        B = tuple(tuple(sign * x for x in row) for row in integer_rows(self.B))
        start = tokens_of(self.tokens).state
        layer = score_layer(B, [tuple(row) for row in start.array.tolist()], start.denominator)
        yield layer
        for t in range(self.layers):
            layer = score_layer(B, *moved(layer, self.share(t)))
            yield layer


class FrankWolfeKind:
    """Frank-Wolfe instances: simplified towards few tokens, few layers, B = I and simple steps."""

    def json(self, instance: FrankWolfe) -> JsonObject:
        """{"exactformer": "frank-wolfe", "B", "tokens", "layers", "step"}."""
        return {
            "exactformer": "frank-wolfe",
            "B": [list(row) for row in instance.B],
            "tokens": [list(row) for row in instance.tokens],
            "layers": instance.layers,
            "step": None if instance.step is None else list(instance.step),
        }

    def read(self, content: JsonObject) -> FrankWolfe:
        """The instance of its file form."""
        missing = [key for key in ("B", "tokens", "layers", "step") if key not in content]
        if missing:
            raise InvalidInput(f'expected "B", "tokens", "layers" and "step", got no {" and no ".join(missing)}')
        layers, step = content["layers"], content["step"]
        if type(layers) is not int or layers < 0:
            raise InvalidInput(f"layers: expected a number of at least 0, got {layers!r:.60}")
        if step is not None and not (isinstance(step, list) and len(step) == 2):
            raise InvalidInput(f"step: expected null or the numbers c and q, got {step!r:.60}")
        rows = {key: content[key] for key in ("B", "tokens")}
        for key, value in rows.items():
            if not isinstance(value, list) or not all(isinstance(row, list) for row in value):
                raise InvalidInput(f"{key}: expected rows of numbers, got {value!r:.60}")
        steps = None if step is None else (_number(step[0]), _number(step[1]))
        return FrankWolfe(_rows(rows["B"]), _rows(rows["tokens"]), layers, steps)

    def size(self, instance: FrankWolfe) -> tuple[int, ...]:
        """Tokens, dimension, layers, digits."""
        step = [] if instance.step is None else [instance.step]
        costs = total_cost([*instance.B, *instance.tokens, *step])
        return (len(instance.tokens), len(instance.B), instance.layers, *costs)

    def varied(self, instance: FrankWolfe, rng: Random) -> FrankWolfe:
        """One coordinate, token, entry of B, step or number of layers changed."""
        choice, tokens = rng.randrange(8), instance.tokens
        i, k = rng.randrange(len(tokens)), rng.randrange(len(instance.B))
        if choice == 0 and len(tokens) > 2:
            return replace(instance, tokens=without(tokens, i))
        if choice == 1:
            return replace(instance, tokens=(*tokens, tuple(nudged(x, rng) for x in tokens[i])))
        if choice == 2:
            return replace(instance, B=with_entry(instance.B, k, k, instance.B[k][k] + rng.choice((-1, 1))))
        if choice == 3:
            most = 200 if instance.step is None else 12  # the denominator of prod c q^t grows with the square of t
            return replace(instance, layers=max(1, min(2 * instance.layers, most)))
        if choice == 4 and instance.step is not None:
            return replace(instance, step=(instance.step[0], instance.step[1] / rng.choice((1, 2))))
        return replace(instance, tokens=with_entry(tokens, i, k, nudged(tokens[i][k], rng)))

    def simpler(self, instance: FrankWolfe) -> Iterator[FrankWolfe]:
        """Fewer tokens, lower dimension, fewer layers, simpler numbers: in this order."""
        tokens, B = instance.tokens, instance.B
        for i in range(len(tokens)) if len(tokens) > 1 else ():
            yield replace(instance, tokens=without(tokens, i))
        for k in range(len(B)) if len(B) > 1 else ():
            smaller = without_column(without(B, k), k)
            yield replace(instance, tokens=without_column(tokens, k), B=smaller)
        last = instance.layers
        yield from (replace(instance, layers=m) for m in {last // 2, last * 3 // 4, last - 1} if m >= 1)
        for i, j in product(range(len(B)), repeat=2):
            for x in simpler_numbers(B[i][j]):
                yield replace(instance, B=with_entry(with_entry(B, i, j, x), j, i, x))
        if instance.step is not None:
            c, q = instance.step
            yield from (replace(instance, step=(x, q)) for x in simpler_numbers(c) if 0 < x < 1)
            yield from (replace(instance, step=(c, x)) for x in simpler_numbers(q) if 0 < x < 1)
        for rows in _simpler_tokens(tokens):
            yield replace(instance, tokens=rows)

    def latex(self, instance: FrankWolfe) -> str:
        """B, the steps and the tokens."""
        step = r"\tfrac{2}{t+2}"
        if instance.step is not None:
            c, q = instance.step
            step = f"{latex_number(c)} \\cdot \\left({latex_number(q)}\\right)^t"
        tokens = latex_tokens(instance.tokens, "x")
        return f"B = {latex_rows(instance.B)},\\quad g_t = {step},\\quad t \\le {instance.layers},\\quad {tokens}"


def _simpler_tokens(tokens: RationalRows) -> Iterator[RationalRows]:
    yield from (rounded_rows(tokens, largest) for largest in (1, 2, 3, 4, 5, 6, 8, 10, 16))
    yield integral_rows(tokens)
    yield from simpler_points(tokens)


def _rows(rows: Iterable[Iterable[NumberLike]]) -> RationalRows:
    return tuple(tuple(_number(x) for x in row) for row in rows)


def _number(x: object) -> Fraction:
    value = exact(x)
    if not isinstance(value, Fraction):
        raise InvalidInput(f"expected a rational number, got {x!r}")
    return value


# families -----------------------------------------------------------------------------------------------------
def negative_family(layers: tuple[int, ...]) -> Callable[[Random], FrankWolfe]:
    """Structured tokens around the origin, a positive semidefinite B*, and the steps 2/(t+2)."""

    def generate(rng: Random) -> FrankWolfe:
        d = rng.choice((1, 1, 2, 2, 3))
        points = list(dict.fromkeys(point_set(rng, rng.choice((2, 3, 4, 5)), d)))
        B = identity_mostly(rng, d) or identity(d)
        return FrankWolfe(B, tuple(points), rng.choice(layers))

    return generate


def cell_family(rng: Random) -> FrankWolfe:
    """Points far out, and means of some of them, with a random positive definite B and steps c q^t."""
    d = rng.choice((1, 2, 2, 3))
    corners = list(dict.fromkeys(point_set(rng, rng.choice((2, 3, 4)), d)))
    means = [_mean(rng.choices(corners, k=rng.choice((2, 3)))) for _ in range(rng.choice((1, 1, 2)))]
    B = identity_mostly(rng, d) or identity(d)
    step = (Fraction(1, rng.randint(2, 5)), rng.choice((Fraction(1), Fraction(1), Fraction(rng.randint(1, 4), 5))))
    return FrankWolfe(B, tuple(dict.fromkeys(corners + means)), rng.choice((4, 8)), step)


def equal_norm_family(rng: Random) -> FrankWolfe:
    """Vertices of equal B-norm: M^-1 times points of a sphere for B = M'M, M unit triangular; and means of them."""
    d = rng.choice((2, 2, 3))
    shear = rng.choice((0, 0, 1, -1, 2))
    corners = [(x - shear * y, y, *rest) for x, y, *rest in circle_points(rng, rng.choice((3, 4, 5)), d)]
    corners = list(dict.fromkeys(corners))
    means = [_mean(rng.choices(corners, k=rng.choice((2, 3)))) for _ in range(rng.choice((2, 3)))]
    B = list(map(list, identity(d)))
    B[0][1] = B[1][0] = Fraction(shear)
    B[1][1] = Fraction(1 + shear * shear)
    return FrankWolfe(tuple(map(tuple, B)), tuple(dict.fromkeys(corners + means)), 1)


def _mean(points: list[RationalRow]) -> RationalRow:
    return tuple(sum(column, Fraction(0)) / len(points) for column in zip(*points, strict=True))
