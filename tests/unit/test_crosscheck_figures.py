"""Figures of crosschecks against their definition: gaps, tolerances, verdicts, the first place, copies in files."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import exactformer as ef
from exactformer.certificates.interpolation import write_interpolation
from exactformer.crosscheck import exports
from exactformer.crosscheck.dynamics import _margin, crosscheck_dynamics
from exactformer.crosscheck.exports import arrays, export, float_copies
from exactformer.crosscheck.transformers import Difference, crosscheck_transformer
from exactformer.dynamics.orbit import simulate
from exactformer.errors import Declined, InvalidInput
from exactformer.model.approx import Backend
from exactformer.model.attention import SelfAttention
from exactformer.model.dataset import Dataset, Sequence
from exactformer.model.feed_forward import FeedForward
from exactformer.model.tokens import Tokens
from exactformer.model.transformer import Block, Transformer

F = Fraction
HAIR = F(1, 10**20)
#: x_i -> the mean of those it follows; x_i -> x_i, though whom it follows is chosen
FOLLOW, STAY = (SelfAttention(rho, [[1 - rho]], [[1]], [[1]]) for rho in (0, 1))


# ---------------------------------------------------------------- dynamics


@pytest.mark.parametrize("A", [[[1, 0], [0, 1]], [[2, 1], [1, 3]], [[1, 2], [0, 1]], [[0, 1], [-1, 0]]])
def test_the_gap_is_that_of_the_best_score_to_the_next_one(A: list[list[int]]) -> None:
    rng = np.random.default_rng(2)
    for _ in range(8):
        orbit = simulate(Tokens(rng.integers(-2, 3, (4, 2)), A=A), layers=1, unchecked=True)
        for layer in (0, 1):
            rows = orbit.tokens(layer).rows()
            gaps = []
            for x in rows:
                pairs = [(p, q) for p in range(2) for q in range(2)]
                scores = sorted({sum(A[p][q] * x[q] * y[p] for p, q in pairs) for y in rows})
                gaps.append(scores[-1] - scores[-2] if len(scores) > 1 else None)
            for i, gap in enumerate(gaps):
                assert _margin(orbit, layer, (i,)) == gap
            known = [gap for gap in gaps if gap is not None]
            assert _margin(orbit, layer, (0, 1, 2, 3)) == min(known, default=None)


def test_the_gap_at_a_tie_is_the_distance_to_what_is_not_tied() -> None:
    """Tokens 0 and 1 tie for token 2 at (4/5, 2/5), where both score 6/5 and it scores 4/5 itself."""
    check = crosscheck_dynamics(Tokens([["7/5", "1/5"], [1, 1], [0, 0]]), layers=3)
    assert (check.first_difference, check.tokens, check.margin) == (2, (2,), F(2, 5))


def test_floats_agree_within_the_tolerance_and_not_beyond_it() -> None:
    check = crosscheck_dynamics(Tokens([[1, 0], [0, 1], ["1/4", "1/8"]]), layers=4)
    assert check
    assert check.json()["largest_deviation"] == repr(check.largest_deviation)
    assert check.json().keys() == check.__dict__.keys()
    for deviation, right in ((check.tolerance, True), (check.tolerance * 1.001, False), (float("nan"), False)):
        assert bool(replace(check, largest_deviation=deviation)) == right
    assert not replace(check, first_difference=0)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize(("size", "factor"), [(1000, 1000), (1, 1), (F(1, 8), 1)])
def test_the_tolerance_is_relative_to_the_largest_coordinate(dtype: str, size: Any, factor: int) -> None:
    backend = Backend.of("numpy", dtype)
    check = crosscheck_dynamics(Tokens([[-size, 0], [0, size / 2]]), layers=1, backend=backend)
    assert check.dtype == dtype
    assert check.tolerance == pytest.approx(factor * float(np.finfo(dtype).eps) ** 0.5)


# ---------------------------------------------------------------- subjects


def test_fifty_layers_unless_others_are_asked_for(tmp_path: Path) -> None:
    assert ef.crosscheck([[1, 0], [0, 1]]).layers == 50
    assert ef.crosscheck([[1, 0], [0, 1]], layers=3, dtype="float32").layers == 3
    (tmp_path / "t.csv").write_text("1,0\n0,1\n")
    assert ef.crosscheck(tmp_path / "t.csv", layers=2).layers == 2


def test_what_cannot_be_crosschecked_is_named() -> None:
    built = ef.construct([[[0], [2]], [[3]]], labels=["low", "high"])
    with pytest.raises(InvalidInput, match=r"crosscheck\(model, data\)"):
        ef.crosscheck(built.transformer)
    with pytest.raises(InvalidInput, match="got a data set"):
        ef.crosscheck(built.data)
    assert ef.crosscheck(built.transformer, [[[1]]]).sequences == 1


# ---------------------------------------------------------------- transformers


def test_the_first_block_comes_before_the_first_sequence() -> None:
    """Sequence 0 differs in block 1 alone, where the layer before brings its tokens together; sequence 1 in block 0."""
    near = Block(FeedForward(0, [[HAIR], [0]], [0, 1], [[1, 1]]), FOLLOW)
    model = Transformer(1, [Block(None, STAY), near])
    data = Dataset.of([[[1], [3]], [[1], [1 + HAIR]]])
    check = crosscheck_transformer(model, data.tokens, data.offsets)
    first = check.first_difference
    assert first == Difference(0, 1, 0, (1,), (0, 1), HAIR)
    alone = crosscheck_transformer(model, data[0].tokens, np.array([0, 2]))
    assert alone.first_difference is not None
    assert (alone.first_difference.block, alone.first_difference.sequence) == (1, 0)


def test_the_smallest_gap_of_all_blocks_and_sequences() -> None:
    model = Transformer(1, [Block(None, STAY), Block(FeedForward(2, [[0]], [0], [[0]]), STAY)])
    data = Dataset.of([[[1], [3]], [[1], ["3/2"], [4]], [[2]]])
    check = crosscheck_transformer(model, data.tokens, data.offsets)
    assert (check.smallest_margin, check.first_difference) == (2, None)
    assert check
    assert check.tolerance == float(np.finfo("float64").eps) ** 0.5
    apart = crosscheck_transformer(model, data[1].tokens, np.array([0, 3]))
    assert apart.smallest_margin == F(5, 2)
    single = crosscheck_transformer(model, data[2].tokens, np.array([0, 1]))
    assert single.smallest_margin is None


def test_a_check_agrees_if_all_three_conditions_hold() -> None:
    built = ef.construct([[[0], [2]], [[3]]], labels=["low", "high"])
    check = ef.crosscheck(built)
    assert check
    assert (check.right, check.sequences) == (2, 2)
    assert replace(check, largest_relative_deviation=check.tolerance)
    somewhere = Difference(0, 0, 0, (0,), (1,), None)
    for change in ({"right": 1}, {"first_difference": somewhere}, {"largest_relative_deviation": 1e-3}):
        assert not replace(check, **change)


# ---------------------------------------------------------------- copies


def test_the_largest_error_is_that_of_the_worst_sequence(tmp_path: Path) -> None:
    """1/10 + 1/5 is rounded, and the targets of the other sequences are met exactly."""
    same = Transformer(1, [Block(FeedForward(1, [[0]], ["1/5"], [[1]]))])
    rows: list[Any] = [[["1/10"]], [[0]], [[1]]]
    data = Dataset.of([Sequence.of(x, [[F(x[0][0]) + F(1, 5)]]) for x in rows])
    path = tmp_path / "c.jsonl"
    write_interpolation(path, transformer=same, tokens=data.tokens, offsets=data.offsets, targets=data.targets_of)
    for copy, dtype in zip(float_copies(path), ("float64", "float32"), strict=True):
        kind = np.dtype(dtype).type
        pairs = [(kind(float(F(x[0][0]))) + kind(0.2), kind(float(F(x[0][0]) + F(1, 5)))) for x in rows]
        assert copy.dtype == dtype
        assert copy.interpolated == sum(a == b for a, b in pairs)
        assert copy.largest_deviation == max(abs(float(a) - float(b)) for a, b in pairs)
        assert copy.interpolates == (copy.interpolated == copy.sequences == 3)


@pytest.mark.parametrize(("limit", "right"), [(2 * 2 * 3 + 4, True), (2 * 2 * 3 + 3, False)])
def test_as_many_numbers_as_the_limit_are_written(
    limit: int, right: bool, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """U and W have 2 * 3 numbers each, V has 4."""
    monkeypatch.setattr(exports, "DENSE", limit)
    layer = FeedForward(F(1, 2), [[1, 2], [3, 4], [5, 6]], [7, 8, 9], [[1, 2, 3], [4, 5, 6]])
    model = Transformer(2, [Block(layer, SelfAttention(F(1, 4), [[1, 2], [3, 4]], [[5, 6]], [[7, 8]]))])
    if not right:
        with pytest.raises(Declined, match="got 16 in dimension 2"):
            export(model, "npz", tmp_path / "w.npz")
        return
    export(model, "npz", tmp_path / "w.npz")
    with np.load(tmp_path / "w.npz") as file:
        assert int(file["dim"]) == 2
        assert {name: file[name].tolist() for name in file.files if name != "dim"} == {
            "block0.eta": 0.5,
            "block0.U": [[1, 2], [3, 4], [5, 6]],
            "block0.b": [7, 8, 9],
            "block0.W": [[1, 2, 3], [4, 5, 6]],
            "block0.rho": 0.25,
            "block0.V": [[1, 2], [3, 4]],
            "block0.Q": [[5, 6]],
            "block0.K": [[7, 8]],
        }


def test_the_torch_module_is_the_transformer_at_ties_too() -> None:
    torch = pytest.importorskip("torch")
    from exactformer.crosscheck.torch_module import HardmaxTransformer

    layer = FeedForward(F(1, 2), [[1, -1]], [F(1, 4)], [[2], [-3]])
    sa = SelfAttention(F(1, 4), [[1, 2], [0, F(1, 2)]], [[1, 0], [0, 1]], [[0, 1], [1, 0]])
    model = Transformer(2, [Block(layer, None), Block(None, sa), Block(layer, sa)])
    module = HardmaxTransformer(arrays(model), 3, 2)
    for rows in ([[1, 0], [0, 1], [1, 1], [-1, 2]], [[2, 2], [2, 2], [4, 0]], [[1, -1]]):
        found = module(torch.tensor(rows, dtype=torch.float64)).tolist()
        assert found == [[float(x) for x in row] for row in model(rows).rows()]
