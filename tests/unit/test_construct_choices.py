"""What constructions choose, held against every other choice: factors, directions, lifts, ramps, units, stages."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise, product

import numpy as np
import pytest

from exactformer.arithmetic.state import State
from exactformer.constructions.balance import _exponents, _measured, _scaled
from exactformer.constructions.curve import curve
from exactformer.constructions.disjoint_sets import Rotation, rotate
from exactformer.constructions.distinct_means import separating_hinges
from exactformer.constructions.families import sample
from exactformer.constructions.line import Line, along, directions
from exactformer.constructions.methods.deep import flatten_shift
from exactformer.constructions.methods.extraction import Memories
from exactformer.constructions.methods.leaders import spread_by_leaders
from exactformer.constructions.methods.shallow import hinge_layer, mean_pooling, pool
from exactformer.constructions.methods.soft_leaders import nominal_stages, soft_leaders_steps
from exactformer.constructions.nodes import of_list, ramp
from exactformer.constructions.pipeline import _problem
from exactformer.constructions.placement import hinge_layer_of, placement
from exactformer.constructions.pooled_means import pooled_means, spread_tokens
from exactformer.constructions.problem import Problem
from exactformer.constructions.rotation import separate_sets
from exactformer.constructions.scramble import scale_into_unit
from exactformer.constructions.targets import targets_of
from exactformer.constructions.trace import trace_of
from exactformer.constructions.verification import verify_encloses
from exactformer.model.attention import SelfAttention
from exactformer.model.box_attention import BoxTransformer
from exactformer.model.boxes import Boxes
from exactformer.model.dataset import Dataset, Sequence
from exactformer.model.feed_forward import FeedForward
from exactformer.model.norms import norm2
from exactformer.model.temperatures import Temperatures
from exactformer.model.transformer import Block, Transformer

F = Fraction


def simplest(low: Fraction, high: Fraction) -> Fraction:
    """The rational of least denominator in (low, high), by trying them."""
    q = 1
    while not (inside := [F(p, q) for p in range(int(low * q) - 1, int(high * q) + 2) if low < F(p, q) < high]):
        q += 1
    return min(inside, key=abs)


def problem_of(data: Dataset, method: str) -> Problem:
    return _problem(data, targets_of(data), method, np.random.default_rng(0))


# ---------------------------------------------------------------- norms


def random_layer(rng: np.random.Generator, kind: str) -> FeedForward | SelfAttention:
    def matrix(rows: int, columns: int) -> list[list[Fraction]]:
        size = F(2) ** int(rng.integers(-5, 6))
        return [[size * int(v) for v in row] for row in rng.integers(1, 9, (rows, columns))]

    if kind == "attention":
        return SelfAttention(matrix(1, 1)[0][0], matrix(2, 2), matrix(2, 2), matrix(2, 2))
    return FeedForward(matrix(1, 1)[0][0], matrix(3, 2), matrix(1, 3)[0], matrix(2, 3))


@pytest.mark.parametrize("kind", ["attention", "units"])
@pytest.mark.parametrize("seed", range(5))
def test_the_cost_of_a_layer_is_its_norm_after_scaling(kind: str, seed: int) -> None:
    """Of attention exactly; units cost up to a quarter more, since their factors are powers of two."""
    layer = random_layer(np.random.default_rng(seed), kind)
    for before, after in product((-2, 0, 3), repeat=2):
        scaled = _scaled(layer, before, after, 2)
        block = Block(None, scaled) if isinstance(scaled, SelfAttention) else Block(scaled)
        norm, cost = float(norm2(Transformer(2, [block])).high), _measured(layer, 2).cost(before, after)
        assert cost * (1 - 1e-12) <= norm <= cost * (1 + 1e-12 if kind == "attention" else 1.25)
        x = [F(3), F(-1)]
        if isinstance(layer, FeedForward) and isinstance(scaled, FeedForward):
            wide = scaled.apply([F(2) ** before * v for v in x])
            assert list(wide) == [F(2) ** after * v for v in layer.apply(x)]


@pytest.mark.parametrize("seed", [1, 2, 3, 4])
def test_states_between_four_layers_have_the_best_powers_of_two(seed: int) -> None:
    rng = np.random.default_rng(seed)
    layers = [_measured(random_layer(rng, kind), 2) for kind in ("units", "attention", "units", "units")]

    def cost(chosen: tuple[int, ...]) -> float:
        return sum(layer.cost(a, b) for layer, (a, b) in zip(layers, pairwise((0, *chosen, 0)), strict=True))

    first, *found, last = _exponents(layers)
    assert (first, last) == (0, 0)
    around = product(*(range(k - 2, k + 3) for k in found))
    assert cost(tuple(found)) == min(map(cost, around))


# ---------------------------------------------------------------- directions, rotations, ramps


@pytest.mark.parametrize("dim", [1, 2, 4])
@pytest.mark.parametrize("seed", range(3))
def test_directions_are_the_axes_and_then_draws_from_doubling_ranges(dim: int, seed: int) -> None:
    drawn = directions(dim, np.random.default_rng(seed))
    found = [next(drawn) for _ in range(dim + 3 * 12)]
    assert found[:dim] == [(tuple(int(i == axis) for i in range(dim)), axis) for axis in range(dim)]
    for k, (u, axis) in enumerate(found[dim:]):
        assert u[axis] == 1
        assert 0 <= min(u) <= max(u) <= 2 ** (k // 3)
    if dim > 1:
        assert max(max(u) for u, _ in found[-9:]) > 2**8


@pytest.mark.parametrize("base", [1, 7])
@pytest.mark.parametrize("at", [None, 3, 5, 9, 20])
def test_a_rotation_lifts_just_above_all_others_and_puts_the_least_on_the_base(at: int | None, base: int) -> None:
    values = np.array([5, 20, 3, 9, 3])
    rotation, moved = rotate(values, at, base)
    turned = at is not None and at < 20
    lift, listed = 18 if turned else 0, values.tolist()
    lifted = [v + lift * (at is not None and v <= at) for v in listed]
    shift = base - min(lifted)
    assert moved.tolist() == [v + shift for v in lifted]
    assert min(moved) == base
    after = min((v for v in listed if at is not None and v > at), default=None)
    assert rotation == Rotation(at if turned else None, after if turned else None, lift, shift, None)
    if turned:
        kept = [v for v in listed if at is not None and v > at]
        assert min(v for v in lifted if v not in kept) == max(max(kept), min(listed) + 17) + 1


@pytest.mark.parametrize(("low", "high"), [(F(1), F(3)), (F(-1, 3), F(1, 7)), (F(5, 2), F(27, 10)), (F(0), F(100))])
def test_a_ramp_has_the_simplest_ends_of_the_tenths_beside_the_middle(low: Fraction, high: Fraction) -> None:
    middle, tenth = (low + high) / 2, (high - low) / 10
    assert ramp(low, high) == (simplest(middle - tenth, middle), simplest(middle, middle + tenth))


@pytest.mark.parametrize(
    ("low", "high"), [(F(-3), F(5)), (F(0), F(3, 4)), (F(1, 7), F(2, 7)), (F(10**9), F(10**9) + 1), (F(-5), F(-1, 3))]
)
def test_the_scale_into_the_unit_interval_is_the_largest_power_of_two_that_leaves_a_quarter(
    low: Fraction, high: Fraction
) -> None:
    alpha, kappa = scale_into_unit(low, high)
    assert alpha == max(F(2) ** k for k in range(-40, 9) if F(2) ** k * (high - low) <= F(3, 4))
    assert kappa == simplest(F(1, 16) - alpha * low, F(15, 16) - alpha * high)


# ---------------------------------------------------------------- units


@pytest.mark.parametrize(
    ("targets", "units"),
    [([0, 0, 1, 2, 0], 2), ([1, 1, 1, 1, 1], 1), ([1, 0, 3, 4, 3], 5), ([0, 1, 2, 3, 4], 1), ([1, 2, 3, 4, 0], 3)],
)
def test_a_curve_has_a_unit_for_every_kink_and_one_for_its_start(targets: list[int], units: int) -> None:
    """Points 0, 1, .., 4 on the line: five nodes at 0, .., 4; the slope is 0 before the first."""
    line = along(State.of([[k] for k in range(5)]), ((1,), 0))
    nodes = of_list([(F(k), y) for k, y in enumerate(targets)], np.arange(5)[:, None], 1)
    slopes = [0, *(b - a for a, b in pairwise(targets))]
    kinks = sum(a != b for a, b in pairwise(slopes))
    layer = curve(nodes, line)
    assert layer.width == units == kinks + (targets[0] != 0)
    assert [layer.apply([F(k)])[0] for k in range(5)] == targets


def test_units_without_effect_are_left_out_of_a_placement() -> None:
    line = Line((1, 2), 0, np.array([0]), 1, np.array([0]))
    none, some = (F(0), F(0)), (F(1), F(-2))
    layer = hinge_layer_of(line, [F(1), F(2), F(3)], [none, some, none])
    assert (layer.width, list(layer.apply([F(0), F(2)]))) == (1, [2, -2])
    idle = hinge_layer_of(line, [F(1), F(2)], [none, none])
    assert (idle.width, list(idle.apply([F(9), F(2)]))) == (1, [9, 2])
    stays = of_list([(F(5), 0), (F(6), 1), (F(7), 2)], np.array([[3, 0], [4, 0], [5, 0]]), 1)
    (layer,) = placement(stays, line, 3)
    assert layer.width == 2, "all move by -2: up on the ramp, then no further"


# ---------------------------------------------------------------- numbers for sequences


@pytest.mark.parametrize("family", ["windows", "random-classes", "multiplicities", "equal-means"])
@pytest.mark.parametrize("dim", [1, 2])
def test_pooled_means_are_where_the_blocks_put_the_sequences(family: str, dim: int) -> None:
    data = sample(family, 9, dim, 3)
    problem = problem_of(data, "compact")
    found = pooled_means(problem, np.random.default_rng(1))
    model = Transformer(dim, [step.block for step in found.steps])
    assert found.parameters == model.parameters
    for sequence, member in zip(data, problem.member.tolist(), strict=True):
        u, e = problem.line.u, problem.line.e
        for row in model(sequence.tokens).rows():
            assert sum(c * x for c, x in zip(e, row, strict=True)) == found.values[member]
            assert sum(c * x for c, x in zip(u, row, strict=True)) == found.values[member]
    assert len(set(found.values)) == len(found.values)
    hinges = separating_hinges(problem.measures, problem.line.values, np.random.default_rng(1))
    block = Block(hinge_layer(problem.line, hinges), mean_pooling(problem.line, None))
    assert found.parameters < block.parameters or (len(found.steps), found.parameters) == (1, block.parameters)


@pytest.mark.parametrize("family", ["random-targets", "targets-are-inputs", "coinciding-targets"])
def test_spread_tokens_stand_where_the_block_puts_them(family: str) -> None:
    data = sample(family, 5, 2, 3)
    problem = problem_of(data, "compact")
    found, targets = spread_tokens(problem, np.random.default_rng(1))
    model = Transformer(2, [step.block for step in found.steps])
    starts = problem.measures.starts.tolist()
    assert len(found.values) == len(targets) == starts[-1] == len(set(found.values))
    for sequence, j in zip(data, problem.member.tolist(), strict=True):
        own = range(starts[j], starts[j + 1])
        places = {problem.line.at(row) for row in model(sequence.tokens).rows()}
        assert places == {found.values[k] for k in own}
        assert {targets[k] for k in own} == set(problem.targets[j])


def test_the_base_of_deep_is_no_higher_than_targets_need() -> None:
    data = Dataset.of([Sequence.of([[F(1, 2)], [4]], targets=[[5]]), Sequence.of([[9]], targets=[["-3/2"]])])
    problem = problem_of(data, "deep")
    tight, robust = (pool(problem, np.random.default_rng(0), robust=robust) for robust in (False, True))
    assert F(1, 2) + flatten_shift(problem, tight) == 7
    at = robust.nodes.positions
    assert F(1, 2) + flatten_shift(problem, robust) == 7 - (-(at[-1] - at[0])).__floor__()


def test_gaps_take_the_bits_of_the_largest_one_at_their_place() -> None:
    keys = [0, 2, 5, 100, 103, 140, 200, 202, 210]
    memory = Memories.in_groups(keys, [0, 1, 2, 3, 0, 1, 2, 3, 0], 3)
    assert memory.fields == [("label", 2), ("gap", 2), ("label", 2), ("gap", 6), ("label", 2)]
    assert memory.first == [0, 100, 200]
    assert memory.numbers == [int(text, 2) for text in ("00100100001110", "11110010010101", "10101100100000")]


# ---------------------------------------------------------------- softmax


SETS = [[[0], [1], [4]], [[1], [4]], [[4], [9], [0]], [[F(7, 2)]], [[1], [F(7, 2)], [9]]]


@pytest.mark.parametrize("several", [False, True])
def test_stages_of_soft_leaders_are_what_hardmax_does(several: bool) -> None:
    """Leads, spans and least coordinates, read off the tokens before every attention."""
    targets = [[[j % 3], *([[j + 4]] if several and len(rows) > 1 else [])] for j, rows in enumerate(SETS)]
    data = Dataset.of([Sequence.of(x, targets=y) for x, y in zip(SETS, targets, strict=True)])
    problem = problem_of(data, "leaders")
    separated = separate_sets(problem, room=1)
    spread, _ = spread_by_leaders(problem, separated, room=True)
    found = nominal_stages(problem, separated, spread)
    steps, _ = soft_leaders_steps(problem, F(1), 3, 4)
    model = Transformer(1, [step.block for step in steps])
    traces = [trace_of(model, tuple(step.stage for step in steps), sequence.tokens, 0) for sequence in data]
    for k, stage in enumerate(found):
        before = [sorted({row[0] for row in trace.blocks[k].after_feed_forward}) for trace in traces]
        assert stage.lead == min(some[-1] - some[-2] for some in before if len(some) > 1)
        assert stage.span == max(some[-1] - some[0] for some in before)
        assert stage.least == min(some[0] for some in before)
        last = k == len(found) - 1
        assert stage.shift == ((1 if spread is None else spread) if last else separated.rotations[k].eps)
    assert len(found) == len(separated.rotations) > 1
    alone = problem_of(Dataset.of([Sequence.of([[k]], label=str(k)) for k in (3, 5)]), "leaders")
    (stage,) = nominal_stages(alone, separate_sets(alone, room=1), None)
    assert (stage.lead, stage.span, stage.shift) == (1, 0, 1)


@pytest.mark.parametrize("places", [1, 30, 60])
def test_enclosures_have_the_first_doubled_bits_that_prove_all(places: int) -> None:
    data = Dataset.of([Sequence.of([[0], [F(1, 10**places)]], label="a"), Sequence.of([[0]], label="b")])
    problem = problem_of(data, "leaders")
    steps, _ = soft_leaders_steps(problem, F(1), 2, 4)
    model, beta = Transformer(1, [step.block for step in steps]), Temperatures.of(1, None)
    bits = verify_encloses(model, data, targets_of(data), beta)

    def proved(tried: int) -> bool:
        return all(BoxTransformer(model, beta).enclose(Boxes.of(s.tokens), tried).are_points for s in data)

    assert proved(bits)
    assert bits == 64 or not proved(bits // 2)
