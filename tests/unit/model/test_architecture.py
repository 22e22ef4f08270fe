"""Tests of `exactformer.model.architecture`."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from kits.small_networks import shape

import exactformer as ef
from exactformer.model.architecture import Architecture

KEYS = "dim heads hidden blocks shared vocabulary positions types classes norm embedding_norm final_norm activation causal head epsilon"


def network(architecture: Architecture, seed: int = 0) -> ef.Network:
    rng = np.random.default_rng(seed)
    return ef.Network(
        architecture, {n: rng.standard_normal(s).astype(np.float32) for n, s in architecture.shapes.items()}
    )


def test_header_has_the_keys_of_the_certificate_in_order() -> None:
    header = shape().header()
    assert list(header) == KEYS.split()
    assert header["epsilon"] == "1/100000"
    assert Architecture.of_header(header, "x") == shape()
    assert "embedding" in shape(embedding=3).header()


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"heads": 3}, "divisor of dim"),
        ({"dim": True}, "dim: expected an integer"),
        ({"hidden": 0}, "hidden"),
        ({"classes": 6, "head": "tied"}, "expected 5"),
        ({"classes": 5, "head": "none"}, "expected 4"),
        ({"norm": "rms"}, "pre, post, none"),
        ({"causal": 1}, "true or false"),
        ({"epsilon": Fraction(0)}, "> 0"),
        ({"blocks": 0, "shared": True}, "at least one block"),
        ({"embedding": 3, "head": "tied"}, "tied"),
    ],
)
def test_contradictions_are_refused(changes: dict[str, object], said: str) -> None:
    with pytest.raises(ef.InvalidInput, match=said):
        shape(**changes)


def test_ids_and_types_are_verified() -> None:
    net = network(shape())
    assert net.verify_ids(np.array([4, 0])) == ([4, 0], [0, 0])
    assert net.verify_ids([1], [1]) == ([1], [1])
    for ids, types in [
        ([], None),
        ([5], None),
        ([-1], None),
        ([True], None),
        ([0] * 4, None),
        ([1.0], None),
        (7, None),
        ([0], [2]),
        ([0], [0, 0]),
    ]:
        with pytest.raises(ef.InvalidInput):
            net.verify_ids(ids, types)
    with pytest.raises(ef.InvalidInput, match="no token types"):
        network(shape(types=0)).verify_ids([0], [0])
