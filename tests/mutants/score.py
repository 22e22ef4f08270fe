"""Scores of tests against mutants: seen of tried, with an interval, per room and overall."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import NamedTuple

#: the quantile of the normal distribution for 95 %
Z = 1.959963984540054
#: what the tests should reach: overall, and in every room as far as the sample can tell
OVERALL, ROOM = 0.92, 0.88


class Score(NamedTuple):
    """How many mutants of a room were tried, and how many of them a test saw."""

    room: str
    seen: int
    tried: int

    @property
    def interval(self) -> tuple[float, float]:
        """The 95 % interval of Wilson for the share that is seen; (0, 1) where nothing was tried."""
        if not self.tried:
            return 0.0, 1.0
        share, n = self.seen / self.tried, self.tried
        centre, shrink = share + Z * Z / (2 * n), 1 + Z * Z / n
        half = Z * math.sqrt(share * (1 - share) / n + Z * Z / (4 * n * n))
        return max(0.0, (centre - half) / shrink), min(1.0, (centre + half) / shrink)

    def line(self) -> str:
        """The score as a line of the table."""
        low, high = self.interval
        share = f"{100 * self.seen / self.tried:5.1f} %" if self.tried else "      -"
        return f"{self.room:<28}{self.seen:>5} /{self.tried:>5}  {share}   {100 * low:5.1f} to {100 * high:5.1f} %"


def room_of(file: str) -> str:
    """The room of a file: its folder in the package, or the study, or the package itself."""
    folders = file.split("/")[:-1]
    inner = folders[1:] if folders[0] == "exactformer" else folders
    return "/".join(inner[:2] if inner[:1] in (["studies"], ["proofs_check"]) else inner[:1]) or folders[0]


def scores(results: Iterable[tuple[str, bool]]) -> list[Score]:
    """One score per room from (file, whether a test saw the mutant), in the order of the rooms' names."""
    rooms: dict[str, list[bool]] = {}
    for file, seen in results:
        rooms.setdefault(room_of(file), []).append(seen)
    return [Score(room, sum(seen), len(seen)) for room, seen in sorted(rooms.items())]


def failings(overall: Score, rooms: Sequence[Score]) -> list[str]:
    """What falls short of the goal."""
    found = [f"{r.room}: the whole interval lies below {ROOM:.0%}" for r in rooms if r.interval[1] < ROOM]
    if overall.seen < OVERALL * overall.tried:
        found.insert(0, f"overall: below {OVERALL:.0%}")
    return found
