"""Every method interpolates every adversarial family within its bounds, or refuses it with the right witness."""

from __future__ import annotations

import math
from typing import Any

import pytest
from construct_definition import assert_interpolates, distinct_measures

from exactformer.constructions.built_transformer import Built
from exactformer.constructions.methods.table import METHODS as ALL_METHODS
from exactformer.constructions.pipeline import construct
from exactformer.errors import NoConstruction
from exactformer.instances.dataset_families import FAMILIES, sample
from exactformer.model.dataset import Dataset, Sequence

#: compact and extraction, for one target per sequence, have tests of their own
METHODS = {name: ALL_METHODS[name].tells_apart for name in ("shallow", "deep", "leaders", "paper")}

SHAPES = [(1, 1), (2, 2), (5, 1), (9, 3)]


def figures(data: Dataset, built: Built) -> dict[str, int]:
    """N, sum m and K from the definition, on the merged data (equal measures count once)."""
    seen: dict[Any, tuple[int, int]] = {}
    for j, sequence in enumerate(data):
        rows = sequence.tokens.rows()
        key = frozenset((x, rows.count(x) / len(rows)) for x in rows)
        seen[key] = (len(built.targets.sets[j]), len(set(rows)))
    total = sum(m for m, _ in seen.values())
    single = all(m == 1 for m, _ in seen.values())
    nodes = len(seen) if single else total + sum(m < tokens for m, tokens in seen.values())
    return {"N": len(seen), "m": total, "K": nodes}


def assert_within_bounds(data: Dataset, built: Built, width: int) -> None:
    """The proved numbers of blocks, units and parameters."""
    report, of = built.report, figures(data, built)
    assert report.blocks == len(built.transformer) <= report.bound
    assert report.hinges <= max(0, of["N"] - 1)
    paper = 2 * sum(map(len, built.targets.sets)) + 2 * len(data) + 1
    assert report.paper_bound == paper
    k, d = report.hinges, data.dim
    if report.method == "shallow":
        assert report.blocks == 2
        assert built.transformer.blocks[1].width <= of["K"]
        assert built.transformer.blocks[0].width == k
        assert report.parameters <= k * (d + 2) + of["K"] * (2 * d + 1) + 3 * d + 4
    elif report.method == "deep":
        assert report.width <= width
        assert report.blocks <= math.ceil((k + 1) / width) + math.ceil(of["K"] / width)
    elif report.method == "leaders":
        assert report.width <= 4
        assert report.attention_rank <= 1
        assert report.blocks <= max(1, of["N"] - 1) + math.ceil(of["K"] / 4)
    else:
        assert report.width <= 4
        assert report.blocks <= paper


def test_every_family_is_listed_with_a_reason() -> None:
    assert len(FAMILIES) >= 13
    assert all(family.__doc__ for family in FAMILIES.values())


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("family", FAMILIES)
def test_family_is_built_or_refused(family: str, method: str) -> None:
    for n, d in SHAPES:
        data = sample(family, n, d, seed=10 * n + d)
        if method == "paper" and d == 1:
            with pytest.raises(NoConstruction, match="dimension"):
                construct(data, method=method)
        elif family == "multiplicities" and METHODS[method] == "set" and n > 1:
            with pytest.raises(NoConstruction) as refusal:
                construct(data, method=method)
            assert {r.kind for r in refusal.value.reasons} == {"set"}
            assert [r.sequences for r in refusal.value.reasons] == [(0, j) for j in range(1, n)]
        else:
            built = construct(data, method=method)
            assert_interpolates(built, data)
            assert_within_bounds(data, built, 4)


@pytest.mark.parametrize("width", [1, 2, 3, 7, 1000])
@pytest.mark.parametrize("family", ["windows", "random-targets", "coinciding-targets", "random-classes"])
def test_the_dial_of_deep(family: str, width: int) -> None:
    data = sample(family, 7, 2, seed=3)
    built = construct(data, method="deep", width=width)
    assert_interpolates(built, data)
    assert_within_bounds(data, built, width)
    if width == 1000:
        assert built.report.blocks == 2


@pytest.mark.parametrize("method", ["shallow", "deep"])
@pytest.mark.parametrize("family", FAMILIES)
def test_robust_variants_interpolate(family: str, method: str) -> None:
    data = sample(family, 6, 2, seed=1)
    built = construct(data, method=method, robust=True)
    assert_interpolates(built, data)
    if method == "shallow":
        assert built.report.width <= max(1, 2 * figures(data, built)["m"] - 1)


@pytest.mark.parametrize("n", [2, 3, 6, 17])
def test_windows_need_exactly_one_hinge_per_pair(n: int) -> None:
    data = sample("windows", n, 1)
    assert distinct_measures(data) == n
    for seed in range(3):
        assert construct(data, seed=seed).report.hinges == n - 1


def test_no_fewer_hinges_can_tell_windows_apart() -> None:
    """Each copy differs from the base only where no other copy does, so a hinge serves one pair at most."""
    data = sample("windows", 5, 1)
    base = data[0].tokens.rows()
    for w in range(1, 5):
        copy = data[w].tokens.rows()
        for c4 in range(4 * 20):
            gap = [sum(max(x[0] - c4 / 4, 0) for x in rows) for rows in (base, copy)]
            assert (gap[0] != gap[1]) == (4 * (w - 1) < c4 / 4 < 4 * (w - 1) + 3)


def test_random_data_need_no_hinge_and_one_separating_block() -> None:
    """Greedy choices beat the bounds on random data."""
    data = sample("random-classes", 40, 3, seed=5)
    reports = {m: construct(data, method=m).report for m in METHODS}
    assert reports["shallow"].hinges == 0
    assert reports["leaders"].blocks <= 1 + 10 + 2 < reports["leaders"].bound
    assert reports["deep"].blocks <= 11 < reports["deep"].paper_bound
    assert reports["paper"].blocks < reports["paper"].paper_bound / 2


def test_parameters_do_not_depend_on_the_lengths() -> None:
    short = sample("random-classes", 12, 2, seed=8)
    long = Dataset.of([Sequence.of([x for x in s.tokens.rows() for _ in range(10)], label=s.label) for s in short])
    assert construct(long).report.parameters == construct(short).report.parameters
    rows = [[[(7 * i * i + 31 * j) % 1009, (5 * i + j * j) % 997] for i in range(40)] for j in range(12)]
    other = Dataset.of([Sequence.of(x, label=s.label) for x, s in zip(rows, short, strict=True)])
    built = construct(other)
    assert_interpolates(built, other)
    assert_within_bounds(other, built, 4)


def test_bits_stay_small_on_small_rationals() -> None:
    for family in ("random-classes", "random-targets"):
        for method in METHODS:
            assert construct(sample(family, 60, 2, seed=2), method=method).report.max_bits < 100


def test_the_same_weights_serve_softmax_at_every_temperature() -> None:
    from exactformer.model.attention import SelfAttention
    from exactformer.model.transformer import Block, Transformer

    data = sample("random-classes", 4, 2, seed=0)
    built = construct(data)
    for beta in ("1/3", 20):
        blocks = []
        for block in built.transformer:
            sa = block.self_attention
            soft = None if sa is None else SelfAttention(sa.rho, sa.V, sa.Q, sa.K, beta)
            blocks.append(Block(block.feed_forward, soft))
        assert_interpolates_softly(Transformer(2, blocks), built, data)


def assert_interpolates_softly(transformer: Any, built: Built, data: Dataset) -> None:
    for j, sequence in enumerate(data):
        assert {tuple(x) for x in transformer.by_definition(sequence.tokens)} == set(built.targets.state(j).rows())
