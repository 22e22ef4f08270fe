"""Instances of the mean field: matrices V and B, tokens as directions, and the constants of a bound."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import product
from random import Random

from exactformer.arithmetic.rational import RationalRow, RationalRows, identity, minus_multiple
from exactformer.arithmetic.text import exact
from exactformer.display.latex import latex_number, latex_rows
from exactformer.errors import InvalidInput
from exactformer.geometry.points import dot
from exactformer.instances.numbers import (
    nudged,
    replaced,
    simpler_numbers,
    total_cost,
    with_entry,
    without,
    without_column,
)
from exactformer.instances.tokens import latex_tokens
from exactformer.io.json_lines import JsonObject
from exactformer.io.untyped import Given


@dataclass(frozen=True)
class MeanField:
    """xdot = P_x V m_beta(x) with the scores <B'x, y>; a token z stands for the point z/|z| of the sphere.

    `constant` and `rate` are those of a bound C e^(-ct), where a statement speaks of one.

    >>> MeanField(((Fraction(1),),), ((Fraction(2),),)).dim
    1
    """

    V: RationalRows
    B: RationalRows
    tokens: RationalRows = ()
    constant: Fraction | None = None
    rate: Fraction | None = None

    def __post_init__(self) -> None:
        d = len(self.V)
        if not d or len(self.B) != d or any(len(row) != d for row in (*self.V, *self.B, *self.tokens)):
            raise InvalidInput("expected d-by-d matrices V and B, and tokens of dimension d")
        if any(not any(token) for token in self.tokens):
            raise InvalidInput("tokens: expected directions, got the zero vector")
        if any(x is not None and x <= 0 for x in (self.constant, self.rate)):
            raise InvalidInput("expected a constant and a rate > 0")

    @property
    def dim(self) -> int:
        """The dimension d."""
        return len(self.V)


class MeanFieldKind:
    """Instances of the mean field: simplified towards few tokens, low dimension, B = I and small numbers."""

    def json(self, instance: MeanField) -> JsonObject:
        """{"exactformer": "mean-field", "V", "B", "tokens", "constant", "rate"}."""
        return {
            "exactformer": "mean-field",
            "V": [list(row) for row in instance.V],
            "B": [list(row) for row in instance.B],
            "tokens": [list(row) for row in instance.tokens],
            "constant": instance.constant,
            "rate": instance.rate,
        }

    def read(self, content: JsonObject) -> MeanField:
        """The instance of its file form; B is the identity, tokens and constants are none unless given."""
        unknown = set(content) - {"exactformer", "version", "V", "B", "tokens", "constant", "rate"}
        if unknown or "V" not in content:
            raise InvalidInput(f'expected "V", "B", "tokens", "constant" and "rate", got {sorted(unknown) or "no V"}')
        V = _rows(content["V"], "V")
        B = _rows(content["B"], "B") if "B" in content else identity(len(V))
        constants = (None if content.get(key) is None else _number(content[key], key) for key in ("constant", "rate"))
        return MeanField(V, B, _rows(content.get("tokens", []), "tokens"), *constants)

    def size(self, instance: MeanField) -> tuple[int, ...]:
        """Tokens, dimension, then digits."""
        rows = [*instance.V, *instance.B, *instance.tokens, [x for x in (instance.constant, instance.rate) if x]]
        return (len(instance.tokens), instance.dim, *total_cost(rows))

    def varied(self, instance: MeanField, rng: Random) -> MeanField:
        """One entry of V, B or a token changed."""
        i, j = rng.randrange(instance.dim), rng.randrange(instance.dim)
        choice = rng.randrange(3)
        if choice == 0 and instance.tokens:
            k = rng.randrange(len(instance.tokens))
            return replace(instance, tokens=with_entry(instance.tokens, k, j, nudged(instance.tokens[k][j], rng)))
        name = "V" if choice == 1 else "B"
        rows = getattr(instance, name)
        return _changed(instance, name, with_entry(rows, i, j, nudged(rows[i][j], rng)))

    def simpler(self, instance: MeanField) -> Iterator[MeanField]:
        """Fewer tokens, lower dimension, B = I, simpler numbers: in this order."""
        for k in range(len(instance.tokens)):
            yield replace(instance, tokens=without(instance.tokens, k))
        yield from _smaller_dimension(instance)
        yield replace(instance, B=identity(instance.dim))
        yield from _same_matrix(instance)
        yield from _other_bases(instance)
        for name in ("V", "B", "tokens"):
            rows = getattr(instance, name)
            for i, j in product(range(len(rows)), range(instance.dim)):
                for x in simpler_numbers(rows[i][j]):
                    changed = with_entry(rows, i, j, x)
                    if name != "tokens" or any(changed[i]):
                        yield _changed(instance, name, changed)
        for name in ("constant", "rate"):
            x = getattr(instance, name)
            yield from (_changed(instance, name, y) for y in simpler_numbers(x or Fraction(0)) if y > 0)

    def latex(self, instance: MeanField) -> str:
        """V, B, the tokens and the constants."""
        parts = [f"V = {latex_rows(instance.V)}", f"B = {latex_rows(instance.B)}"]
        if instance.tokens:
            parts.append(latex_tokens(instance.tokens, "x"))
        for name, x in (("C", instance.constant), ("c", instance.rate)):
            if x is not None:
                parts.append(f"{name} = {latex_number(x)}")
        return ",\\quad ".join(parts)


def _smaller_dimension(instance: MeanField) -> Iterator[MeanField]:
    """The instance without one coordinate; tokens that vanish are left out."""
    for k in range(instance.dim) if instance.dim > 1 else ():
        V, B = (without_column(without(rows, k), k) for rows in (instance.V, instance.B))
        tokens = tuple(row for row in without_column(instance.tokens, k) if any(row))
        yield replace(instance, V=V, B=B, tokens=tokens)


def _same_matrix(instance: MeanField) -> Iterator[MeanField]:
    """The same M = V B' with B = I, and with V = I; multiples of it, and M - c I, which moves tokens along."""
    M = [[dot(row, other) for other in instance.B] for row in instance.V]
    one = identity(instance.dim)
    yield replace(instance, V=tuple(map(tuple, M)), B=one)
    yield replace(instance, V=one, B=tuple(zip(*M, strict=True)))
    for c in {M[i][i] for i in range(instance.dim)} - {0}:
        yield replace(instance, V=minus_multiple(M, c), B=one)
    for c in {abs(x) for row in M for x in row} - {0, 1}:
        yield replace(instance, V=tuple(tuple(x / c for x in row) for row in M), B=one)


def _other_bases(instance: MeanField) -> Iterator[MeanField]:
    """S V S^-1 and S x for B = I, where S adds a multiple of one coordinate to another or scales one."""
    if identity(instance.dim) != instance.B:
        return
    for i, j in product(range(instance.dim), repeat=2):
        for c in (Fraction(1), Fraction(-1), Fraction(2), Fraction(-2), Fraction(1, 2), Fraction(3), Fraction(1, 3)):
            if i != j or c not in (1, -1):
                yield replace(
                    instance,
                    V=_conjugated(instance.V, i, j, c),
                    tokens=tuple(_moved(token, i, j, c) for token in instance.tokens),
                )


def _moved(x: RationalRow, i: int, j: int, c: Fraction) -> RationalRow:
    """x with x_i + c x_j in place of x_i; for i = j with c x_i."""
    return replaced(x, i, c * x[i] if i == j else x[i] + c * x[j])


def _conjugated(V: RationalRows, i: int, j: int, c: Fraction) -> RationalRows:
    """S V S^-1 for the map S of `_moved`: the columns of V change by the inverse of the transposed map."""
    columns = [_moved(column, i, j, c) for column in zip(*V, strict=True)]
    if i == j:
        columns[i] = tuple(x / c for x in columns[i])
    else:
        columns[j] = tuple(x - c * y for x, y in zip(columns[j], columns[i], strict=True))
    return tuple(zip(*columns, strict=True))


def _changed(instance: MeanField, name: str, value: Given) -> MeanField:
    """The instance with another matrix, other tokens or another constant."""
    return replace(instance, **{name: value})


def _rows(rows: object, where: str) -> RationalRows:
    if not isinstance(rows, (list, tuple)) or not all(isinstance(row, (list, tuple)) for row in rows):
        raise InvalidInput(f"{where}: expected a list of rows of numbers, got {rows!r:.60}")
    return tuple(tuple(_number(x, where) for x in row) for row in rows)


def _number(x: object, where: str) -> Fraction:
    value = exact(x, where)
    if not isinstance(value, Fraction):
        raise InvalidInput(f"{where}: expected a rational number, got {x!r:.60}")
    return value
