"""Random instances of the mean field, of every kind: random matrices are almost never defective or tied.

M = S J S^-1 with a Jordan form J and a unimodular S, then V = M B'^-1 for an invertible B.
"""

from __future__ import annotations

from fractions import Fraction
from random import Random

from flint import fmpq_mat

from exactformer.arithmetic.interval import fraction
from exactformer.arithmetic.rational import RationalRow, RationalRows, diagonal, identity
from exactformer.instances.mean_field import MeanField
from exactformer.studies.mean_field.flint_forms import flint_matrix
from exactformer.studies.mean_field.system import transpose

#: what leads
KINDS = ("line", "plane", "jordan", "pair")


def with_spectrum(rng: Random) -> MeanField:
    """A system of a random kind, with tokens in general position."""
    M, _, dim = matrix_led_by(rng, rng.choice(KINDS))
    return _instance(rng, M, tuple(_vector(rng, dim) for _ in range(rng.randint(1, 3))))


def with_kernel(rng: Random) -> MeanField:
    """A system with a semisimple dominant eigenvalue, and tokens some of which are combinations of few eigenvectors."""
    M, S, dim = matrix_led_by(rng, rng.choice(("line", "plane")))
    tokens = []
    for _ in range(rng.randint(1, 4)):
        chosen = rng.sample(range(dim), rng.randint(1, dim))
        tokens.append(tuple(sum((S[i][j] for j in chosen), Fraction(0)) for i in range(dim)))
    return _instance(rng, M, tuple(token for token in tokens if any(token)) or (_vector(rng, dim),))


def cones(rng: Random) -> MeanField:
    """V a multiple of I, M with a rational dominant line, and tokens around a random direction."""
    M, _, dim = matrix_led_by(rng, "line")
    v = Fraction(rng.randint(1, 4), rng.randint(1, 3))
    centre = [x * rng.choice((2, 4, 8)) for x in _vector(rng, dim)]
    tokens = tuple(tuple(c + rng.randint(-2, 2) for c in centre) for _ in range(rng.randint(1, 5)))
    B = transpose([[x / v for x in row] for row in M])  # V B' = v B' = M
    return MeanField(diagonal([v] * dim), B, tuple(token for token in tokens if any(token)) or (_vector(rng, dim),))


def mirrored(rng: Random) -> MeanField:
    """Diagonal systems, now and then not quite, and tokens with their mirror images, now and then not all."""
    dim = rng.choice((2, 2, 3))
    V, B = ([[Fraction(0)] * dim for _ in range(dim)] for _ in range(2))
    for i in range(dim):
        V[i][i], B[i][i] = _number(rng), Fraction(rng.randint(1, 5), rng.randint(1, 5))
    if rng.random() < 0.3:
        V[0][1] += 1
    signs = [rng.choice((1, -1)) for _ in range(dim)]
    tokens: list[RationalRow] = []
    for _ in range(rng.randint(1, 3)):
        pairs = zip(_vector(rng, dim), signs, strict=True)
        token = tuple(x if sign > 0 or rng.random() < 0.6 else Fraction(0) for x, sign in pairs)
        image = tuple(x * sign for x, sign in zip(token, signs, strict=True))
        tokens += {token, image} if rng.random() < 0.9 else {token}
    kept = tuple(token for token in sorted(tokens) if any(token)) or (_vector(rng, dim),)
    return MeanField(tuple(map(tuple, V)), tuple(map(tuple, B)), kept)


def circle(rng: Random) -> MeanField:
    """A symmetric V in the plane, B = I, and constants C and c."""
    b = Fraction(rng.choice((0, 0, 1, -2)))
    V = ((_number(rng), b), (b, _number(rng)))
    constant, rate = (Fraction(rng.randint(1, 10 ** rng.randint(1, 4)), rng.randint(1, 20)) for _ in range(2))
    return MeanField(V, identity(2), (), constant, rate)


def matrix_led_by(rng: Random, kind: str) -> tuple[RationalRows, RationalRows, int]:
    """(S J S^-1, S, d): the leading block of the given kind, eigenvalues, pairs and blocks below it."""
    top = _number(rng)
    blocks = [_block(rng, kind, top)]
    dim = len(blocks[0])
    while dim < 2 or (dim < 4 and rng.random() < 0.5):
        lower = top - Fraction(rng.randint(1, 6), rng.randint(1, 3))
        blocks.append(_block(rng, rng.choice(("line", "line", "jordan", "pair")) if dim < 3 else "line", lower))
        dim += len(blocks[-1])
    J = [[Fraction(0)] * dim for _ in range(dim)]
    place = 0
    for block in blocks:
        for i, row in enumerate(block):
            J[place + i][place : place + len(block)] = row
        place += len(block)
    S = _unimodular(rng, dim)
    inverse = flint_matrix(S).inv()
    return _rows(flint_matrix(S) * flint_matrix(J) * inverse), S, dim


def _block(rng: Random, kind: str, value: Fraction) -> list[list[Fraction]]:
    zero, turn = Fraction(0), Fraction(rng.randint(1, 4), rng.randint(1, 2))
    return {
        "line": [[value]],
        "plane": [[value, zero], [zero, value]],
        "jordan": [[value, turn], [zero, value]],
        "pair": [[value, -turn], [turn, value]],
    }[kind]


def _unimodular(rng: Random, dim: int) -> RationalRows:
    """A product of a few elementary integer matrices."""
    S = list(identity(dim))
    for _ in range(rng.randint(0, 2 * dim)):
        i, j = rng.sample(range(dim), 2)
        c = rng.choice((-2, -1, 1, 2))
        S[i] = tuple(x + c * y for x, y in zip(S[i], S[j], strict=True))
    return tuple(S)


def _instance(rng: Random, M: RationalRows, tokens: RationalRows) -> MeanField:
    """V = M B'^-1 for B = I, a diagonal or a unimodular matrix."""
    dim = len(M)
    B = (
        _unimodular(rng, dim)
        if rng.random() < 0.4
        else tuple(
            tuple(Fraction(rng.randint(1, 4), rng.randint(1, 3)) * (i == j) for j in range(dim)) for i in range(dim)
        )
    )
    return MeanField(_rows(flint_matrix(M) * flint_matrix(transpose(B)).inv()), B, tokens)


def _rows(M: fmpq_mat) -> RationalRows:
    return tuple(tuple(fraction(x) for x in row) for row in M.tolist())


def _vector(rng: Random, dim: int) -> RationalRow:
    """A vector of small integers that is not zero."""
    while True:
        found = tuple(Fraction(rng.randint(-3, 3)) for _ in range(dim))
        if any(found):
            return found


def _number(rng: Random) -> Fraction:
    return Fraction(rng.randint(-6, 6), rng.randint(1, 3))
