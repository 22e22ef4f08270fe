"""W2 at zero temperature in closed form, in floats: uniform tokens, B = I, a = e^{-gt} with g the spectral gap."""

from __future__ import annotations

import numpy as np


def approx_circle_w2(a: float) -> float:
    """W2^2 = 2 - (4/pi) acos(a)/sqrt(1-a^2) on the circle: half the gap is the rate, W2 ~ (2/sqrt(pi)) sqrt(a).

    >>> round(approx_circle_w2(1e-8) / 1e-4, 4), round(2 / np.pi**0.5, 4)
    (1.1284, 1.1284)
    """
    if a < 1e-3:  # the difference cancels: by the series acos(a)/sqrt(1-a^2) = pi/2 - a + pi a^2/4 - 2a^3/3 + ..
        return float(np.sqrt(4 / np.pi * (a - np.pi * a**2 / 4 + 2 * a**3 / 3)))
    return float(np.sqrt(2 - 4 / np.pi * np.arccos(a) / np.sqrt(1 - a**2))) if a < 1 else float(np.sqrt(2 - 4 / np.pi))


def approx_sphere_w2(a: float) -> float:
    """W2^2 = 2a/(1+a) on the 2-sphere, E a line and the other two eigenvalues equal.

    >>> approx_sphere_w2(1.0)
    1.0
    """
    return float(np.sqrt(2 * a / (1 + a)))
