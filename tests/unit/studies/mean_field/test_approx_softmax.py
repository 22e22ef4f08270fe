"""Tests of `exactformer.studies.mean_field.approx_softmax`."""

from __future__ import annotations

import array_api_compat.numpy as xp
import numpy as np
import pytest

from exactformer.studies.mean_field import approx_softmax
from exactformer.studies.mean_field.approx_softmax import (
    FEWEST,
    Sources,
    _blocks,
    approx_dense,
    approx_truncated,
    truncation_error,
)


@pytest.mark.parametrize(
    ("count", "dim", "depth"), [(1, 2, 1.0), (32, 2, 0.1), (33, 1, 0.1), (500, 3, 4.0), (500, 3, 0.1)]
)
def test_blocks_part_the_points_into_small_balls_around_the_middle_of_their_box(
    count: int, dim: int, depth: float
) -> None:
    points = np.random.default_rng(count).normal(size=(count, dim)) * np.arange(1, dim + 1)
    found = list(_blocks(points, depth))
    assert sorted(np.concatenate([rows for rows, _, _ in found]).tolist()) == list(range(count))
    for rows, centre, radius in found:
        own = points[rows]
        assert centre.tolist() == ((own.min(axis=0) + own.max(axis=0)) / 2).tolist()
        assert radius == pytest.approx(max(np.linalg.norm(x - centre) for x in own))
        assert len(rows) <= 2 * FEWEST or radius <= depth / 8
        assert len(rows) >= min(count, FEWEST)
    assert (len(found) == 1) == (count <= 2 * FEWEST)
    assert list(_blocks(np.empty((0, 2)), depth)) == []


def test_a_block_is_cut_in_halves_along_its_longest_side() -> None:
    """64 points on two vertical lines that are far apart: the first cut parts the lines."""
    points = np.array([[100.0 * (k % 2), k / 64] for k in range(64)])
    found = sorted(sorted(rows.tolist()) for rows, _, _ in _blocks(points, 8.0))
    assert found == [list(range(0, 64, 2)), list(range(1, 64, 2))]


def means(features: np.ndarray, values: np.ndarray, targets: np.ndarray) -> np.ndarray:
    weights = np.exp(targets @ features.T)
    sums = weights @ values
    return np.asarray(sums[:, 1:] / sums[:, :1])


def test_means_by_the_definition_in_blocks_of_any_size(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(1)
    points, targets = rng.normal(size=(40, 2)), rng.normal(size=(30, 2))
    sources = Sources.of(xp, points)
    assert (sources.weight, sources.dim, sources.excess) == (40.0, 2, 0.0)
    wanted = means(points, np.column_stack([np.ones(40), points]), targets)
    for block in (1, 90, 1 << 18):
        monkeypatch.setattr(approx_softmax, "BLOCK", block)
        assert approx_dense(sources, targets) == pytest.approx(wanted)


@pytest.mark.parametrize("scale", [1.0, 30.0])
def test_windows_are_off_by_no_more_than_the_bound(scale: float) -> None:
    """Many targets on the circle, scores between -scale and scale: a window of depth 2 leaves sources out."""
    angles = np.linspace(0, 2 * np.pi, 200, endpoint=False)
    points = np.column_stack([np.cos(angles), np.sin(angles)])
    sources, targets = Sources.of(xp, points), scale * points
    exact = approx_dense(sources, targets)
    for depth in (2.0, 10.0, 40.0):
        off = np.abs(approx_truncated(sources, targets, depth) - exact).max()
        assert off <= truncation_error(200.0, depth)
    assert truncation_error(3.0, 0.0) == 6.0
    assert truncation_error(1.0, 2.0) == pytest.approx(2 * np.exp(-2))
    assert len(approx_truncated(sources, targets[:0])) == 0


def test_rows_are_taken_with_their_values_and_the_weight_stays() -> None:
    sources = Sources(xp, np.array([[1.0], [2.0], [3.0]]), np.array([[1.0, 5.0], [2.0, 6.0], [3.0, 7.0]]), 6.0, 1, 0.5)
    part = sources.take(np.array([2, 0]))
    assert (part.features.tolist(), part.values.tolist()) == ([[3.0], [1.0]], [[3.0, 7.0], [1.0, 5.0]])
    assert (part.weight, part.dim, part.excess) == (6.0, 1, 0.5)
