"""The layers of the separating stage: feed-forward layers that rotate the order, attention that follows leaders."""

from __future__ import annotations

from fractions import Fraction

from exactformer.constructions.disjoint_sets import Rotation, Separated, with_distinct_leaders
from exactformer.constructions.placement import safe_base
from exactformer.constructions.problem import Problem
from exactformer.constructions.projection_to_line import Line
from exactformer.constructions.target_nodes import ramp
from exactformer.model.attention import SelfAttention
from exactformer.model.feed_forward import FeedForward
from exactformer.model.matrix import Outer


def separate_sets(problem: Problem, room: int = 0) -> Separated:
    """The separating blocks of the problem's sets, with every coordinate above every target's, by `room` more."""
    line = problem.line
    base = (safe_base(line, problem.target_points) + room) * line.scale
    return with_distinct_leaders(problem.measures, line.values[problem.measures.ranks], base)


def follow(line: Line, eps: int | None, scale: Fraction = Fraction(1)) -> SelfAttention:
    """Q = scale*u', K = u': all follow the largest of the positive coordinates: shift by eps, or collapse."""
    weight, rho = (1, 0) if eps is None else (eps, 1)
    return SelfAttention(rho, Outer([weight * c for c in line.e], line.u), Outer([scale], line.u), Outer([1], line.u))


def rotation_layers(line: Line, rotations: tuple[Rotation, ...], *, inside: bool = False) -> list[FeedForward | None]:
    """The feed-forward layers of the rotations; the first one forgets x and flattens it onto e*s.

    With `inside` every ramp lies strictly inside its gap, so that tokens may be a little lower than they should be.
    """
    layers: list[FeedForward | None] = []
    for k, rotation in enumerate(rotations):
        slopes, offsets, column = _rotation_units(rotation, line.scale, inside=inside)
        constant = Fraction(rotation.shift, line.scale)
        if k == 0:
            # u.x - min u.x >= 0 on every token, so this unit is u.x itself up to a constant
            floor = Fraction(-int(line.values[0]), line.scale)
            slopes, offsets, column = [1, *slopes], [floor, *offsets], [Fraction(1), *column]
            constant -= floor
        if constant:
            slopes, offsets, column = [*slopes, 0], [*offsets, Fraction(1)], [*column, constant]
        units = FeedForward(int(k > 0), Outer(slopes, line.u), offsets, Outer(line.e, column)) if slopes else None
        layers.append(units)
    return layers


def _rotation_units(
    rotation: Rotation, scale: int, *, inside: bool
) -> tuple[list[int], list[Fraction], list[Fraction]]:
    """Slopes, offsets and weights of (B/(c'-c)) [relu(c' - s) - relu(c - s)]: B up to c, 0 from c' on."""
    if rotation.at is None or rotation.successor is None:
        return [], [], []
    ends = Fraction(rotation.at, scale), Fraction(rotation.successor, scale)
    low, high = ramp(*ends) if inside else ends
    weight = Fraction(rotation.lift, scale) / (high - low)
    return [-1, -1], [high, low], [weight, -weight]
