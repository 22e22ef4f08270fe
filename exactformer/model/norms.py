"""The squared Euclidean norm |Theta|^2 of all weights, exactly where that is short, else enclosed."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

from exactformer.arithmetic.algebraic import Algebraic
from exactformer.arithmetic.floats import float_of
from exactformer.arithmetic.short_text import short_repr
from exactformer.arithmetic.text import Exact
from exactformer.errors import NotExact
from exactformer.io.canonical import canonical
from exactformer.model.matrix import Matrix, Outer, Scalar
from exactformer.model.transformer import Transformer

#: bits of the common denominator up to which a norm is kept as one fraction
_SHORT = 4096
#: binary places of the ends of an enclosure
_PLACES = 256


@short_repr
@dataclass(frozen=True)
class Enclosure:
    """A number between two rationals, which are equal where it is known exactly."""

    low: Fraction
    high: Fraction

    @property
    def exact(self) -> bool:
        """Whether both ends are the number itself."""
        return self.low == self.high

    def json(self) -> str | list[str]:
        """Canonical text, or [low, high]."""
        return canonical(self.low) if self.exact else [canonical(self.low), canonical(self.high)]

    def __float__(self) -> float:
        return float_of(self.low)


def norm2(transformer: Transformer) -> Enclosure:
    """|Theta|^2, the sum of the squares of all entries of all layers (rank-one matrices multiplied out).

    >>> from exactformer.model.feed_forward import FeedForward
    >>> from exactformer.model.transformer import Block
    >>> norm2(Transformer(1, [Block(FeedForward(2, [["1/2"]], [0], [[3]]))])).json()
    '53/4'
    """
    return sum_of(squares(transformer))


def squares(transformer: Transformer) -> Iterator[Fraction]:
    """The squares of the weights, zeros left out; the entries of a rank-one matrix as one product of norms."""
    for block in transformer:
        if block.feed_forward is not None:
            ff = block.feed_forward
            yield from (_square(x) for x in (ff.eta, *ff.b) if x)
            yield from _matrix(ff.U, transformer.dim)
            yield from _matrix(ff.W, transformer.dim)
        if block.self_attention is not None:
            sa = block.self_attention
            yield from (_square(x) for x in (sa.rho,) if x)
            for m in (sa.V, sa.Q, sa.K):
                yield from _matrix(m, transformer.dim)


def sum_of(terms: Iterator[Fraction]) -> Enclosure:
    """The sum of nonnegative terms: exact while the denominators are few and short, then rounded outwards."""
    listed = list(terms)
    bits = sum(q.bit_length() for q in {x.denominator for x in listed})
    if bits <= _SHORT:
        total = sum(listed, Fraction(0))
        return Enclosure(total, total)
    low = sum((x.numerator << _PLACES) // x.denominator for x in listed)
    return Enclosure(Fraction(low, 1 << _PLACES), Fraction(low + len(listed), 1 << _PLACES))


def _matrix(m: Matrix, dim: int) -> Iterator[Fraction]:
    if isinstance(m, Outer):
        column, row = (sum((_square(x) for x in side if x), Fraction(0)) for side in (m.column, m.row))
        yield column * row
    elif isinstance(m, Scalar):
        yield dim * _square(m.c)
    else:
        yield from (_square(x) for x in m.numbers() if x)


def _square(x: Exact) -> Fraction:
    return rational(x) ** 2


def rational(x: Exact) -> Fraction:
    """The number itself; raises NotExact where it is not rational."""
    if isinstance(x, Algebraic):
        raise NotExact(f"expected rational weights, got {x}")
    return x
