"""Tests of `exactformer.dynamics.plain_orbit`."""

from __future__ import annotations

import exactformer as ef
from exactformer.dynamics.plain_orbit import PlainOrbit


def test_a_tied_set_with_repeated_tokens_moves_with_its_weighted_mean() -> None:
    rows = [[1, 1], ["-5/4", 1], ["1/2", 1], ["1/2", 1], ["-3/4", 1], [0, "1/2"]]
    for alpha in ("1/3", 1, 2):
        tokens = ef.Tokens(rows, alpha=alpha)
        plain, orbit, limit = PlainOrbit(tokens), ef.simulate(tokens, layers=10), ef.limit(tokens)
        for k in range(11):
            points = [plain[k].point(i) for i in range(len(rows))]
            assert orbit.tokens(k).rows() == points
            assert limit.at(k) == points
