"""Tests of `exactformer.float_comparison.exports`."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from exactformer.certificates.interpolation import write_interpolation
from exactformer.errors import Declined
from exactformer.float_comparison import exports
from exactformer.float_comparison.exports import DENSE, FloatCopy, _distance, arrays, export, float_copies
from exactformer.float_comparison.transformers import crosscheck_transformer
from exactformer.model.attention import SelfAttention
from exactformer.model.dataset import Dataset, Sequence
from exactformer.model.feed_forward import FeedForward
from exactformer.model.float_weights import read_exact_or_floats
from exactformer.model.matrix import Dense, Outer, Scalar, Zero
from exactformer.model.transformer import Block, Transformer, pure_attention

F = Fraction


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
            export(model, tmp_path / "w.npz")
        return
    export(model, tmp_path / "w.npz")
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
    from exactformer.evaluate.torch_module import HardmaxTransformer

    layer = FeedForward(F(1, 2), [[1, -1]], [F(1, 4)], [[2], [-3]])
    sa = SelfAttention(F(1, 4), [[1, 2], [0, F(1, 2)]], [[1, 0], [0, 1]], [[0, 1], [1, 0]])
    model = Transformer(2, [Block(layer, None), Block(None, sa), Block(layer, sa)])
    module = HardmaxTransformer(arrays(model), 3, 2)
    for rows in ([[1, 0], [0, 1], [1, 1], [-1, 2]], [[2, 2], [2, 2], [4, 0]], [[1, -1]]):
        found = module(torch.tensor(rows, dtype=torch.float64)).tolist()
        assert found == [[float(x) for x in row] for row in model(rows).rows()]
    module(torch.tensor([[1.0, 0.0], [0.0, 1.0]], dtype=torch.float64)).sum().backward()
    assert all(p.requires_grad for p in module.parameters())  # a copy to train further


#: two sequences of so many tokens are two chunks
LONG = 1002


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
        export(model, tmp_path / "w.npz")
        points = [[1, 2, 3], [-1, 0, 1], [0, 0, 5]]
        assert read_exact_or_floats(tmp_path / "w.npz")(points).rows() == model(points).rows()


@pytest.mark.parametrize("kind", ["attention", "feed-forward"])
def test_short_forms_too_large_to_write_out_are_declined(kind: str, tmp_path: Path) -> None:
    dim = 1 + int(DENSE**0.5)
    attention = SelfAttention(0, Scalar(F(1)), Zero(), Zero())
    layer = FeedForward(0, Outer([1] * dim, [1] * dim), [0] * dim, Outer([1] * dim, [1] * dim))
    model = Transformer(dim, [Block(None, attention) if kind == "attention" else Block(layer)])
    for form in ("npz", "torch"):
        with pytest.raises(Declined, match="LaTeX keeps"):
            export(model, tmp_path / "w", to=form)
    assert not list(tmp_path.iterdir())


def test_deviations_are_those_from_the_nearest_target() -> None:
    targets = np.array([[0.0, 0.0], [5.0, 5.0]])
    assert _distance(targets[::-1], targets) == 0.0
    assert _distance(np.array([[0.5, -1.0], [5.0, 7.0]]), targets) == 2.0
    assert _distance(np.array([[0.0, np.nan]]), targets) == float("inf")


Q = [[1, 2], [0, 1], [3, -1]]


K = [[1, 0], [-1, 1], [0, 2]]


V = [[1, 3], [0, 2]]


LOPSIDED = SelfAttention("1/2", V, Q, K)


# ---------------------------------------------------------------- attention that is not symmetric


def test_exports_name_every_weight() -> None:
    layer = FeedForward("1/4", [[1, 2], [3, 4], [5, 6]], [7, 8, 9], [[1, 0, 2], [0, 3, 0]])
    named = arrays(
        Transformer(2, [Block(layer, LOPSIDED), Block(None, pure_attention([[1, 2], [0, 1]], 1).self_attention)])
    )
    assert named["block0.eta"] == 0.25
    assert named["block0.U"].tolist() == [[1, 2], [3, 4], [5, 6]]
    assert named["block0.b"].tolist() == [7, 8, 9]
    assert named["block0.W"].tolist() == [[1, 0, 2], [0, 3, 0]]
    assert named["block0.rho"] == 0.5
    assert named["block0.V"].tolist() == V
    assert named["block0.Q"].tolist() == Q
    assert named["block0.K"].tolist() == K
    assert named["block1.Q"].tolist() == [[1, 2], [0, 1]]
    assert named["block1.K"].tolist() == [[1, 0], [0, 1]]
    assert "block1.eta" not in named


def test_archives_hold_the_weights_and_nothing_else(tmp_path: Path) -> None:
    from exactformer.float_comparison.exports import write_npz

    transformer = Transformer(2, [Block(None, LOPSIDED)])
    write_npz(transformer, tmp_path / "w.npz")
    with np.load(tmp_path / "w.npz") as archive:
        assert set(archive.files) == {"dim", "block0.rho", "block0.V", "block0.Q", "block0.K"}
        assert int(archive["dim"]) == 2
        assert archive["block0.Q"].tolist() == Q


# ---------------------------------------------------------------- floats beside exact arithmetic


def test_float_copies_count_every_sequence(tmp_path: Path) -> None:
    from exactformer.certificates.interpolation import write_interpolation

    data = Dataset.of([Sequence.of([[x]], [[x]]) for x in (F(1), F(1, 3), F(2))])
    third = Transformer(1, [Block(FeedForward(0, [[3]], [0], [["1/3"]]))])
    write_interpolation(
        tmp_path / "c.jsonl", transformer=third, tokens=data.tokens, offsets=data.offsets, targets=data.targets_of
    )
    for copy in float_copies(tmp_path / "c.jsonl"):
        assert copy.sequences == 3
        assert copy.interpolated == 3
        assert copy.interpolates
    wrong = Transformer(1, [Block(FeedForward(0, [[1]], [0], [[2]]))])
    write_interpolation(
        tmp_path / "w.jsonl", transformer=wrong, tokens=data.tokens, offsets=data.offsets, targets=data.targets_of
    )
    for copy in float_copies(tmp_path / "w.jsonl"):
        assert (copy.interpolated, copy.interpolates) == (0, False)
        assert copy.largest_deviation == 2.0
