"""Tests of `exactformer.constructions.methods.soft_leaders`."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from exactformer.constructions.disjoint_sets import Rotation, Separated
from exactformer.constructions.methods.leaders import spread_by_leaders
from exactformer.constructions.methods.soft_leaders import (
    REACH,
    LeaderStage,
    _least_gap,
    nominal_stages,
    soft_leaders_steps,
    sufficient_scale,
)
from exactformer.constructions.pipeline import construct, problem_of
from exactformer.constructions.problem import Problem
from exactformer.constructions.rotation import separate_sets
from exactformer.constructions.target_nodes import of_list
from exactformer.constructions.targets import targets_of
from exactformer.constructions.trace import trace_of
from exactformer.constructions.verification import verify_encloses
from exactformer.errors import InvalidInput
from exactformer.evaluate.box_attention import BoxTransformer
from exactformer.evaluate.boxes import Boxes
from exactformer.model.dataset import Dataset, Sequence
from exactformer.model.temperatures import Temperatures
from exactformer.model.transformer import Transformer

F = Fraction


def problem_for(data: Dataset, method: str) -> Problem:
    return problem_of(data, targets_of(data), method, np.random.default_rng(0))


SETS = [[[0], [1], [4]], [[1], [4]], [[4], [9], [0]], [[F(7, 2)]], [[1], [F(7, 2)], [9]]]


# ---------------------------------------------------------------- softmax


@pytest.mark.parametrize("several", [False, True])
def test_stages_of_soft_leaders_are_what_hardmax_does(several: bool) -> None:
    """Leads, spans and least coordinates, read off the tokens before every attention."""
    targets = [[[j % 3], *([[j + 4]] if several and len(rows) > 1 else [])] for j, rows in enumerate(SETS)]
    data = Dataset.of([Sequence.of(x, targets=y) for x, y in zip(SETS, targets, strict=True)])
    problem = problem_for(data, "leaders")
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
    alone = problem_for(Dataset.of([Sequence.of([[k]], label=str(k)) for k in (3, 5)]), "leaders")
    (stage,) = nominal_stages(alone, separate_sets(alone, room=1), None)
    assert (stage.lead, stage.span, stage.shift) == (1, 0, 1)


@pytest.mark.parametrize("places", [1, 30, 60])
def test_enclosures_have_the_first_doubled_bits_that_prove_all(places: int) -> None:
    data = Dataset.of([Sequence.of([[0], [F(1, 10**places)]], label="a"), Sequence.of([[0]], label="b")])
    problem = problem_for(data, "leaders")
    steps, _ = soft_leaders_steps(problem, F(1), 2, 4)
    model, beta = Transformer(1, [step.block for step in steps]), Temperatures.of(1, None)
    bits = verify_encloses(model, data, targets_of(data), beta)

    def proved(tried: int) -> bool:
        return all(BoxTransformer(model, beta).enclose(Boxes.of(s.tokens), tried).are_points for s in data)

    assert proved(bits)
    assert bits == 64 or not proved(bits // 2)


# ---------------------------------------------------------------- room on the line


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


def labelled(*pairs: tuple[list[Any], str]) -> Dataset:
    return Dataset.of(Sequence.of([v if isinstance(v, list) else [v] for v in x], label=y) for x, y in pairs)


# ---------------------------------------------------------------- options and figures


@pytest.mark.parametrize("width", [3, 4, 5])
def test_soft_leaders_need_four_units(width: int) -> None:
    data = labelled(([1], "a"), ([2, 5], "b"))
    if width < 4:
        with pytest.raises(InvalidInput, match="expected a width >= 4"):
            construct(data, method="leaders", attention="softmax", width=width)
        assert construct(data, method="leaders", width=width).report.width <= 4
    else:
        assert construct(data, method="leaders", attention="softmax", width=width).report.width <= width


# ---------------------------------------------------------------- parts


def test_the_scale_of_soft_leaders_grows_with_the_longest_sequence_and_falls_with_beta() -> None:
    def scale(repeats: int, beta: Any) -> Fraction:
        data = labelled(([0] * repeats + [1], "a"), ([1, 2], "b"), ([5], "a"))
        found = construct(data, method="leaders", attention="softmax", beta=beta).report.scale
        assert found is not None
        return found

    assert scale(1, 1) == 4 * scale(1, 4) == scale(1, "1/2") / 2
    assert scale(3000, 1) > scale(1, 1)


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
