"""Finite point sets as integer matrices over one common denominator, and the ring operations all of geometry uses."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import Any, TypeAlias

import numpy as np

from exactformer.arithmetic.algebraic import Algebraic
from exactformer.arithmetic.floats import float_of
from exactformer.arithmetic.integers import Array
from exactformer.arithmetic.state import State
from exactformer.errors import InvalidInput

#: an int, a Fraction or a real algebraic number: an element of an ordered field with exact comparisons
Element: TypeAlias = Any
Vector: TypeAlias = tuple[Element, ...]
#: rows of scalars, or a State
Points: TypeAlias = State | Iterable[Sequence[Element]]
#: pairs (index of a point, its positive weight), indices ascending
Weights: TypeAlias = tuple[tuple[int, Element], ...]

#: decorates what computes with object arrays: interval arithmetic inside an algebraic comparison raises the
#: processor's overflow flags on purpose, and NumPy would report them as if they were its own
exact_arrays = np.errstate(all="ignore")


def shared(*groups: Points, names: Sequence[str] = ("points",)) -> tuple[list[Array], int]:
    """(N_1, N_2, ...), D with N_g / D the points of group g: one positive denominator for all of them.

    Raises InvalidInput for an empty group, rows of different lengths, and groups of different dimensions.

    >>> shared([["1/2", 0]], [[1, "1/3"]], names=("left", "right"))
    ([array([[3, 0]], dtype=object), array([[6, 2]], dtype=object)], 6)
    """
    states = [State.of(group, where=name) for group, name in zip(groups, names, strict=True)]
    for name, state in zip(names, states, strict=True):
        state.checked(name)
        if state.dim != states[0].dim:
            raise InvalidInput(
                f"{name}: expected points of dimension {states[0].dim} as in {names[0]}, got dimension {state.dim}"
            )
    if not all(state.is_rational for state in states):
        # read together, so that all groups are written in one number field
        together = State.of([row for state in states for row in state.rows()]).numerators
        ends = np.cumsum([len(state) for state in states])
        return np.split(together, ends[:-1]), 1
    denominator = math.lcm(*(state.denominator for state in states))
    return [state.numerators * (denominator // state.denominator) for state in states], denominator


def all_integers(X: Array) -> bool:
    """Whether every entry is a Python int (and none an algebraic number)."""
    return all(type(x) is int for x in X.flat)


def divide_exactly(X: Array, y: Element) -> Array:
    """X / y where the quotient is known to lie in the ring: in the integers if X and y do.

    >>> divide_exactly(np.array([6, -9], dtype=object), 3)
    array([2, -3], dtype=object)
    """
    # a mixed array never meets the operator / directly: int / int would be a float
    result: Array = X // y if type(y) is int and all_integers(X) else X * quotient(1, y)
    return result


def quotient(x: Element, y: Element) -> Element:
    """x / y in the field of fractions; a rational value is always a Fraction.

    >>> quotient(6, 4)
    Fraction(3, 2)
    """
    return Fraction(x, y) if type(x) is int and type(y) is int else plain(x / y)


def plain(x: Element) -> Element:
    """The same number, as a Fraction where it is rational.

    >>> plain(3)
    Fraction(3, 1)
    """
    if isinstance(x, Algebraic):
        rational = x.rational
        return x if rational is None else rational
    return Fraction(x)


def approx_over_norm(row: Sequence[Element]) -> list[float]:
    """The numbers, not all zero, over the sum of their sizes, in floats: whatever their own size is."""
    approximate = [float_of(x) for x in row]
    norm = sum(map(abs, approximate))
    if 1e-290 < norm < math.inf:
        return [x / norm for x in approximate]
    exact_norm = sum(map(abs, row), start=0)
    return [float_of(quotient(x, exact_norm)) for x in row]


def scalars(numerators: Iterable[Element], denominator: int) -> Vector:
    """The point numerators/denominator as Fractions or algebraic numbers.

    >>> scalars([1, 2], 2)
    (Fraction(1, 2), Fraction(1, 1))
    """
    return tuple(quotient(x, denominator) for x in numerators)


def column(v: Sequence[Element]) -> Array:
    """The vector as an object array, whatever its entries are."""
    result = np.empty(len(v), dtype=object)
    result[:] = v
    return result


def dot(u: Iterable[Element], v: Iterable[Element]) -> Element:
    """<u, v>.

    >>> dot((1, 2), (3, Fraction(1, 2)))
    Fraction(4, 1)
    """
    return sum((x * y for x, y in zip(u, v, strict=True)), start=0)


def primitive(v: Sequence[Element]) -> Vector:
    """The shortest integer vector in the direction of v; a vector with an algebraic entry is left alone.

    >>> primitive((Fraction(2, 3), Fraction(-4, 5)))
    (5, -6)
    """
    v = [plain(x) for x in v]
    if not all(isinstance(x, Fraction) for x in v):
        return tuple(v)
    scale = math.lcm(*(x.denominator for x in v))
    integers = [int(x * scale) for x in v]
    divisor = math.gcd(*integers) or 1
    return tuple(x // divisor for x in integers)


def combine(weights: Weights, points: Array, denominator: int) -> Vector:
    """sum_j w_j p_j over the pairs (j, w_j), for the points numerators/denominator.

    >>> combine(((0, Fraction(1, 2)), (1, Fraction(1, 2))), np.array([[0, 0], [2, 4]], dtype=object), 1)
    (Fraction(1, 1), Fraction(2, 1))
    """
    dim = points.shape[1]
    total = [sum((w * points[j, k] for j, w in weights), start=Fraction(0)) for k in range(dim)]
    return tuple(plain(x / denominator) for x in total)
