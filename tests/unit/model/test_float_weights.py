"""Tests of `exactformer.model.float_weights`."""

from __future__ import annotations

import json
import random
import zipfile
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from exactformer.errors import InvalidInput, Malformed
from exactformer.model.attention import SelfAttention
from exactformer.model.feed_forward import FeedForward
from exactformer.model.float_weights import network_of, read_exact_or_floats, read_float_weights
from exactformer.model.matrix import Zero
from exactformer.model.transformer import Block, Transformer

F = Fraction


# ---------------------------------------------------------------- networks of floats


def test_layers_of_a_program_are_paired_into_blocks() -> None:
    ff = {"U": [[1.0]], "b": [0.5], "W": [[2.0]]}
    sa = {"V": [[3.0]]}
    for kinds, blocks in (("fa", 1), ("af", 2), ("ff", 2), ("aa", 2), ("faf", 2), ("ffa", 2), ("faa", 2), ("afa", 2)):
        layers = {
            f"layers.{2 * k}.{name}": value
            for k, kind in enumerate(kinds)
            for name, value in (ff if kind == "f" else sa).items()
        }
        network, x = network_of(layers), F(1)
        for kind in kinds:
            x = 2 * (x + F(1, 2)) if kind == "f" else 3 * x
        assert len(network) == blocks
        assert network([[1]]).rows() == [(x,)]


def test_blocks_that_are_left_out_are_the_identity_and_numbers_zero() -> None:
    network = network_of(
        {"block2.V": [[0.1]], "block0.U": [[1, 2]], "block0.b": [0], "block0.W": [[1], [3]]}
        | {"block2.V": [[2.0, 0.0], [0.0, 0.25]]}
    )
    assert network.blocks[1] == Block()
    assert network.blocks[0] == Block(FeedForward(0, [[1, 2]], [0], [[1], [3]]))
    assert network.blocks[2] == Block(None, SelfAttention(0, [[2, 0], [0, "1/4"]], Zero(), Zero()))
    full = network_of({f"block0.{name}": [[k + 0.5]] for k, name in enumerate("VQK")} | {"block0.rho": np.float64(3)})
    assert full.blocks[0].self_attention == SelfAttention(3, [["1/2"]], [["3/2"]], [["5/2"]])
    assert network_of({"block0.V": np.array([[0.1]], dtype=np.float32)})([[1]]).rows() == [(F(float(np.float32(0.1))),)]
    for wrong, said in (
        ({"block0.U": [[1.0]], "block0.W": [[1.0]]}, "here, block 0: expected U, W, b together, got U, W"),
        ({"block1.rho": 1.0}, "here, block 1: expected V together, got rho"),
        ({"block0.V": [[1.0, 2.0]]}, "here: block 0 self-attention V: expected a 2-by-2 matrix"),
        ({"block0.V": [[np.inf]]}, "here: block0.V: expected finite numbers"),
        ({"block0.v": [[1.0]]}, "here: expected weights named .*, got 'block0.v'"),
        ({"block0.V": [[1.0]], "block0.rho": [1.0, 2.0]}, "rho: expected one number, got 2"),
    ):
        with pytest.raises(InvalidInput, match=said):
            network_of(wrong, "here")


@pytest.mark.parametrize(("number_of_type", "dtype"), [(7, "<f4"), (8, "<f8"), (6, "<i4")])
def test_programs_of_either_precision_are_read(number_of_type: int, dtype: str, tmp_path: Path) -> None:
    meta = {"dtype": number_of_type, "sizes": [{"as_int": 1}, {"as_int": 2}], "strides": [{"as_int": 9}, {"as_int": 1}]}
    entries = {
        "layers.0.U": {"path_name": "w", "use_pickle": False, "tensor_meta": meta},
        "layers.0.b": {
            "path_name": "b",
            "use_pickle": False,
            "tensor_meta": {"dtype": number_of_type, "sizes": [{"as_int": 1}], "strides": [{"as_int": 1}]},
        },
        "layers.0.W": {
            "path_name": "w",
            "use_pickle": False,
            "tensor_meta": {**meta, "sizes": meta["sizes"][::-1], "strides": [{"as_int": 1}, {"as_int": 1}]},
        },
    }
    path = tmp_path / "p.pt"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("q/data/weights/model_weights_config.json", json.dumps({"config": entries}))
        archive.writestr("q/data/weights/w", np.array([1, 2], dtype=dtype).tobytes())
        archive.writestr("q/data/weights/b", np.array([3], dtype=dtype).tobytes())
    if number_of_type == 6:
        with pytest.raises(Malformed, match=r"expected a torch.export program or a state dict"):
            read_exact_or_floats(path)
        return
    assert read_exact_or_floats(path) == Transformer(2, [Block(FeedForward(0, [[1, 2]], [3], [[1], [2]]))])


def test_networks_are_read_by_the_ending_of_their_file(tmp_path: Path) -> None:
    network = Transformer(1, [Block(None, SelfAttention(0, [["1/2"]], Zero(), Zero()))])
    np.savez(tmp_path / "W.NPZ.npz", **{"block0.V": np.array([[0.5]]), "dim": np.array(1)})
    network.save(tmp_path / "n.jsonl")
    assert read_exact_or_floats(tmp_path / "W.NPZ.npz") == read_exact_or_floats(tmp_path / "n.jsonl") == network
    np.save(tmp_path / "a.npy", np.array([[1.0]]))
    (tmp_path / "a.npz").write_bytes((tmp_path / "a.npy").read_bytes())
    with pytest.raises(Malformed, match=r"expected named weights .NPZ., got one array"):
        read_exact_or_floats(tmp_path / "a.npz")
    np.savez(tmp_path / "b.npz", V=np.array([[0.5]]))
    with pytest.raises(Malformed, match=r"expected weights named"):
        read_exact_or_floats(tmp_path / "b.npz")


WEIGHTS = {
    "layers.0.eta": [0.5],
    "layers.0.U": [[1.0]],
    "layers.0.b": [1.0],
    "layers.0.W": [[2.0]],
    "layers.1.rho": [0.0],
    "layers.1.V": [[3.0]],
    "layers.2.U": [[1.0]],
    "layers.2.b": [-4.0],
    "layers.2.W": [[1.0]],
    "layers.10.V": [[5.0]],
}


# ---------------------------------------------------------------- networks of floats


def test_the_order_of_weights_in_a_file_does_not_matter() -> None:
    wanted = network_of(WEIGHTS)
    assert len(wanted) == 2
    assert wanted([[1]]).rows() == [(5 * (F(27, 2) - 4),)]
    for seed in range(5):
        shuffled = random.Random(seed).sample(sorted(WEIGHTS), len(WEIGHTS))
        assert network_of({name: WEIGHTS[name] for name in shuffled}) == wanted
    blocks = {"block1.V": [[5.0]], "block0.V": [[3.0]], "block0.rho": 1.0, "dim": 1}
    assert network_of(blocks)([[1]]).rows() == [(20,)]


def program(path: Path, **about: Any) -> Path:
    """A torch.export program of one attention layer with V = diag(2, 4), as its archive holds it."""
    sizes, strides = about.pop("sizes", [2, 2]), about.pop("strides", [2, 1])
    meta = {
        "dtype": 8,
        "sizes": [{"as_int": n} for n in sizes],
        "strides": [{"as_int": n} for n in strides],
    }
    config = {"config": {"layers.0.V": {"path_name": "w", "use_pickle": False, "tensor_meta": meta, **about}}}
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("p/data/weights/model_weights_config.json", json.dumps(config))
        archive.writestr("p/data/weights/w", np.array([[2.0, 0.0], [0.0, 4.0]]).tobytes())
    return path


def test_programs_hold_plain_tensors_only(tmp_path: Path) -> None:
    assert read_exact_or_floats(program(tmp_path / "p.pt"))([[1, 1]]).rows() == [(2, 4)]
    for wrong in ({"use_pickle": True}, {"use_pickle": None}, {"strides": [1, 2]}, {"sizes": [3, 2]}):
        with pytest.raises(Malformed):
            read_exact_or_floats(program(tmp_path / "p.pt", **wrong))


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


def test_blocks_and_layers_are_not_mixed() -> None:
    with pytest.raises(InvalidInput, match=r"expected weights named .*, got 'block0.V'"):
        network_of({"layers.0.V": [[1.0]], "block0.V": [[1.0]]})
