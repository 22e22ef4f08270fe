"""Exact geometry: time and outcome of vertex questions, of projections, and of the solvers that propose answers.

    python benchmarks/geometry.py                # 1,000 mixed vertex questions at (60 points, d = 8)
    python benchmarks/geometry.py --projections  # A-norm projections of the same kind
    python benchmarks/geometry.py --solvers      # which solver proposes what exact arithmetic can finish
"""

from __future__ import annotations

import argparse
import time
from collections import Counter
from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import Any

import numpy as np

#from exactformer.geometry import alternative, projection, propose
from exactformer.geometry.hull import vertex
from exactformer.geometry.points import shared

Rows = list[tuple[Fraction, ...]]
Instance = tuple[str, tuple[Fraction, ...], Rows, bool | None]

TINY = Fraction(1, 10**12)


def _cloud(rng: np.random.Generator, n: int, d: int) -> Rows:
    return [tuple(Fraction(float(x)) for x in row) for row in rng.normal(size=(n, d))]


def _mixture(rng: np.random.Generator, points: Rows) -> tuple[Fraction, ...]:
    """A convex combination of the points with random positive rational weights."""
    weights = [int(w) for w in rng.integers(1, 100, size=len(points))]
    return tuple(sum((w * x for w, x in zip(weights, column, strict=True)), Fraction(0)) / sum(weights)
                 for column in zip(*points, strict=True))


def _on_simplex_facet(rng: np.random.Generator, n: int, d: int, shift: Fraction) -> Instance:
    """A point at `shift` times the outward normal from a facet of a simplex that holds all other points."""
    corners: Rows = [tuple(Fraction(int(i == k)) for k in range(d)) for i in range(d)] + [(Fraction(0),) * d]
    inside = [_mixture(rng, corners) for _ in range(n - d - 1)]
    p = tuple(x + shift for x in _mixture(rng, corners[:d]))
    return "facet" if not shift else f"facet {'+' if shift > 0 else '-'} 1e-12", p, corners + inside, shift > 0


def _on_hull_facet(rng: np.random.Generator, n: int, d: int, shift: Fraction) -> Instance:
    """A point beside a facet of the hull of points on a paraboloid, a polytope with many facets."""
    base = [[Fraction(int(x), 64) for x in row] for row in rng.integers(-64, 65, size=(n, d - 1))]
    points: Rows = [(*row, sum((x * x for x in row), Fraction(0))) for row in base]
    # the lower hull's facet below the mean: its d corners are the support of the least height over the mean
    mean = tuple(sum(column, Fraction(0)) / n for column in zip(*base, strict=True))
    order = sorted(range(n), key=lambda j: sum((x - y) ** 2 for x, y in zip(base[j], mean, strict=True)))
    p = _mixture(rng, [points[j] for j in order[:2]])
    return f"edge of two {'exact' if not shift else 'shifted'}", (*p[:-1], p[-1] - shift), points, None


def mixed_instances(rng: np.random.Generator, count: int, n: int = 60, d: int = 8) -> Iterator[Instance]:
    """`count` questions (kind, p, S, expected answer or None where it is not known) of eleven kinds in turn."""
    kinds: list[Callable[[], Instance]] = [
        lambda: (lambda s: ("generic member", s[0], s, None))(_cloud(rng, n, d)),
        lambda: (lambda s: ("generic outsider", tuple(2 * x for x in s[0]), s, None))(_cloud(rng, n, d)),
        lambda: (lambda s: ("mixture of all", _mixture(rng, s), s, False))(_cloud(rng, n, d)),
        lambda: (lambda s: ("mixture of d", _mixture(rng, s[:d]), s, False))(_cloud(rng, n, d)),
        lambda: (lambda s: ("duplicated", s[0], [*s[: n // 2], *s[: n - n // 2]], None))(_cloud(rng, n, d)),
        lambda: _grid(rng, n, d),
        lambda: _on_simplex_facet(rng, n, d, Fraction(0)),
        lambda: _on_simplex_facet(rng, n, d, TINY),
        lambda: _on_simplex_facet(rng, n, d, -TINY),
        lambda: _on_hull_facet(rng, n, d, Fraction(0)),
        lambda: _on_hull_facet(rng, n, d, TINY),
    ]
    for k in range(count):
        yield kinds[k % len(kinds)]()


def _grid(rng: np.random.Generator, n: int, d: int) -> Instance:
    rows = [tuple(map(Fraction, row)) for row in rng.integers(-1, 2, size=(n, d)).tolist()]
    return "grid {-1,0,1}", rows[0], rows, None


def run_vertices(rng: np.random.Generator, count: int, n: int, d: int) -> None:
    """Prints time and outcome of the mixed vertex questions, each verified."""
    times: dict[str, list[float]] = {}
    outcomes: dict[str, Counter[str]] = {}
    for kind, p, points, expected in mixed_instances(rng, count, n, d):
        start = time.perf_counter()
        answer = vertex(p, points)
        times.setdefault(kind, []).append(time.perf_counter() - start)
        answer.verify(points)
        assert expected is None or bool(answer) == expected, kind
        outcomes.setdefault(kind, Counter())[f"{'yes' if answer else 'no'} by {answer.method}"] += 1
    _table(times, outcomes, f"vertex questions, {n} points, d = {d}")


def _table(times: dict[str, list[float]], outcomes: dict[str, Counter[str]], title: str) -> None:
    print(f"{title}: milliseconds\n{'kind':<24}{'count':>6}{'median':>9}{'90 %':>9}{'max':>9}  outcome")
    for kind, values in [*times.items(), ("all", [t for some in times.values() for t in some])]:
        ms = np.array(values) * 1e3
        listed = ", ".join(f"{c} {o}" for o, c in outcomes.get(kind, Counter()).most_common())
        figures = f"{np.median(ms):9.2f}{np.quantile(ms, 0.9):9.2f}{ms.max():9.2f}"
        print(f"{kind:<24}{len(ms):>6}{figures}  {listed}")


def main() -> None:
    """Reads the options and prints the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=1000, help="number of questions (default 1000)")
    parser.add_argument("-n", type=int, default=60, help="points per set (default 60)")
    parser.add_argument("-d", type=int, default=8, help="dimension (default 8)")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    print(f"seed {options.seed}")
    rng = np.random.default_rng(options.seed)
    run_vertices(rng, options.count, options.n, options.d)


if __name__ == "__main__":
    main()
