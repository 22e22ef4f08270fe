"""The vertex question at (60 points, d = 8): always decided, always verified, and fast at the median."""

from __future__ import annotations

import runpy
import statistics
import time
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from exactformer.geometry.hull import vertex

BENCHMARK = runpy.run_path(str(Path(__file__).parents[2] / "benchmarks" / "geometry.py"))
SEED = 20_240


def _campaign(count: int, n: int, d: int) -> tuple[list[float], Counter[str]]:
    """CPU times and outcomes; every answer is verified, and compared where the construction tells it."""
    print(f"seed {SEED}")
    seconds, outcomes = [], Counter[str]()
    for kind, p, points, expected in BENCHMARK["mixed_instances"](np.random.default_rng(SEED), count, n, d):
        start = time.process_time()
        answer = vertex(p, points)
        seconds.append(time.process_time() - start)
        answer.verify(points)
        assert expected is None or bool(answer) == expected, kind
        outcomes[answer.method] += 1
    return seconds, outcomes


def test_sixty_mixed_questions_are_decided() -> None:
    seconds, outcomes = _campaign(60, 60, 8)
    assert len(seconds) == sum(outcomes.values()) == 60
    assert {"free", "proposal"} <= set(outcomes)
    assert statistics.median(seconds) < 0.025


@pytest.mark.parametrize(("n", "d"), [(10, 2), (24, 3), (60, 5)])
def test_other_sizes_are_decided(n: int, d: int) -> None:
    _campaign(24, n, d)


@pytest.mark.slow
def test_a_thousand_mixed_questions_are_decided() -> None:
    seconds, _ = _campaign(1080, 60, 8)
    assert len(seconds) == 1080
    assert statistics.median(seconds) < 0.025
