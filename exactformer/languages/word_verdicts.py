"""Verdicts on words, on the coordinates that are read: one word by definition, or word after word along prefixes."""

from __future__ import annotations

from collections.abc import Sequence

from flint import fmpq

from exactformer.languages.effort import spend
from exactformer.languages.live_blocks import (
    FastNumber,
    LiveHead,
    LiveVector,
    SparseForm,
    height_of_rows,
    live_blocks,
    rational_of,
    value_of,
)
from exactformer.languages.recogniser import Periodic, Recogniser, WordVerdict
from exactformer.model.heads import TieRule, seen_positions
from exactformer.model.matrix import Row

#: how often as long the verdict of the recogniser itself takes, with every coordinate and Python's rationals
BY_DEFINITION = 10


class WordVerdicts:
    """The verdicts of one recogniser; words are lists of indices of letters.

    >>> r = Recogniser("ab", [[1], [-1]], [], [1])
    >>> WordVerdicts(r).of([0, 1]), WordVerdicts(r).of([])
    ('reject', 'zero')
    """

    def __init__(self, recogniser: Recogniser) -> None:
        self.recogniser = recogniser
        self.coordinates, self.blocks = live_blocks(recogniser)
        self._accept = tuple(enumerate(rational_of(a) for a in recogniser.accept if a))
        self._threshold = rational_of(recogniser.threshold)
        self._reads_length = any(reads_length(recogniser))
        self._tokens: dict[tuple[int, int, int], LiveVector] = {}

    def of(self, word: Sequence[int]) -> WordVerdict:
        """The verdict on a word, by definition."""
        r = self.recogniser
        kinds = [*([] if r.begin is None else [-1]), *word, *([] if r.end is None else [-2])]
        if not kinds:
            return self.of_the_empty_word
        rows = [self.token(kind, i, len(kinds)) for i, kind in enumerate(kinds)]
        at = 0 if r.at == "first" else len(rows) - 1
        for b, block in enumerate(self.blocks):
            fed = [block.feed(x) for x in rows]
            wanted = [at] if b == len(self.blocks) - 1 else range(len(rows))
            found = [_values_found(head, fed, wanted) for head in block.heads]
            rows = [block.carry(fed[i], [one[i] for one in found if i in one]) for i in wanted]
        return self.sign(rows[0] if self.blocks else rows[at])

    def steps(self, n: int) -> int:
        """The steps that the verdict on a word of n letters takes, about.

        Numbers are taken to be as long as on the word that has the longest letter twice, which is judged for it.
        """
        r, total = self.recogniser, 0
        rows = max(([self.token(kind, i, 2) for i in (0, 1)] for kind in range(len(r.letters))), key=_bits)
        for block in self.blocks:
            height = height_of_rows(rows)
            spend(2 * block.steps(height))
            scores = sum(5 + len(head.Q) for head in block.heads) * (height + height + block.growth).steps
            total += n * block.steps(height) + n * n * scores
            fed = [block.feed(x) for x in rows]
            found = [_values_found(head, fed, (0, 1)) for head in block.heads]
            rows = [block.carry(fed[i], [one[i] for one in found if i in one]) for i in (0, 1)]
        return total

    @property
    def of_the_empty_word(self) -> WordVerdict:
        """The verdict where there is no position."""
        return "zero" if self.recogniser.empty is None else "accept" if self.recogniser.empty else "reject"

    def token(self, kind: int, i: int, n: int) -> LiveVector:
        """The token of letter `kind`, of the begin mark (-1) or of the end mark (-2) at position i of n."""
        key = kind, i, n if self._reads_length else 0
        found = self._tokens.get(key)
        if found is None:
            r = self.recogniser
            x: Row | None = r.begin if kind == -1 else r.end if kind == -2 else r.tokens[kind]
            moved = r.with_features(x or (), i, n)
            found = self._tokens[key] = tuple(rational_of(moved[c]) for c in self.coordinates)
        return found

    def sign(self, x: LiveVector) -> WordVerdict:
        """The verdict of the token at the accepting position."""
        value = value_of(self._accept, x) - self._threshold
        return "accept" if value > 0 else "reject" if value < 0 else "zero"


def reads_length(recogniser: Recogniser) -> list[bool]:
    """Per feature, whether the length of the word occurs in it."""
    return [
        not isinstance(f, Periodic) and (f.numerator.reads_length or f.denominator.reads_length)
        for f in recogniser.features
    ]


def _bits(rows: list[LiveVector]) -> int:
    height = height_of_rows(rows)
    return height.above + height.below


class PrefixWalk:
    """A recogniser that reads the past only, on a word that grows and shrinks at its end: one column per letter."""

    def __init__(self, verdicts: WordVerdicts) -> None:
        self.verdicts = verdicts
        # per block and head the keys and the values of the positions so far
        self._columns: list[list[tuple[list[LiveVector], list[LiveVector]]]] = [
            [([], []) for _ in block.heads] for block in verdicts.blocks
        ]
        self._length = 0
        self.said = verdicts.of_the_empty_word if verdicts.recogniser.begin is None else self.push(-1)

    def push(self, kind: int) -> WordVerdict:
        """The verdict on the word with one more letter."""
        i = self._length
        x = self.verdicts.token(kind, i, i + 1)
        for block, columns in zip(self.verdicts.blocks, self._columns, strict=True):
            y = block.feed(x)
            found = []
            for head, (keys, values) in zip(block.heads, columns, strict=True):
                keys.append(_image(head.K, y))
                values.append(_image(head.V, y))
                seen = i + 1 if head.mask == "upto" else i
                if seen:
                    found.append(_value_chosen(_image(head.Q, y), keys, values, range(seen), head.ties))
            x = block.carry(y, found)
        self._length += 1
        return self.verdicts.sign(x)

    def pop(self) -> None:
        """Takes the last letter away."""
        self._length -= 1
        for columns in self._columns:
            for keys, values in columns:
                keys.pop()
                values.pop()


def _image(rows: tuple[SparseForm, ...], x: LiveVector) -> LiveVector:
    return tuple([value_of(row, x) for row in rows])


def _values_found(head: LiveHead, fed: list[LiveVector], wanted: Sequence[int]) -> dict[int, LiveVector]:
    """What the head finds at every position wanted that sees something."""
    keys, values = ([_image(m, y) for y in fed] for m in (head.K, head.V))
    found: dict[int, LiveVector] = {}
    known: dict[LiveVector, LiveVector] = {}
    for i in wanted:
        query, seen = _image(head.Q, fed[i]), seen_positions(head.mask, i, len(fed))
        if head.mask is None and query in known:  # without a mask all positions with this query follow the same ones
            found[i] = known[query]
        elif seen:
            found[i] = known[query] = _value_chosen(query, keys, values, seen, head.ties)
    return found


def _value_chosen(
    query: LiveVector, keys: list[LiveVector], values: list[LiveVector], seen: range, ties: TieRule
) -> LiveVector:
    """The mean of the values of the maximisers that the tie rule leaves."""
    scores = [sum([a * b for a, b in zip(query, keys[j], strict=True)]) for j in seen]
    top = max(scores)
    chosen = [j for j, score in zip(seen, scores, strict=True) if score == top]
    if ties != "all" or len(chosen) == 1:
        return values[chosen[-1 if ties == "last" else 0]]
    return tuple([_mean([values[j][c] for j in chosen]) for c in range(len(values[0]))])


def _mean(numbers: list[FastNumber]) -> FastNumber:
    total = sum(numbers)
    return total if total == 0 else fmpq(total) / len(numbers)
