"""Cases and domains (FORMAT.md, section 16, rules 4 and 7)."""

from collections.abc import Iterator, Sequence
from itertools import chain, product
from typing import NamedTuple

from ..core.budget import Budget
from ..core.certificate import Certificate
from ..core.lines import count, entries, exact_keys, has_key
from ..core.verdict import Json, well_formed
from .architecture import Architecture

TABLE = 4096  # classes on every line of a table but the last


class Case(NamedTuple):
    """An input; what is claimed about it stands beside it."""

    ids: Sequence[int]
    types: Sequence[int]


class Domain(NamedTuple):
    """A product of ranges of ids, and the class of every tuple: a table, or a sum modulo a number."""

    ranges: list[tuple[int, int]]
    table: list[int] | None
    factors: list[int]
    plus: int
    modulus: int

    def tuples(self, budget: Budget) -> int:
        """How many tuples there are; declined past the limit of operations, before their number is long."""
        found = 1
        for a, b in self.ranges:
            found *= b - a + 1
            budget.within(found, "operations")
        return found

    def classified(self) -> Iterator[tuple[tuple[int, ...], int]]:
        """The tuples in their lexicographic order, each with its class."""
        for place, ids in enumerate(product(*[range(a, b + 1) for a, b in self.ranges])):
            if self.table is None:
                yield ids, (self.plus + sum(c * i for c, i in zip(self.factors, ids))) % self.modulus
            else:
                yield ids, self.table[place]


def read_indices(value: Json, least: int, most: int, below: int) -> list[int]:
    """A list of so many indices below a bound."""
    well_formed(least <= len(entries(value)) <= most, f"expected {least} to {most} indices")
    return [count(i, 0, below) for i in value]


def read_case(file: Certificate, net: Architecture, number: int, *claimed: str) -> tuple[Case, list[Json]]:
    """The next case, which has this number, and the values of the keys of its claim."""
    keys = ["case", "ids", *(["types"] if net.types else []), *claimed]
    found = dict(zip(keys, file.lines.fields(*keys, subject=True)))
    well_formed(count(found["case"], 0) == number, f"expected case {number}")
    ids = read_indices(found["ids"], 1, net.positions, net.vocabulary)
    types = read_indices(found["types"], len(ids), len(ids), net.types) if net.types else []
    file.budget.hold(2 * len(ids) + 32, 64)
    return Case(ids, types), [found[key] for key in claimed]


def read_domain(file: Certificate, net: Architecture, number: int) -> Domain:
    """The next domain, which has this number, with its table if it has one."""
    index, ids, function = file.lines.fields("domain", "ids", "function", subject=True)
    well_formed(count(index, 0) == number, f"expected domain {number}")
    well_formed(len(entries(ids)) <= net.positions, f"at most {net.positions} tokens")
    ranges = [(count(a, 0, net.vocabulary), count(b, 0, net.vocabulary)) for a, b in [entries(x, 2) for x in ids]]
    well_formed(all(a <= b for a, b in ranges), "a range of ids ends before it begins")
    if has_key(function, "table"):
        lines = count(exact_keys(function, "table")["table"], 1)
        empty = Domain(ranges, [], [], 0, 1)
        return empty._replace(table=read_table(file, net, lines, empty.tuples(file.budget)))
    exact_keys(function, "sum", "plus", "mod")
    factors = [count(c, 0, 10**6) for c in entries(function["sum"], len(ranges))]
    plus, modulus = count(function["plus"], 0, 10**6), count(function["mod"], 1, net.classes + 1)
    return Domain(ranges, None, factors, plus, modulus)


def read_table(file: Certificate, net: Architecture, lines: int, tuples: int) -> list[int]:
    """The classes on so many lines of a table, one for every tuple."""
    well_formed(lines == -(-tuples // TABLE), f"{tuples} classes stand on {-(-tuples // TABLE)} lines")
    file.budget.hold(tuples, 64)
    parts = []
    for line in range(lines):
        index, classes = file.lines.fields("table", "argmax", subject=True)
        well_formed(count(index, 0) == line, f"expected line {line} of the table")
        length = TABLE if line < lines - 1 else tuples - TABLE * line
        parts.append(read_indices(classes, length, length, net.classes))
    return list(chain.from_iterable(parts))
