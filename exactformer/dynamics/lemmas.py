"""The lemmas of the clustering theorem as exact checks on an orbit: None where they hold, a witness where not.

For A symmetric positive definite all of them hold (4 and 5 for distinct tokens, counted by position); on orbits of
other matrices, or of a wrong implementation, the witness names the layer and the tokens that break them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from operator import mul
from typing import Protocol

from exactformer.arithmetic.short_text import short_repr
from exactformer.arithmetic.text import Exact
from exactformer.dynamics.orbit import Orbit
from exactformer.geometry.points import Element, Vector, dot


@short_repr
@dataclass(frozen=True)
class Witness:
    """Layer and tokens at which a lemma fails, and why in words."""

    lemma: int
    layer: int
    tokens: tuple[int, ...]
    why: str

    def __str__(self) -> str:
        return f"lemma {self.lemma} fails at layer {self.layer}, tokens {list(self.tokens)}: {self.why}"


class Layer(Protocol):
    """One layer as the lemmas see it; all layers of an orbit may be multiplied by one and the same number."""

    @property
    def index(self) -> int:
        """The number of the layer."""

    @property
    def follows(self) -> list[tuple[int, ...]]:
        """C_i."""

    @property
    def share(self) -> Fraction:
        """a = alpha/(1 + alpha)."""

    @property
    def rows(self) -> Sequence[Vector]:
        """z_i."""

    @property
    def norms(self) -> Sequence[Element]:
        """<A z_i, z_i>."""

    def image(self, i: int) -> Sequence[Element]:
        """A z_i."""

    def score(self, i: int, j: int) -> Element:
        """<A z_i, z_j>."""

    def mean(self, i: int) -> Vector:
        """The mean of C_i."""


@short_repr
@dataclass(frozen=True)
class ExactLayer:
    """A layer of an orbit in exact numbers."""

    index: int
    rows: list[tuple[Exact, ...]]
    follows: list[tuple[int, ...]]
    A: tuple[tuple[Exact, ...], ...]
    share: Fraction

    def image(self, i: int) -> list[Exact]:
        """A z_i."""
        return [dot(row, self.rows[i]) for row in self.A]

    def score(self, i: int, j: int) -> Element:
        """<A z_i, z_j>."""
        return dot(self.image(i), self.rows[j])

    @cached_property
    def norms(self) -> list[Element]:
        """<A z_i, z_i>."""
        return [self.score(i, i) for i in range(len(self.rows))]

    def mean(self, i: int) -> tuple[Exact, ...]:
        """The mean of C_i."""
        members = self.follows[i]
        return tuple(
            sum((self.rows[j][c] for j in members), start=Fraction(0)) / len(members) for c in range(len(self.A))
        )


Findings = Iterator[tuple[tuple[int, ...], str]]


def distinct_stay_distinct(now: Layer, after: Layer) -> Findings:
    """Lemma 0: tokens that differ still differ one layer later."""
    if len(set(after.rows)) == len(after.rows):
        return
    seen: dict[Vector, int] = {}
    for i, row in enumerate(after.rows):
        j = seen.setdefault(row, i)
        if now.rows[i] != now.rows[j]:
            yield (j, i), "they differ, and are equal one layer later"


def sets_are_maximisers(now: Layer) -> Findings:
    """Lemma 1: C_i is not empty, and <A z_i, z_j - z_i> >= 0 for every j in C_i."""
    for i, members in enumerate(now.follows):
        if not members:
            yield (i,), "it follows nobody"
        for j in members:
            if now.score(i, j) < now.norms[i]:
                yield (i, j), "the followed token scores less than the token itself"


def norms_grow(now: Layer, after: Layer) -> Findings:
    """Lemma 2: the A-norm never decreases, and stays the same only where the mean of C_i is z_i."""
    for i, (old, new) in enumerate(zip(now.norms, after.norms, strict=True)):
        if new < old:
            yield (i,), f"<A z, z> falls from {old} to {new}"
        elif new == old and now.mean(i) != now.rows[i]:
            yield (i,), f"<A z, z> stays {old} although the mean of the set is another point"


def hulls_are_nested(now: Layer, after: Layer) -> Findings:
    """Lemma 3: every new token is (1-a) z_i + a mean of C_i, a convex combination of the old ones."""
    p, q = now.share.numerator, now.share.denominator
    rest = q - p
    for i, (row, old) in enumerate(zip(after.rows, now.rows, strict=True)):
        if [q * y for y in row] != [rest * x + p * m for x, m in zip(old, now.mean(i), strict=True)]:
            yield (i,), "the new token is not the convex combination the update gives"


def leaders_stay(now: Layer, after: Layer) -> Findings:
    """Lemma 4: a leader stays one and never moves; A z_i exposes it strictly among all later tokens."""
    for i, members in enumerate(now.follows):
        if members != (i,):
            continue
        if after.follows[i] != (i,):
            yield (i,), f"it leads, and follows {list(after.follows[i])} one layer later"
        if after.rows[i] != now.rows[i]:
            yield (i,), "it leads, and moves"
        image, norm = now.image(i), now.norms[i]
        for j, row in enumerate(after.rows):
            if j != i and sum(map(mul, image, row)) >= norm:
                yield (i, j), "it leads, and another token of the next layer scores as much: no vertex exposed by A z"


def longest_leads(now: Layer) -> Findings:
    """Lemma 5: with distinct tokens, one of largest A-norm leads at layer 0."""
    if now.index or len(set(now.rows)) < len(now.rows):
        return
    top = max(now.norms)
    for i, norm in enumerate(now.norms):
        if norm == top and now.follows[i] != (i,):
            yield (i,), f"it has the largest A-norm, and follows {list(now.follows[i])}"


def followed_are_longer(now: Layer) -> Findings:
    """Lemma 6: if j is in C_i and z_j != z_i, then |z_j|_A > |z_i|_A: no cycles apart from self-loops."""
    for i, members in enumerate(now.follows):
        for j in members:
            if now.rows[j] != now.rows[i] and now.norms[j] <= now.norms[i]:
                yield (i, j), "the followed token is another point, and not longer"


def fixed_are_projections(now: Layer, after: Layer) -> Findings:
    """Lemma 7: a fixed token that does not lead is the A-projection of the origin onto the face its C_i spans."""
    for i, members in enumerate(now.follows):
        if members == (i,) or after.rows[i] != now.rows[i]:
            continue
        for j in members:
            if now.score(i, j) != now.norms[i]:
                yield (i, j), "it does not move, and <A z_i, z_j - z_i> != 0 for a member of its set"


#: lemmas about one layer, and about a layer and the next one
OF_A_LAYER: dict[int, Callable[[Layer], Findings]] = {1: sets_are_maximisers, 5: longest_leads, 6: followed_are_longer}
OF_A_STEP: dict[int, Callable[[Layer, Layer], Findings]] = {
    0: distinct_stay_distinct,
    2: norms_grow,
    3: hulls_are_nested,
    4: leaders_stay,
    7: fixed_are_projections,
}


def witness(layers: Iterable[Layer], lemma: int) -> Witness | None:
    """None if a lemma holds on a sequence of layers, otherwise the first witness against it."""
    previous: Layer | None = None
    for layer in layers:
        if lemma in OF_A_LAYER:
            found, where = OF_A_LAYER[lemma](layer), layer
        elif previous is not None:
            found, where = OF_A_STEP[lemma](previous, layer), previous
        else:
            found, where = iter(()), layer
        for tokens, why in found:
            return Witness(lemma, where.index, tokens, why)
        previous = layer
    return None


def check_lemmas(orbit: Orbit) -> dict[int, Witness | None]:
    """For each of the lemmas 0..7 None, or the first witness against it in the layers of the orbit.

    >>> from exactformer.dynamics.orbit import simulate
    >>> set(check_lemmas(simulate([[1, 0], [0, 1], ["1/2", 0]], layers=5)).values())
    {None}
    """
    layers = list(layers_of(orbit))
    return {lemma: witness(layers, lemma) for lemma in sorted({*OF_A_LAYER, *OF_A_STEP})}


def layers_of(orbit: Orbit) -> Iterator[ExactLayer]:
    """The layers of an orbit as the lemmas see them."""
    for k in range(orbit.layers + 1):
        yield ExactLayer(k, orbit.tokens(k).rows(), orbit.follows(k), orbit.instance.A, orbit.engine_input.share)
