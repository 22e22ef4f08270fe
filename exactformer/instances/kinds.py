"""The kinds of instance a statement can speak of, and what campaigns do with each: store, vary, simplify, show."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from typing import Protocol, TypeVar

from exactformer.errors import InvalidInput, Malformed
from exactformer.instances.datasets import DatasetKind
from exactformer.instances.frank_wolfe import FrankWolfe, FrankWolfeKind
from exactformer.instances.mean_field import MeanField, MeanFieldKind
from exactformer.instances.programs import ProgramInstance, ProgramKind
from exactformer.instances.tokens import TokensKind
from exactformer.io.json_lines import JsonObject
from exactformer.io.untyped import JsonValue, Untyped
from exactformer.model.dataset import Dataset
from exactformer.model.tokens import Tokens

Instance = TypeVar("Instance")


class InstanceKind(Protocol[Instance]):
    """What a campaign needs to know about a kind of instance."""

    def json(self, instance: Instance) -> JsonObject:
        """The file form, exact numbers as scalars."""

    def read(self, content: JsonObject) -> Instance:
        """The instance of a file form."""

    def varied(self, instance: Instance, rng: Random) -> Instance:
        """A random neighbour of the instance."""

    def simpler(self, instance: Instance) -> Iterator[Instance]:
        """Instances that are simpler in one respect, the boldest simplifications first."""

    def size(self, instance: Instance) -> tuple[int, ...]:
        """What shrinking makes smaller, in lexicographic order."""

    def latex(self, instance: Instance) -> str:
        """The instance in mathematics."""


#: the "exactformer" key of the file form -> the type and its kind
KINDS: dict[str, tuple[type, InstanceKind[Untyped]]] = {
    "tokens": (Tokens, TokensKind()),
    "dataset": (Dataset, DatasetKind()),
    "frank-wolfe": (FrankWolfe, FrankWolfeKind()),
    "mean-field": (MeanField, MeanFieldKind()),
    "program": (ProgramInstance, ProgramKind()),
}


def kind_of(instance: Instance) -> InstanceKind[Instance]:
    """The kind of an instance; InvalidInput for a type that campaigns cannot store."""
    for type_, kind in KINDS.values():
        if isinstance(instance, type_):
            return kind
    known = ", ".join(type_.__name__ for type_, _ in KINDS.values())
    raise InvalidInput(f"expected an instance of {known}, got {type(instance).__name__}; let `generate` return one")


def read_instance(content: JsonValue) -> object:
    """The instance of a file form of any kind."""
    form = content.get("exactformer") if isinstance(content, dict) else None
    if form not in KINDS:
        raise Malformed(f"expected an instance of {', '.join(KINDS)}, got {form!r}")
    return KINDS[form][1].read(content)
