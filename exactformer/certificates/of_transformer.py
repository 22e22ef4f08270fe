"""The interpolation certificate of any transformer for data that it maps exactly: `transformer.certify`."""

from __future__ import annotations

from exactformer.arithmetic.state import State
from exactformer.certificates.interpolation import write_interpolation
from exactformer.errors import InvalidInput
from exactformer.evaluate.classifier import images
from exactformer.io.json_lines import PathLike
from exactformer.model.batch import Batch
from exactformer.model.dataset import Dataset
from exactformer.model.matrix import Row
from exactformer.model.transformer import Transformer


def certify_transformer(transformer: Transformer, data: object, path: PathLike, *, attention: str = "hardmax") -> None:
    """Writes the interpolation certificate of a transformer for data it maps exactly; InvalidInput where it does not.

    With targets, the outputs of every sequence must be its targets. With labels, equal labels must have equal outputs
    and different labels different ones; those outputs are the targets of the label.
    """
    data = Dataset.of(data)
    outputs = images(transformer, data)
    sets = [_output_set(outputs, j) for j in range(len(data))]
    labelled = data.label_texts is not None
    wanted = _label_sets(data, sets) if labelled else [set(data.targets_of(j)) for j in range(len(data))]
    for j, (got, expected) in enumerate(zip(sets, wanted, strict=True)):
        if got != expected:
            raise InvalidInput(f"{data.called(j)} is not mapped onto its targets: nothing to certify")
    write_interpolation(
        path,
        transformer=transformer,
        tokens=data.tokens,
        offsets=data.offsets,
        targets=lambda j: State.of(sorted(wanted[j])),
        labels=data.label_texts,
        attention=attention,
    )


def _output_set(outputs: Batch, j: int) -> set[Row]:
    return {outputs.row(r) for r in range(outputs.offsets[j], outputs.offsets[j + 1])}


def _label_sets(data: Dataset, sets: list[set[Row]]) -> list[set[Row]]:
    """The output set of the first sequence of every label; InvalidInput where two labels share one."""
    labels = data.label_texts or []
    first: dict[str, int] = {}
    for j, label in enumerate(labels):
        first.setdefault(label, j)
        if sets[first[label]] != sets[j]:
            raise InvalidInput(
                f"{data.called(first[label], j)} have the label {label!r} and different outputs: nothing to certify"
            )
    owner: dict[frozenset[Row], int] = {}
    for j in first.values():
        other = owner.setdefault(frozenset(sets[j]), j)
        if other != j:
            raise InvalidInput(
                f"{data.called(other, j)} have different labels and the same outputs: nothing to certify"
            )
    return sets
