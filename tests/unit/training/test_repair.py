"""Tests of `exactformer.training.repair`."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from kits.trained_networks import SEQUENCES, TARGETS, trained
from kits.training_data import small_data

import exactformer as ef
from exactformer.certificates.certificate import Certificate
from exactformer.constructions.targets import targets_of
from exactformer.errors import InvalidInput, NoConstruction
from exactformer.model.attention import SelfAttention
from exactformer.model.dataset import Dataset
from exactformer.model.feed_forward import FeedForward
from exactformer.model.float_weights import network_of
from exactformer.model.matrix import Scalar, Zero
from exactformer.model.norms import norm2
from exactformer.model.transformer import Block, Transformer
from exactformer.training.interpolant import pooling_interpolants
from exactformer.training.repair import _balanced_unit, _curve, _direction, _label_points, repair

F = Fraction


MEAN = SelfAttention(0, Scalar(F(1)), Zero(), Zero())


def layer(eta: Any, U: Any, b: Any, W: Any) -> Block:
    return Block(FeedForward(eta, U, b, W))


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


def data() -> Dataset:
    return Dataset.of([ef.Sequence.of(x, targets=[y]) for x, y in zip(SEQUENCES, TARGETS.tolist(), strict=True)])


@pytest.mark.parametrize("noise", [1e-2, 1e-6])
def test_a_network_trained_elsewhere_becomes_exact(noise: float, tmp_path: Path) -> None:
    np.savez(tmp_path / "net.npz", **trained(noise))
    found = repair(tmp_path / "net.npz", data())
    assert 0 < found.residual < 10 * noise
    assert found.units_added <= len(SEQUENCES)
    before, after = found.norm2_before, found.norm2_after
    assert before.low <= after.high
    assert float(after) - float(before) < 5000 * noise
    found.certify(tmp_path / "cert.jsonl")
    assert ef.check(tmp_path / "cert.jsonl").verdict == "accepted"
    assert Certificate.open(tmp_path / "cert.jsonl").header["attention"] == "softmax"  # at every temperature


def test_the_residual_is_the_largest_coordinate_by_which_an_output_misses() -> None:
    network = network_of(trained(1e-3))
    missed = [
        abs(got - Fraction(int(y)))
        for x, target in zip(SEQUENCES, TARGETS, strict=True)
        for row in network(x).rows()
        for got, y in zip(row, target, strict=True)
    ]
    assert repair(network, data()).residual == max(missed) > 0


def test_its_own_units_are_kept() -> None:
    network = network_of(trained(1e-3))
    found = repair(network, data()).transformer
    old, new = network.blocks[1].feed_forward, found.blocks[1].feed_forward
    assert old is not None
    assert new is not None
    assert new.U.dense(0, 0)[: old.width] == old.U.dense(0, 0)
    assert new.b[: old.width] == old.b
    assert found.blocks[0] == network.blocks[0]


def test_an_exact_network_stays_as_it_is() -> None:
    built = ef.construct(data())
    found = repair(built.transformer, data())
    assert (found.residual, found.units_added, found.transformer) == (0, 0, built.transformer)


def test_labels_get_the_mean_outputs_or_the_points_given() -> None:
    labelled = Dataset.of([ef.Sequence.of(x, label="ab"[j % 2]) for j, x in enumerate(SEQUENCES)])
    network = network_of(trained(1e-3))
    found = repair(network, labelled)
    assert all(x.denominator <= 16 for row in found.targets.state(0).rows() for x in row)
    given = repair(network, labelled, label_targets={"a": [0, 0, 1], "b": [1, 0, 0]})
    assert given.transformer(labelled[1].tokens).rows()[0] == (1, 0, 0)


def test_pooled_points_that_coincide_are_refused_with_the_pair() -> None:
    twins = Dataset.of(
        [ef.Sequence.of(x, targets=[y]) for x, y in (([[0], [2]], [0]), ([[1]], [1]), ([[1], [1]], [1]))]
    )
    network = network_of({"block0.V": np.eye(1), "block1.U": [[1.0]], "block1.b": [0.0], "block1.W": [[1.0]]})
    with pytest.raises(NoConstruction, match="sequences 0 and 1") as refusal:
        repair(network, twins)
    assert [reason.witness["pair"] for reason in refusal.value.reasons] == [[0, 1], [0, 2]]


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"block0.Q": np.eye(3), "block0.K": np.eye(3)}, "uniform attention"),
        ({"block0.rho": 1.0}, "rho = 0"),
        ({"block1.b": np.full(40, np.nan)}, "finite"),
        ({"block1.b": np.zeros(3)}, "matrix"),
        ({"weight": np.eye(3)}, "block0.V"),
    ],
)
def test_networks_that_are_none(change: dict[str, Any], words: str) -> None:
    with pytest.raises(InvalidInput, match=words):
        repair(network_of(trained(1e-2) | change), data())


def test_data_of_another_dimension_or_with_several_targets() -> None:
    network = network_of(trained(1e-2))
    with pytest.raises(InvalidInput, match="dimension 3"):
        repair(network, [[[0]]], targets=[[0]])
    several = Dataset.of([ef.Sequence.of([[0, 0, 0], [1, 1, 1]], targets=[[0, 0, 0], [1, 0, 0]])])
    with pytest.raises(InvalidInput, match="one target"):
        repair(network, several)


def deep(noise: float) -> dict[str, Any]:
    """Arrays of a network with blocks before the pooling, one of uniform attention that keeps the tokens apart."""
    rng = np.random.default_rng(3)
    first = {
        "block0.U": rng.normal(size=(6, 3)),
        "block0.b": rng.normal(size=6),
        "block0.W": rng.normal(size=(3, 6)) / 50,
    }
    mixing = {"block0.eta": 1 / 50, "block0.rho": 0.5, "block0.V": rng.normal(size=(3, 3)) / 4}
    second = {"block1.U": rng.normal(size=(4, 3)), "block1.b": rng.normal(size=4), "block1.W": rng.normal(size=(3, 4))}
    head = {**first, **mixing, **second, "block1.eta": 1.0, "block1.V": np.eye(3)}
    head = {name: np.asarray(value, dtype=np.float32) for name, value in head.items()}
    means = np.array([[float(v) for v in network_of(head)(x).rows()[0]] for x in SEQUENCES])
    U = rng.normal(size=(40, 3)).astype(np.float32)
    b = -(U * means[rng.integers(12, size=40)]).sum(axis=1).astype(np.float32)  # every unit turns at a mean
    hidden = np.maximum(means @ U.T + b, 0)
    W = np.linalg.lstsq(hidden, TARGETS + noise * rng.normal(size=TARGETS.shape), rcond=None)[0].T
    return {**head, "block2.U": U, "block2.b": b, "block2.W": W}


@pytest.mark.parametrize("keep_shape", [False, True])
def test_blocks_before_the_pooling(keep_shape: bool, tmp_path: Path) -> None:
    np.savez(tmp_path / "net.npz", **deep(1e-5))
    found = repair(tmp_path / "net.npz", data(), keep_shape=keep_shape)
    assert 0 < found.residual < 1e-3
    assert len(found.transformer) == 3
    assert found.transformer.width == 40 + found.units_added
    assert (found.units_added == 0) == keep_shape
    assert abs(float(found.norm2_after) - float(found.norm2_before)) < 1
    found.certify(tmp_path / "c.jsonl")
    assert ef.check(tmp_path / "c.jsonl").verdict == "accepted"


def test_a_torch_state_with_the_names_of_export(tmp_path: Path) -> None:
    torch = pytest.importorskip("torch")
    arrays = trained(1e-4)
    state = {"layers.0.V": arrays["block0.V"]}
    state |= {f"layers.1.{name}": arrays[f"block1.{name}"] for name in ("U", "b", "W")}
    torch.save({name: torch.tensor(value) for name, value in state.items()}, tmp_path / "net.pt")
    found = repair(tmp_path / "net.pt", data())
    assert found.transformer == repair(network_of(arrays), data()).transformer


@pytest.mark.parametrize("dim", [12, 13])
def test_v_is_corrected_where_the_means_are_independent(dim: int) -> None:
    rng = np.random.default_rng(dim)
    rows = [rng.integers(-9, 9, (3, dim)).tolist() for _ in range(12)]
    ends = rng.integers(-9, 9, (12, dim)).tolist()
    sequences = Dataset.of([ef.Sequence.of(x, targets=[y]) for x, y in zip(rows, ends, strict=True)])
    V = np.linalg.lstsq(np.array([np.mean(x, axis=0) for x in rows]), np.array(ends), rcond=None)[0].T
    layer = {"block1.eta": 1.0, "block1.U": np.zeros((2, dim)), "block1.b": np.zeros(2), "block1.W": np.zeros((dim, 2))}
    found = repair(network_of({"block0.V": V.astype(np.float32), **layer}), sequences, keep_shape=True)
    assert found.transformer.blocks[1] == network_of({"block0.V": V, **layer}).blocks[1]
    assert 0 < found.residual < Fraction(1, 100)
    assert found.units_added == 0


def test_v_is_corrected_with_active_units() -> None:
    sequences = Dataset.of([ef.Sequence.of([x], targets=[y]) for x, y in (([1, 2], [17, 9]), ([3, -1], [16, 4]))])
    layer = {"block1.eta": 1.0, "block1.U": [[1.0, 1.0]], "block1.b": [10.0], "block1.W": [[0.5], [0.25]]}
    found = repair(network_of({"block0.V": np.eye(2), **layer}), sequences, keep_shape=True)
    old, new = (network_of({"block0.V": np.eye(2), **layer}), found.transformer)
    assert new.blocks[1] == old.blocks[1]
    assert [new(s.tokens).rows() for s in sequences] == [[(17, 9)], [(16, 4)]]


def test_a_unit_that_changes_its_sign_is_seen() -> None:
    """V = -1 would solve the equation of the active unit, which then is off; W = -1 is right."""
    layer = {"block1.U": [[1.0]], "block1.b": [0.0], "block1.W": [[1.0]]}
    found = repair(network_of({"block0.V": [[1.0]], **layer}), [[[1]]], targets=[[-1]], keep_shape=True)
    assert found.transformer == network_of({"block0.V": [[1.0]], **layer, "block1.W": [[-1.0]]})


@pytest.mark.parametrize(("target", "changed"), [(13, {"block1.W": [[12 / 11]]}), (11, {"block0.V": [[0.5]]})])
def test_of_both_corrections_the_smaller_network_is_taken(target: int, changed: dict[str, Any]) -> None:
    """y = x + relu(x + 10) at the mean 1 is 12: 13 by V = 3/2 or W = 12/11, 11 by V = 1/2 or W = 10/11."""
    layer = {"block1.eta": 1.0, "block1.U": [[1.0]], "block1.b": [10.0], "block1.W": [[1.0]]}
    found = repair(network_of({"block0.V": [[1.0]], **layer}), [[[1]]], targets=[[target]], keep_shape=True)
    wanted = {"block0.V": [[1.0]], **layer, **changed}
    assert abs(float(found.norm2_after) - float(norm2(network_of(wanted)))) < 1e-9
    assert found.transformer([[1]]).rows() == [(target,)]


@pytest.mark.parametrize(("bits", "possible"), [(500, True), (11_000, False)])
def test_a_correction_whose_numbers_no_checker_would_read_is_none(bits: int, possible: bool) -> None:
    """One mean m, and no hidden unit: dV = (z - x) m' / |m|^2 is twice as long as m."""
    network = network_of({"block0.V": np.eye(2), "block1.eta": 1.0, "block1.U": [[0.0, 0.0]], "block1.b": [-1.0],
                          "block1.W": [[1.0], [1.0]]})  # fmt: skip
    mean = [2**bits + 1, 3 ** (bits * 5 // 8)]
    if possible:
        assert repair(network, [[mean]], targets=[[1, 0]], keep_shape=True).transformer([mean]).rows() == [(1, 0)]
    else:
        with pytest.raises(NoConstruction, match="4000 digits"):
            repair(network, [[mean]], targets=[[1, 0]], keep_shape=True)


def test_a_shape_that_cannot_be_kept_is_refused() -> None:
    network = network_of(trained(1e-2, width=3))
    with pytest.raises(NoConstruction, match="no more sequences than units"):
        repair(network, data(), keep_shape=True)


def test_label_points_stay_apart_on_a_finer_grid() -> None:
    points = _label_points(["a", "b", "a"], [(Fraction(0),), (Fraction(1, 100),), (Fraction(0),)])
    assert points["a"] == (Fraction(0),)
    assert points["b"] != points["a"]
    assert abs(points["b"][0] - Fraction(1, 100)) < Fraction(1, 100)
    assert points["b"] == (Fraction(1, 64),)
    assert _label_points(["a", "b"], [(Fraction(1, 3),), (Fraction(2),)])["a"] == (Fraction(5, 16),)
    assert _label_points(["a", "b"], [(Fraction(0),), (Fraction(1, 40),)])["b"] == (Fraction(1, 32),)


def test_the_residual_is_the_largest_in_either_direction() -> None:
    nearly = ef.FeedForward(1, [[0]], [0], [[0]])
    network = Transformer(1, [Block(None, ef.SelfAttention(0, [[1]], [[0]], [[0]])), Block(nearly)])
    assert repair(network, [[[0]], [[3]]], targets=[["1/4"], [2]]).residual == 1
    assert repair(network, [[[0]], [[3]]], targets=[["1/4"], [5]]).residual == 2


def test_residuals_that_become_equal_need_a_unit_too() -> None:
    nothing = ef.FeedForward(1, [[0]], [0], [[0]])
    network = Transformer(1, [Block(None, ef.SelfAttention(0, [[1]], [[0]], [[0]])), Block(nothing)])
    fixed = repair(network, [[[0]], [[1]], [[2]], [[3]]], targets=[[0], [2], [3], [4]])
    assert fixed.units_added == 2
    assert [fixed.transformer([[x]]).rows()[0][0] for x in range(4)] == [0, 2, 3, 4]


# repair, interpolants, saved runs, progress ------------------------------------------------------------------------
def test_units_are_balanced_by_a_power_of_two_and_keep_their_product() -> None:
    for row, bias, column in (
        ((F(1), F(0)), F(1), (F(1, 1000), F(0))),
        ((F(3), F(-4)), F(12), (F(5000), F(2))),
        ((F(1, 64), F(0)), F(1, 3), (F(7), F(-9))),
    ):
        new, shifted, other = _balanced_unit(row, bias, column)
        factor = shifted / bias
        assert factor in {F(2) ** k for k in range(-20, 20)}
        assert new == tuple(factor * x for x in row)
        assert other == tuple(x / factor for x in column)
        inner, outer = sum(x * x for x in (*new, shifted)), sum(x * x for x in other)
        assert F(1, 8) <= inner / outer <= 8


def test_a_curve_has_a_hinge_at_every_bend() -> None:
    nodes = [((F(2), F(0)), (F(3), F(0))), ((F(0), F(1)), (F(1), F(0))), ((F(1), F(5)), (F(2), F(0)))]
    nodes.append(((F(4), F(0)), (F(0), F(1))))
    units = list(_curve(nodes, (F(1), F(0))))
    assert len(units) == 3
    for z, residual in [*nodes, ((F(3), F(0)), (F(3, 2), F(1, 2)))]:
        total = [F(0), F(0)]
        for row, bias, column in units:
            height = max(F(0), row[0] * z[0] + row[1] * z[1] + bias)
            total = [t + height * c for t, c in zip(total, column, strict=True)]
        assert tuple(total) == residual


def test_a_direction_has_the_largest_least_gap_beside_its_length() -> None:
    points = [(F(0), F(0)), (F(1), F(100)), (F(2), F(-50)), (F(3), F(7))]
    u = _direction(points, np.random.default_rng(0))
    tried = np.random.default_rng(0).integers(-8, 8, (400, 2), endpoint=True)

    def share(c: Any) -> float:
        along = sorted(float(c[0]) * float(z[0]) + float(c[1]) * float(z[1]) for z in points)
        return min(b - a for a, b in pairwise(along)) / math.hypot(float(c[0]), float(c[1]))

    assert share(u) == pytest.approx(max(share(c) for c in tried if any(c)))
    assert all((8 * x).denominator == 1 and abs(x) <= 1 for x in u)


@pytest.mark.parametrize("seed", [0, 1])
def test_trained_networks_are_repaired_with_the_seed_and_filled_up_with_blocks(seed: int) -> None:
    mean = SelfAttention(0, Scalar(F(1)), Zero(), Zero())
    nearly = FeedForward("0.99", [[1, 0, 0], [0, 1, 0]], ["0.1", 0], [["0.02", 0], [0, "0.01"], [0, 0]])
    network = Transformer(3, [Block(None, mean), Block(nearly)])
    data = Dataset.of([[[0, 0, 1], [2, 4, 1]], [[3, 1, 5]]], targets=[[1, 2, 1], [3, 1, 5]])
    wanted = targets_of(data)
    found = pooling_interpolants(data, wanted, [network], label_targets=None, blocks=3, seed=seed)
    assert [(one.method, one.same_shape) for one in found] == [
        ("shallow, balanced", False),
        ("trained and repaired", False),
        ("trained, V or W corrected", True),
    ]
    assert found[1].transformer == repair(network, data, seed=seed).transformer
    kept = repair(network, data, keep_shape=True).transformer
    assert (len(found[2].transformer), found[2].norm2.low) == (6, norm2(kept).low + 4)
    assert all(one.norm2 == norm2(one.transformer) for one in found)
    assert repair(network, data, seed=0).transformer != repair(network, data, seed=1).transformer
    heavy = Transformer(3, [Block(None, mean), Block(FeedForward(1, [[99, 0, 0]], [0], [[0]] * 3))])
    alone = pooling_interpolants(data, wanted, [heavy], label_targets=None, blocks=3, seed=seed)
    assert [one.method for one in alone] == ["shallow, balanced"]


def test_units_are_added_to_the_last_layer_wherever_the_pooling_was() -> None:
    mean = SelfAttention(0, Scalar(F(1)), Zero(), Zero())
    first, last = FeedForward(2, [[1]], [0], [[1]]), FeedForward("0.3", [[1], [-1]], [0, 1], [["0.01", 0]])
    network = Transformer(1, [Block(None, mean), Block(first), Block(last)])
    found = repair(network, [[[0], [2]], [[3]], [[5]]], targets=[[1], [3], [5]])
    assert (len(found.transformer), found.transformer.blocks[:2]) == (3, network.blocks[:2])
    assert found.transformer.blocks[2].feed_forward is not None
    assert found.transformer.blocks[2].feed_forward.width == 2 + found.units_added
    assert [found.transformer(x).rows()[0] for x in ([[0], [2]], [[3]], [[5]])] == [(1,), (3,), (5,)]


def test_a_torch_network_is_repaired(tmp_path: Path) -> None:
    torch = pytest.importorskip("torch")
    torch.manual_seed(0)
    data = small_data(20)
    means = torch.tensor([[float(np.mean([float(x[k]) for x in s.tokens.rows()])) for k in range(2)] for s in data])
    points = torch.tensor([[float(y) for y in data.targets_of(j).rows()[0]] for j in range(len(data))])
    net = torch.nn.Sequential(torch.nn.Linear(2, 24), torch.nn.ReLU(), torch.nn.Linear(24, 2, bias=False))
    optimiser = torch.optim.Adam(net.parameters(), lr=1e-2)
    for _ in range(150):
        optimiser.zero_grad()
        ((net(means) - points) ** 2).sum(1).mean().backward()
        optimiser.step()
    state = {"block0.V": torch.eye(2), "block1.U": net[0].weight, "block1.b": net[0].bias, "block1.W": net[2].weight}
    torch.save({name: value.detach() for name, value in state.items()}, tmp_path / "net.pt")
    found = ef.repair(tmp_path / "net.pt", data)
    found.certify(tmp_path / "cert.jsonl")
    assert ef.check(tmp_path / "cert.jsonl").verdict == "accepted"
    assert 0 < found.units_added <= 20


def test_what_is_no_network_is_refused() -> None:
    data = Dataset.of([[[0]], [[1]]], labels=["a", "b"])
    with pytest.raises(
        InvalidInput, match=r"network: expected a Transformer, a torch\.nn\.Module or a path, got int; arrays"
    ):
        repair(7, data)
