"""The hardmax limit against exact evaluation, against softmax at many temperatures, and with ties."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

import exactformer as ef
from exactformer.evaluate.decisions import read_token
from exactformer.evaluate.float64_midpoints import Float64Midpoints
from exactformer.evaluate.hardmax_limit import ColdNetwork, hardmax_limit, with_hardmax
from exactformer.evaluate.pair_midpoints import PairMidpoints
from exactformer.model.domain import Domain
from exactformer.model.network_blocks import rational_outputs

KINDS = [
    {"norm": "none", "activation": "relu"},
    {"norm": "none", "activation": "relu", "blocks": 2, "causal": True},
    {"norm": "pre", "activation": "gelu", "final_norm": True},
    {"norm": "post", "activation": "gelu_tanh", "blocks": 2},
]


def random_network(seed: int, **changes: object) -> ef.Network:
    options: dict[str, object] = {"dim": 4, "heads": 2, "hidden": 3, "blocks": 1, "vocabulary": 4, "positions": 4}
    shape = ef.Architecture(**{**options, "classes": 3, **changes})  # type: ignore[arg-type]
    rng = np.random.default_rng(seed)
    found = {n: (rng.normal(size=s) * 0.7 + ("gain" in n)).astype(np.float32) for n, s in shape.shapes.items()}
    return ef.Network(shape, found)


ROWS = [([a, b, c], 0) for a in range(4) for b in range(2) for c in (1, 3)]
DOMAIN = Domain.of_rows("rows", ROWS)


@pytest.mark.parametrize("seed", range(4))
def test_from_beta_0_on_every_decision_is_that_of_hardmax(seed: int) -> None:
    network = random_network(seed, **KINDS[seed])
    limit = hardmax_limit(network, DOMAIN)
    known = np.isfinite(limit.beta_0)
    assert known.sum() >= 12
    for place in np.flatnonzero(known):
        ids = ROWS[place][0]
        assert with_hardmax(network)(ids).argmax == limit.hardmax.argmax[place]
        for factor in (1, Fraction(5, 4), 2, 7, 1000):
            beta = Fraction(float(limit.beta_0[place])) * factor
            assert network.at_temperature(beta)(ids).argmax in (limit.hardmax.argmax[place], None)


@pytest.mark.parametrize("make", [Float64Midpoints, PairMidpoints])
def test_one_enclosure_holds_all_temperatures_from_beta_0_on(make: type) -> None:
    """Distances from the hardmax output come near the radius, and never pass it."""
    nearest = 0.0
    for seed in range(12):
        network = random_network(seed, **KINDS[seed % 4])
        for power in (1, 3, 6):
            beta = Fraction(2) ** power
            cold = ColdNetwork(make(with_hardmax(network, beta)))
            ids = np.array([ROWS[seed][0]])
            try:
                x = read_token(cold, ids, np.zeros_like(ids), 2)
            except ef.Undecided:
                continue
            y = cold.a.float64(cold.a.logits(cold.a.each(x.middle, lambda part: part[:, 0]))[0])[0]
            radius = float(x.radius[0, 0]) * np.linalg.norm(network.tensors["head"].astype(float), axis=1) + 1e-9
            for factor in (1, 3, 50):
                soft = [float(v) for v in network.at_temperature(beta * factor)(ids[0].tolist()).centre]
                ratio = float((np.abs(np.array(soft) - y) / radius).max())
                assert ratio <= 1
                nearest = max(nearest, ratio)
    assert nearest > 0.05


def test_rational_networks_are_decided_as_by_definition() -> None:
    network = random_network(3, **KINDS[1])
    hard, limit = with_hardmax(network), hardmax_limit(network, DOMAIN)
    for place, (ids, _) in enumerate(ROWS):
        logits = rational_outputs(hard, ids, [0, 0, 0])[-1]
        assert limit.hardmax.argmax[place] == logits.index(max(logits))
    assert set(limit.ties.tolist()) == {0}


def tied(network: ef.Network) -> ef.Network:
    """All queries are 0: every score is 0."""
    qkv = network.tensors["0.qkv"].copy()
    qkv[: network.architecture.dim] = 0
    bias = network.tensors["0.qkv_bias"].copy()
    bias[: network.architecture.dim] = 0
    return ef.Network(network.architecture, {**network.tensors, "0.qkv": qkv, "0.qkv_bias": bias})


def test_ties_are_proved_where_outputs_are_rational() -> None:
    limit = hardmax_limit(tied(random_network(1, **KINDS[0])), DOMAIN)
    assert set(limit.ties.tolist()) == {1}
    assert limit.json()["inputs_with_equal_scores"] == len(ROWS)
    assert limit.hardmax.undecided == 0  # exact all the same: the mean of all values
    assert limit.largest_beta_0 is None
    two = Domain.of_rows("two", [([a, b], 0) for a in range(4) for b in range(4)])
    assert set(hardmax_limit(tied(random_network(1, **KINDS[0])), two).ties.tolist()) == {1}
    alone = Domain.of_rows("one", [([a], 0) for a in range(4)])
    assert set(hardmax_limit(tied(random_network(1, **KINDS[0])), alone).ties.tolist()) == {0}


def test_ties_stay_open_where_outputs_are_not_rational() -> None:
    limit = hardmax_limit(tied(random_network(1, **KINDS[2])), DOMAIN)
    assert set(limit.ties.tolist()) == {-1}
    assert limit.hardmax.undecided == len(ROWS)


def test_equal_logits_are_proved() -> None:
    network = random_network(1, **KINDS[0])
    zero = {**network.tensors, "head": network.tensors["head"] * 0, "head_bias": network.tensors["head_bias"] * 0}
    found = hardmax_limit(ef.Network(network.architecture, zero), DOMAIN).json()
    assert found["inputs_with_equal_logits"] == len(ROWS)
    assert found["beta_0"] == {"found": 0}


def test_a_network_with_rules_has_no_certificate() -> None:
    from exactformer.certificates.network_claims import verify_certifiable

    with pytest.raises(ef.InvalidInput, match="rules"):
        verify_certifiable(random_network(1, **KINDS[0]).at_temperature(Fraction(2)))
