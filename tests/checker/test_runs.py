"""Parts in a row of which most move no token: passed together they are what they are one after the other."""

from __future__ import annotations

import random
from fractions import Fraction
from io import BytesIO
from typing import Any

import pytest

from proofs_check.core.budget import Budget, Limits
from proofs_check.core.certificate import Certificate, Heads
from proofs_check.core.lines import Lines
from proofs_check.core.points import State, bits
from proofs_check.core.transformer import heads
from proofs_check.fast import SHORT_CUTS
from proofs_check.fast.runs import CHUNK, Run, in_runs, reach_of
from proofs_check.fast.sums_of_units import QuickFeedForward
from proofs_check.softmax.boxes import Boxes, boxes_of, moved_boxes
from proofs_check.softmax.soft_feed_forward import SoftFeedForward
from proofs_check.softmax.soft_interpolation import heads as heads_of_boxes

RNG = random.Random(3)
U = ["2", "-1"]
KINDS = ("tent", "plateau", "step", "falling", "constant")
COMMON = 6 * 10**9


def file() -> Certificate:
    budget = Budget(Limits())
    return Certificate({"attention": "hardmax"}, 2, Lines(BytesIO(), budget), budget, SHORT_CUTS)


def number(size: int = 8) -> Fraction:
    return Fraction(RNG.randint(-size, size), RNG.choice([1, 1, 2, 3]))


def part(kind: str) -> dict[str, Any]:
    """x -> x + f(<u, x>): a tent, a move of all from somewhere on, a step that goes on for ever, a part that falls, one with a constant unit."""
    at, half, steps = number(), Fraction(1, RNG.choice([1, 2, 5])), (number(3), number(3))
    slopes, biases, factors = {
        "tent": ([1, 2, 1], [half - at, -2 * at, -half - at], [1, -1, 1]),
        "plateau": ([1, 1], [-at, -at - half], [1, -1]),
        "step": ([1, 3], [-at, -3 * at - 3 * half], [1, 1]),
        "falling": ([-1, 1], [at, -at - half], [1, 1]),
        "constant": ([0, 1], [Fraction(RNG.choice([-1, 1])), -at], [1, 1]),
    }[kind]
    W = [[str(step * f) for f in factors] for step in steps]
    return {"eta": "1", "U": {"outer": [[str(s) for s in slopes], U]}, "b": [str(b) for b in biases], "W": W}


def state(tokens: list[tuple[Fraction, Fraction]]) -> State:
    coordinates = [tuple(int(x[i] * COMMON) for x in tokens) for i in range(2)]
    return State(coordinates, COMMON, (1,) * len(tokens), bits([COMMON, *coordinates[0], *coordinates[1]]))


def token() -> tuple[Fraction, Fraction]:
    """A token, perhaps a little beside the end of a reach."""
    return number(), number() + RNG.choice([-1, 0, 0, 1]) * Fraction(1, 10**9)


def parts(kinds: tuple[str, ...], count: int) -> list[dict[str, Any]]:
    return [part(RNG.choice(kinds)) for _ in range(count)]


@pytest.mark.parametrize("kinds", [("tent",), ("step",), ("tent", "plateau"), KINDS], ids=" ".join)
@pytest.mark.parametrize("count", [4, 9, 2 * CHUNK + 5])
def test_a_run_is_its_parts(kinds: tuple[str, ...], count: int) -> None:
    for _ in range(12):
        mine, given = file(), parts(kinds, count)
        single: list[Any] = [QuickFeedForward(one, mine) for one in given]
        together = in_runs(single, Heads(lambda found: len(found.times), heads), mine.budget)
        start = state([token() for _ in range(RNG.randint(1, 5))])
        wanted, found = start, start
        for one in single:
            wanted = one(wanted)
        for one in together:
            found = one(found)
        assert set(found.points()) == set(wanted.points())
        assert sum(found.times) == sum(wanted.times) == len(start.times)
        if kinds == ("tent",):
            assert [type(one) for one in together] == [Run]


@pytest.mark.parametrize("kinds", [("tent",), ("plateau",), KINDS], ids=" ".join)
@pytest.mark.parametrize("radius", [Fraction(0), Fraction(1, 7), Fraction(2)])
def test_a_run_on_boxes_is_its_parts(kinds: tuple[str, ...], radius: Fraction) -> None:
    for _ in range(12):
        mine = file()
        single: list[Any] = [SoftFeedForward(one, 12, mine) for one in parts(kinds, 11)]
        together = in_runs(single, Heads(lambda found: len(found.boxes), heads_of_boxes), mine.budget)
        tokens = state([token() for _ in range(4)])
        start = moved_boxes(tokens, -radius, radius, mine.budget) if radius else boxes_of(tokens, mine.budget)
        wanted, found = start, start
        for one in single:
            wanted = one(wanted)
        for one in together:
            found = one(found)
        assert isinstance(found, Boxes)
        assert (found.boxes, found.counts) == (wanted.boxes, wanted.counts)


def test_parts_of_another_form_have_no_reach() -> None:
    given = {kind: part(kind) for kind in KINDS} | {"step": {**part("step"), "W": [["1", "1"], ["0", "2"]]}}
    reach = {kind: reach_of(QuickFeedForward(given[kind], file()), file().budget) for kind in KINDS}
    assert [kind for kind in KINDS if reach[kind] is None] == ["falling", "constant"]
    found, step = reach["tent"], reach["step"]
    assert found is not None
    assert found.high is not None
    assert step is not None
    assert step.high is None
    assert reach_of(QuickFeedForward({**part("tent"), "eta": "2"}, file()), file().budget) is None


def test_a_token_just_inside_of_a_reach_is_moved() -> None:
    third, mine = Fraction(1, 3), file()
    biases = [str(b) for b in (third, 0, -third)]
    tent = {"eta": "1", "U": {"outer": [["1", "1", "1"], U]}, "b": biases, "W": [["1", "-2", "1"], ["0", "0", "0"]]}
    single: list[Any] = [QuickFeedForward(tent, mine) for _ in range(4)]
    (run,) = in_runs(single, Heads(lambda found: len(found.times), heads), mine.budget)
    for at in (third - Fraction(1, 10**9), Fraction(1, 10**9) - third):
        inside = state([(at / 2, Fraction(0))])
        assert run(inside).points() != inside.points()
    for at in (third, -third, 2 * third):
        outside = state([(at / 2, Fraction(0))])
        assert run(outside).points() == outside.points()
