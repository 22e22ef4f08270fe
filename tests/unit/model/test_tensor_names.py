"""Tests of `exactformer.model.tensor_names`: which names a file needs, and what is said where it has others."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from exactformer.errors import InvalidInput
from exactformer.model.architecture import Architecture
from exactformer.model.tensor_names import (
    MOST_BLOCKS,
    Naming,
    StackedNames,
    counted_blocks,
    layer_norm,
    linear,
    network_tensors,
    sizes,
    verify_names,
    with_biases,
    with_flat_positions,
)

ONE = np.ones(1, np.float32)


def naming(family: str = "bert", **more: Any) -> Naming:
    sources = {
        "token": StackedNames(("words.weight",)),
        "position": StackedNames(("places.weight",)),
        "up": StackedNames(("a.weight", "b.weight")),
        "up_bias": StackedNames(("a.bias", "b.bias"), optional=True),
    }
    return Naming(family, sources, 1, {}, **more)


def tensors(*names: str) -> dict[str, Any]:
    return dict.fromkeys(names, ONE)


WHOLE = ("words.weight", "places.weight", "a.weight", "b.weight")


def said_of(found: Naming, given: dict[str, Any]) -> str:
    with pytest.raises(InvalidInput) as problem:
        verify_names(found, given, "w.npz")
    return str(problem.value)


def test_what_is_optional_is_there_wholly_or_not_at_all() -> None:
    verify_names(naming(), tensors(*WHOLE), "w.npz")
    verify_names(naming(), tensors(*WHOLE, "a.bias", "b.bias"), "w.npz")
    verify_names(naming(aside=("pooler",)), tensors(*WHOLE, "pooler"), "w.npz")
    verify_names(naming("torch"), tensors(*WHOLE), "w.npz")
    begin = "w.npz: expected the weights of a network with bert names; "
    assert said_of(naming(), tensors(*WHOLE, "b.bias")) == f"{begin}missing: a.bias"
    assert said_of(naming(), tensors(*WHOLE, "pooler", "odd")) == f"{begin}unknown: odd, pooler"
    assert said_of(naming(), tensors(*WHOLE[1:3], "z")) == f"{begin}missing: b.weight, words.weight; unknown: z"


@pytest.mark.parametrize("lost", WHOLE)
@pytest.mark.parametrize("family", ["torch", "bert"])
def test_the_tables_of_torch_encoders_may_have_other_names(family: str, lost: str) -> None:
    said = said_of(naming(family), tensors(*(name for name in WHOLE if name != lost)))
    assert f"with {family} names; missing: {lost}" in said
    assert ("`name` (PART=NAME)" in said) == (family == "torch" and lost in WHOLE[:2])


@pytest.mark.parametrize(("count", "more"), [(39, ""), (40, ""), (41, " and 1 more"), (55, " and 15 more")])
def test_forty_names_are_listed(count: int, more: str) -> None:
    odd = [f"x{k:02}" for k in range(count)]
    assert said_of(naming(), tensors(*WHOLE, *odd)).endswith(f"unknown: {', '.join(odd[:40])}{more}")


def test_tensors_that_are_no_weights_hold_what_the_network_means() -> None:
    found = naming(checks={"mask": lambda tensor: bool((tensor == 1).all())})
    verify_names(found, tensors(*WHOLE), "w.npz")
    verify_names(found, tensors(*WHOLE, "mask"), "w.npz")
    with pytest.raises(InvalidInput, match=r"w\.npz, mask: expected what bert networks have there, got other numbers"):
        verify_names(found, tensors(*WHOLE) | {"mask": 2 * ONE}, "w.npz")


@pytest.mark.parametrize("sizes_of", [(1, 3, 2), (3, 1, 2)])
def test_a_table_of_positions_may_have_an_axis_for_the_batch(sizes_of: tuple[int, ...]) -> None:
    table = np.arange(6, dtype=np.float32)
    given = {"places.weight": table.reshape(sizes_of), "words.weight": ONE}
    found = with_flat_positions(naming(), given)
    assert found["places.weight"].tolist() == table.reshape(3, 2).tolist()
    assert found["words.weight"] is ONE
    for other in ((3, 2), (1, 6), (2, 3, 1)):
        assert with_flat_positions(naming(), {"places.weight": table.reshape(other)})["places.weight"].shape == other


def test_sizes_come_from_the_shapes_of_tables() -> None:
    sources = {
        "token": StackedNames(("t",), transposed=True),
        "position": StackedNames(("p",)),
        "type": StackedNames(("y",), optional=True),
        "0.up": StackedNames(("u",), transposed=True),
        "head": StackedNames(("h",)),
        "map": StackedNames(("m",)),
    }
    shapes = {"t": (5, 11), "p": (7, 5), "y": (2, 5), "u": (4, 9), "h": (3, 4), "m": (4, 5)}
    given = {name: np.zeros(shape, np.float32) for name, shape in shapes.items()}
    whole = {"vocabulary": 11, "dim": 4, "positions": 7, "types": 2, "hidden": 9, "classes": 3, "embedding": 5}
    assert sizes(Naming("x", sources, 1, {}), given, "w") == whole
    plain = {key: source for key, source in sources.items() if key not in ("map", "head")}
    less = {name: tensor for name, tensor in given.items() if name not in ("m", "h", "y")}
    found = sizes(Naming("x", plain, 1, {}), less, "w")
    assert found == {"vocabulary": 11, "dim": 5, "positions": 7, "types": 0, "hidden": 9, "classes": 5}
    tied = {**plain, "head_bias": StackedNames(("b",), optional=True)}
    assert sizes(Naming("x", tied, 0, {}), less, "w") == {**found, "hidden": 1, "classes": 11}
    with pytest.raises(InvalidInput, match=r"w, u: expected a matrix, got the shape \(2,\)"):
        sizes(Naming("x", sources, 1, {}), {**given, "u": np.zeros(2, np.float32)}, "w")


def test_tensors_are_stacked_turned_and_filled_up_with_zeros() -> None:
    shape = Architecture(dim=2, heads=1, hidden=2, blocks=0, vocabulary=4, positions=3, types=0, classes=2, norm="none")
    table = np.arange(8, dtype=np.float32)
    sources = {
        "token": StackedNames(("t0", "t1"), transposed=True),
        "position": StackedNames(("p",)),
        "type": StackedNames((), optional=True),
        "head": StackedNames(("h",)),
        "head_bias": StackedNames(("c",), optional=True),
    }
    given = {"t0": table[:4].reshape(2, 2), "t1": table[4:].reshape(2, 2), "p": np.ones((3, 2), np.float32)}
    given["h"] = np.full((2, 2), 7, np.float32)
    found = network_tensors(Naming("x", sources, 0, {}), shape, given, "w")
    assert found["token"].tolist() == [[0, 2], [1, 3], [4, 6], [5, 7]]
    assert (found["head"].tolist(), found["head_bias"].tolist()) == ([[7, 7], [7, 7]], [0, 0])
    bias = network_tensors(Naming("x", sources, 0, {}), shape, given | {"c": table[1:3]}, "w")["head_bias"]
    assert bias.tolist() == [1, 2]
    with pytest.raises(InvalidInput, match=r"w, t1: expected the shape \(2, 2\), got \(4, 2\)"):
        network_tensors(Naming("x", sources, 0, {}), shape, given | {"t1": table.reshape(4, 2)}, "w")


def test_blocks_are_counted_from_zero() -> None:
    assert [counted_blocks(numbers, "w") for numbers in (set(), {0}, {0, 1, 4}, {MOST_BLOCKS - 1})] == [0, 1, 5, 1000]
    with pytest.raises(InvalidInput, match="w: expected at most 1000 blocks, got one with the number 1000"):
        counted_blocks({3, MOST_BLOCKS}, "w")


def test_names_of_linear_maps_and_norms() -> None:
    assert linear("qkv", "q", "k", transposed=True) == {
        "qkv": StackedNames(("q.weight", "k.weight"), transposed=True),
        "qkv_bias": StackedNames(("q.bias", "k.bias"), optional=True),
    }
    norm = layer_norm("gain1", "bias1", "ln")
    assert norm == {"gain1": StackedNames(("ln.weight",)), "bias1": StackedNames(("ln.bias",), optional=True)}


def test_one_bias_of_a_group_asks_for_the_others() -> None:
    sources = linear("qkv", "q") | linear("out", "o") | layer_norm("gain1", "bias1", "ln")
    groups = (("qkv_bias", "out_bias"), ("bias1",))

    def needed(given: dict[str, Any] | None, *asked: tuple[str, ...]) -> set[str]:
        found = with_biases(sources, given, *asked)
        return {key for key, source in found.items() if not source.optional} - {"qkv", "out", "gain1"}

    everything = {"qkv_bias", "out_bias", "bias1"}
    assert needed({}) == needed({}, *groups) == set()
    assert needed(None) == needed(None, *groups) == everything
    assert needed(tensors("o.bias")) == everything
    assert needed(tensors("o.bias"), *groups) == {"qkv_bias", "out_bias"}
    assert needed(tensors("ln.bias"), *groups) == {"bias1"}
    assert needed(tensors("o.weight"), *groups) == set()
