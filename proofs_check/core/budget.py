"""What the checker is willing to read, hold and compute before it declines (FORMAT.md, section 8).

Work is charged before it is done, in operations of 1 to 20 nanoseconds, and by the length of the numbers: that is what
bounds the time of a hostile file. With w the words of 64 bits of a number, Python multiplies in about w^1.6 and divides
or takes greatest common divisors in about w^2 steps.
"""

from collections import Counter
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from math import isqrt
from typing import TypeVar

from .verdict import Refusal

Key = TypeVar("Key", bound=Hashable)
#: keys that are looked at together, and operations of comparing two: integers, points, and fractions
PART, COMPARISON, OF_FRACTIONS = 512, 6, 1000


@dataclass(frozen=True)
class Limits:
    """What a checker is willing to read and compute before it declines."""

    bytes: int = 2_000_000_000
    line: int = 200_000_000
    digits: int = 4_000
    bits: int = 200_000
    operations: int = 2_000_000_000
    memory: int = 200_000_000


def product_cost(bits: int, other: int | None = None) -> int:
    """Operations of one product of two numbers of so many bits, the shorter one of so many others."""
    words = bits >> 6
    return 1 + 2 * words * isqrt(words if other is None else min(words, (other >> 6) + 1))


def division_cost(bits: int, other: int | None = None) -> int:
    """Operations of one division, or of one greatest common divisor, of two numbers of so many bits."""
    first, second = bits >> 6, (bits if other is None else other) >> 6
    return 8 + first + 8 * second + (first * second >> 2)


class Budget:
    """The limits, and what has been spent and is held."""

    def __init__(self, limits: Limits) -> None:
        self.limits = limits
        self.spent = 0
        self.held = 0

    def within(self, amount: int, option: str) -> None:
        """Declines, naming the option, an amount beyond the limit of that name."""
        limit = getattr(self.limits, option)
        if amount > limit:
            raise Refusal("declined", f"{amount} exceeds the limit {limit}; raise it with --max-{option}")

    def spend(self, operations: int) -> None:
        """Charges operations on short numbers."""
        self.spent += operations
        if self.spent > self.limits.operations:
            self.within(self.spent, "operations")

    def products(self, times: int, bits: int) -> None:
        """Charges products of numbers of so many bits."""
        self.spend(times * product_cost(bits))

    def divisions(self, times: int, bits: int, other: int | None = None) -> None:
        """Charges divisions and greatest common divisors of numbers of so many bits (and of so many others)."""
        self.spend(times * division_cost(bits, other))

    def hold(self, numbers: int, bits: int) -> None:
        """Counts the bytes of so many integers that are kept; integers of one word, as written, are not counted."""
        self.held += numbers * (bits >> 6 << 3)
        self.within(self.held, "memory")

    def distinct(self, keys: Sequence[Key], comparison: int = COMPARISON) -> set[Key]:
        """The set of some keys; where many have one hash, Python compares them one by one, and that is charged.

        The hash of an integer is its remainder by 2^61 - 1: a file may choose thousands of long ones with one hash.
        """
        if len(keys) < PART or len(keys) - len(set(map(hash, keys))) < PART:
            return set(keys)
        found, alike = set[Key](), Counter[int]()
        for start in range(0, len(keys), PART):
            part = keys[start : start + PART]
            alike.update(map(hash, set(part) - found))
            self.spend(comparison * (sum(map(alike.__getitem__, map(hash, part))) - len(part)))
            found.update(part)
        return found
