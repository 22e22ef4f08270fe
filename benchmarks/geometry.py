"""Exact geometry: time and outcome of vertex questions, of projections, and of the solvers that propose answers.

python benchmarks/geometry.py                # 1,000 mixed vertex questions at (60 points, d = 8)
python benchmarks/geometry.py --projections  # the exact active set, cold and after a proposal
python benchmarks/geometry.py --solvers      # which solver proposes what exact arithmetic can finish
"""

from __future__ import annotations

import argparse
import time
from collections import Counter
from collections.abc import Iterator
from fractions import Fraction
from itertools import chain

import numpy as np

from exactformer.geometry.active_set import nearest_point
from exactformer.geometry.alternative import approx_normalised, judge_proposal
from exactformer.geometry.hull import vertex
from exactformer.geometry.linear_algebra import null_space
from exactformer.geometry.points import dot, shared
from exactformer.geometry.projection import project
from exactformer.geometry.propose import propose_direction, propose_nearest

Point = tuple[Fraction, ...]
#: the kind, the point p, the set S, and whether p is a vertex (None where the construction does not say)
Instance = tuple[str, Point, list[Point], bool | None]

TINY = Fraction(1, 10**12)


def cloud(rng: np.random.Generator, n: int, d: int) -> list[Point]:
    """Normal points, as the exact values of their floats."""
    return [tuple(Fraction(float(x)) for x in row) for row in rng.normal(size=(n, d))]


def mixture(rng: np.random.Generator, points: list[Point]) -> Point:
    """A convex combination of the points with random positive rational weights."""
    weights = [int(w) for w in rng.integers(1, 100, size=len(points))]
    return tuple(dot(weights, column) / sum(weights) for column in zip(*points, strict=True))


def member(rng: np.random.Generator, n: int, d: int) -> Instance:
    points = cloud(rng, n, d)
    return "generic member", points[0], points, None


def outsider(rng: np.random.Generator, n: int, d: int) -> Instance:
    points = cloud(rng, n, d)
    return "generic outsider", tuple(2 * x for x in points[0]), points, None


def interior(rng: np.random.Generator, n: int, d: int) -> Instance:
    points = cloud(rng, n, d)
    return "mixture of all", mixture(rng, points), points, False


def lower_dimensional(rng: np.random.Generator, n: int, d: int) -> Instance:
    points = cloud(rng, n, d)
    return "mixture of d", mixture(rng, points[:d]), points, False


def duplicated(rng: np.random.Generator, n: int, d: int) -> Instance:
    points = cloud(rng, (n + 1) // 2, d)
    return "every point twice", points[0], (points + points)[:n], None


def grid(rng: np.random.Generator, n: int, d: int) -> Instance:
    points = [tuple(map(Fraction, row)) for row in rng.integers(-1, 2, size=(n, d)).tolist()]
    return "grid {-1,0,1}^d", points[0], points, None


def beside_facet(rng: np.random.Generator, n: int, d: int, *, twice: bool = False) -> Iterator[Instance]:
    """Points on, 1e-12 outside and 1e-12 inside a random facet of a generic hull, the set doubled on request."""
    from scipy.spatial import ConvexHull

    points = cloud(rng, (n + 1) // 2 if twice else n, d)
    facets = ConvexHull(np.array(points, dtype=float)).simplices
    corners = [points[j] for j in facets[rng.integers(len(facets))]]
    (normal,) = null_space([[x - y for x, y in zip(c, corners[0], strict=True)] for c in corners[1:]])
    outward = 1 if max(dot(normal, p) for p in points) == dot(normal, corners[0]) else -1
    size = outward * max(map(abs, normal))
    for kind, shift in (("on", Fraction(0)), ("1e-12 outside", TINY), ("1e-12 inside", -TINY)):
        # along the normal rounded to floats, as a displacement in practice would be
        p = tuple(x + shift * Fraction(h / size) for x, h in zip(mixture(rng, corners), normal, strict=True))
        label = f"{kind} a facet{', doubled' if twice else ''}"
        yield label, p, (points + points)[:n] if twice else points, shift > 0


def mixed_instances(rng: np.random.Generator, count: int, n: int = 60, d: int = 8) -> Iterator[Instance]:
    """`count` vertex questions about n > 2d + 1 points in dimension d >= 2, of twelve kinds in turn."""
    asked = 0
    while True:
        simple = (make(rng, n, d) for make in (member, outsider, interior, lower_dimensional, duplicated, grid))
        for instance in chain(simple, beside_facet(rng, n, d), beside_facet(rng, n, d, twice=True)):
            if asked == count:
                return
            yield instance
            asked += 1


def run_vertices(rng: np.random.Generator, count: int, n: int, d: int) -> None:
    """Prints time and outcome of the mixed vertex questions, each verified against the original points."""
    times: dict[str, list[tuple[float, float]]] = {}
    outcomes: dict[str, Counter[str]] = {}
    vertex(*member(rng, n, d)[1:3])  # imports and builds what every later question reuses
    propose_direction(np.eye(n, d))
    for kind, p, points, expected in mixed_instances(rng, count, n, d):
        wall, cpu = time.perf_counter(), time.process_time()
        answer = vertex(p, points)
        times.setdefault(kind, []).append((time.perf_counter() - wall, time.process_time() - cpu))
        answer.verify(points)
        if expected is not None and bool(answer) != expected:
            raise SystemExit(f"wrong answer to: {kind}")
        outcomes.setdefault(kind, Counter())[f"{'yes' if answer else 'no'} by {answer.method}"] += 1
    print(f"vertex questions, {n} points, d = {d}: {count} of {count} decided and verified; milliseconds")
    print(f"{'kind':<34}{'count':>6}{'median':>9}{'90 %':>9}{'max':>9}{'CPU median':>12}  outcome")
    for kind, values in [*times.items(), ("all", [t for some in times.values() for t in some])]:
        ms, cpu_ms = np.array(values).T * 1e3
        listed = ", ".join(f"{c} {o}" for o, c in outcomes.get(kind, Counter()).most_common())
        figures = f"{np.median(ms):9.2f}{np.quantile(ms, 0.9):9.2f}{ms.max():9.2f}{np.median(cpu_ms):12.2f}"
        print(f"{kind:<34}{len(ms):>6}{figures}  {listed}")


def run_projections(rng: np.random.Generator, repeats: int = 5) -> None:
    """Prints the median times of the exact active set without a proposal, after a right one, and of a proposal."""
    print(f"projections of the origin, random A; milliseconds\n{'n':>6}{'d':>4}{'away':>6}", end="")
    print(f"{'project':>10}{'cold':>10}{'warm':>10}{'propose':>10}")
    for n, d, away in [(16, 2, 1.5), (60, 8, 1.5), (60, 8, 0.3), (500, 16, 1.5), (60, 30, 1.5), (200, 30, 0.3)]:
        laps = np.array([_projection_laps(rng, n, d, away) for _ in range(repeats)]) * 1e3
        print(f"{n:>6}{d:>4}{away:>6}" + "".join(f"{x:>10.2f}" for x in np.median(laps, axis=0)))


def _projection_laps(rng: np.random.Generator, n: int, d: int, away: float) -> list[float]:
    shift = [Fraction(float(x)) for x in rng.normal(size=d) * away]
    points = [tuple(x + y for x, y in zip(p, shift, strict=True)) for p in cloud(rng, n, d)]
    B = rng.integers(-3, 4, size=(d, d))
    A = (B @ B.T + np.eye(d, dtype=int)).astype(object)
    (rows,), _ = shared(points)
    floats = np.array(points, dtype=float) @ np.linalg.cholesky(A.astype(float))
    start = time.perf_counter()
    answer = project(points, A.tolist())
    laps = [time.perf_counter() - start]
    answer.verify(points, A.tolist())
    support = [j for j, _ in answer.weights]
    propose_nearest(floats)
    for run in (
        lambda: nearest_point(rows, A),
        lambda: nearest_point(rows, A, support),
        lambda: propose_nearest(floats),
    ):
        start = time.perf_counter()
        run()
        laps.append(time.perf_counter() - start)
    return laps


def run_solvers(rng: np.random.Generator, count: int, n: int, d: int) -> None:
    """Prints, per solver, the CPU time of a proposal and how many exact arithmetic can finish without the simplex."""
    questions = []
    for _, p, points, _ in mixed_instances(rng, count, n, d):
        (mine, others), _ = shared([p], points, names=("point", "points"))
        rows = mine - others
        rows = rows[[j for j, row in enumerate(rows) if any(row)]]
        questions.append((rows, approx_normalised(rows)))
    print(f"proposals for {count} questions, {n} points, d = {d}\n{'solver':<10}{'CPU ms':>10}{'finished exactly':>18}")
    for solver in ("HIGHS", "CLARABEL", "SCIPY", "OSQP", "SCS"):
        laps, finished = [], 0
        for rows, floats in questions:
            start = time.process_time()
            proposal = propose_direction(floats, solver)
            laps.append(time.process_time() - start)
            finished += proposal is not None and judge_proposal(rows, proposal) is not None
        print(f"{solver:<10}{np.median(laps) * 1e3:>10.2f}{finished:>18}")


def run_quadratic_solvers(rng: np.random.Generator, repeats: int = 8) -> None:
    """Prints, per solver, the CPU time of a proposed projection and how often its support is the exact one."""
    for n, d, away in [(60, 8, 1.5), (100, 20, 0.5), (200, 30, 0.5)]:
        questions = []
        for _ in range(repeats):
            shift = rng.normal(size=d) * away
            points = [tuple(Fraction(float(x)) for x in row) for row in rng.normal(size=(n, d)) + shift]
            weights = project(points).weights
            questions.append((np.array(points, dtype=float), {j for j, _ in weights}))
        print(f"projections, {n} points, d = {d}\n{'solver':<10}{'CPU ms':>10}{'right supports':>18}")
        for solver in ("CLARABEL", "OSQP", "HIGHS", "SCS"):
            laps, right = [], 0
            for floats, support in questions:
                start = time.process_time()
                proposed = propose_nearest(floats, solver)
                laps.append(time.process_time() - start)
                right += proposed is not None and set(np.flatnonzero(proposed > 1e-6 * proposed.max())) == support
            print(f"{solver:<10}{np.median(laps) * 1e3:>10.2f}{f'{right} of {repeats}':>18}")


def main() -> None:
    """Reads the options and prints the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=1000, help="number of questions (default 1000)")
    parser.add_argument("-n", type=int, default=60, help="points per set (default 60)")
    parser.add_argument("-d", type=int, default=8, help="dimension, at least 2 (default 8)")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--projections", action="store_true", help="time projections instead")
    parser.add_argument("--solvers", action="store_true", help="compare solvers instead")
    options = parser.parse_args()
    print(f"seed {options.seed}")
    rng = np.random.default_rng(options.seed)
    if options.projections:
        run_projections(rng)
    elif options.solvers:
        run_solvers(rng, options.count, options.n, options.d)
        run_quadratic_solvers(rng)
    else:
        run_vertices(rng, options.count, options.n, options.d)


if __name__ == "__main__":
    main()
