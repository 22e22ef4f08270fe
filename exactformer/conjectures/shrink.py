"""Shrinking: a counterexample made as small as possible while exact verification holds."""

from __future__ import annotations

from collections.abc import Iterator

from exactformer.conjectures.statement import Statement
from exactformer.conjectures.verdict import StatementVerdict
from exactformer.dynamics.orbit import Progress
from exactformer.errors import ExactformerError, InvalidInput
from exactformer.instances.kinds import Instance, InstanceKind, kind_of

#: verdicts after which shrinking stops where it is
VERDICT_BUDGET = 4000


def shrink(
    statement: Statement, instance: Instance, *, budget: int = VERDICT_BUDGET, progress: Progress | None = None
) -> tuple[Instance, StatementVerdict]:
    """A counterexample none of whose simplifications is one, and its verdict; at most `budget` verdicts.

    Smaller means: fewer tokens, lower dimension, shorter time, then fewer digits. Every step is judged exactly, with
    hypotheses, so that the result refutes the statement as surely as what it came from.
    """
    verdict = statement.judge(instance)
    if verdict is None or not verdict.refutes:
        raise InvalidInput(f"{statement.name}: expected a counterexample to shrink, got an instance that is none")
    kind, spent = kind_of(instance), 0
    found = True
    while found:
        found = False
        for candidate in _candidates(kind, instance):
            if spent >= budget:
                return instance, verdict
            judged = _judge(statement, candidate)
            spent += 1
            if progress is not None:
                progress(spent)
            if judged is not None and _size(kind, candidate, judged) < _size(kind, instance, verdict):
                instance, verdict, found = candidate, judged, True
                break
    return instance, verdict


def _candidates(kind: InstanceKind[Instance], instance: Instance) -> Iterator[Instance]:
    """The simplifications, each once."""
    seen, size = set(), kind.size(instance)
    for candidate in kind.simpler(instance):
        key = repr(kind.json(candidate))
        # a shorter time may cost digits, so only what has more tokens or dimensions is left out beforehand
        if key not in seen and kind.size(candidate)[:2] <= size[:2]:
            seen.add(key)
            yield candidate


def _judge(statement: Statement, candidate: object) -> StatementVerdict | None:
    """The false verdict on a candidate, or None where it is no counterexample."""
    try:
        verdict = statement.judge(candidate)
    except ExactformerError:
        return None
    return verdict if verdict is not None and verdict.refutes else None


def _size(kind: InstanceKind[Instance], instance: Instance, verdict: StatementVerdict) -> tuple[int, ...]:
    """Tokens, dimension, the layers the witness speaks of, digits."""
    tokens, dim, *rest = kind.size(instance)
    return (tokens, dim, int(verdict.witness.get("layers", verdict.witness.get("layer", 0))), *rest)
