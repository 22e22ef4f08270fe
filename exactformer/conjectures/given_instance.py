"""A statement judged on one given instance: true, false with its witness, undecided, or outside the hypotheses."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Literal

from exactformer.conjectures.source import Source
from exactformer.conjectures.statement import Statement
from exactformer.conjectures.store import plain_json
from exactformer.conjectures.verdict import StatementVerdict
from exactformer.display.verbs import Certified, Listed
from exactformer.errors import InvalidInput
from exactformer.instances.kinds import read_instance
from exactformer.io.json_lines import JsonObject, PathLike, read_bytes, strict_json
from exactformer.io.untyped import AnyInstance
from exactformer.model.dataset import Dataset
from exactformer.model.tokens import Tokens


@dataclass(frozen=True, repr=False)
class GivenInstance(Listed, Certified):
    """What a statement says on an instance: its outcome, how near it came to failing, and the witness."""

    statement: Statement
    instance: AnyInstance
    outcome: Literal["true", "false", "undecided", "outside"]
    nearness: float = 0.0
    witness: JsonObject = field(default_factory=dict)

    @property
    def exit_code(self) -> int:
        """0 true, 1 false, 4 undecided, 3 outside the hypotheses."""
        return {"true": 0, "false": 1, "undecided": 4, "outside": 3}[self.outcome]

    def __repr__(self) -> str:
        return f"GivenInstance({self.statement.name} is {self.outcome} for {self.instance!r:.120})"

    def json(self) -> JsonObject:
        """{"verdict", "nearness", "witness"}, exact numbers as canonical text."""
        return plain_json({"verdict": self.outcome, "nearness": self.nearness, "witness": self.witness})

    def certify(self, path: PathLike) -> Path:
        """Writes the certificate of a counterexample; InvalidInput where the instance is none."""
        if self.outcome != "false":
            raise InvalidInput(f"{self.statement.name}: the instance is no counterexample, but {self.outcome}")
        certify_counterexample(self.statement, self.instance, StatementVerdict("false", self.witness), path)
        return Path(path)


def judge(target: str | Statement, instance: object) -> GivenInstance:
    """The outcome of a statement (a name of the catalogue, a file, or a Statement) on an instance, or on its file.

    >>> judge("every-leader-leads-at-once", Tokens([[2], [1]])).outcome
    'true'
    >>> judge("every-leader-leads-at-once", Tokens([[0], [1]])).witness
    {'hypothesis': 'tokens are nonzero'}
    """
    statement = Source.of(target).statement()
    if isinstance(instance, (str, Path)):
        instance = read_given(statement, instance)
    violated = statement.violated(instance)
    if violated is not None:
        return GivenInstance(statement, instance, "outside", 0.0, {"hypothesis": violated.words})
    verdict = statement.judge(instance)
    if verdict is None:
        raise InvalidInput(f"{statement.name}: the statement gives no verdict")
    return GivenInstance(statement, instance, verdict.outcome, verdict.nearness, dict(verdict.witness))


def read_given(statement: Statement, path: PathLike) -> object:
    """The instance of a file, of the kind that the statement speaks of: a token file, a data set, or a JSON form."""
    example = statement.generate(Random(0))
    if isinstance(example, Tokens):
        return Tokens.read(path)
    if isinstance(example, Dataset):
        return Dataset.read(path)
    return read_instance(strict_json(read_bytes(path), str(path)))


def certifiable(statement: Statement, instance: object) -> bool:
    """Whether there is a certificate: own statements about data sets or Frank-Wolfe instances have none."""
    return statement.certify is not None or isinstance(instance, Tokens)


def certify_counterexample(statement: Statement, instance: object, verdict: StatementVerdict, path: PathLike) -> None:
    """Writes a certificate: `counterexample` for statements of the catalogue, else the facts as an `orbit`."""
    if statement.certify is not None:
        statement.certify(instance, verdict, Path(path))
    elif isinstance(instance, Tokens):
        from exactformer.dynamics.orbit import simulate

        last = verdict.witness.get("layers", verdict.witness.get("layer", 0))
        simulate(instance, layers=int(last) + 1, unchecked=True).certify(path)
    else:
        raise InvalidInput(f"{statement.name}: certificates of own statements are for tokens")
