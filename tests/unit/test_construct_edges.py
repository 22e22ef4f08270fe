"""Constructions at their edges: what verification refuses, what feasibility sees, and figures that are counted."""

from __future__ import annotations

import itertools
import random
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from exactformer.arithmetic.state import State
from exactformer.constructions.curve import curve
from exactformer.constructions.empirical_measures import distinct_points, supports
from exactformer.constructions.feasibility import merge
from exactformer.constructions.line import along, injective_line
from exactformer.constructions.nodes import Nodes
from exactformer.constructions.pipeline import METHODS, construct
from exactformer.constructions.targets import targets_of
from exactformer.constructions.verification import WrongTransformer, verify_interpolates
from exactformer.errors import InvalidInput, NoConstruction
from exactformer.model.dataset import Dataset, Sequence
from exactformer.model.transformer import Block, Transformer

F = Fraction
NOTHING = Transformer(1, [Block()])


def data(*pairs: tuple[list[Any], list[Any]]) -> Dataset:
    return Dataset.of(Sequence.of([[v] for v in x], [[v] for v in y]) for x, y in pairs)


# ---------------------------------------------------------------- verification


@pytest.mark.parametrize(
    ("targets", "right"),
    [([0, 1], True), ([1, 0], True), ([0], False), ([1], False), ([0, 1, 2], False), ([0, 2], False), ([5, 6], False)],
)
@pytest.mark.parametrize("place", [0, 1])
def test_outputs_equal_the_targets_or_the_transformer_is_wrong(targets: list[int], right: bool, place: int) -> None:
    pairs: list[tuple[list[Any], list[Any]]] = [([0, 1], targets), (["1/2"], ["1/2"])]
    given = data(*(pairs if place == 0 else pairs[::-1]))
    if right:
        verify_interpolates(NOTHING, given, targets_of(given))
    else:
        with pytest.raises(WrongTransformer, match=f"sequence {place}"):
            verify_interpolates(NOTHING, given, targets_of(given))


def test_targets_are_compared_as_numbers() -> None:
    given = data((["1/2", "1/3"], ["2/6", "3/6"]))
    verify_interpolates(NOTHING, given, targets_of(given))
    near = data((["1/2"], [F(1, 2) + F(1, 10**30)]))
    with pytest.raises(WrongTransformer):
        verify_interpolates(NOTHING, near, targets_of(near))


# ---------------------------------------------------------------- feasibility


def test_measures_count_and_sets_do_not() -> None:
    given = data(([0, 1], [5]), ([0, 1, 1], [5]), ([1, 0, 0, 1], [5]), ([0], [5]))
    tokens, ids = distinct_points(given.tokens, np.random.default_rng(0))
    found, targets = supports(ids, given.offsets), targets_of(given)
    assert len(tokens) == 2
    assert merge(found, targets, "measure").member.tolist() == [0, 1, 0, 2]
    assert merge(found, targets, "set").member.tolist() == [0, 0, 0, 1]
    assert merge(found, targets, "measure").conflicts == []


def test_sequences_of_one_token_fall_into_the_classes_of_the_definition() -> None:
    rng = random.Random(5)
    for _ in range(50):
        tokens, marks = ([rng.randrange(6) for _ in range(12)] for _ in range(2))
        given = data(*(([x] * rng.randint(1, 3), [mark % 2]) for x, mark in zip(tokens, marks, strict=True)))
        _, ids = distinct_points(given.tokens, np.random.default_rng(0))
        merged = merge(supports(ids, given.offsets), targets_of(given), "measure")
        firsts = sorted({tokens.index(x) for x in tokens})
        assert merged.firsts.tolist() == firsts
        assert merged.member.tolist() == [firsts.index(tokens.index(x)) for x in tokens]
        clashes = [(tokens.index(x), j) for j, x in enumerate(tokens) if (marks[j] - marks[tokens.index(x)]) % 2]
        assert merged.conflicts == clashes


@pytest.mark.parametrize("method", METHODS)
def test_every_conflict_is_named(method: str) -> None:
    pairs = [([0, 1], [5]), ([1, 0], [6]), ([2], [7]), ([0, 1], [5]), ([1, 0], [8]), ([2, 2], [7])]
    with pytest.raises(NoConstruction) as refusal:
        construct(data(*pairs), method=method)
    kinds = {r.sequences for r in refusal.value.reasons if r.sequences}
    assert kinds == {(0, 1), (0, 4)}


def test_crowded_sequences_are_named() -> None:
    with pytest.raises(NoConstruction) as refusal:
        construct(data(([0, 1], [1, 2]), ([0, 0], [1, 2]), ([3, 4, 5], [1, 2])))
    (reason,) = refusal.value.reasons
    assert (reason.kind, reason.sequences) == ("targets", (1,))
    assert reason.witness["distinct_tokens"] == 1
    assert "positions" in str(reason.witness["cures"])


def test_positions_are_a_cure_only_where_there_are_tokens_enough() -> None:
    with pytest.raises(NoConstruction) as refusal:
        construct(data(([0, 0], [1, 2, 3])))
    assert refusal.value.reasons[0].witness["cures"] == []


def test_measures_are_told_apart() -> None:
    offsets = np.array([0, 2, 4])
    assert supports(np.array([0, 1, 1, 1]), offsets).all_different()
    assert not supports(np.array([0, 1, 1, 0]), offsets).all_different()


def test_only_known_conditions_are_certified(tmp_path: Path) -> None:
    from exactformer.certificates.infeasible import write_infeasible

    given = data(([0, 1], [5]), ([1, 0], [6]))
    parts: dict[str, Any] = {"tokens": given.tokens, "offsets": given.offsets, "targets": given.targets_of}
    with pytest.raises(InvalidInput, match="expected one of the conditions"):
        write_infeasible(tmp_path / "c", condition="colour", witness=(0, 1), **parts)
    assert list(tmp_path.iterdir()) == []
    write_infeasible(tmp_path / "c", condition="measure", witness=(0, 1), **parts)


@pytest.mark.parametrize(("method", "softmax"), [("shallow", True), ("deep", True), ("leaders", False)])
def test_softmax_is_claimed_only_where_attention_is_uniform(method: str, softmax: bool, tmp_path: Path) -> None:
    from exactformer.certificates.interpolation import write_interpolation

    given = data(([0, 1], [5]), ([1], [6]), ([0, 2], [7]))
    transformer = construct(given, method=method).transformer

    def certify(name: str, attention: str) -> None:
        parts: dict[str, Any] = {"tokens": given.tokens, "offsets": given.offsets, "targets": given.targets_of}
        write_interpolation(tmp_path / name, transformer=transformer, attention=attention, **parts)

    certify("hard", "hardmax")
    if softmax:
        certify("soft", "softmax")
    else:
        with pytest.raises(InvalidInput):
            certify("soft", "softmax")
    with pytest.raises(InvalidInput):
        certify("other", "sparsemax")
    assert {path.name for path in tmp_path.iterdir()} == {"hard", *(["soft"] if softmax else [])}


# ---------------------------------------------------------------- figures and bounds


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("dim", [4, 5])
def test_reports_count_what_was_built(method: str, dim: int) -> None:
    rng = np.random.default_rng(3)
    given = Dataset.of(
        Sequence.of(rng.integers(-3, 4, size=(n, dim)).tolist(), rng.integers(-3, 4, size=(1, dim)).tolist())
        for n in (1, 2, 2, 3)
    )
    built = construct(given, method=method)
    report, transformer = built.report, built.transformer
    assert report.blocks == len(transformer) <= report.bound
    assert report.width == max(b.feed_forward.width for b in transformer if b.feed_forward is not None)
    assert report.parameters == sum(
        layer.parameters for b in transformer for layer in (b.feed_forward, b.self_attention) if layer is not None
    )
    assert report.max_bits == max(b.bits for b in transformer)
    assert report.paper_bound == 2 * 4 + 2 * 4 + 1
    assert (report.sequences, report.dim, report.method) == (4, dim, method)
    assert report.measures == 4
    assert len(built.stages) == report.blocks
    table = report.json()
    assert table["blocks"] == report.blocks
    assert table["margin"] == ("unbounded" if report.margin is None else str(report.margin))


@pytest.mark.parametrize("width", [1, 2, 3, 7])
def test_deep_blocks_are_as_narrow_as_asked(width: int) -> None:
    given = data(*(([k, k + 2], [k * k]) for k in range(5)))
    built = construct(given, method="deep", width=width)
    assert built.report.width <= width
    hinges = built.report.hinges
    assert built.report.bound == -(-(hinges + 1) // width) + -(-5 // width)


@pytest.mark.parametrize(
    "wrong", [{"method": "magic"}, {"width": 0}, {"width": 1.5}, {"method": "paper", "robust": True}]
)
def test_wrong_options_are_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(InvalidInput):
        construct(data(([0], [1])), **wrong)


# ---------------------------------------------------------------- margins


@pytest.mark.parametrize("method", ["shallow", "deep"])
@pytest.mark.parametrize("robust", [True, False])
def test_margins_hold_and_end(method: str, robust: bool) -> None:
    given = data(([0, 4], [0]), ([1, 7], [5]), ([10], [0]), ([2, 2, 9], [7]))
    built = construct(given, method=method, robust=robust)
    found = built.margin
    assert found.radius is not None
    assert (found.radius > 0) == robust or not robust
    moves = [found.radius * s for s in (-1, 1, F(1, 3), F(-2, 3))] if found.radius else [F(0)]
    for j, sequence in enumerate(given):
        wanted = set(given.targets_of(j).rows())
        for steps in itertools.product(moves, repeat=len(sequence)):
            moved = [[x[0] + s] for x, s in zip(sequence.tokens.rows(), steps, strict=True)]
            assert set(built.transformer(moved).rows()) == wanted
    assert found.sequence is not None
    assert found.failing is not None
    assert found.radius < found.failing
    tokens = given[found.sequence].tokens.rows()
    moved = [[x[0] + found.failing * found.direction[0]] for x in tokens]
    assert set(built.transformer(moved).rows()) != set(given.targets_of(found.sequence).rows())


# ---------------------------------------------------------------- lines and curves


def test_lines_keep_different_points_apart() -> None:
    points = State.of([[0, 2], [2, 0], [1, 1], [0, 0]])
    line = injective_line(points, np.random.default_rng(1))
    values = [sum(a * x for a, x in zip(line.u, row, strict=True)) for row in points.rows()]
    assert len(set(values)) == 4
    assert [F(int(line.values[r]), line.scale) for r in line.rank.tolist()] == values
    merged = along(points, ((1, 1), 0))
    assert merged.values.tolist() == [0, 2]
    assert merged.rank.tolist() == [1, 1, 1, 0]


def test_curves_pass_through_their_nodes() -> None:
    line = along(State.of([[0], [1], [3], [7]]), ((1,), 0))
    points = np.array([[5], [2], [9]])
    nodes = Nodes(
        np.array([0, 1, 3, 7], dtype=object), np.array([1, 1, 1, 1], dtype=object), np.array([0, 1, 1, 2]), points, 2
    )
    layer = curve(nodes, line)
    for x, y in ((0, F(5, 2)), (1, F(1)), (3, F(1)), (7, F(9, 2)), (-4, F(5, 2)), (2, F(1)), (5, F(11, 4))):
        assert layer.apply([F(x)]) == [y]
