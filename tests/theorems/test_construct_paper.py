"""The four stages of method paper, each with the invariant its name promises, and the facts about attention below them."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from construct_definition import assert_interpolates

from exactformer.constructions.built_transformer import Built
from exactformer.constructions.methods import paper
from exactformer.constructions.pipeline import construct
from exactformer.instances.dataset_families import sample
from exactformer.model.attention import SelfAttention
from exactformer.model.dataset import Dataset

CASES = [
    ("random-classes", 6, 2),
    ("random-targets", 5, 3),
    ("nested", 5, 2),
    ("all-but-one", 5, 2),
    ("far-targets", 4, 2),
]
Points = tuple[tuple[Fraction, ...], ...]


@pytest.fixture(params=CASES, ids=lambda case: case[0])
def case(request: pytest.FixtureRequest) -> tuple[Dataset, Built]:
    data = sample(*request.param, seed=7)
    return data, construct(data, method="paper")


def after(built: Built, stage: str, *, feed_forward: bool = False) -> list[Points]:
    """The tokens of every sequence after the last block of a stage (or after that block's feed-forward layer)."""
    last = max(i for i, name in enumerate(built.stages) if stage in name)
    traces = [t.blocks[last] for t in built.trace()]
    return [t.after_feed_forward if feed_forward else t.after for t in traces]


def test_stages_stand_in_the_paper_s_order(case: tuple[Dataset, Built]) -> None:
    names = list(dict.fromkeys(case[1].stages))
    assert names[0] == "separate"
    assert names[-2:] == ["select leaders, collapse", "interpolate"]
    assert set(names) <= {"separate", "select leaders", "select leaders, collapse", "interpolate"}


def test_separate_makes_sequences_disjoint(case: tuple[Dataset, Built]) -> None:
    data, built = case
    states = after(built, "separate")
    for j, left in enumerate(states):
        assert len(set(left)) == len(set(data[j].tokens.rows()))
        assert all(sum(map(bool, x)) == 1 and sum(x) > 0 for x in left), "tokens stand on one positive ray"
        for right in states[:j]:
            assert not set(left) & set(right)


def test_select_leaders_moves_one_to_the_diagonal_and_the_others_to_the_sphere(case: tuple[Dataset, Built]) -> None:
    data, built = case
    for j, tokens in enumerate(after(built, "collapse", feed_forward=True)):
        kept = set(tokens)
        diagonal = {x for x in kept if len(set(x)) == 1}
        sphere = {x for x in kept if sum(v * v for v in x) == 1 and max(x) <= 0}
        assert len(diagonal) == 1
        assert len(sphere) == len(built.targets.sets[j]) - 1
        (leader,) = diagonal
        for x in kept - diagonal - sphere:
            assert all(a < b for a, b in zip(x, leader, strict=True)), "the leader dominates coordinatewise"
        assert len(kept) == len(set(data[j].tokens.rows()))


def test_collapse_leaves_exactly_the_selected_points(case: tuple[Dataset, Built]) -> None:
    _, built = case
    before, states = after(built, "collapse", feed_forward=True), after(built, "collapse")
    seen: set[Any] = set()
    for j, (moved, tokens) in enumerate(zip(before, states, strict=True)):
        points = set(tokens)
        assert len(points) == len(built.targets.sets[j])
        assert points <= set(moved)
        assert not points & seen, "points of different sequences stay different"
        seen |= points


def test_interpolate_ends_at_the_targets(case: tuple[Dataset, Built]) -> None:
    data, built = case
    assert_interpolates(built, data)
    assert built.report.width <= 4
    assert built.report.blocks <= built.report.paper_bound
    assert set(built.transformer.attention_ranks) <= {0, 1, data.dim}


def test_paper_stands_on_its_own() -> None:
    """The stages are built without the shallow and deep methods."""
    source = Path(paper.__file__).read_text()
    assert "constructions.shallow" not in source
    assert "constructions.deep" not in source


def test_rank_one_attention_collapses_to_the_extremes_along_v() -> None:
    v = [[2, -1]]
    layer = SelfAttention(0, {"scalar": 1}, v, v)
    tokens = [[3, 0], [1, 1], [-1, 0], [0, 4], [1, 2]]
    heights = [2 * x - y for x, y in tokens]
    follows = layer.step([[Fraction(a) for a in x] for x in tokens]).follows
    for height, chosen in zip(heights, follows, strict=True):
        best = max(heights) if height > 0 else min(heights)
        expected = tuple(range(5)) if height == 0 else tuple(i for i, h in enumerate(heights) if h == best)
        assert chosen == expected


def test_identity_attention_collapses_onto_a_dominating_token() -> None:
    rng = np.random.default_rng(3)
    layer = SelfAttention(0, {"scalar": 1}, {"scalar": 1}, {"scalar": 1})
    for _ in range(20):
        tokens = [[Fraction(int(v), 7) for v in row] for row in rng.integers(1, 50, (5, 3))]
        tokens.append([max(column) + Fraction(1, 9) for column in zip(*tokens, strict=True)])
        assert layer.step(tokens).follows == [(5,)] * 6


def test_identity_attention_fixes_every_point_of_a_sphere() -> None:
    layer = SelfAttention(0, {"scalar": 1}, {"scalar": 1}, {"scalar": 1})
    points = [[Fraction(1 - t * t, 1 + t * t), Fraction(-2 * t, 1 + t * t)] for t in range(2, 9)]
    assert layer.step(points).follows == [(i,) for i in range(7)]


def test_a_tent_moves_its_slab_only() -> None:
    from exactformer.constructions.projection_to_line import Line

    line = Line((2, 1), 1, np.array([0]), 1, np.array([0]))
    layer = paper.tent_around(line, Fraction(5), Fraction(1, 2), (Fraction(-1), Fraction(7)))
    assert layer.apply([Fraction(0), Fraction(5)]) == [-1, 7]
    for s in (Fraction(9, 2), Fraction(11, 2), Fraction(-40), Fraction(100)):
        assert layer.apply([Fraction(0), s]) == [0, s]
