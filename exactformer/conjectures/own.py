"""Conjectures made from a Python function: `@ef.conjecture`, and `ef.hunt(function)`."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from random import Random
from typing import overload

import numpy as np

from exactformer.conjectures.statement import Hypothesis, Statement
from exactformer.conjectures.verdict import StatementVerdict, fails, holds
from exactformer.errors import InvalidInput
from exactformer.instances.generators import TokenFamily
from exactformer.io.untyped import AnyInstance

#: what a user's function may return
Judge = Callable[[AnyInstance], bool | StatementVerdict]


@overload
def conjecture(judge: Judge) -> Statement: ...
@overload
def conjecture(
    *,
    name: str | None = None,
    words: str | None = None,
    hypotheses: tuple[Hypothesis, ...] = (),
    generate: Callable[[Random], AnyInstance] | None = None,
) -> Callable[[Judge], Statement]: ...
def conjecture(
    judge: Judge | None = None,
    *,
    name: str | None = None,
    words: str | None = None,
    hypotheses: tuple[Hypothesis, ...] = (),
    generate: Callable[[Random], AnyInstance] | None = None,
) -> Statement | Callable[[Judge], Statement]:
    """The statement "the function is true of every instance", to be judged, hunted and shrunk like any other.

    The function takes an instance (Tokens, unless `generate` draws others) and returns True, False, or a verdict with
    a witness (`holds`, `fails`, `undecided`). Its name and docstring are those of the statement.

    >>> @conjecture
    ... def two_tokens_at_most(tokens):
    ...     "There are at most two tokens."
    ...     return len(tokens) <= 2
    >>> two_tokens_at_most.name, two_tokens_at_most.words
    ('two-tokens-at-most', 'There are at most two tokens.')
    """

    def of(function: Judge) -> Statement:
        if not callable(function):
            raise InvalidInput(
                f"conjecture: expected a function of an instance, or the name of a statement, got {function!r:.60}"
            )
        _verify_takes_one(function)
        called = name or _name(function)
        return Statement(
            name=called,
            words=words or inspect.getdoc(function) or f"{called} is true of every instance.",
            status="open",
            source="a function",
            hypotheses=hypotheses,
            conclusion=_conclusion(function, called),
            generate=generate or TokenFamily(),
        )

    return of if judge is None else of(judge)


def _verify_takes_one(function: Judge) -> None:
    """Raises InvalidInput where the function cannot be called with an instance alone."""
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):  # of some functions in C it is not known
        return
    try:
        signature.bind(None)
    except TypeError as problem:
        got = f"{_name(function)}{signature}"
        raise InvalidInput(
            f"conjecture: expected a function of one instance, such as f(tokens), got {got}"
        ) from problem


def _name(function: Judge) -> str:
    """The function's name with dashes; a lambda has none of its own."""
    name = getattr(function, "__name__", "conjecture")
    return "conjecture" if name == "<lambda>" else name.replace("_", "-")


def _conclusion(function: Judge, name: str) -> Callable[[AnyInstance], StatementVerdict]:
    """The function's answer as a verdict."""

    def conclusion(instance: object) -> StatementVerdict:
        answer = function(instance)
        if isinstance(answer, StatementVerdict):
            return answer
        if not isinstance(answer, (bool, np.bool_)):
            raise InvalidInput(
                f"{name}: expected True, False, holds(..), fails(..) or undecided(..), got {answer!r:.60}"
            )
        return holds() if answer else fails()

    return conclusion
