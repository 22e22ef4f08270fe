"""The statements that come with the package, by name; one module a topic."""

from __future__ import annotations

from difflib import get_close_matches
from importlib import import_module

from exactformer.conjectures.statement import Statement
from exactformer.errors import InvalidInput

TOPICS = ("lemmas", "clustering", "leaders", "late_leaders", "stabilisation", "frank_wolfe", "interpolation")


#: where studies register modules of statements of their own; a name, since conjectures import no study
STUDIES = "exactformer.studies"


def catalogue() -> dict[str, Statement]:
    """Every statement by its name, in the order of the topics, then those that studies register."""
    registered = import_module(STUDIES).STATEMENTS
    modules = [import_module(name) for name in (*(f"{__name__}.{topic}" for topic in TOPICS), *registered)]
    return {statement.name: statement for module in modules for statement in module.STATEMENTS}


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
