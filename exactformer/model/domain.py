"""Finite domains of inputs of a network, with the class that each should have: sums modulo p, words, rows of a file."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby
from math import prod

import numpy as np
from numpy.typing import NDArray

from exactformer.errors import InvalidInput, Malformed
from exactformer.io.json_lines import PathLike, read_bytes
from exactformer.model.network import Network

Integers = NDArray[np.int64]

#: the most ids of all inputs of a domain together
MOST_IDS = 50_000_000


@dataclass(frozen=True)
class SumModulo:
    """ids -> (plus + sum of factors[i] ids[i]) mod modulus."""

    factors: tuple[int, ...]
    plus: int
    modulus: int


@dataclass(frozen=True)
class DomainPart:
    """Inputs of one length, one per row of `ids`, their classes, and their places in the domain.

    `ranges` are given where the rows are the product of these ranges of ids, ends included, in lexicographic order;
    `rule` where the classes are such a sum.
    """

    ids: Integers
    labels: Integers
    places: Integers
    ranges: tuple[tuple[int, int], ...] | None = None
    rule: SumModulo | None = None


@dataclass(frozen=True)
class Domain:
    """Inputs and the class that each should have, in an order; those of equal length stand together in parts.

    >>> found = Domain.sum_modulo(3)
    >>> found.name, len(found), found.parts[0].ids[5].tolist(), int(found.parts[0].labels[5])
    ('sum-mod:3', 9, [1, 2, 3], 0)
    """

    name: str
    parts: tuple[DomainPart, ...]

    def __len__(self) -> int:
        return sum(len(part.ids) for part in self.parts)

    @staticmethod
    def sum_modulo(p: int) -> Domain:
        """All pairs a, b modulo p as the ids a, b, p, with the class (a + b) mod p."""
        if p < 2:
            raise InvalidInput(f"sum-mod: expected a modulus >= 2, got {p}")
        ranges, rule = ((0, p - 1), (0, p - 1), (p, p)), SumModulo((1, 1, 0), 0, p)
        ids = product_of(ranges)
        return Domain(
            f"sum-mod:{p}", (DomainPart(ids, (ids[:, 0] + ids[:, 1]) % p, np.arange(len(ids)), ranges, rule),)
        )

    @staticmethod
    def of_words(
        name: str, letters: int, most: int, classes: Callable[[int], Integers], begin: int | None = None
    ) -> Domain:
        """All words up to so many letters, with the ids 0, 1, .. after `begin` if it is given; shorter words first.

        classes(n) are those of the words of n letters in lexicographic order. Without `begin` there is no empty word.
        """
        first = 0 if begin is not None else 1
        if most < first:
            raise InvalidInput(f"strings: expected words of at least {first} letters, got {most}")
        verify_count(sum(letters**n * (n + 1) for n in range(first, most + 1)))
        parts, at = [], 0
        for n in range(first, most + 1):
            ranges = (*(() if begin is None else ((begin, begin),)), *((0, letters - 1),) * n)
            ids = product_of(ranges)
            parts.append(DomainPart(ids, classes(n), at + np.arange(len(ids)), ranges))
            at += len(ids)
        return Domain(name, tuple(parts))

    @staticmethod
    def of_rows(name: str, rows: Iterable[tuple[Sequence[int], int]]) -> Domain:
        """The inputs of a list of (ids, class), which may have different lengths and repeat.

        >>> [part.ids.tolist() for part in Domain.of_rows("two", [([0, 1], 1), ([2], 0)]).parts]
        [[[2]], [[0, 1]]]
        """
        listed = [(list(ids), label, place) for place, (ids, label) in enumerate(rows)]
        if not listed:
            raise InvalidInput(f"{name}: expected at least one input, got none")
        empty = [place for ids, _, place in listed if not ids]
        if empty:
            raise InvalidInput(f"{name}: expected at least one id, got none in input {empty[0]}")
        listed.sort(key=lambda row: (len(row[0]), row[2]))
        parts = []
        for _, group in groupby(listed, key=lambda row: len(row[0])):
            same = list(group)
            ids, labels, places = (np.array(column, np.int64) for column in zip(*same, strict=True))
            parts.append(DomainPart(ids, labels, places))
        return Domain(name, tuple(parts))

    @staticmethod
    def read(path: PathLike) -> Domain:
        """The domain of a CSV file with rows id1,..,idn,label and no header."""
        try:
            lines = read_bytes(path).decode("utf-8").splitlines()
        except UnicodeDecodeError:
            raise Malformed(f"{path}: expected a text file with rows id1,..,idn,label, got other bytes") from None
        rows = [_row(line, f"{path}, line {k}") for k, line in enumerate(lines, 1) if line.strip()]
        return Domain.of_rows(str(path), rows)

    def verify_for(self, network: Network) -> None:
        """Raises InvalidInput, naming the first input that the network cannot read or whose class it does not have."""
        shape = network.architecture
        for part in self.parts:
            n = part.ids.shape[1]
            if n > shape.positions:
                self._refuse(part, 0, f"at most {shape.positions} ids", f"{n}")
            for array, bound, what in (
                (part.ids, shape.vocabulary, "ids"),
                (part.labels[:, None], shape.classes, "a class"),
            ):
                wrong = np.argwhere((array < 0) | (array >= bound))
                if len(wrong):
                    row, column = wrong[0]
                    self._refuse(part, int(row), f"{what} from 0 to {bound - 1}", str(array[row, column]))

    def _refuse(self, part: DomainPart, row: int, expected: str, got: str) -> None:
        ids = part.ids[row].tolist()
        raise InvalidInput(
            f"{self.name}, input {part.places[row]} with ids {ids[:12]}: expected {expected}, got {got}; "
            "the domain does not fit this network"
        )


def domain_of(given: Domain | PathLike) -> Domain:
    """The domain itself, or that of "sum-mod:p" or of the CSV file at a path.

    >>> len(domain_of("sum-mod:5"))
    25
    """
    if isinstance(given, Domain):
        return given
    kind, _, rest = str(given).partition(":")
    if kind == "strings":
        raise InvalidInput("strings need a language: give exactformer.languages.words(letters, n, language)")
    if kind != "sum-mod":
        return Domain.read(given)
    if not rest.isascii() or not rest.isdigit() or len(rest) > 9:
        raise InvalidInput(f"expected sum-mod:p with an integer p, got {given!r:.60}")
    return Domain.sum_modulo(int(rest))


def product_of(ranges: Sequence[tuple[int, int]]) -> Integers:
    """The tuples of a product of ranges, ends included, in lexicographic order, one per row."""
    verify_count(len(ranges) * prod(b - a + 1 for a, b in ranges))
    axes = np.meshgrid(*(np.arange(a, b + 1) for a, b in ranges), indexing="ij")
    return np.stack([axis.ravel() for axis in axes], axis=1)


def verify_count(ids: int) -> None:
    """Raises InvalidInput where the inputs of a domain have too many ids together."""
    if ids > MOST_IDS:
        raise InvalidInput(
            f"expected a domain of at most {MOST_IDS} ids in all its inputs, got {ids}; take a smaller one"
        )


def _row(line: str, where: str) -> tuple[list[int], int]:
    fields = [field.strip() for field in line.split(",")]
    for k, field in enumerate(fields, 1):
        if not field.isascii() or not field.isdigit() or len(field) > 9:
            raise Malformed(f"{where}, field {k}: expected an id or a class, an integer >= 0, got {field!r:.40}")
    if len(fields) < 2:
        raise Malformed(f"{where}: expected id1,..,idn,label, got one field")
    *ids, label = map(int, fields)
    return ids, label
