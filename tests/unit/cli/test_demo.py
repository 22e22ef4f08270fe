"""Tests of `exactformer.cli.demo`."""

from __future__ import annotations

from fractions import Fraction
from types import SimpleNamespace
from typing import cast

import numpy as np

import exactformer as ef
from exactformer.cli import demo
from exactformer.cli.demo import _corner
from exactformer.constructions.built_transformer import Built


def test_a_token_is_at_the_corner_of_its_cluster_or_alone() -> None:
    assert [_corner(i, cluster) for i, cluster in ((2, (2,)), (5, (1, 5)), (0, (0, 3)), (6, (4, 6)))] == [
        "alone",
        "at corner 1",
        "at corner 3",
        "alone",
    ]


def test_labels_that_float_copies_get_right_are_counted_by_the_demo() -> None:
    data = demo.random_labels(20)
    built = ef.construct(data, method="compact", groups=2, attention="softmax")
    for dtype in ("float32", "float64"):
        right = 0
        for j, sequence in enumerate(data):
            batch = built.transformer.approx(np.array(sequence.tokens.floats()))
            exact = built.transformer(sequence.tokens)[0][0]
            assert exact == Fraction(int(data.labels[j] == "b"))
            right += (batch[0][0] > 0.5) == (data.labels[j] == "b")
        found = demo._right_in_floats(built, dtype)
        assert 0 <= found <= 20
        if dtype == "float64":
            assert found == right


def test_a_float_output_counts_for_the_label_point_that_it_is_nearest_to() -> None:
    """Outputs as they are given; a stands at 0 and b at 1."""
    places = {"3/10": "a", "7/10": "b", "2/5": "b", "3/5": "a", "-1": "a", "1/5": "a", "8": "b"}
    data = ef.Dataset.of([[[x], [1]] for x in places], labels=list(places.values()))
    built = cast(Built, SimpleNamespace(transformer=ef.Transformer(1, []), data=data))
    for dtype in ("float32", "float64"):
        assert demo._right_in_floats(built, dtype) == 5
