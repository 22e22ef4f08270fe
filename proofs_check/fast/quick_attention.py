"""The attention of a block by the short cuts of `short_cuts`; the definition is `attention.Attention`."""

from ..core.attention import Attention, maximisers
from ..core.certificate import Certificate
from ..core.numbers import common_denominator
from ..core.points import State, direction, settled
from ..core.verdict import Json
from .short_cuts import along, merged


class QuickAttention(Attention):
    """The same part; short where all scores are 0 or products of two numbers, and equal tokens are kept as one."""

    def __init__(self, SA: Json, softmax: bool, file: Certificate) -> None:
        super().__init__(SA, softmax, file)
        directed = [direction((*row, 1)) for row in self.M]
        self.left = tuple([t for _, (t, _) in directed])
        self.right = list({u for u, _ in directed if any(u)})

    def __call__(self, state: State) -> State:
        """The state after this part, equal tokens kept as one."""
        n = len(state.times)
        self.charge_scores((3 if len(self.right) < 2 else n) * n, state.bits)
        if not self.right:
            return self.with_mean_of_all(state)
        if len(self.right) == 1:
            return merged(self.moved(state, along(self.left, self.right[0], state.coordinates)), self.budget)
        return merged(self.moved(state, maximisers(self.M, state.coordinates)), self.budget)

    def with_mean_of_all(self, state: State) -> State:
        """The state where all scores are 0, so that C_i is all tokens for every i.

        Lemma: with rho = 0 all images are equal, and what `settled` does to equal tokens it does to one of them.
        """
        coordinates, common, times, _ = state
        total = common_denominator([sum(times)], self.budget)
        image = self.move(range(len(times)), 1, state)
        below, c = self.q * self.below * total * common, self.p * self.below * total
        if c:
            moved = [[c * m + move for m in x] for x, move in zip(coordinates, image)]
            return merged(settled(moved, below, times, self.budget), self.budget)
        coordinates, common, _, size = settled([[n] for n in image], below, times, self.budget)
        return State(coordinates, common, (total,), size)
