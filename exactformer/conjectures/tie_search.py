"""The search for self-ties of a changing largest token that last: patterns made longer, layer by layer, and kept.

What is kept can be saved and read, so that a search goes on where it stopped. Patterns with targets of their own for
every layer count only if exact tokens do what they say; those with few targets are floats' proposals.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field
from fractions import Fraction
from pathlib import Path
from random import Random

import numpy as np

from exactformer.errors import InvalidInput, Malformed
from exactformer.instances.last_case import HeldTie, solved_tokens
from exactformer.instances.tie_patterns import (
    ClusterShape,
    PatternLayer,
    approx_largest,
    one_layer_more,
    propose_solution,
)
from exactformer.io.json_lines import JsonObject, PathLike, read_bytes, save_json, strict_json
from exactformer.io.untyped import JsonValue, Untyped

#: solutions kept for every number of layers and changes
KEPT = 6
#: how often a search begins anew instead of making longer what it has
ANEW = 0.15


@dataclass(frozen=True)
class KeptTie:
    """A pattern, its solution in floats, and the largest token at every layer."""

    pattern: tuple[PatternLayer, ...]
    solution: tuple[float, ...]
    largest: tuple[int, ...]

    @property
    def held(self) -> HeldTie:
        """How long it lasts, and how often the largest token changes."""
        return HeldTie(self.largest)

    def json(self) -> JsonObject:
        """As plain data; floats as hexadecimal text, which loses nothing."""
        pattern = [[list(layer.follows), list(layer.ties)] for layer in self.pattern]
        return {"pattern": pattern, "solution": [x.hex() for x in self.solution], "largest": list(self.largest)}

    @classmethod
    def read(cls, content: JsonValue) -> KeptTie:
        """What `json` wrote."""
        pattern = tuple(PatternLayer(tuple(follows), tuple(ties)) for follows, ties in content["pattern"])
        return cls(pattern, tuple(map(float.fromhex, content["solution"])), tuple(content["largest"]))


@dataclass
class TieSearch:
    """What has been found for one shape of cluster, and how many proposals it took."""

    shape: ClusterShape
    proposals: int = 0
    kept: dict[tuple[int, int], list[KeptTie]] = field(default_factory=dict)

    def advance(self, rng: Random) -> KeptTie | None:
        """One proposal: a pattern of the search made longer, or a new one; what came of it is kept."""
        self.proposals += 1
        before = self._chosen(rng)
        pattern, unknown = (
            one_layer_more(self.shape, [], None, rng)
            if before is None
            else one_layer_more(self.shape, before.pattern, np.array(before.solution), rng)
        )
        solution = propose_solution(self.shape, pattern, unknown)
        largest = None if solution is None else self._largest(pattern, solution)
        if solution is None or largest is None:
            return None
        found = KeptTie(tuple(pattern), tuple(solution.tolist()), largest)
        place = self.kept.setdefault((found.held.layers, found.held.changes), [])
        place.append(found)
        if len(place) > KEPT:
            place.pop(rng.randrange(len(place)))
        return found

    def _largest(self, pattern: Sequence[PatternLayer], solution: Untyped) -> tuple[int, ...] | None:
        """The largest token at every layer: of exact tokens where ties can be solved, else by floats."""
        if self.shape.targets is not None:
            return approx_largest(self.shape, pattern, solution)
        solved = solved_tokens(self.shape, pattern, solution)
        return None if solved is None else solved[1]

    def _chosen(self, rng: Random) -> KeptTie | None:
        """Something kept, long ties and changes being likelier; None to begin anew."""
        if not self.kept or rng.random() < ANEW:
            return None
        places = sorted(self.kept)
        weights = [(layers + 2 * changes) ** 3 for layers, changes in places]
        return rng.choice(self.kept[rng.choices(places, weights)[0]])

    def longest(self, least_changes: int = 0) -> HeldTie | None:
        """The longest tie with at least so many changes of the largest token, with as many as possible."""
        places = [place for place in self.kept if place[1] >= least_changes]
        return self.kept[max(places)][0].held if places else None

    def most_changes(self) -> HeldTie | None:
        """The tie with most changes, the longest of them."""
        places = sorted(self.kept, key=lambda place: (place[1], place[0]))
        return self.kept[places[-1]][0].held if places else None

    def joined(self, other: TieSearch) -> TieSearch:
        """What two searches for the same shape have found together."""
        places = sorted(self.kept.keys() | other.kept.keys())
        kept = {place: [*self.kept.get(place, ()), *other.kept.get(place, ())] for place in places}
        return TieSearch(self.shape, self.proposals + other.proposals, kept)

    def json(self) -> JsonObject:
        """As plain data."""
        kept = [tie.json() for place in self.kept.values() for tie in place]
        return {"shape": asdict(self.shape), "proposals": self.proposals, "kept": kept}


@dataclass
class TieCampaign:
    """Searches for several shapes, the seconds of CPU time spent on them, and the seed."""

    searches: list[TieSearch]
    seed: int = 0
    seconds: float = 0.0

    def run(self, seconds: float) -> Iterator[KeptTie]:
        """Searches by turns for so many seconds of CPU time, or some more to end a turn; yields what is found."""
        begun, before = time.process_time(), self.seconds
        while self.seconds < before + seconds:
            for search in self.searches:
                rng = Random(f"last case/{self.seed}/{search.shape}/{search.proposals}")
                found = search.advance(rng)
                if found is not None:
                    yield found
            self.seconds = before + time.process_time() - begun

    def joined(self, other: TieCampaign) -> TieCampaign:
        """The record of two campaigns with the same shapes and different seeds, which has the first one's seed."""
        shapes = [[search.shape for search in campaign.searches] for campaign in (self, other)]
        if shapes[0] != shapes[1] or self.seed == other.seed:
            raise InvalidInput(
                "expected campaigns with the same shapes and different seeds, got "
                f"{len(shapes[0])} and {len(shapes[1])} shapes, seeds {self.seed} and {other.seed}"
            )
        searches = [one.joined(two) for one, two in zip(self.searches, other.searches, strict=True)]
        return TieCampaign(searches, self.seed, self.seconds + other.seconds)

    def save(self, path: PathLike) -> Path:
        """Writes everything that `read` needs to go on."""
        searches = [search.json() for search in self.searches]
        return save_json({"ties": searches, "seed": self.seed, "seconds": round(self.seconds, 3)}, path)

    @classmethod
    def read(cls, path: PathLike) -> TieCampaign:
        """The campaign of a file; Malformed where it is none."""
        content = strict_json(read_bytes(path), str(path))
        try:
            searches = [_search(row) for row in content["ties"]]
            return cls(searches, int(content["seed"]), float(content["seconds"]))
        except (KeyError, TypeError, ValueError, IndexError) as problem:
            raise Malformed(f"{path}: expected a campaign as its `save` wrote it, got {problem!r:.80}") from problem


def _search(row: JsonValue) -> TieSearch:
    shape = ClusterShape(**(row["shape"] | {"alpha": Fraction(row["shape"]["alpha"])}))
    search = TieSearch(shape, int(row["proposals"]))
    for kept in map(KeptTie.read, row["kept"]):
        search.kept.setdefault((kept.held.layers, kept.held.changes), []).append(kept)
    return search
