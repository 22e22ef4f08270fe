"""Tests of `exactformer.model.network`."""

from __future__ import annotations

import hashlib
import json
import struct
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from kits.small_networks import shape

import exactformer as ef
from exactformer.model.architecture import Architecture
from exactformer.model.head_rules import HeadRule


def network(architecture: Architecture, seed: int = 0) -> ef.Network:
    rng = np.random.default_rng(seed)
    return ef.Network(
        architecture, {n: rng.standard_normal(s).astype(np.float32) for n, s in architecture.shapes.items()}
    )


@pytest.mark.parametrize(
    "changes",
    [
        {},
        {"norm": "post"},
        {"norm": "none", "embedding_norm": False, "final_norm": False, "types": 0},
        {"shared": True},
        {"head": "tied"},
        {"head": "none", "classes": 4},
        {"blocks": 0},
        {"embedding": 3},
    ],
)
def test_weight_string_is_what_the_format_says_and_comes_back(changes: dict[str, object], tmp_path: Path) -> None:
    net = network(shape(**changes))
    data = net.weight_string()
    a = net.architecture
    d, m, e = a.dim, a.hidden, a.embedding or a.dim
    count = (
        (a.vocabulary + a.positions + a.types) * e + 2 * e * a.embedding_norm + (d * e + d) * (a.embedding is not None)
    )
    count += (1 if a.shared else a.blocks) * (
        4 * d * d + 4 * d + 2 * m * d + m + d + 4 * d * (a.norm != "none")
    ) + 2 * d * a.final_norm
    count += a.classes * d * (a.head == "free") + a.classes * (a.head != "none")
    assert len(data) == 4 * count == 4 * a.size
    assert net.digest == hashlib.sha256(data).hexdigest()
    assert ef.Network.of_weight_string(a, data).weight_string() == data
    first = struct.unpack(f"<{e}f", data[: 4 * e])
    assert list(first) == [float(v) for v in net.tensors["token"][0]]
    weights = net.save(tmp_path / "net.json")
    assert weights.read_bytes() == data
    again = ef.Network.load(tmp_path / "net.json")
    assert again.architecture == a
    assert again.digest == net.digest


def test_tensors_that_do_not_fit_are_refused() -> None:
    a = shape()
    good = dict(network(a).tensors)
    cases = {
        "shape": good | {"token": good["token"].T},
        "float64": good | {"token": good["token"].astype(float)},
        "too few or too many: extra": good | {"extra": good["token"]},
        r"0.up\[0, 0\]: expected a finite": good | {"0.up": np.full_like(good["0.up"], np.nan)},
        "got inf": good | {"head_bias": np.full_like(good["head_bias"], np.inf)},
    }
    for said, tensors in cases.items():
        with pytest.raises(ef.InvalidInput, match=said):
            ef.Network(a, tensors)
    with pytest.raises(ef.InvalidInput, match="bytes"):
        ef.Network.of_weight_string(a, network(a).weight_string()[:-4])


def test_a_file_changed_after_it_was_written_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "net.json"
    net = network(shape())
    weights = net.save(path)
    data = bytearray(weights.read_bytes())
    data[3] ^= 1
    weights.write_bytes(data)
    with pytest.raises(ef.Malformed, match="changed"):
        ef.Network.load(path)
    weights.write_bytes(data[:-1])
    with pytest.raises(ef.Malformed, match="bytes of weights"):
        ef.Network.load(path)
    weights.write_bytes(net.weight_string())
    keys = json.loads(path.read_text())
    for edit in (
        {"version": [1, 0]},
        {"heads": 3},
        {"file": "/etc/passwd"},
        {"epsilon": "0.1"},
        {"epsilon": 1},
        {"extra": 1},
        {"read": "some"},
        {"weights": 5},
        {"exactformer": "tokens"},
    ):
        path.write_text(json.dumps({**keys, **edit}))
        with pytest.raises(ef.Malformed):
            ef.Network.load(path)
    path.write_text("[1]")
    with pytest.raises(ef.Malformed):
        ef.Network.load(path)


def test_ids_may_be_an_array_and_answers_are_short() -> None:
    net = network(shape())
    seen = net([1, 2])
    assert net(np.array([1, 2])) == seen
    assert repr(seen) == (
        f"NetworkAnswer(argmax {seen.argmax}, lead about {float(seen.gap[0]):.4g} over {seen.runner_up}, "
        f"radius about {float(seen.radius):.1e}, level float64)"
    )
    assert repr(network(shape(head="none", classes=4))([1])).startswith("NetworkAnswer(4 outputs, radius about ")
    for odd in (np.array([1.0]), np.array(1), np.array([[1, 2]]), 3, None):
        with pytest.raises(ef.InvalidInput, match="ids"):
            net(odd)


def test_a_temperature_is_given_to_every_head_and_leaves_its_mask() -> None:
    """One rule per block and head stay so many, each with its own mask; a causal network gets the rule that says so."""
    before, upto, hard = HeadRule("before"), HeadRule("upto", beta=Fraction(3)), HeadRule("after", "first")
    beta = Fraction(1, 7)
    for given, expected in (
        ({"rules": (before, upto, hard, HeadRule())}, ["before", "upto", "after", None]),
        ({"rules": (before, hard)}, ["before", "after"]),
        ({"causal": True}, ["upto", "upto"]),
        ({}, [None, None]),
    ):
        net = ef.Network(shape(**given), network(shape()).tensors, read="first")
        found = net.at_temperature(beta)
        rules = found.architecture.rules
        assert [rule.mask for rule in rules] == expected
        assert {rule.beta for rule in rules} == {beta}
        assert [rule.ties for rule in rules] == ["first" if mask == "after" else None for mask in expected]
        assert (found.architecture.causal, found.read, found.digest) == (False, "first", net.digest)
