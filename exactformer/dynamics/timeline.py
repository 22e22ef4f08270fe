"""An instance in time: layer by layer at first, and in stages, from change to change, once the sets stand still.

A layer is cheap and an attempt at closed forms is not, so that the engine runs on until the follower sets have stood
still for as many layers as an attempt costs. From then on nothing depends on how many layers lie between two changes.
"""

from __future__ import annotations

from collections.abc import Callable

from exactformer.arithmetic.integers import Array
from exactformer.arithmetic.power_sum import PowerSum
from exactformer.arithmetic.state import State
from exactformer.dynamics.engine_input import EngineInput
from exactformer.dynamics.follow_order import Cycle
from exactformer.dynamics.follower_sets import FollowerSets
from exactformer.dynamics.locking import NEVER
from exactformer.dynamics.stages import Stages, sets_of_members

#: pairs of positions that cost about as much as a layer
PAIRS_A_LAYER = 32
#: with fewer layers to go an attempt does not pay
WORTH = 64


class Timeline:
    """Follower sets, exact states and leaders of every layer, as far as it has come; `step` goes on."""

    def __init__(self, engine_input: EngineInput) -> None:
        self.engine_input = engine_input
        self.engine = engine_input.engine()
        self.stages: Stages | None = None
        #: the layer at which the stages begin
        self.origin = 0
        #: positions that follow one another in a ring at the last attempt
        self.ring: Cycle | None = None
        self._constant_since, self._refused = 0, NEVER

    # going on --------------------------------------------------------------------------------------
    def step(self, last: int | None = None) -> bool:
        """One more layer, or one more change of the sets; False if they are proved to stay for ever.

        `last` is the layer that is asked for, if there is one: stages that would not pay are not begun.
        """
        if self.stages is not None:
            if self.stages.advance():
                return True
            if self.stages.ring is None:
                return False
            self.ring, self.stages, self._refused = self.stages.ring, None, self._constant_since
        if self.engine.frozen and self._refused == self._constant_since:
            return False
        layer = len(self.engine.history) - self.engine.frozen
        sets = self.engine.follows(layer)
        if layer and sets != self.engine.history[layer - 1]:
            self._constant_since = layer
        pairs = len(self.engine.active) * len(sets)
        waited = layer - self._constant_since >= 1 + pairs // PAIRS_A_LAYER
        worth = last is None or last - layer > WORTH
        if (self.engine.frozen or waited) and worth and self._refused != self._constant_since:
            self._attempt()
        return True

    def _attempt(self) -> None:
        """Begins the stages at the layer at which the sets changed last; a ring has no closed forms."""
        found = Stages.of(self.engine_input.tokens.A, self.engine, self._constant_since)
        if isinstance(found, Cycle):
            self.ring, self._refused = found, self._constant_since
        else:
            self.stages, self.origin, self.ring = found, self._constant_since, None

    def reach(self, layer: int, progress: Callable[[int], object] | None = None) -> None:
        """Goes on until the follower sets of a layer are known."""
        while not self._knows(layer):
            self.step(layer)
            if progress is not None:
                progress(min(self.reached, layer))

    def _knows(self, layer: int) -> bool:
        if layer < len(self.engine.history) or self.engine.frozen:
            return True
        if self.stages is None:
            return False
        change = self.stages.next_change
        return change is None or layer < self.origin + change

    @property
    def reached(self) -> int:
        """The last layer run, or at which a set changed."""
        ran = len(self.engine.history) - 1
        return ran if self.stages is None else max(ran, self.origin + self.stages.now.time)

    # what is known ---------------------------------------------------------------------------------
    @property
    def constant_from(self) -> int | None:
        """The layer from which the sets are proved to stay for ever, if that is known."""
        if self.stages is not None and self.stages.next_change is None:
            return self.origin + self.stages.now.time
        return len(self.engine.history) - 1 if self.engine.frozen else None

    def in_stages(self, layer: int) -> bool:
        """Whether a layer is known from the stages alone."""
        return self.stages is not None and layer >= len(self.engine.history) and not self.engine.frozen

    def follows(self, layer: int) -> FollowerSets:
        """The follower sets of a layer."""
        self.reach(layer)
        if self.stages is None or not self.in_stages(layer):
            return self.engine.follows(layer)
        return sets_of_members(self.stages.stage_at(layer - self.origin).sets)

    def state(self, layer: int) -> State:
        """The exact state of a layer, written out however long its numbers are."""
        self.reach(layer)
        if self.stages is None or not self.in_stages(layer):
            return self.engine.state(layer)
        k = layer - self.origin
        rows = [form.value(k) for form in self.stages.stage_at(k).forms]
        return State.of([[x.written() if isinstance(x, PowerSum) else x for x in row] for row in rows])

    @property
    def leads_from(self) -> Array:
        """For every position the first layer with C_p = {p}, NEVER where there is none so far."""
        layers = self.engine.leads_from
        for p, k in self.stages.leads_from.items() if self.stages is not None else ():
            if layers[p] == NEVER:
                layers[p] = self.origin + k
        return layers

    @property
    def changes(self) -> list[int]:
        """The layers so far whose follower sets differ from those of the layer before."""
        history = self.engine.history
        early = [k for k in range(1, len(history)) if history[k] != history[k - 1]]
        if self.stages is None:
            return early
        later = [self.origin + stage.time for stage in self.stages.stages[1:]]
        return [k for k in early if k <= self.origin] + later
