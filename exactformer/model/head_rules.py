"""How a head of a trained network attends: which tokens it sees, and softmax at a temperature or hardmax."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from exactformer.errors import InvalidInput, Malformed
from exactformer.io.canonical import canonical, from_canonical
from exactformer.io.json_lines import JsonObject
from exactformer.model.heads import MASKS, TIES, Mask, TieRule

#: inverse temperatures that evaluators take
_LEAST_BETA, _MOST_BETA = Fraction(1, 2**100), Fraction(2**100)


@dataclass(frozen=True)
class HeadRule:
    """Softmax of `beta` times the scores over the visible tokens; hardmax with a tie rule where `ties` is given.

    Where a token sees nothing the head gives 0.

    >>> HeadRule("before").seen(3).tolist()
    [[False, False, False], [True, False, False], [True, True, False]]
    """

    mask: Mask = None
    ties: TieRule | None = None
    beta: Fraction = Fraction(1)

    def __post_init__(self) -> None:
        if self.mask not in MASKS:
            raise InvalidInput(f"mask: expected None, before, upto, after or from, got {self.mask!r:.40}")
        if self.ties is not None and self.ties not in TIES:
            raise InvalidInput(f"ties: expected None (softmax), {', '.join(TIES)}, got {self.ties!r:.40}")
        if not isinstance(self.beta, Fraction) or not _LEAST_BETA <= self.beta <= _MOST_BETA:
            raise InvalidInput(f"beta: expected a rational number from 2^-100 to 2^100, got {self.beta!r:.40}")

    def seen(self, n: int) -> NDArray[np.bool_]:
        """Row i has what token i of n sees."""
        if self.mask is None:
            return np.ones((n, n), bool)
        earlier = np.tri(n, k=-1 if self.mask in ("before", "from") else 0, dtype=bool)
        return earlier if self.mask in ("before", "upto") else ~earlier

    def json(self) -> JsonObject:
        """The rule as a network file has it."""
        return {"mask": self.mask, "ties": self.ties, "beta": canonical(self.beta)}


def rules_of_json(value: object, where: str) -> tuple[HeadRule, ...]:
    """The rules of a network file; raises Malformed."""
    if not isinstance(value, list) or any(
        not isinstance(r, dict) or r.keys() != {"mask", "ties", "beta"} for r in value
    ):
        raise Malformed(f"{where}: expected rules with mask, ties and beta, got {value!r:.60}")
    found = []
    for rule in value:
        beta = from_canonical(rule["beta"])
        if not isinstance(beta, Fraction):
            raise Malformed(f"{where}: expected a rational beta, got {rule['beta']!r:.40}")
        found.append(HeadRule(rule["mask"], rule["ties"], beta))
    return tuple(found)


def seen_by(rules: Iterable[HeadRule], n: int) -> NDArray[np.bool_]:
    """What every token of n sees, head by head."""
    kept: dict[Mask, NDArray[np.bool_]] = {}
    return np.stack([kept.setdefault(rule.mask, rule.seen(n)) for rule in rules])
