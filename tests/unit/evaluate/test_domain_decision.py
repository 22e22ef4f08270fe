"""Decided domains against single answers, ties, wrong and undecided inputs; their certificates in the checker."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

import exactformer as ef
from exactformer.evaluate.domain_decision import Decision, decide_domain
from exactformer.languages.words import words
from exactformer.model.domain import Domain


def random_network(seed: int, **changes: object) -> ef.Network:
    options: dict[str, object] = {"dim": 6, "heads": 2, "hidden": 5, "blocks": 1, "vocabulary": 4, "positions": 5}
    options |= {"classes": 3, "norm": "pre", "activation": "gelu", "final_norm": True, **changes}
    shape = ef.Architecture(**options)  # type: ignore[arg-type]
    rng = np.random.default_rng(seed)
    tensors = {
        name: (rng.normal(size=s) * 0.5 + ("gain" in name)).astype(np.float32) for name, s in shape.shapes.items()
    }
    return ef.Network(shape, tensors)


def biased(*bias: float, **changes: object) -> ef.Network:
    """A network whose outputs are these numbers, whatever it reads."""
    network = random_network(0, blocks=0, classes=len(bias), **changes)
    tensors = {name: np.zeros_like(tensor) for name, tensor in network.tensors.items()}
    return ef.Network(network.architecture, tensors | {"head_bias": np.array(bias, np.float32)})


ROWS = [([0, 1], 0), ([2], 1), ([3, 3, 1], 2), ([0, 1], 1), ([1], 0)]


@pytest.mark.parametrize("seed", range(6))
def test_every_input_is_decided_as_it_is_alone(seed: int) -> None:
    kinds = [
        {},
        {"norm": "post"},
        {"norm": "none", "activation": "relu"},
        {"causal": True},
        {"types": 1},
        {"blocks": 2},
    ]
    network = random_network(seed, **kinds[seed])
    found = decide_domain(network, Domain.of_rows("rows", ROWS))
    for place, (ids, label) in enumerate(ROWS):
        alone = network(ids)
        assert found.argmax[place] == (-1 if alone.argmax is None else alone.argmax)
        assert found.is_right[place] == (alone.argmax == label)
        assert found.ids(place) == ids
        assert alone.gap is not None
        assert Fraction(found.low[place]) <= alone.gap[1]
        assert alone.gap[0] <= Fraction(found.high[place])
    assert found.right + found.wrong + found.undecided == found.inputs == len(ROWS)


def test_many_wrong_inputs_are_listed_at_once(tmp_path: Path) -> None:
    """Every one of 40,000 inputs is wrong: their ids are looked up, not searched for."""
    network = biased(1.0, *[0.0] * 200, vocabulary=202)
    found = network.decide(
        Domain.of_rows("rows", [([a, b], 1 + (a + b) % 200) for a in range(200) for b in range(200)])
    )
    assert found.wrong == 40_000
    assert found.ids(39_999) == [199, 199]
    assert [found.ids(int(k)) for k in found.wrong_places()[:201]][-1] == [1, 0]
    with pytest.raises(ef.InvalidInput, match="below 40000"):
        found.ids(40_000)


def test_a_tie_is_undecided_and_nothing_is_certified(tmp_path: Path) -> None:
    found = biased(1.0, 1.0, 0.0).decide(Domain.of_rows("rows", [([0], 0), ([1], 1)]))
    assert (found.right, found.wrong, found.undecided, found.least_margin, bool(found)) == (0, 0, 2, None, False)
    with pytest.raises(ef.Undecided, match="2 inputs"):
        found.certify(tmp_path / "c.jsonl")
    assert not list(tmp_path.iterdir())


def test_the_least_margin_encloses_the_least_lead() -> None:
    found = biased(1.0, 0.25, 0.0).decide(Domain.of_rows("rows", [([0], 0), ([1], 1)]))
    assert found.least_margin is not None
    low, high = found.least_margin
    assert low <= 0.75 <= high
    assert found.json()["first_wrong"] == {"ids": [1], "argmax": 0, "label": 1}


def certified(found: Decision, path: Path) -> str:
    found.certify(path)
    verdict = ef.check(path)
    assert verdict.verdict == "accepted", verdict
    return verdict.why


def test_certificates_of_all_kinds_of_domains(tmp_path: Path) -> None:
    path = tmp_path / "c.jsonl"
    right = biased(1.0, 0.0).decide(words("ab", 3, "(a|b)*", begin=2))
    assert not right  # class 0 everywhere: words of the language have class 1
    assert "15 cases" in certified(right, path)
    right = biased(0.0, 1.0).decide(words("ab", 3, "(a|b)*", begin=2))
    assert right
    assert "15 tuples of 4 domains" in certified(right, path)
    network = random_network(4)
    labels = [network(ids).argmax for ids, _ in ROWS]
    rows = [(ids, k) for (ids, _), k in zip(ROWS, labels, strict=True) if k is not None]
    assert f"{len(rows)} cases" in certified(network.decide(Domain.of_rows("rows", rows)), path)
    typed = random_network(4, types=2)
    assert typed([0]).argmax is not None
    assert "3 cases" in certified(typed.decide(Domain.of_rows("rows", [([0], typed([0]).argmax or 0)] * 3)), path)


def test_the_certificate_of_wrong_inputs_states_their_classes(tmp_path: Path) -> None:
    found = biased(0.0, 1.0, 0.5).decide(Domain.of_rows("rows", [([0], 0), ([1], 1), ([2], 2)]))
    assert (found.right, found.wrong) == (1, 2)
    assert "2 cases" in certified(found, tmp_path / "c.jsonl")
    lines = (tmp_path / "c.jsonl").read_text()
    assert '"ids":[2]' in lines
    assert '"ids":[1]' not in lines


def test_large_weights_are_referred_to(tmp_path: Path) -> None:
    network = biased(0.0, 1.0, vocabulary=50_000)
    found = network.decide(Domain.of_rows("rows", [([49_999], 1)]))
    found.certify(tmp_path / "c.jsonl")
    weights = network.save(tmp_path / "n.json")
    assert ef.check(tmp_path / "c.jsonl").verdict == "declined"
    assert ef.check(tmp_path / "c.jsonl", weights=weights).verdict == "accepted"


@pytest.mark.parametrize(
    ("network", "message"),
    [
        (random_network(1, embedding=3), "factorised"),
        (random_network(1, head="none", classes=6), "head"),
    ],
)
def test_networks_without_certificates(network: ef.Network, message: str, tmp_path: Path) -> None:
    from exactformer.certificates.network_claims import verify_certifiable

    with pytest.raises(ef.InvalidInput, match=message):
        verify_certifiable(network)
    mean = ef.Network(random_network(1).architecture, random_network(1).tensors, read="mean")
    with pytest.raises(ef.InvalidInput, match="last position"):
        verify_certifiable(mean)
