"""Where rooms above this one leave statements of their own for the catalogue."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from exactformer.conjectures.statement import Statement

#: the statements of a room, imported when they are asked for
StatementSource = Callable[[], "Iterable[Statement]"]

_SOURCES: list[StatementSource] = []


def register(source: StatementSource) -> None:
    """Adds the statements of a source at the end of the catalogue."""
    _SOURCES.append(source)


def registered() -> list[Statement]:
    """The statements of all sources, in the order of registration."""
    return [statement for source in _SOURCES for statement in source()]
