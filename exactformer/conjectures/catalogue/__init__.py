"""The statements that come with the package, by name; one module a topic."""

from __future__ import annotations

from difflib import get_close_matches

from exactformer.conjectures.registry import registered
from exactformer.conjectures.statement import Statement
from exactformer.errors import InvalidInput


def catalogue() -> dict[str, Statement]:
    """Every statement by its name, in the order of the topics, then those that other rooms register."""
    from exactformer.conjectures.catalogue import (
        clustering,
        frank_wolfe,
        interpolation,
        late_leaders,
        late_steps,
        leaders,
        lemmas,
        programs,
        stabilisation,
    )

    topics = (
        lemmas,
        clustering,
        leaders,
        late_leaders,
        stabilisation,
        late_steps,
        frank_wolfe,
        interpolation,
        programs,
    )
    statements = [statement for topic in topics for statement in topic.STATEMENTS] + registered()
    return {statement.name: statement for statement in statements}


def nearest_names(name: str) -> list[str]:
    """Names of the catalogue that look like the given one."""
    return get_close_matches(name, catalogue(), n=3, cutoff=0.4)


def statement_named(name: str) -> Statement:
    """The statement of that name; InvalidInput suggests the nearest names."""
    known = catalogue()
    if name not in known:
        near = nearest_names(name)
        hint = f" Did you mean {' or '.join(near)}?" if near else ""
        raise InvalidInput(f"no statement is called {name!r}.{hint} `exactformer hunt --list` names them all")
    return known[name]
