"""How far softmax means are from their direction at the start, in floats: sup and L2 of |m_beta - u| for four measures.

For a density the error falls like 1/beta where it is smooth and like beta^{-1/2} at a jump; with an atom in the bulk it
is of the order sqrt(log(beta)/beta), the largest that any measure with a lower bound on its balls can have.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from exactformer.arithmetic.integers import Array
from exactformer.studies.mean_field.approx_compressed import CompressedField
from exactformer.studies.mean_field.approx_density import Density

#: tokens of a measure on the circle, and points at which the error is looked at
TOKENS, POINTS = 200_000, 4000
#: the angle of the atom, which has half of the mass
ATOM = 2.0


def four_measures(count: int = TOKENS) -> dict[str, Array]:
    """Tokens on the circle: uniform, of a smooth density, of one with two jumps, uniform with an atom of mass 1/2."""
    jump = "1/2+step(th-1)*step(1+pi-th)"
    measures = {name: Density(text, 2).tokens(count) for name, text in (("smooth", "1+cos(th-1)/2"), ("jump", jump))}
    uniform = Density("1", 2).tokens(count)
    atom = uniform.copy()
    atom[::2] = np.cos(ATOM), np.sin(ATOM)
    return {"uniform": uniform, **measures, "atom": atom}


def approx_laplace_errors(tokens: Array, B: Array, betas: Sequence[float]) -> Array:
    """Rows (sup, L2) of |m_beta(x) - u(x)| over the circle, one for each beta.

    >>> errors = approx_laplace_errors(four_measures(20_000)["uniform"], np.eye(2), [100.0, 1000.0])
    >>> round(float(np.log10(errors[0, 0] / errors[1, 0])), 2)
    1.0
    """
    angles = (np.arange(POINTS) + 0.5) * (2 * np.pi / POINTS)
    points = np.column_stack([np.cos(angles), np.sin(angles)])
    u = points @ B
    u /= np.sqrt((u**2).sum(axis=1, keepdims=True))
    rows = []
    for beta in betas:
        off = ((CompressedField(tokens, B, beta).at(points) - u) ** 2).sum(axis=1)
        rows.append((float(np.sqrt(off.max())), float(np.sqrt(off.mean()))))
    return np.array(rows)
