"""Ranges of inverse temperatures: all from one on, hardmax included, or those of a closed interval."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from exactformer.arithmetic.text import NumberLike, exact
from exactformer.errors import InvalidInput
from exactformer.io.canonical import canonical
from exactformer.io.untyped import Given


def inverse_temperature(value: NumberLike, where: str = "beta") -> Fraction:
    """The rational beta > 0 a user means; InvalidInput for anything else."""
    beta = exact(value, where)
    if not isinstance(beta, Fraction):
        raise InvalidInput(f"{where}: expected a rational inverse temperature such as 1 or 2/3, got {value!r:.60}")
    if beta <= 0:
        raise InvalidInput(f"{where}: expected an inverse temperature > 0, got {canonical(beta)}")
    return beta


@dataclass(frozen=True)
class Temperatures:
    """Every beta >= low and hardmax (`high` is None), or every beta with low <= beta <= high; 0 < low.

    >>> Temperatures.of(1, None).contains(Fraction(7)), Temperatures.of(1, 2).contains(Fraction(7))
    (True, False)
    """

    low: Fraction
    high: Fraction | None

    @classmethod
    def of(cls, low: Given, high: NumberLike | None) -> Temperatures:
        """The range with the given ends; InvalidInput unless 0 < low <= high."""
        least = inverse_temperature(low)
        most = None if high is None else inverse_temperature(high)
        if most is not None and most < least:
            raise InvalidInput(
                f"beta: expected inverse temperatures low <= high, got {canonical(least)} and {canonical(most)}"
            )
        return cls(least, most)

    def contains(self, beta: Fraction) -> bool:
        """Whether the range holds this inverse temperature."""
        return self.low <= beta and (self.high is None or beta <= self.high)

    def json(self) -> list[str | None]:
        """The header's `beta`: [low, high], high null where there is none."""
        return [canonical(self.low), None if self.high is None else canonical(self.high)]

    def __str__(self) -> str:
        if self.high is None:
            return f"every beta >= {canonical(self.low)}, and hardmax"
        return (
            f"beta = {canonical(self.low)}"
            if self.low == self.high
            else (f"every beta from {canonical(self.low)} to {canonical(self.high)}")
        )


@dataclass(frozen=True)
class SoftmaxProof:
    """Enclosures rounded to 2^-bits prove the claim at every temperature of the range."""

    temperatures: Temperatures
    bits: int
