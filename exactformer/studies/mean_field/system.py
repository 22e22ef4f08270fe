"""The system of the mean field: V, Q, K exact, B = Q'K invertible, M = V B'; and its file.

Tokens on the sphere obey xdot = P_x V m_beta(x), m_beta the mean of the tokens y with weights exp(beta <Q x, K y>),
and <Q x, K y> = <B'x, y>. At zero temperature they obey xdot = P_x M x/|B'x|.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TypeVar

import numpy as np

from exactformer.arithmetic.floats import float_of
from exactformer.arithmetic.integers import Array
from exactformer.arithmetic.number import Num
from exactformer.arithmetic.rational import RationalRows
from exactformer.arithmetic.short_text import MOST, show
from exactformer.arithmetic.state import PointsLike, State
from exactformer.arithmetic.text import brief
from exactformer.display.html import table
from exactformer.errors import InvalidInput, Malformed
from exactformer.geometry.linear_algebra import null_space
from exactformer.geometry.points import dot, scalars
from exactformer.io.json_lines import (
    JsonObject,
    PathLike,
    read_bytes,
    reading_file,
    strict_json,
    verify_header,
)
from exactformer.io.versions import since

#: the keys of a system file
_KEYS = ("V", "Q", "K")


@dataclass(frozen=True, init=False)
class System:
    """V in Q^(d x d), Q and K in Q^(h x d) (the identity unless given), with B = Q'K invertible.

    >>> system = System([[1, 0], [0, "1/2"]], [[1, 0], [0, 1]], [["1/5", 0], [0, 1]])
    >>> system.dim, system.M
    (2, ((Fraction(1, 5), Fraction(0, 1)), (Fraction(0, 1), Fraction(1, 2))))
    """

    V: RationalRows
    Q: RationalRows
    K: RationalRows

    def __init__(self, V: PointsLike, Q: PointsLike | None = None, K: PointsLike | None = None) -> None:
        object.__setattr__(self, "V", _matrix(V, "V"))
        for name, rows in (("Q", Q), ("K", K)):
            object.__setattr__(self, name, _matrix(np.eye(len(self.V), dtype=int) if rows is None else rows, name))
        self._verify_shapes()
        kernel = null_space(transpose(self.B))
        if kernel:
            x = ", ".join(map(brief, kernel[0]))
            raise InvalidInput(
                f"B = Q'K: expected an invertible {self.dim}-by-{self.dim} matrix, got a singular one: B'x = 0 at x = "
                f"({x}), where every token has the same score; change Q or K"
            )

    @classmethod
    def of(cls, V: PointsLike, B: PointsLike) -> System:
        """The system with Q = I and K = B.

        >>> System.of([[0, -1], [1, 0]], [[1, 0], [0, 1]]).B
        ((Fraction(1, 1), Fraction(0, 1)), (Fraction(0, 1), Fraction(1, 1)))
        """
        K = _matrix(B, "B")
        return cls(V, np.eye(len(K), dtype=int), K)

    @classmethod
    def given(cls, thing: System | PointsLike | PathLike) -> System:
        """A system as it is, of its file, or of the rows of V with Q = K = I."""
        if isinstance(thing, System):
            return thing
        return cls.read(thing) if isinstance(thing, (str, os.PathLike)) else cls(thing)

    @classmethod
    def read(cls, path: PathLike) -> System:
        """The system of a file {"exactformer": "system", "version": [1, 0], "V": .., "Q": .., "K": ..}."""
        with reading_file(path):
            content = strict_json(read_bytes(path), str(path))
            if not isinstance(content, dict):
                got = type(content).__name__
                raise Malformed(f'{path}: expected a system file {{"exactformer": "system", ..}}, got {got}')
            verify_header(content, "system", str(path))
            _verify_keys(content, str(path))
            return cls(*(content[key] for key in _KEYS))

    def __repr__(self) -> str:
        return f"System({', '.join(f'{key} = {show(getattr(self, key), most=MOST)}' for key in _KEYS)})"

    def _repr_html_(self) -> str:
        return table(["", ""], [(key, show(getattr(self, key), most=MOST)) for key in _KEYS])

    def json(self) -> JsonObject:
        """The content of the system's file, numbers as exact scalars."""
        return {"exactformer": "system", "version": since("system"), **{key: getattr(self, key) for key in _KEYS}}

    @property
    def dim(self) -> int:
        """The dimension d."""
        return len(self.V)

    @cached_property
    def B(self) -> RationalRows:
        """B = Q'K, the matrix of the scores <B'x, y>."""
        return matrix_product(transpose(self.Q), self.K)

    @cached_property
    def M(self) -> RationalRows:
        """M = V B', whose flow gives the directions at zero temperature."""
        return matrix_product(self.V, transpose(self.B))

    def floats(self) -> tuple[Array, Array]:
        """(V, B) in float64, rounded once (not exact)."""
        V, B = (np.array([[float_of(x) for x in row] for row in rows]) for rows in (self.V, self.B))
        return V, B

    def _verify_shapes(self) -> None:
        d = len(self.V)
        if len(self.V[0]) != d:
            raise InvalidInput(f"V: expected a square matrix, got {d} rows of {len(self.V[0])} numbers")
        for name, rows in (("Q", self.Q), ("K", self.K)):
            if len(rows[0]) != d:
                raise InvalidInput(
                    f"{name}: expected rows of {d} numbers, as V is {d}-by-{d}, got rows of {len(rows[0])}"
                )
        if len(self.Q) != len(self.K):
            raise InvalidInput(
                f"Q and K: expected as many rows in both, since scores are <Q x, K y>, got {len(self.Q)} and "
                f"{len(self.K)}"
            )
        if d < 2:
            raise InvalidInput("V: expected dimension d >= 2, got 1: on the sphere of a line nothing moves")


def _matrix(rows: object, name: str) -> RationalRows:
    """The exact rational matrix with the given rows."""
    if rows is None or isinstance(rows, (str, bytes, dict)) or not hasattr(rows, "__iter__"):
        raise InvalidInput(f"{name}: expected a list of rows of numbers, got {rows!r:.60}")
    state = State.of(rows, name)
    if not state.is_rational:
        raise InvalidInput(
            f"{name}: expected rational numbers, got an algebraic one; write it as a decimal or p/q, which is then "
            "taken as exact"
        )
    return tuple(scalars(row, state.denominator) for row in state.numerators)


def _verify_keys(content: JsonObject, where: str) -> None:
    """Raises Malformed unless a system file has the keys V, Q and K and no other."""
    missing = [key for key in _KEYS if key not in content]
    unknown = sorted(set(content) - {"exactformer", "version", *_KEYS})
    if missing or unknown:
        got = f"the unknown key {unknown[0]!r:.60}" if unknown else f"no {missing[0]}"
        raise Malformed(f'{where}: expected the matrices "V", "Q" and "K", got {got}')


MatrixEntry = TypeVar("MatrixEntry")


def transpose(rows: Sequence[Sequence[MatrixEntry]]) -> tuple[tuple[MatrixEntry, ...], ...]:
    """The transposed matrix.

    >>> transpose([[1, 2], [3, 4]])
    ((1, 3), (2, 4))
    """
    return tuple(zip(*rows, strict=True))


def matrix_product(left: Iterable[Sequence[Num]], right: Sequence[Sequence[Num]]) -> tuple[tuple[Num, ...], ...]:
    """The product of two matrices, over any exact numbers.

    >>> matrix_product([[1, 2]], [[3], [4]])
    ((11,),)
    """
    columns = transpose(right)
    return tuple(tuple(dot(row, column) for column in columns) for row in left)
