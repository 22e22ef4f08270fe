"""The margin: perturbations up to it change nothing, one just beyond it fails, and it is zero where it must be."""

from __future__ import annotations

import random
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from construct_definition import outputs

from exactformer.certificates.certificate import Certificate
from exactformer.checking import check
from exactformer.constructions.built_transformer import Built
from exactformer.constructions.pipeline import construct
from exactformer.instances.dataset_families import sample
from exactformer.model.dataset import Dataset, Sequence

CLASSIFICATIONS = ["random-classes", "windows", "equal-means", "nested", "multiplicities", "one-token", "collinear"]


def moved(rows: list[Any], steps: list[Any]) -> list[list[Fraction]]:
    """Every token with its own step added."""
    return [[x + s for x, s in zip(row, step, strict=True)] for row, step in zip(rows, steps, strict=True)]


def random_steps(rng: np.random.Generator, shape: tuple[int, int], radius: Fraction) -> list[list[Fraction]]:
    """Steps within the radius in every coordinate, many of them at its very end."""
    return [[radius * int(v) / 4 for v in row] for row in rng.choice([-4, -4, -1, 0, 3, 4, 4], shape).tolist()]


def assert_survives(built: Built, data: Dataset, radius: Fraction, rng: np.random.Generator) -> None:
    for j, sequence in enumerate(data):
        rows, wanted = sequence.tokens.rows(), set(built.targets.state(j).rows())
        shape = (len(rows), data.dim)
        extremes = [[[sign * radius] * data.dim] * len(rows) for sign in (1, -1)]
        for steps in [*extremes, *(random_steps(rng, shape, radius) for _ in range(4))]:
            assert outputs(built.transformer, moved(rows, steps)) == wanted, f"sequence {j}"


def assert_fails(built: Built, data: Dataset, size: Fraction) -> None:
    """The sequence and direction of the margin fail at steps of the given size."""
    margin = built.margin
    assert margin.sequence is not None
    rows = data[margin.sequence].tokens.rows()
    steps = [[size * c for c in margin.direction]] * len(rows)
    assert max(abs(v) for v in steps[0]) == size
    wanted = set(built.targets.state(margin.sequence).rows())
    assert outputs(built.transformer, moved(rows, steps)) != wanted


def assert_fails_close_beyond(built: Built, data: Dataset) -> None:
    """A perturbation of at most 3/2 of the radius fails."""
    margin = built.margin
    assert margin.radius is not None
    assert margin.failing is not None
    assert margin.radius < margin.failing <= margin.radius * Fraction(3, 2)
    assert_fails(built, data, margin.failing)


@pytest.mark.parametrize("method", ["shallow", "deep"])
@pytest.mark.parametrize("family", CLASSIFICATIONS)
def test_the_margin_holds_and_is_the_best_possible(family: str, method: str) -> None:
    data = sample(family, 6, 2, seed=4)
    built = construct(data, method=method, robust=True)
    radius = built.margin.radius
    assert radius is not None
    assert radius > 0
    assert built.report.margin == radius
    assert_survives(built, data, radius, np.random.default_rng(0))
    assert_fails_close_beyond(built, data)


@pytest.mark.parametrize("method", ["shallow", "deep"])
@pytest.mark.parametrize("family", ["random-targets", "targets-are-inputs", "coinciding-targets"])
def test_the_margin_of_target_sets(family: str, method: str) -> None:
    data = sample(family, 4, 2, seed=6)
    built = construct(data, method=method, robust=True)
    radius = built.margin.radius
    assert radius is not None
    assert radius > 0
    assert_survives(built, data, radius, np.random.default_rng(1))
    assert_fails_close_beyond(built, data)


def slanted(several: bool) -> Dataset:
    """Tokens of a grid that no coordinate tells apart: every line that does has |u| > 1 in the sum of its entries."""
    points = [(i, j) for i in range(3) for j in range(3)]
    if not several:
        return Dataset.of([[p] for p in points], labels=[str((i + 2 * j) % 3) for i, j in points])
    pairs = [(p, q) for p in points for q in points if p < q and sum(p) % 2 == 0]
    return Dataset.of([Sequence.of(pair, targets=[[k % 4, 1], [2, k % 3]]) for k, pair in enumerate(pairs)])


@pytest.mark.parametrize("method", ["shallow", "deep"])
@pytest.mark.parametrize("several", [False, True])
def test_the_margin_along_a_slanted_line(several: bool, method: str) -> None:
    data = slanted(several)
    built = construct(data, method=method, robust=True)
    margin = built.margin
    assert margin.radius is not None
    assert margin.radius > 0
    assert sum(map(abs, margin.direction)) == 2
    assert_survives(built, data, margin.radius, np.random.default_rng(0))
    if not several:
        assert_fails_close_beyond(built, data)


@pytest.mark.parametrize("method", ["shallow", "deep"])
@pytest.mark.parametrize("seed", [0, 1, 2, 5, 19, 23, 59])
def test_the_nearest_edge_is_not_always_the_first_one_met(seed: int, method: str) -> None:
    """Behind a hinge a token moves faster: one further from its edge may reach it before one that stands nearer."""
    rng = random.Random(seed)
    data = Dataset.of(
        [
            Sequence.of(
                [[rng.randint(0, 9) * rng.choice([1, 1, 3])] for _ in range(rng.randint(1, 4))],
                label=str(rng.randint(0, 1)),
            )
            for _ in range(rng.randint(2, 8))
        ]
    )
    built = construct(data, method=method, robust=True)
    assert built.report.hinges > 0
    assert built.margin.radius is not None
    assert_survives(built, data, built.margin.radius, np.random.default_rng(0))
    assert_fails_close_beyond(built, data)


@pytest.mark.parametrize("method", ["leaders", "paper", "compact"])
@pytest.mark.parametrize("several", [False, True])
def test_every_method_builds_along_a_slanted_line(several: bool, method: str) -> None:
    data = slanted(several)
    built = construct(data, method=method)
    for j, sequence in enumerate(data):
        assert outputs(built.transformer, sequence.tokens.rows()) == set(built.targets.state(j).rows())


@pytest.mark.parametrize("method", ["shallow", "deep"])
def test_tight_variants_have_margin_zero_and_fail_at_once(method: str) -> None:
    for family in ("random-classes", "windows", "random-targets"):
        data = sample(family, 5, 2, seed=2)
        built = construct(data, method=method)
        assert built.margin.radius == 0
        assert built.margin.failing is not None
        for shrink in (1, 1000, 10**30):
            assert_fails(built, data, built.margin.failing / shrink)


@pytest.mark.parametrize("method", ["leaders", "paper"])
def test_leader_methods_claim_no_margin(method: str) -> None:
    assert construct(sample("random-classes", 5, 2), method=method).report.margin == 0


def test_no_perturbation_matters_where_all_targets_agree() -> None:
    data = Dataset.of([Sequence.of([[j, 0], [1, j]], label="same") for j in range(4)])
    built = construct(data)
    assert built.margin.radius is None
    assert built.report.json()["margin"] == "unbounded"
    assert outputs(built.transformer, [[10**6, -5]]) == set(built.targets.state(0).rows())


def test_the_margin_is_that_of_the_nearest_sequences() -> None:
    """[0] and [10] with different labels: the ramp lies in the middle fifth of the gap, so the radius is between 4 and 5."""
    data = Dataset.of([Sequence.of([[0]], label="a"), Sequence.of([[10]], label="b")])
    for method in ("shallow", "deep"):
        radius = construct(data, method=method, robust=True).margin.radius
        assert radius is not None
        assert 4 <= radius < 5


@pytest.mark.parametrize("attention", ["hardmax", "softmax"])
@pytest.mark.parametrize("method", ["shallow", "deep"])
@pytest.mark.parametrize("family", [*CLASSIFICATIONS, "random-targets", "targets-are-inputs"])
def test_the_certificate_claims_the_margin_and_the_checker_proves_it(
    tmp_path: Path, family: str, method: str, attention: str
) -> None:
    data = sample(family, n=6, d=2, seed=5)
    built = construct(data, method=method, robust=True, attention=attention)
    radius = built.margin.radius
    assert radius is not None
    assert radius > 0
    built.certify(tmp_path / "c.jsonl")
    assert Certificate.open(tmp_path / "c.jsonl").margin == radius
    assert check(tmp_path / "c.jsonl").verdict == "accepted"
    far = replace(built, margin=replace(built.margin, radius=2 * radius))
    far.certify(tmp_path / "far.jsonl")
    assert check(tmp_path / "far.jsonl").verdict == "rejected"


def test_without_plateaus_no_margin_is_claimed(tmp_path: Path) -> None:
    built = construct(sample("random-classes", n=6, d=2, seed=5))
    built.certify(tmp_path / "c.jsonl")
    assert Certificate.open(tmp_path / "c.jsonl").margin is None
    assert b"margin" not in (tmp_path / "c.jsonl").read_bytes()


#: sequences on the line with their targets, and the radius: a token further from its edge than another reaches it first
STEEP: list[tuple[list[list[int]], list[list[int]], str]] = [
    ([[2], [10, 6, 0, 1], [5, 7], [3, 1]], [[2], [0], [1], [1, 2]], "3/70"),
    ([[2, 8], [3, 4, 0, 11], [8, 6, 6, 7], [6, 9, 5], [1, 9]], [[0], [1], [2], [2], [2]], "1/9"),
    ([[2, 10, 9, 9], [0, 1, 0, 10], [4, 10], [11, 3]], [[1], [2], [2], [1]], "1/9"),
    ([[7], [2, 6, 7], [6, 1], [0, 5, 4, 0], [7, 0]], [[0], [0], [0, 2], [1, 2], [0, 2]], "6/73"),
]


@pytest.mark.parametrize("method", ["shallow", "deep"])
@pytest.mark.parametrize(("sequences", "targets", "radius"), STEEP)
def test_hinges_make_tokens_reach_far_edges_before_near_ones(
    sequences: list[list[int]], targets: list[list[int]], radius: str, method: str
) -> None:
    data = Dataset.of(
        [
            Sequence.of([[x] for x in tokens], targets=[[y] for y in wanted])
            for tokens, wanted in zip(sequences, targets, strict=True)
        ]
    )
    built = construct(data, method=method, robust=True)
    assert built.margin.radius == built.report.margin == Fraction(radius)
    assert_survives(built, data, Fraction(radius), np.random.default_rng(0))
