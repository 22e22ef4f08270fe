"""The blocks of a recogniser on the coordinates that are still read, with sparse rows of integers or FLINT rationals.

A coordinate that no later block and no verdict reads cannot change an answer, so tokens are kept without it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import isqrt, lcm
from typing import Any, TypeAlias

from flint import fmpq

from exactformer.arithmetic.text import Exact
from exactformer.errors import NotExact
from exactformer.languages.effort import keep, spend
from exactformer.languages.recogniser import Recogniser
from exactformer.model.feed_forward import FeedForward
from exactformer.model.heads import Head, Mask, MultiHeadBlock, TieRule
from exactformer.model.matrix import Matrix, Outer, Scalar, Sparse, Zero, score_height

#: an int where the number is one, else a FLINT rational; both compare, hash and add as numbers do
FastNumber: TypeAlias = Any
#: a vector on some coordinates
LiveVector = tuple[FastNumber, ...]
#: the entries of a row that are not zero, by the place of the column among the coordinates kept
SparseForm = tuple[tuple[int, FastNumber], ...]
#: per row of a matrix its nonzero entries by column
SparseRows = list[list[tuple[int, FastNumber]]]
#: from so many bits on, a common denominator is not computed further, but bounded
_LONG = 20_000
#: bytes of an entry of a form
_ENTRY = 130


def rational_of(x: Exact) -> FastNumber:
    """The number as an int or a FLINT rational; NotExact where it is not rational."""
    if not isinstance(x, Fraction):
        raise NotExact(f"expected rational weights, got {x}")
    return x.numerator if x.denominator == 1 else fmpq(x.numerator, x.denominator)


def value_of(form: SparseForm, x: LiveVector) -> FastNumber:
    """The linear form on a vector."""
    return sum([a * x[c] for c, a in form])


@dataclass(frozen=True)
class Height:
    """Bits of the largest numerator, of a common denominator (none for integers), and of the longest number alone."""

    above: int = 0
    below: int = 0
    alone: int = 0

    def __add__(self, other: Height) -> Height:
        """The height of products."""
        return Height(self.above + other.above, self.below + other.below, self.alone + other.alone)

    @property
    def steps(self) -> int:
        """The steps of adding one more number to a sum: long times short, or where both are long by fast products.

        Sums of rationals are reduced, which takes about eight times as long.
        """
        words, short = (self.above + self.below) >> 6, 1 + (self.alone >> 6)
        return 1 + words * min(short, isqrt(words) * (8 if self.below else 1)) // 4

    @property
    def size(self) -> int:
        """Bytes of a number."""
        return 40 + (self.above + self.below) // 8


def height_of(numbers: Iterable[FastNumber]) -> Height:
    """The height of some numbers, or a bound for it.

    >>> height_of([3, fmpq(1, 2), fmpq(5, 4)])
    Height(above=3, below=3, alone=6)
    """
    below, more, above, alone = 1, 0, 0, 0
    for x in numbers:
        if isinstance(x, int):
            above = max(above, x.bit_length())
            continue
        above = max(above, int(x.p).bit_length())
        alone = max(alone, int(x.p).bit_length() + int(x.q).bit_length())
        if below.bit_length() < _LONG:
            below = lcm(below, int(x.q))
        else:
            more += int(x.q).bit_length()
    return Height(above, 0 if below == 1 else below.bit_length() + more, max(alone, above))


def height_of_rows(rows: Iterable[LiveVector]) -> Height:
    """The largest height of a vector among some, in numerators and denominators."""
    heights = [height_of(x) for x in rows]
    return Height(
        max((h.above for h in heights), default=0),
        max((h.below for h in heights), default=0),
        max((h.alone for h in heights), default=0),
    )


@dataclass(frozen=True)
class LiveHead:
    """Query, key and value of a head as forms on the coordinates between feed-forward and attention."""

    mask: Mask
    ties: TieRule
    Q: tuple[SparseForm, ...]
    K: tuple[SparseForm, ...]
    V: tuple[SparseForm, ...]


@dataclass(frozen=True)
class LiveBlock:
    """A block from the coordinates it reads to those that are read after it.

    `units` and `bias` are the hidden units in use, `outputs` per coordinate the place it is carried from (None: not)
    and its units; `carried` per coordinate after the block its place before attention.
    """

    eta: FastNumber
    units: tuple[tuple[SparseForm, FastNumber], ...]
    outputs: tuple[tuple[int | None, SparseForm], ...]
    rho: FastNumber
    carried: tuple[int | None, ...]
    heads: tuple[LiveHead, ...]

    @cached_property
    def _stages(self) -> list[tuple[int, Height]]:
        """Units, outputs, values, queries, keys: their entries and rows, and by how much they make numbers grow."""
        parts: list[tuple[list[SparseForm], list[FastNumber]]] = [
            ([form for form, _ in self.units], [b for _, b in self.units]),
            ([form for _, form in self.outputs], [self.eta]),
            ([row for head in self.heads for row in head.V], [self.rho]),
            ([row for head in self.heads for row in head.Q], []),
            ([row for head in self.heads for row in head.K], []),
        ]
        return [
            (sum(2 + len(form) for form in forms), height_of([*more, *(x for form in forms for _, x in form)]))
            for forms, more in parts
        ]

    @cached_property
    def growth(self) -> Height:
        """By how much numbers grow at most, scores included."""
        return sum((height for _, height in self._stages), Height())

    def steps(self, height: Height) -> int:
        """The steps of one token of that height, apart from the search for maximisers."""
        total = len(self.carried)
        for size, more in self._stages:
            height += more
            total += size * height.steps
        return total

    def feed(self, x: LiveVector) -> LiveVector:
        """The feed-forward part."""
        if not self.units and self.eta == 1:
            return tuple([0 if place is None else x[place] for place, _ in self.outputs])
        hidden = tuple([max(0, value_of(form, x) + b) for form, b in self.units])
        return tuple(
            [(self.eta * x[place] if place is not None else 0) + value_of(form, hidden) for place, form in self.outputs]
        )

    def carry(self, y: LiveVector, values: Iterable[LiveVector]) -> LiveVector:
        """rho y + the values that the heads found."""
        total = [0 if place is None else self.rho * y[place] for place in self.carried]
        for value in values:
            total = [a + b for a, b in zip(total, value, strict=True)]
        return tuple(total)


def live_blocks(recogniser: Recogniser, *, whole: bool = False) -> tuple[list[int], list[LiveBlock]]:
    """The coordinates that the first block reads, and all blocks on the coordinates that are read; `whole`: on all."""
    everything = list(range(recogniser.dim))
    live = everything if whole else [c for c, a in enumerate(recogniser.accept) if a]
    found = []
    for block in reversed(recogniser.blocks):
        live, compiled = _live_block(block, live, recogniser.dim, everything if whole else [])
        found.append(compiled)
    return live, found[::-1]


def _live_block(block: MultiHeadBlock, after: list[int], dim: int, kept: list[int]) -> tuple[list[int], LiveBlock]:
    """The coordinates that a block reads, given those read after it and those kept anyway, and the block on them."""
    sa, ff = block.self_attention, block.feed_forward
    spend(10 * (dim + block.parameters))
    keep(_ENTRY * (dim * (1 + 3 * len(block.heads)) + block.parameters))
    rho = 1 if sa is None else rational_of(sa.rho)
    heads = [_rows_of_head(head, after, dim) for head in block.heads]
    middle = sorted(
        {c for rows in heads for m in rows for row in m for c, _ in row} | set(after if rho else []) | set(kept)
    )
    all_W, all_U = ([[] for _ in range(dim)], []) if ff is None else _feed_forward_rows(ff, dim)
    W = [all_W[c] for c in middle]
    used = sorted({k for row in W for k, _ in row})
    U = [all_U[k] for k in used]
    eta = 1 if ff is None else rational_of(ff.eta)
    before = sorted({c for row in U for c, _ in row} | set(middle if eta else []) | set(kept))
    bias = [] if ff is None else [rational_of(ff.b[k]) for k in used]
    at_before, at_middle, at_used = (_places(some) for some in (before, middle, used))
    return before, LiveBlock(
        eta,
        tuple((_placed(row, at_before), b) for row, b in zip(U, bias, strict=True)),
        tuple((at_before[c] if eta else None, _placed(row, at_used)) for c, row in zip(middle, W, strict=True)),
        rho,
        tuple(at_middle[c] if rho else None for c in after),
        tuple(
            LiveHead(head.mask, head.ties, *(tuple(_placed(row, at_middle) for row in m) for m in rows))
            for head, rows in zip(block.heads, heads, strict=True)
        ),
    )


def _feed_forward_rows(ff: FeedForward, dim: int) -> tuple[SparseRows, SparseRows]:
    return _rows(ff.W, dim, ff.width), _rows(ff.U, ff.width, dim)


def _rows_of_head(head: Head, after: list[int], dim: int) -> list[SparseRows]:
    """Q, K and the rows of V that write what is read afterwards."""
    height = score_height(head.Q, head.K, dim)
    V = _rows(head.V, dim, dim)
    return [_rows(head.Q, height, dim), _rows(head.K, height, dim), [V[c] for c in after]]


def _rows(m: Matrix, height: int, columns: int) -> SparseRows:
    """The nonzero entries of every row."""
    if isinstance(m, Zero):
        return [[] for _ in range(height)]
    if isinstance(m, Scalar):
        c = rational_of(m.c)
        return [[(k, c)] if c else [] for k in range(columns)]
    if isinstance(m, Outer):
        return _rows_of_outer(m)
    rows: Iterable[Iterable[tuple[int, Exact]]] = (
        m.rows if isinstance(m, Sparse) else (enumerate(row) for row in m.dense(height, columns))
    )
    return [[(c, rational_of(x)) for c, x in row if x] for row in rows]


def _rows_of_outer(m: Outer) -> SparseRows:
    """All products of an entry of the column with one of the row: many more than the matrix stores."""
    column = [rational_of(c) for c in m.column]
    row = [(k, rational_of(r)) for k, r in enumerate(m.row) if r]
    entries, height = sum(1 for c in column if c) * len(row), height_of(column) + height_of(r for _, r in row)
    spend(entries * height.steps)
    keep(entries * (_ENTRY + height.size))
    return [[(k, c * r) for k, r in row] if c else [] for c in column]


def _places(coordinates: Sequence[int]) -> dict[int, int]:
    return {c: k for k, c in enumerate(coordinates)}


def _placed(row: Sequence[tuple[int, FastNumber]], places: Mapping[int, int]) -> SparseForm:
    return tuple((places[c], x) for c, x in row)
