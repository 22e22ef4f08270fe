"""Values as short text for people: exact numbers cut where they are long, long lists cut where they are long.

Whatever is shown, showing never fails: Python itself refuses to print integers of more than 4,300 digits.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import fields
from fractions import Fraction
from itertools import islice
from typing import Any, TypeVar

from exactformer.arithmetic.algebraic import Algebraic
from exactformer.arithmetic.text import brief

T = TypeVar("T")

#: entries of a list that are shown before it is cut
MOST = 6


def show(value: object, *, digits: int = 24, most: int | None = None) -> str:
    """A short text of a value: exact numbers of at most `digits` digits, lists of at most `most` entries, all the rest.

    >>> show((Fraction(1, 2), 10**5000, [1, 2, 3]), most=2)
    '(1/2, ~1.0000000e+5000, ..)'
    """
    if isinstance(value, (int, Fraction, Algebraic)) and not isinstance(value, bool):
        return brief(value, digits)
    if isinstance(value, Mapping):
        return f"{{{', '.join(f'{k}: {show(v, digits=digits, most=most)}' for k, v in value.items())}}}"
    if isinstance(value, (tuple, list)):
        return f"({cut((show(v, digits=digits, most=most) for v in value), most)})"
    return str(value)


def cut(texts: Iterable[str], most: int | None) -> str:
    """The texts separated by commas; beyond `most` of them two dots."""
    if most is None:
        return ", ".join(texts)
    listed = list(islice(texts, most + 1))
    return ", ".join(listed if len(listed) <= most else [*listed[:most], ".."])


def short_repr(kind: type[T]) -> type[T]:
    """The dataclass with the repr Name(field=value, ..) in which every value is shown short, so that it never fails."""

    def representation(self: Any) -> str:
        shown = (f"{f.name}={show(getattr(self, f.name), most=MOST)}" for f in fields(self))
        return f"{type(self).__name__}({', '.join(shown)})"

    kind.__repr__ = representation  # type: ignore[method-assign]
    return kind


def spoken(count: int, thing: str) -> str:
    """ "1 token", "2 tokens"."""
    return f"{count} {thing}{'' if count == 1 else 's'}"
