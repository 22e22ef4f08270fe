"""The edges of the model: breakpoints that floats cannot tell, weights that are not symmetric, files that go on."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from exactformer.arithmetic.state import State
from exactformer.crosscheck.dynamics import crosscheck_dynamics
from exactformer.crosscheck.exports import arrays, float_copies
from exactformer.crosscheck.transformers import crosscheck_transformer
from exactformer.dynamics.orbit import simulate
from exactformer.errors import InvalidInput, Malformed
from exactformer.model import piecewise_linear
from exactformer.model.approx import Backend, approx, padded_chunks
from exactformer.model.approx_orbit import ApproxOrbit
from exactformer.model.attention import SelfAttention
from exactformer.model.batch import Batch
from exactformer.model.dataset import Dataset, Sequence
from exactformer.model.feed_forward import FeedForward
from exactformer.model.json_lines import LineWriter, read_lines, strict_json
from exactformer.model.matrix import Dense, Outer, Scalar, Zero
from exactformer.model.piecewise_linear import pieces
from exactformer.model.tokens import Tokens
from exactformer.model.transformer import Block, Transformer, follower_sets, pure_attention

F = Fraction
TINY = F(1, 10**30)


# ---------------------------------------------------------------- breakpoints


@pytest.mark.parametrize("at", [F(1, 3), F(2, 7), F(-1, 3), F(10**20, 3)])
@pytest.mark.parametrize("off", [-TINY, F(0), TINY])
def test_a_token_beside_a_breakpoint_is_on_its_side(at: Fraction, off: Fraction) -> None:
    # kinks at `at`, and at `at` + TINY: floats see one point
    layer = FeedForward(1, Outer([1, 1, -2], [1]), [-at, -at - TINY, 2 * at], Outer([1], [10**40, -(10**41), 10**42]))
    transformer = Transformer(1, [Block(layer)])
    for x in (at + off, at + 2 * off, at + off / 2):
        assert transformer([[x]]).rows() == [tuple(layer.apply([x]))]


@pytest.mark.parametrize("sign", [1, -1])
def test_a_quotient_that_floats_round_past_a_breakpoint_is_brought_back(sign: int) -> None:
    # 2^53 + 6/7 lies below 2^53 + 1; as a quotient of two rounded integers it lies above
    at, x = sign * F(2**53 + 1), sign * (2**53 + F(6, 7))
    assert sign * float(7 * 2**53 + 6) / 7.0 > float(2**53 + 1) or sign < 0
    layer = FeedForward(1, Outer([1], [1]), [-at], Outer([1], [10**6]))
    for token in (x, at, at + sign * F(1, 7)):
        assert Transformer(1, [Block(layer)])([[token]]).rows() == [tuple(layer.apply([token]))]


def test_every_piece_of_a_layer_agrees_with_its_definition() -> None:
    layer = FeedForward("1/2", Outer([1, -1, 2, 0, 3], [1, -2]), [0, 1, -3, 2, -3], Outer([1, 3], [1, 2, -1, 1, 5]))
    transformer = Transformer(2, [Block(layer)])
    points = [[x, y] for x in (F(-3), F(-1), F(0), F(1, 2), F(1), F(3, 2), F(4)) for y in (F(0), F(1), F(-1, 3))]
    assert transformer(points).rows() == [tuple(layer.apply(x)) for x in points]
    split = pieces(layer, 2)
    assert split is not None
    assert len(split.t_numerators) == 3  # kinks at 0, 1 (two units) and 3/2; the constant unit has none


@pytest.mark.parametrize("packed", [1, 4, 7])
def test_tables_that_are_packed_on_the_way_are_the_same(packed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Some parts of the table fit the machine's integers, others do not."""
    units = [F(k) if k != 5 else F(2**80, 3) for k in range(1, 9)]
    layer = FeedForward(0, Outer([1] * 8, [1]), [-F(k, 7) for k in range(8)], Outer([1], units))
    whole = pieces(layer, 1)
    monkeypatch.setattr(piecewise_linear, "_PACKED", packed)
    parts = pieces(layer, 1)
    assert whole is not None
    assert parts is not None
    for name in ("t_numerators", "t_denominators", "slopes", "intercepts", "denominators", "acts"):
        assert getattr(parts, name).tolist() == getattr(whole, name).tolist()
    points = [[F(k, 9)] for k in range(-2, 20)]
    assert Transformer(1, [Block(layer)])(points).rows() == [tuple(layer.apply(x)) for x in points]


# ---------------------------------------------------------------- attention that is not symmetric


Q = [[1, 2], [0, 1], [3, -1]]
K = [[1, 0], [-1, 1], [0, 2]]
V = [[1, 3], [0, 2]]
LOPSIDED = SelfAttention("1/2", V, Q, K)
TOKENS = [[F(1), F(2)], [F(-1), F(1, 3)], [F(1, 2), F(-2)]]


def by_hand(tokens: list[list[Fraction]]) -> tuple[list[list[Fraction]], list[tuple[int, ...]]]:
    def times(m: list[list[int]], x: list[Fraction]) -> list[Fraction]:
        return [sum((F(a) * v for a, v in zip(row, x, strict=True)), F(0)) for row in m]

    outputs, follows = [], []
    for x in tokens:
        scores = [sum(a * b for a, b in zip(times(Q, x), times(K, y), strict=True)) for y in tokens]
        best = tuple(j for j, s in enumerate(scores) if s == max(scores))
        mean = [sum((tokens[j][c] for j in best), F(0)) / len(best) for c in range(2)]
        outputs.append([x[c] / 2 + times(V, mean)[c] for c in range(2)])
        follows.append(best)
    return outputs, follows


def test_queries_are_of_the_token_and_keys_of_the_others() -> None:
    outputs, follows = by_hand(TOKENS)
    transformer = Transformer(2, [Block(None, LOPSIDED)])
    assert LOPSIDED.step(TOKENS).follows == follows
    assert transformer(TOKENS).rows() == [tuple(row) for row in outputs]
    assert transformer.by_definition(TOKENS) == outputs
    assert follower_sets(transformer, Batch.of(State.of(TOKENS))) == [follows]
    expected = np.array([[float(v) for v in row] for row in outputs])
    assert approx(transformer, TOKENS) == pytest.approx(expected)
    swapped = Transformer(2, [Block(None, SelfAttention("1/2", V, K, Q))])
    assert swapped(TOKENS) != transformer(TOKENS)  # the instance tells Q from K


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
    from exactformer.crosscheck.exports import write_npz

    transformer = Transformer(2, [Block(None, LOPSIDED)])
    write_npz(transformer, tmp_path / "w.npz")
    with np.load(tmp_path / "w.npz") as archive:
        assert set(archive.files) == {"dim", "block0.rho", "block0.V", "block0.Q", "block0.K"}
        assert int(archive["dim"]) == 2
        assert archive["block0.Q"].tolist() == Q


def test_pure_attention_is_the_layer_of_the_dynamics() -> None:
    tokens = Tokens([[1, 2], [-1, "1/3"], ["1/2", -2]], A=[[2, 1], [1, 1]], alpha="1/3")
    layer = Transformer(2, [pure_attention(tokens.A, tokens.alpha)])
    assert layer(tokens.state) == simulate(tokens, layers=1).tokens(1)


def test_figures_of_transformers() -> None:
    layer = FeedForward(0, Outer([1, 0, 1], [1, 2]), [0, 5, -1], Dense([[1, 0, 2], [0, 3, 0]]))
    transformer = Transformer(2, [Block(layer, SelfAttention(1, Scalar(3), Zero(), Scalar(1)))])
    assert layer.width == transformer.width == 3
    assert layer.parameters == 2 + (2 + 2) + 3
    assert layer.dense_parameters(2) == 1 + 3 * 5
    assert transformer.dense_parameters == 16 + 13
    assert transformer.parameters == 9 + 1 + 1 + 1
    assert transformer.bits == 3
    assert list(transformer.attention_ranks) == [0]
    assert LOPSIDED.score_rank(2) == 2
    assert SelfAttention(0, V, Outer([1, 2, 3], [1, 1]), K).score_rank(2) == 1
    assert not LOPSIDED.is_uniform


# ---------------------------------------------------------------- many sequences, some at a time


MIXED = [[[F(k), F(1, j + 2)] for k in range(j % 3 + 1)] for j in range(7)] + [[[F(2**70), F(1)], [F(1), F(0)]]]


@pytest.mark.parametrize("rows", [1, 2, 3, 5, 100])
@pytest.mark.parametrize("layer", [LOPSIDED, SelfAttention(0, V, Zero(), Zero()), SelfAttention(1, V, Zero(), Zero())])
def test_a_batch_in_parts_is_the_sequences_one_by_one(
    rows: int, layer: SelfAttention, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("exactformer.model.batch_evaluation.ROWS_AT_ONCE", rows)
    transformer = Transformer(2, [Block(FeedForward(1, Outer([1, 2], [1, 1]), [-1, 0], Outer([1, -1], [1, 1])), layer)])
    offsets = np.concatenate([[0], np.cumsum([len(s) for s in MIXED])])
    batch = transformer.evaluate(Batch.of(State.of([x for s in MIXED for x in s]), offsets))
    for j, sequence in enumerate(MIXED):
        assert batch.tokens(j, offsets).rows() == [tuple(x) for x in transformer.by_definition(sequence)]
    assert len(batch.inverse) == offsets[-1]


def test_layers_refuse_points_of_another_dimension() -> None:
    transformer = Transformer(2, [Block(None, LOPSIDED)])
    for call in (transformer, transformer.by_definition):
        with pytest.raises(InvalidInput):
            call([[1, 2, 3]])
    with pytest.raises(InvalidInput):
        transformer.evaluate(Batch.of(State.of([[1]])))
    for offsets in ([0, 1], [1, 2], [0, 0, 2], [0, 3]):
        with pytest.raises(InvalidInput):
            Batch.of(State.of([[1], [2]]), np.array(offsets))


# ---------------------------------------------------------------- floats beside exact arithmetic


@pytest.mark.parametrize("alpha", ["1/3", 1, 5])
def test_the_float_orbit_takes_the_step_alpha_says(alpha: Any) -> None:
    tokens = Tokens([[1, 2], [-1, "1/3"], ["1/2", -2], [0, 1]], A=[[2, 1], [1, 1]], alpha=alpha)
    floats, orbit = ApproxOrbit(tokens, Backend.of()), simulate(tokens, layers=4)
    for k in range(4):
        assert floats.follows() == orbit.follows(k)
        assert floats.deviation(orbit.tokens(k)) < 1e-12
        floats.advance()
    assert floats.leaders == orbit.leaders
    assert floats.deviation(orbit.tokens(1)) > 1e-3


def scaled(factor: Any) -> Transformer:
    return Transformer(1, [Block(None, SelfAttention(0, Scalar(factor), Scalar(1), Scalar(1)))])


@pytest.mark.parametrize("order", [[0, 1, 2], [2, 1, 0], [1, 2, 0]])
def test_crosschecks_look_at_every_sequence(order: list[int]) -> None:
    parts = [[[F(1)], [1 + F(1, 2**50)]], [[F(1)], [F(2)]], [[F(3 * 2**20)], [F(1)]]]
    alone = [crosscheck_transformer(scaled("1/10"), State.of(part), np.array([0, 2])) for part in parts]
    assert alone[1].largest_deviation == 0.0
    assert alone[2].largest_deviation > 1e-11
    rows = [row for k in order for row in parts[k]]
    check = crosscheck_transformer(scaled("1/10"), State.of(rows), np.array([0, 2, 4, 6]))
    assert check.largest_deviation == alone[2].largest_deviation
    assert check.smallest_margin == alone[0].smallest_margin == F(1, 2**50)
    assert check.agrees


@pytest.mark.parametrize("place", [0, 1, 2])
def test_the_first_difference_is_found_wherever_it_is(place: int) -> None:
    tie = [[F(1)], [1 + F(1, 10**20)]]  # one float, two numbers
    parts = [[[F(1)], [F(3)]] for _ in range(3)]
    parts[place] = tie
    check = crosscheck_transformer(scaled(1), State.of([row for part in parts for row in part]), np.array([0, 2, 4, 6]))
    assert check.first_difference is not None
    assert not check
    assert (check.first_difference.block, check.first_difference.sequence, check.first_difference.token) == (
        0,
        place,
        0,
    )
    assert check.first_difference.follows_exact == (1,)
    assert check.first_difference.follows_float == (0, 1)
    assert check.first_difference.margin == F(1, 10**20)


def test_the_first_of_several_differences_is_told() -> None:
    tie = [[F(1)], [1 + F(1, 10**20)]]
    check = crosscheck_transformer(scaled(1), State.of([*tie, [F(3)], [F(1)], *tie]), np.array([0, 2, 4, 6]))
    assert check.first_difference is not None
    assert (check.first_difference.sequence, check.first_difference.token) == (0, 0)


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


def test_dynamics_are_compared_to_their_last_layer() -> None:
    tokens = Tokens([["7/5", "1/5"], [1, 1], [0, 0]], alpha="1/2")
    check = crosscheck_dynamics(tokens, layers=6)
    assert check.layers == 6
    assert check.clusters_exact == ((0,), (1,), (2,))
    assert check.leaders_exact == (0, 1)
    early = Tokens([[1], [1 + TINY], ["1/2"]])
    found = crosscheck_dynamics(early, layers=2)
    assert (found.first_difference, found.tokens) == (0, (0, 1, 2))
    assert found.follows_exact == ((1,), (1,), (1,))
    assert found.follows_float[0] == (0, 1)
    assert found.margin == TINY / 2
    assert not found.agrees


def test_tolerances_grow_with_the_tokens() -> None:
    eps = float(np.sqrt(np.finfo("float64").eps))
    for size, factor in ((F(1, 1000), 1.0), (F(1), 1.0), (F(1000), 1000.0)):
        tokens = Tokens([[size], [-size]])
        assert crosscheck_dynamics(tokens, layers=1).tolerance == pytest.approx(eps * factor)


def test_padding_keeps_sequences_apart() -> None:
    tokens, offsets = State.of([[k] for k in range(9)]), np.array([0, 1, 4, 9])
    chunks = list(padded_chunks(tokens, offsets, size=20))
    assert [(first, part.rows(), ends.tolist()) for first, part, ends in chunks] == [
        (0, tokens.take(slice(0, 4)).rows(), [0, 1, 4]),
        (2, tokens.take(slice(4, 9)).rows(), [0, 5]),
    ]


# ---------------------------------------------------------------- files


def written(path: Path) -> bytes:
    with LineWriter(path) as out:
        out.write({"exactformer": "x"})
        out.write({"y": F(1, 2)})
    return path.read_bytes()


@pytest.mark.parametrize("more", [b"\n", b" ", b"{}\n", b"x"])
def test_nothing_comes_after_the_end_line(tmp_path: Path, more: bytes) -> None:
    path = tmp_path / "f"
    content = written(path)
    assert list(read_lines(path)) == [{"exactformer": "x"}, {"y": "1/2"}]
    path.write_bytes(content + more)
    with pytest.raises(Malformed, match="nothing after the end line"):
        list(read_lines(path))


def test_a_changed_or_cut_file_is_malformed(tmp_path: Path) -> None:
    path = tmp_path / "f"
    content = written(path)
    for bad in (
        content.replace(b"1/2", b"1/3"),
        content[: content.rindex(b"{")],
        content.replace(b'"end":true', b'"end":1'),
    ):
        path.write_bytes(bad)
        with pytest.raises(Malformed):
            list(read_lines(path))
    with pytest.raises(InvalidInput):
        list(read_lines(tmp_path / "absent"))


@pytest.mark.parametrize("text", ['{"a": 1, "a": 2}', "NaN", "[Infinity]", "{", "[-Infinity]"])
def test_json_is_read_strictly(text: str) -> None:
    with pytest.raises(Malformed):
        strict_json(text, "here")


def test_decimals_and_long_integers_are_read_as_they_are_written() -> None:
    assert strict_json("[0.10, 1e3, 7]", "here") == ["0.10", "1e3", 7]
    assert strict_json(f"[{'1' * 5000}, 12]", "here") == ["1" * 5000, 12]


def test_an_exception_leaves_no_file(tmp_path: Path) -> None:
    def interrupted() -> None:
        with LineWriter(tmp_path / "f") as out:
            out.write({"a": 1 // len(list(tmp_path.glob("nothing")))})

    with pytest.raises(ZeroDivisionError):
        interrupted()
    assert list(tmp_path.iterdir()) == []
    with pytest.raises(InvalidInput):
        LineWriter(tmp_path / "g").write({})


# ---------------------------------------------------------------- data sets


def test_positions_are_counted_within_each_sequence() -> None:
    data = Dataset.of([Sequence.of([["1/2"], [3], [3]], [["1/3"]]), Sequence.of([[5]], [[1], [2]])]).with_positions()
    assert [s.tokens.rows() for s in data] == [
        [(F(1, 2), 0), (F(3), 1), (F(3), 2)],
        [(F(5), 0)],
    ]
    assert data.targets_of(0).rows() == [(F(1, 3), 0)]
    assert data.targets_of(1).rows() == [(F(1), 0), (F(2), 0)]
    labelled = Dataset.of([Sequence.of([[1], [2]], label="a")]).with_positions()
    assert labelled.labels == ["a"]
    assert labelled.dim == 2


def test_sequences_are_indexed_from_both_ends() -> None:
    data = Dataset.of([Sequence.of([[k]], label=str(k)) for k in range(3)])
    assert [data[-1].label, data[0].label, data[2].label] == ["2", "0", "2"]
    for j in (3, -4):
        with pytest.raises(IndexError):
            data[j]


@pytest.mark.parametrize(
    "wrong",
    [
        lambda: Dataset.of([]),
        lambda: Dataset.of([Sequence.of([[1]], label="a"), Sequence.of([[1]], [[1]])]),
        lambda: Dataset.of([Sequence.of([[1]], [[1]], label="a")]),
        lambda: Dataset.of([Sequence.of([[1]], [[1, 2]])]),
        lambda: Dataset.of([Sequence.of([[1]], [[1]]), Sequence.of([[1, 2]], [[1]])]),
        lambda: Dataset.of([Sequence.of([[1]], label="\ud800")]),
        lambda: Dataset(State.of([[1], [2]]), np.array([0, 1]), labels=["a"]),
        lambda: Dataset(State.of([[1], [2]]), np.array([1, 2]), labels=["a"]),
        lambda: Dataset(State.of([[1], [2]]), np.array([0, 0, 2]), labels=["a", "b"]),
        lambda: Dataset(State.of([[1], [2]]), np.array([0, 2]), labels=["a", "b"]),
        lambda: Dataset(State.of([[1]]), np.array([0, 1]), targets=State.of([[1]])),
        lambda: Dataset(State.of([[1]]), np.array([0, 1]), targets=State.of([[1]]), target_offsets=np.array([0, 0, 1])),
        lambda: Dataset.of([Sequence.of([[1]], label="a")]).targets_of(0),
    ],
    ids=range(13),
)
def test_data_that_are_none_are_refused(wrong: Any) -> None:
    with pytest.raises(InvalidInput):
        wrong()
