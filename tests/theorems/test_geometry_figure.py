"""The vertex question at (60 points, d = 8): always decided and verified (its speed is measured in benchmarks/geometry.py)."""

from __future__ import annotations

import runpy
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from exactformer.geometry.hull import vertex

BENCHMARK = runpy.run_path(str(Path(__file__).parents[2] / "benchmarks" / "geometry.py"))
SEED = 20_240


def _campaign(count: int, n: int, d: int) -> Counter[str]:
    """How many answers each method gave; every answer is verified, and compared where the construction tells it."""
    print(f"seed {SEED}")
    outcomes = Counter[str]()
    for kind, p, points, expected in BENCHMARK["mixed_instances"](np.random.default_rng(SEED), count, n, d):
        answer = vertex(p, points)
        answer.verify(points)
        assert expected is None or bool(answer) == expected, kind
        outcomes[answer.method] += 1
    return outcomes


def test_sixty_mixed_questions_are_decided() -> None:
    outcomes = _campaign(60, 60, 8)
    assert outcomes.total() == 60
    assert {"free", "proposal"} <= set(outcomes)


@pytest.mark.parametrize(("n", "d"), [(10, 2), (24, 3), (60, 5)])
def test_other_sizes_are_decided(n: int, d: int) -> None:
    assert _campaign(24, n, d).total() == 24


@pytest.mark.slow
def test_a_thousand_mixed_questions_are_decided() -> None:
    assert _campaign(1080, 60, 8).total() == 1080
