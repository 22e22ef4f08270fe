"""exp, both forms of GELU, and pi in integers over 2^p, each with a proved radius; only floors, so that every program
that follows the same steps has the same integers.
"""

from __future__ import annotations

from functools import cache
from math import isqrt


def ceil_div(a: int, b: int) -> int:
    """The least integer >= a / b, b > 0."""
    return -(-a // b)


def exp_minus(t: int, p: int) -> tuple[int, int]:
    """(m, r) with |2^p e^(-t / 2^p) - m| <= r, for t >= 0: halve k times, sum Taylor's series, square k times.

    >>> exp_minus(0, 64) == (1 << 64, 2)
    True
    """
    if t >= p << p:
        return 0, 1
    k = (t >> p).bit_length() + 6
    s = p + k + 12
    y = (t << (s - p)) >> k
    f = F = 1 << s
    j = 0
    while f:
        j += 1
        f = (f * y >> s) // j
        F += -f if j & 1 else f
    error = 2 * j + 2
    for _ in range(k):
        F = F * F >> s
        error = 2 * error + 2
    return F >> (s - p), ceil_div(error, 1 << (s - p)) + 1


@cache
def pi(bits: int) -> int:
    """2^bits pi by Machin's formula, with an error below 2 for bits <= 9000."""
    places = bits + 16
    return (4 * (4 * _arctan_inverse(5, places) - _arctan_inverse(239, places))) >> 16


def _arctan_inverse(n: int, places: int) -> int:
    term = (1 << places) // n
    total, k = term, 1
    while term:
        term //= n * n
        k += 2
        total += (-1) ** (k // 2) * (term // k)
    return total


@cache
def reach(p: int) -> int:
    """B: beyond it GELU is max(x, 0) up to one unit of 2^-p."""
    return max(16, isqrt(2 * p) + 1)


@cache
def _gauss(p: int) -> tuple[int, int]:
    """G and 2^G / sqrt(2 pi)."""
    G = p + 44 + 3 * reach(p) ** 2 // 4
    return G, isqrt((1 << 3 * G) // (2 * pi(G)))


def gelu(x: int, p: int) -> tuple[int, int]:
    """(m, r) around 2^p gelu(x / 2^p), the form with erf: x/2 + phi(x) x^2 sum_k x^(2k) / (2k + 1)!!."""
    if abs(x) > reach(p) << p:
        return max(x, 0), 1
    square = x * x
    g = 41 + 3 * (square >> 2 * p) // 4
    P = p + g
    y = square >> (2 * p - P) if 2 * p >= P else square << (P - 2 * p)
    t = S = 1 << P
    n = 1
    while t:
        n += 2
        t = (t * y >> P) // n
        S += t
    E, a = exp_minus(y >> 1, P)
    G, omega = _gauss(p)
    body = (((E * (omega >> (G - P)) >> P) * y >> P) * S) >> P
    error = (a + 5) * ((y * S >> 2 * P) + 2) + (S >> P) + 1 + 10 * (n + 2) + 256 * n * n + 4
    return (body >> g) + (x >> 1), (error >> g) + 3


@cache
def _tanh_factor(p: int) -> int:
    """2^(p + 16) sqrt(8 / pi)."""
    P, G = p + 16, _gauss(p)[0]
    return isqrt((1 << (2 * P + G + 3)) // pi(G))


def gelu_tanh(x: int, p: int) -> tuple[int, int]:
    """(m, r) around 2^p gelu_tanh(x / 2^p) = x / (1 + e^-w), w = sqrt(8 / pi) (x + 0.044715 x^3)."""
    B = reach(p)
    if abs(x) > B << p:
        return max(x, 0), 1
    P = p + 16
    a = abs(x) << 16
    v = a + 44715 * a**3 // (10**6 << 2 * P)
    E, alpha = exp_minus(v * _tanh_factor(p) >> P, P)
    q = (a << P) // ((1 << P) + E)
    radius = 2 + ((B * (alpha + 2 * B + B**3 // 10 + 8) + 1) >> 16)
    return (q if x >= 0 else q - a) >> 16, radius
