"""Data sets drawn by Hypothesis: shared tokens, duplicates, nesting, equal means, coinciding targets, d = 1..8, m <= 5."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest
from construct_definition import assert_interpolates
from hypothesis import given, settings
from hypothesis import strategies as st

from exactformer.constructions.methods.table import METHODS as ALL_METHODS
from exactformer.constructions.pipeline import construct
from exactformer.errors import NoConstruction
from exactformer.model.dataset import Dataset, Sequence

#: compact, for one target per sequence, has tests of its own
METHODS = {name: ALL_METHODS[name].tells_apart for name in ("shallow", "deep", "leaders", "paper")}

coordinates = st.one_of(st.integers(-2, 2), st.fractions(-3, 3, max_denominator=4), st.integers(-(10**12), 10**12))


@st.composite
def datasets(draw: Any, labels: bool) -> Dataset:
    """A few points; every sequence picks tokens from them with repetition, and targets from them or others.

    Three times out of four the data are made feasible: few enough targets, and those of the first equal set.
    """
    d = draw(st.integers(1, 8))
    points = draw(st.lists(st.tuples(*[coordinates] * d), min_size=1, max_size=6, unique=True))
    anything = st.one_of(st.sampled_from(points), st.tuples(*[coordinates] * d))
    tame = draw(st.integers(0, 3)) > 0
    answers: dict[Any, Any] = {}
    sequences = []
    for _ in range(draw(st.integers(1, 6))):
        tokens = draw(st.lists(st.sampled_from(points), min_size=1, max_size=7))
        most = min(5, len(set(tokens))) if tame else 5
        answer = draw(st.sampled_from("abc") if labels else st.lists(anything, min_size=1, max_size=most))
        if tame:
            answer = answers.setdefault(frozenset(tokens), answer)
        sequences.append(Sequence.of(tokens, **{"label" if labels else "targets": answer}))
    return Dataset.of(sequences)


def why_not(data: Dataset, semantics: str) -> set[tuple[str, tuple[int, ...]]]:
    """Every violated condition, by brute force over the definition."""
    found = set()
    wanted = [s.label if s.label is not None else frozenset(data.targets_of(j).rows()) for j, s in enumerate(data)]
    rows = [s.tokens.rows() for s in data]
    keys = [frozenset((x, Fraction(r.count(x), len(r)) if semantics == "measure" else None) for x in r) for r in rows]
    for j in range(len(data)):
        first = keys.index(keys[j])
        if wanted[first] != wanted[j]:
            found.add((semantics, (first, j)))
        if data.labels is None and len(wanted[j]) > len(set(rows[j])):  # type: ignore[arg-type]
            found.add(("targets", (j,)))
    return found


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("labels", [True, False])
def test_built_exactly_where_it_is_possible(method: str, labels: bool) -> None:
    @settings(max_examples=30)
    @given(datasets(labels), st.booleans(), st.integers(1, 5))
    def run(data: Dataset, robust: bool, width: int) -> None:
        semantics = METHODS[method]
        expected = why_not(data, semantics)
        try:
            built = construct(data, method=method, robust=robust and semantics == "measure", width=width)
        except NoConstruction as refusal:
            reasons = {(r.kind, r.sequences) for r in refusal.reasons if r.kind != "dimension"}
            assert reasons == expected
            assert expected or (method == "paper" and data.dim == 1)
        else:
            assert not expected
            assert_interpolates(built, data)
            assert built.report.blocks <= built.report.bound

    run()


@pytest.mark.slow
@pytest.mark.timeout(1800)
@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("labels", [True, False])
def test_many_more(method: str, labels: bool) -> None:
    @settings(max_examples=500, derandomize=False)
    @given(datasets(labels), st.booleans(), st.integers(1, 5), st.integers(0, 3))
    def run(data: Dataset, robust: bool, width: int, seed: int) -> None:
        expected = why_not(data, METHODS[method])
        try:
            built = construct(
                data, method=method, robust=robust and METHODS[method] == "measure", width=width, seed=seed
            )
        except NoConstruction:
            assert expected or (method == "paper" and data.dim == 1)
        else:
            assert not expected
            assert_interpolates(built, data)
            assert built.report.blocks <= built.report.bound

    run()
