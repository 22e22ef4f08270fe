"""An open certificate: what every rule may use."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from .budget import Budget, Limits
from .lines import Lines
from .numbers import Ratios
from .points import Point, State
from .verdict import Json

Part = Callable[[State], State]  # of a block
Along = tuple[tuple[int, ...], list[Any]] | None  # u and the units of a part x -> x + units of <u, x>, if it is one
SequenceReader = Callable[[bytes, int], tuple[State, frozenset[Point], str | None] | None]


class Heads(NamedTuple):
    """Of a kind of states: how many tokens one has, and (least, largest, below) of <u, x> for each of them."""

    count: Callable[[Any], int]
    ends: Callable[[Any, tuple[int, ...]], list[tuple[int, int, int]]]


class Ways(NamedTuple):
    """How the costly things are done: as `definitions` has them, or as `fast`, which gives the same.

    Brackets outside strings; several numbers at once; a sequence line, or None where it must be read piece by piece;
    the two parts of a block; many parts in a row; all sequence lines of a `subject.Task`.
    """

    outside_strings: Callable[[bytes], bytes]
    ratios: Callable[[list[Json], Budget], Ratios]
    sequence_reader: Callable[[Sequence[str], int, Limits], SequenceReader]
    feed_forward: Callable[[Json, "Certificate"], Part]
    attention: Callable[[Json, bool, "Certificate"], Part]
    in_runs: Callable[[list[Any], Heads, Budget], list[Any]]
    run: Callable[[Any], None]


@dataclass(frozen=True)
class Certificate:
    """The header and its dimension, the lines after it, the budget, the caller's data if any: a path, or sequences."""

    header: dict[str, Json]
    dim: int
    lines: Lines
    budget: Budget
    ways: Ways
    data: Json = None
    weights: str | None = None  # the path of the file of a network's weights

    def ratios(self, texts: list[Json]) -> Ratios:
        """Numerators and denominators of canonical numbers, at least one."""
        return self.ways.ratios(texts, self.budget)
