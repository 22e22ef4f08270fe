"""Figures of training: bounds that are met exactly, records of every step, options at their limits, shapes of vectors."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from flint import fmpq, fmpq_mat

import exactformer as ef
from exactformer.constructions.targets import targets_of
from exactformer.errors import InvalidInput, NoConstruction, Undecided
from exactformer.model.attention import SelfAttention
from exactformer.model.dataset import Dataset
from exactformer.model.feed_forward import FeedForward
from exactformer.model.float_weights import network_of
from exactformer.model.matrix import Scalar, Zero
from exactformer.model.norms import Enclosure, norm2
from exactformer.model.transformer import Block, Transformer
from exactformer.training import softmax_training
from exactformer.training.interpolant import Interpolant, softmax_interpolants, with_blocks
from exactformer.training.loss import loss_of, regularised_loss
from exactformer.training.regularised import Shape, approx_loss, approx_minimise, named_arrays, polished
from exactformer.training.repair import repair
from exactformer.training.runs import BETA, judged
from exactformer.training.same_shape import _solvable
from exactformer.training.softmax_training import AdamState, SoftmaxShape, TensorData, approx_adam, approx_softmax_loss
from exactformer.training.train import train

F = Fraction
MEAN = SelfAttention(0, Scalar(F(1)), Zero(), Zero())
SOFT = Transformer(1, [Block(None, SelfAttention(0, [[1]], [[1]], [[1]]))])


def layer(eta: Any, U: Any, b: Any, W: Any) -> Block:
    return Block(FeedForward(eta, U, b, W))


# ---------------------------------------------------------------- loss


def test_a_bound_that_is_met_exactly_is_on_neither_side(tmp_path: Path) -> None:
    """E = (3 - 1)^2 = 4 and |Theta|^2 = 1, so that E + |Theta|^2 / 2 is 9/2."""
    found = regularised_loss(Transformer(1, [layer(1, [[0]], [0], [[0]])]), [[[1]]], targets=[[3]], eps="1/2")
    assert (found.loss.json(), found.norm2.json(), found.objective.json()) == ("4", "1", "9/2")
    hair = F(1, 1 << 50)
    for side, good, bad in (("below", 1, -1), ("above", -1, 1)):
        for bound in (F(9, 2), F(9, 2) + bad * hair):
            with pytest.raises(Undecided, match="does not prove"):
                found.certify(tmp_path / "c.jsonl", **{side: bound})
            assert not (tmp_path / "c.jsonl").exists()
        found.certify(tmp_path / "c.jsonl", **{side: F(9, 2) + good * hair})
        assert ef.check(tmp_path / "c.jsonl").verdict == "accepted"
        (tmp_path / "c.jsonl").unlink()


def test_the_loss_is_the_mean_of_squared_hausdorff_distances() -> None:
    """Outputs {0, 4} against {1, 2}: 4 is 2 away, 1 is 1 away; {5} against {0, 6}: 0 is 5 away."""
    network = Transformer(1, [layer(1, [[0]], [0], [[0]])])
    data = Dataset.of([ef.Sequence.of([[0], [4]], [[1], [2]]), ef.Sequence.of([[5], [5]], [[0], [6]])])
    assert regularised_loss(network, data, eps=0).loss.json() == "29/2"
    assert regularised_loss(network, data, eps=0).objective.json() == "29/2"


def test_a_loss_is_never_negative_and_depends_on_the_temperature() -> None:
    third = regularised_loss(SOFT, [[["1/3"], ["1/3"]]], targets=[["1/3"]], eps=0).loss
    assert third.low == 0
    assert third.high < F(1, 10**30)
    at = [regularised_loss(SOFT, [[[0], [1]]], targets=[[1]], eps=0, beta=beta).loss for beta in (1, 4)]
    for beta, found in zip((1, 4), at, strict=True):
        outputs = (0.5, np.exp(beta) / (1 + np.exp(beta)))
        assert float(found) == pytest.approx(max((1 - y) ** 2 for y in outputs))
    near = [regularised_loss(SOFT, [[[1], [2]]], targets=[[2]], eps=0, beta=beta).loss for beta in (1, 4)]
    assert float(near[0]) == pytest.approx((1 / (1 + np.exp(1))) ** 2)
    assert float(near[1]) == pytest.approx((1 / (1 + np.exp(4))) ** 2)


def test_enclosures_are_refined_until_there_is_a_verdict() -> None:
    data = Dataset.of([[[1], [2]]], targets=[[5]])
    wanted, eps = targets_of(data), F(1, 10)
    fine = loss_of(SOFT, data, wanted, eps, BETA, 512).objective
    for hair, words in ((F(1, 1 << 200), "below the guarantee"), (-F(1, 1 << 200), "not a global minimiser")):
        size = Enclosure((fine.high + hair) / eps, (fine.high + hair) / eps)
        best = Interpolant(SOFT, size, "none", lambda path: None)
        run = judged(SOFT, data, wanted, best, eps=eps, start="random", history=())
        assert run.verdict == words
        assert run.guarantee.low == run.guarantee.high == fine.high + hair
        assert run.figures.loss.high - run.figures.loss.low < F(1, 1 << 200)


# ---------------------------------------------------------------- floats


def test_polishing_corrects_w_alone_and_removes_the_residual() -> None:
    rng = np.random.default_rng(3)
    shape, means, targets = Shape(2, 6), rng.normal(size=(3, 2)), rng.normal(size=(3, 2))
    theta = shape.random(rng)
    after = polished(shape, theta, means, targets)
    before, found = shape.split(theta), shape.split(after)
    assert all(np.array_equal(before[name], found[name]) for name in ("V", "eta", "U", "b"))
    assert not np.array_equal(before["W"], found["W"])
    assert approx_loss(shape, theta, means, targets)[0] > 1e-3
    assert approx_loss(shape, after, means, targets)[0] < 1e-24


def test_every_step_is_told_and_no_more_than_asked_for() -> None:
    rng = np.random.default_rng(0)
    shape, means, targets = Shape(2, 5), rng.normal(size=(6, 2)), rng.normal(size=(6, 2))
    told: list[Any] = []
    end = approx_minimise(shape, shape.random(rng), 0.01, means, targets, epochs=7, tell=told.append)
    assert [(eps, step) for eps, step, _, _ in told] == [(0.01, k) for k in range(1, 8)]
    assert told[-1][2:] == (approx_loss(shape, end, means, targets)[0], float(end @ end))
    falling = [loss / 0.01 + size for _, _, loss, size in told]
    assert falling == sorted(falling, reverse=True)


def test_vectors_are_the_arrays_of_their_network() -> None:
    shape = Shape(2, 3)
    theta = np.arange(4 + 1 + 6 + 3 + 6, dtype=float)
    parts = shape.split(theta)
    assert parts["V"].tolist() == [[0, 1], [2, 3]]
    assert parts["eta"].tolist() == [4]
    assert parts["U"].tolist() == [[5, 6], [7, 8], [9, 10]]
    assert (parts["b"].tolist(), parts["W"].tolist()) == ([11, 12, 13], [[14, 15, 16], [17, 18, 19]])
    assert shape.join(parts).tolist() == theta.tolist()
    assert list(named_arrays(shape, theta)) == ["block0.V", "block1.eta", "block1.U", "block1.b", "block1.W"]
    network = network_of(named_arrays(shape, theta / 8))
    mean = np.array([[1.5, 0.5]])
    error = approx_loss(shape, theta / 8, mean, np.zeros((1, 2)))[0]
    (output,) = set(network([[1, 0], [2, 1]]).rows())
    assert float(sum(x * x for x in output)) == pytest.approx(error)


@pytest.mark.parametrize("blocks", [1, 2, 3])
def test_pooling_as_a_softmax_network_is_the_same_map(blocks: int) -> None:
    rng = np.random.default_rng(blocks)
    pooled, soft = Shape(2, 3), SoftmaxShape(2, 3, rank=2, blocks=blocks)
    arrays = named_arrays(pooled, pooled.random(rng))
    theta = soft.pooling(arrays)
    assert len(theta) == blocks * (1 + 4 + 4 + 4 + 1 + 6 + 3 + 6)
    points = [[1, 0], [2, 1], [F(-1, 2), 3]]
    assert network_of(soft.split(theta))(points).rows() == network_of(arrays)(points).rows()
    start = soft.split(soft.random(rng))
    for name, shape in soft.sizes:
        assert start[name].shape == shape
        scalar = name.endswith(("rho", "eta"))
        assert (start[name] == 0.5).all() if scalar else np.abs(start[name]).max() <= 1 / np.sqrt(shape[-1])


def test_sequences_of_several_lengths_count_alike() -> None:
    """The mean over three sequences in two groups, of E one at a time."""
    torch = pytest.importorskip("torch")
    sequences = [np.array([[1.0], [2.0]]), np.array([[0.5]]), np.array([[3.0], [-1.0]])]
    targets = [np.array([[1.0]]), np.array([[0.0], [2.0]]), np.array([[4.0]])]
    shape = SoftmaxShape(1, 2)
    theta = torch.tensor(shape.random(np.random.default_rng(2)))
    each = [
        float(approx_softmax_loss(shape, theta, TensorData.of([x], [y])))
        for x, y in zip(sequences, targets, strict=True)
    ]
    together = TensorData.of(sequences, targets)
    assert (together.count, sorted(len(x) for x, _ in together.groups)) == (3, [1, 2])
    assert float(approx_softmax_loss(shape, theta, together)) == pytest.approx(sum(each) / 3)


def test_histories_and_savings_come_at_their_epochs(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("torch")
    monkeypatch.setattr(softmax_training, "RECORDED", 3)
    monkeypatch.setattr(softmax_training, "SAVED", 4)
    shape, saved, told = SoftmaxShape(1, 2), list[AdamState](), list[int]()
    tensors = TensorData.of([np.array([[1.0], [2.0]])], [np.array([[1.5]])])
    start = AdamState.start(shape.random(np.random.default_rng(5)))
    end = approx_adam(shape, start, 0.1, tensors, epochs=10, save=saved.append, tell=told.append)
    assert [step for _, step, _, _ in end.history] == [0, 3, 6, 9]
    assert [state.epochs for state in saved] == [4, 8, 10]
    assert told == list(range(1, 11))
    assert end.history[0][0::3] == (0.1, pytest.approx(float(start.theta @ start.theta)))


def test_the_first_step_of_adam_goes_against_the_gradient_of_the_whole_objective() -> None:
    """E = 0 and its gradient is 0 where no unit acts: every weight falls by the rate, whatever eps is."""
    pytest.importorskip("torch")
    shape = SoftmaxShape(1, 1)
    theta = np.array([0.0, 0.0, 0.5, -0.5, 0.0, 0.0, 0.25, 0.0])
    tensors = TensorData.of([np.array([[1.0]])], [np.array([[0.0]])])
    moved = approx_adam(shape, AdamState.start(theta), 0.1, tensors, epochs=1, rate=0.01).theta
    assert moved == pytest.approx([0.0, 0.0, 0.49, -0.49, 0.0, 0.0, 0.24, 0.0])


# ---------------------------------------------------------------- training


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"width": 0}, "width: expected an integer >= 1, got 0"),
        ({"epochs": 0}, "epochs: expected an integer >= 1, got 0"),
        ({"blocks": 0}, "blocks: expected an integer >= 1, got 0"),
        ({"rank": 2}, "blocks and rank are for attention softmax"),
        ({"start": "hot"}, "start: expected one of random, warm, both"),
        ({"attention": "hardmax"}, "attention: expected one of uniform, softmax"),
        ({"eps": ["1", "0"]}, "eps: expected numbers > 0, got 1, 0"),
        ({"eps": []}, "eps: expected numbers > 0, got none"),
    ],
)
def test_options_that_no_training_has(options: dict[str, Any], words: str) -> None:
    with pytest.raises(InvalidInput) as refusal:
        train([[[0]], [[1]]], targets=[[0], [1]], **{"eps": ["1"], **options})
    assert words in str(refusal.value)


def test_progress_counts_the_epochs_of_every_start_and_eps() -> None:
    told: list[tuple[int, int]] = []
    data: dict[str, Any] = {"targets": [[0], [1]], "epochs": 3, "width": 1}
    found = train([[[0]], [[1]]], eps=["1", "1/2"], progress=lambda *now: told.append(now), **data)
    assert told == [(3, 12), (6, 12), (9, 12), (12, 12)]
    assert [(run.eps, run.start) for run in found.runs] == [(e, s) for e in (1, F(1, 2)) for s in ("random", "warm")]
    for run in found.runs:
        assert run.guarantee == Enclosure(run.eps * found.interpolant.norm2.low, run.eps * found.interpolant.norm2.high)
        assert run.figures.norm2.low == norm2(run.network).low
        assert run.json()["objective"] == [str(run.figures.objective.low), str(run.figures.objective.high)]
        assert 1 <= len(run.history) <= 3


@pytest.mark.parametrize("large", ["1e50", "1.1e50", "-1e50", "-1.1e50"])
@pytest.mark.parametrize("place", ["token", "target"])
def test_numbers_up_to_a_limit_are_trained_on(large: str, place: str) -> None:
    tokens, targets = ([[[large]], [[0]]], [[0], [1]]) if place == "token" else ([[[1]], [[0]]], [[large], [1]])
    given: dict[str, Any] = {"targets": targets, "eps": ["1"], "epochs": 1, "width": 1, "start": "random"}
    if "1.1" in large:
        with pytest.raises(InvalidInput, match="at most 1e\\+50 for floats to train on"):
            train(tokens, **given)
    else:
        assert len(train(tokens, **given).runs) == 1


def test_several_targets_have_no_warm_start() -> None:
    pytest.importorskip("torch")
    data = Dataset.of([ef.Sequence.of([[0, 0], [1, 0]], [[1, 0], [0, 1]]), ef.Sequence.of([[1, 1]], [[0, 0]])])
    given: dict[str, Any] = {"eps": ["1/10"], "epochs": 2, "width": 2}
    for options, words in (({"attention": "softmax", "start": "warm"}, "no warm start"), ({}, "train with attention")):
        with pytest.raises(InvalidInput, match=words):
            train(data, **given, **options)
    found = train(data, **given, attention="softmax")
    assert [run.start for run in found.runs] == ["random"]
    assert found.separating_eps is None
    assert "approx_separating_eps" not in found.json()["interpolant"]
    candidates = list(softmax_interpolants(data, None))
    assert [c.method for c in candidates] == ["leaders, balanced", "temperature, balanced"]
    assert [c.norm2.high for c in candidates] == [norm2(c.transformer).high for c in candidates]
    assert found.interpolant.norm2.high == min(c.norm2.high for c in candidates)
    line = Dataset.of([ef.Sequence.of([[0], [1]], [[1], [2]])])
    assert [c.method for c in softmax_interpolants(line, None)] == ["leaders, balanced"]


def test_identities_fill_a_network_up() -> None:
    network = Transformer(2, [Block(None, MEAN), layer(1, [[1, 2]], [3], [[4], [5]])])
    for blocks in (1, 2, 4):
        filled = with_blocks(network, blocks, 3)
        assert len(filled) == 2 * blocks
        assert norm2(filled).high == norm2(network).high + 2 * (blocks - 1)
        assert filled([[1, 0], [0, 3]]).rows() == network([[1, 0], [0, 3]]).rows()
        assert all(b.feed_forward.width == 3 for b in filled.blocks[3::2] if b.feed_forward is not None)


# ---------------------------------------------------------------- repair


def test_figures_of_a_repair_by_hand(tmp_path: Path) -> None:
    """Outputs 2m + 1 at the means 1, 3 and 4 are 3, 7 and 9; 3, 5 and 12 are wanted: residuals 0, -2 and 3."""
    network = Transformer(1, [Block(None, MEAN), layer(2, [[0]], [1], [[1]])])
    fixed = repair(network, [[[0], [2]], [[3]], [[4]]], targets=[[3], [5], [12]])
    assert (fixed.residual, fixed.units_added, fixed.transformer.width) == (3, 2, 3)
    assert fixed.norm2_before.json() == norm2(network).json()
    assert fixed.norm2_after.json() == norm2(fixed.transformer).json()
    assert fixed.json() == {
        "residual": "3",
        "norm2_before": fixed.norm2_before.json(),
        "norm2_after": fixed.norm2_after.json(),
        "units_added": 2,
        "width": 3,
    }
    assert [fixed.transformer([[m]]).rows() for m in (1, 3, 4)] == [[(3,)], [(5,)], [(12,)]]
    fixed.certify(tmp_path / "c.jsonl")
    assert ef.check(tmp_path / "c.jsonl").verdict == "accepted"


def test_residuals_on_one_line_take_one_constant_and_one_hinge() -> None:
    """Nothing bends between the second point and the third, so no unit stands there."""
    network = Transformer(1, [Block(None, MEAN), layer(0, [[0]], [0], [[0]])])
    fixed = repair(network, [[[1]], [[2]], [[4]]], targets=[[10], [12], [16]])
    assert fixed.units_added == 2
    last = fixed.transformer.blocks[-1].feed_forward
    assert last is not None
    for (u,), b, w in zip(last.U.dense(3, 1)[1:], last.b[1:], last.W.dense(1, 3)[0][1:], strict=True):
        inner, outer = u * u + b * b, w * w
        assert F(1, 16) <= outer / inner <= 16


def test_points_of_labels_are_rounded_to_the_nearest_sixteenth() -> None:
    network = Transformer(1, [Block(None, MEAN), layer(1, [[0]], [0], [[0]])])
    fixed = repair(network, [[["3/100"]], [["5/100"]], [["-59/100"]]], ["a", "a", "b"])
    assert [fixed.targets.state(j).rows() for j in range(3)] == [[(F(1, 16),)], [(F(1, 16),)], [(F(-9, 16),)]]


@pytest.mark.parametrize(("count", "shown"), [(9, 9), (10, 10), (12, 10)])
def test_ten_clashes_are_shown_and_all_are_given(count: int, shown: int) -> None:
    network = Transformer(1, [Block(None, MEAN), layer(1, [[0]], [0], [[0]])])
    data, targets = [[[k]] for k in range(count)] * 2, [[7]] * count + [[8]] * count
    with pytest.raises(NoConstruction) as refusal:
        repair(network, data, targets=targets)
    assert [r.witness["pair"] for r in refusal.value.reasons] == [[k, k + count] for k in range(count)]
    assert str(refusal.value).count("have the same pooled point and different targets") == shown


@pytest.mark.parametrize(
    ("blocks", "words"),
    [
        ([layer(1, [[0]], [0], [[0]])], "a block with rho = 0"),
        ([Block(None, SelfAttention(1, [[1]], Zero(), Zero()))], "a block with rho = 0"),
        ([Block(None, MEAN), Block(None, SelfAttention(0, [[1]], [[1]], [[1]]))], "uniform attention"),
    ],
)
def test_networks_that_do_not_pool_are_refused(blocks: list[Block], words: str) -> None:
    with pytest.raises(InvalidInput, match=words):
        repair(Transformer(1, blocks), [[[1]]], targets=[[2]])


# ---------------------------------------------------------------- where something ends


@pytest.mark.parametrize("side", [1, -1])
def test_the_last_enclosure_has_a_thousand_bits(side: int) -> None:
    data = Dataset.of([[[1], [2]]], targets=[[5]])
    wanted, eps = targets_of(data), F(1, 10)
    fine = loss_of(SOFT, data, wanted, eps, BETA, 4096).objective
    words = "below the guarantee" if side > 0 else "not a global minimiser"
    for hair, verdict in ((F(1, 2**700), words), (F(1, 2**1500), "undecided")):
        size = (fine.high if side > 0 else fine.low) / eps + side * hair
        best = Interpolant(SOFT, Enclosure(size, size), "none", lambda path: None)
        run = judged(SOFT, data, wanted, best, eps=eps, start="random", history=())
        assert run.verdict == verdict
        assert F(1, 2**1040) < run.figures.loss.high - run.figures.loss.low < F(1, 2**980)


def test_a_correction_has_as_many_rows_as_unknowns_and_a_length_that_checkers_read() -> None:
    """Rows times bits of the longest number are at most 12000."""
    for rows, bits, unknowns, solvable in (
        (1, 12_000, 1, True),
        (1, 12_001, 1, False),
        (2, 6_000, 2, True),
        (2, 6_001, 2, False),
        (2, 6_000, 1, False),
        (3, 4_000, 5, True),
        (3, 4_001, 5, False),
    ):
        for long in (fmpq(2**bits - 1), fmpq(1 - 2**bits), fmpq(1, 2**bits - 1)):
            entries = [fmpq(k) for k in range(2 * rows - 1)] + [long]
            assert _solvable(fmpq_mat(rows, 2, entries), unknowns) is solvable


def test_a_unit_at_its_kink_has_no_part_in_the_gradient() -> None:
    """V = 1, eta = 1/2, y = x/2 + 3 relu(2x - 4) + 5 relu(x + 1): at x = 2 the first unit is at 0."""
    shape, theta = Shape(1, 2), np.array([1, 0.5, 2, 1, -4, 1, 3, 5.0])
    loss, gradient = approx_loss(shape, theta, np.array([[2.0]]), np.array([[14.0]]))
    parts = {name: value.tolist() for name, value in shape.split(gradient).items()}
    assert loss == 4
    assert parts == {"V": [[44]], "eta": [8], "U": [[0], [40]], "b": [0, 20], "W": [[0, 12]]}


def test_runs_that_are_kept_are_those_of_their_start_and_eps(tmp_path: Path) -> None:
    data = [[[0], [2]], [[3]], [[7], [6]]]
    options: dict[str, Any] = {"targets": [[0], [1], [0]], "eps": ["1/10", "1/50"], "epochs": 6, "width": 2}
    plain = train(data, **options)
    networks = [run.network for run in plain.runs]
    assert len({norm2(network).high for network in networks}) == 4
    for _ in range(2):
        kept = train(data, **options, resume=tmp_path / "runs")
        assert [run.network for run in kept.runs] == networks
        assert [(run.start, run.eps, run.history) for run in kept.runs] == [
            (run.start, run.eps, run.history) for run in plain.runs
        ]
    assert len(list((tmp_path / "runs").iterdir())) == 6
    cut = [[[0]], [[2], [3]], [[7], [6]]]  # the same tokens, in other sequences
    again, fresh = (train(cut, **options, resume=resume) for resume in (tmp_path / "runs", None))
    assert [run.network for run in again.runs] == [run.network for run in fresh.runs] != networks
