"""Instances that look like a late layer: leaders at rest, targets close to them, a cluster with exact ties.

Ties are solved for: a token is put on the sphere on which it ties with itself and a target, or on the plane on which it
ties with a target and another token. Adversarial on purpose: clusters along one line, nearly equal tokens, several
targets with nearly the same score, and alpha around 3, where the proof for all dimensions ends.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from random import Random

from exactformer.arithmetic.rational import RationalRow
from exactformer.dynamics.late_layer import late_layers
from exactformer.geometry.points import dot
from exactformer.instances.tokens import tokens_of
from exactformer.model.tokens import Tokens

#: around 3, the squares less one at which a self-tie could last, and others
STEPS = tuple(map(Fraction, ("3", "3", "29/10", "31/10", "8", "15", "24", "5", "2", "1", "1/2")))
#: draws of which one is taken as it is, if none looks like a late layer
DRAWS = 40


@dataclass(frozen=True)
class LateLayers:
    """Late layers in dimension 3 to 5: up to three sets of two or three targets, up to four tokens in the cluster.

    >>> LateLayers()(Random(1)).dim in (3, 4, 5)
    True
    """

    steps: Sequence[Fraction] = STEPS
    twice: bool = False  # a token that ties with itself now ties with itself one layer later, if it can

    def __call__(self, rng: Random) -> Tokens:
        for _ in range(DRAWS):
            tokens = _drawn(rng, rng.choice(self.steps), self.twice)
            if late_layers(tokens) is not None:
                break
        return tokens


def _drawn(rng: Random, alpha: Fraction, twice: bool) -> Tokens:
    """Tokens that may look like a late layer."""
    size = rng.choice((2, 3, 3, 4))  # the dimension of the mirror
    small, pair = Fraction(1, rng.choice((1, 2, 4, 16, 64))), rng.randrange(4) > 0
    line = _direction(rng, size - 1)
    cluster: list[RationalRow] = []
    if (twice or rng.randrange(3) == 0) and any(line):
        g, targets = _twice_tied(rng, tuple(small * x for x in line), alpha / (1 + alpha), 3 if pair else 4)
        cluster.append(g)
    else:
        targets = [_target(rng, size, small) for _ in range(rng.choice((1, 1, 2, 3)))]
    for _ in range(rng.choice((0, 1, 1, 2, 3) if cluster else (1, 2, 2, 3, 4))):
        way = line if rng.randrange(2) else _direction(rng, size - 1)
        cluster.append(_member(rng, targets, cluster, way, small))
    rows = [*_sides(rng, targets, pair), *((Fraction(0), *z) for z in cluster)]
    return tokens_of(list(dict.fromkeys(rows)), None, alpha)


def _twice_tied(rng: Random, x: RationalRow, a: Fraction, N: int) -> tuple[RationalRow, list[RationalRow]]:
    """g and two targets: g ties with itself and N-1 tokens of the first now, and of the second one layer later.

    To first order that asks for |x|^2 = y <l, Z> with y = a / (rho (1 - rho)), rho = 1 - a + a/N. The first target is a
    little lower, so that it falls short later, and the second one is turned away from g, so that it does so now.
    """
    rho, size = 1 - a + a / N, Fraction(dot(x, x))
    up = size * rho * (1 - rho) / a * (1 - Fraction(rng.randint(0, 8), 32))
    first = (1 + up, *(c * Fraction(rng.randint(-4, 4), 8) for c in x))
    g = _on_sphere((1 - size + up, *x), first)
    turn = Fraction(rng.randint(0, 12), 4)
    other = (first[0], *(c - turn * d for c, d in zip(first[1:], x, strict=True)))
    return g, [first, _tying_next(g, first, other, a, N)]


def _tying_next(g: RationalRow, followed: RationalRow, other: RationalRow, a: Fraction, N: int) -> RationalRow:
    """The other target, changed in one coordinate so that g, if it ties with itself and the first, ties with it next.

    g goes to g + (1 - 1/N) a (followed - g), the other target to r other + a l.
    """
    step = a * Fraction(N - 1, N)
    after = tuple(x + step * (y - x) for x, y in zip(g, followed, strict=True))
    missing = (dot(after, after) - a * after[0]) / (1 - a) - dot(after, other)
    return (other[0] + Fraction(missing) / after[0], *other[1:]) if after[0] else other


def _direction(rng: Random, size: int) -> RationalRow:
    return tuple(Fraction(rng.randint(-3, 3)) for _ in range(size))


def _target(rng: Random, size: int, small: Fraction) -> RationalRow:
    """l + Z with <l, Z> > 0 mostly, l the first unit vector: where a set of targets stands, seen in the mirror."""
    up = small * small * Fraction(rng.choice((1, 1, 1, 2, 3, 0)), 4)
    return (1 + up, *(small * Fraction(rng.randint(-4, 4), rng.choice((4, 8, 32))) for _ in range(size - 1)))


def _member(
    rng: Random, targets: list[RationalRow], cluster: list[RationalRow], way: RationalRow, small: Fraction
) -> RationalRow:
    """A token near l: tied with itself and a target, with a target and another token, or with nobody in particular."""
    stretch = small * Fraction(rng.randint(1, 6), 4)
    depth = stretch * stretch * Fraction(rng.randint(4, 12), 8) * sum(x * x for x in way)
    z = (1 - depth, *(stretch * x for x in way))
    target, kind = rng.choice(targets), rng.randrange(5)
    if kind <= 2:
        return _on_sphere(z, target)
    if kind == 3 and cluster:
        return _on_plane(z, tuple(x - y for x, y in zip(rng.choice(cluster), target, strict=True)))
    return z


def _on_sphere(z: RationalRow, target: RationalRow) -> RationalRow:
    """The multiple v of z with |v|^2 = <v, target>."""
    t = Fraction(dot(z, target)) / Fraction(dot(z, z)) if any(z) else Fraction(0)
    return tuple(t * x for x in z)


def _on_plane(z: RationalRow, normal: RationalRow) -> RationalRow:
    """z with one coordinate changed such that <z, normal> = 0, if that can be."""
    k = max(range(len(z)), key=lambda c: abs(normal[c]))
    return (*z[:k], z[k] - Fraction(dot(z, normal)) / normal[k], *z[k + 1 :]) if normal[k] else z


def _sides(rng: Random, targets: list[RationalRow], pair: bool) -> list[RationalRow]:
    """The leaders, and two or three tokens for every target, whose distances from the mirror add up to 0."""
    away, limit = Fraction(rng.choice((3, 4, 8))), (Fraction(1), *[Fraction(0)] * (len(targets[0]) - 1))
    near = [away / 2] if pair else [away / 2, away / 3]
    leaders: list[RationalRow] = [(away, *limit), (-len(near) * away, *limit)]
    return leaders + [(q, *w) for w in targets for q in (*near, -sum(near, Fraction(0)))]
