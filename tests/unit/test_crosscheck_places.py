"""Crosschecks and float copies look everywhere: at the last layer, in every chunk, at the data that are given."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import exactformer as ef
from exactformer.certificates.interpolation import write_interpolation
from exactformer.crosscheck.dynamics import crosscheck_dynamics
from exactformer.crosscheck.exports import DENSE, FloatCopy, _distance, arrays, export, float_copies
from exactformer.crosscheck.transformers import (
    Difference,
    Outputs,
    _compare,
    _deviations,
    _right,
    crosscheck_transformer,
)
from exactformer.errors import Declined, InvalidInput
from exactformer.model.attention import SelfAttention
from exactformer.model.batch import Batch
from exactformer.model.dataset import Dataset, Sequence
from exactformer.model.feed_forward import FeedForward
from exactformer.model.float_weights import read_network
from exactformer.model.matrix import Dense, Outer, Scalar, Zero
from exactformer.model.tokens import Tokens
from exactformer.model.transformer import Block, Transformer

F = Fraction
#: two sequences of so many tokens are two chunks
LONG = 1002


@pytest.mark.parametrize(
    "tokens",
    [
        Tokens([["7/5", "1/5"], [1, 1], [0, 0]]),
        Tokens([[1, 1], [F(2, 3), F(4, 3)], [F(1, 5), F(1, 7)], [-1, 0]], alpha="1/3"),
        Tokens([[1], [1 + F(1, 10**20)], ["1/2"]]),
    ],
)
def test_the_first_difference_does_not_depend_on_the_layers_behind_it(tokens: Tokens) -> None:
    first = crosscheck_dynamics(tokens, layers=12).first_difference
    for layers in range(12):
        check = crosscheck_dynamics(tokens, layers=layers)
        assert check.first_difference == (first if first is not None and first <= layers else None)
        assert bool(check) == (check.first_difference is None and check.largest_deviation <= check.tolerance)
        assert len(check.follows_exact) == len(check.follows_float) == len(check.tokens)
        assert (check.margin is None) == (check.first_difference is None)


def test_sequences_are_counted_through_all_chunks(tmp_path: Path) -> None:
    plain, tie = [[F(1)], [F(3)]] * (LONG // 2), [[F(1)], [1 + F(1, 10**20)]] * (LONG // 2)
    data = Dataset.of([Sequence.of(plain, plain[:2]), Sequence.of(tie, tie[:2])])
    model = Transformer(1, [Block(None, SelfAttention(0, Scalar(F(1)), Scalar(F(1)), Scalar(F(1))))])
    check = crosscheck_transformer(model, data.tokens, data.offsets)
    assert check.first_difference is not None
    assert (check.first_difference.sequence, check.first_difference.token, check.sequences) == (1, 0, 2)
    same, path = Transformer(1, [Block(FeedForward(1, [[0]], [0], [[0]]))]), tmp_path / "c.jsonl"
    write_interpolation(path, transformer=same, tokens=data.tokens, offsets=data.offsets, targets=data.targets_of)
    assert [(copy.sequences, copy.interpolated) for copy in float_copies(path)] == [(2, 2), (2, 2)]


def test_a_copy_that_reaches_some_of_the_targets_does_not_interpolate(tmp_path: Path) -> None:
    """2^60 (x - 1) takes 1 and 1 + 2^-60 to 0 and 1; rounded they are one number."""
    model = Transformer(1, [Block(FeedForward(0, [[1]], [-1], [[2**60]]))])
    near, path = 1 + F(1, 2**60), tmp_path / "c.jsonl"
    data = Dataset.of([Sequence.of([[1], [near]], [[0], [1]]), Sequence.of([[1]], [[0]]), Sequence.of([[near]], [[1]])])
    write_interpolation(path, transformer=model, tokens=data.tokens, offsets=data.offsets, targets=data.targets_of)
    copies = [FloatCopy(dtype, 3, 1, 1.0) for dtype in ("float64", "float32")]
    assert float_copies(path) == copies
    assert not any(copy.interpolates for copy in copies)


def test_tokens_that_were_pooled_to_one_point_share_its_row() -> None:
    """The second sequence is one row after the pooling; the weights of its tokens 1 and 2 leave someone out."""
    pooling = SelfAttention(0, Scalar(F(1)), Zero(), Zero())
    data = Dataset.of([[[1], [2]], [[3], [4], [8]]])
    batch = Transformer(1, [Block(None, pooling)]).evaluate(Batch.of(data.tokens, data.offsets))
    weights = np.ones((2, 3, 3))
    weights[1, 1, 0] = weights[1, 2, 1] = 0
    found = _compare(batch, data.offsets, SelfAttention(0, [[1]], [[1]], [[1]]), weights, 1)
    assert found == ((1, 1, (0, 1, 2), (1, 2), None), None)


def test_the_gap_of_a_difference_is_that_of_its_own_token() -> None:
    """Tokens 4 and 5 score by the second coordinate, 10 and 10 + hair at most; token 5 sees half the gap of token 4."""
    hair = F(1, 10**20)
    rows = [[1, 0], [1, 0], [5, 10], [7, 10 + hair], [0, 2], [0, 1]]
    one = [[1, 0], [0, 1]]
    model = Transformer(2, [Block(None, SelfAttention(1, [[0, 0], [0, 0]], one, one))])
    data = Dataset.of([[[3, 1], [1, 3]], rows])
    check = crosscheck_transformer(model, data.tokens, data.offsets)
    assert check.first_difference == Difference(0, 1, 4, (3,), (2, 3), 2 * hair)
    assert (check.smallest_margin, check.sequences) == (hair, 2)


def test_errors_are_relative_to_the_size_of_the_exact_coordinate() -> None:
    exact = [np.array([[-1000.0, 0.25]]), np.array([[8.0, -0.5], [16.0, 0.0]])]
    approx = [np.array([[-998.0, 0.5]]), np.array([[4.0, -0.5], [15.0, 0.125]])]
    assert _deviations(exact, approx) == (4.0, 0.5)
    assert _deviations(exact[:1], approx[:1]) == (2.0, 0.25)
    assert _deviations([exact[0][:, :1]], [approx[0][:, :1]]) == (2.0, 0.002)
    approx[1][0, 0] = np.inf
    assert _deviations(exact, approx) == (np.inf, np.inf)


def test_the_device_that_is_asked_for_is_used() -> None:
    for subject in ([[1, 0], [0, 1]], ef.construct([[[0], [2]], [[3]]], labels=["low", "high"])):
        assert ef.crosscheck(subject, device="cpu")
        with pytest.raises(InvalidInput, match="device"):
            ef.crosscheck(subject, device="no-such-device")


def test_the_data_that_are_given_are_looked_at() -> None:
    built = ef.construct([[[0], [2]], [[3]]], labels=["low", "high"])
    assert ef.crosscheck(built).sequences == 2
    assert ef.crosscheck(built, [[[1]], [[5], [4]], [[7]]]).sequences == 3


def test_arrays_of_queries_and_keys_have_one_height(tmp_path: Path) -> None:
    """Short forms are written out with as many rows as their partner has."""
    two = Dense([[1, 2, 3], [4, 5, 6]])
    for Q, K, height in ((two, Zero(), 2), (Zero(), two, 2), (two, two, 2), (Zero(), Outer([7], [1, 0, 2]), 1)):
        layer = FeedForward(F(1, 2), Outer([1, 2], [1, 1, 0]), [3, 4], Dense([[1, 0], [0, 1], [5, 6]]))
        model = Transformer(3, [Block(layer, SelfAttention(F(1, 4), Scalar(F(3)), Q, K))])
        named = arrays(model)
        assert named["block0.Q"].shape == named["block0.K"].shape == (height, 3)
        assert (named["block0.U"].tolist(), named["block0.V"].tolist()) == (
            [[1, 1, 0], [2, 2, 0]],
            (3 * np.eye(3)).tolist(),
        )
        export(model, "npz", tmp_path / "w.npz")
        points = [[1, 2, 3], [-1, 0, 1], [0, 0, 5]]
        assert read_network(tmp_path / "w.npz")(points).rows() == model(points).rows()


@pytest.mark.parametrize("kind", ["attention", "feed-forward"])
def test_short_forms_too_large_to_write_out_are_declined(kind: str, tmp_path: Path) -> None:
    dim = 1 + int(DENSE**0.5)
    attention = SelfAttention(0, Scalar(F(1)), Zero(), Zero())
    layer = FeedForward(0, Outer([1] * dim, [1] * dim), [0] * dim, Outer([1] * dim, [1] * dim))
    model = Transformer(dim, [Block(None, attention) if kind == "attention" else Block(layer)])
    for form in ("npz", "torch"):
        with pytest.raises(Declined, match="--to latex"):
            export(model, form, tmp_path / "w")
    assert not list(tmp_path.iterdir())


def test_deviations_are_those_from_the_nearest_target() -> None:
    targets = np.array([[0.0, 0.0], [5.0, 5.0]])
    assert _distance(targets[::-1], targets) == 0.0
    assert _distance(np.array([[0.5, -1.0], [5.0, 7.0]]), targets) == 2.0
    assert _distance(np.array([[0.0, np.nan]]), targets) == float("inf")


@pytest.mark.parametrize(
    ("images", "right"),
    [
        ([[[0.1], [4.9]], [[9.0]]], 2),
        ([[[0.1], [0.2]], [[9.0]]], 1),
        ([[[0.1], [8.0]], [[9.0]]], 1),
        ([[[4.9], [0.1]], [[np.inf]]], 1),
        ([[[4.9], [5.1]], [[1.0]]], 0),
    ],
)
def test_a_sequence_is_right_if_its_outputs_reach_all_of_its_targets_and_no_others(images: Any, right: int) -> None:
    exact = [Outputs([(0,), (5,)], np.array([[0.0], [5.0]])), Outputs([(10,)], np.array([[10.0]]))]
    assert _right(exact, [np.array(image) for image in images]) == right
