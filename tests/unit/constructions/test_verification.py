"""Tests of `exactformer.constructions.verification`."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest

import exactformer as ef
from exactformer.constructions.targets import targets_of
from exactformer.constructions.verification import WrongTransformer, verify_encloses, verify_interpolates
from exactformer.model.attention import SelfAttention
from exactformer.model.dataset import Dataset, Sequence
from exactformer.model.temperatures import Temperatures
from exactformer.model.transformer import Block, Transformer

F = Fraction


def labelled(*pairs: tuple[list[Any], str]) -> Dataset:
    return Dataset.of(Sequence.of([v if isinstance(v, list) else [v] for v in x], label=y) for x, y in pairs)


CATS = labelled(([[0, 1], [2, 3]], "cat"), ([[0, 1]], "dog"), ([[2, 3], [0, 1], [2, 3], [0, 1]], "cat"))


def test_verification_notices_a_wrong_transformer() -> None:
    built = ef.construct(CATS)
    with pytest.raises(WrongTransformer, match="sequence"):
        verify_interpolates(Transformer(2, built.transformer.blocks[:1]), CATS, built.targets)


NOTHING = Transformer(1, [Block()])


def data(*pairs: tuple[list[Any], list[Any]]) -> Dataset:
    return Dataset.of(Sequence.of([[v] for v in x], [[v] for v in y]) for x, y in pairs)


@pytest.mark.parametrize(
    ("targets", "right"),
    [([0, 1], True), ([1, 0], True), ([0], False), ([1], False), ([0, 1, 2], False), ([0, 2], False), ([5, 6], False)],
)
@pytest.mark.parametrize("place", [0, 1])
def test_outputs_equal_the_targets_or_the_transformer_is_wrong(targets: list[int], right: bool, place: int) -> None:
    pairs: list[tuple[list[Any], list[Any]]] = [([0, 1], targets), (["1/2"], ["1/2"])]
    given = data(*(pairs if place == 0 else pairs[::-1]))
    if right:
        verify_interpolates(NOTHING, given, targets_of(given))
    else:
        with pytest.raises(WrongTransformer, match=f"sequence {place}"):
            verify_interpolates(NOTHING, given, targets_of(given))


def test_targets_are_compared_as_numbers() -> None:
    given = data((["1/2", "1/3"], ["2/6", "3/6"]))
    verify_interpolates(NOTHING, given, targets_of(given))
    near = data((["1/2"], [F(1, 2) + F(1, 10**30)]))
    with pytest.raises(WrongTransformer):
        verify_interpolates(NOTHING, near, targets_of(near))


def on_a_line(*pairs: tuple[list[Any], list[Any]]) -> Dataset:
    return Dataset.of(Sequence.of([[v] for v in x], [[v] for v in y]) for x, y in pairs)


def test_what_no_enclosure_proves_is_no_construction() -> None:
    soft = Transformer(1, [Block(None, SelfAttention(0, [[1]], [[1]], [[1]]))])
    data = on_a_line(([0, 1], [1]))
    with pytest.raises(WrongTransformer, match="sequence 0"):
        verify_encloses(soft, data, targets_of(data), Temperatures.of(1, None))
