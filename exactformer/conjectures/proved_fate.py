"""Where an instance ends, proved for all layers: by locks alone where they suffice, else by closed forms."""

from __future__ import annotations

from dataclasses import dataclass

from exactformer.arithmetic.rational import RationalRow
from exactformer.conjectures.plain_orbit import PlainOrbit, rational_row
from exactformer.dynamics.limits import Limit, limit
from exactformer.model.tokens import Tokens

#: locks are no longer waited for after this many layers, and this many times the layers that halve a distance
PATIENCE, HALVINGS = 30, 4
#: changes of follower sets after which the proof of a limit is given up, and the instance is undecided
FATE_CHANGE_BUDGET = 4000


@dataclass(frozen=True)
class Fate:
    """The first layer at which each leader leads, the limit of every token, and the layers at which C_i's changed.

    Proved for all layers: nobody else ever leads, and the follower sets change at no other layer.
    """

    leads_from: dict[int, int]
    limits: list[RationalRow]
    changes: tuple[int, ...]


def fate(tokens: Tokens) -> Fate:
    """The fate of an instance with A symmetric positive definite; raises Undecided where the budget ends.

    >>> fate(Tokens([[3], [1]]))
    Fate(leads_from={0: 0}, limits=[(Fraction(3, 1),), (Fraction(3, 1),)], changes=())
    """
    orbit = PlainOrbit(tokens)
    last = locked_layer(orbit)
    return _of_limit(proved_limit(tokens)) if last is None else _locked(orbit, last)


def locked_layer(orbit: PlainOrbit) -> int | None:
    """The first layer at which every C_i is one leader, which it then follows for ever; None if that takes long."""
    for k in range(PATIENCE + int(HALVINGS / orbit.share)):
        follows = orbit[k].follows
        if all(len(members) == 1 and follows[members[0]] == members for members in follows):
            return k
    return None


def proved_limit(tokens: Tokens) -> Limit:
    """The limit with its proof; raises Undecided where the budget ends."""
    return limit(tokens, budget=FATE_CHANGE_BUDGET)


def _locked(orbit: PlainOrbit, last: int) -> Fate:
    """A token whose C_i is one leader keeps it for ever, and tends to it."""
    layer = orbit[last]
    leads_from = {i: k for i in layer.leaders if (k := orbit.first_lead(i, last)) is not None}
    limits = [layer.point(members[0]) for members in layer.follows]
    changes = tuple(k for k in range(1, last + 1) if orbit[k].follows != orbit[k - 1].follows)
    return Fate(leads_from, limits, changes)


def _of_limit(found: Limit) -> Fate:
    limits = [rational_row(point) for point in found.points]
    return Fate(found.orbit.leads_from, limits, found.orbit.graph_changes)
