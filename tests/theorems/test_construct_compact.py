"""Method compact: exact on every family with one target per sequence, of the order of sqrt(N) numbers, and refutable."""

from __future__ import annotations

import hashlib
import json
import math
import random
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from construct_definition import assert_interpolates
from hypothesis import given, settings
from hypothesis import strategies as st
from labelled_data import SINGLE, coloured, random_data

import exactformer as ef
from exactformer.constructions.built_transformer import Built
from exactformer.constructions.methods.compact.arcs import Arcs
from exactformer.constructions.methods.compact.method import MOST_LABELS, best_size, expected_doublings
from exactformer.constructions.methods.compact.slope_memory import Memory
from exactformer.constructions.scramble import scale_into_unit, scramble
from exactformer.errors import InvalidInput, NoConstruction
from exactformer.instances.dataset_families import FAMILIES, sample
from exactformer.model.dataset import Dataset


def assert_counted(built: Built) -> None:
    """P = (means) + 3 + 4(K + L) + 3(G - 1) + 1 + name, and the figures of the report are those of the blocks."""
    report, stages = built.report, built.stages
    assert report.compact is not None
    by_stage: dict[str, list[int]] = {}
    for stage, block in zip(stages, built.transformer, strict=True):
        by_stage.setdefault(stage, []).append(block.parameters)
    assert set(by_stage["read"]) == {4}
    assert set(by_stage.get("scramble", [4])) == {4}
    assert sum(by_stage["scale"]) <= 3
    assert sum(by_stage["write"]) <= 3 * report.compact.groups + 2
    assert report.blocks == len(stages) == report.bound
    once = {block: block.parameters for block in built.transformer}
    assert report.looped_parameters == sum(once.values())


@pytest.mark.parametrize("dim", [1, 3])
@pytest.mark.parametrize("family", SINGLE)
def test_families(family: str, dim: int) -> None:
    data = coloured(sample(family, 12, dim, dim), 2)
    built = ef.construct(data, method="compact", attention="softmax")
    assert_interpolates(built, data)
    assert_counted(built)


@pytest.mark.parametrize("dim", [1, 3])
@pytest.mark.parametrize("family", [f for f in FAMILIES if f not in SINGLE])
def test_several_targets(family: str, dim: int) -> None:
    """Every token has a key of its own then; uniform attention all the same."""
    data = sample(family, 6, dim, dim)
    built = ef.construct(data, method="compact", attention="softmax")
    assert_interpolates(built, data)
    assert all(block.self_attention is None or block.self_attention.is_uniform for block in built.transformer)


def test_several_targets_take_fewer_numbers_than_the_curve_of_shallow(tmp_path: Path) -> None:
    rng = random.Random(4)
    points = [[Fraction(rng.randint(-9, 9), 2) for _ in range(2)] for _ in range(4)]
    rows = [[[rng.randint(-(10**4), 10**4) for _ in range(2)] for _ in range(5)] for _ in range(60)]
    data = Dataset.of([ef.Sequence.of([*x, x[0]], targets=rng.sample(points, rng.randint(1, 4))) for x in rows])
    built = ef.construct(data, method="compact")
    assert built.report.compact is not None
    assert 3 * built.report.parameters < built.report.compact.shallow_parameters
    built.certify(tmp_path / "c.jsonl")
    assert ef.check(tmp_path / "c.jsonl").verdict == "accepted"


def test_the_same_targets_for_all_are_stored_and_one_target_for_all_is_not() -> None:
    rows = [[[0], [3]], [[1], [2], [7]]]
    data = Dataset.of([ef.Sequence.of(x, targets=[[1], [5]]) for x in rows])
    assert_interpolates(ef.construct(data, method="compact"), data)
    with pytest.raises(NoConstruction, match="nothing to store"):
        ef.construct(Dataset.of([ef.Sequence.of(x, targets=[[1]]) for x in rows]), method="compact")


@pytest.mark.parametrize("family", ["windows", "equal-means", "multiplicities", "float-tokens"])
def test_three_classes_of_means_that_coincide_or_are_long(family: str) -> None:
    data = coloured(sample(family, 30, 2, 5), 3)
    assert_counted(ef.construct(data, method="compact"))


@pytest.mark.parametrize("count", [2, 3, 5])
def test_few_sequences(count: int) -> None:
    data = coloured(sample("one-token", count, 1), count)
    assert_interpolates(ef.construct(data, method="compact"), data)


def test_two_classes_take_under_ten_square_roots() -> None:
    """The constants of the page, on data of a size, dimension and seed of their own."""
    for count, dim, seed in ((150, 1, 7), (200, 3, 8)):
        report = ef.construct(random_data(count, 2, dim=dim, seed=seed), method="compact").report
        assert report.parameters < 8 * math.sqrt(count)
        assert report.compact is not None
        assert report.information_bits <= count <= report.weight_bits
        assert report.parameters < report.compact.shallow_parameters / 3


def test_skewed_labels_cost_their_entropy() -> None:
    data = random_data(160, 2, seed=3)
    rare = Dataset(data.tokens, data.offsets, [str(int(x)) for x in np.random.default_rng(3).random(160) < 0.05])
    even, skewed = (ef.construct(d, method="compact").report for d in (data, rare))
    assert skewed.information_bits < 0.5 * even.information_bits
    assert skewed.parameters < 0.8 * even.parameters


def test_an_arithmetic_progression_with_tiny_gaps() -> None:
    rng = random.Random(0)
    rows = [[[10**9 + j]] for j in range(60)] + [[[0]], [[2 * 10**9 + 7]]]
    data = Dataset.of([ef.Sequence.of(x, label=str(rng.randint(0, 1))) for x in rows])
    report = ef.construct(data, method="compact").report
    assert report.compact is not None
    assert report.compact.groups < 14


def test_gaps_that_no_float_holds() -> None:
    """Slopes of 2^1100 and widths of 2^-1100: the search measures them relative to the group."""
    rng = random.Random(0)
    rows = [[[Fraction(1, 2) + Fraction(j, 10**330)]] for j in range(60)] + [[[0]], [[1]]]
    data = Dataset.of([ef.Sequence.of(x, label=str(rng.randint(0, 1))) for x in rows])
    report = ef.construct(data, method="compact").report
    assert report.compact is not None
    assert report.compact.groups < 14


def test_measures_that_a_fixed_scramble_merges() -> None:
    """The tents with slopes 31/16 and 29/16 merge these for ever; other slopes, or hinges, do not."""
    parts = [(["89/900"], "0"), (["629/900"], "1"), ([0, "3/4"], "0"), (["1/8", "5/8"], "1")]
    data = Dataset.of([ef.Sequence.of([[x] for x in tokens], label=label) for tokens, label in parts])
    for seed in range(5):
        assert_interpolates(ef.construct(data, method="compact", seed=seed), data)


def test_labels_anywhere_in_space() -> None:
    data = random_data(40, 3, seed=4)
    targets = {"0": ["1/3", -7], "1": [5, "2/7"], "2": [0, 0]}
    built = ef.construct(data, method="compact", label_targets=targets)
    assert_interpolates(built, data)
    assert_counted(built)


@pytest.mark.parametrize("groups", [1, 2, 7, 40])
def test_the_dial(groups: int) -> None:
    """At most G slopes hold the labels; with one slope the looped network does not grow with N."""
    data = random_data(40, 2, seed=6)
    report = ef.construct(data, method="compact", groups=groups).report
    assert report.compact is not None
    assert 1 <= report.compact.groups <= groups
    if groups == 1:
        assert report.looped_parameters <= 25


@pytest.mark.slow
def test_one_slope_for_eighty_labels() -> None:
    """Beyond what LLL does well, but no more than about two bits a label."""
    built = ef.construct(random_data(80, 2, seed=80), method="compact", groups=1)
    assert built.report.compact is not None
    assert built.report.compact.groups == 1
    assert built.stages.count("read") <= 200


@settings(max_examples=12, deadline=None)
@given(st.lists(st.tuples(st.lists(st.integers(-3, 3), min_size=1, max_size=3), st.booleans()), min_size=2, max_size=9))
def test_random_small_data(parts: list[tuple[list[int], bool]]) -> None:
    """Feasible data with one target per sequence and two classes are never refused."""
    data = Dataset.of([ef.Sequence.of([[x] for x in tokens], label=str(label)) for tokens, label in parts])
    try:
        ef.construct(data)
    except NoConstruction:
        with pytest.raises(NoConstruction):
            ef.construct(data, method="compact")
        return
    if len({label for _, label in parts}) == 1:
        with pytest.raises(NoConstruction, match="shallow works here"):
            ef.construct(data, method="compact")
        return
    assert_interpolates(ef.construct(data, method="compact"), data)


def certificate(built: Built, path: Path, change: int | None = None) -> str:
    """The verdict on the certificate, after jump number `change` of the write block gets one more in its last bit."""
    built.certify(path)
    if change is not None:
        lines = path.read_text().splitlines()
        k = 1 + built.stages.index("write")
        block = json.loads(lines[k])
        weights = next(row for row in block["feed_forward"]["W"] if row[change] != "0")
        jump = Fraction(weights[change])
        weights[change] = str(jump + Fraction(1, jump.denominator))
        lines[k] = json.dumps(block, separators=(",", ":"))
        body = "\n".join(lines[:-1]) + "\n"
        end = {"end": True, "sha256": hashlib.sha256(body.encode()).hexdigest()}
        path.write_text(body + json.dumps(end, separators=(",", ":")) + "\n")
    return ef.check(path).verdict


def test_a_slope_changed_in_its_last_bit_is_rejected(tmp_path: Path) -> None:
    data = random_data(60, 2, length=2, seed=9)
    built = ef.construct(data, method="compact")
    assert built.report.compact is not None
    assert certificate(built, tmp_path / "c.jsonl") == "accepted"
    assert built.report.compact.groups > 3
    for change in range(built.report.compact.groups - 2):  # the last group may be a key or two beside its cut
        assert certificate(built, tmp_path / "c.jsonl", change) == "rejected"


def test_one_label_changed_is_rejected(tmp_path: Path) -> None:
    data = random_data(30, 2, seed=2)
    built = ef.construct(data, method="compact")
    flipped = Dataset(data.tokens, data.offsets, [str(1 - int(data.labels[0])), *data.labels[1:]])
    built.certify(tmp_path / "c.jsonl")
    assert ef.check(tmp_path / "c.jsonl").verdict == "accepted"
    wrong = Built(built.transformer, built.report, built.margin, flipped, ef.construct(flipped).targets, built.stages)
    wrong.certify(tmp_path / "d.jsonl")
    assert ef.check(tmp_path / "d.jsonl").verdict == "rejected"


def test_the_same_seed_gives_the_same_network() -> None:
    data = random_data(50, 2)
    first, second = (ef.construct(data, method="compact", seed=5).transformer for _ in range(2))
    assert first == second


def test_what_it_is_not_for() -> None:
    data = random_data(10, 2)
    for options in ({"groups": 0}, {"groups": 11}, {"groups": 2.5}, {"robust": True}):
        with pytest.raises(InvalidInput):
            ef.construct(data, method="compact", **options)
    with pytest.raises(InvalidInput, match="compact"):
        ef.construct(data, groups=3)


def test_arcs_have_the_frequencies_of_their_classes() -> None:
    arcs = Arcs.of({0: 10, 1: 60, 2: 30}, first=2)
    assert arcs.order == (2, 0, 1)
    assert arcs.edges[0] == 0
    assert arcs.edges[-1] == 1
    assert [round(float(b - a), 1) for a, b in zip(arcs.edges, arcs.edges[1:], strict=False)] == [0.3, 0.1, 0.6]
    assert not arcs.aim(1).two_sided
    assert arcs.aim(0).two_sided


def test_one_key_alone_always_has_a_slope() -> None:
    """The proposition behind `this always ends`, on keys with gaps from 1 to 10^-30."""
    rng = np.random.default_rng(0)
    denominator = 10**30
    numerators = sorted({int(rng.integers(1, 10**6)) * 10 ** int(rng.integers(0, 24)) for _ in range(30)})
    arcs = Arcs.of({0: 1, 1: 1, 2: 1})
    aims = [arcs.aim(int(rng.integers(0, 3))) for _ in numerators]
    memory = Memory(numerators, denominator, aims, 4, 1, 1)
    pieces = memory.write(1, len(numerators), rng)
    assert sum(piece.count for piece in pieces) == len(numerators)
    start = 0
    for piece in pieces:
        assert memory.serves(piece, start)
        phase = Fraction(1, 2) if aims[start].two_sided else Fraction(1)  # moves the key into another arc
        turn = phase / (16 * (memory.key(start) - piece.cut))
        assert not memory.serves(replace(piece, slope=piece.slope + turn, limit=piece.cut), start)
        assert not memory.serves(replace(piece, value=piece.value + 2), start), "f leaves [0, 1]"
        start += piece.count


def test_scramble_keeps_points_apart_inside_the_unit_interval() -> None:
    points = [Fraction(j, 64) for j in range(4, 60)]
    keys = scramble(points, 9, 6, np.random.default_rng(1))
    assert len(set(keys.numerators)) == len(points)
    assert all(0 <= x <= keys.denominator for x in keys.numerators)
    assert Fraction(7, 4) < keys.right < keys.left < 2


@pytest.mark.parametrize(("low", "high"), [(0, 0), (-(10**40), 10**40), (Fraction(1, 10**400), Fraction(2, 10**400))])
def test_scale(low: Fraction, high: Fraction) -> None:
    alpha, kappa = scale_into_unit(Fraction(low), Fraction(high))
    for x in (low, high):
        assert Fraction(1, 16) <= alpha * x + kappa <= Fraction(15, 16)


@pytest.mark.parametrize(
    ("bits", "doublings"),
    [(1.0, [4, 8, 8, 12, 40, 56, 57, 83, 377]), (2.5, [4, 8, 17, 38, 111, 153, 156, 198, 684])],
)
def test_doublings_grow_with_the_labels_of_a_slope_and_faster_from_52_on(bits: float, doublings: list[int]) -> None:
    assert [expected_doublings(size, bits) for size in (1, 2, 8, 16, 40, 52, 53, 60, 128)] == doublings


@pytest.mark.parametrize("bits", [1.0, 1.7, 2.5])
@pytest.mark.parametrize("count", [1, 2, 3, 9, 10, 60, 1000, 200_000])
def test_a_slope_holds_as_many_labels_as_make_the_numbers_fewest(bits: float, count: int) -> None:
    cost = {b: 3 * count / b + 4 * expected_doublings(b, bits) for b in range(1, min(count, MOST_LABELS) + 1)}
    assert cost[best_size(count, bits)] == min(cost.values())


def test_no_slope_is_asked_for_more_labels_than_it_may_hold(monkeypatch: pytest.MonkeyPatch) -> None:
    data = random_data(12, 2, seed=3)
    monkeypatch.setattr("exactformer.constructions.methods.compact.method.MOST_LABELS", 4)
    report = ef.construct(data, method="compact", groups=1).report
    assert report.compact is not None
    assert 1 < report.compact.groups <= 3
