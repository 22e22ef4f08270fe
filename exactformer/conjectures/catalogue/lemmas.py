"""The lemmas on which the clustering theorem rests, checked layer by layer on exact orbits."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from functools import cached_property
from operator import mul

from exactformer.conjectures.arrays.lemmas import lemma_proved
from exactformer.conjectures.catalogue.conditions import CLUSTERING
from exactformer.conjectures.statement import Statement
from exactformer.conjectures.verdict import StatementVerdict, fails, holds
from exactformer.dynamics import lemmas
from exactformer.dynamics.plain_orbit import IntegerPoint, PlainLayer, PlainOrbit
from exactformer.instances.generators import TokenFamily
from exactformer.model.tokens import Tokens

#: layers on which a lemma is checked
LAYERS = 20
SOURCE = "Alcalde, Fantuzzi, Zuazua, Clustering in pure-attention hardmax transformers (arXiv 2407.01602)"

WORDS = {
    0: "Distinct tokens stay distinct.",
    1: "C_i is not empty, and every j in C_i satisfies <A z_i, z_j - z_i> >= 0.",
    2: "The A-norm of a token never decreases; it stays the same only where the mean of C_i is z_i.",
    3: "Convex hulls are nested: every new token is a convex combination of the old ones.",
    4: "Once a leader, for ever a leader, and it never moves; leaders are distinct vertices of every later hull.",
    5: "A token of largest A-norm is a leader at layer 0.",
    6: "If j is in C_i and z_j != z_i, then |z_j|_A > |z_i|_A: the follower graph is acyclic apart from self-loops.",
    7: "A fixed token that does not lead is the A-projection of the origin onto the face that its C_i spans.",
}


class IntegerLayer:
    """A layer as the lemmas see it, multiplied by one integer for all layers, so that tokens and means are integral.

    The lemmas are homogeneous: they hold for a multiple of the orbit exactly if they hold for the orbit. Scores are
    those the layer was made with; the tokens themselves are multiplied where a lemma asks for them.
    """

    def __init__(self, index: int, layer: PlainLayer, orbit: PlainOrbit, scale: int) -> None:
        self.index, self.follows, self.share = index, layer.follows, orbit.share
        self._layer, self._A, self._factor = layer, orbit.A, scale // layer.denominator

    @cached_property
    def rows(self) -> list[IntegerPoint]:
        """z_i."""
        factor = self._factor
        return [tuple([factor * x for x in point]) for point in self._layer.points]

    @cached_property
    def norms(self) -> list[int]:
        """<A z_i, z_i>."""
        square = self._factor**2
        return [square * line[i] for i, line in enumerate(self._layer.scores)]

    def image(self, i: int) -> list[int]:
        """A z_i."""
        row = self.rows[i]
        return [sum(map(mul, line, row)) for line in self._A]

    def score(self, i: int, j: int) -> int:
        """<A z_i, z_j>."""
        return self._factor**2 * self._layer.scores[i][j]

    def mean(self, i: int) -> IntegerPoint:
        """The mean of C_i."""
        members = self.follows[i]
        if len(members) == 1:
            return self.rows[members[0]]
        return tuple([sum(column) // len(members) for column in zip(*[self.rows[j] for j in members], strict=True)])


def integer_layers(orbit: PlainOrbit, last: int) -> Iterator[IntegerLayer]:
    """Layers 0..last times the least integer that makes every token and every mean integral."""
    layers = [orbit[k] for k in range(last + 1)]
    scale = math.lcm(*{layer.denominator * math.lcm(*map(len, layer.follows)) for layer in layers})
    for k, layer in enumerate(layers):
        yield IntegerLayer(k, layer, orbit, scale)


def lemma_holds(number: int) -> Callable[[Tokens], StatementVerdict]:
    """The conclusion that a lemma holds at layers 0..LAYERS."""
    last = _last(number)

    def conclusion(tokens: Tokens) -> StatementVerdict:
        orbit = PlainOrbit(tokens)
        broken = lemmas.witness(integer_layers(orbit, last), number)
        if broken is not None:
            return fails(layer=broken.layer, tokens=list(broken.tokens), why=broken.why)
        return holds(nearest_tie(orbit[0]))

    return conclusion


def _last(number: int) -> int:
    """The last layer at which a lemma is checked: lemma 5 speaks of layer 0 only."""
    return 0 if number == 5 else LAYERS


def nearest_tie(layer: PlainLayer) -> float:
    """How near the layer comes to another tie: 1/(1 + least relative gap below a maximum)."""
    least = 1.0
    for row in layer.scores:
        best = max(row)
        below = [score for score in row if score < best]
        if below:
            second = max(below)
            least = min(least, (best - second) / (abs(best) + abs(second)))
    return 1 / (1 + least)


STATEMENTS = tuple(
    Statement(
        f"lemma-{k}",
        words,
        "true",
        SOURCE,
        CLUSTERING,
        lemma_holds(k),
        TokenFamily(),
        prove=lemma_proved(k, _last(k)),
    )
    for k, words in WORDS.items()
)
