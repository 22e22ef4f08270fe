"""Repair, balancing and norms: the same map, exact targets, small changes, and refusals that say why."""

from __future__ import annotations

import json
import zipfile
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import exactformer as ef
from exactformer.certificates.opened import Certificate
from exactformer.cli.main import code
from exactformer.constructions.balance import balanced
from exactformer.errors import InvalidInput, Malformed, NoConstruction
from exactformer.model.dataset import Dataset
from exactformer.model.float_weights import network_of, read_float_weights
from exactformer.model.norms import norm2
from exactformer.model.transformer import Block, Transformer
from exactformer.training.repair import _label_points, repair

RNG = np.random.default_rng(5)
SEQUENCES = [RNG.integers(-50, 50, (int(RNG.integers(2, 6)), 3)).tolist() for _ in range(12)]
TARGETS = RNG.integers(-3, 4, (12, 3))


def trained(noise: float, width: int = 40, dim: int = 3) -> dict[str, Any]:
    """Arrays of a network with mean pooling whose output misses the targets by about `noise`."""
    rng = np.random.default_rng(1)
    means = np.array([np.mean(x, axis=0) for x in SEQUENCES]) / 50
    V = np.eye(dim) / 50
    U, b = rng.normal(size=(width, dim)), rng.normal(size=width)
    hidden = np.maximum(means @ U.T + b, 0)
    W = np.linalg.lstsq(hidden, TARGETS + noise * rng.normal(size=TARGETS.shape), rcond=None)[0].T
    return {"block0.V": V, "block1.U": U, "block1.b": b, "block1.W": W}


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


def test_the_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    np.savez(tmp_path / "net.npz", **trained(1e-4))
    (tmp_path / "data.json").write_text(json.dumps(data().json(), default=str))
    cert = tmp_path / "cert.jsonl"
    files = [str(tmp_path / "net.npz"), str(tmp_path / "data.json")]
    assert code(["repair", *files, "-o", str(cert), "--json"]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert set(answer) == {"residual", "norm2_before", "norm2_after", "units_added", "width"}
    assert answer["width"] == 40 + answer["units_added"]
    assert code(["check", str(cert), "--data", files[1]]) == 0
    assert code(["repair", *files]) == 0
    assert "units added" in capsys.readouterr().out
    assert code(["repair", files[1], files[1], "-o", str(tmp_path / "x.jsonl")]) == 3
    assert code(["repair", str(tmp_path / "absent.npz"), files[1]]) == 3
    assert not (tmp_path / "x.jsonl").exists()


@pytest.mark.parametrize("method", ["shallow", "deep", "leaders", "paper", "compact"])
def test_balance_keeps_the_map_and_never_raises_the_norm(method: str, tmp_path: Path) -> None:
    numbers = np.random.default_rng(2).integers(-90, 90, (9, 3, 2)).tolist()
    sequences = Dataset.of([ef.Sequence.of(x, label="ab"[j % 2]) for j, x in enumerate(numbers)])
    plain, small = (ef.construct(sequences, method=method, balance=b) for b in (False, True))
    assert small.report.norm2.high <= plain.report.norm2.high
    assert small.report.parameters == plain.report.parameters
    for sequence in sequences:
        assert small.transformer.by_definition(sequence.tokens) == plain.transformer.by_definition(sequence.tokens)
    small.certify(tmp_path / "c.jsonl")
    assert ef.check(tmp_path / "c.jsonl").verdict == "accepted"
    if method == "shallow":
        assert float(small.report.norm2) < float(plain.report.norm2) / 2


weights = st.fractions(-8, 8, max_denominator=8)


@settings(max_examples=30, deadline=None)
@given(st.lists(st.tuples(weights, weights, weights, weights), min_size=1, max_size=4), weights)
def test_balance_on_random_chains(layers: list[tuple[Fraction, ...]], x: Fraction) -> None:
    network = Transformer(1, [Block(ef.FeedForward(eta, [[u]], [b], [[w]])) for eta, u, b, w in layers])
    assert balanced(network)([[x]]).rows() == network([[x]]).rows()
    assert norm2(balanced(network)).high <= norm2(network).high


def test_norms_are_exact_or_enclosed() -> None:
    network = Transformer(
        2, [Block(None, ef.SelfAttention("1/2", {"outer": [[1, 2], [3, 0]]}, {"scalar": 2}, [[1, 1], [0, 0]]))]
    )
    assert norm2(network).json() == "221/4"
    rows = [[Fraction(1, 2**61 + 2 * k + 1)] for k in range(200)]
    long = Transformer(1, [Block(ef.FeedForward(3, rows, [0] * 200, [[0] * 200]))])
    found = norm2(long)
    assert not found.exact
    assert 9 < found.low < sum((x * x for row in rows for x in row), Fraction(9)) < found.high


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


def test_keep_shape_on_the_command_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    np.savez(tmp_path / "net.npz", **trained(1e-4))
    (tmp_path / "data.json").write_text(json.dumps(data().json(), default=str))
    files = [str(tmp_path / "net.npz"), str(tmp_path / "data.json")]
    assert code(["repair", *files, "--keep-shape", "-o", str(tmp_path / "c.jsonl"), "--json"]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert (answer["units_added"], answer["width"]) == (0, 40)
    assert code(["check", str(tmp_path / "c.jsonl"), "--data", files[1]]) == 0


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


FEED = {"U": [[1.0, 0.0]], "b": [0.5], "W": [[1.0], [2.0]]}


def test_blocks_are_ordered_by_their_numbers_and_layers_are_paired() -> None:
    mean, swap = {"V": [[1.0, 0.0], [0.0, 1.0]]}, {"V": [[0.0, 1.0], [1.0, 0.0]]}
    parts = {3: FEED, 0: mean, 2: swap}
    arrays = {f"block{k}.{name}": value for k, part in parts.items() for name, value in part.items()}
    found = network_of(arrays)
    assert [(b.feed_forward is None, b.self_attention is None) for b in found] == [
        (True, False),
        (True, True),
        (True, False),
        (False, True),
    ]
    assert found([[1, 2], [3, 4]]).rows()[0] == network_of(dict(sorted(arrays.items())))([[1, 2], [3, 4]]).rows()[0]
    assert found([[1, 2]]).rows() == [(Fraction(5, 2), 5)]
    layers = {f"layers.{k}.{name}": value for k, part in enumerate((FEED, mean, swap)) for name, value in part.items()}
    assert [(b.feed_forward is None, b.self_attention is None) for b in network_of(layers)] == [
        (False, False),
        (True, False),
    ]


@pytest.mark.parametrize(
    ("strides", "pickled", "right"), [((2, 1), False, True), ((1, 2), False, False), ((2, 1), True, False)]
)
def test_only_plain_tensors_of_a_torch_program_are_read(
    strides: tuple[int, int], pickled: bool, right: bool, tmp_path: Path
) -> None:
    meta = {
        "dtype": 8,
        "sizes": [{"as_int": 2}, {"as_int": 2}],
        "strides": [{"as_int": stride} for stride in strides],
    }
    entry = {"path_name": "weight_0", "use_pickle": pickled, "tensor_meta": meta}
    path = tmp_path / "net.pt"
    with zipfile.ZipFile(path, "w") as archive:
        config = {"config": {"layers.0.V": entry}}
        archive.writestr("net/data/weights/model_weights_config.json", json.dumps(config))
        archive.writestr("net/data/weights/weight_0", np.array([[1.0, 2.0], [0.0, 1.0]]).tobytes())
    if right:
        assert read_float_weights(path)([[1, 3]]).rows() == [(7, 3)]
    else:
        with pytest.raises(Malformed, match="not a plain tensor"):
            read_float_weights(path)


def test_residuals_that_become_equal_need_a_unit_too() -> None:
    nothing = ef.FeedForward(1, [[0]], [0], [[0]])
    network = Transformer(1, [Block(None, ef.SelfAttention(0, [[1]], [[0]], [[0]])), Block(nothing)])
    fixed = repair(network, [[[0]], [[1]], [[2]], [[3]]], targets=[[0], [2], [3], [4]])
    assert fixed.units_added == 2
    assert [fixed.transformer([[x]]).rows()[0][0] for x in range(4)] == [0, 2, 3, 4]
