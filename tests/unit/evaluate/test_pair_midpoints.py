"""Tests of `exactformer.evaluate.pair_midpoints`: what every step errs by, and that its bound has room for the worst.

The bounds are compared with what the errors of sums of pairs (3.01 u^2, with a float64 number 2.01 u^2), products
(8.1 u^2), reciprocals and inverse roots (8 u^2) add up to on paper.
"""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from flint import arb, ctx
from kits.small_networks import shape

import exactformer as ef
from exactformer.evaluate.exact_slices import products
from exactformer.evaluate.pair_midpoints import PairMidpoints

UU = 2.0**-106
EXP, EXP_BELOW, GELU = 2.0**-101, 2.0**-106, 2.0**-100
#: one pair of numbers per entry, as the steps take them
Numbers = tuple[np.ndarray, np.ndarray]


@pytest.fixture(autouse=True)
def _precision():
    before, ctx.prec = ctx.prec, 400
    yield
    ctx.prec = before


def steps(**changes: object) -> PairMidpoints:
    architecture = shape(**changes)
    rng = np.random.default_rng(4)
    tensors = {n: rng.standard_normal(s).astype(np.float32) for n, s in architecture.shapes.items()}
    return PairMidpoints(ef.Network(architecture, tensors))


def drawn(*sizes: int, seed: int = 1, sign: int = 0) -> Numbers:
    rng = np.random.default_rng(seed)
    high = rng.standard_normal(sizes)
    high = -np.abs(high) if sign < 0 else high
    return high, high * rng.uniform(-1, 1, sizes) * 2.0**-53


def exactly(x: Numbers) -> np.ndarray:
    """The numbers as fractions."""
    return np.vectorize(lambda h, l: Fraction(h) + Fraction(l), otypes=[object])(*x)


def off(found: Numbers, true: np.ndarray) -> np.ndarray:
    """The Euclidean distance per row."""
    return np.sqrt(((exactly(found) - true) ** 2).sum(axis=-1).astype(float))


def lengths(x: np.ndarray) -> np.ndarray:
    return np.sqrt((np.asarray(x, float) ** 2).sum(axis=-1))


@pytest.mark.parametrize("n", [1, 2, 3, 64])
def test_means_over_the_tokens(n: int) -> None:
    """ceil(log2 n) additions of 3.01 u^2, the inverse to u^2 and a product: 9.1 u^2, of sum |x_i| / n."""
    x = drawn(2, n, 3)
    found, error = steps().mean(x)
    true = exactly(x).sum(axis=-2, keepdims=True) / n
    assert found[0].shape == true.shape == (2, 1, 3)
    need = (3.01 * math.ceil(math.log2(n)) + 9.1) * UU * lengths(x[0]).sum(axis=-1, keepdims=True) / n
    assert error.shape == (2, 1)
    assert (off(found, true) <= error).all()
    assert (need <= error).all()
    assert (error <= 2 * need).all()


@pytest.mark.parametrize("level", ["float64", "double-double", "integers"])
def test_a_network_that_reads_the_mean_has_the_mean_of_its_outputs(level: str) -> None:
    """Without blocks the outputs are sums of float32 numbers, and the mean of three of them is a third of a sum."""
    kinds = {"blocks": 0, "types": 0, "norm": "none", "embedding_norm": False, "final_norm": False}
    tensors = steps(head="none", classes=4, **kinds).network.tensors
    net = ef.Network(shape(head="none", classes=4, **kinds), tensors, read="mean")
    rows = [[Fraction(float(v)) for v in t + p] for t, p in zip(
        tensors["token"][[4, 0, 4]].astype(float), tensors["position"].astype(float), strict=True
    )]  # fmt: skip
    seen = net([4, 0, 4], level=level)
    for c, column in zip(seen.centre, zip(*rows, strict=True), strict=True):
        assert abs(c - sum(column) / 3) <= seen.radius < 2.0 ** (-45 if level == "float64" else -60)
    assert seen.level == level


def test_sums() -> None:
    x, y = drawn(2, 5, 16), drawn(2, 5, 16, seed=2)
    found, error = steps().added(x, y)
    assert (off(found, exactly(x) + exactly(y)) <= error).all()
    assert (3.01 * UU * lengths(found[0]) <= error).all()
    assert (error <= 6.02 * UU * lengths(found[0])).all()
    rows = [drawn(5, 16, seed=k)[0] for k in range(3)]
    found, error = steps().total(rows)
    assert (off(found, sum(exactly((row, 0 * row)) for row in rows)) <= error).all()
    assert (2.01 * UU * lengths(found[0]) <= error).all()
    assert (error <= 4.02 * UU * lengths(found[0])).all()
    between, share = steps().difference(x, y)
    true = exactly(x) - exactly(y)
    assert 2.1 * UU <= share <= 4.2 * UU
    assert (abs(between - true) <= 2.0**-51 * abs(between) + share * (abs(x[0]) + abs(y[0]))).all()


def test_orders_are_told_by_low_parts_where_high_ones_are_equal() -> None:
    high, low = np.array([[[1.0, 2, 1, 1, 0.5]]]), np.array([[[0, 0, 2.0**-60, -(2.0**-60), 0]]])
    assert steps().descending((high, low)).tolist() == [[[1, 2, 0, 3, 4]]]


@pytest.mark.parametrize("d", [1, 2, 5, 64])
def test_layer_norms(d: int) -> None:
    """The mean (3.01 a + 9.1) u^2 and the difference; half the variance's 3.01 a + 21.4, a root and a product."""
    net = steps(dim=d, heads=1)
    x = (drawn(1, 3, d)[0] + 3.0, drawn(1, 3, d)[1])
    seen = net.normalised(x)
    assert (seen.deviation.shape, seen.centring.shape) == ((1, 3), (1, 3))
    x, middle = (x[0][0], x[1][0]), (seen.middle[0][0], seen.middle[1][0])
    true = exactly(x)
    centred = true - true.sum(axis=-1, keepdims=True) / d
    a = math.ceil(math.log2(d))
    for k in range(3):
        centre = [arb(int(q.numerator)) / int(q.denominator) for q in centred[k]]
        epsilon = net.network.architecture.epsilon
        s = (sum((c * c for c in centre), arb(0)) / d + arb(epsilon.numerator) / epsilon.denominator).sqrt()
        gaps = [(arb(float(h)) + arb(float(l)) - c / s) ** 2
                for h, l, c in zip(middle[0][k], middle[1][k], centre, strict=True)]  # fmt: skip
        least = float(s.lower())
        assert least * (1 - 2.0**-39) <= seen.deviation[0, k] <= least
        distance = float(sum(gaps, arb(0)).sqrt().upper())
        assert distance <= seen.centring[0, k] / least + seen.rounding
        mean = np.abs(x[0][k]).sum() / math.sqrt(d)
        need = ((3.01 * a + 9.1) * mean + 3.01 * lengths(centred[k])) * UU
        assert need <= seen.centring[0, k] <= 3 * (need + 3.01 * lengths(x[0][k]) * UU)
    need = ((3.01 * a + 21.4) / 2 + 16.1) * math.sqrt(d) * UU
    assert need <= seen.rounding <= 2 * need


def test_gains_and_biases() -> None:
    """A product with a float64 number 3.1 u^2 of |gain| sqrt(d), the sum 2.01 u^2 of that and the bias."""
    x = drawn(2, 3, 16)
    z = tuple(part / lengths(x[0])[..., None] * 4 for part in x)
    for largest, plus in ((30, 1.5), (-30, 1.5), (2, -40.0)):
        gain, bias = largest * np.arange(16) / 15, np.full(16, plus)
        found, error = steps(dim=16).scaled(z, gain, bias)
        true = exactly(z) * exactly((gain, 0 * gain)) + exactly((bias, 0 * bias))
        assert (off(found, true) <= error).all()
        need = (5.11 * abs(largest) * 4 + 2.01 * abs(plus) * 4) * UU
        assert need <= error <= 3 * need


def test_maps_and_heads() -> None:
    """2.01 u^2 of the result for the bias, beside what the product of exact slices may err by."""
    net, z = steps(dim=8, classes=3), drawn(2, 5, 8)
    for name, bias in (("0.up", "0.up_bias"), ("1.out", "1.out_bias"), ("head", "head_bias")):
        found, error = net.linear(z, name, bias)
        W, b = (net.network.tensors[key].astype(float) for key in (name, bias))
        true = exactly(z) @ exactly((W, 0 * W)).T + exactly((b, 0 * b))
        assert found[0].shape == found[1].shape == true.shape
        assert error.shape == (2, 5)
        assert (off(found, true) <= error).all()
        assert (2.01 * UU * lengths(found[0]) <= error).all()
        assert (error <= 1e-28).all()
    logits, errors = net.logits(z)
    assert (exactly(logits) == exactly(found)).all()
    assert errors.tolist() == np.stack([error] * 3, axis=-1).tolist()


def test_pairs_hold_what_they_are_made_of() -> None:
    x, (high, low) = drawn(2, 3)[0], drawn(2, 3)
    assert (exactly(steps().exactly(x)) == exactly((x, 0 * x))).all()
    assert steps().float64((high, low)).tolist() == high.tolist()
    mask = np.array([[True, False, True]])
    chosen = steps().where(mask, (high, low), (x + 1, 0 * x))
    assert (exactly(chosen) == np.where(mask, exactly((high, low)), exactly((x + 1, 0 * x)))).all()


@pytest.mark.parametrize("kind", ["relu", "gelu", "gelu_tanh"])
def test_activations(kind: str) -> None:
    net = steps(activation=kind)
    u = drawn(2, 20, 5)
    found, error = net.activated((u[0] * 4, u[1] * 4))
    assert error.shape == (2, 20)
    u, found, error = [4 * part.reshape(40, 5) for part in u], [part.reshape(40, 5) for part in found], error.ravel()
    for k, row in enumerate(exactly(u)):
        gaps = []
        for v, h, l in zip(row, found[0][k], found[1][k], strict=True):
            x = arb(int(v.numerator)) / int(v.denominator)
            erf = x * (1 + (x / arb(2).sqrt()).erf()) / 2
            tanh = x * (1 + ((arb(2) / arb.pi()).sqrt() * (x + arb(44715) / 10**6 * x**3)).tanh()) / 2
            true = {"relu": x.max(arb(0)), "gelu": erf, "gelu_tanh": tanh}[kind]
            gaps.append((true - arb(float(h)) - arb(float(l))) ** 2)
        assert float(sum(gaps, arb(0)).sqrt().upper()) <= error[k] + 1e-300
    if kind == "relu":
        assert not error.any()
    else:
        need = GELU * lengths(np.maximum(np.abs(u[0]), 1))
        assert (need <= error).all()
        assert (error <= 2 * need).all()


def test_weights_of_scores() -> None:
    """EXP above and below, (3.01 a + 17) u^2 for adding and dividing; scores below -74 weigh nothing."""
    t = drawn(1, 1, 3, 64, sign=-1)
    t[0][..., 0], t[1][..., 0] = 0.0, 0.0
    t[0][..., 5], t[1][..., 5] = -80.0, 0.0
    seen = np.ones((3, 64), bool)
    seen[0, 3:] = False
    found = steps().softmax(t, seen)
    for i in range(3):
        w = [(arb(float(h)) + arb(float(l))).exp() if s else arb(0) for h, l, s in zip(
            t[0][0, 0, i], t[1][0, 0, i], seen[i], strict=True
        )]  # fmt: skip
        total = sum(w, arb(0))
        for j in range(64):
            p = arb(float(found.middle[0][0, 0, i, j])) + arb(float(found.middle[1][0, 0, i, j]))
            error = found.errors[0, 0, i, j]
            assert float(abs(p - w[j] / total).upper()) <= error
            need = float(p.mid()) * (2 * EXP + (3.01 * 6 + 17) * UU + 64 * EXP_BELOW) + EXP_BELOW
            assert need <= error <= 2.5 * need if seen[i, j] else error == 0 == p
        away = sum(Fraction(float(h)) + Fraction(float(l)) for part in [found.middle]
                   for h, l in zip(part[0][0, 0, i], part[1][0, 0, i], strict=True)) - 1  # fmt: skip
        assert abs(away) <= found.lack
    assert (3.01 * 6 + 17) * UU <= found.lack <= 2 * (3.01 * 6 + 17) * UU


def test_means_by_weights() -> None:
    p, v = drawn(2, 3, 4, 5), drawn(2, 3, 5, 7, seed=2)
    found, error = steps().mixed(p, v)
    true = np.matmul(exactly(p), exactly(v))
    assert found[0].shape == found[1].shape == true.shape == (2, 3, 4, 7)
    assert error.shape == (2, 3, 4)
    assert (off(found, true) <= error).all()
    assert (error <= 1e-28).all()


def test_scores_less_the_largest_that_is_seen() -> None:
    q, k = drawn(1, 1, 4, 6), drawn(1, 1, 4, 6, seed=2)
    factor = (np.array([[[0.375]]]), np.array([[[0.0]]]))
    seen = np.tri(4, dtype=bool)
    found, error = steps().scores(q, k, factor, seen)
    _, of_product = products(q, (k[0].swapaxes(-1, -2), k[1].swapaxes(-1, -2)))
    left, right = exactly(q)[0, 0], exactly(k)[0, 0]
    for i in range(4):
        row = [Fraction(3, 8) * sum(a * b for a, b in zip(left[i], right[j], strict=True)) for j in range(4)]
        top = max(row[: i + 1])
        for j in range(4):
            h, l, e = (part[0, 0, i, j] for part in (*found, error))
            if j > i:
                assert h == l == e == 0
                continue
            assert abs(Fraction(h) + Fraction(l) - (row[j] - top)) <= e
            need = (9.2 * abs(float(row[j])) + 3.01 * abs(float(row[j] - top))) * UU + 0.375 * of_product[0, 0, i, j]
            assert need <= e <= 3 * need
