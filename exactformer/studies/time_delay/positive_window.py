"""The least window of frozen additive attention: x^m = alpha x^(m-1) + s sum_{j<m-1} a_j x^j modulo p, all a_j >= 0.

With attention that does not depend on the tokens and one shared encoding, the coefficients of all older tokens
are a_j W with a_j > 0 and one W; a scalar signal with characteristic polynomial p is reproduced exactly, by such
weights or a limit of them, if and only if this rational linear program has a solution, for s = 1 or s = -1. Every
smaller window is refused with Farkas' vector: y with <y, x^m> > 0, <y, x^(m-1)> = 0 and s <y, x^j> <= 0 for
j < m-1, powers modulo p.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

import numpy as np

from exactformer.arithmetic.integers import Array
from exactformer.arithmetic.rational import RationalRow, common_denominator
from exactformer.display.verbs import Certified, Listed
from exactformer.errors import InvalidInput, Undecided
from exactformer.geometry.simplex import Farkas, Feasible, nonnegative_solution
from exactformer.io.json_lines import JsonObject, PathLike

#: the largest window that is looked for, unless the caller says otherwise
CAP = 60
#: how often the floor of the weights is halved in search of strictly positive ones
HALVINGS = 12


@dataclass(frozen=True, repr=False)
class PositiveWindow(Listed, Certified):
    """The least window m with its weights: z_{k+m} = alpha z_{k+m-1} + sign * sum_{j<m-1} weights[j] z_{k+j}.

    `refused[k]` holds Farkas' vectors, for sign 1 and -1, of the window k + 2.
    """

    polynomial: RationalRow
    newest: Fraction
    sign: int
    weights: RationalRow
    refused: tuple[tuple[RationalRow, RationalRow], ...]

    @property
    def window(self) -> int:
        """The least window m >= 2."""
        return len(self.weights) + 1

    @property
    def strict(self) -> bool:
        """Whether all weights are positive, as those of a softmax are; otherwise they are a limit of such weights."""
        return all(a > 0 for a in self.weights)

    def json(self) -> JsonObject:
        """The answer of `exactformer delay window`."""
        answer = {"window": self.window, "weights": self.weights, "refused": list(range(2, self.window))}
        return {**answer, "newest": self.newest, "sign": self.sign, "strict": self.strict}

    def __repr__(self) -> str:
        kind = "positive" if self.strict else "nonnegative"
        return f"PositiveWindow({self.window}, {kind} weights; every smaller window is refused)"

    def certify(self, path: PathLike) -> Path:
        """Writes a certificate of the claim `positive-window`."""
        from exactformer.studies.time_delay.claims import write_positive_window

        write_positive_window(path, self.polynomial, self.newest, self.sign, self.weights, self.refused)
        return Path(path)


def least_window(
    polynomial: RationalRow, *, cap: int = CAP, progress: Callable[[int], None] = lambda done: None
) -> PositiveWindow:
    """The least window m <= cap of a monic polynomial c_0, .., c_r = 1; raises Undecided where none is found.

    Proof: mathematics/delay#d2.

    >>> found = least_window(polynomial_of_tones([Fraction(4, 5)]))
    >>> found.window, found.newest, found.sign, found.weights
    (2, Fraction(8, 5), -1, (Fraction(1, 1),))
    """
    if len(polynomial) < 2 or polynomial[-1] != 1:
        raise InvalidInput(f"expected a monic polynomial of degree at least 1, got the coefficients {polynomial}")
    refused: list[tuple[RationalRow, RationalRow]] = []
    for window in range(2, cap + 1):
        progress(window)
        proofs: list[RationalRow] = []
        for sign in (1, -1):
            M, b = _program(polynomial, window, sign)
            found = nonnegative_solution(M, b)
            found.verify(M, b)
            if isinstance(found, Farkas):
                proofs.append(tuple(map(Fraction, found.y)))
                continue
            newest, weights = _positive(M, b, found)
            return PositiveWindow(polynomial, newest, sign, weights, tuple(refused))
        refused.append((proofs[0], proofs[1]))
    raise Undecided(f"no window up to {cap} carries this signal with positive weights; a larger cap goes on")


def _program(polynomial: RationalRow, window: int, sign: int) -> tuple[Array, Array]:
    """(M, b) over one denominator: M (alpha+, alpha-, a_0, .., a_(m-2)) = b, all unknowns >= 0."""
    powers = powers_modulo(polynomial, window + 1)
    newest, target = powers[window - 1], powers[window]
    columns = [newest, [-x for x in newest], *([sign * x for x in powers[j]] for j in range(window - 1))]
    common = common_denominator(x for column in (*columns, target) for x in column)
    M = np.array([[int(x * common) for x in row] for row in zip(*columns, strict=True)], dtype=object)
    return M, np.array([int(x * common) for x in target], dtype=object)


def powers_modulo(polynomial: RationalRow, count: int) -> list[list[Fraction]]:
    """The coefficients of x^0, .., x^(count-1) modulo a monic polynomial."""
    degree = len(polynomial) - 1
    power = [Fraction(int(i == 0)) for i in range(degree)]
    powers = []
    for _ in range(count):
        powers.append(power)
        top = power[-1]
        power = [x - top * c for x, c in zip([Fraction(0), *power[:-1]], polynomial, strict=False)]
    return powers


def _positive(M: Array, b: Array, found: Feasible) -> tuple[Fraction, RationalRow]:
    """(alpha, weights) with all weights positive, if a floor under them is feasible; else as found."""
    floor = Fraction(1, 8)
    for _ in range(HALVINGS):
        common = floor.denominator
        raised = b * common - (M[:, 2:].sum(axis=1) * floor.numerator)
        above = nonnegative_solution(M * common, raised)
        if isinstance(above, Feasible):
            x = [Fraction(value) for value in above.x]
            return x[0] - x[1], tuple(floor + value for value in x[2:])
        floor /= 2
    x = [Fraction(value) for value in found.x]
    return x[0] - x[1], tuple(x[2:])


def polynomial_of_tones(cosines: Iterable[Fraction]) -> RationalRow:
    """The coefficients of the product of x^2 - 2c x + 1: the tones whose frequencies have these cosines.

    >>> polynomial_of_tones([Fraction(4, 5)])
    (Fraction(1, 1), Fraction(-8, 5), Fraction(1, 1))
    """
    listed = list(cosines)
    if not listed or len(set(listed)) != len(listed) or not all(-1 < c < 1 for c in listed):
        raise InvalidInput(f"cosines: expected different numbers between -1 and 1, got {', '.join(map(str, listed))}")
    product = [Fraction(1)]
    for c in listed:
        factor = (Fraction(1), -2 * c, Fraction(1))
        product = [
            sum((product[i - k] * factor[k] for k in range(3) if 0 <= i - k < len(product)), Fraction(0))
            for i in range(len(product) + 2)
        ]
    return tuple(product)
