"""Bounds of norms are bounds, of every kind of matrix, and not much too large; trials of products see what they must."""

from __future__ import annotations

import numpy as np
import pytest
from flint import arb, arb_mat

from exactformer.evaluate.blas_trial import fault
from exactformer.evaluate.certified_norms import spectral_norm, spectral_norm_of_product
from exactformer.evaluate.outward import gamma, length, size, up


def matrices() -> list[np.ndarray]:
    rng = np.random.default_rng(0)
    plain = rng.standard_normal((7, 12))
    orthogonal = np.linalg.qr(rng.standard_normal((9, 9)))[0]
    found = [plain, plain.T, orthogonal, np.outer(plain[0], plain[1]), np.ones((1, 1)), np.eye(6) * 1e-200]
    return [
        *found,
        plain * 1e-190,
        plain * 1e150,
        np.diag([1.0, 1e-30, 0]),
        plain * 2.0 ** rng.integers(-60, 60, plain.shape),
    ]


def true_norm(A: np.ndarray) -> float:
    """A lower bound of the 2-norm that is nearly it: |A v| / |v| of the singular vector, in balls."""
    scaled = A / np.abs(A).max()
    v = np.linalg.svd(scaled)[2][0]
    image = arb_mat([[arb(float(x)) for x in row] for row in A]) * arb_mat([[arb(float(x))] for x in v])
    top, bottom = (sum((x * x for x in entries), arb(0)).sqrt() for entries in (image.entries(), map(arb, v.tolist())))
    return float((top / bottom).lower())


@pytest.mark.parametrize("A", matrices())
def test_spectral_norms(A: np.ndarray) -> None:
    found, true = spectral_norm(A), true_norm(A)
    assert true <= found <= true * min(A.shape) ** (1 / 256) * (1 + 1e-5) + 2.0**-300


def test_spectral_norms_of_products() -> None:
    rng = np.random.default_rng(1)
    for left, right in (
        (rng.standard_normal((20, 3)), rng.standard_normal((3, 20))),
        (np.ones((1, 3)), np.array([[1.0], [2.0**-60], [-1]])),
    ):
        found = spectral_norm_of_product(left, right)
        assert found >= np.linalg.norm(left @ right, 2) * (1 - 1e-12)
        assert found >= 2.0**-60
    assert spectral_norm_of_product(np.zeros((2, 1)), np.ones((1, 2))) == 0
    assert spectral_norm(np.zeros((3, 4))) == 0


def test_lengths_are_bounds_also_of_tiny_numbers() -> None:
    for scale in (1.0, 1e-200, 1e-310):
        x = np.full((2, 3), scale)
        assert (length(x) >= np.sqrt(3) * scale).all()
        assert size(x) >= np.sqrt(6) * scale
    assert up(0.0) > 0
    assert gamma(1000) > 1000 * 2.0**-53


def strassen(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """One step of Strassen's scheme, on even sizes."""
    n, k, m = x.shape[0] // 2, x.shape[1] // 2, y.shape[1] // 2
    a, b, c, d = x[:n, :k], x[:n, k:], x[n:, :k], x[n:, k:]
    e, f, g, h = y[:k, :m], y[:k, m:], y[k:, :m], y[k:, m:]
    p = [(a + d) @ (e + h), (c + d) @ e, a @ (f - h), d @ (g - e), (a + b) @ h, (c - a) @ (e + f), (b - d) @ (g + h)]
    return np.block([[p[0] + p[3] - p[4] + p[6], p[2] + p[4]], [p[1] + p[3], p[0] - p[1] + p[2] + p[5]]])


def test_trials_of_products() -> None:
    assert fault() is None
    assert "inner dimension" in fault(lambda x, y: (x.astype(np.float32) @ y.astype(np.float32)).astype(np.float64))
    assert "order of summation" in fault(lambda x, y: x @ y if x.shape[1] % 2 else strassen(x, y))
