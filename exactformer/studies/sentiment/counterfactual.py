"""What would change the decision: the smallest set of words whose deletion does, found by trying all sets in turn."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations
from math import comb

from exactformer.errors import InvalidInput
from exactformer.studies.sentiment.classifier import ReviewClassifier


@dataclass(frozen=True)
class Counterfactual:
    """`words` is a smallest set whose deletion changes the sign, `value` the value without it.

    `words` is None where no set of at most `proved_up_to` words does; larger ones were not looked at then.
    """

    words: tuple[str, ...] | None
    value: Fraction | None
    proved_up_to: int
    examined: int

    def __bool__(self) -> bool:
        return self.words is not None

    def __str__(self) -> str:
        if self.words is not None:
            return f"without {', '.join(self.words)} the decision changes; no smaller set of words does that"
        return f"no set of at most {self.proved_up_to} words changes the decision; larger ones were not examined"


def counterfactual(model: ReviewClassifier, bag: Mapping[str, int], *, budget: int = 2000) -> Counterfactual:
    """The smallest set of words (with all their occurrences) whose deletion changes the sign of the exact value.

    Sets are examined by size, so a set found is smallest; of its size the one that goes furthest to the other side.
    A size with more sets than the budget has left is not begun, and the answer says up to which size all were examined.
    """
    if budget < 1:
        raise InvalidInput(f"budget: expected at least 1, got {budget}")
    before, words, examined = model.value(bag), list(bag), 0
    sign = 1 if before > 0 else -1
    for size in range(1, len(words)):
        if examined + comb(len(words), size) > budget:
            return Counterfactual(None, None, size - 1, examined)
        best: tuple[Fraction, tuple[str, ...]] | None = None
        for chosen in combinations(words, size):
            examined += 1
            value = model.value({word: count for word, count in bag.items() if word not in chosen})
            if value * sign < 0 and (best is None or value * sign < best[0] * sign):
                best = (value, chosen)
        if best is not None:
            return Counterfactual(best[1], best[0], size, examined)
    return Counterfactual(None, None, max(0, len(words) - 1), examined)
