"""Enclosures of real numbers between two integers times a power of two (FORMAT.md, section 13, signs).

(lo, hi, e) stands for the numbers from lo * 2^e to hi * 2^e; lo and hi have about BITS bits, rounded outwards.
"""

from fractions import Fraction
from functools import lru_cache

Enclosure = tuple[int, int, int]

BITS = 256
ZERO: Enclosure = (0, 0, 0)


def rounded(lo: int, hi: int, e: int) -> Enclosure:
    """An enclosure of BITS bits that contains the given one."""
    cut = max(lo.bit_length(), hi.bit_length()) - BITS
    return (lo >> cut, -(-hi >> cut), e + cut) if cut > 0 else (lo, hi, e)


def enclosed(number: Fraction) -> Enclosure:
    """The enclosure of a rational number."""
    p, q = number.as_integer_ratio()
    shift = max(BITS + q.bit_length() - p.bit_length(), 0)
    return rounded((p << shift) // q, -((-p << shift) // q), -shift)


def total(x: Enclosure, y: Enclosure) -> Enclosure:
    """Contains every a + b, a in x and b in y."""
    (a, b, e), (c, d, f) = (x, y) if x[2] >= y[2] else (y, x)
    if a == b == 0:
        return c, d, f
    if e - f > 2 * BITS + 2:  # the second is less than one unit of the first, divided by 2^BITS
        c, d, f = -1, 1, e - BITS
    return rounded((a << e - f) + c, (b << e - f) + d, f)


def product(x: Enclosure, y: Enclosure) -> Enclosure:
    """Contains every a * b, a in x and b in y."""
    (a, b, e), (c, d, f) = x, y
    ends = (a * c, a * d, b * c, b * d)
    return rounded(min(ends), max(ends), e + f)


@lru_cache(maxsize=4096)
def power(base: Fraction, k: int) -> Enclosure:
    """Contains base^k, for base > 0 and any integer k."""
    found, square = (1, 1, 0), enclosed(base if k >= 0 else 1 / base)
    for bit in bin(abs(k))[:1:-1]:
        found = product(found, square) if bit == "1" else found
        square = product(square, square)
    return found


def sign(x: Enclosure) -> int | None:
    """The sign that all numbers of the enclosure have, None if they have several."""
    lo, hi, _ = x
    return 1 if lo > 0 else -1 if hi < 0 else 0 if lo == hi else None
