"""What the model counts, compares, shows and bounds: figures of networks, batches, distances, chunks, LaTeX, text."""

from __future__ import annotations

import json
import random
from fractions import Fraction
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from flint import arb, arb_mat

from exactformer.arithmetic.algebraic import from_text
from exactformer.arithmetic.state import State
from exactformer.errors import InvalidInput, NotExact
from exactformer.model.approx import ApproxTransformer, Backend, approx, pad, padded_chunks
from exactformer.model.approx_orbit import CLUSTER_TOLERANCE, ApproxOrbit, _groups
from exactformer.model.attention import SelfAttention
from exactformer.model.ball_transformer import BallTransformer, nearest_label
from exactformer.model.batch import Batch
from exactformer.model.batch_evaluation import attention_choices
from exactformer.model.box_attention import BoxTransformer
from exactformer.model.boxes import Boxes
from exactformer.model.classifier import nearest_labels
from exactformer.model.feed_forward import FeedForward
from exactformer.model.html import html, json_content, short, table
from exactformer.model.latex import latex_matrix, latex_number, latex_rows
from exactformer.model.matrix import Dense, Matrix, Outer, Scalar, Zero, matrix
from exactformer.model.norms import norm2, sum_of
from exactformer.model.plain_text import visible
from exactformer.model.temperatures import Temperatures
from exactformer.model.tokens import Tokens
from exactformer.model.transformer import Block, Transformer, pure_attention

F = Fraction
ROOT = from_text("sqrt(2)")
THREE = [[1, 0], [0, 1], [1, 1]]
PARTS = FeedForward(1, THREE, [0, 1, -1], [[1, 0, 2], [0, 1, 1]])


# ---------------------------------------------------------------- networks, counted


def network(**odd: Any) -> Transformer:
    """A network of ones in which the named weights are another number."""
    part = {name: odd.get(name, 1) for name in ("eta", "U", "b", "W", "rho", "V", "Q", "K")}
    ff = FeedForward(part["eta"], [[part["U"]]], [part["b"]], [[part["W"]]])
    return Transformer(1, [Block(ff, SelfAttention(part["rho"], *([[part[name]]] for name in "VQK")))])


@pytest.mark.parametrize("name", ["eta", "U", "b", "W", "rho", "V", "Q", "K"])
def test_every_weight_counts(name: str) -> None:
    plain = network()
    assert (plain.parameters, plain.weight_bits, plain.bits, plain.is_rational) == (8, 8, 1, True)
    assert network(**{name: 0}).parameters == 7
    assert network(**{name: F(1, 3)}).weight_bits == 7 + 2
    assert network(**{name: 9}).bits == 4
    assert norm2(network(**{name: F(3, 2)})).low == 7 + F(9, 4)
    assert not network(**{name: ROOT}).is_rational


def test_equal_blocks_are_stored_once_in_a_loop() -> None:
    block, other = network().blocks[0], network(b=2).blocks[0]
    looped = Transformer(1, [block, other, block, block])
    assert looped.parameters == 4 * 8
    assert looped.looped_parameters == 2 * 8


def test_the_norm_of_long_numbers_is_enclosed() -> None:
    terms = [F(1, 3**k) for k in range(1, 300)]
    for some in (terms[:5], terms, [F(2, 7**900)] * 3 + terms):
        found = sum_of(iter(some))
        assert found.low <= sum(some) <= found.high
        assert found.high - found.low <= F(len(some), 2**256)
    assert sum_of(iter(terms[:5])).exact
    assert not sum_of(iter(terms)).exact
    three = Transformer(3, [Block(FeedForward(0, Scalar(2), [0, 0, 0], Outer([1, 1, 0], [2, 0, 1])))])
    assert norm2(three).low == 3 * 4 + 2 * 5


@pytest.mark.parametrize(
    "wrong",
    [{"zero": False}, {"zero": 1}, {"outer": [[1]]}, {"outer": 5}, {"outer": [[], [1]]}, {}, "12", 5, [[]], []],
)
def test_what_is_no_matrix_is_refused(wrong: Any) -> None:
    with pytest.raises(InvalidInput):
        matrix(wrong)


@pytest.mark.parametrize("form", [Dense(THREE), Outer([1, 2, 0], [1, "1/2"]), Zero()])
def test_the_forms_of_a_matrix_multiply_alike(form: Matrix) -> None:
    x = [F(3), F(-1, 5)]
    rows = form.dense(3, 2)
    assert form.times(x, 3, lambda v: v) == [sum(a * b for a, b in zip(row, x, strict=True)) for row in rows]
    assert form.is_zero is not any(any(row) for row in rows)
    assert matrix(form.json()) == form


def test_a_multiple_of_the_identity_is_square() -> None:
    with pytest.raises(InvalidInput, match="U: expected a 3-by-2 matrix, got a multiple of the identity"):
        Transformer(2, [Block(FeedForward(1, Scalar(1), [0, 0, 0], Zero()))])


def test_a_rank_one_matrix_is_zero_where_a_factor_is() -> None:
    assert Outer([0, 0], [1, 2]).is_zero
    assert Outer([1, 2], [0, 0]).is_zero
    assert not Outer([1, 0], [0, 2]).is_zero


# ---------------------------------------------------------------- attention


def test_the_words_about_a_token_name_its_score_and_the_next() -> None:
    step = SelfAttention(0, *[Scalar(1)] * 3).step([[F(1)], [F(3)], [F(2)], [F(3)]])
    assert step.explain(0) == "token 0 attends to 1, 3 with score 3; the next best score is 2"
    assert SelfAttention(0, *[Scalar(1)] * 3).step([[F(2)]]).explain(0) == "token 0 attends to 0 with score 4"


@pytest.mark.parametrize(("Q", "K"), [(Zero(), Dense(THREE)), (Dense(THREE), Zero()), (Zero(), Zero())])
def test_zero_beside_a_matrix_of_any_height_is_the_mean(Q: Matrix, K: Matrix) -> None:
    transformer = Transformer(2, [Block(None, SelfAttention("1/2", [[1, 2], [0, 1]], Q, K))])
    tokens = [[F(1), F(2)], [F(-1), F(1, 4)], [F(3), F(0)]]
    outputs = transformer.by_definition(tokens)
    assert transformer(tokens).rows() == [tuple(row) for row in outputs]
    assert approx(transformer, tokens) == pytest.approx(np.array(outputs, dtype=float))
    boxes = BallTransformer(transformer, F(3), 64).enclose(State.of(tokens))
    assert all(a <= v <= b for row, out in zip(boxes, outputs, strict=True) for (a, b), v in zip(row, out, strict=True))


def test_gaps_of_scores_are_those_of_the_definition() -> None:
    layer = SelfAttention(0, Scalar(1), [["1/3", 1], [0, "1/2"]], [["1/5", 0], [1, 1]])
    tokens = [[F(1, 2), F(1)], [F(-1, 3), F(2)], [F(1, 7), F(0)]]
    scores = layer.step(tokens).scores
    chosen, gaps = next(attention_choices(Batch.of(State.of(tokens)), layer, 2))
    assert [sorted(row, reverse=True)[0] - sorted(row, reverse=True)[1] for row in scores] == gaps
    assert [tuple(np.flatnonzero(row).tolist()) for row in chosen] == layer.step(tokens).follows


def test_attention_after_the_mean_keeps_the_mean() -> None:
    """After pooling a sequence is one point, however many tokens it had: every attention then finds that point."""
    pool, tokens = Block(None, SelfAttention(0, Scalar(1), Zero(), Zero())), [[F(1), F(0)], [F(4), F(1)], [F(4), F(2)]]
    for Q, K in ((Outer([1], [1, 1]), Outer([1], [1, 0])), (Dense(THREE), Dense(THREE)), (Zero(), Zero())):
        for rho in (0, 1):
            transformer = Transformer(2, [pool, Block(None, SelfAttention(rho, Scalar(3), Q, K))])
            assert transformer(tokens).rows() == [((3 + rho) * F(3), (3 + rho) * F(1))] * 3


def test_softmax_has_no_fractions() -> None:
    soft = Transformer(1, [Block(None, SelfAttention(0, *[Scalar(1)] * 3, beta=1))])
    for evaluate in (soft, soft.by_definition):
        with pytest.raises(NotExact, match="enclose"):
            evaluate([[1], [2]])
    for alpha in (0, -1):
        with pytest.raises(InvalidInput, match="alpha > 0"):
            pure_attention([[1]], alpha)


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


def test_rows_over_other_denominators_have_the_keys_of_their_points() -> None:
    batch = Batch(
        np.array([[1, 2], [2, 4], [1, 2]]), np.array([2, 4, 4]), np.array([0, 3]), np.ones(3, int), np.arange(3)
    )
    first, second, third = batch.keys()
    assert first == second != third


def test_rows_of_several_tokens_weigh_as_many() -> None:
    points = {"low": State.of([[0]]), "high": State.of([[4]])}
    batch = Batch(np.array([[1], [4]]), np.array([1, 1]), np.array([0, 2]), np.array([5, 1]), np.zeros(6, int))
    (found,) = nearest_labels(batch, points)
    assert (found.labels, found.distance2) == (("low",), F(5 * 1 + 16, 6))


@pytest.mark.parametrize("scale", [1, 40, 61])
def test_a_layer_on_some_rows_may_have_long_denominators(scale: int) -> None:
    layer = FeedForward(1, [[1]], [0], [[F(1, 2**scale) - 1]])
    tokens = [[F(1, 2**scale)], [F(-1)], [F(3, 2**scale)]]
    assert Transformer(1, [Block(layer)])(tokens).rows() == [tuple(layer.apply(x)) for x in tokens]


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


def test_labels_at_one_distance_are_all_candidates() -> None:
    points = {"a": State.of([[0]]), "b": State.of([[2]]), "c": State.of([[9]])}
    assert nearest_label(arb_mat([[arb(1)]]), points, 64) == (None, ("a", "b"))
    assert nearest_label(arb_mat([[arb(1.5)]]), points, 64) == ("b", ("b",))
    assert nearest_label(arb_mat([[arb(1, 0.5)]]), points, 64) == (None, ("a", "b"))
    assert nearest_label(arb_mat([[arb(0.8, 0.25)]]), points, 64) == (None, ("a", "b"))  # its middle is nearer to a
    assert nearest_label(arb_mat([[arb(0.5, 0.25)]]), points, 64) == ("a", ("a",))
    with pytest.raises(InvalidInput, match="dimension 1, got 2"):
        BallTransformer(Transformer(1, []), F(1)).images(State.of([[1, 2]]))


# ---------------------------------------------------------------- temperatures and boxes


def test_both_ends_belong_to_a_range_of_temperatures() -> None:
    for low, high, inside, outside in ((1, 2, (1, F(3, 2), 2), (F(1, 2), 3)), (2, None, (2, 10**9), (1,))):
        beta = Temperatures.of(low, high)
        assert all(beta.contains(F(x)) for x in inside)
        assert not any(beta.contains(F(x)) for x in outside)
    for ends in ((0, 1), (2, 1), (-1, None), ("sqrt(2)", None), (1, "sqrt(2)"), (1, 0)):
        with pytest.raises(InvalidInput):
            Temperatures.of(*ends)


@pytest.mark.parametrize("high", [1, 40, None])
def test_means_of_boxes_stay_in_the_hull_of_the_tokens(high: int | None) -> None:
    follow = Transformer(1, [Block(None, SelfAttention(0, *[Scalar(1)] * 3))])
    boxes = BoxTransformer(follow, Temperatures.of("1/100", high)).enclose(Boxes.of([[1], [2], [3]], F(1, 2)), 32)
    for ((low, top),) in boxes.rows():
        assert F(1, 2) <= low <= top <= F(7, 2)


@pytest.mark.parametrize("beta", [F(1, 2), F(3), F(7)])
@pytest.mark.parametrize("tokens", [[[0], [0], [0], [0], [0], [1]], [[0], [1], [1], [1]], [[2], [0], [0], [0], [-1]]])
@pytest.mark.parametrize("open_end", [False, True])
def test_tokens_that_stand_there_several_times_weigh_as_many(
    tokens: list[list[int]], beta: Fraction, open_end: bool
) -> None:
    follow = Transformer(1, [Block(None, SelfAttention(0, *[Scalar(1)] * 3))])
    range_of = Temperatures.of(beta, None if open_end else beta)
    boxes = BoxTransformer(follow, range_of).enclose(Boxes.of(tokens), 64).rows()
    places = [tokens.index(x) for k, x in enumerate(tokens) if x not in tokens[:k]]
    balls = BallTransformer(follow, beta, 128).enclose(State.of(tokens))
    for ((low, high_end),), k in zip(boxes, places, strict=True):
        ((least, most),) = balls[k]
        assert low <= most
        assert least <= high_end


def test_boxes_that_are_no_points_have_none() -> None:
    assert Boxes.of([[1], [2]]).points() == {(1,), (2,)}
    with pytest.raises(NotExact, match="no point"):
        Boxes.of([[1]], F(1, 9)).points()
    assert [str(Temperatures.of(*ends)) for ends in ((1, 1), (1, "3/2"), (2, None))] == [
        "beta = 1",
        "every beta from 1 to 3/2",
        "every beta >= 2, and hardmax",
    ]


# ---------------------------------------------------------------- floats


def test_clusters_gather_around_their_first_token() -> None:
    step = 0.8 * CLUSTER_TOLERANCE
    chain = np.array([[1.0], [1 - step], [1 - 2 * step], [1 - 3 * step], [0.0]])
    assert _groups(chain) == ((0, 1), (2, 3), (4,))


def test_floats_that_overflow_are_infinitely_far_off() -> None:
    tokens = Tokens([[10**400], [1]])
    assert ApproxOrbit(tokens, Backend.of()).deviation(tokens.state) == float("inf")
    tokens = Tokens([["1/3"], [1]])
    assert ApproxOrbit(tokens, Backend.of()).deviation(tokens.state) == 0.0


# ---------------------------------------------------------------- shown


@pytest.mark.parametrize(("height", "width"), [(2, 2), (3, 5), (5, 3), (6, 6), (1, 9), (9, 1)])
@pytest.mark.parametrize("most", [None, 2, 3, 5])
def test_rows_in_latex_are_of_one_length_however_they_are_cut(height: int, width: int, most: int | None) -> None:
    rows = [[F(i * width + j) for j in range(width)] for i in range(height)]
    text = latex_rows(rows, most=most)
    lines = text.removeprefix(r"\begin{pmatrix}").removesuffix(r"\end{pmatrix}").split(r" \\ ")
    shown = (min(height, most or height), min(width, most or width))
    assert len(lines) == shown[0] + (height > shown[0])
    assert {len(line.split(" & ")) for line in lines} == {shown[1] + (width > shown[1])}
    assert lines[0].split(" & ")[: shown[1]] == [str(j) for j in range(shown[1])]


def test_matrices_in_latex_have_the_form_they_are_stored_in() -> None:
    shown = [latex_matrix(m) for m in (Scalar(1), Scalar("3/2"), Zero(), Outer([1, 2], [3, 4, 5]))]
    assert shown[:3] == ["I", r"\tfrac{3}{2} I", "0"]
    assert shown[3] == r"\begin{pmatrix}1 \\ 2\end{pmatrix} \begin{pmatrix}3 & 4 & 5\end{pmatrix}"
    assert r"&\text{identity}." in Transformer(1, [Block()]).latex()


def test_algebraic_numbers_in_latex_are_sums_of_powers() -> None:
    assert latex_number(1 - ROOT / 2) == r"1 - \tfrac{1}{2}\theta"
    assert latex_number(ROOT * 0) == "0"
    assert latex_number(F(-7, 3)) == r"-\tfrac{7}{3}"


@pytest.mark.parametrize(
    "character", ["\x00", "\x1b", "\x7f", "\u200b", "\u202e", "\ufeff", "\ud800", "\ue000", "\u2028", "\u2029"]
)
def test_every_character_that_cannot_be_seen_is_written_as_an_escape(character: str) -> None:
    shown = visible(f"a{character}b")
    assert shown.isascii()
    assert shown.isprintable()
    assert shown not in ("ab", f"a{character}b")
    assert character not in html("<b>{text}</b>", text=f"a{character}b")
    assert visible("naïve 猫 \n", keep="\n") == "naïve 猫 \n"


def test_no_text_ends_a_script() -> None:
    text = json_content({"label": "</script><b>"})
    assert "<" not in text
    assert json.loads(text) == {"label": "</script><b>"}


def test_tables_say_how_many_rows_they_leave_out() -> None:
    for count, words in ((40, None), (41, "1 more rows."), (100, "60 more rows.")):
        shown = table(["n"], [[k] for k in range(count)])
        assert shown.count("<tr>") == min(count, 40) + 1
        assert (words in shown) if words else "more rows" not in shown
    assert short(F(10**20 + 1, 3 * 10**20)) == "~0.333333"
    assert all(a < b for a, b in pairwise([len(short(F(10**k))) for k in (1, 5, 11)]))
