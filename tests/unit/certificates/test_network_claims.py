"""Certificates of outputs of networks: accepted as they are, refused when the radius is a little smaller."""

from __future__ import annotations

import hashlib
import json
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

import exactformer as ef
from exactformer.certificates.network_claims import write_enclosures
from exactformer.evaluate.integers import IntegerNetwork
from exactformer.io.canonical import canonical


def random_network(**changes: object) -> ef.Network:
    options: dict[str, object] = {"dim": 4, "heads": 2, "hidden": 3, "blocks": 2, "vocabulary": 4, "positions": 4}
    shape = ef.Architecture(**{**options, "classes": 3, "norm": "pre", **changes})  # type: ignore[arg-type]
    rng = np.random.default_rng(5)
    found = {n: (rng.normal(size=s) * 0.7 + ("gain" in n)).astype(np.float32) for n, s in shape.shapes.items()}
    return ef.Network(shape, found)


@pytest.mark.parametrize(
    "changes", [{}, {"types": 2}, {"head": "none", "classes": 4}, {"activation": "gelu", "shared": True}], ids=str
)
def test_enclosures_are_accepted(changes: dict[str, object], tmp_path: Path) -> None:
    network, path = random_network(**changes), tmp_path / "c.jsonl"
    found = write_enclosures(path, network, [[0, 1, 2], [3]])
    assert ef.check(path).verdict == "accepted"
    for (centre, radius), ids in zip(found, ([0, 1, 2], [3]), strict=True):
        seen = network(ids, at=len(ids) - 1)
        assert all(abs(a - b) <= radius + seen.radius for a, b in zip(centre, seen.centre, strict=True))
        assert radius < Fraction(1, 2**60)


def test_a_smaller_radius_is_not_accepted(tmp_path: Path) -> None:
    path = tmp_path / "c.jsonl"
    [(_, radius)] = write_enclosures(path, random_network(), [[0, 1]], at=0)
    text = path.read_text().splitlines()
    line = json.loads(text[-2])
    assert line["at"] == 0
    line["radius"] = canonical(radius * Fraction(1, 2))
    body = "\n".join([*text[:-2], json.dumps(line, separators=(",", ":"))]) + "\n"
    end = {"end": True, "sha256": hashlib.sha256(body.encode()).hexdigest()}
    path.write_text(body + json.dumps(end, separators=(",", ":")) + "\n")
    assert ef.check(path).verdict == "declined"


def test_what_cannot_be_certified_is_not_written(tmp_path: Path) -> None:
    path = tmp_path / "c.jsonl"
    for network, inputs, at in (
        (random_network(embedding=2), [[0]], None),
        (random_network(), [[9]], None),
        (random_network(), [[0, 1]], 2),
    ):
        with pytest.raises(ef.InvalidInput):
            write_enclosures(path, network, inputs, at=at)
    network = random_network()
    small = ef.Network(network.architecture, {**network.tensors, "token": network.tensors["token"] * 2.0**-60})
    with pytest.raises(ef.Undecided, match="bits"):
        write_enclosures(path, small, [[0]], bits=64)
    assert not path.exists()


def test_answers_are_certified_as_the_network_gives_them(tmp_path: Path) -> None:
    inputs = [[0, 1, 2], [3], [2, 2]]
    network = random_network()
    path = network.certify(tmp_path / "classes.jsonl", inputs)
    lines = [json.loads(line) for line in Path(path).read_text().splitlines()]
    assert [(line["ids"], line["argmax"]) for line in lines if "argmax" in line] == [
        (ids, network(ids).argmax) for ids in inputs
    ]
    assert ef.check(path).accepted
    first = ef.Network(random_network(head="none", classes=4).architecture, network_tensors("none"), read="first")
    cases = [json.loads(x) for x in Path(first.certify(tmp_path / "o.jsonl", inputs)).read_text().splitlines()[1:]]
    assert [line["at"] for line in cases if "at" in line] == [0, 0, 0]
    assert ef.check(tmp_path / "o.jsonl").accepted


def network_tensors(head: str) -> dict[str, np.ndarray]:
    network = random_network(head=head, classes=4)
    return {name: network.tensors[name] for name in network.architecture.shapes}


@pytest.mark.parametrize(
    ("head", "read", "message"), [("none", "mean", "this network reads mean"), ("free", "first", "--read last")]
)
def test_only_the_answers_of_one_position_are_certified(head: str, read: str, message: str, tmp_path: Path) -> None:
    network = ef.Network(random_network(head=head, classes=4).architecture, network_tensors(head), read=read)
    with pytest.raises(ef.InvalidInput, match=message):
        network.certify(tmp_path / "c.jsonl", [[0, 1]])
    assert not list(tmp_path.iterdir())


def test_an_undecided_class_is_not_certified(tmp_path: Path) -> None:
    tensors = {name: 0 * tensor for name, tensor in network_tensors("free").items()}  # all logits are equal
    network = ef.Network(random_network(classes=4).architecture, tensors)
    with pytest.raises(ef.Undecided, match="input 0: its class is undecided"):
        network.certify(tmp_path / "c.jsonl", [[0, 1]])
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(("bits", "factor"), [(96, 1), (300, 1), (96, 2.0**60)])
def test_the_ball_of_the_evaluator_is_written_with_53_bits_of_its_radius(
    bits: int, factor: float, tmp_path: Path
) -> None:
    """The centre as it is, and the radius moved up by at most one unit of its last bit of 53."""
    plain = random_network(head="none", classes=4, norm="none", activation="relu", blocks=1)
    network = ef.Network(plain.architecture, {**plain.tensors, "0.down": plain.tensors["0.down"] * np.float32(factor)})
    path, inputs = tmp_path / "c.jsonl", [[0, 1, 2], [3], [2, 2]]
    found = write_enclosures(path, network, inputs, bits=bits)
    for (centre, radius), ids in zip(found, inputs, strict=True):
        ball = IntegerNetwork(network, bits).outputs(ids)[-1]
        unit = 2 ** max(0, len(f"{ball.radius:b}") - 53)
        assert centre == tuple(Fraction(m, 2**bits) for m in ball.middle)
        assert 0 < radius * 2**bits - ball.radius <= unit
        assert (radius * 2**bits) % unit == 0
        assert (unit > 1) == (factor > 1)
    header, *rest = map(json.loads, path.read_text().splitlines())
    cases = [line for line in rest if "case" in line]
    assert (header["bits"], [line["case"] for line in cases], [line["at"] for line in cases]) == (
        bits,
        [0, 1, 2],
        [2, 0, 1],
    )
    assert [(line["centre"], line["radius"]) for line in cases] == [
        ([*map(canonical, c)], canonical(r)) for c, r in found
    ]


@pytest.mark.parametrize("at", [-1, 2])
def test_there_is_no_position_beyond_the_input(at: int, tmp_path: Path) -> None:
    with pytest.raises(ef.InvalidInput, match=f"at: expected a position from 0 to 1, got {at}"):
        write_enclosures(tmp_path / "c.jsonl", random_network(), [[0, 1]], at=at)
    for fits in (0, 1):
        write_enclosures(tmp_path / "c.jsonl", random_network(), [[0, 1]], at=fits)
        assert json.loads((tmp_path / "c.jsonl").read_text().splitlines()[-2])["at"] == fits
