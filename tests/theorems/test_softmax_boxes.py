"""Enclosures are sound: random members of random boxes, through random networks, land inside, at every temperature."""

from __future__ import annotations

import random
from fractions import Fraction
from typing import Any

import mpmath
import pytest
from flint import arb, ctx, fmpq
from softmax_definition import image, number

from exactformer.arithmetic.interval import exp_minus, fraction
from exactformer.arithmetic.state import State
from exactformer.errors import NotExact
from exactformer.evaluate.balls import BallTransformer
from exactformer.evaluate.box_attention import BoxTransformer
from exactformer.evaluate.boxes import Boxes
from exactformer.model.attention import SelfAttention
from exactformer.model.feed_forward import FeedForward
from exactformer.model.temperatures import Temperatures
from exactformer.model.transformer import Block, Transformer, at_temperature

BITS = 96


def small(rng: random.Random) -> Fraction:
    return Fraction(rng.randint(-8, 8), rng.choice([1, 2, 4]))


def rows(rng: random.Random, height: int, width: int, scale: int = 4) -> list[list[Fraction]]:
    return [[small(rng) / scale for _ in range(width)] for _ in range(height)]


def random_network(rng: random.Random, d: int) -> Transformer:
    """Any rank, any signs: nothing the constructions would build."""
    blocks = []
    for _ in range(rng.randint(1, 3)):
        p, h = rng.randint(1, 4), rng.randint(1, 2)
        ff = FeedForward(small(rng), rows(rng, p, d, 1), [small(rng) for _ in range(p)], rows(rng, d, p))
        sa = SelfAttention(small(rng) / 2, rows(rng, d, d), rows(rng, h, d), rows(rng, h, d))
        blocks.append(Block(ff if rng.random() < 0.8 else None, sa if rng.random() < 0.9 else None))
    return Transformer(d, blocks)


def distinct_tokens(rng: random.Random, n: int, d: int) -> list[tuple[Fraction, ...]]:
    return sorted({tuple(small(rng) for _ in range(d)) for _ in range(n)})


def members(rng: random.Random, tokens: list[tuple[Fraction, ...]], radius: Fraction) -> list[list[Any]]:
    shifts = (Fraction(-1), Fraction(1), Fraction(0), Fraction(rng.randint(-9, 9), 10))
    return [[number(v + radius * rng.choice(shifts)) for v in x] for x in tokens]


def verify_inside(outputs: list[list[Any]], boxes: Boxes) -> None:
    """Every output lies in some box (equal points are one box, so the number may differ)."""
    slack = mpmath.mpf(10) ** -35
    for y in outputs:
        scale = slack * (1 + max(abs(v) for v in y))
        inside = [
            all(number(low) - scale <= v <= number(high) + scale for v, (low, high) in zip(y, box, strict=True))
            for box in boxes.rows()
        ]
        assert any(inside), y


def sample_soundness(trials: int, seed: int) -> int:
    rng, checked = random.Random(seed), 0
    with mpmath.workdps(50):
        for _ in range(trials):
            d = rng.randint(1, 3)
            network, tokens = random_network(rng, d), distinct_tokens(rng, rng.randint(1, 4), d)
            repeated = tokens + [rng.choice(tokens) for _ in range(rng.randint(0, 2))]
            radius = rng.choice([Fraction(0), Fraction(0), Fraction(1, 64), Fraction(1, 1000)])
            low = rng.choice([Fraction(1, 2), Fraction(1), Fraction(5)])
            for high in (None, low, low * Fraction(3, 2)):
                boxes = BoxTransformer(network, Temperatures.of(low, high)).enclose(Boxes.of(repeated, radius), BITS)
                ranges = [low, 7 * low, 1000 * low, None] if high is None else [low, (low + high) / 2, high]
                for beta in ranges:
                    moved = dict(zip(tokens, members(rng, tokens, radius), strict=True))
                    outputs = image(network, [moved[x] for x in repeated], None if beta is None else number(beta))
                    if beta is None and radius == 0:  # ties are ties of exact numbers
                        outputs = [[number(v) for v in x] for x in at_temperature(network, None)(repeated).rows()]
                    elif beta is None:
                        continue
                    verify_inside(outputs, boxes)
                    checked += 1
    return checked


def test_members_of_boxes_land_in_the_image() -> None:
    assert sample_soundness(12, seed=5) > 50


@pytest.mark.slow
def test_many_members_of_boxes_land_in_the_image() -> None:
    assert sample_soundness(300, seed=6) > 1500


def test_the_exponential_is_enclosed_and_halved() -> None:
    rng = random.Random(2)
    with ctx.workprec(600):
        for _ in range(300):
            x = fmpq(rng.randint(0, 10 ** rng.randint(1, 5)), rng.randint(1, 300))
            bits = rng.choice([1, 8, 64, 200])
            low, high = exp_minus(x, bits)
            value = (-arb(x)).exp()
            assert low == high == 1 if x == 0 else arb(low) < value < arb(high)
            assert high - low <= fmpq(1, 1 << bits)
            assert arb(2) ** -int((fmpq(10, 7) * x).floor()) >= value.lower()


def test_a_tie_is_undecided_rather_than_wrong() -> None:
    """Two tokens within one box of each other: the mean is anywhere between, and no point is claimed."""
    follow = Transformer(1, [Block(None, SelfAttention(0, [[1]], [[1]], [[1]]))])
    near = Boxes.of([[1], ["10001/10000"]], Fraction(1, 100))
    boxes = BoxTransformer(follow, Temperatures.of(1, None)).enclose(near, 64)
    assert not boxes.are_points
    with pytest.raises(NotExact):
        boxes.points()


@pytest.mark.parametrize("high", [None, 3])
def test_uniform_attention_and_points_are_exact(high: int | None) -> None:
    mean = Transformer(
        2, [Block(FeedForward(1, [[1, 0]], [5], [[0], [1]]), SelfAttention(1, {"scalar": 2}, *[{"zero": True}] * 2))]
    )
    tokens = [["1/3", 1], ["1/3", 1], [2, "-1/7"]]
    boxes = BoxTransformer(mean, Temperatures.of(1, high)).enclose(Boxes.of(tokens), 8)
    assert boxes.points() == set(mean(tokens).rows())


def test_equal_boxes_are_not_equal_tokens() -> None:
    """Two tokens of one box may stand at its two ends: neither do they tie, nor are they one token."""
    box = ((fmpq(1), fmpq(2)),)
    two = Boxes((box, box), (1, 1))
    assert two.merged() == two
    beside = Boxes(tuple((*box, (fmpq(k), fmpq(k))) for k in (0, 1)), (1, 1))
    on_first = SelfAttention(0, {"scalar": 1}, [[1, 0]], [[1, 0]])
    for x in (
        BoxTransformer(Transformer(2, [Block(None, on_first)]), Temperatures.of(9, None)).enclose(beside, 32).rows()
    ):
        assert x[1][0] < Fraction(1, 1000) < Fraction(999, 1000) < x[1][1]


def test_rule_a_takes_no_more_halvings_than_there_are() -> None:
    """A gap of 14 is 20 halvings: e^-14 lies between 2^-21 and 2^-20."""
    follow = Transformer(1, [Block(None, SelfAttention(0, [[1]], [[1]], [[14]]))])
    (x,), *_ = BoxTransformer(follow, Temperatures.of(1, None)).enclose(Boxes.of([[1], [2]]), 64).rows()
    assert x == (2 - Fraction(1, 2**20), 2)
    with mpmath.workdps(30):
        assert number(x[0]) <= 2 - mpmath.exp(-14) / (1 + mpmath.exp(-14)) < 2 - mpmath.mpf(2) ** -21


def test_balls_agree_with_the_definition_and_with_boxes() -> None:
    rng = random.Random(8)
    with mpmath.workdps(50):
        for _ in range(10):
            d = rng.randint(1, 3)
            network, tokens = random_network(rng, d), distinct_tokens(rng, 3, d)
            outputs = image(network, tokens, mpmath.mpf(2))
            for x, row in zip(
                outputs, BallTransformer(network, Fraction(2), 160).enclose(State.of(tokens)), strict=True
            ):
                for v, (low, high) in zip(x, row, strict=True):
                    slack = mpmath.mpf(10) ** -40 * (1 + abs(v))
                    assert number(low) - slack <= v <= number(high) + slack
                    assert high - low < Fraction(1, 2**60)


def test_points_of_the_exact_semantics_are_fractions() -> None:
    assert fraction(fmpq(-3, 6)) == Fraction(-1, 2)
