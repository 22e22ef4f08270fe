"""A campaign: networks of many depths, widths, heads, norms, activations, rules and scales, against 2000-bit balls."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from flint import arb, ctx, fmpq
from network_by_balls import truth

import exactformer as ef
from exactformer.model.architecture import Architecture


def drawn(rng: np.random.Generator) -> ef.Network:
    """A network of random shape; weights spread over several powers of two, gains wild now and then."""
    heads = int(rng.choice([1, 2, 3, 5]))
    dim = heads * int(rng.choice([1, 2, 3]))
    head = str(rng.choice(["free", "tied", "none"]))
    vocabulary = int(rng.integers(2, 9))
    shape = Architecture(
        dim=dim,
        heads=heads,
        hidden=int(rng.integers(1, 12)),
        blocks=int(rng.integers(0, 5)),
        vocabulary=vocabulary,
        positions=5,
        types=int(rng.integers(0, 3)),
        classes={"free": int(rng.integers(2, 6)), "tied": vocabulary, "none": dim}[head],
        norm=str(rng.choice(["pre", "post", "none"])),
        embedding_norm=bool(rng.integers(2)),
        final_norm=bool(rng.integers(2)),
        activation=str(rng.choice(["relu", "gelu", "gelu_tanh"])),
        causal=bool(rng.integers(2)),
        head=head,
        epsilon=Fraction(1, int(rng.choice([10, 10**5, 10**12]))),
    )
    spread = int(rng.choice([0, 0, 3, 12]))
    scale = 2.0 ** rng.integers(-4, 3)
    return ef.Network(
        shape,
        {
            n: (scale * rng.standard_normal(s) * 2.0 ** rng.integers(-spread, spread + 1, s)).astype(np.float32)
            for n, s in shape.shapes.items()
        },
    )


def verify(net: ef.Network, rng: np.random.Generator) -> int:
    """How many outputs were compared; fails where one lies outside of its enclosure, or a wrong class is decided."""
    n, compared = int(rng.integers(1, 6)), 0
    ids = rng.integers(0, net.architecture.vocabulary, n).tolist()
    rows = truth(net, ids, [0] * n)
    at = int(rng.integers(n))
    true = rows[at]
    if any(not bool(y.rad() < 1e-200) for y in true):
        return 0
    for level in ("float64", "double-double", "integers"):
        try:
            seen = net(ids, at=at, level=level)
        except ef.Undecided:
            continue
        radius = arb(fmpq(seen.radius.numerator, seen.radius.denominator))
        for y, c in zip(true, seen.centre, strict=True):
            assert abs(y - arb(fmpq(c.numerator, c.denominator))) <= radius, (net, ids, at, level)
        if seen.argmax is not None:
            assert all(true[seen.argmax] > y for j, y in enumerate(true) if j != seen.argmax), (net, ids, at, level)
        compared += 1
    return compared


@pytest.mark.parametrize("seed", [*range(6), *(pytest.param(s, marks=pytest.mark.slow) for s in range(6, 60))])
def test_networks_of_every_shape(seed: int) -> None:
    before, ctx.prec = ctx.prec, 2000
    try:
        rng = np.random.default_rng([28, seed])
        assert sum(verify(drawn(rng), rng) for _ in range(8)) >= 8
    finally:
        ctx.prec = before


def near_tie(
    net: ef.Network, ids: list[int], true: list[arb], rng: np.random.Generator
) -> tuple[ef.Network, list[arb]]:
    """The network with the runner-up brought to the winner as near as float32 biases allow, and its logits."""
    bias = np.array(net.tensors["head_bias"])
    logits = list(true)
    for _ in range(int(rng.integers(1, 4))):
        first, second = sorted(range(len(logits)), key=lambda j: -float(logits[j].mid()))[:2]
        moved = np.float32(bias[second] + np.float32(float((logits[first] - logits[second]).mid())))
        logits[second] += arb(float(moved)) - arb(float(bias[second]))
        bias[second] = moved
    return ef.Network(net.architecture, {**net.tensors, "head_bias": bias}), logits


@pytest.mark.parametrize("seed", [*range(4), *(pytest.param(s, marks=pytest.mark.slow) for s in range(4, 60))])
def test_near_ties_are_decided_rightly_and_ties_never(seed: int) -> None:
    before, ctx.prec = ctx.prec, 2000
    rng, decided = np.random.default_rng([29, seed]), 0
    try:
        for _ in range(12):
            net = drawn(rng)
            ids = rng.integers(0, net.architecture.vocabulary, int(rng.integers(1, 6))).tolist()
            true = truth(net, ids, [0] * len(ids))[-1]
            if net.head is None or not all(bool(y.rad() < 1e-200) and bool(abs(y) < 1e30) for y in true):
                continue
            near, logits = near_tie(net, ids, true, rng)
            try:
                found = near(ids)
            except ef.Undecided:
                continue
            if found.argmax is not None:
                assert all(logits[found.argmax] > y for j, y in enumerate(logits) if j != found.argmax), (near, ids)
                decided += 1
    finally:
        ctx.prec = before
    assert decided >= 3
