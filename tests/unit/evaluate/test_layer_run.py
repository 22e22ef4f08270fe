"""Runs of layers along one line, on rows and on boxes, are their layers one after the other."""

from __future__ import annotations

import random
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from exactformer.arithmetic.algebraic import from_text
from exactformer.arithmetic.interval import form, rational
from exactformer.arithmetic.state import State
from exactformer.evaluate.batch import compile_feed_forward
from exactformer.evaluate.box_attention import BoxTransformer
from exactformer.evaluate.box_run import BoxRun, Firsts
from exactformer.evaluate.boxes import Boxes, BoxFeedForward
from exactformer.evaluate.layer_run import LayerRun
from exactformer.model.batch import Batch
from exactformer.model.feed_forward import FeedForward
from exactformer.model.matrix import Dense, Outer
from exactformer.model.temperatures import Temperatures
from exactformer.model.transformer import Block, Transformer

RNG = random.Random(7)
U = (1, -2)


def number(size: int = 6) -> Fraction:
    return Fraction(RNG.randint(-size, size), RNG.choice([1, 1, 2, 3]))


def hinges(kind: str) -> FeedForward:
    """x -> x + f(<u, x>): 0 outside an interval, on one side, or nowhere; breakpoints that coincide with tokens."""
    at, half, step = number(), Fraction(RNG.choice([1, 1, 2]), RNG.choice([1, 3])), (number(), number())
    if kind == "tent":
        slopes, biases, factors = [1, 1, 1], [half - at, -at, -half - at], [1, -2, 1]
    elif kind == "rising":
        slopes, biases, factors = [1, 2], [-at, -2 * at - half], [1, -1]
    elif kind == "falling":
        slopes, biases, factors = [-1, -1], [at, at - half], [1, RNG.choice([-1, 2])]
    else:
        slopes, biases, factors = [0, 1, -1], [Fraction(RNG.choice([-1, 0, 1])), -at, at], [1, 1, 1]
    return FeedForward(1, Outer(slopes, U), biases, Dense([[s * f for f in factors] for s in step]))


def layers(count: int, kinds: list[str]) -> list[FeedForward]:
    return [hinges(RNG.choice(kinds)) for _ in range(count)]


def one_after_the_other(batch: Batch, given: list[FeedForward]) -> Batch:
    for layer in given:
        batch = compile_feed_forward(layer, 2).apply(batch)
    return batch


MIXTURES = (["tent"], ["rising"], ["falling"], ["tent", "rising", "falling"], ["tent", "all"])


@pytest.mark.parametrize("kinds", MIXTURES, ids=" ".join)
@pytest.mark.parametrize("size", [6, 10**18])
def test_a_run_on_rows_is_its_layers(kinds: list[str], size: int) -> None:
    for count in (4, 9, 300):
        given = layers(count, kinds)
        tokens = [[number(RNG.choice([6, size])), number()] for _ in range(40)]
        batch = Batch.of(State.of(tokens), np.arange(0, 41, 4))
        transformer = Transformer(2, [Block(layer, None) for layer in given])
        assert all(isinstance(layer, LayerRun) for layer in transformer.compiled.layers)
        assert transformer.evaluate(batch).keys() == one_after_the_other(batch, given).keys()


def test_a_run_of_layers_that_move_no_row_leaves_the_batch_alone() -> None:
    batch = Batch.of(State.of([[0, 0], [1, 100]]))
    given = [FeedForward(1, Outer([1], U), [-5 - k], Dense([[1], [1]])) for k in range(8)]
    (run,) = Transformer(2, [Block(layer, None) for layer in given]).compiled.layers
    assert run.apply(batch) is batch


def test_rows_at_the_ends_of_an_interval_that_floats_do_not_tell_from_it() -> None:
    at = Fraction(10**30 + 1, 3)
    layer = FeedForward(1, Outer([1], U), [-at], Dense([[1], [0]]))
    tokens = [[at + d, 0] for d in (Fraction(-1, 10**9), 0, Fraction(1, 10**9))]
    outputs = Transformer(2, [Block(layer, None)] * 4).evaluate(Batch.of(State.of(tokens))).tokens().rows()
    assert outputs[:2] == [tuple(map(Fraction, token)) for token in tokens[:2]]
    assert outputs[2] == (at + Fraction(16, 10**9), 0)


def test_rows_of_a_number_field() -> None:
    root: Any = from_text("sqrt(2)")
    given = layers(12, ["tent", "rising"])
    batch = Batch.of(State.of([[root, 0], [1, 1], [root + 1, 2]]))
    transformer = Transformer(2, [Block(layer, None) for layer in given])
    assert transformer.evaluate(batch).keys() == one_after_the_other(batch, given).keys()


@pytest.mark.parametrize("kinds", MIXTURES, ids=" ".join)
def test_a_run_on_boxes_is_its_layers(kinds: list[str]) -> None:
    for radius in (Fraction(0), Fraction(1, 3), Fraction(1, 100)):
        given = layers(14, kinds)
        state = Boxes.of([[number(), number()] for _ in range(12)], radius)
        transformer = Transformer(2, [Block(layer, None) for layer in given])
        boxes = BoxTransformer(transformer, Temperatures.of(1, None))
        if "all" not in kinds:
            assert [type(layer) for layer in boxes.layers] == [BoxRun]
        wanted = state
        for layer in given:
            wanted = BoxFeedForward(layer, 2).apply(wanted, 20).merged()
        assert boxes.enclose(state, 20) == wanted


@pytest.mark.parametrize("kinds", MIXTURES, ids=" ".join)
def test_the_image_of_a_box_is_that_of_the_units_one_by_one(kinds: list[str]) -> None:
    for _ in range(60):
        layer = hinges(RNG.choice(kinds))
        (box,) = Boxes.of([[number(), number()]], RNG.choice([Fraction(0), Fraction(1, 2), Fraction(3)])).boxes
        low, high = form([rational(Fraction(c)) for c in U], box)
        values = [box[0], box[1]]
        active = [[rational(layer.eta) if i == j else 0 for j in range(2)] for i in range(2)]
        constant, undecided = [rational(Fraction(0))] * 2, []
        for k, slope in enumerate(layer.U.column):  # type: ignore[union-attr]
            a, b = rational(slope), rational(layer.b[k])
            ends = sorted((a * low + b, a * high + b))
            column = [rational(row[k]) for row in layer.W.dense(2, layer.width)]
            if ends[0] >= 0:
                constant = [c + w * b for c, w in zip(constant, column, strict=True)]
                active = [
                    [v + w * a * c for v, c in zip(row, U, strict=True)] for row, w in zip(active, column, strict=True)
                ]
            elif ends[1] > 0:
                undecided.append((column, ends[1]))
        values = [tuple(v + c for v in form(row, box)) for row, c in zip(active, constant, strict=True)]
        for column, most in undecided:
            moves = [sorted((w * 0, w * most)) for w in column]
            values = [(v[0] + m[0], v[1] + m[1]) for v, m in zip(values, moves, strict=True)]
        found = BoxFeedForward(layer, 2).image(box, 60)
        assert all(f[0] <= v[0] and v[1] <= f[1] for f, v in zip(found, values, strict=True))
        assert all(v[0] - f[0] < rational(Fraction(1, 2**59)) for f, v in zip(found, values, strict=True))


def test_the_first_threshold_that_is_reached() -> None:
    for _ in range(300):
        count = RNG.randint(1, 40)
        firsts = [RNG.choice([None, rational(number())]) for _ in range(count)]
        low = rational(number())
        high = RNG.choice([low, low + rational(Fraction(RNG.randint(1, 5), 2))])
        k = RNG.randint(0, count)
        reached = [j for j in range(k, count) if (t := firsts[j]) is not None and (t < high or t <= low)]
        assert Firsts(firsts).next(k, low, high) == (reached[0] if reached else count)
