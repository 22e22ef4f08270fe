"""Tests of `exactformer.constructions.balance`."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise, product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import exactformer as ef
from exactformer.constructions.balance import _exponents, _measured, _scaled, balanced
from exactformer.model.attention import SelfAttention
from exactformer.model.dataset import Dataset
from exactformer.model.feed_forward import FeedForward
from exactformer.model.norms import norm2
from exactformer.model.transformer import Block, Transformer

F = Fraction


def random_layer(rng: np.random.Generator, kind: str) -> FeedForward | SelfAttention:
    def matrix(rows: int, columns: int) -> list[list[Fraction]]:
        size = F(2) ** int(rng.integers(-5, 6))
        return [[size * int(v) for v in row] for row in rng.integers(1, 9, (rows, columns))]

    if kind == "attention":
        return SelfAttention(matrix(1, 1)[0][0], matrix(2, 2), matrix(2, 2), matrix(2, 2))
    return FeedForward(matrix(1, 1)[0][0], matrix(3, 2), matrix(1, 3)[0], matrix(2, 3))


# ---------------------------------------------------------------- norms


@pytest.mark.parametrize("kind", ["attention", "units"])
@pytest.mark.parametrize("seed", range(5))
def test_the_cost_of_a_layer_is_its_norm_after_scaling(kind: str, seed: int) -> None:
    """Of attention exactly; units cost up to a quarter more, since their factors are powers of two."""
    layer = random_layer(np.random.default_rng(seed), kind)
    for before, after in product((-2, 0, 3), repeat=2):
        scaled = _scaled(layer, before, after, 2)
        block = Block(None, scaled) if isinstance(scaled, SelfAttention) else Block(scaled)
        norm, cost = float(norm2(Transformer(2, [block])).high), _measured(layer, 2).cost(before, after)
        assert cost * (1 - 1e-12) <= norm <= cost * (1 + 1e-12 if kind == "attention" else 1.25)
        x = [F(3), F(-1)]
        if isinstance(layer, FeedForward) and isinstance(scaled, FeedForward):
            wide = scaled.apply([F(2) ** before * v for v in x])
            assert list(wide) == [F(2) ** after * v for v in layer.apply(x)]


@pytest.mark.parametrize("seed", [1, 2, 3, 4])
def test_states_between_four_layers_have_the_best_powers_of_two(seed: int) -> None:
    rng = np.random.default_rng(seed)
    layers = [_measured(random_layer(rng, kind), 2) for kind in ("units", "attention", "units", "units")]

    def cost(chosen: tuple[int, ...]) -> float:
        return sum(layer.cost(a, b) for layer, (a, b) in zip(layers, pairwise((0, *chosen, 0)), strict=True))

    first, *found, last = _exponents(layers)
    assert (first, last) == (0, 0)
    around = product(*(range(k - 2, k + 3) for k in found))
    assert cost(tuple(found)) == min(map(cost, around))


#: layers (eta, U, b, W) at which descent in ideal costs would end at a larger norm, once factors are powers of two
STUBBORN: list[list[tuple[Any, ...]]] = [
    [(0, [["5/2"]], [3], [[4]]), (1, [["5/2"]], [3], [["8/3"]])],
    [(1, [["3/2"]], [1], [[2]]), (1, [["4/3"], [3]], [3, 0], [[3, 3]])],
    [(0, [["7/3"], ["8/3"]], [2, 3], [[3, 2]]), (0, [["5/2"], ["3/2"]], [1, 3], [["5/2", "8/3"]])],
]


# ---------------------------------------------------------------- norms


@pytest.mark.parametrize("layers", STUBBORN)
def test_balance_leaves_alone_what_it_cannot_improve(layers: list[tuple[Any, ...]]) -> None:
    given = Transformer(1, [Block(FeedForward(*layer)) for layer in layers])
    found = balanced(given)
    assert norm2(found).high <= norm2(given).high
    for x in ([[-2]], [["1/3"]], [[7]]):
        assert found(x).rows() == given(x).rows()


# ---------------------------------------------------------------- room on the line


@pytest.mark.parametrize("scale", [F(1, 64), F(1), F(64)])
def test_a_state_between_two_layers_has_the_best_power_of_two(scale: Fraction) -> None:
    """The first layer's output is scaled up where the second one's input is large, and down where it is small."""
    layers = [FeedForward(0, [[3]], [1], [[2 * scale]]), FeedForward(0, [[5 / scale]], [1], [[1]])]
    before, after = (_measured(layer, 1) for layer in layers)
    least = min(range(-30, 31), key=lambda k: before.cost(0, k) + after.cost(k, 0))
    assert _exponents([before, after]) == [0, least, 0]
    assert (least > 0) - (least < 0) == (scale < 1) - (scale > 1)
    model = Transformer(1, [Block(layer) for layer in layers])
    assert balanced(model)([[2], [7]]).rows() == model([[2], [7]]).rows()


# ---------------------------------------------------------------- attention


def test_scores_are_balanced_with_the_state_before_them() -> None:
    """|Theta|^2 = 4^v + 2 * 64^2 / 4^v + 4^(w-v) + 4^-w: least at v = 3, w = 1 or 2, where it is below 193."""
    large = SelfAttention(0, [[1]], [[64]], [[64]])
    before, after = FeedForward(1, [[0]], [0], [[0]]), FeedForward(1, [[0]], [0], [[0]])
    network = Transformer(1, [Block(before, large), Block(after)])
    small = balanced(network)
    assert norm2(network).high == 8195
    assert norm2(small).high == 64 + 128 + F(1, 16) + F(1, 4)
    assert small([[1], [3], [-2]]).rows() == network([[1], [3], [-2]]).rows()


@pytest.mark.parametrize("method", ["shallow", "deep", "leaders", "paper", "compact"])
def test_balance_keeps_the_map_and_never_raises_the_norm(method: str, tmp_path: Path) -> None:
    numbers = np.random.default_rng(2).integers(-90, 90, (9, 3, 2)).tolist()
    sequences = Dataset.of([ef.Sequence.of(x, label="ab"[j % 2]) for j, x in enumerate(numbers)])
    plain, small = (ef.construct(sequences, method=method, balance=b) for b in (False, True))
    assert small.report.norm2.high <= plain.report.norm2.high
    assert small.report.parameters == plain.report.parameters
    for sequence in sequences:
        assert small.transformer.by_definition(sequence.tokens) == plain.transformer.by_definition(sequence.tokens)
    small.certify(tmp_path / "c.jsonl")
    assert ef.check(tmp_path / "c.jsonl").verdict == "accepted"
    if method == "shallow":
        assert float(small.report.norm2) < float(plain.report.norm2) / 2


weights = st.fractions(-8, 8, max_denominator=8)


@settings(max_examples=30, deadline=None)
@given(st.lists(st.tuples(weights, weights, weights, weights), min_size=1, max_size=4), weights)
def test_balance_on_random_chains(layers: list[tuple[Fraction, ...]], x: Fraction) -> None:
    network = Transformer(1, [Block(ef.FeedForward(eta, [[u]], [b], [[w]])) for eta, u, b, w in layers])
    assert balanced(network)([[x]]).rows() == network([[x]]).rows()
    assert norm2(balanced(network)).high <= norm2(network).high
