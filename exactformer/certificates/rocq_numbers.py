"""Literals of a certificate as Rocq text: numbers, rows, lists; and the keys of a line."""

from __future__ import annotations

from exactformer.errors import Malformed
from exactformer.io.canonical import from_canonical, integer_text

#: integers from here on are written in hexadecimal, which Rocq reads faster
_LONG = 10**18


def verify_keys(
    line: object, needed: set[str], where: str, optional: frozenset[str] | set[str] = frozenset(), **index: int
) -> None:
    """Raises Malformed unless the line has the keys needed, and counts as `index` says."""
    if not isinstance(line, dict) or not needed <= line.keys() <= needed | optional:
        raise Malformed(f"{where}: expected the keys {sorted(needed)}, got {line!r:.60}")
    for key, number in index.items():
        if type(line[key]) is not int or line[key] != number:
            raise Malformed(f'{where}: expected "{key}": {number}, got {line[key]!r}')


def rows_literal(rows: object, where: str) -> str:
    """A list of rows, `[[1; 2]; [3; 4]]`."""
    if not isinstance(rows, list) or not rows:
        raise Malformed(f"{where}: expected a nonempty list of rows, got {rows!r:.60}")
    return list_literal([row_literal(row, where) for row in rows])


def row_literal(row: object, where: str) -> str:
    """A list of numbers, `[1; (-3 # 2)]`."""
    if not isinstance(row, list) or not row:
        raise Malformed(f"{where}: expected a nonempty list of numbers, got {row!r:.60}")
    return list_literal([number_literal(number) for number in row])


def list_literal(items: list[str]) -> str:
    """A list of terms.

    >>> list_literal(["place_0", "place_1"])
    '[place_0; place_1]'
    """
    return f"[{'; '.join(items)}]"


def number_literal(text: str) -> str:
    """The literal of a canonical number.

    >>> number_literal("-3/2"), number_literal("7"), number_literal("-7"), number_literal("1000000000000000000")
    ('(-3 # 2)', '7', '(-7)', '0xde0b6b3a7640000')
    """
    value = from_canonical(text)
    p = _integer(value.numerator)
    if value.denominator != 1:
        return f"({p} # {_integer(value.denominator)})"
    return p if value >= 0 else f"({p})"


def _integer(n: int) -> str:
    return integer_text(n) if abs(n) < _LONG else hex(n)
