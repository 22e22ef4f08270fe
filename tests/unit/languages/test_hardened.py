"""Tests of `exactformer.languages.hardened`."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from itertools import product

import numpy as np
import pytest

from exactformer.errors import InvalidInput
from exactformer.languages.hardened import hardmax_network, hardmax_recogniser
from exactformer.languages.prove import extract
from exactformer.model.architecture import Architecture
from exactformer.model.network import Network
from exactformer.model.network_blocks import rational_outputs

SHAPE = Architecture(dim=2, heads=2, hidden=2, blocks=2, vocabulary=3, positions=4, classes=2, norm="none", causal=True)


def random_network(seed: int, shape: Architecture = SHAPE) -> Network:
    """Small integers over 4: ties occur."""
    rng = np.random.default_rng(seed)
    return Network(shape, {n: rng.integers(-3, 4, s).astype(np.float32) / 4 for n, s in shape.shapes.items()})


@pytest.mark.parametrize("seed", range(6))
def test_the_recogniser_is_the_hardmax_network_on_words_within_its_positions(seed: int) -> None:
    network = random_network(seed)
    hard = hardmax_network(network)
    recogniser = hardmax_recogniser(network, "ab", begin=2)
    for n in range(4):
        for word in product((0, 1), repeat=n):
            out = rational_outputs(hard, [2, *word], [0] * (n + 1))[-1]
            assert recogniser.value(["ab"[k] for k in word]) == out[1] - out[0], word


def test_softmax_sharpens_to_it() -> None:
    """At a large inverse temperature the network's class is that of the hardmax version, where that is no tie."""
    network = random_network(1, replace(SHAPE, blocks=1))
    recogniser = hardmax_recogniser(network, "ab", begin=2)
    sharp = network.at_temperature(Fraction(2**12))
    for word in product((0, 1), repeat=2):
        verdict = recogniser.verdict(["ab"[k] for k in word])
        if verdict != "zero":
            assert (sharp([2, *word]).argmax == 1) == (verdict == "accept")


def test_its_language_is_extracted() -> None:
    """Without blocks the verdict is that of the last letter."""
    shape = replace(SHAPE, blocks=0, positions=1)
    tensors = {name: np.zeros(s, np.float32) for name, s in shape.shapes.items()}
    tensors["token"][0, 0], tensors["head"][1, 0], tensors["head_bias"][0] = 1, 1, 0.5
    automaton = extract(hardmax_recogniser(Network(shape, tensors), "ab"))
    assert [automaton.accepts(w) for w in ("a", "ba", "ab", "")] == [True, True, False, False]


def test_other_networks_are_refused() -> None:
    for change, message in (
        ({"activation": "gelu"}, "expected a network with relu"),
        ({"norm": "pre"}, "no LayerNorm"),
        ({"classes": 3}, "two classes"),
        ({"types": 1}, "without types"),
    ):
        with pytest.raises(InvalidInput, match=message):
            hardmax_recogniser(random_network(0, replace(SHAPE, **change)), "ab")
    with pytest.raises(InvalidInput, match="among 3 ids"):
        hardmax_recogniser(random_network(0), "abcd")
    with pytest.raises(InvalidInput, match="among 3 ids"):
        hardmax_recogniser(random_network(0), "ab", begin=3)
