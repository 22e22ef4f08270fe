"""The same, in smaller numbers: a counterexample that stays one, or tokens whose course stays the same."""

from __future__ import annotations

from random import Random

from exactformer.conjectures.shrink import shrink
from exactformer.conjectures.statement import Statement
from exactformer.conjectures.verdict import StatementVerdict, fails, holds
from exactformer.dynamics.limits import Limit, limit
from exactformer.model.tokens import Tokens

#: judgements after which simplifying stops where it is
BUDGET = 1500
#: what two instances share that have the same course
Course = tuple[object, ...]


def simplified(tokens: Tokens, statement: Statement | None = None) -> Tokens:
    """Tokens with smaller numbers: still a counterexample to the statement, or without one of the same course.

    >>> simplified(Tokens([["7/5", "1/5"], ["31/30", "1"]])).state.rows()
    [(Fraction(0, 1), Fraction(1, 1)), (Fraction(1, 1), Fraction(0, 1))]
    """
    found, _ = shrink(statement or _same_course(tokens), tokens, budget=BUDGET)
    return found


def course_of(found: Limit) -> Course:
    """All follower sets, the layers at which they change, the kinds of the limits; which tokens are equal or zero."""
    orbit = found.orbit
    layers = (0, *orbit.graph_changes)
    sets = [orbit.follows(k) for k in layers]
    return (layers, sets, found.kinds, found.clusters, orbit.equal_tokens(0), found.hypotheses_violated)


def _same_course(tokens: Tokens) -> Statement:
    """The statement that the course is another one: its counterexamples are the instances wanted."""
    wanted, size = course_of(limit(tokens)), (len(tokens), tokens.dim)

    def differs(other: Tokens) -> StatementVerdict:
        if (len(other), other.dim) != size:
            return holds()
        return fails() if course_of(limit(other)) == wanted else holds()

    def generate(rng: Random) -> Tokens:
        return tokens

    return Statement("another-course", "The course is another one.", "open", "", (), differs, generate)
