"""Exact tokens in the case that the theorem on stabilisation leaves open, and how long they keep up what it needs.

Floats propose a solution of a pattern (`tie_patterns`). If every layer has targets of its own, the ties of a layer
are linear equations in them, which are solved exactly, layer by layer; what comes out is judged by the definition.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from exactformer.arithmetic.rational import RationalRow
from exactformer.dynamics.plain_orbit import PlainLayer, PlainOrbit
from exactformer.errors import InvalidInput
from exactformer.geometry.linear_algebra import Solution, solve
from exactformer.geometry.points import dot
from exactformer.instances.tie_patterns import ClusterShape, PatternLayer
from exactformer.instances.tokens import tokens_of
from exactformer.io.untyped import Untyped
from exactformer.model.tokens import Tokens

#: proposed numbers are rounded to multiples of 1/UNIT
UNIT = 2**48
#: a solution is given up once its numbers are longer: the ties of one layer with one target cost some 60 bits
BITS = 20_000
#: how often the leaders are moved away from the mirror, by a factor of 4, before a solution is given up
MOVES = 12


@dataclass(frozen=True)
class HeldTie:
    """For how many layers from layer 0 on a cluster meets section 6, and the largest token at each of them."""

    largest: tuple[int, ...]

    @property
    def layers(self) -> int:
        """The layers at which the largest token ties with itself and targets, and everybody follows in the cluster."""
        return len(self.largest)

    @property
    def changes(self) -> int:
        """How often the largest token changes meanwhile."""
        return sum(g != h for g, h in zip(self.largest, self.largest[1:], strict=False))


def held_tie(tokens: Tokens, moving: Sequence[int], most: int = 50) -> HeldTie:
    """How long the cluster of the given tokens does what a counterexample has to do at every late layer.

    At each of the layers counted every token of the cluster follows one of the cluster, and the one of largest norm
    ties with itself and at least two tokens outside.

    >>> sides = [[4, 1, 0], [-4, 1, 0], [2, "13/12", 0], [-2, "13/12", 0]]
    >>> held_tie(Tokens([*sides, [0, "3/4", "1/2"]], alpha=3), [4]).layers
    1
    """
    orbit, largest = PlainOrbit(tokens), []
    for k in range(most):
        g = _largest(orbit[k], moving)
        if g is None:
            break
        largest.append(g)
    return HeldTie(tuple(largest))


def _largest(layer: PlainLayer, moving: Sequence[int]) -> int | None:
    """The token of largest norm of the cluster if the layer is as section 6 says, else None."""
    cluster = set(moving)
    if not all(cluster & set(layer.follows[i]) for i in moving):
        return None
    g = max(moving, key=lambda i: layer.scores[i][i])
    outside = set(layer.follows[g]) - cluster
    return g if g in layer.follows[g] and len(outside) >= 2 else None


def solved_tokens(
    shape: ClusterShape, pattern: Sequence[PatternLayer], proposed: Untyped
) -> tuple[Tokens, tuple[int, ...]] | None:
    """Rational tokens near a proposed solution with all its ties exact, and which of them move; None if it breaks.

    The span is of dimension 2 + `shape.dim`: the direction of the leaders, that of l, and the rest of the mirror.
    """
    if shape.targets is not None:
        raise InvalidInput("expected a pattern with a target for every layer: only there ties are linear")
    width, n = 1 + shape.dim, shape.moving
    rows = [tuple(Fraction(round(x * UNIT), UNIT) for x in row) for row in proposed.reshape(-1, width).tolist()]
    targets = _solved_targets(shape, pattern, rows[:n], rows[n:])
    if targets is None:
        return None
    away = Fraction(1)
    for _ in range(MOVES):
        away *= 4
        tokens = tokens_of(_placed(shape, rows[:n], targets, away), None, shape.alpha)
        held = held_tie(tokens, range(n), len(pattern))
        if held.layers == len(pattern):
            return tokens, held.largest
    return None


def _solved_targets(
    shape: ClusterShape, pattern: Sequence[PatternLayer], moving: list[RationalRow], proposed: list[RationalRow]
) -> list[RationalRow] | None:
    """c of every target, changed as little as possible so that all ties of its layer hold exactly."""
    x, scale, a = moving, Fraction(1), 1 - shape.r
    targets: list[RationalRow] = []
    for layer in pattern:
        for m in sorted(set(layer.ties) - {-1}):
            tied = [i for i, tie in enumerate(layer.ties) if tie == m]
            normals = [_shifted(x[i]) for i in tied]
            points = [tuple(y / scale for y in x[layer.follows[i]]) for i in tied]
            c = _nearest(normals, points, proposed[m]) if tied[1:] else _near(normals[0], points[0], proposed[m])
            if c is None or max(y.denominator.bit_length() for y in c) > BITS:
                return None
            targets.append(c)
        goals = [_goal(shape, layer, x, targets, scale, i) for i in range(shape.moving)]
        x = [
            tuple(shape.r * u + a * v for u, v in zip(row, goal, strict=True))
            for row, goal in zip(x, goals, strict=True)
        ]
        scale *= shape.r
    return targets


def _shifted(x: RationalRow) -> RationalRow:
    """l + x, l being the first unit vector."""
    return (x[0] + 1, *x[1:])


def _near(normal: RationalRow, point: RationalRow, near: RationalRow) -> RationalRow:
    """A point c with <normal, c - point> = 0 close to a given one: point + sum t_k (n_q e_k - n_k e_q), t_k rounded.

    Nothing is divided by the normal, so that numbers grow by as many bits at every layer.
    """
    q = max(range(len(normal)), key=lambda k: abs(normal[k]))
    t = [
        Fraction(round((c - p) / normal[q] * UNIT), UNIT) if k != q else Fraction(0)
        for k, (c, p) in enumerate(zip(near, point, strict=True))
    ]
    return tuple(p + normal[q] * t[k] if k != q else p - dot(normal, t) for k, p in enumerate(point))


def _nearest(normals: list[RationalRow], points: list[RationalRow], near: RationalRow) -> RationalRow | None:
    """The point c with <normal, c - point> = 0 for each that is nearest to a given one; None if there is none."""
    gram = [[Fraction(dot(u, v)) for v in normals] for u in normals]
    missing = [dot(u, p) - dot(u, near) for u, p in zip(normals, points, strict=True)]
    found = solve(gram, missing)
    if not isinstance(found, Solution):
        return None
    return tuple(
        c + sum((Fraction(w) * normal[k] for w, normal in zip(found.x, normals, strict=True)), Fraction(0))
        for k, c in enumerate(near)
    )


def _goal(
    shape: ClusterShape,
    layer: PatternLayer,
    x: list[RationalRow],
    targets: list[RationalRow],
    scale: Fraction,
    i: int,
) -> RationalRow:
    """The mean of what token i follows, as a difference from l."""
    followed, m = x[layer.follows[i]], layer.ties[i]
    if m < 0:
        return followed
    w = shape.weight
    return tuple((u + w * scale * v) / (1 + w) for u, v in zip(followed, targets[m], strict=True))


def _placed(
    shape: ClusterShape, moving: list[RationalRow], targets: list[RationalRow], away: Fraction
) -> list[RationalRow]:
    """The tokens: the cluster in the mirror, two leaders at the sides, and `weight` tokens for every target.

    The distances of the tokens of one target from the mirror add up to 0, now and, as they tend to those of their
    leaders, at every layer.
    """
    others, limit = shape.weight - 1, _shifted((Fraction(0),) * (1 + shape.dim))
    near = [away / (2 + t) for t in range(others)]
    cluster = [(Fraction(0), *_shifted(x)) for x in moving]
    leaders = [(away, *limit), (-others * away, *limit)]
    sides = [(distance, *_shifted(c)) for c in targets for distance in (*near, -sum(near, Fraction(0)))]
    return [*cluster, *leaders, *sides]
