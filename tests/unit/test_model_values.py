"""Values of the model worked out by hand: boxes, batches, distances, floats in parts, labels, and what is shown."""

from __future__ import annotations

import math
import random
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from flint import arb, arb_mat, fmpq

from exactformer.arithmetic.algebraic import from_text
from exactformer.arithmetic.state import State
from exactformer.errors import InvalidInput, NotExact
from exactformer.model import approx as floats
from exactformer.model import classifier
from exactformer.model.approx import Backend, approx, pad
from exactformer.model.approx_orbit import ApproxOrbit
from exactformer.model.attention import SelfAttention, argmax
from exactformer.model.ball_transformer import ends, is_bounded, nearest_label
from exactformer.model.batch import Batch, reduce_rows, sequence_denominators
from exactformer.model.batch_evaluation import attention_choices, compile_attention
from exactformer.model.box_attention import BoxTransformer
from exactformer.model.boxes import Boxes, BoxFeedForward
from exactformer.model.classifier import Classifier, Nearest, nearest_labels
from exactformer.model.dataset import Dataset, Sequence
from exactformer.model.feed_forward import FeedForward
from exactformer.model.latex import latex_number, latex_transformer, latex_vector
from exactformer.model.matrix import Dense, Outer, Scalar, Zero, bit_size, dot, text_bits
from exactformer.model.norms import Enclosure, norm2, sum_of
from exactformer.model.process_lock import only_process
from exactformer.model.temperatures import Temperatures, inverse_temperature
from exactformer.model.tokens import Tokens
from exactformer.model.transformer import Block, Transformer, at_temperature, follower_sets, pure_attention

F = Fraction
ROOT: Any = from_text("sqrt(2)")


def box(*ends_of: tuple[Any, Any]) -> tuple[tuple[fmpq, fmpq], ...]:
    return tuple((fmpq(F(a).numerator, F(a).denominator), fmpq(F(b).numerator, F(b).denominator)) for a, b in ends_of)


# ---------------------------------------------------------------- boxes


@pytest.mark.parametrize(
    ("layer", "given", "image"),
    [
        (FeedForward(0, [[1]], [0], [[1]]), [(1, 2)], [(1, 2)]),
        (FeedForward(0, [[1]], [0], [[1]]), [(-1, 2)], [(0, 2)]),
        (FeedForward(0, [[1]], [0], [[1]]), [(-2, -1)], [(0, 0)]),
        (FeedForward(0, [[1]], [0], [[1]]), [(-1, 0)], [(0, 0)]),
        (FeedForward(0, [[1]], [0], [[1]]), [(0, 1)], [(0, 1)]),
        (FeedForward(0, [[1]], [3], [[-2]]), [(-1, 2)], [(-10, -4)]),
        (FeedForward(0, [[1]], [-1], [[-2]]), [(0, 2)], [(-2, 0)]),
        (FeedForward(0, [[1], [-1]], [0, 0], [[1, 1]]), [(-1, 2)], [(0, 3)]),
        (FeedForward(-1, [[1]], [0], [[1]]), [(1, 5)], [(0, 0)]),
        (FeedForward(-1, [[1]], [0], [[1]]), [(0, 5)], [(0, 0)]),
        (FeedForward(1, [[1]], [0], [[3]]), [(-5, -1)], [(-5, -1)]),
        (FeedForward(2, [[1]], [0], [[3]]), [(-5, -1)], [(-10, -2)]),
        (FeedForward("1/3", [[1]], [0], [[0]]), [(-5, -1)], [("-7/4", "-1/4")]),
        (FeedForward(0, Outer([2, -1], [1, -1]), [0, 1], [[1, 0], [0, 4]]), [(0, 1), (0, 1)], [(0, 2), (0, 8)]),
        (FeedForward(0, Outer([2, -1], [1, -1]), [0, 1], [[1, 0], [0, 4]]), [(2, 3), (0, 1)], [(2, 6), (0, 0)]),
        (FeedForward(1, [[1, 1], [1, -1]], [0, 0], [[1, 0], [0, -1]]), [(1, 2), (0, 1)], [(2, 5), (-2, 1)]),
    ],
)
def test_layers_map_boxes_onto_the_boxes_of_the_format(layer: FeedForward, given: Any, image: Any) -> None:
    assert BoxFeedForward(layer, len(given)).image(box(*given), 2) == box(*image)


def test_boxes_count_equal_tokens_and_merge_points_in_their_order() -> None:
    boxes = Boxes.of([[1, 2], [0, 0], [1, 2]], F(1, 4))
    assert boxes.counts == (2, 1)
    assert boxes.rows()[0] == [(F(3, 4), F(5, 4)), (F(7, 4), F(9, 4))]
    wide, one, two = box((0, 1)), box((1, 1)), box((2, 2))
    merged = Boxes((two, wide, one, two, wide, one), (1, 2, 3, 4, 5, 6)).merged()
    assert (merged.boxes, merged.counts) == ((two, wide, one, wide), (5, 2, 9, 5))
    assert (merged.are_points, Boxes((one, two), (1, 1)).are_points) == (False, True)
    with pytest.raises(NotExact, match="boxes have rational ends"):
        Boxes.of([[ROOT]])


def test_means_at_a_range_of_temperatures_are_bounded_by_the_weights_of_its_ends() -> None:
    follow = Transformer(1, [Block(None, SelfAttention("1/2", Scalar(3), Scalar(1), Scalar(1)))])
    low, high = math.exp(-2), math.exp(-1)
    for tokens, n in (([[0], [1]], 1), ([[0], [0], [1]], 2)):  # the token 1 has scores 0 and 1
        found = BoxTransformer(follow, Temperatures.of(1, 2)).enclose(Boxes.of(tokens), 40).rows()[-1][0]
        mean = (max(0, 1 - n * high / (1 + n * low)), 1 - n * low / (1 + n * high))
        assert [float(x) for x in found] == pytest.approx([0.5 + 3 * mean[0], 0.5 + 3 * mean[1]], abs=1e-9)
    exact = BoxTransformer(follow, Temperatures.of(1, 1)).enclose(Boxes.of([[0], [1]]), 60).rows()[1][0]
    assert float(exact[0]) == pytest.approx(0.5 + 3 / (1 + math.exp(-1)))
    assert exact[1] - exact[0] < F(1, 2**50)


def test_uniform_attention_takes_the_mean_of_boxes() -> None:
    mean = Transformer(1, [Block(None, SelfAttention(0, [[-2]], Zero(), Scalar(1)))])
    boxes = Boxes((box((0, 1)), box((3, 5))), (3, 1))
    assert BoxTransformer(mean, Temperatures.of(1, 2)).enclose(boxes, 8).rows() == [[(-4, F(-3, 2))]] * 2


# ---------------------------------------------------------------- balls


def test_ends_of_balls_are_rational_up_to_a_size() -> None:
    assert ends(arb(2) ** 65535) == (2**65535, 2**65535)
    for large in (arb(2) ** 65536, -(arb(2) ** 70000), arb("inf"), arb("nan"), arb(0, float("inf"))):
        assert not is_bounded(large)
        with pytest.raises(NotExact, match="raise the bits"):
            ends(large)
    low, high = ends(arb(3, 0.5))
    assert low <= F(5, 2) < F(7, 2) <= high
    tiny = ends(arb(1) + arb(0, arb(2) ** -70000))
    assert tiny == (1 - F(2, 2**65536), 1 + F(2, 2**65536))


@pytest.mark.parametrize(
    ("images", "label", "candidates"),
    [
        ([[0], [4]], "both", ("both",)),
        ([[1], [1]], "one", ("one",)),
        ([[1], [4]], "both", ("both",)),
        ([[1], [2]], "one", ("one",)),
        ([["1/2"]], None, ("both", "one")),
    ],
)
def test_a_label_is_as_near_as_the_nearest_of_its_targets_to_every_token(
    images: Any, label: str | None, candidates: tuple[str, ...]
) -> None:
    points = {"both": State.of([[0], [4]]), "one": State.of([[1]])}
    rows = [[arb(fmpq(F(v).numerator, F(v).denominator)) for v in row] for row in images]
    assert nearest_label(arb_mat(rows), points, 64) == (label, candidates)


# ---------------------------------------------------------------- batches


def random_batch(rng: random.Random, dim: int) -> Batch:
    """Several sequences of several rows, each over a denominator of its own and of some weight."""
    lengths = [rng.randint(1, 4) for _ in range(rng.randint(1, 5))]
    count = sum(lengths)
    array = np.array([[rng.randint(-6, 6) for _ in range(dim)] for _ in range(count)])
    denominators = np.array([rng.randint(1, 6) for _ in range(count)])
    weights = np.array([rng.randint(1, 3) for _ in range(count)])
    return Batch(array, denominators, np.cumsum([0, *lengths]), weights, np.repeat(np.arange(count), weights))


def test_rows_are_reduced_and_brought_to_the_denominator_of_their_sequence() -> None:
    rng = random.Random(1)
    for _ in range(30):
        batch = random_batch(rng, 2)
        points = [batch.row(r) for r in range(len(batch.array))]
        below = batch.denominators.tolist()
        assert points == [tuple(F(v, below[r]) for v in row) for r, row in enumerate(batch.array.tolist())]
        array, denominators = reduce_rows(batch.array, batch.denominators)
        for row, q, point in zip(array.tolist(), denominators.tolist(), points, strict=True):
            assert tuple(F(v, q) for v in row) == point
            assert math.gcd(q, *row) == 1
        numerators, common = sequence_denominators(batch)
        for r, j in enumerate(batch.sequence_of_row):
            assert batch.offsets[j] <= r < batch.offsets[j + 1]
            assert tuple(F(int(v), int(common[j])) for v in numerators[r]) == points[r]
        assert (len({*batch.keys()}) == len(set(points))) is True


@pytest.mark.parametrize("rows", [1, 3, 5, 100])
def test_parts_of_a_batch_are_whole_sequences_and_join_again(rows: int) -> None:
    offsets = np.array([0, 2, 3, 7, 8, 10])
    batch = Batch.of(State.of([[F(k, 3), k] for k in range(10)]), offsets)
    parts = list(batch.parts(rows))
    assert [len(p.array) for p in parts] == {1: [2, 1, 4, 1, 2], 3: [3, 4, 3], 5: [3, 5, 2], 100: [10]}[rows]
    joined = Batch.join(iter(parts), 10)
    assert [joined.row(r) for r in range(10)] == [(F(k, 3), k) for k in range(10)]
    assert (joined.offsets.tolist(), joined.inverse.tolist()) == (offsets.tolist(), list(range(10)))
    assert joined.tokens(2, offsets).rows() == [(F(k, 3), k) for k in range(3, 7)]


def test_choices_of_several_sequences_are_those_of_each() -> None:
    batch = random_batch(random.Random(9), 2)
    sequences = [
        [batch.row(r) for r in range(start, stop)]
        for start, stop in zip(batch.offsets[:-1], batch.offsets[1:], strict=True)
    ]
    assert len(sequences) > 2
    for layer in (
        SelfAttention(0, Scalar(1), [["1/3", 1], [0, 2]], Scalar("1/2")),
        SelfAttention(0, Scalar(1), Zero(), Scalar(1)),
        SelfAttention(0, Scalar(1), Outer([1, 2], [1, -1]), [[1, 0], [1, 1]]),
    ):
        for tokens, (chosen, gaps) in zip(sequences, attention_choices(batch, layer, 2), strict=True):
            step = layer.step(tokens)
            assert [tuple(np.flatnonzero(row).tolist()) for row in chosen] == step.follows
            for row, best, gap in zip(step.scores, step.follows, gaps, strict=True):
                rest = [s for j, s in enumerate(row) if j not in best]
                assert gap == (max(row) - max(rest) if rest else None)


def test_only_the_mean_without_the_token_makes_one_row_of_a_sequence() -> None:
    for rho, Q, collapses in ((0, Zero(), True), (1, Zero(), False), (0, Scalar(1), False), (0, Scalar(0), True)):
        assert compile_attention(SelfAttention(rho, Scalar(2), Q, Scalar(1)), 2).collapses is collapses
    with pytest.raises(NotExact, match="run --attention softmax"):
        compile_attention(SelfAttention(0, *[Scalar(1)] * 3, beta=1), 1)


def test_follower_sets_of_every_block_are_of_the_tokens_before_it() -> None:
    step = SelfAttention(0, Scalar(1), Scalar(1), Scalar(1))
    flip = FeedForward(-1, Zero(), [0], Zero())
    transformer = Transformer(1, [Block(flip, step), Block(flip), Block(None, step)])
    tokens = [[F(1)], [F(2)], [F(-3)]]  # -1, -2, 3 -> -2, -2, 3 -> 2, 2, -3
    assert follower_sets(transformer, Batch.of(State.of(tokens))) == [[(1,), (1,), (2,)], None, [(0, 1), (0, 1), (2,)]]
    trace = transformer.trace(tokens)
    assert trace.tokens == [tokens, [[-2], [-2], [3]], [[2], [2], [-3]], [[2], [2], [-3]]]
    assert [None if s is None else s.follows for s in trace.steps] == [[(1,), (1,), (2,)], None, [(0, 1), (0, 1), (2,)]]


# ---------------------------------------------------------------- nearest labels


def distance2(x: Any, y: Any) -> Fraction:
    return sum(((a - b) ** 2 for a, b in zip(x, y, strict=True)), F(0))


@pytest.mark.parametrize("chunk", [1, 7, 1 << 17])
def test_nearest_labels_are_those_of_the_definition(chunk: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(classifier, "CHUNK", chunk)
    rng = random.Random(3)
    for _ in range(15):
        dim = rng.randint(1, 2)
        batch = random_batch(rng, dim)
        points = {
            name: State.of([[F(rng.randint(-3, 3), rng.randint(1, 2)) for _ in range(dim)] for _ in range(n)])
            for name, n in (("b", 2), ("a", 1), ("c", 3))
        }
        for j, found in enumerate(nearest_labels(batch, points)):
            rows = range(batch.offsets[j], batch.offsets[j + 1])
            total = sum(int(batch.weights[r]) for r in rows)
            means = {}
            for name, targets in points.items():
                near = [min(distance2(batch.row(r), t) for t in targets.rows()) for r in rows]
                means[name] = sum(int(batch.weights[r]) * d for r, d in zip(rows, near, strict=True)) / F(total)
            least = min(means.values())
            assert found == Nearest(tuple(sorted(n for n, d in means.items() if d == least)), least)
            assert (found.label, found.tied) == (found.labels[0], len(found.labels) > 1)


def test_scores_count_the_right_labels() -> None:
    points = {"1": State.of([[0]]), "2": State.of([[4]])}
    model = Classifier(Transformer(1, []), points, values={"1": 1, "2": 2})
    sequences = [[[0], [1]], [[5]], [[2]], [[4]]]
    assert model.predict(sequences) == [1, 2, 1, 2]  # 2 is as near to both: the first by name
    assert [n.tied for n in model.nearest(sequences)] == [False, False, True, False]
    assert model.score(sequences, [1, 2, 2, 2]) == F(3, 4)
    assert model.score(Dataset.of(sequences, labels=[1, 1, 1, 2])) == F(3, 4)
    with pytest.raises(InvalidInput, match="expected the right labels, got none"):
        model.score(sequences)
    with pytest.raises(InvalidInput, match=r"dimension 1, as of the transformer, got 2$"):
        model.predict([[[1, 2]]])
    with pytest.raises(InvalidInput, match=r"dimension 2, as of the transformer, got 1; .*--positions"):
        Classifier(Transformer(2, []), {"1": State.of([[0, 0]])}).predict([[[1]]])
    placed = Classifier(Transformer(2, []), {"1": State.of([[0, 0]]), "2": State.of([[0, 2]])}, positions=True)
    assert placed.predict([[[0]], [[0], [0], [0], [0]]]) == ["1", "2"]


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


def test_the_float_orbit_runs_into_its_clusters() -> None:
    tokens = Tokens([[1], [2], [-1], ["-1/2"]], alpha=1)
    orbit = ApproxOrbit(tokens, Backend.of())
    assert orbit.leaders == ()
    assert orbit.follows() == [(1,), (1,), (2,), (2,)]
    assert orbit.leaders == (1, 2)
    orbit.advance()
    assert orbit.points.tolist() == [[1.5], [2.0], [-1.0], [-0.75]]
    assert orbit.deviation(State.of([[1], [2], [-1], [0]])) == 0.75
    assert orbit.clusters() == ((0, 1), (2, 3))
    mixed = ApproxOrbit(Tokens([[1, 0], [0, 1]], A=[[0, 1], [0, 0]]), Backend.of())  # <A z_i, z_j> = z_i2 z_j1
    assert mixed.follows() == [(0, 1), (0,)]


# ---------------------------------------------------------------- attention and matrices


def test_largest_scores_are_found_wherever_they_stand() -> None:
    for scores, best in (
        ([3, 1, 3], (0, 2)),
        ([1, 2, 3], (2,)),
        ([0], (0,)),
        ([1, 1], (0, 1)),
        ([-1, -2, -1, 0], (3,)),
    ):
        assert argmax([F(s) for s in scores]) == best
    assert argmax([ROOT, 2 - ROOT / 2, ROOT]) == (0, 2)


def test_figures_of_an_attention_layer() -> None:
    layer = SelfAttention("5/9", [[1, 0, 7], [0, 2, 0], [0, 0, 1]], [[1, 2, 3]], Outer([2], [0, 1, 100]))
    assert (layer.parameters, layer.dense_parameters(3), layer.bits) == (1 + 4 + 3 + 3, 28, 7)
    assert (layer.score_rank(3), layer.is_uniform) == (1, False)
    tall = SelfAttention(0, Scalar(1), [[1, 0]] * 5, [[0, 1]] * 5)
    assert (tall.score_rank(2), tall.parameters) == (2, 11)
    assert SelfAttention(0, Scalar(1), [[0, 0]], Scalar(1)).is_uniform
    for Q, K, said in (
        (Dense([[1, 0]]), Scalar(1), "Q and K with equally many rows, got 1 and 2"),
        (Outer([1, 2, 3], [1, 0]), Dense([[1, 1]]), "got 3 and 1"),
        (Dense([[1, 0, 0]]), Zero(), "Q: expected a h-by-2 matrix, got 1-by-3"),
        (Zero(), Outer([1], [1]), r"K: expected a h-by-2 matrix, got 1-by-1 \(outer\)"),
    ):
        with pytest.raises(InvalidInput, match=f"block 1 self-attention.*{said}"):
            Transformer(2, [Block(), Block(None, SelfAttention(0, Scalar(1), Q, K))])
    with pytest.raises(InvalidInput, match="V: expected a 2-by-2 matrix, got 1-by-2"):
        Transformer(2, [Block(None, SelfAttention(0, [[1, 0]], Zero(), Zero()))])


def test_sizes_and_products_of_matrices() -> None:
    assert (bit_size(F(-9, 2)), bit_size(F(1, 1024)), bit_size(ROOT * F(3, 16) + 5)) == (4, 11, 5)
    assert (text_bits(F(-9, 2)), text_bits(F(5)), text_bits(F(0)), text_bits(ROOT * F(3, 4) + 5)) == (5, 3, 0, 3 + 4)
    assert dot([], []) == 0
    assert dot([F(0), F(2)], [ROOT, F(3)]) == 6
    assert Dense([[1, 0], [F(1, 3), 2]]).parameters == 3
    assert Outer([1, 0, 2], [3, 0]).parameters == 3
    assert Outer([1, 2], [3, 5]).dense(2, 2) == ((3, 5), (6, 10))
    assert (Zero().parameters, Zero().bits, Zero().dense(1, 2)) == (0, 0, ((0, 0),))
    assert repr(Dense([[k] for k in range(8)])) == "Dense([[0], [1], [2], [3], [4], [5], ..])"
    assert (repr(Outer([1], range(8))), repr(Scalar("1/2"))) == ("Outer([1], [0, 1, 2, 3, 4, 5, ..])", "Scalar(1/2)")
    for wrong in ([[1], [2, 3]], [[]], []):
        with pytest.raises(InvalidInput, match="rows of one positive length"):
            Dense(wrong)
    with pytest.raises(InvalidInput, match="matrix row 1"):
        Dense([[1], ["x"]])


def test_norms_are_exact_while_they_are_short() -> None:
    first = Block(FeedForward(0, Zero(), [F(1, 2), 3], Zero()))
    network = Transformer(2, [first, pure_attention([[1, 2], [0, 1]], 1)])
    assert norm2(network).low == F(1, 4) + 9 + F(1, 4) + 2 * F(1, 4) + 6 + 2
    assert (norm2(network).json(), float(norm2(network))) == ("18", 18.0)
    assert sum_of(iter([F(1, 2**4095)])).exact
    assert not sum_of(iter([F(1, 2**4096)])).exact
    assert sum_of(iter([F(1, 2**4000)] * 9)).low == F(9, 2**4000)
    assert Enclosure(F(1, 2), F(3, 4)).json() == ["1/2", "3/4"]
    with pytest.raises(NotExact, match="rational weights"):
        norm2(Transformer(1, [Block(FeedForward(ROOT, Zero(), [0], Zero()))]))


def test_layers_refuse_what_is_no_layer() -> None:
    with pytest.raises(InvalidInput, match="at least one unit"):
        FeedForward(1, Zero(), [], Zero())
    with pytest.raises(InvalidInput, match=r"^b\[1\]"):
        FeedForward(1, Zero(), [0, "x"], Zero())
    with pytest.raises(InvalidInput, match=r"^rho: "):
        SelfAttention("x", Zero(), Zero(), Zero())
    with pytest.raises(InvalidInput, match="dimension >= 1, got 0"):
        Transformer(0, [])
    with pytest.raises(InvalidInput, match="block 0 feed-forward W: expected a 1-by-2 matrix, got 2-by-2"):
        Transformer(1, [Block(FeedForward(1, Zero(), [0, 0], [[1, 0], [0, 1]]))])
    half = pure_attention([[2]], "1/2").self_attention
    assert half == SelfAttention("2/3", Scalar("1/3"), [[2]], Scalar(1))
    assert (
        repr(Transformer(1, [pure_attention([[2]], 1)])) == "Transformer(dim=1, 1 blocks of width <= 0, 4 parameters)"
    )


def test_temperatures_are_rational_and_positive() -> None:
    assert (inverse_temperature("2/3"), Temperatures.of("1/2", None).json()) == (F(2, 3), ["1/2", None])
    assert Temperatures.of(1, "3/2").json() == ["1", "3/2"]
    for value, said in ((0, "> 0, got 0"), ("-1/2", "> 0, got -1/2"), ("sqrt(2)", "rational inverse temperature")):
        with pytest.raises(InvalidInput, match=f"^here: .*{said}"):
            inverse_temperature(value, "here")
    with pytest.raises(InvalidInput, match="low <= high, got 2 and 3/2"):
        Temperatures.of(2, "3/2")


# ---------------------------------------------------------------- data


def test_labels_written_alike_are_refused_and_values_come_back() -> None:
    data = Dataset.of([[[0]], [[1]], [[2]]], labels=[1, 2, 1])
    assert (data.labels, data.values) == (["1", "2", "1"], {"1": 1, "2": 2})
    with pytest.raises(InvalidInput, match=r"labels\[2\]: '1' and 1 are written alike"):
        Dataset.of([[[0]], [[1]], [[2]]], labels=[1, 2, "1"])
    with pytest.raises(InvalidInput, match=r"labels\[1\]: expected one label a sequence, got \[2\]"):
        Dataset.of([[[0]], [[1]]], labels=[1, [2]])
    with pytest.raises(InvalidInput, match="expected 2 labels, one a sequence, got 3"):
        Dataset.of([[[0]], [[1]]], labels=[1, 2, 3])
    with pytest.raises(InvalidInput, match="expected 1 names, one a sequence, got 2"):
        Dataset.of([[[0]]], names=["a", "b"])


def test_words_about_data_sets() -> None:
    for data, words in (
        (Dataset.of([[[0]]]), "1 sequence of 1 token in dimension 1, without labels"),
        (Dataset.of([[[0, 1], [1, 1]], [[1, 2]]]), "2 sequences of 1..2 tokens in dimension 2, without labels"),
        (Dataset.of([[[0]], [[1]]], targets=[[[1], [2]], [[3]]]), "2 sequences of 1 token in dimension 1, 3 targets"),
        (Dataset.of([[[0]]], labels=["x"]), "1 sequence of 1 token in dimension 1, label 'x'"),
    ):
        assert repr(data) == f"Dataset({words})"
    data = Dataset.of([[[0]], [[1]], [[2]]])
    assert (data.called(2), data.called(0, 2)) == ("sequence 2", "sequences 0 and 2")


def test_parts_of_data_sets_keep_what_belongs_to_them() -> None:
    data = Dataset.of(
        [[[F(k, 2)]] * (k + 1) for k in range(5)], targets=[[[k]] * (5 - k) for k in range(5)], names="abcde"
    )
    for chosen, wanted in (
        (slice(None, None, -2), [4, 2, 0]),
        ([3, 0, 3], [3, 0, 3]),
        (np.array([True, False, False, True, False]), [0, 3]),
        (slice(1, 3), [1, 2]),
    ):
        part = data[chosen]
        assert part.names == ["abcde"[k] for k in wanted]
        assert [s.tokens.rows() for s in part] == [[(F(k, 2),)] * (k + 1) for k in wanted]
        assert [s.targets.rows() for s in part if s.targets] == [[(k,)] * (5 - k) for k in wanted]
    with pytest.raises(InvalidInput, match="at least one of the 5 sequences"):
        data[5:]
    labelled = Dataset.of([[[k]] for k in range(3)], labels=list("xyz"))
    assert labelled[[2, 1]].labels == ["z", "y"]
    assert hash(labelled) == hash(Dataset.of([[[k]] for k in range(3)]))
    assert labelled.json()["sequences"][1] == {"tokens": [[1]], "label": "y"}
    assert Sequence.of([[1], [2]], [["1/2"]], name="n").targets == State.of([["1/2"]])


# ---------------------------------------------------------------- shown


def test_a_transformer_in_latex_has_every_weight_under_its_name() -> None:
    layer = FeedForward("1/2", Outer([1, 2], [3]), [0, -1], [[4, 5]])
    text = latex_transformer(Transformer(1, [Block(layer, SelfAttention(7, Scalar(8), Zero(), [[9]])), Block()]))
    assert text == "\n".join(
        [
            "% block 0",
            r"\begin{align*}",
            r"\eta_{0} &= \tfrac{1}{2}, \\",
            r"U_{0} &= \begin{pmatrix}1 \\ 2\end{pmatrix} \begin{pmatrix}3\end{pmatrix}, \\",
            r"b_{0} &= \begin{pmatrix}0 \\ -1\end{pmatrix}, \\",
            r"W_{0} &= \begin{pmatrix}4 & 5\end{pmatrix}, \\",
            r"\rho_{0} &= 7, \\",
            r"V_{0} &= 8 I, \\",
            r"Q_{0} &= 0, \\",
            r"K_{0} &= \begin{pmatrix}9\end{pmatrix}.",
            r"\end{align*}",
            "% block 1",
            r"\begin{align*}",
            r"&\text{identity}.",
            r"\end{align*}",
        ]
    )
    assert latex_vector([F(1, 2), F(-3)]) == r"(\tfrac{1}{2}, -3)"
    assert latex_number(from_text("2**(1/3)") ** 2 * 3 - 1) == r"-1 + 3\theta^{2}"


def test_an_instance_shows_its_numbers() -> None:
    tokens = Tokens([["1/2", 0], [1, 3]], A=[[2, 0], [0, 1]], alpha="1/3")
    assert repr(tokens) == "Tokens([(1/2, 0), (1, 3)], A = [[2, 0], [0, 1]], alpha = 1/3)"
    assert repr(Tokens([[1]])) == "Tokens([(1)], A = I, alpha = 1)"
    assert tokens.latex() == (
        r"$$Z = \begin{pmatrix}\tfrac{1}{2} & 0 \\ 1 & 3\end{pmatrix},\quad "
        r"A = \begin{pmatrix}2 & 0 \\ 0 & 1\end{pmatrix},\quad \alpha = \tfrac{1}{3}$$"
    )
    assert tokens.json() == {
        "exactformer": "tokens",
        "version": [1, 0],
        "A": [[2, 0], [0, 1]],
        "alpha": F(1, 3),
        "tokens": [[F(1, 2), 0], [1, 3]],
    }
    assert (tokens.is_rational, Tokens([[ROOT]]).is_rational, Tokens([[1]], A=[[ROOT]]).is_rational) == (
        True,
        False,
        False,
    )
    for A, said in (
        ("12", "A: expected a 1-by-1 matrix as a list of rows, got '12'"),
        ([1], r"A\[0\]: expected a row of 1 numbers, got 1"),
        ([["x"]], r"A\[0\]\[0\]: "),
    ):
        with pytest.raises(InvalidInput, match=said):
            Tokens([[1]], A=A)


def test_one_process_holds_a_lock_until_it_is_done(tmp_path: Path) -> None:
    with only_process(tmp_path / "lock", wait=0) as first, only_process(tmp_path / "lock", wait=0) as second:
        assert (first, second) == (True, False)
    with only_process(tmp_path / "lock", wait=0) as third:
        assert third
