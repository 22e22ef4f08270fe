"""What it means to interpolate, written from the definition and used by every test of the constructions."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from exactformer.constructions.built_transformer import Built
from exactformer.model.dataset import Dataset
from exactformer.model.transformer import Transformer


def target_sets(data: Dataset, built: Built) -> list[set[Any]]:
    """The target set of every sequence: from the data, or the point the construction chose for its label."""
    if data.labels is None:
        return [set(data.targets_of(j).rows()) for j in range(len(data))]
    chosen = {label: built.targets.state(j).rows()[0] for j, label in enumerate(data.labels)}
    assert len(set(chosen.values())) == len(chosen), "two labels share a target"
    return [{chosen[label]} for label in data.labels]


def outputs(transformer: Transformer, tokens: Any) -> set[tuple[Fraction, ...]]:
    """The set of output tokens, every layer by its definition."""
    return {tuple(x) for x in transformer.by_definition(tokens)}


def assert_interpolates(built: Built, data: Dataset) -> None:
    """Every sequence of the original data is mapped onto its target set."""
    for j, wanted in enumerate(target_sets(data, built)):
        assert outputs(built.transformer, data[j].tokens) == wanted, f"sequence {j}"


def distinct_measures(data: Dataset) -> int:
    """The number of different empirical measures, from the definition."""
    measures = set()
    for sequence in data:
        rows = sequence.tokens.rows()
        measures.add(frozenset((x, Fraction(rows.count(x), len(rows))) for x in rows))
    return len(measures)
