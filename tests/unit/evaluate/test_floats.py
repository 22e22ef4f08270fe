"""Tests of `exactformer.evaluate.floats`."""

from __future__ import annotations

import random
from fractions import Fraction

import numpy as np
import pytest

from exactformer.arithmetic.state import State
from exactformer.errors import InvalidInput
from exactformer.evaluate import floats
from exactformer.evaluate.floats import ApproxTransformer, Backend, approx, pad, padded_chunks
from exactformer.model.attention import SelfAttention
from exactformer.model.feed_forward import FeedForward
from exactformer.model.matrix import Scalar, Zero
from exactformer.model.transformer import Block, Transformer, at_temperature

F = Fraction


# ---------------------------------------------------------------- floats beside exact arithmetic


def test_padding_keeps_sequences_apart() -> None:
    tokens, offsets = State.of([[k] for k in range(9)]), np.array([0, 1, 4, 9])
    chunks = list(padded_chunks(tokens, offsets, size=20))
    assert [(first, part.rows(), ends.tolist()) for first, part, ends in chunks] == [
        (0, tokens.take(slice(0, 4)).rows(), [0, 1, 4]),
        (2, tokens.take(slice(4, 9)).rows(), [0, 5]),
    ]


THREE = [[1, 0], [0, 1], [1, 1]]


PARTS = FeedForward(1, THREE, [0, 1, -1], [[1, 0, 2], [0, 1, 1]])


# ---------------------------------------------------------------- attention


@pytest.mark.parametrize("beta", [None, 2])
def test_padded_sequences_are_evaluated_as_if_alone(beta: int | None) -> None:
    layer = SelfAttention("1/2", Scalar(1), [[1, 1], [0, 1]], Scalar(1), beta)
    transformer, backend = Transformer(2, [Block(PARTS, layer)]), Backend.of()
    sequences = [[[-1.0, -2.0]], [[-3.0, 1.0], [-1.0, -1.5], [0.5, -4.0]], [[-2.0, -2.0], [-1.0, 0.0]]]
    tokens, offsets = State.of(np.concatenate(sequences)), np.array([0, 1, 4, 6])
    images = np.asarray(ApproxTransformer(transformer, backend)(*pad(tokens, offsets, backend)))
    for image, rows in zip(images, sequences, strict=True):
        assert image[: len(rows)] == pytest.approx(approx(transformer, np.array(rows)))


@pytest.mark.parametrize("wrong", [{"dtype": "float16"}, {"name": "numbers"}, {"device": "nowhere"}])
def test_backends_that_are_none_are_refused(wrong: dict[str, str]) -> None:
    with pytest.raises(InvalidInput):
        Backend.of(**wrong)


# ---------------------------------------------------------------- batches and distances


@pytest.mark.parametrize("size", [1, 10, 30, 200])
def test_groups_of_sequences_keep_the_bound_and_are_as_large_as_it_allows(size: int) -> None:
    rng = random.Random(size)
    lengths = [rng.randint(1, 6) for _ in range(40)]
    offsets = np.concatenate([[0], np.cumsum(lengths)])
    tokens = State.of([[k] for k in range(offsets[-1])])
    groups = list(padded_chunks(tokens, offsets, size))
    starts = [first for first, _, _ in groups]
    for (first, part, ends), last in zip(groups, [*starts[1:], 40], strict=True):
        assert np.diff(ends).tolist() == lengths[first:last]
        assert part.rows() == tokens.take(slice(offsets[first], offsets[last])).rows()
        assert last - first == 1 or (last - first) * max(lengths[first:last]) ** 2 <= size
        assert last == 40 or (last + 1 - first) * max(lengths[first : last + 1]) ** 2 > size


# ---------------------------------------------------------------- floats


@pytest.mark.parametrize("chunk", [1, 5, 6, 7, 100])
def test_wide_layers_are_evaluated_some_rows_at_a_time(chunk: int, monkeypatch: pytest.MonkeyPatch) -> None:
    layer = FeedForward("1/2", [[1, 2], [-1, 1], [3, 0]], [1, 0, -1], [[1, 2, 0], [0, 1, -1]])
    tokens = [[F(k), F(1 - k, 2)] for k in range(-3, 4)]
    monkeypatch.setattr(floats, "CHUNK", chunk)
    wanted = [[float(v) for v in layer.apply(x)] for x in tokens]
    assert approx(Transformer(2, [Block(layer)]), tokens).tolist() == wanted


@pytest.mark.parametrize(("dtype", "third"), [("float32", float(np.float32(1 / 3))), ("float64", 1 / 3)])
def test_floats_are_of_the_type_asked_for(dtype: str, third: float) -> None:
    backend = Backend.of(dtype=dtype)
    assert (backend.name, str(backend.dtype)) == (dtype, str(np.dtype(dtype).type))
    scaled = Transformer(1, [Block(FeedForward("1/3", Zero(), [0], Zero()))])
    found = approx(scaled, [[1]], backend=backend)
    assert (found.dtype, found.tolist()[0][0]) == (np.dtype(dtype), pytest.approx(third, rel=1e-7))
    assert scaled.approx([[1]], dtype=dtype).dtype == np.dtype(dtype)
    x, mask = pad(State.of([[1], [2], [3]]), np.array([0, 1, 3]), backend)
    assert (x.tolist(), mask.tolist()) == ([[[1], [0]], [[2], [3]]], [[True, False], [True, True]])


def test_softmax_in_floats_is_the_definition_with_matrices_that_are_not_symmetric() -> None:
    layer = SelfAttention("1/2", [[1, 3], [0, 2]], [[1, 2], [0, 1], [3, -1]], [[1, 0], [-1, 1], [0, 2]], beta="3/10")
    tokens = np.array([[1.0, 2.0], [-1.0, 0.25], [0.5, -2.0]])
    Q, K, V = (np.array(m.dense(3, 2), dtype=float) for m in (layer.Q, layer.K, layer.V))
    weights = np.exp(0.3 * (tokens @ Q.T) @ (tokens @ K.T).T)
    wanted = tokens / 2 + (weights / weights.sum(axis=1, keepdims=True)) @ tokens @ V.T
    transformer = Transformer(2, [Block(None, layer)])
    assert approx(transformer, tokens) == pytest.approx(wanted)
    assert np.array(transformer.enclose(tokens, bits=80), dtype=float) == pytest.approx(wanted)
    hard = SelfAttention("1/2", layer.V, layer.Q, layer.K)
    assert at_temperature(transformer, None) == Transformer(2, [Block(None, hard)])
    assert at_temperature(at_temperature(transformer, None), F(3, 10)) == transformer
