"""Recognisers: words to tokens, blocks with heads, and the sign at the first or last position as the verdict."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Literal

from exactformer.arithmetic.short_text import short_repr
from exactformer.arithmetic.text import Exact, NumberLike, exact, exact_row
from exactformer.display.verbs import Listed
from exactformer.errors import InvalidInput, NotExact
from exactformer.io.json_lines import JsonObject, PathLike
from exactformer.languages.automaton import Word, spell
from exactformer.model.heads import MultiHeadBlock, MultiHeadStep, run_blocks
from exactformer.model.matrix import Row, dot

#: what the sign at the accepting position says; zero is a verdict of its own
WordVerdict = Literal["accept", "reject", "zero"]
#: the largest exponent of a polynomial in i and N
MOST_EXPONENT = 32


@short_repr
@dataclass(frozen=True)
class Periodic:
    """The feature values[i mod m], added to one coordinate of position i, m the number of values."""

    coordinate: int
    values: Row

    def __init__(self, coordinate: int, values: Iterable[NumberLike]) -> None:
        object.__setattr__(self, "coordinate", coordinate)
        object.__setattr__(self, "values", exact_row(values, "period"))
        if not self.values:
            raise InvalidInput("expected a period of at least one value, got none")

    def at(self, i: int, n: int) -> Exact:
        """The value at position i of n."""
        return self.values[i % len(self.values)]


@short_repr
@dataclass(frozen=True)
class Polynomial:
    """sum of x i^a N^b over the terms (a, b) -> x."""

    terms: tuple[tuple[Exact, int, int], ...]

    def __init__(self, terms: Mapping[tuple[int, int], NumberLike]) -> None:
        found = tuple((exact(terms[e], "coefficient"), *e) for e in sorted(terms))
        object.__setattr__(self, "terms", found)
        if not found or any(not x or min(a, b) < 0 or max(a, b) > MOST_EXPONENT for x, a, b in found):
            raise InvalidInput(
                f"expected terms with nonzero coefficients and exponents from 0 to {MOST_EXPONENT}, got {dict(terms)}"
            )

    def at(self, i: int, n: int) -> Exact:
        """The value for i and N = n.

        >>> Polynomial({(1, 0): 2, (0, 1): 1}).at(3, 5)
        Fraction(11, 1)
        """
        return sum((x * i**a * n**b for x, a, b in self.terms), Fraction(0))

    @property
    def reads_length(self) -> bool:
        """Whether N occurs."""
        return any(b for _, _, b in self.terms)


@short_repr
@dataclass(frozen=True)
class Ratio:
    """The feature P(i, N) / D(i, N), added to one coordinate; i counts from 0 and N is the length, both with marks."""

    coordinate: int
    numerator: Polynomial
    denominator: Polynomial

    def at(self, i: int, n: int) -> Exact:
        """The value at position i of n; InvalidInput where the denominator vanishes."""
        below = self.denominator.at(i, n)
        if not below:
            raise InvalidInput(
                f"the feature of coordinate {self.coordinate}: the denominator vanishes at position {i} of {n}; "
                "choose one that is not zero where words have positions"
            )
        return self.numerator.at(i, n) / below


Feature = Periodic | Ratio


@dataclass(frozen=True)
class Recogniser(Listed):
    """The map word -> sign of <accept, x> - threshold at the first or last position after all blocks.

    Letters become `tokens`, with marks `begin` and `end` around them if there are any, and features added. Without
    marks the empty word has no position; its verdict is `empty` (None: zero). `zero` says whether an output that is
    exactly 0 counts as rejected or as neither.

    >>> from exactformer.model.heads import Head, MultiHeadAttention
    >>> first = Head({"scalar": 1}, {"zero": True}, {"zero": True}, ties="first")
    >>> r = Recogniser("ab", [[1], [-1]], [MultiHeadBlock(None, MultiHeadAttention(0, [first]))], [1])
    >>> r.verdict("abb"), r.verdict("ba"), r.verdict("")
    ('accept', 'reject', 'zero')
    """

    letters: tuple[str, ...]
    tokens: tuple[Row, ...]
    blocks: tuple[MultiHeadBlock, ...]
    accept: Row
    threshold: Exact = Fraction(0)
    at: Literal["first", "last"] = "last"
    begin: Row | None = None
    end: Row | None = None
    features: tuple[Feature, ...] = ()
    zero: Literal["rejected", "neither"] = "neither"
    empty: bool | None = None

    def __init__(
        self,
        letters: Iterable[str],
        tokens: Iterable[Iterable[NumberLike]],
        blocks: Iterable[MultiHeadBlock],
        accept: Iterable[NumberLike],
        threshold: NumberLike = 0,
        *,
        at: Literal["first", "last"] = "last",
        begin: Iterable[NumberLike] | None = None,
        end: Iterable[NumberLike] | None = None,
        features: Iterable[Feature] = (),
        zero: Literal["rejected", "neither"] = "neither",
        empty: bool | None = None,
    ) -> None:
        put = object.__setattr__
        put(self, "letters", tuple(letters))
        put(self, "tokens", tuple(exact_row(x, f"token {k}") for k, x in enumerate(tokens)))
        put(self, "blocks", tuple(blocks))
        put(self, "accept", exact_row(accept, "accept"))
        put(self, "threshold", exact(threshold, "threshold"))
        put(self, "at", at)
        put(self, "begin", None if begin is None else exact_row(begin, "begin"))
        put(self, "end", None if end is None else exact_row(end, "end"))
        put(self, "features", tuple(features))
        put(self, "zero", zero)
        put(self, "empty", empty)
        self._verify()

    def _verify(self) -> None:
        if not self.letters or len(set(self.letters)) < len(self.letters) or not all(self.letters):
            raise InvalidInput(f"expected letters that differ and are not empty, got {list(self.letters)!r:.80}")
        if len(self.tokens) != len(self.letters):
            raise InvalidInput(f"expected one token per letter ({len(self.letters)}), got {len(self.tokens)}")
        if self.at not in ("first", "last"):
            raise InvalidInput(f'expected a position of the verdict, "at" first or last, got {self.at!r:.60}')
        if self.zero not in ("rejected", "neither"):
            raise InvalidInput(f'expected what an output of 0 is, "zero" rejected or neither, got {self.zero!r:.60}')
        marks = [mark for mark in (self.begin, self.end) if mark is not None]
        if {len(x) for x in (*self.tokens, *marks)} != {self.dim} or not self.dim:
            raise InvalidInput(f"expected tokens and marks of the dimension {self.dim} of the accepting vector")
        if any(not 0 <= f.coordinate < self.dim for f in self.features):
            raise InvalidInput(f"expected features of coordinates 0 to {self.dim - 1}")
        if marks and self.empty is not None:
            raise InvalidInput("expected no verdict of its own for the empty word: with a mark it has a position")
        for k, block in enumerate(self.blocks):
            block.verify_shape(self.dim, f"block {k}")

    @property
    def dim(self) -> int:
        """The dimension of the tokens."""
        return len(self.accept)

    def json(self) -> JsonObject:
        """The sizes; the weights themselves are in the file that `save` writes."""
        heads = sum(len(block.heads) for block in self.blocks)
        return {"letters": list(self.letters), "dim": self.dim, "blocks": len(self.blocks), "heads": heads}

    def __repr__(self) -> str:
        heads = sum(len(block.heads) for block in self.blocks)
        return f"Recogniser(over {spell(self.letters)!r}, dim={self.dim}, {len(self.blocks)} blocks, {heads} heads)"

    def embed(self, word: Word) -> list[Row]:
        """The tokens of a word with its marks and features; InvalidInput where a letter is none of its own."""
        number = {letter: k for k, letter in enumerate(self.letters)}
        for i, letter in enumerate(word):
            if letter not in number:
                raise InvalidInput(f"position {i}: expected a letter of {spell(self.letters)!r}, got {letter!r}")
        rows = [self.tokens[number[letter]] for letter in word]
        rows = [*([] if self.begin is None else [self.begin]), *rows, *([] if self.end is None else [self.end])]
        return [self.with_features(x, i, len(rows)) for i, x in enumerate(rows)]

    def with_features(self, x: Row, i: int, n: int) -> Row:
        """The token x at position i of n with the features added."""
        moved = list(x)
        for feature in self.features:
            moved[feature.coordinate] += feature.at(i, n)
        return tuple(moved)

    def steps(self, word: Word) -> Iterator[MultiHeadStep]:
        """The tokens after every block, and whom every head follows, by definition."""
        return run_blocks(self.blocks, self.embed(word))

    def value(self, word: Word) -> Exact | None:
        """<accept, x> - threshold at the accepting position; None where the word has no position.

        Raises NotExact where a number is not rational: signs of algebraic numbers are not decided here.
        """
        rows: list[Row] | list[list[Exact]] = self.embed(word)
        for step in run_blocks(self.blocks, rows):
            rows = step.outputs
        if not rows:
            return None
        value: Exact = dot(self.accept, rows[0 if self.at == "first" else -1]) - self.threshold
        if not isinstance(value, Fraction):
            raise NotExact(f"expected a rational value, got {value}; give rational weights")
        return value

    def verdict(self, word: Word) -> WordVerdict:
        """accept, reject, or zero, which is a verdict of its own."""
        value = self.value(word)
        if value is None:
            return "zero" if self.empty is None else "accept" if self.empty else "reject"
        return "accept" if value > 0 else "reject" if value < 0 else "zero"

    def accepts(self, word: Word) -> bool:
        """Whether the verdict is accept; the verdict zero is not."""
        return self.verdict(word) == "accept"

    def is_wrong(self, verdict: WordVerdict, member: bool) -> bool:
        """Whether a verdict contradicts membership; zero does so unless it counts as rejected."""
        if verdict == "zero":
            return member or self.zero == "neither"
        return (verdict == "accept") != member

    @classmethod
    def read(cls, path: PathLike) -> Recogniser:
        """The recogniser of a recogniser file."""
        from exactformer.languages.recogniser_files import read_recogniser

        return read_recogniser(path)

    def save(self, path: PathLike) -> Path:
        """Writes a recogniser file."""
        from exactformer.languages.recogniser_files import write_recogniser

        write_recogniser(self, path)
        return Path(path)
