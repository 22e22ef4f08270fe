"""Networks in integers against 400-bit balls that follow the definition: every output lies within its radius."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from flint import arb, ctx, fmpq
from network_by_balls import LAYOUTS, act, random_network, truth
from test_network_levels import jacobian

import exactformer as ef
from exactformer.evaluate.approx_network import ApproxNetwork
from exactformer.evaluate.integer_functions import exp_minus, gelu, gelu_tanh
from exactformer.evaluate.integers import IntegerBall, IntegerNetwork
from exactformer.model.architecture import Architecture


@pytest.fixture(autouse=True)
def _precision():
    before, ctx.prec = ctx.prec, 400
    yield
    ctx.prec = before


def contained(net: ef.Network, ids: list[int], types: list[int], bits: int) -> None:
    found = IntegerNetwork(net, bits).outputs(ids, types)
    for ball, row in zip(found, truth(net, ids, types), strict=True):
        for m, y in zip(ball.middle, row, strict=True):
            assert y.rad() < 2.0**-300
            assert abs(y * arb(2) ** bits - m) <= ball.radius
        assert ball.radius < 1 << (bits - 30)


@pytest.mark.parametrize("layout", LAYOUTS)
def test_every_layout_is_contained(layout: tuple) -> None:
    norm, emb, fin, activation, causal, head = layout
    rng = np.random.default_rng(LAYOUTS.index(layout))
    classes = {"free": 3, "tied": 6, "none": 4}[head]
    net = random_network(
        rng,
        blocks=2,
        norm=norm,
        embedding_norm=emb,
        final_norm=fin,
        activation=activation,
        causal=causal,
        head=head,
        classes=classes,
    )
    contained(net, [5, 0, 3], [1, 0, 1], 200)


def test_shared_and_factorised_networks_are_contained() -> None:
    rng = np.random.default_rng(7)
    contained(
        random_network(
            rng,
            blocks=3,
            shared=True,
            embedding=3,
            norm="post",
            embedding_norm=True,
            activation="gelu",
            head="none",
            classes=4,
        ),
        [1, 1, 2],
        [0, 0, 1],
        230,
    )


@pytest.mark.parametrize("p", [32, 80, 150, 480])
def test_functions_lie_within_their_radii(p: int) -> None:
    ctx.prec = 2000
    rng = np.random.default_rng(p)
    for x in [*(float(v) for v in rng.standard_normal(25) * 4), 0.0, 16.5, -16.5, 31.0, -31.5, 40.0, -1e-9]:
        m = int(Fraction(x) * 2**p)
        y = arb(m) / arb(2) ** p
        for value, (found, r) in (
            (act(y, "gelu"), gelu(m, p)),
            (act(y, "gelu_tanh"), gelu_tanh(m, p)),
            ((-abs(y)).exp(), exp_minus(abs(m), p)),
        ):
            assert abs(value * arb(2) ** p - found) <= r
            assert r <= 2**12


def test_an_answer_is_the_true_winner_and_ties_are_never_decided() -> None:
    rng = np.random.default_rng(3)
    net = random_network(rng, blocks=1, norm="pre", activation="gelu", causal=True, head="free", classes=3)
    with pytest.raises(ef.InvalidInput, match="every output of this network is read"):
        net([1, 2])
    for at, row in enumerate(truth(net, [4, 2, 1], [0, 0, 0])):
        seen = net([4, 2, 1], at=at)
        values = [float(v.mid()) for v in row]
        assert seen.argmax == int(np.argmax(values))
        lead = sorted(values)[-1] - sorted(values)[-2]
        assert seen.gap is not None
        assert float(seen.gap[0]) == pytest.approx(lead)
    mean = ef.Network(net.architecture, net.tensors, read="mean")([4, 2, 1])
    means = [sum((row[c] for row in truth(net, [4, 2, 1], [0, 0, 0])), arb(0)) / 3 for c in range(3)]
    for y, c in zip(means, mean.centre, strict=True):
        assert abs(y - arb(fmpq(c.numerator, c.denominator))) <= arb(
            fmpq(mean.radius.numerator, mean.radius.denominator)
        )
    tied = {**net.tensors, "head": np.ones((3, 4), np.float32), "head_bias": np.zeros(3, np.float32)}
    assert ef.Network(net.architecture, tied)([1]).argmax is None


def ratios(net: ef.Network, x: np.ndarray, radius: float, bits: int = 128) -> list[float]:
    """|true move| / radius of every coordinate, at the worst corner of a cube of inputs to first order."""
    program, one = ApproxNetwork(net, "float64"), 2.0**bits
    given = [IntegerBall([int(Fraction(v) * 2**bits) for v in row], int(radius * one)) for row in x]
    try:
        found = IntegerNetwork(net, bits).run(given)
    except ef.Undecided:
        return []
    J, seen = jacobian(program.approx_from, x, np.ones(x.shape[1]), max(1e-6, radius / 2)), []
    for i, ball in enumerate(found):
        for c, m in enumerate(ball.middle):
            for sign in (1, -1):
                moved = program.approx_from(x + sign * radius * np.sign(J[i, c]))[i, c] - m / one
                seen.append(abs(float(moved)) / (ball.radius / one + 1e-11))
    return seen


@pytest.mark.parametrize("layout", LAYOUTS)
def test_no_corner_of_a_cube_of_inputs_leaves_the_bound(layout: tuple) -> None:
    norm, emb, fin, activation, causal, _ = layout
    rng, count = np.random.default_rng(200 + LAYOUTS.index(layout)), 0
    given = {"norm": norm, "embedding_norm": emb, "final_norm": fin, "activation": activation, "causal": causal}
    for blocks in (1, 1, 2):
        net = random_network(rng, **given, blocks=blocks, head="none", classes=4)
        for radius in (1e-4, 1e-6, 1e-8):
            seen = ratios(net, rng.standard_normal((3, 4)), radius)
            assert all(ratio <= 1 for ratio in seen), max(seen)
            count += len(seen)
    assert count >= 24


@pytest.mark.parametrize(("activation", "at"), [("relu", 1.0), ("gelu", 2**0.5), ("gelu_tanh", 1.42), ("values", 0.0)])
def test_cubes_of_inputs_nearly_reach_the_bound(activation: str, at: float) -> None:
    """One unit that reads and writes every coordinate, where its slope is largest; or heads that take the mean."""
    sizes = {"dim": 4, "heads": 2, "hidden": 1, "blocks": 1, "vocabulary": 1, "positions": 3, "classes": 4}
    kind = "relu" if activation == "values" else activation
    net = Architecture(**sizes, norm="none", activation=kind, head="none")
    tensors = {n: np.zeros(s, np.float32) for n, s in net.shapes.items()}
    if activation == "values":
        tensors["0.qkv"][8:], tensors["0.out"] = np.full((4, 4), 64, np.float32), np.full((4, 4), -64, np.float32)
    else:
        tensors["0.up"][:], tensors["0.up_bias"][:], tensors["0.down"][:] = [1, -2, 4, 1], at, 4096
    seen = ratios(ef.Network(net, tensors), np.zeros((3, 4)), 1e-6)
    assert 0.99 < max(seen) <= 1


def test_scores_move_within_an_eighth_of_the_bound() -> None:
    """Two keys with opposite deviations and opposite values; the bound is eight times what the worst pair of them does."""
    sizes = {"dim": 2, "heads": 1, "hidden": 1, "blocks": 1, "vocabulary": 1, "positions": 2, "classes": 2}
    shape = Architecture(**sizes, norm="none", head="none")
    tensors = {n: np.zeros(s, np.float32) for n, s in shape.shapes.items()}
    tensors["0.qkv_bias"][0], tensors["0.qkv"][2, 0], tensors["0.qkv"][4, 1] = 1024, 1, 1
    tensors["0.out"][1, 0] = 4096
    seen = ratios(ef.Network(shape, tensors), np.array([[0.0, 1.0], [0.0, -1.0]]), 1e-8)
    assert 0.11 < max(seen) <= 0.126


def test_layer_norm_moves_within_two_thirds_of_the_bound() -> None:
    """A coordinate at the mean of sixteen: it moves by 2r / s, where the bound has 3r / s."""
    sizes = {"dim": 17, "heads": 1, "hidden": 1, "blocks": 0, "vocabulary": 1, "positions": 1, "classes": 17}
    shape = Architecture(**sizes, norm="none", final_norm=True, head="none")
    tensors = {n: (np.ones if "gain" in n else np.zeros)(s, np.float32) for n, s in shape.shapes.items()}
    seen = ratios(ef.Network(shape, tensors), np.array([[0.0] + 8 * [1.0] + 8 * [-1.0]]), 1e-6)
    assert 0.6 < max(seen) <= 2 / 3


@pytest.mark.parametrize("bits", [0, 31, 481])
def test_precisions_that_no_certificate_has_are_refused(bits: int) -> None:
    rng = np.random.default_rng(0)
    net = random_network(rng, blocks=1, norm="pre", activation="gelu", causal=True, head="free", classes=3)
    with pytest.raises(ef.InvalidInput, match="bits: expected"):
        IntegerNetwork(net, bits)
