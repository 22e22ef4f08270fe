"""Tests of `exactformer.constructions.methods.extraction`."""

from __future__ import annotations

from exactformer.constructions.methods.extraction import Memories
from exactformer.constructions.pipeline import construct
from exactformer.instances.dataset_families import sample


def test_gaps_take_the_bits_of_the_largest_one_at_their_place() -> None:
    keys = [0, 2, 5, 100, 103, 140, 200, 202, 210]
    memory = Memories.in_groups(keys, [0, 1, 2, 3, 0, 1, 2, 3, 0], 3)
    assert memory.fields == [("label", 2), ("gap", 2), ("label", 2), ("gap", 6), ("label", 2)]
    assert memory.first == [0, 100, 200]
    assert memory.numbers == [int(text, 2) for text in ("00100100001110", "11110010010101", "10101100100000")]


def test_tents_on_tokens_take_the_place_of_many_hinges() -> None:
    many, few = (construct(sample("windows", n, 1), method="compact") for n in (30, 2))
    assert "scramble tokens and pool" in many.stages
    assert "scramble tokens and pool" not in few.stages
