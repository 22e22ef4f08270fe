"""What the parts of constructions promise, compared with the definition: layers on an axis, norms, bounds, sums."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import pairwise
from typing import Any

import numpy as np
import pytest

from exactformer.arithmetic.state import State
from exactformer.constructions.axis import flatten, tent, units_on
from exactformer.constructions.balance import _exponents, _measured, balanced
from exactformer.constructions.disjoint_sets import Rotation, Separated
from exactformer.constructions.distinct_means import _splitting_ranks, _Tails, separating_hinges, sums
from exactformer.constructions.empirical_measures import Supports, supports
from exactformer.constructions.families import sample
from exactformer.constructions.line import along, injective_line
from exactformer.constructions.methods.paper import slab_width
from exactformer.constructions.methods.soft_leaders import REACH, LeaderStage, _least_gap, sufficient_scale
from exactformer.constructions.nodes import least_spread, of_list
from exactformer.constructions.pipeline import construct
from exactformer.constructions.placement import safe_base
from exactformer.constructions.rotation import rotation_layers
from exactformer.errors import NoConstruction
from exactformer.model.feed_forward import FeedForward
from exactformer.model.norms import norm2
from exactformer.model.transformer import Block, Transformer

F = Fraction


# ---------------------------------------------------------------- layers on an axis


@pytest.mark.parametrize(("dim", "count"), [(1, 1), (3, 5), (3, 1400), (70, 60)])
def test_units_on_an_axis_act_on_their_coordinate_alone_however_many_they_are(dim: int, count: int) -> None:
    """x -> eta x + e sum w relu(s <e, x> + b), written out or as a product of a column and a row."""
    rng = np.random.default_rng(count)
    slopes, biases, weights = ([F(int(v), 3) for v in rng.integers(-5, 6, count)] for _ in range(3))
    axis = dim - 1
    layer = units_on([int(i == axis) for i in range(dim)], F(1, 2), slopes, biases, weights)
    for _ in range(3):
        x = [F(int(v), 4) for v in rng.integers(-9, 10, dim)]
        parts = zip(slopes, biases, weights, strict=True)
        added = sum(w * max(F(0), s * x[axis] + b) for s, b, w in parts)
        assert list(layer.apply(x)) == [v / 2 + (i == axis) * added for i, v in enumerate(x)]


def test_flattening_and_tents_are_the_maps_they_say() -> None:
    layer = flatten((1, 2), (0, 1), F(1, 3), 5)
    assert list(layer.apply([F(-1), F(4)])) == [0, F(1, 3) * 7 + 5]
    assert list(layer.apply([F(-90), F(0)])) == [0, 0]
    fold = tent((0, 1), F(3, 2), F(5, 4))
    for z in (F(0), F(1, 4), F(1, 2), F(3, 4), F(1)):
        value = F(3, 2) * z if z <= F(1, 2) else F(3, 4) - F(5, 4) * (z - F(1, 2))
        assert list(fold.apply([F(0), z])) == [0, value]


# ---------------------------------------------------------------- norms

#: layers (eta, U, b, W) at which descent in ideal costs would end at a larger norm, once factors are powers of two
STUBBORN: list[list[tuple[Any, ...]]] = [
    [(0, [["5/2"]], [3], [[4]]), (1, [["5/2"]], [3], [["8/3"]])],
    [(1, [["3/2"]], [1], [[2]]), (1, [["4/3"], [3]], [3, 0], [[3, 3]])],
    [(0, [["7/3"], ["8/3"]], [2, 3], [[3, 2]]), (0, [["5/2"], ["3/2"]], [1, 3], [["5/2", "8/3"]])],
]


@pytest.mark.parametrize("layers", STUBBORN)
def test_balance_leaves_alone_what_it_cannot_improve(layers: list[tuple[Any, ...]]) -> None:
    given = Transformer(1, [Block(FeedForward(*layer)) for layer in layers])
    found = balanced(given)
    assert norm2(found).high <= norm2(given).high
    for x in ([[-2]], [["1/3"]], [[7]]):
        assert found(x).rows() == given(x).rows()


# ---------------------------------------------------------------- bounds


@pytest.mark.parametrize("family", ["random-targets", "windows", "nested", "coinciding-targets", "one-token"])
@pytest.mark.parametrize("width", [1, 3])
@pytest.mark.parametrize("robust", [False, True])
def test_the_bound_is_that_of_the_theorem_and_kept(family: str, width: int, robust: bool) -> None:
    data = sample(family, 5, 2, 1)
    for method in ("shallow", "deep", "leaders", "paper"):
        if robust and method in ("leaders", "paper"):
            continue
        try:
            report = construct(data, method=method, width=width, robust=robust).report
        except NoConstruction:
            continue
        distinct = [len(set(sequence.tokens.rows())) for sequence in data]
        wanted = [1 if data.labels is not None else len(set(data.targets_of(j).rows())) for j in range(len(data))]
        total, several = sum(wanted), max(wanted) > 1
        nodes = total + several * sum(m < n for m, n in zip(wanted, distinct, strict=True))
        nodes = 2 * total if robust else nodes
        proved = {
            "shallow": 2,
            "deep": math.ceil((report.hinges + 1) / width) + math.ceil(nodes / width),
            "leaders": max(1, len(data) - 1) + math.ceil(nodes / 4),
            "paper": 2 * total + 2 * len(data) + 1,
        }[method]
        assert report.bound == proved or (method == "deep" and not robust and report.bound < proved)
        assert report.blocks <= report.bound
        assert report.paper_bound == 2 * total + 2 * len(data) + 1


# ---------------------------------------------------------------- sums of long numbers


@pytest.mark.parametrize("bits", [10, 58, 59, 60, 61, 62, 90])
def test_sums_over_measures_are_those_of_the_definition_for_numbers_of_any_length(bits: int) -> None:
    rng = np.random.default_rng(bits)
    drawn = sorted({int.from_bytes(rng.bytes(16), "big") % (1 << bits) for _ in range(12)} | {(1 << bits) - 1})
    values = np.array(drawn, dtype=np.int64 if bits < 63 else object)
    ranks = [sorted(rng.choice(len(drawn), 9, replace=False).tolist()) for _ in range(4)]
    counts = [rng.integers(1, 3, 9).tolist() for _ in range(4)]
    measures = Supports(np.arange(0, 37, 9), np.concatenate(ranks), np.concatenate(counts))
    totals, numbers = sums(measures, values)
    assert totals.tolist() == [
        sum(n * drawn[r] for r, n in zip(*m, strict=True)) for m in zip(ranks, counts, strict=True)
    ]
    assert numbers.tolist() == list(map(sum, counts))
    tails = _Tails(measures, values)
    for c in range(len(drawn)):
        expected = [
            sum(n * max(0, drawn[r] - drawn[c]) for r, n in zip(*m, strict=True))
            for m in zip(ranks, counts, strict=True)
        ]
        assert tails.at(np.arange(4), c).tolist() == expected
    hinges = separating_hinges(measures, values, rng)
    images = hinges.apply(values).tolist()
    for s, image in zip(drawn, images, strict=True):
        assert image == s + sum(w * max(0, s - drawn[r]) for r, w in zip(hinges.ranks, hinges.weights, strict=True))


# ---------------------------------------------------------------- classes


def test_the_class_at_the_origin_costs_extraction_nothing_whatever_its_name() -> None:
    rng = np.random.default_rng(0)
    data = [rng.integers(-20, 21, (3, 4)).tolist() for _ in range(9)]
    points = {"a": [0] * 4, "b": [1, 0, 2, 0], "c": [0, 3, 0, 1]}
    labels = [str(name) for name in rng.choice(list(points), 9)]
    first, last = (
        construct(data, labels=[label.translate(names) for label in labels], method="extraction",
                  label_targets={label.translate(names): point for label, point in points.items()})
        for names in ({}, str.maketrans("a", "z"))
    )  # fmt: skip
    assert first.transformer == last.transformer
    assert first.report.parameters == last.report.parameters


# ---------------------------------------------------------------- room on the line


@pytest.mark.parametrize("targets", [[0], [F(1, 2), 0], [3, F(-7, 2)], [F(9, 4), 2], [-5]])
@pytest.mark.parametrize("method", ["deep", "leaders"])
def test_tokens_wait_above_every_target_and_no_higher_than_needed(targets: list[Any], method: str) -> None:
    line = injective_line(State.of([[0], [1]]), np.random.default_rng(0))
    base = safe_base(line, [(F(y),) for y in targets])
    assert base >= 1
    assert all(base - 1 > y for y in targets)
    assert base == 1 or not all(base - 2 > y for y in targets)
    data = [[[k]] for k in range(len(targets))]
    for order in (targets, targets[::-1]):
        built = construct(data, targets=[[y] for y in order], method=method, width=1)
        assert [built.transformer(x).rows() for x in data] == [[(F(y),)] for y in order]


@pytest.mark.parametrize("seed", range(12))
def test_the_spread_with_room_keeps_neighbours_apart_by_half_the_distance_of_their_means(seed: int) -> None:
    rng = np.random.default_rng(seed)
    drawn = {tuple(sorted(rng.integers(0, 40, 3).tolist())) for _ in range(5)}
    rows = [row for _, row in sorted({sum(row): row for row in drawn}.items())]
    low, high, total, three = (
        np.array(x, dtype=object)
        for x in ([r[0] for r in rows], [r[2] for r in rows], list(map(sum, rows)), [3] * len(rows))
    )

    def apart(m: int) -> bool:
        means = [F(sum(row), 3) for row in rows]
        steps = [(b[0] + m * y - a[2] - m * x, y - x) for (a, x), (b, y) in pairwise(zip(rows, means, strict=True))]
        return all(2 * gap > distance for gap, distance in steps)

    found = least_spread(total, three, low, high, room=True)
    assert apart(found)
    assert not any(apart(m) for m in range(found))


@pytest.mark.parametrize("longest", [1, 7, 1000, 10**6])
def test_the_scale_of_soft_leaders_satisfies_the_inequalities_of_its_proof(longest: int) -> None:
    """eps = n 2^-e with 7e/10 <= scale (least - mu)(lead - mu), and eps (span + mu) <= mu / prod(1 + M)."""
    stages = [
        LeaderStage(F(1, 3), F(5), F(2), 3),
        LeaderStage(F(2), F(40), F(1, 2), 1),
        LeaderStage(F(1), F(7), F(3), 0),
    ]
    gap = F(1, 4)
    mu = min([F(2, 5) * gap, REACH, *(min(stage.lead, stage.least) / 2 for stage in stages if stage.shift)])
    scale, growth = sufficient_scale(stages, gap, longest), math.prod(1 + stage.shift for stage in stages)
    for stage in stages:
        e = math.floor(scale * (stage.least - mu) * (stage.lead - mu) * F(10, 7))
        if stage.shift:
            assert longest * (stage.span + mu) <= mu / growth * 2**e


@pytest.mark.parametrize(
    ("gap", "lead", "mu"), [("1/4", 3, "1/10"), (4, 3, "1/2"), (4, "3/5", "3/10"), ("5/8", 4, "1/4")]
)
def test_errors_stay_below_every_gap_lead_coordinate_and_reach(gap: Any, lead: Any, mu: Any) -> None:
    """One attention that acts: halvings e with 2^e >= n (1 + M)(span + mu)/mu, times 7/10, over both distances."""
    stage, longest = LeaderStage(F(lead), F(9), F(5), 2), 6
    mu = F(mu)
    e = math.ceil(math.log2(longest * 3 * (9 + mu) / mu))
    assert sufficient_scale([stage], F(gap), longest) == F(7 * e, 10) / ((5 - mu) * (F(lead) - mu))


@pytest.mark.parametrize(
    ("gaps", "least"),
    [((1, 9, 9, 9), "9/2"), ((1, 3, 9, 9), "3/2"), ((1, 9, 3, 9), "3/2"), ((1, None, 8, 9), 4), ((1, 9, 9, 2), 2)],
)
def test_the_least_gap_is_of_rotations_after_the_first_and_between_targets(gaps: Any, least: Any) -> None:
    *turns, between = gaps
    rotations = [Rotation(None if gap is None else 4, None if gap is None else 4 + gap, 20, 0, 1) for gap in turns]
    nodes = of_list([(F(0), 1), (F(1), 1), (F(1 + between), 0), (F(100), 1)], np.array([[0], [1]]), 1)
    separated = Separated(tuple(rotations), np.array([1]), np.array([1]))
    assert _least_gap(separated, nodes, 2) == F(least)


@pytest.mark.parametrize("inside", [False, True])
def test_rotations_lift_what_is_below_their_gap_and_leave_room_where_they_are_asked_to(inside: bool) -> None:
    """Over the scale 2: the first rotation turns at 3, the second, of coordinates that all have risen, at 17."""
    line = along(State.of([["-1/2", 9], ["3/2", 0], ["5/2", 1], [4, 0]]), ((1, 0), 0))
    turns = (Rotation(3, 5, 10, 7, 1), Rotation(17, 22, 16, -4, None), Rotation(None, None, 0, 6, None))
    for k, (layer, turn) in enumerate(zip(rotation_layers(line, turns, inside=inside), turns, strict=True)):
        assert layer is not None
        if turn.at is None or turn.gap is None or turn.successor is None:
            assert list(layer.apply([F(5), F(2)])) == [F(5) + F(turn.shift, 2), F(2)]
            continue
        room = F(2, 5) * turn.gap if inside else F(0)
        below = [F(-1), F(turn.at), turn.at + room]
        above = [turn.successor - room, F(turn.successor), F(turn.successor + 9)]
        for s, lift in [*((s, turn.lift) for s in below), *((s, 0) for s in above)]:
            after = [(s + lift + turn.shift) / 2, F(2) if k else F(0)]
            assert list(layer.apply([s / 2, F(2)])) == after


@pytest.mark.parametrize("seed", range(6))
def test_the_first_hinge_is_the_one_that_tells_most_measures_apart(seed: int) -> None:
    """All measures have the mean 5; a hinge is a token of the first two at which they differ."""
    rng = np.random.default_rng(seed)
    found: set[tuple[int, ...]] = set()
    while len(found) < 9:
        parts = sorted(int(x) for x in rng.integers(0, 11, 3))
        if 0 <= 20 - sum(parts) <= 10:
            found.add(tuple(sorted([*parts, 20 - sum(parts)])))
    sequences = [sorted(found)[k] for k in rng.permutation(9).tolist()]
    measures = supports(np.array([x for s in sequences for x in s]), np.arange(10) * 4)

    def means(c: int) -> list[int]:
        return [sum(max(0, x - c) for x in s) for s in sequences]

    kinks = [c for c in sorted({*sequences[0], *sequences[1]}) if means(c)[0] != means(c)[1]]
    first, *_ = _splitting_ranks(measures, np.arange(11), np.random.default_rng(0))
    assert first in kinks
    assert len(set(means(first))) == max(len(set(means(c))) for c in kinks)
    hinges = separating_hinges(measures, np.arange(11), np.random.default_rng(0))
    images = [sum(hinges.apply(np.arange(11)).tolist()[x] for x in s) for s in sequences]
    assert len(set(images)) == len(sequences)
    assert len(hinges) < len(sequences)


@pytest.mark.parametrize("method", ["shallow", "deep", "compact"])
def test_a_line_keeps_as_many_tokens_of_a_sequence_apart_as_it_has_targets(method: str) -> None:
    """The first coordinate tells the means apart, and merges the tokens of every sequence."""
    data = [[[j, k] for k in range(2)] for j in range(4)]
    wanted = [[[j, 7], [1, -j]] for j in range(4)]
    built = construct(data, targets=wanted, method=method)
    assert [set(built.transformer(x).rows()) for x in data] == [{tuple(map(F, y)) for y in some} for some in wanted]
    single = construct(data, labels=list("abab"), method=method)
    assert sum(single.transformer(x).rows()[0] == single.transformer(data[0]).rows()[0] for x in data) == 2


def test_slabs_around_tokens_are_as_wide_as_the_least_gap_and_at_most_one() -> None:
    """The least coordinate is at least 1, so that what lies at or below 0 is in no slab."""
    assert slab_width([[F(1), F(9)], [F(4)]]) == 1
    assert slab_width([[F(1), F(3, 2)], [F(4)]]) == F(1, 2)
    assert slab_width([[F(7)]]) == 1


def test_the_tokens_left_over_take_the_most_frequent_target() -> None:
    """Each sequence has a target of its own and one that all share; its other tokens go where most tokens go."""
    data = [[[10 * j + k] for k in range(4)] for j in range(5)]
    built = construct(data, targets=[[[0], [j + 1]] for j in range(5)], method="compact")
    outputs = [[row[0] for row in built.transformer(x).rows()] for x in data]
    assert [(some.count(0), some.count(j + 1)) for j, some in enumerate(outputs)] == [(3, 1)] * 5


@pytest.mark.parametrize("scale", [F(1, 64), F(1), F(64)])
def test_a_state_between_two_layers_has_the_best_power_of_two(scale: Fraction) -> None:
    """The first layer's output is scaled up where the second one's input is large, and down where it is small."""
    layers = [FeedForward(0, [[3]], [1], [[2 * scale]]), FeedForward(0, [[5 / scale]], [1], [[1]])]
    before, after = (_measured(layer, 1) for layer in layers)
    least = min(range(-30, 31), key=lambda k: before.cost(0, k) + after.cost(k, 0))
    assert _exponents([before, after]) == [0, least, 0]
    assert (least > 0) - (least < 0) == (scale < 1) - (scale > 1)
    model = Transformer(1, [Block(layer) for layer in layers])
    assert balanced(model)([[2], [7]]).rows() == model([[2], [7]]).rows()
