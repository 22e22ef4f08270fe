"""Heads with masks, temperatures and tie rules: every level against the definition, written down once more here."""

from __future__ import annotations

import json
from fractions import Fraction
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from flint import arb, ctx, fmpq
from network_by_balls import act, layer_norm, linear, rows

import exactformer as ef
from exactformer.evaluate.approx_network import ApproxNetwork
from exactformer.evaluate.network_answer import decide_batch
from exactformer.model.architecture import Architecture
from exactformer.model.head_rules import HeadRule
from exactformer.model.network_blocks import rational_outputs

SEES = {
    None: lambda i, j: True,
    "before": lambda i, j: j < i,
    "upto": lambda i, j: j <= i,
    "after": lambda i, j: j > i,
    "from": lambda i, j: j >= i,
}
IDS = [5, 0, 3]


@pytest.fixture(autouse=True)
def _precision():
    before, ctx.prec = ctx.prec, 400
    yield
    ctx.prec = before


def network(rules: list[HeadRule], seed: int = 0, scale: float = 0.7, **keys: object) -> ef.Network:
    sizes = {"dim": 4, "heads": 2, "hidden": 5, "blocks": 2, "vocabulary": 6, "positions": 3, "classes": 3}
    shape = Architecture(**{**sizes, "norm": "pre", "activation": "gelu", **keys}, rules=tuple(rules))
    rng = np.random.default_rng(seed)
    return ef.Network(
        shape, {n: (scale * rng.standard_normal(s)).astype(np.float32) for n, s in shape.shapes.items()}, read="all"
    )


def attended(x: list[list[arb]], b: object, rules: list[HeadRule]) -> list[list[arb]]:
    """Attention of one block by definition; hardmax by midpoints, which are far apart here or equal."""
    d, width, out = len(x[0]), len(x[0]) // len(rules), []
    qkv = linear(x, b.qkv, b.qkv_bias)
    for i in range(len(x)):
        token: list[arb] = []
        for a, rule in enumerate(rules):
            q, k, v = ([t[o + a * width : o + (a + 1) * width] for t in qkv] for o in (0, d, 2 * d))
            seen = [j for j in range(len(x)) if SEES[rule.mask](i, j)]
            scores = {j: sum((y * z for y, z in zip(q[i], k[j], strict=True)), arb(0)) for j in seen}
            if not seen:
                token += [arb(0)] * width
                continue
            if rule.ties is None:
                factor = arb(fmpq(rule.beta.numerator, rule.beta.denominator)) / arb(width).sqrt()
                w = {j: ((scores[j] - scores[seen[0]]) * factor).exp() for j in seen}
            else:
                top = max(scores[j].mid() for j in seen)
                best = [j for j in seen if top - scores[j].mid() < 1e-60]
                best = {"all": best, "first": best[:1], "last": best[-1:]}[rule.ties]
                w = {j: arb(1 if j in best else 0) for j in seen}
            token += [sum((w[j] * v[j][c] for j in seen), arb(0)) / sum(w.values(), arb(0)) for c in range(width)]
        out.append(token)
    return linear(out, b.out, b.out_bias)


def truth(net: ef.Network, ids: list[int]) -> list[list[arb]]:
    a, t = net.architecture, net.tensors

    def plus(x, y):
        return [[u + v for u, v in zip(p, q, strict=True)] for p, q in zip(x, y, strict=True)]

    x = plus(rows(t["token"][ids]), rows(t["position"][: len(ids)]))
    for k in range(a.blocks):
        b, rules = net.block(k), a.rules[k * a.heads :][: a.heads] if len(a.rules) > a.heads else a.rules
        x = plus(x, attended(layer_norm(x, b.gain1, b.bias1, a.epsilon) if a.norm == "pre" else x, b, rules))
        u = linear(layer_norm(x, b.gain2, b.bias2, a.epsilon) if a.norm == "pre" else x, b.up, b.up_bias)
        x = plus(x, linear([[act(v, a.activation) for v in y] for y in u], b.down, b.down_bias))
    return linear(x, *net.head)


def as_arb(q: Fraction) -> arb:
    return arb(fmpq(q.numerator, q.denominator))


def verify_contained(net: ef.Network, level: str) -> None:
    for at, row in enumerate(truth(net, IDS)):
        seen = net(IDS, at=at, level=level)
        assert seen.level == level
        assert all(abs(y - as_arb(c)) <= as_arb(seen.radius) for y, c in zip(row, seen.centre, strict=True))
        assert seen.radius < Fraction(1, 10**4)
        program = ApproxNetwork(net, "float64").approx_outputs(IDS, [0] * 3)[at]
        assert list(program) == pytest.approx([float(y.mid()) for y in row], abs=1e-9)


@pytest.mark.parametrize("level", ["float64", "double-double", "integers"])
@pytest.mark.parametrize("mask", list(SEES))
def test_masks_and_temperatures(mask: str | None, level: str) -> None:
    for beta in (Fraction(1), Fraction(1, 3), Fraction(7)):
        verify_contained(network([HeadRule(mask, None, beta), HeadRule()]), level)


@pytest.mark.parametrize("level", ["float64", "double-double", "integers"])
def test_hardmax_heads_beside_softmax_and_layer_norm(level: str) -> None:
    for seed, (mask, ties) in enumerate(product(SEES, ("all", "first", "last"))):
        verify_contained(network([HeadRule(mask, ties), HeadRule("upto")], seed), level)


def test_rules_may_differ_from_block_to_block() -> None:
    rules = [HeadRule("before"), HeadRule("after"), HeadRule(None, None, Fraction(2)), HeadRule("from", "first")]
    for level in ("float64", "double-double", "integers"):
        verify_contained(network(rules), level)


def rational(rules: list[HeadRule], seed: int = 0) -> ef.Network:
    """Weights that are small integers: scores and logits tie often."""
    net = network(rules, seed, norm="none", activation="relu")
    rng = np.random.default_rng(seed)
    tensors = {n: rng.integers(-1, 2, t.shape).astype(np.float32) for n, t in net.tensors.items()}
    tensors["head"][2], tensors["head_bias"][2] = tensors["head"][seed % 3], tensors["head_bias"][seed % 3]
    return ef.Network(net.architecture, tensors, read="all")


def test_rational_networks_are_exact_ties_included() -> None:
    tied = 0
    for seed, (mask, ties) in enumerate(product(SEES, ("all", "first", "last"))):
        net = rational([HeadRule(mask, ties), HeadRule(None, "all")], seed)
        for at, row in enumerate(truth(net, IDS)):
            seen = net(IDS, at=at)
            assert (seen.level, seen.radius) == ("exact", 0)
            assert all(abs(y - as_arb(c)) < 1e-60 for y, c in zip(row, seen.centre, strict=True))
            best = [c for c, v in enumerate(seen.centre) if v == max(seen.centre)]
            assert seen.argmax == (best[0] if len(best) == 1 else None)
            tied += len(best) > 1
    assert tied > 3


def test_the_hardmax_limit_is_what_large_beta_tends_to() -> None:
    soft = network([HeadRule(), HeadRule("upto")], 3)
    hard = network([HeadRule(None, "all"), HeadRule("upto", "all")], 3)
    hot = soft.at_temperature(Fraction(2**40))
    assert hot.architecture.rules == (HeadRule(None, None, Fraction(2**40)), HeadRule("upto", None, Fraction(2**40)))
    for at in range(3):
        a, b = hot(IDS, at=at), hard(IDS, at=at)
        assert [float(c) for c in a.centre] == pytest.approx([float(c) for c in b.centre], abs=1e-4)


def test_ties_of_scores_that_are_not_rational_are_undecided() -> None:
    """Two tokens with the same key: hardmax must know whether they tie, which balls cannot."""
    net = network([HeadRule(None, "all")] * 2)
    zero = {**net.tensors, "0.qkv": np.zeros_like(net.tensors["0.qkv"]), "0.qkv_bias": np.zeros(12, np.float32)}
    with pytest.raises(ef.Undecided, match="hardmax"):
        ef.Network(net.architecture, zero)(IDS)


def test_batches_of_rational_networks() -> None:
    net = ef.Network(
        rational([HeadRule("upto", "last")] * 2).architecture, rational([HeadRule("upto", "last")] * 2).tensors
    )
    found = decide_batch(net, np.array([[0, 1, 2], [3, 4, 5]]))
    for row, ids in enumerate(([0, 1, 2], [3, 4, 5])):
        exact = rational_outputs(net, ids, [0, 0, 0])[-1]
        assert found.decided[row] == (sorted(exact)[-1] > sorted(exact)[-2])


def test_files_keep_rules_and_refuse_odd_ones(tmp_path: Path) -> None:
    rules = [HeadRule("before", "last"), HeadRule(None, None, Fraction(1, 3))]
    net = network(rules)
    net.save(tmp_path / "net.json")
    assert ef.Network.load(tmp_path / "net.json").architecture == net.architecture
    keys = json.loads((tmp_path / "net.json").read_text())
    for odd in (
        [{"mask": "sideways", "ties": None, "beta": "1"}] * 2,
        [{"mask": None}],
        3,
        keys["rules"][:1],
        [{**keys["rules"][0], "beta": "0"}] * 2,
    ):
        (tmp_path / "odd.json").write_text(json.dumps({**keys, "rules": odd}))
        with pytest.raises(ef.Malformed):
            ef.Network.load(tmp_path / "odd.json")
    with pytest.raises(ef.InvalidInput, match="causal"):
        network(rules, causal=True)
    with pytest.raises(ef.InvalidInput, match="not rational"):
        network(rules)(IDS, at=0, level="exact")
