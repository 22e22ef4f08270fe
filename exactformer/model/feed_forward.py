"""The feed-forward layer x -> eta*x + W relu(U x + b), by its definition."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction

from exactformer.arithmetic.number import Num, NumberKind, exactly
from exactformer.arithmetic.short_text import short_repr
from exactformer.arithmetic.text import Exact, NumberLike, exact, exact_row
from exactformer.errors import InvalidInput
from exactformer.model.matrix import Matrix, MatrixLike, Row, bit_size, matrix


@short_repr
@dataclass(frozen=True)
class FeedForward:
    """x -> eta*x + W relu(U x + b), with U p-by-d and W d-by-p.

    >>> FeedForward(0, U=[[1], [-1]], b=[0, 0], W=[[1, 1]]).apply([Fraction(-3)])
    [Fraction(3, 1)]
    """

    eta: Exact
    U: Matrix
    b: Row
    W: Matrix

    def __init__(self, eta: NumberLike, U: MatrixLike, b: Iterable[NumberLike], W: MatrixLike) -> None:
        object.__setattr__(self, "eta", exact(eta, "eta"))
        object.__setattr__(self, "U", matrix(U))
        object.__setattr__(self, "b", exact_row(b, "b"))
        object.__setattr__(self, "W", matrix(W))
        if not self.b:
            raise InvalidInput("expected at least one unit, got an empty b; no unit at all is None instead of a layer")

    @property
    def width(self) -> int:
        """The number p of units."""
        return len(self.b)

    @property
    def parameters(self) -> int:
        """The nonzero numbers stored."""
        return sum(1 for x in (self.eta, *self.b) if x) + self.U.parameters + self.W.parameters

    def dense_parameters(self, dim: int) -> int:
        """The numbers of the same layer with dense matrices: 1 + p(2d + 1)."""
        return 1 + self.width * (2 * dim + 1)

    @property
    def bits(self) -> int:
        """Bits of the largest integer stored."""
        return max(self.U.bits, self.W.bits, *(bit_size(x) for x in (self.eta, *self.b)))

    def verify_shape(self, dim: int, where: str) -> None:
        """Raises InvalidInput unless the layer acts on dimension `dim`."""
        self.U.verify_shape(self.width, dim, f"{where} U")
        self.W.verify_shape(dim, self.width, f"{where} W")

    def apply(self, x: Sequence[Num], kind: NumberKind = exactly) -> list[Num]:
        """The image of one token, by definition, in numbers of the given kind."""
        zero = kind(Fraction(0))
        hidden = [v + kind(b) for v, b in zip(self.U.times(x, self.width, kind), self.b, strict=True)]
        active = [h if zero < h else zero for h in hidden]
        eta = kind(self.eta)
        return [eta * v + w for v, w in zip(x, self.W.times(active, len(x), kind), strict=True)]
