"""Tables of what constructions answer: points of labels, arcs of classes, choices of attention, reasons, bounds."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import pairwise
from typing import Any

import numpy as np
import pytest

from exactformer.arithmetic.state import State
from exactformer.constructions.arcs import Aim, Arcs
from exactformer.constructions.attention_choice import AttentionChoice
from exactformer.constructions.axis import units_on
from exactformer.constructions.balance import balanced
from exactformer.constructions.disjoint_sets import Rotation
from exactformer.constructions.empirical_measures import distinct_points
from exactformer.constructions.families import sample
from exactformer.constructions.nodes import of_list, plateaus, ramp
from exactformer.constructions.pipeline import construct
from exactformer.constructions.scramble import draw_slopes, fold, slope_bits
from exactformer.constructions.targets import targets_of
from exactformer.constructions.trace import trace_of
from exactformer.constructions.verification import WrongTransformer, verify_encloses
from exactformer.errors import InvalidInput, NoConstruction, NotExact
from exactformer.model.attention import SelfAttention
from exactformer.model.dataset import Dataset, Sequence
from exactformer.model.feed_forward import FeedForward
from exactformer.model.matrix import Dense, Outer
from exactformer.model.norms import norm2
from exactformer.model.temperatures import Temperatures
from exactformer.model.transformer import Block, Transformer

F = Fraction


def on_a_line(*pairs: tuple[list[Any], list[Any]]) -> Dataset:
    return Dataset.of(Sequence.of([[v] for v in x], [[v] for v in y]) for x, y in pairs)


def labelled(*pairs: tuple[list[Any], str]) -> Dataset:
    return Dataset.of(Sequence.of([v if isinstance(v, list) else [v] for v in x], label=y) for x, y in pairs)


# ---------------------------------------------------------------- targets

THREE = labelled(([1], "c"), ([2], "a"), ([3], "b"), ([4], "a"))


def test_labels_stand_for_their_place_in_the_alphabet() -> None:
    found = targets_of(THREE)
    assert (found.points.tolist(), found.scale, found.sets) == ([[0], [1], [2]], 1, ((2,), (0,), (1,), (0,)))
    chosen = targets_of(THREE, {"a": ["1/2"], "c": [3], "b": ["-1/3"], "unused": [0]})
    assert [chosen.state(j).rows() for j in range(4)] == [[(3,)], [(F(1, 2),)], [(F(-1, 3),)], [(F(1, 2),)]]


@pytest.mark.parametrize(
    ("points", "words"),
    [
        ({"a": [1], "b": [2], "c": [1]}, "got one point twice"),
        ({"a": [2], "b": [2], "c": [1]}, "got one point twice"),
        ({"a": [1], "b": ["2/2"], "c": ["4/4"]}, "got one point twice"),
        ({"a": [1]}, "got none for ['b', 'c']"),
        ({"a": [1, 0], "b": [2, 0], "c": [3, 0]}, "expected points of dimension 1, got 2"),
    ],
)
def test_labels_need_points_of_their_own(points: dict[str, list[Any]], words: str) -> None:
    with pytest.raises(InvalidInput) as refusal:
        targets_of(THREE, points)
    assert words in str(refusal.value)


def test_target_sets_are_read_once_whatever_their_order() -> None:
    found = targets_of(on_a_line(([1, 2], [7, "1/2"]), ([3, 4], ["2/4", 7, "1/2"]), ([5], [9])))
    assert found.sets == ((0, 1), (0, 1), (2,))
    assert [found.state(j).rows() for j in range(3)] == [[(7,), (F(1, 2),)], [(7,), (F(1, 2),)], [(9,)]]
    with pytest.raises(InvalidInput, match="leave them out"):
        targets_of(on_a_line(([1], [2])), {"a": [1]})
    with pytest.raises(InvalidInput, match="got a data set with neither"):
        targets_of(Dataset.of([[[1]], [[2]]]))


# ---------------------------------------------------------------- arcs


@pytest.mark.parametrize(
    ("counts", "first", "order"),
    [
        ({0: 3, 1: 1}, None, (0, 1)),
        ({0: 3, 1: 1}, 1, (1, 0)),
        ({0: 1, 1: 3}, None, (1, 0)),
        ({0: 2, 1: 2}, None, (0, 1)),
        ({0: 2, 1: 9, 2: 5, 3: 4}, None, (1, 3, 0, 2)),
        ({0: 2, 1: 9, 2: 5, 3: 4}, 2, (2, 3, 0, 1)),
        ({0: 2, 1: 9, 2: 5, 3: 4}, 1, (1, 3, 0, 2)),
        ({0: 2, 1: 9, 2: 5, 3: 4}, 0, (1, 3, 0, 2)),
    ],
)
def test_the_most_frequent_classes_have_the_ends(
    counts: dict[int, int], first: int | None, order: tuple[int, ...]
) -> None:
    arcs = Arcs.of(counts, first)
    assert arcs.order == order
    total, least = sum(counts.values()), F(1, 8 * len(order))
    shares = [max(least, F(counts[k], total)) for k in order]
    for k, edge in enumerate(arcs.edges[1:-1], 1):
        assert abs(edge - sum(shares[:k]) / sum(shares)) < F(1, 500)
    assert (arcs.edges[0], arcs.edges[-1]) == (0, 1)
    widths = [b - a for a, b in pairwise(arcs.edges)]
    assert 0 < arcs.guard < min(widths) / 100
    for k, (low, high) in zip(order, pairwise(arcs.edges), strict=True):
        ends = (low if low == 0 else low + arcs.guard, high if high == 1 else high - arcs.guard)
        aim = arcs.aim(k)
        assert (max(F(0), aim.centre - aim.tolerance), min(F(1), aim.centre + aim.tolerance)) == ends
    parts = [2 * arcs.aim(k).tolerance if 0 < arcs.aim(k).centre < 1 else arcs.aim(k).tolerance for k in counts]
    bits = sum(n * -math.log2(part) for n, part in zip(counts.values(), parts, strict=True)) / total
    assert math.isclose(arcs.approx_bits(counts), bits)
    assert [(a, b) for a, b, _, _ in arcs.ramps()] == list(pairwise(order))
    assert [(s, t) for _, _, s, t in arcs.ramps()] == [(e - arcs.guard, e + arcs.guard) for e in arcs.edges[1:-1]]


def test_a_rare_class_keeps_an_eighth_of_an_equal_share() -> None:
    """4091 and 256 of 4347 parts, of 4096 before: a sixteenth is what a class of one in a thousand gets at least."""
    arcs = Arcs.of({0: 1000, 1: 1})
    assert abs(arcs.edges[1] - F(4091, 4347)) <= arcs.guard == F(256, 4347 * 128)
    assert [Aim(F(k), F(1, 9)).two_sided for k in (0, 1)] == [False, False]
    assert Aim(F(1, 2), F(1, 9)).two_sided


@pytest.mark.parametrize(("resolved", "tents", "bits"), [(40, 1, 65), (40, 4, 17), (41, 4, 18), (8, 32, 6), (8, 0, 33)])
def test_slopes_have_the_bits_that_keys_need(resolved: int, tents: int, bits: int) -> None:
    assert slope_bits(resolved, tents) == bits


def test_slopes_are_odd_and_in_their_ranges() -> None:
    rng = np.random.default_rng(1)
    for bits in (4, 5, 9, 70):
        for _ in range(20):
            left, right = draw_slopes(bits, rng)
            assert left % 2 == right % 2 == 1
            assert F(15, 8) <= F(left, 1 << bits) < 2
            assert F(7, 4) <= F(right, 1 << bits) <= F(15, 8)
    assert fold([0, 3, 4, 5, 8], 4, 7, 5) == [0, 21, 28, 23, 8]


# ---------------------------------------------------------------- attention


@pytest.mark.parametrize(
    ("method", "attention", "beta", "kind", "low", "high"),
    [
        ("shallow", None, None, "hardmax", None, None),
        ("leaders", None, None, "hardmax", None, None),
        ("paper", "hardmax", None, "hardmax", None, None),
        ("shallow", "softmax", None, "softmax", None, None),
        ("deep", "softmax", 2, "softmax", None, None),
        ("compact", "softmax", None, "softmax", None, None),
        ("extraction", "softmax", "1/2", "softmax", None, None),
        ("leaders", "softmax", None, "softmax", 1, math.inf),
        ("leaders", "softmax", "5/2", "softmax", F(5, 2), math.inf),
        ("temperature", None, "1/3", "softmax", F(1, 3), F(1, 3)),
        ("temperature", "softmax", 2, "softmax", 2, 2),
    ],
)
def test_the_temperatures_of_a_method(method: str, attention: Any, beta: Any, kind: str, low: Any, high: Any) -> None:
    found = AttentionChoice.of(method, attention, beta)
    assert found.kind == kind
    if low is None:
        assert found.temperatures is None
    else:
        assert found.temperatures is not None
        assert (found.temperatures.low, found.temperatures.high) == (low, None if high == math.inf else high)


@pytest.mark.parametrize(
    ("method", "attention", "beta", "words"),
    [
        ("shallow", "sparse", None, "expected attention hardmax or softmax"),
        ("shallow", None, 1, "add attention softmax"),
        ("leaders", "hardmax", 1, "add attention softmax"),
        ("temperature", "hardmax", 1, "leave out the attention"),
        ("temperature", None, None, "give beta"),
        ("temperature", None, 0, "inverse temperature"),
        ("leaders", "softmax", "-1/2", "inverse temperature"),
        ("paper", "softmax", None, "method paper is built for hardmax only"),
    ],
)
def test_attention_that_a_method_does_not_have(method: str, attention: Any, beta: Any, words: str) -> None:
    with pytest.raises(InvalidInput, match=words):
        AttentionChoice.of(method, attention, beta)


def test_scores_are_balanced_with_the_state_before_them() -> None:
    """|Theta|^2 = 4^v + 2 * 64^2 / 4^v + 4^(w-v) + 4^-w: least at v = 3, w = 1 or 2, where it is below 193."""
    large = SelfAttention(0, [[1]], [[64]], [[64]])
    before, after = FeedForward(1, [[0]], [0], [[0]]), FeedForward(1, [[0]], [0], [[0]])
    network = Transformer(1, [Block(before, large), Block(after)])
    small = balanced(network)
    assert norm2(network).high == 8195
    assert norm2(small).high == 64 + 128 + F(1, 16) + F(1, 4)
    assert small([[1], [3], [-2]]).rows() == network([[1], [3], [-2]]).rows()


# ---------------------------------------------------------------- measures and nodes


def test_points_whose_hashes_agree_are_told_apart() -> None:
    """The factors of the first draw are known, so a second point can be made that has the hash of the first."""
    first, second = np.random.default_rng(5).integers(0, 2**64, size=2, dtype=np.uint64) | np.uint64(1)
    other = np.array([int(second), -int(first) % 2**64], dtype=np.uint64).astype(np.int64)
    points = State(np.array([[0, 0], other, [0, 0], other]), 1)
    found, ids = distinct_points(points, np.random.default_rng(5))
    assert len(found) == 2
    assert [found.array[i].tolist() for i in ids] == points.array.tolist()


def test_plateaus_reach_beyond_both_ends_and_ramps_lie_in_the_middle() -> None:
    listed = [(F(0), 0), (F(1), 0), (F(3), 1), (F(4), 0)]
    nodes = of_list(listed, np.array([[5], [6]]), 2)
    assert nodes.target(2) == (3,)
    for reach, ends in ((None, (-5, 9)), (F(1, 2), (F(-1, 2), F(9, 2)))):
        made = plateaus(nodes, reach)
        assert made.targets.tolist() == [0, 0, 1, 1, 0, 0]
        assert (made.positions[0], made.positions[-1]) == ends
        assert made.positions[1:-1] == [*ramp(F(1), F(3)), *ramp(F(3), F(4))]
    for low, high in ((F(1), F(3)), (F(-1, 3), F(1, 7)), (F(10**9), F(10**9) + F(1, 10**9))):
        foot, edge = ramp(low, high)
        assert low + F(2, 5) * (high - low) <= foot < (low + high) / 2 < edge <= high - F(2, 5) * (high - low)


# ---------------------------------------------------------------- reasons

ORDER = "positions (--positions), which tell the order of tokens"
COUNTS = "method shallow or deep, which see multiplicities"
PLANAR = "method shallow or deep (temperature, for softmax at one temperature), which see multiplicities"


@pytest.mark.parametrize(
    ("method", "data", "kind", "common", "cures", "absolute"),
    [
        ("deep", labelled(([0, 0, 1], "a"), ([0, 0, 1], "b")), "measure", [["0", "2/3"], ["1", "1/3"]], [], True),
        ("deep", labelled(([0, 1, 0], "a"), ([0, 0, 1], "b")), "measure", [["0", "2/3"], ["1", "1/3"]], [ORDER], True),
        ("leaders", labelled(([1, 0], "a"), ([1, 0], "b")), "set", ["0", "1"], [], True),
        ("leaders", labelled(([1, 0], "a"), ([1, 0, 0], "b")), "set", ["0", "1"], [COUNTS, ORDER], False),
        ("leaders", labelled(([1, 0], "a"), ([0, 1, 1, 0], "b")), "set", ["0", "1"], [ORDER], True),
    ],
)
def test_reasons_with_their_witness_and_what_cures_them(
    method: str, data: Dataset, kind: str, common: list[Any], cures: list[str], absolute: bool
) -> None:
    with pytest.raises(NoConstruction) as refusal:
        construct(data, method=method)
    (reason,) = refusal.value.reasons
    shown = [[[x], weight] for x, weight in common] if kind == "measure" else [[x] for x in common]
    assert (reason.kind, reason.sequences, reason.absolute) == (kind, (0, 1), absolute)
    assert reason.witness == {kind: shown, "cures": cures}
    who = "no transformer can" if absolute else f"method {method} cannot"
    assert str(refusal.value).startswith(f"{who} interpolate these data:\n")
    assert reason.why.endswith("; cured by " + " or by ".join(cures)) or not cures
    assert ("depend on the tokens and their proportions alone" in reason.why) == absolute


def test_in_the_plane_softmax_at_one_temperature_sees_multiplicities_too() -> None:
    with pytest.raises(NoConstruction) as refusal:
        construct(labelled(([[0, 1], [1, 1]], "a"), ([[0, 1], [0, 1], [1, 1]], "b")), method="leaders")
    assert refusal.value.reasons[0].witness["cures"] == [PLANAR, ORDER]


@pytest.mark.parametrize(
    ("tokens", "targets", "cured"), [([0, 0], [1, 2], True), ([0, 0, 1], [1, 2, 3], True), ([0, 0], [1, 2, 3], False)]
)
def test_as_many_tokens_as_targets_are_enough_with_positions(tokens: Any, targets: Any, cured: bool) -> None:
    data = on_a_line((tokens, targets))
    with pytest.raises(NoConstruction) as refusal:
        construct(data)
    (reason,) = refusal.value.reasons
    wanted = {"targets": len(targets), "distinct_tokens": len(set(tokens))}
    assert {k: reason.witness[k] for k in wanted} == wanted
    assert bool(reason.witness["cures"]) == cured
    if cured:
        assert construct(data, positions=True).report.sequences == 1


@pytest.mark.parametrize(("conflicts", "shown"), [(9, 9), (10, 10), (11, 10), (13, 10)])
def test_ten_reasons_are_shown_and_the_others_counted(conflicts: int, shown: int) -> None:
    data = labelled(*(([j], label) for j in range(conflicts) for label in "ab"))
    with pytest.raises(NoConstruction) as refusal:
        construct(data)
    lines = str(refusal.value).splitlines()[1:]
    assert len(refusal.value.reasons) == conflicts
    assert lines[:shown] == [f"  {reason.why}" for reason in refusal.value.reasons[:shown]]
    assert lines[shown:] == ([f"  and {conflicts - 10} more"] if conflicts > 10 else [])


def test_one_reason_in_the_data_speaks_of_every_transformer() -> None:
    with pytest.raises(NoConstruction) as refusal:
        construct(labelled(([0, 1], "a"), ([0, 1, 1], "b"), ([2], "a"), ([2], "b")), method="leaders")
    assert [reason.absolute for reason in refusal.value.reasons] == [False, True]
    assert str(refusal.value).startswith("no transformer can interpolate these data:")


# ---------------------------------------------------------------- options and figures


@pytest.mark.parametrize(("groups", "right"), [(0, False), (1, True), (3, True), (4, False), (1.5, False)])
def test_groups_are_at_most_as_many_as_sequences(groups: Any, right: bool) -> None:
    data = labelled(([1], "a"), ([2], "b"), ([4], "a"))
    if not right:
        with pytest.raises(InvalidInput, match="expected 1 <= groups <= 3"):
            construct(data, method="compact", groups=groups)
        return
    figures = construct(data, method="compact", groups=groups).report.compact
    assert figures is not None
    assert figures.groups <= groups
    assert figures.shallow_parameters == construct(data).report.parameters


@pytest.mark.parametrize("width", [3, 4, 5])
def test_soft_leaders_need_four_units(width: int) -> None:
    data = labelled(([1], "a"), ([2, 5], "b"))
    if width < 4:
        with pytest.raises(InvalidInput, match="expected a width >= 4"):
            construct(data, method="leaders", attention="softmax", width=width)
        assert construct(data, method="leaders", width=width).report.width <= 4
    else:
        assert construct(data, method="leaders", attention="softmax", width=width).report.width <= width


def test_targets_that_are_not_rational_are_refused() -> None:
    for tokens, targets in (([[1]], [["sqrt(2)"]]), ([["sqrt(2)"]], [[1]])):
        with pytest.raises(NotExact):
            construct([tokens], targets=[targets])


def test_positions_leave_the_points_of_labels_on_the_plane() -> None:
    data = labelled(([1, 2], "a"), ([2, 1], "b"))
    built = construct(data, positions=True, label_targets={"a": [7], "b": ["1/2"]})
    assert [built.targets.state(j).rows() for j in (0, 1)] == [[(7, 0)], [(F(1, 2), 0)]]


@pytest.mark.parametrize(("attention", "method"), [(None, "deep"), ("softmax", "deep"), (None, "leaders")])
def test_the_bound_of_the_theorem_counts_sequences_and_the_bits_count_measures(attention: Any, method: str) -> None:
    """Five sequences, three of them the same measure: sum m = 3 + 3 + 3 + 1 + 1 = 11, of three measures 3, 1 and 1."""
    many = ([0, 1, 2], [5, 6, 7])
    data = on_a_line(many, ([2, 1, 0], [7, 6, 5]), many, ([8, 9], [5]), ([4], [5]))
    built = construct(data, method=method, attention=attention)
    report = built.report
    assert (report.sequences, report.measures, report.dim) == (5, 3, 1)
    assert report.paper_bound == 22 + (15 if attention else 11)
    assert report.information_bits == math.ceil(3 * math.log2(3) - 2)
    assert report.attention_rank == max(built.transformer.attention_ranks)
    assert report.attention == (attention or "hardmax")


def test_the_margin_names_the_first_sequence_of_its_measure() -> None:
    far, near = ([0], [1]), ([100], [2])
    built = construct(on_a_line(far, far, near, ([101], [3]), near), robust=True)
    margin = built.margin
    assert margin.sequence in (2, 3)
    assert margin.radius is not None
    assert F(1, 10) < margin.radius < F(1, 2)
    assert margin.direction == ((1,) if margin.sequence == 2 else (-1,))


def test_a_trace_says_which_blocks_move() -> None:
    built = construct(labelled(([0, 4], "a"), ([3], "b"), ([1], "a")), method="deep", width=1)
    for trace in built.trace():
        for block in trace.blocks:
            assert block.moved == (block.after != block.before)
        assert trace.outputs == trace.blocks[-1].after
    assert [trace.sequence for trace in built.trace([2, 0])] == [2, 0]
    identity = Transformer(1, [Block(FeedForward(2, [[0]], [0], [[0]]), SelfAttention(0, [["1/2"]], [[0]], [[0]]))])
    (still,) = trace_of(identity, ("twice and half",), State.of([[3]]), 0).blocks
    assert (still.moved, still.after_feed_forward, still.follows) == (False, ((6,),), ((0,),))


# ---------------------------------------------------------------- margins

CORNERS = labelled(([[0, 0]], "a"), ([[0, 1]], "b"), ([[1, 0]], "c"), ([[1, 1]], "d"))


@pytest.mark.parametrize("method", ["shallow", "deep"])
@pytest.mark.parametrize("data", [CORNERS, labelled(([[0, 7]], "a"), ([[4, 7]], "b"), ([[5, 7], [7, 7]], "c"))])
def test_sequences_may_move_by_the_margin_and_not_by_what_fails(method: str, data: Dataset) -> None:
    """Every token of every sequence by the radius, in all four diagonal directions; the named one by `failing`."""
    built = construct(data, method=method, robust=True)
    margin, targets = built.margin, built.targets
    assert margin.radius is not None
    assert margin.failing is not None
    assert margin.sequence is not None
    for j in range(len(data)):
        for signs in ((1, 1), (1, -1), (-1, 1), (-1, -1)):
            moved = [[x + s * margin.radius for x, s in zip(row, signs, strict=True)] for row in data[j].tokens.rows()]
            assert set(built.transformer(moved).rows()) == set(targets.state(j).rows())
    rows = data[margin.sequence].tokens.rows()
    moved = [[x + s * margin.failing for x, s in zip(row, margin.direction, strict=True)] for row in rows]
    assert set(built.transformer(moved).rows()) != set(targets.state(margin.sequence).rows())
    if method == "shallow" or min(margin.direction) < 0:
        assert margin.radius < margin.failing <= margin.radius * F(9, 8)
    line = built.transformer.blocks[0].feed_forward or built.transformer.blocks[-1].feed_forward
    assert line is not None
    used = [any(row[i] for row in line.U.dense(line.width, 2)) for i in range(2)]
    assert [s != 0 for s in margin.direction] == used


def test_a_placement_ends_below_its_lowest_plateau_and_a_curve_goes_on() -> None:
    data = labelled(([0], "a"), ([4], "a"))
    assert construct(data, robust=True).margin.radius is None
    built = construct(data, method="deep", robust=True)
    assert (built.margin.radius, built.margin.sequence, built.margin.direction) == (5, 0, (-1,))
    assert built.transformer([[-5]]).rows() == built.targets.state(0).rows()
    assert built.margin.failing is not None
    assert built.transformer([[-built.margin.failing]]).rows() != built.targets.state(0).rows()


# ---------------------------------------------------------------- parts


@pytest.mark.parametrize(("count", "kind"), [(4096 // 2, Dense), (4096 // 2 + 1, Outer)])
def test_short_matrices_are_written_out(count: int, kind: type) -> None:
    layer = units_on((0, 1), 1, [1] * count, [2] * count, [3] * count)
    assert isinstance(layer.U, kind)
    assert isinstance(layer.W, kind)


def test_the_gap_of_a_rotation_is_that_behind_its_token() -> None:
    assert Rotation(3, 8, 1, 0, None).gap == 5
    assert Rotation(3, None, 1, 0, None).gap is None
    assert Rotation(None, None, 0, 0, 1).gap is None


@pytest.mark.parametrize(("n", "d", "right"), [(1, 1, True), (0, 1, False), (1, 0, False), (0, 0, False)])
def test_families_have_at_least_one_sequence_and_one_dimension(n: int, d: int, right: bool) -> None:
    if right:
        assert len(sample("nested", n, d)) == 1
    else:
        with pytest.raises(InvalidInput, match=f"got n = {n}, d = {d}"):
            sample("nested", n, d)


def test_the_rank_of_attention_is_the_largest_of_all_blocks() -> None:
    built = construct(labelled(([[0, 1, 2]], "a"), ([[1, 0, 1], [2, 2, 0]], "b")), method="paper")
    assert (built.transformer.attention_ranks[0], built.report.attention_rank) == (1, 3)


def test_the_scale_of_soft_leaders_grows_with_the_longest_sequence_and_falls_with_beta() -> None:
    def scale(repeats: int, beta: Any) -> Fraction:
        data = labelled(([0] * repeats + [1], "a"), ([1, 2], "b"), ([5], "a"))
        found = construct(data, method="leaders", attention="softmax", beta=beta).report.scale
        assert found is not None
        return found

    assert scale(1, 1) == 4 * scale(1, 4) == scale(1, "1/2") / 2
    assert scale(3000, 1) > scale(1, 1)


def test_nodes_of_the_bound_are_those_of_the_theorem() -> None:
    """K = 3 + 1 + 1 targets, and one more for the sequence that has more tokens than targets."""
    data = on_a_line(([0, 1, 2], [5, 6, 7]), ([8, 9], [5]), ([4], [5]))
    report = construct(data, method="deep", width=1).report
    assert report.bound == report.hinges + 1 + 6
    single = construct(labelled(([0, 1, 2], "a"), ([8, 9], "b"), ([4], "a")), method="deep", width=1).report
    assert single.bound == single.hinges + 1 + 3


def test_tents_on_tokens_take_the_place_of_many_hinges() -> None:
    many, few = (construct(sample("windows", n, 1), method="compact") for n in (30, 2))
    assert "scramble tokens and pool" in many.stages
    assert "scramble tokens and pool" not in few.stages


def test_what_no_enclosure_proves_is_no_construction() -> None:
    soft = Transformer(1, [Block(None, SelfAttention(0, [[1]], [[1]], [[1]]))])
    data = on_a_line(([0, 1], [1]))
    with pytest.raises(WrongTransformer, match="sequence 0"):
        verify_encloses(soft, data, targets_of(data), Temperatures.of(1, None))
