"""Attention as a Frank-Wolfe step: cells, closed forms, rates, and the bound for negative definite B."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from pathlib import Path

from exactformer.arithmetic.rational import RationalRow, RationalRows, simplest_between
from exactformer.conjectures.catalogue.conditions import definiteness, is_symmetric
from exactformer.conjectures.counterexample_claim import (
    write_frank_wolfe_counterexample,
    write_slow_steps_counterexample,
)
from exactformer.conjectures.statement import Hypothesis, Statement
from exactformer.conjectures.verdict import StatementVerdict, fails, holds
from exactformer.errors import Undecided
from exactformer.geometry.hull import InHull, NotVertex, in_hull, vertex, vertices
from exactformer.geometry.linear_algebra import positive_definite, positive_semidefinite
from exactformer.geometry.points import Weights, dot
from exactformer.instances.frank_wolfe import FrankWolfe, cell_family, equal_norm_family, negative_family

SOURCE = "Alcalde, Geshkovski, Ruiz-Balet, Attention's forward pass and Frank-Wolfe (arXiv 2508.09628)"


# the bound for B = -B* -----------------------------------------------------------------------------------------
def bound_holds(instance: FrankWolfe) -> StatementVerdict:
    """<B* x, x>/2 <= 2/(t+1) * lambda_max(B*) * D for every token at every layer t >= 1, D the squared diameter.

    With s = <B* x, x> (t+1)/(4 D) this fails exactly if s > lambda_max, that is, if s I - B* is positive definite.
    """
    B, diameter = instance.B, squared_diameter(instance.tokens)
    if not diameter:
        return holds()
    floor, trace = max(B[k][k] for k in range(len(B))), sum(B[k][k] for k in range(len(B)))
    unit, nearest = 4 * _multiple(B) * diameter, 0.0
    least = unit * floor
    for t, layer in enumerate(instance.orbit(sign=-1)):
        value = max(-layer.scores[i][i] for i in range(len(layer.points))) * (t + 1)
        square = layer.denominator**2
        # s = value/(square * unit) is compared with the largest diagonal entry in integers: it decides nearly always
        if t and value * least.denominator > least.numerator * square:
            s = Fraction(value, square) / unit
            if positive_definite(_shifted(B, s)):
                token = next(i for i in range(len(layer.points)) if -layer.scores[i][i] * (t + 1) == value)
                return fails(layer=t, token=token, bound=_bound_below(B, floor, s))
        nearest = max(nearest, value / square) if t else 0.0
    return holds(min(1.0, nearest / float(unit * trace)) if trace else 0.0)


def _multiple(B: RationalRows) -> int:
    """The positive integer with which an orbit multiplies B."""
    return math.lcm(*(x.denominator for row in B for x in row))


def _shifted(B: RationalRows, s: Fraction) -> list[list[Fraction]]:
    """s I - B."""
    return [[s * (i == j) - x for j, x in enumerate(row)] for i, row in enumerate(B)]


def _bound_below(B: RationalRows, low: Fraction, s: Fraction) -> Fraction:
    """A simple rational x with lambda_max <= x < s, where low <= lambda_max < s."""
    while not positive_semidefinite(_shifted(B, low)):
        low = (low + s) / 2
    return simplest_between(low, s) if low.denominator > 1 else low


def squared_diameter(tokens: RationalRows) -> Fraction:
    """The largest squared Euclidean distance of two tokens."""
    return max(sum(((a - b) ** 2 for a, b in zip(p, q, strict=True)), Fraction(0)) for p in tokens for q in tokens)


@lru_cache(maxsize=1024)
def zero_weights(tokens: RationalRows) -> Weights | None:
    """0 as a convex combination of the tokens, or None."""
    answer = in_hull((Fraction(0),) * len(tokens[0]), tokens)
    return answer.weights if isinstance(answer, InHull) else None


def zero_in_last_hull(instance: FrankWolfe) -> bool:
    """Whether 0 lies in the hull of the last layer, hence of every layer, since hulls are nested."""
    *_, last = instance.orbit(sign=-1)
    return zero_weights(tuple(last.point(i) for i in range(len(last.points)))) is not None


def certify_bound(instance: FrankWolfe, verdict: StatementVerdict, path: Path) -> None:
    """The first layer at which a token exceeds the bound."""
    weights, witness = zero_weights(instance.tokens), verdict.witness
    write_frank_wolfe_counterexample(
        path, instance.B, instance.tokens, witness["layer"], weights or (), witness["bound"], witness["token"]
    )


# cells ---------------------------------------------------------------------------------------------------------
@dataclass(frozen=True)
class Cells:
    """target[i] is the vertex whose cell alone contains token i; `inside` writes the other tokens as combinations."""

    target: tuple[int, ...]
    inside: tuple[tuple[int, Weights], ...]


@lru_cache(maxsize=1024)
def generic_cells(B: RationalRows, tokens: RationalRows) -> Cells | None:
    """The cells, if every vertex lies in its own cell only and every token in exactly one; otherwise None."""
    start = next(FrankWolfe(B, tokens, 0).orbit())
    if len(set(tokens)) < len(tokens) or any(len(members) > 1 for members in start.follows):
        return None
    target = tuple(members[0] for members in start.follows)
    if any(target[v] != v for v in target):
        return None
    answers = {j: vertex(tokens[j], tokens) for j, v in enumerate(target) if v != j}
    inside = tuple((j, answer.weights) for j, answer in answers.items() if isinstance(answer, NotVertex))
    return Cells(target, inside) if len(inside) == len(answers) else None


def cells_of(instance: FrankWolfe) -> Cells:
    """The cells of an instance that satisfies the hypothesis."""
    found = generic_cells(instance.B, instance.tokens)
    if found is None:
        raise Undecided("the cells are not generic")
    return found


def closed_form_holds(instance: FrankWolfe) -> StatementVerdict:
    """x_i(t) = p_t x_i + (1 - p_t) v for all layers, v the vertex of the token's cell, p_t the product of 1 - g_s."""
    target, p = cells_of(instance).target, Fraction(1)
    for t, layer in enumerate(instance.orbit()):
        for i, v in enumerate(target):
            x, y = instance.tokens[i], instance.tokens[v]
            if layer.point(i) != tuple(p * a + (1 - p) * b for a, b in zip(x, y, strict=True)):
                return fails(layer=t, token=i)
        p *= 1 - instance.share(t)
    return holds(0.5)


def cells_are_voronoi(instance: FrankWolfe) -> StatementVerdict:
    """The vertices that maximise <B x, .> are those nearest to x in the norm of B, for every token x."""
    heads = vertices_of(instance.tokens)
    for i, x in enumerate(instance.tokens):
        scores = {v: bilinear(instance.B, x, instance.tokens[v]) for v in heads}
        gaps = {v: tuple(a - b for a, b in zip(x, instance.tokens[v], strict=True)) for v in heads}
        distances = {v: bilinear(instance.B, gap, gap) for v, gap in gaps.items()}
        best, nearest = max(scores.values()), min(distances.values())
        if {v for v in heads if scores[v] == best} != {v for v in heads if distances[v] == nearest}:
            return fails(token=i)
    return holds(0.5)


def bilinear(B: RationalRows, x: RationalRow, y: RationalRow) -> Fraction:
    """<B x, y>."""
    return Fraction(dot([dot(row, x) for row in B], y))


@lru_cache(maxsize=1024)
def vertices_of(tokens: RationalRows) -> tuple[int, ...]:
    """The tokens that are vertices of their hull, the first of equal ones."""
    return vertices(tokens).indices


def exponentially_fast(instance: FrankWolfe) -> StatementVerdict:
    """Every token tends to the vertex of its cell at least exponentially fast.

    With constant steps p_t = (1 - c)^t. With steps c q^t, q < 1, p_t >= prod_{s<T}(1 - c q^s) * (1 - c q^T/(1-q)) > 0
    for every t, once c q^T < 1 - q: a token that is not a vertex does not even converge to one.
    """
    cells, (c, q) = cells_of(instance), instance.step or (Fraction(1), Fraction(1))
    moving = [i for i, v in enumerate(cells.target) if v != i]
    if q == 1 or not moving:
        return holds(0.5 * bool(moving))
    split = next(T for T in range(10_000) if c * q**T < 1 - q)
    return fails(token=moving[0], split=split)


def certify_slow(instance: FrankWolfe, verdict: StatementVerdict, path: Path) -> None:
    """The cells, and a positive lower bound of all p_t."""
    witness, step = verdict.witness, instance.step or (Fraction(1), Fraction(1))
    inside = cells_of(instance).inside
    write_slow_steps_counterexample(path, instance.B, instance.tokens, step, witness["token"], witness["split"], inside)


# hypotheses and statements ------------------------------------------------------------------------------------
def _equal_norms(instance: FrankWolfe) -> bool:
    return (
        len({bilinear(instance.B, instance.tokens[v], instance.tokens[v]) for v in vertices_of(instance.tokens)}) == 1
    )


SEMIDEFINITE = Hypothesis(
    "B* is symmetric positive semidefinite", lambda w: is_symmetric(w.B) and definiteness(w.B) >= 0
)
DEFINITE = Hypothesis("B is symmetric positive definite", lambda w: is_symmetric(w.B) and definiteness(w.B) == 1)
OPEN_LOOP = Hypothesis("g_t = 2/(t+2), at least one layer", lambda w: w.step is None and w.layers >= 1)
ZERO_FIRST = Hypothesis("0 lies in the hull of the first tokens", lambda w: zero_weights(w.tokens) is not None)
ZERO_ALWAYS = Hypothesis("0 lies in the hull of every layer", zero_in_last_hull)
GENERIC = Hypothesis(
    "every vertex lies in its own cell only, every token in exactly one cell",
    lambda w: generic_cells(w.B, w.tokens) is not None,
)
STEPS = Hypothesis("step sizes g_t = c q^t in (0, 1)", lambda w: w.step is not None and w.step[0] < 1)
EQUAL_NORMS = Hypothesis("all <B v, v> are equal, v a vertex", _equal_norms)

BOUND = "every token satisfies <B* x, x>/2 <= 2/(t+1) lambda_max(B*) diam^2 at every layer t >= 1"

STATEMENTS = (
    Statement(
        "frank-wolfe-negative",
        f"If B = -B*, B* >= 0, g_t = 2/(t+2) and 0 lies in the first hull, {BOUND}.",
        "false",
        f"{SOURCE}, Theorem 3.1 as first stated",
        (SEMIDEFINITE, OPEN_LOOP, ZERO_FIRST),
        bound_holds,
        negative_family((16, 32, 48, 64)),
        certify_bound,
    ),
    Statement(
        "frank-wolfe-negative-repaired",
        f"If B = -B*, B* >= 0, g_t = 2/(t+2) and 0 lies in the hull of every layer, {BOUND}.",
        "true",
        f"{SOURCE}, Theorem 3.1, with the hypothesis it needs",
        (SEMIDEFINITE, OPEN_LOOP, ZERO_FIRST, ZERO_ALWAYS),
        bound_holds,
        negative_family((2, 4, 8, 12)),
    ),
    Statement(
        "closed-form-on-cells",
        "On generic cells x_i(t) = p_t x_i(0) + (1 - p_t) v, v the vertex of the token's cell, p_t = prod (1 - g_s).",
        "true",
        SOURCE,
        (GENERIC,),
        closed_form_holds,
        cell_family,
    ),
    Statement(
        "voronoi-cells",
        "If all <B v, v> are equal, the cells are the Voronoi cells of the vertices in the norm of B.",
        "true",
        SOURCE,
        (DEFINITE, EQUAL_NORMS),
        cells_are_voronoi,
        equal_norm_family,
    ),
    Statement(
        "exponentially-fast",
        "On generic cells and for any step sizes in (0, 1), tokens tend to their vertices at least exponentially fast.",
        "false",
        f"{SOURCE}: needs step sizes bounded away from 0",
        (GENERIC, STEPS),
        exponentially_fast,
        cell_family,
        certify_slow,
    ),
)
