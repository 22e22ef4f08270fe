"""B-RASP programs as recognisers: exact weights, one coordinate per vector, every value 0 or 1.

Each coordinate is written once. AND of k literals is relu(sum - (k - 1)), OR is 1 - relu(1 - sum).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from exactformer.errors import Declined
from exactformer.languages.effort import keep, spend
from exactformer.languages.programs import And, Attend, IsLetter, Not, Or, PairTerm, Program
from exactformer.languages.recogniser import Recogniser
from exactformer.model.feed_forward import FeedForward
from exactformer.model.heads import Head, MultiHeadAttention, MultiHeadBlock, TieRule
from exactformer.model.matrix import Sparse

#: the most vectors p with terms p(i) and q(j) in one score or value (there are 2^p patterns), and the most coordinates
MOST_QUERIES, MOST_COORDINATES = 8, 2_000
#: the most rows of matrices, blocks times coordinates; the most letters
MOST_ROWS, MOST_LETTERS = 250_000, 5_000

#: bytes of an exact number
_NUMBER = 110

#: coefficient, literals (coordinate, sign) and bias: coefficient * relu(sum of sign * x + bias)
_Unit = tuple[int, tuple[tuple[int, int], ...], int]
#: the coordinates of a bit of the query, and of the bit of the key that it meets
_Meeting = tuple[int, int]


def recogniser_of_program(program: Program) -> Recogniser:
    """The recogniser that accepts the words of a program and rejects the others; its value is always 1 or -1.

    >>> r = recogniser_of_program(Program(("a", "b"), (IsLetter("a"), Not(0))))
    >>> r.verdict("ab"), r.verdict("ba"), r.verdict("")
    ('accept', 'reject', 'reject')
    """
    if len(program.letters) > MOST_LETTERS:
        raise Declined(f"a program over {len(program.letters):,} letters; at most {MOST_LETTERS:,} are taken")
    spend(10 * program.size)
    keep(200 * program.size)
    weights = _Weights(len(program.vectors))
    for k, vector in enumerate(program.vectors):
        if isinstance(vector, Not):
            weights.write([(k, [_all_of([(vector.part, False)])])])
        elif isinstance(vector, And):
            weights.write([(k, [_all_of((p, True) for p in vector.parts)])])
        elif isinstance(vector, Or):
            weights.write([(k, _one_of(vector.parts))])
        elif isinstance(vector, Attend):
            weights.attend(k, vector)
    letter_of = [vector.letter if isinstance(vector, IsLetter) else None for vector in program.vectors]
    letter_of += [None] * (weights.dim - len(letter_of))
    spend(20 * len(program.letters) * weights.dim)
    keep(_NUMBER * len(program.letters) * weights.dim)
    tokens = [[int(found == letter) for found in letter_of] for letter in program.letters]
    accept = [2 * (c == len(program.vectors) - 1) for c in range(weights.dim)]
    return Recogniser(program.letters, tokens, weights.blocks(), accept, 1, at=program.at, empty=program.empty)


def _all_of(literals: Iterable[tuple[int, bool]]) -> _Unit:
    found = sorted(set(literals))
    return 1, tuple((c, 1 if positive else -1) for c, positive in found), 1 - sum(positive for _, positive in found)


def _one_of(coordinates: Iterable[int]) -> list[_Unit]:
    return [(1, (), 1), (-1, tuple((c, -1) for c in sorted(set(coordinates))), 1)]


class _Weights:
    """Layers in order; each is the rows of a feed-forward part, or a head as (attend, score, copies)."""

    def __init__(self, dim: int) -> None:
        self.dim = dim
        self._verify_dim()
        self.layers: list[list[tuple[int, list[_Unit]]] | tuple[Attend, list[_Meeting], dict[int, int]]] = []

    def new(self) -> int:
        self.dim += 1
        self._verify_dim()
        return self.dim - 1

    def _verify_dim(self) -> None:
        if self.dim > MOST_COORDINATES:
            raise Declined(f"the program needs more than {MOST_COORDINATES:,} coordinates; give a shorter one")

    def write(self, rows: list[tuple[int, list[_Unit]]]) -> None:
        """A layer that adds units to coordinates; a bit if at most one unit of a row is positive."""
        self.layers.append(rows)

    def attend(self, target: int, vector: Attend) -> None:
        """The layers of one attention: bits of query and key, the head, matched and value, the output.

        Exactly one pattern holds at i, so the score is the bit S(i, j), and the sums over patterns are bits. Where
        no visible j has S(i, j), no copied bit of the key meets its pattern: not matched.
        """
        rows: list[tuple[int, list[_Unit]]] = []
        score, value = (self._meetings(terms, rows) for terms in (vector.score, vector.value))
        if rows:
            self.write(rows)
        copies = {key: self.new() for _, key in (*score, *value)}
        self.layers.append((vector, score, copies))
        matched, found = self.new(), self.new()
        self.write(
            [
                (c, [_all_of([(query, True), (copies[key], True)]) for query, key in meetings])
                for c, meetings in ((matched, score), (found, value))
            ]
        )
        outputs = [_all_of([(matched, True), (found, True)]), _all_of([(matched, False), (vector.default, True)])]
        self.write([(target, outputs)])

    def _meetings(self, terms: Sequence[PairTerm], rows: list[tuple[int, list[_Unit]]]) -> list[_Meeting]:
        """Per pattern of the p's: the bit "it holds at i", and the OR of the q's whose p is on; adds their rows."""
        queries = sorted({p for p, _ in terms if p is not None})
        if len(queries) > MOST_QUERIES:
            raise Declined(
                f"a score or value with {len(queries)} vectors at i; at most {MOST_QUERIES} are compiled "
                f"(2^{MOST_QUERIES} patterns); name parts of it as vectors of their own"
            )
        found = []
        for pattern in range(1 << len(queries)):
            on = {p for bit, p in enumerate(queries) if pattern >> bit & 1}
            spend(2 * len(terms) + 10)
            keys = {q for p, q in terms if p is None or p in on}
            keep(400 + 250 * len(keys))
            if keys:
                query, key = self.new(), self.new()
                rows.append((query, [_all_of((p, p in on) for p in queries)]))
                rows.append((key, [(1, (), 1)] if None in keys else _one_of(q for q in keys if q is not None)))
                found.append((query, key))
        return found

    def blocks(self) -> list[MultiHeadBlock]:
        """The blocks; a head shares one with the feed-forward part before it."""
        if len(self.layers) * self.dim > MOST_ROWS:
            raise Declined(
                f"the program needs {len(self.layers):,} layers in {self.dim:,} coordinates; give a shorter one"
            )
        found: list[MultiHeadBlock] = []
        for layer in self.layers:
            if isinstance(layer, list):
                if any(units for _, units in layer):
                    found.append(MultiHeadBlock(self._feed_forward(layer), None))
                continue
            attention = MultiHeadAttention(1, [self._head(*layer)])
            free = bool(found) and found[-1].self_attention is None
            found.append(MultiHeadBlock(found.pop().feed_forward if free else None, attention))
        return found

    def _feed_forward(self, rows: list[tuple[int, list[_Unit]]]) -> FeedForward:
        spend(5 * (self.dim + sum(len(literals) for _, some in rows for _, literals, _ in some)))
        keep(150 * self.dim)
        units = [(target, *unit) for target, some in rows for unit in some]
        outputs: list[dict[int, int]] = [{} for _ in range(self.dim)]
        for k, (target, coefficient, _, _) in enumerate(units):
            outputs[target][k] = coefficient
        inputs = Sparse([dict(literals) for _, _, literals, _ in units], self.dim)
        return FeedForward(1, inputs, [bias for *_, bias in units], Sparse(outputs, len(units)))

    def _head(self, vector: Attend, score: list[_Meeting], copies: dict[int, int]) -> Head:
        outputs: list[dict[int, int]] = [{} for _ in range(self.dim)]
        for key, copy in copies.items():
            outputs[copy][key] = 1
        Q, K = (Sparse([{pair[side]: 1} for pair in score] or [{}], self.dim) for side in (0, 1))
        ties: TieRule = "first" if vector.side == "leftmost" else "last"
        return Head(Sparse(outputs, self.dim), Q, K, vector.mask, ties)
