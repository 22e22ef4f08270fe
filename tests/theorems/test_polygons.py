"""Ties of regular polygons: follower sets as symmetry demands, in exact algebraic numbers."""

from __future__ import annotations

import pytest

from exactformer.model.transformer import Transformer, pure_attention


def polygon(n: int) -> list[list[str]]:
    return [[f"cos(2*pi*{k}/{n})", f"sin(2*pi*{k}/{n})"] for k in range(n)]


@pytest.mark.parametrize("n", [3, 4, 5, 6, 7, 8, 10, 12])
def test_every_vertex_of_a_regular_polygon_leads(n: int) -> None:
    dynamics = Transformer(2, [pure_attention([[1, 0], [0, 1]], 1)])
    step = dynamics.trace(polygon(n)).steps[0]
    assert step is not None
    assert step.follows == [(i,) for i in range(n)]


@pytest.mark.parametrize("n", [3, 5, 6])
def test_a_token_between_two_vertices_follows_both(n: int) -> None:
    half = [[f"cos(pi/{n})/3", f"sin(pi/{n})/3"]]
    origin = [["0", "0"]]
    step = Transformer(2, [pure_attention([[1, 0], [0, 1]], "1/2")]).trace(polygon(n) + half + origin).steps[0]
    assert step is not None
    assert step.follows[n] == (0, 1)
    assert step.follows[n + 1] == tuple(range(n + 2))


def test_a_token_on_the_side_of_a_triangle_follows_both_ends_and_itself() -> None:
    middle = [["cos(pi/3)/2", "sin(pi/3)/2"]]
    step = Transformer(2, [pure_attention([[1, 0], [0, 1]], 1)]).trace(polygon(3) + middle).steps[0]
    assert step is not None
    assert step.follows[3] == (0, 1, 3)


def test_fast_evaluation_of_the_pentagon_is_exact() -> None:
    tokens = [*polygon(5), ["cos(pi/5)/3", "sin(pi/5)/3"]]
    dynamics = Transformer(2, [pure_attention([[1, 0], [0, 1]], "1/2")] * 2)
    assert dynamics(tokens).rows() == [tuple(row) for row in dynamics.by_definition(tokens)]
