"""The clustering theorem, and what remains of it when a hypothesis is dropped."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from itertools import combinations
from pathlib import Path

from exactformer.arithmetic.rational import RationalRow
from exactformer.conjectures.arrays import leaders as of_arrays
from exactformer.conjectures.catalogue import conditions
from exactformer.conjectures.catalogue.lemmas import SOURCE, nearest_tie
from exactformer.conjectures.counterexample_claim import weight_pairs, write_token_counterexample
from exactformer.conjectures.proved_limit import PATIENCE, locked_layer, proved_limit
from exactformer.conjectures.statement import Hypothesis, Statement
from exactformer.conjectures.verdict import StatementVerdict, conclude, fails, holds
from exactformer.dynamics.limit_claim import certificate_lines
from exactformer.dynamics.plain_orbit import PlainOrbit, rational_row
from exactformer.geometry.hull import InHull, in_hull
from exactformer.geometry.linear_algebra import null_space, rank
from exactformer.geometry.points import dot
from exactformer.instances import generators
from exactformer.instances.generators import TokenFamily
from exactformer.model.tokens import Tokens

THEOREM = f"{SOURCE}, Theorem 1.1"
REMARK = f"{SOURCE}, remarks on the hypotheses of Theorem 1.1"


def theorem_holds(tokens: Tokens) -> StatementVerdict:
    """Leaders are the vertices of K, every limit is a vertex or a projection of the origin, and on the boundary."""
    orbit = PlainOrbit(tokens)
    last = locked_layer(orbit)
    if last is not None and all(len(members) == 1 for members in orbit[last].follows):
        # every limit is a leader, and C_i = {i} says that A z_i exposes the leader i strictly
        return holds(nearest_tie(orbit[0]))
    broken = [part for part in proved_limit(tokens).polytope.theorem if not part.holds]
    if broken:
        return fails(part=broken[0].text, tokens=list(broken[0].witness))
    return holds(0.9)


def some_leader(tokens: Tokens) -> StatementVerdict:
    """Some token has C_i = {i} at layer 0."""
    leaders = PlainOrbit(tokens)[0].leaders
    return conclude(bool(leaders), nearness=1 / (1 + len(leaders)), layers=0)


def some_leader_by_layer_n(tokens: Tokens) -> StatementVerdict:
    """Some token has C_i = {i} at one of the layers 0..n."""
    orbit, n = PlainOrbit(tokens), len(tokens)
    first = next((k for k in range(n + 1) if orbit[k].leaders), None)
    if first is None:
        return fails(layers=n)
    return holds((first + 1) / (n + 2) if first else 0.5 / (1 + len(orbit[0].leaders)))


def certify_no_leader(name: str) -> Callable[[Tokens, StatementVerdict, Path], None]:
    """The writer of the certificate that no token leads at the layers 0..K of the witness."""

    def certify(tokens: Tokens, verdict: StatementVerdict, path: Path) -> None:
        rows, last = tokens.state.rows(), verdict.witness["layers"]
        write_token_counterexample(path, name, tokens.A, tokens.alpha, rows, last)

    return certify


def limits_on_boundary(tokens: Tokens) -> StatementVerdict:
    """No limit is interior to the hull K of the leading positions."""
    found = proved_limit(tokens)
    first = found.engine_input.positions.first
    vertices = {int(first[p]): rational_row(point) for p, point in found.polytope.vertices.items()}
    limits = [rational_row(point) for point in found.points]
    for token, point in enumerate(limits):
        weights = interior_weights(point, vertices)
        if weights is not None:
            return fails(token=token, weights=weights, layers=found.proved_from_layer)
    return holds(0.5 if any(not any(point) for point in limits) else 0.0)


def interior_weights(x: RationalRow, vertices: dict[int, RationalRow]) -> list[tuple[int, Fraction]] | None:
    """Positive weights on points that affinely span the space and combine to x, or None if x is not interior.

    >>> corners = {0: (Fraction(1),), 1: (Fraction(-1),)}
    >>> interior_weights((Fraction(0),), corners), interior_weights((Fraction(1),), corners)
    ([(0, Fraction(1, 2)), (1, Fraction(1, 2))], None)
    """
    points = list(vertices.values())
    if supporting_normal(x, points) is not None:
        return None
    mean = tuple(sum(column) / len(points) for column in zip(*points, strict=True))
    step = Fraction(1)
    while True:  # x is interior, so a point beyond it, seen from the mean, lies in the hull once it is near enough
        beyond = tuple(a + step * (a - m) for a, m in zip(x, mean, strict=True))
        answer = in_hull(beyond, points)
        if isinstance(answer, InHull):
            break
        step /= 2
    share = dict(answer.weights)
    uniform = step / len(points)
    return [(i, (share.get(j, Fraction(0)) + uniform) / (1 + step)) for j, i in enumerate(vertices)]


def supporting_normal(x: RationalRow, points: list[RationalRow]) -> RationalRow | None:
    """h != 0 with <h, p - x> <= 0 for all points p, or None: then x is interior to their hull.

    If the differences span the space, the cone of such h is pointed, and one of its edges is orthogonal to d-1 of them.
    """
    differences = [tuple(a - b for a, b in zip(p, x, strict=True)) for p in points]
    if rank(differences) < len(x):
        return tuple(map(Fraction, null_space(differences)[0]))
    for chosen in combinations(differences, len(x) - 1):
        edges = null_space(chosen) if chosen else ((Fraction(1),),)
        for normal in edges if len(edges) == 1 else ():
            heights = [dot(normal, w) for w in differences]
            if max(heights) <= 0 or min(heights) >= 0:
                return tuple(Fraction(c if max(heights) <= 0 else -c) for c in normal)
    return None


def certify_interior(tokens: Tokens, verdict: StatementVerdict, path: Path) -> None:
    """The lines of the limit, and the limit of one token as an interior combination of leading positions."""
    found, witness = proved_limit(tokens), verdict.witness
    last = {"token": witness["token"], "weights": weight_pairs(witness["weights"])}
    lines = [*certificate_lines(found), {"leaders": list(found.leaders)}, last]
    layers = found.proved_from_layer
    rows = tokens.state.rows()
    write_token_counterexample(path, "boundary-with-zero", tokens.A, tokens.alpha, rows, layers, lines)


#: what is dropped, the hypotheses that are left, and where such instances come from
DROPPED = (
    (
        "without-symmetry",
        (conditions.NOT_SYMMETRIC, conditions.DEFINITE_PART, conditions.NONZERO, conditions.DISTINCT),
        TokenFamily(dims=(2, 2, 3), matrices=generators.skewed),
    ),
    (
        "indefinite",
        (conditions.SYMMETRIC, conditions.INDEFINITE, conditions.NONZERO, conditions.DISTINCT),
        TokenFamily(matrices=generators.symmetric),
    ),
    (
        "semidefinite",
        (conditions.SYMMETRIC, conditions.SINGULAR, conditions.NONZERO, conditions.DISTINCT),
        TokenFamily(dims=(2, 2, 3), matrices=generators.semidefinite),
    ),
    ("duplicates", (conditions.SPD, conditions.NONZERO, conditions.REPEATED), TokenFamily(repeats=True)),
)


def _at_once(dropped: str, hypotheses: tuple[Hypothesis, ...], family: TokenFamily) -> Statement:
    name, words = f"leader-{dropped}", "There is a leader at layer 0."
    certify, prove = certify_no_leader(name), of_arrays.some_leader
    return Statement(name, words, "false", REMARK, hypotheses, some_leader, family, certify, prove)


def _by_layer_n(dropped: str, hypotheses: tuple[Hypothesis, ...], family: TokenFamily) -> Statement:
    name, words = f"leader-by-layer-n-{dropped}", "There is a leader at one of the layers 0..n."
    certify, prove = certify_no_leader(name), of_arrays.some_leader_by_layer_n
    return Statement(name, words, "false", REMARK, hypotheses, some_leader_by_layer_n, family, certify, prove)


STATEMENTS = (
    Statement(
        "theorem-1.1",
        "There is a leader; the leaders end at the vertices of a polytope K, one each; every token tends to a vertex "
        "of K or to the A-projection of the origin onto a face of K; all limits lie on the boundary of K in R^d.",
        "true",
        THEOREM,
        conditions.CLUSTERING,
        theorem_holds,
        TokenFamily(),
        prove=of_arrays.theorem(PATIENCE),
    ),
    *(_at_once(*row) for row in DROPPED),
    *(_by_layer_n(*row) for row in DROPPED),
    Statement(
        "boundary-with-zero",
        "Even if one token is zero, every limit lies on the topological boundary in R^d of the hull of the leaders.",
        "false",
        REMARK,
        (conditions.SPD, conditions.DISTINCT, conditions.ONE_ZERO),
        limits_on_boundary,
        TokenFamily(zero=True),
        certify_interior,
    ),
)
