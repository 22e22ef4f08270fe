"""Tests of `exactformer.training.pooled_module`, with a stand-in for PyTorch that has what is asked of it."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import nullcontext
from fractions import Fraction
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import exactformer as ef
from exactformer.errors import InvalidInput
from exactformer.model.dataset import Dataset
from exactformer.model.float_weights import network_of
from exactformer.training.pooled_module import COMPARED, is_module, pooled_module

ROWS = [[[1, 2], [3, -4]], [[-2, 1]], [[0, 5], [1, 1], [2, 0], [-7, 2]]]


class Numbers:
    """An array where a tensor is expected."""

    def __init__(self, values: Any) -> None:
        self.values, self.dtype = np.asarray(values, float), float

    def __getitem__(self, key: Any) -> Numbers:
        return Numbers(self.values[key])

    def detach(self) -> Numbers:
        return self

    cpu = double = detach

    def numpy(self) -> np.ndarray:
        return self.values


class Linear:
    def __init__(self, weight: Any, bias: Any = None) -> None:
        self.weight, self.bias = Numbers(weight), None if bias is None else Numbers(bias)


class Pooled:
    """The mean, or what else `pool` takes of the tokens, then the maps with ReLU between them."""

    def __init__(self, *linear: Linear, pool: Any = lambda x: x.mean(axis=-2)) -> None:
        self.linear, self.pool, self.asked = linear, pool, 0

    def modules(self) -> Iterator[Any]:
        return iter([self, *self.linear])

    def parameters(self) -> Iterator[Numbers]:
        return (part.weight for part in self.linear)

    def state_dict(self) -> dict[str, Numbers]:
        found = {f"{k}.weight": part.weight for k, part in enumerate(self.linear)}
        return found | {f"{k}.bias": part.bias for k, part in enumerate(self.linear) if part.bias is not None}

    def __call__(self, batch: Numbers) -> Numbers:
        self.asked += 1
        x = self.pool(batch.values)
        for k, part in enumerate(self.linear):
            x = np.maximum(x, 0) if k else x
            x = x @ part.weight.values.T + (0 if part.bias is None else part.bias.values)
        return Numbers(x)


@pytest.fixture(autouse=True)
def stand_in(monkeypatch: pytest.MonkeyPatch) -> None:
    torch = SimpleNamespace(no_grad=nullcontext, tensor=lambda rows, dtype: Numbers(rows))
    monkeypatch.setitem(sys.modules, "torch", torch)


def data(rows: Any = ROWS) -> Dataset:
    return Dataset.of([ef.Sequence.of(tokens, targets=[[0] * len(tokens[0])]) for tokens in rows])


def by_definition(module: Pooled, tokens: list[list[int]]) -> list[Fraction]:
    """In fractions, with zeros after the outputs."""
    x = [Fraction(sum(column), len(tokens)) for column in zip(*tokens, strict=True)]
    dim = len(x)
    for k, part in enumerate(module.linear):
        x = [max(v, Fraction(0)) for v in x] if k else x
        bias = np.zeros(len(part.weight.values)) if part.bias is None else part.bias.values
        x = [
            sum((Fraction(float(w)) * v for w, v in zip(row, x, strict=True)), Fraction(float(b)))
            for row, b in zip(part.weight.values, bias, strict=True)
        ]
    return x + [Fraction(0)] * (dim - len(x))


UP, DOWN = [[1, -2], [0.5, 0.25], [-3, 1]], [[2, -1, 0.5], [0, 4, 1]]
MODULES = {
    "one map": Pooled(Linear([[1, 2], [3, -1]], [0.5, -0.25])),
    "one map, no bias": Pooled(Linear([[1, 2], [3, -1]])),
    "one map, one output": Pooled(Linear([[-1, 2]], [0.75])),
    "two maps": Pooled(Linear(UP, [1, -1, 0.5]), Linear(DOWN, [0.125, -3])),
    "two maps, one output": Pooled(Linear(UP, [1, -1, 0.5]), Linear(DOWN[:1])),
    "two maps, no first bias": Pooled(Linear(UP), Linear(DOWN, [5, 6])),
}


@pytest.mark.parametrize("name", MODULES)
def test_what_is_read_computes_what_the_module_does(name: str) -> None:
    module = MODULES[name]
    found = pooled_module(module, data())
    assert module.asked >= len(ROWS)
    for tokens in ROWS:
        state = found(ef.Sequence.of(tokens, targets=[[0, 0]]).tokens)
        assert [Fraction(x) for x in state.rows()[0]] == by_definition(module, tokens)


def test_one_map_is_read_in_three_dimensions() -> None:
    rows = [[[1, 2, -3], [4, -1, 0]], [[0, 1, -1]]]
    module = Pooled(Linear([[1, -2, 3], [0, 4, -1], [2, 2, 2]], [1, -1, 0.5]))
    found = pooled_module(module, data(rows))
    for tokens in rows:
        state = found(ef.Sequence.of(tokens, targets=[[0, 0, 0]]).tokens)
        assert [Fraction(x) for x in state.rows()[0]] == by_definition(module, tokens)


@pytest.mark.parametrize("block", ["block{}", "layers.{}", "model.layers.{}"])
def test_weights_under_the_names_of_export_are_read_as_they_are(block: str) -> None:
    """A residual layer z + 2 relu(3z - 1), then a mean; other names are those of some other module."""
    arrays = {"0.eta": 1.0, "0.U": [[3.0]], "0.b": [-1.0], "0.W": [[2.0]], "1.rho": 0.0, "1.V": [[1.0]]}
    named = {block.format(name[0]) + name[1:]: Numbers(value) for name, value in arrays.items()}
    module = Pooled()
    module.state_dict = lambda: named  # type: ignore[method-assign]
    if block == "model.layers.{}":
        with pytest.raises(InvalidInput, match="expected a pooled module"):
            pooled_module(module, data([[[1], [0]]]))
        return
    found = pooled_module(module, data([[[1], [0]]]))
    assert (
        found([[1], [0]]).rows()
        == network_of({name: value.numpy() for name, value in named.items()})([[1], [0]]).rows()
    )
    assert found([[1], [0]]).rows() == [(Fraction(5, 2),)] * 2


@pytest.mark.parametrize(
    ("linear", "width", "outputs"),
    [
        ([Linear([[1, 2, 3]])], 3, 1),
        ([Linear([[1, 2], [3, 4], [5, 6]])], 2, 3),
        ([Linear([[1, 2, 3], [1, 2, 3]]), Linear([[1, 2]])], 3, 1),
        ([Linear([[1, 2]]), Linear([[1], [2], [3]])], 2, 3),
    ],
)
def test_sizes_are_those_of_the_data(linear: list[Linear], width: int, outputs: int) -> None:
    said = f"from dimension 2 to at most 2, as of the data, got one from {width} to {outputs}"
    with pytest.raises(InvalidInput, match=said):
        pooled_module(Pooled(*linear), data())


def test_other_architectures_do_not_pass() -> None:
    maps = [Linear([[1, 0], [0, 1]])]
    with pytest.raises(InvalidInput, match="on sequence 0 this one computes something else"):
        pooled_module(Pooled(*maps, pool=lambda x: x.sum(axis=-2)), data())
    with pytest.raises(InvalidInput, match="on sequence 2 this one computes something else"):
        pooled_module(Pooled(*maps, pool=lambda x: x.mean(axis=-2) if x.shape[1] < 3 else x.max(axis=-2)), data())
    with pytest.raises(InvalidInput, match=r"expected a pooled module \(mean over the tokens.*got Pooled with"):
        pooled_module(Pooled(*maps * 3), data())
    with pytest.raises(InvalidInput, match="exactformer import reads ordinary transformers"):
        pooled_module(Pooled(), data())

    def fails(x: np.ndarray) -> np.ndarray:
        raise TypeError("no such batch")

    with pytest.raises(InvalidInput, match=r"takes a batch \(1, tokens, 2\), got no such batch"):
        pooled_module(Pooled(*maps, pool=fails), data())


@pytest.mark.parametrize(
    ("scale", "off", "passes"), [(1, 9e-4, True), (1, 1.1e-3, False), (8, 7e-3, True), (8, 9e-3, False)]
)
def test_outputs_in_floats_may_differ_by_a_thousandth_of_the_largest(scale: int, off: float, passes: bool) -> None:
    rows = [[[scale, 0]]]
    module = Pooled(Linear([[1, 0], [0, 1]]), pool=lambda x: x.mean(axis=-2) + np.array([0, off]))
    if passes:
        pooled_module(module, data(rows))
        return
    with pytest.raises(InvalidInput, match="something else"):
        pooled_module(module, data(rows))


def test_thirty_two_sequences_are_compared() -> None:
    rows = [[[k, 1]] for k in range(COMPARED + 3)]
    late = Pooled(Linear([[1, 0], [0, 1]]), pool=lambda x: x.mean(axis=-2) + (x[0, 0, 0] >= COMPARED))
    pooled_module(late, data(rows))
    assert late.asked == COMPARED == 32
    last = Pooled(Linear([[1, 0], [0, 1]]), pool=lambda x: x.mean(axis=-2) + (x[0, 0, 0] >= COMPARED - 1))
    with pytest.raises(InvalidInput, match="on sequence 31"):
        pooled_module(last, data(rows))


def test_a_module_is_told_by_where_its_classes_come_from() -> None:
    base = type("Module", (), {"__module__": "torch.nn.modules.module"})
    assert is_module(type("Mine", (base,), {})())
    assert not is_module(Pooled())
    assert not is_module(3)
