"""Tests of `exactformer.evaluate.float64_midpoints`: every step against fractions and balls, and its bound on paper.

A bound is at least what the roundings of the step add up to, gamma_k = ku / (1 - ku) for k of them, and at most a few
times as much.
"""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from flint import arb, ctx
from kits.small_networks import shape

import exactformer as ef
from exactformer.evaluate.float64_midpoints import Float64Midpoints

U = 2.0**-53
EXP, EXP_BELOW, GELU = 2.0**-50, 2.0**-106, 2.0**-50


@pytest.fixture(autouse=True)
def _precision():
    before, ctx.prec = ctx.prec, 300
    yield
    ctx.prec = before


def steps(**changes: object) -> Float64Midpoints:
    architecture = shape(**changes)
    rng = np.random.default_rng(4)
    tensors = {n: rng.standard_normal(s).astype(np.float32) for n, s in architecture.shapes.items()}
    return Float64Midpoints(ef.Network(architecture, tensors))


def drawn(*sizes: int, seed: int = 1) -> np.ndarray:
    return np.random.default_rng(seed).standard_normal(sizes)


exactly = np.vectorize(Fraction, otypes=[object])


def gamma(k: int) -> float:
    return k * U / (1 - k * U)


def lengths(x: np.ndarray) -> np.ndarray:
    return np.sqrt((np.asarray(x, float) ** 2).sum(axis=-1))


def off(found: np.ndarray, true: np.ndarray) -> np.ndarray:
    return np.sqrt(((exactly(found) - true) ** 2).sum(axis=-1).astype(float))


def holds(found: np.ndarray, true: np.ndarray, error: np.ndarray, need: np.ndarray, factor: float = 1.001) -> None:
    """The distance per row is bounded, the bound is what is needed on paper, and not much more."""
    assert found.shape == true.shape
    assert np.shape(error) == found.shape[:-1]
    assert (off(found, true) <= error).all()
    assert (np.broadcast_to(need, np.shape(error)) <= error).all()
    assert (error <= factor * need).all()


def test_sums() -> None:
    x, y, z = (drawn(2, 5, 16, seed=k) for k in range(3))
    found, error = steps().added(x, y)
    holds(found, exactly(x) + exactly(y), error, U * lengths(found))
    for rows in ([x], [x, y], [x, y, z]):
        found, error = steps().total(rows)
        need = gamma(len(rows)) * sum(map(lengths, rows))
        holds(found, sum(map(exactly, rows)), error, need)


@pytest.mark.parametrize("n", [1, 2, 64])
def test_means_over_the_tokens(n: int) -> None:
    """n - 1 additions and a division: of every term at most n roundings."""
    x = drawn(2, n, 3)
    found, error = steps().mean(x)
    true = exactly(x).sum(axis=-2, keepdims=True) / n
    need = gamma(n) * lengths(x).sum(axis=-1, keepdims=True) / n
    holds(found, true, error, need, 2.001)


def test_maps_and_heads() -> None:
    """k products and k sums, the bias among them: gamma_(k + 1) of |x| |W| + |b|."""
    net, x = steps(dim=8, classes=3, hidden=7), drawn(2, 5, 8)
    tensors = net.network.tensors
    for name, bias in (("0.up", "0.up_bias"), ("1.out", "1.out_bias"), ("head", "head_bias")):
        found, error = net.linear(x, name, bias)
        W, b = (tensors[key].astype(float) for key in (name, bias))
        need = gamma(9) * (lengths(x) * np.sqrt((W**2).sum()) + lengths(b))
        holds(found, exactly(x) @ exactly(W).T + exactly(b), error, need)
    logits, errors = net.logits(x)
    W, b = (tensors[key].astype(float) for key in ("head", "head_bias"))
    assert (abs(exactly(logits) - exactly(x) @ exactly(W).T - exactly(b)) <= errors).all()
    need = gamma(9) * (lengths(x)[..., None] * lengths(W) + np.abs(b))
    assert (need <= errors).all()
    assert (errors <= 1.001 * need).all()


@pytest.mark.parametrize("d", [1, 2, 5, 64])
def test_layer_norms(d: int) -> None:
    """A mean of d numbers and the difference; of the variance d + 4 roundings, half of them in its root, and one more."""
    net = steps(dim=d, heads=1)
    x = drawn(1, 3, d) + 3.0
    seen = net.normalised(x)
    assert seen.deviation.shape == seen.centring.shape == (1, 3)
    centred = exactly(x)[0] - exactly(x)[0].sum(axis=-1, keepdims=True) / d
    for k in range(3):
        centre = [arb(int(q.numerator)) / int(q.denominator) for q in centred[k]]
        epsilon = net.network.architecture.epsilon
        s = (sum((c * c for c in centre), arb(0)) / d + arb(epsilon.numerator) / epsilon.denominator).sqrt()
        true = float(s.mid())
        assert true * (1 - 2 * gamma(d + 10)) <= seen.deviation[0, k] <= float(s.lower())
        gaps = [(arb(float(z)) - c / s) ** 2 for z, c in zip(seen.middle[0, k], centre, strict=True)]
        distance = float(sum(gaps, arb(0)).sqrt().upper())
        assert distance <= 2 * seen.centring[0, k] / true + seen.rounding
        need = gamma(d) * lengths(x)[0, k] + U * lengths(centred[k])
        assert need <= seen.centring[0, k] <= gamma(d + 5) * lengths(x)[0, k] * 1.001
    need = (gamma(d + 4) / 2 + 2 * U) * math.sqrt(d)
    assert need <= seen.rounding <= 1.001 * gamma(d + 8) * math.sqrt(d)


def test_gains_and_biases() -> None:
    """A product and a sum: gamma_2 of |gain| sqrt(d) and the bias."""
    x = drawn(2, 3, 16)
    z = x / lengths(x)[..., None] * 4
    for largest, plus in ((30, 1.5), (-30, 1.5), (2, -40.0)):
        gain, bias = largest * np.arange(16) / 15, np.full(16, plus)
        found, error = steps(dim=16).scaled(z, gain, bias)
        true = exactly(z) * exactly(gain) + exactly(bias)
        assert (off(found, true) <= error).all()
        need = gamma(2) * (abs(largest) * 4 + abs(plus) * 4)
        assert need <= error <= 1.5001 * need


@pytest.mark.parametrize("kind", ["relu", "gelu", "gelu_tanh"])
def test_activations(kind: str) -> None:
    net, u = steps(activation=kind), 4 * drawn(2, 20, 5)
    found, error = net.activated(u)
    assert error.shape == (2, 20)
    for x, values, bound in zip(u.reshape(40, 5), found.reshape(40, 5), error.ravel(), strict=True):
        gaps = []
        for v, y in zip(map(arb, x.tolist()), values.tolist(), strict=True):
            erf = v * (1 + (v / arb(2).sqrt()).erf()) / 2
            tanh = v * (1 + ((arb(2) / arb.pi()).sqrt() * (v + arb(44715) / 10**6 * v**3)).tanh()) / 2
            gaps.append(({"relu": v.max(arb(0)), "gelu": erf, "gelu_tanh": tanh}[kind] - arb(y)) ** 2)
        assert float(sum(gaps, arb(0)).sqrt().upper()) <= bound + 1e-80
        need = 0.0 if kind == "relu" else GELU * lengths(np.maximum(np.abs(x), 1))
        assert need <= bound <= 1.001 * need


def test_scores_less_the_largest_that_is_seen() -> None:
    q, k, seen = drawn(1, 1, 4, 6), drawn(1, 1, 4, 6, seed=2), np.tri(4, dtype=bool)
    factor = np.array([[[0.375]]])
    found, error = steps().scores(q, k, (factor, 0 * factor), seen)
    products = Fraction(3, 8) * (exactly(q)[0, 0] @ exactly(k)[0, 0].T)
    for i in range(4):
        top = max(products[i, : i + 1])
        for j in range(4):
            t, e = found[0, 0, i, j], error[0, 0, i, j]
            if j > i:
                assert t == e == 0
                continue
            true = products[i, j] - top
            assert abs(Fraction(t) - true) <= 2 * e
            need = gamma(8) * 0.375 * lengths(q[0, 0, i]) * lengths(k[0, 0, j]) + U * abs(float(true))
            assert need <= e <= 1.2 * need


def test_weights_of_scores() -> None:
    """The numerator and the sum err by EXP each, adding by gamma_(n - 1), dividing by u; below -74 nothing weighs."""
    n = 64
    t = -np.abs(drawn(1, 1, 3, n)) * 4
    t[..., 0], t[..., 5] = 0.0, -80.0
    seen = np.ones((3, n), bool)
    seen[0, 3:] = False
    found = steps().softmax(t, seen)
    for i in range(3):
        w = [arb(float(x)).exp() if s else arb(0) for x, s in zip(t[0, 0, i], seen[i], strict=True)]
        total = sum(w, arb(0))
        for j in range(n):
            p, error = found.middle[0, 0, i, j], found.errors[0, 0, i, j]
            assert float(abs(arb(float(p)) - w[j] / total).upper()) <= error
            need = p * (2 * EXP + gamma(n)) + EXP_BELOW
            assert need <= error <= 2.5 * need if seen[i, j] else error == p == 0
        assert abs(sum(map(Fraction, found.middle[0, 0, i].tolist())) - 1) <= found.lack
    assert gamma(n) <= found.lack <= 1.1 * gamma(n)


def test_means_by_weights() -> None:
    p, v = np.abs(drawn(2, 3, 4, 5)), drawn(2, 3, 5, 7, seed=2)
    found, error = steps().mixed(p, v)
    holds(found, np.matmul(exactly(p), exactly(v)), error, gamma(5) * np.matmul(p, lengths(v)[..., None])[..., 0])


def test_numbers_are_what_they_are() -> None:
    x = np.array([[[1.0, 2, 1, 3]]])
    net = steps()
    assert net.float64(x) is net.exactly(x) is x
    assert net.descending(x).tolist() == [[[3, 1, 0, 2]]]
    assert net.each(x, lambda part: part[..., :1]).tolist() == [[[1.0]]]
    between, share = net.difference(x, 2 * x)
    assert (between.tolist(), share) == ((-x).tolist(), 0.0)
    assert net.where(x > 1.5, x, -x).tolist() == [[[-1, 2, -1, 3]]]
