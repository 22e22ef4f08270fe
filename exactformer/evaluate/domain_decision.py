"""A whole finite domain decided: on which inputs a network is proved right, on which wrong, on which neither.

Statements are about real arithmetic, not about what a device returns.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from exactformer.display.verbs import Certified, Drawn, Listed
from exactformer.errors import InvalidInput
from exactformer.evaluate.network_answer import decide_batch
from exactformer.evaluate.outward import Floats
from exactformer.io.canonical import canonical
from exactformer.io.json_lines import JsonObject, PathLike
from exactformer.model.domain import Domain, Integers
from exactformer.model.network import Network

#: inputs that are decided before progress is told
CHUNK = 1024


@dataclass(frozen=True, eq=False)
class Decision(Listed, Certified, Drawn):
    """Per input of a domain, in its order: the class proved (-1 where none is), and the lead of that class.

    The lead over the best other class lies in [low, high]; `level` is the arithmetic, as an index of LEVELS. True if
    the network is proved right on every input.

    Proof: mathematics/networks#slices.
    """

    network: Network
    domain: Domain
    labels: Integers
    argmax: Integers
    low: Floats
    high: Floats
    level: Integers

    @property
    def inputs(self) -> int:
        """How many inputs the domain has."""
        return len(self.labels)

    @cached_property
    def is_right(self) -> NDArray[np.bool_]:
        """Per input: the class proved is the one that it should have."""
        return np.equal(self.argmax, self.labels)

    @cached_property
    def is_undecided(self) -> NDArray[np.bool_]:
        """Per input: no class is proved."""
        return np.less(self.argmax, 0)

    @property
    def right(self) -> int:
        """On how many inputs the network is right."""
        return int(self.is_right.sum())

    @property
    def undecided(self) -> int:
        """On how many inputs nothing is proved."""
        return int(self.is_undecided.sum())

    @property
    def wrong(self) -> int:
        """On how many inputs the network is wrong."""
        return self.inputs - self.right - self.undecided

    def __bool__(self) -> bool:
        return self.right == self.inputs

    @property
    def least_margin(self) -> tuple[float, float] | None:
        """An interval with the smallest lead of a proved class over the others; None where no class is proved."""
        known = ~self.is_undecided
        return (float(self.low[known].min()), float(self.high[known].min())) if known.any() else None

    def wrong_places(self) -> Integers:
        """The places in the domain of the inputs on which the network is wrong."""
        return np.flatnonzero(~self.is_right & ~self.is_undecided)

    @cached_property
    def _homes(self) -> tuple[Integers, Integers]:
        """Per place of the domain: its part, and its row there."""
        parts, rows = np.zeros(self.inputs, np.int64), np.zeros(self.inputs, np.int64)
        for k, part in enumerate(self.domain.parts):
            parts[part.places], rows[part.places] = k, np.arange(len(part.places))
        return parts, rows

    def ids(self, place: int) -> list[int]:
        """The ids of the input at a place of the domain."""
        if not 0 <= place < self.inputs:
            raise InvalidInput(f"expected the place of an input below {self.inputs}, got {place}")
        parts, rows = self._homes
        return [int(i) for i in self.domain.parts[parts[place]].ids[rows[place]]]

    def shown(self, place: int) -> JsonObject:
        """One input: ids, the class proved (None where none is) and the one that it should have."""
        k = int(self.argmax[place])
        return {"ids": self.ids(place), "argmax": k if k >= 0 else None, "label": int(self.labels[place])}

    def json(self) -> JsonObject:
        """The counts, the least margin and the first wrong input, as `decide --json` prints them."""
        margin, wrong = self.least_margin, self.wrong_places()
        return {
            "inputs": self.inputs,
            "right": self.right,
            "wrong": self.wrong,
            "undecided": self.undecided,
            "least_margin": None if margin is None else [canonical(Fraction(end)) for end in margin],
            "first_wrong": self.shown(int(wrong[0])) if len(wrong) else None,
        }

    def certify(self, path: PathLike, *, bits: int | None = None) -> Path:
        """Writes the certificate: the class of every input, or, where some are wrong, the classes proved of these.

        Undecided where nothing is wrong and some inputs are undecided. `bits` are found unless given.
        """
        from exactformer.certificates.network_claims import write_domain_decision

        write_domain_decision(self, path, bits=bits)
        return Path(path)

    def __repr__(self) -> str:
        return (
            f"Decision({self.domain.name}: {self.inputs} inputs, {self.right} right, {self.wrong} wrong, "
            f"{self.undecided} undecided)"
        )


def decide_domain(
    network: Network, domain: Domain, *, progress: Callable[[int], object] = lambda done: None
) -> Decision:
    """Which class the network gives to every input of a domain, each with proof; `progress` is told the inputs done.

    >>> from exactformer.model.architecture import Architecture
    >>> a = Architecture(dim=1, heads=1, hidden=1, blocks=0, vocabulary=3, positions=3, classes=2, norm="none")
    >>> found = {name: np.zeros(shape, np.float32) for name, shape in a.shapes.items()}
    >>> found["head_bias"] = np.array([1, 0], np.float32)
    >>> decide_domain(Network(a, found), Domain.sum_modulo(2)).json()["right"]
    2
    """
    domain.verify_for(network)
    count, done = len(domain), 0
    labels, argmax, level = np.zeros(count, np.int64), np.full(count, -1), np.full(count, -1)
    low, high = np.full(count, -np.inf), np.full(count, np.inf)
    for part in domain.parts:
        labels[part.places] = part.labels
        for start in range(0, len(part.ids), CHUNK):
            places = part.places[start : start + CHUNK]
            found = decide_batch(network, part.ids[start : start + CHUNK])
            argmax[places] = np.where(found.decided, found.argmax, -1)
            low[places], high[places], level[places] = found.low, found.high, found.level
            done += len(places)
            progress(done)
    return Decision(network, domain, labels, argmax, low, high, level)
