"""Square roots, exponentials and activations of integers over 2^p (FORMAT.md, section 16, Functions).

A function returns (m, r): the true value times 2^p is at most r away from m. `>>` and `//` round down, also negatives.
"""

from functools import cache
from math import isqrt
from typing import NamedTuple

Value = tuple[int, int]


def up(a: int, b: int) -> int:
    """a/b rounded up."""
    return -(-a // b)


def exponential(t: int, p: int) -> Value:
    """2^p e^(-t/2^p) for t >= 0: halved k times, Taylor, squared k times."""
    if t >= p << p:
        return 0, 1
    k = (t >> p).bit_length() + 6
    s = p + k + 12
    y = t << s - p >> k
    term = total = 1 << s
    j = 0
    while term:
        j += 1
        term = (term * y >> s) // j
        total += -term if j & 1 else term
    error = 2 * j + 2
    for _ in range(k):
        total = total * total >> s
        error = 2 * error + 2
    return total >> s - p, up(error, 1 << s - p) + 1


def arctangent_of_inverse(n: int, one: int) -> int:
    """About one * arctan(1/n)."""
    term = total = one // n
    k = 1
    while term:
        term //= n * n
        k += 2
        total += -(term // k) if k & 2 else term // k
    return total


def pi(bits: int) -> int:
    """2^bits pi, less than 2 away for bits <= 9000 (Machin)."""
    one = 1 << bits + 16
    return 4 * (4 * arctangent_of_inverse(5, one) - arctangent_of_inverse(239, one)) >> 16


class Constants(NamedTuple):
    """What the activations need at p bits: where the tails begin, 2^G/sqrt(2 pi), 2^(p+16) sqrt(8/pi)."""

    tail: int
    G: int
    omega: int
    root: int


@cache
def constants(p: int) -> Constants:
    """The constants at p bits."""
    tail = max(16, isqrt(2 * p) + 1)
    G = p + 44 + 3 * tail * tail // 4
    omega = isqrt((1 << 3 * G) // (2 * pi(G)))
    return Constants(tail, G, omega, isqrt((1 << 2 * (p + 16) + G + 3) // pi(G)))


def gelu(x: int, p: int) -> Value:
    """2^p f(x/2^p), f(x) = x Phi(x) = x/2 + phi(x) x^2 (1 + x^2/3 + x^4/15 + ..)."""
    tail, G, omega, _ = constants(p)
    if abs(x) > tail << p:
        return max(x, 0), 1
    g = 41 + 3 * (x * x >> 2 * p) // 4
    P = p + g
    y = x * x << P >> 2 * p
    term = total = 1 << P
    n = 1
    while term:
        n += 2
        term = (term * y >> P) // n
        total += term
    E, a = exponential(y >> 1, P)
    body = ((E * (omega >> G - P) >> P) * y >> P) * total >> P
    error = (a + 5) * ((y * total >> 2 * P) + 2) + (total >> P) + 1 + 10 * (n + 2) + 256 * n * n + 4
    return (body >> g) + (x >> 1), (error >> g) + 3


def gelu_tanh(x: int, p: int) -> Value:
    """2^p f(x/2^p), f(x) = x/(1 + e^-w), w = sqrt(8/pi) (x + 0.044715 x^3)."""
    tail, _, _, root = constants(p)
    if abs(x) > tail << p:
        return max(x, 0), 1
    P = p + 16
    a = abs(x) << 16
    v = a + 44715 * a**3 // (10**6 << 2 * P)
    E, error = exponential(v * root >> P, P)
    q = (a << P) // ((1 << P) + E)
    return (q if x >= 0 else q - a) >> 16, 2 + (tail * (error + 2 * tail + tail**3 // 10 + 8) + 1 >> 16)
