"""What one head would choose among a list of positions, for every query that can occur."""

from __future__ import annotations

from exactformer.errors import Declined, proof_at
from exactformer.geometry.points import dot
from exactformer.languages.effort import keep, spend
from exactformer.languages.live_blocks import FastNumber, Height, LiveHead, LiveVector

#: of a summary, per query: nothing is visible, or (score, number of the value)
SummaryEntry = tuple[FastNumber, int] | None
Summary = tuple[SummaryEntry, ...]
#: the value of tied positions whose values differ: a mean, which further ties keep
MIXED = -1
#: bytes of a step from summary to summary, and of an entry of a summary
_LINK, _ENTRY = 200, 90


class HeadTable:
    """The queries and the pairs (key, value) of one head, and the summaries that pairs make of the empty one.

    Summaries hold values, not positions: that keeps them few. `guesses` are, for a head that sees what comes later,
    all summaries that pairs can make, and `predecessors[g, p]` those that g is after pair p was added on the left.
    """

    def __init__(self, head: LiveHead, most: int) -> None:
        self.head, self.most = head, most
        self.is_past, self.is_whole = head.mask in ("before", "upto"), head.mask is None
        self.queries: dict[LiveVector, int] = {}
        self.values: dict[LiveVector, int] = {}
        self.pairs: dict[tuple[LiveVector, int], int] = {}
        self.summaries: list[Summary] = []
        self._number: dict[Summary, int] = {}
        self._extended: dict[tuple[int, int, bool], int] = {}
        self.guesses = range(0)
        self.predecessors: dict[tuple[int, int], list[int]] = {}

    def note(self, query: LiveVector, key: LiveVector, value: LiveVector) -> tuple[int, int]:
        """The numbers of a query and of a pair, which may be new."""
        v = self.values.setdefault(value, len(self.values))
        return self.queries.setdefault(query, len(self.queries)), self.pairs.setdefault((key, v), len(self.pairs))

    def close(self, height: Height) -> None:
        """All queries and pairs, of that height, are known: score them; close the guesses under one more position."""
        scores = len(self.queries) * len(self.pairs)
        spend(scores * (5 + len(self.head.Q)) * (height + height).steps)
        keep(scores * (height + height).size)
        self._scores = [[dot(query, key) for query in self.queries] for key, _ in self.pairs]
        self._value_of_pair = [v for _, v in self.pairs]
        self.vectors = list(self.values)
        self._intern((None,) * len(self.queries))
        if self.is_past:
            return
        at = 0
        while at < len(self.summaries):
            keep(_LINK * len(self.pairs))
            for p in range(len(self.pairs)):
                self.predecessors.setdefault((self.extended(at, p, right=self.is_whole), p), []).append(at)
            at += 1
        self.guesses = range(len(self.summaries))

    def extended(self, s: int, p: int, *, right: bool) -> int:
        """The summary with one more position at its right or left end."""
        key = s, p, right
        found = self._extended.get(key)
        if found is None:
            spend(10 + 4 * len(self.queries))
            keep(_LINK)
            scores, value = self._scores[p], self._value_of_pair[p]
            wins = self.head.ties == ("last" if right else "first")
            entries = (self._one(e, x, value, wins) for e, x in zip(self.summaries[s], scores, strict=True))
            found = self._extended[key] = self._intern(tuple(entries))
        return found

    def _one(self, entry: SummaryEntry, score: FastNumber, value: int, wins: bool) -> SummaryEntry:
        if entry is None or score > entry[0]:
            return score, value
        if score < entry[0]:
            return entry
        if self.head.ties == "all":
            return entry if entry[1] == value else (score, MIXED)
        return (score, value) if wins else entry

    def _intern(self, summary: Summary) -> int:
        number = self._number.setdefault(summary, len(self.summaries))
        if number == len(self.summaries):
            keep(_LINK + _ENTRY * len(summary))
            self.summaries.append(summary)
            if number >= self.most:
                raise Declined(
                    f"more than {self.most:,} summaries of one head: too many to prove all lengths; try `up_to` n"
                )
        return number

    def looked_up(self, s: int, query: int) -> int | None:
        """The number of the value chosen, None where nothing is visible; Declined where it is a mean."""
        entry = self.summaries[s][query]
        if entry is None:
            return None
        if entry[1] == MIXED:
            raise Declined(
                "tied positions with different values are averaged, which may give infinitely many values: "
                f"no proof for all lengths ({proof_at('languages#theorem-1')}); try `up_to` n, or ties first or last"
            )
        return entry[1]
