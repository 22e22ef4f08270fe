"""The Laplace bound on a given measure: |m_beta(x) - u| <= r for every beta >= beta_0.

m_beta is the mean of tokens y on the unit sphere with the weights e^(beta s), s = <A x, y>, and u = A x/|A x|. The
distance f = |y - u| = sqrt(2 - 2 s/|A x|) falls as s grows, so that the derivative of E f in beta, the covariance of f
and s, is at most 0 (Chebyshev): E f at beta_0 bounds |m_beta - u| <= E f for every beta >= beta_0.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

from flint import arb, ctx

from exactformer.arithmetic.algebraic import Algebraic
from exactformer.arithmetic.ball import ends
from exactformer.arithmetic.interval import rational
from exactformer.arithmetic.rational import RationalRow, simplest_between
from exactformer.arithmetic.text import Exact, NumberLike, brief, exact, exact_row
from exactformer.display.verbs import Certified, Listed
from exactformer.errors import InvalidInput
from exactformer.geometry.points import dot
from exactformer.io.json_lines import JsonObject, PathLike
from exactformer.model.tokens import Tokens

#: bits of the balls, and of the checker's arithmetic
BITS = 128
#: what a bound is rounded up by: far more than n 2^-BITS and than the square root of 2^-BITS
SLACK = Fraction(1, 2**50)


@dataclass(frozen=True, repr=False)
class Laplace(Listed, Certified):
    """|m_beta(x) - A x/|A x|| <= bound for every beta >= beta_0; `mean_distance` and `error` enclose E f and the left
    side at beta_0."""

    tokens: Tokens
    x: RationalRow
    beta: Fraction
    bound: Fraction
    mean_distance: tuple[Fraction, Fraction]
    error: tuple[Fraction, Fraction]

    def __repr__(self) -> str:
        return f"Laplace(distance <= {brief(self.bound)} for every beta >= {brief(self.beta)})"

    def certify(self, path: PathLike) -> Path:
        """Writes a certificate of the claim `laplace`."""
        from exactformer.studies.mean_field.claims import write_laplace

        write_laplace(path, self.tokens.A, self.tokens.state.rows(), self.x, self.beta, self.bound, BITS)
        return Path(path)

    def json(self) -> JsonObject:
        """The answer as plain data."""
        low = simplest_between(self.mean_distance[0] - SLACK, self.mean_distance[0])
        return {"bound": [max(low, Fraction(0)), self.bound], "beta": [self.beta, None]}


def laplace_bound(tokens: Tokens, x: Sequence[NumberLike], beta: NumberLike) -> Laplace:
    """The bound for every inverse temperature >= beta, for tokens on the unit sphere and the scores <A x, y>.

    Proof: mathematics/mean_field#laplace.

    >>> square = Tokens([[1, 0], [0, 1], [-1, 0], [0, -1]])
    >>> float(laplace_bound(square, [1, 0], 10).bound) < 2e-4
    True
    """
    least, point = _rational(exact(beta, "beta"), "beta"), _point(x, tokens)
    if least <= 0:
        raise InvalidInput(f"beta: expected an inverse temperature > 0, got {brief(least)}")
    if not tokens.is_rational:
        raise InvalidInput("tokens: expected rational coordinates, got an algebraic number")
    verify_on_sphere(tokens)
    w = [_rational(dot(row, point), "A") for row in tokens.A]
    if not any(w):
        raise InvalidInput("x: expected a point with A x != 0, got one at which every token has the same score")
    scores = [_rational(dot(w, y), "tokens") for y in tokens.state]
    with ctx.workprec(BITS + 64):
        distance, error = _means(tokens, w, scores, least)
    upper = distance[1] + SLACK
    bound = simplest_between(upper, upper * (1 + Fraction(1, 2**20)) + SLACK)
    return Laplace(tokens, point, least, bound, distance, error)


def _means(
    tokens: Tokens, w: Sequence[Fraction], scores: Sequence[Fraction], beta: Fraction
) -> tuple[tuple[Fraction, Fraction], tuple[Fraction, Fraction]]:
    """Enclosures of E |y - u| and |m - u|, in balls of the precision of the moment."""
    length = _ball(dot(w, w)).sqrt()
    u, top = [_ball(x) / length for x in w], max(scores)
    weights = [_ball(beta * (s - top)).exp() for s in scores]
    total = sum(weights, arb(0))
    distances = [_root(2 - 2 * _ball(s) / length) for s in scores]
    mean = sum((a * f for a, f in zip(weights, distances, strict=True)), arb(0)) / total
    square = arb(0)
    for k, direction in enumerate(u):
        column = (_ball(y[k]) for y in tokens.state)
        gap = sum((a * y for a, y in zip(weights, column, strict=True)), arb(0)) / total - direction
        square += gap * gap
    return ends(mean), ends(_root(square))


def _root(square: arb) -> arb:
    """A ball around the square roots of the nonnegative numbers of a ball that contains one."""
    low, high = (_ball(max(end, Fraction(0))).sqrt() for end in ends(square))
    return low.union(high)


def verify_on_sphere(tokens: Tokens) -> None:
    """Raises InvalidInput unless every token has length 1 exactly."""
    for i, y in enumerate(tokens.state):
        square = dot(y, y)
        if square != 1:
            raise InvalidInput(
                f"tokens[{i}]: expected a token on the unit sphere, exactly, got |y|^2 = {brief(square)}; points such "
                "as (3/5, 4/5) lie on it: ((1-t^2)/(1+t^2), 2t/(1+t^2)) for rational t, or `meanfield sample circle`"
            )


def _point(x: Sequence[NumberLike], tokens: Tokens) -> RationalRow:
    point = tuple(_rational(value, "x") for value in exact_row(x, "x"))
    if len(point) != tokens.dim:
        raise InvalidInput(f"x: expected {tokens.dim} coordinates, as the tokens have, got {len(point)}")
    return point


def _rational(value: Exact, where: str) -> Fraction:
    if isinstance(value, Algebraic):
        raise InvalidInput(f"{where}: expected a rational number, got the algebraic number {value}")
    return value


def _ball(x: Exact) -> arb:
    return arb(rational(_rational(x, "tokens")))
