"""`exactformer import` as it is used."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import exactformer as ef
from exactformer.cli.main import code

D, M, V, N = 4, 6, 5, 3
GIVEN = ["--heads", "2", "--activation", "gelu_tanh", "--epsilon", "1e-5"]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a small network under GPT-2 names."""
    rng, shapes = np.random.default_rng(2), {"wte.weight": (V, D), "wpe.weight": (N, D)}
    linear = {"attn.c_attn": (D, 3 * D), "attn.c_proj": (D, D), "mlp.c_fc": (D, M), "mlp.c_proj": (M, D)}
    for name, shape in linear.items():
        shapes |= {f"h.0.{name}.weight": shape, f"h.0.{name}.bias": shape[1:]}
    for name in ("h.0.ln_1", "h.0.ln_2", "ln_f"):
        shapes |= {f"{name}.weight": (D,), f"{name}.bias": (D,)}
    write(tmp_path / "model.safetensors", {n: rng.standard_normal(s).astype("<f4") for n, s in shapes.items()})
    monkeypatch.chdir(tmp_path)
    return tmp_path


def write(path: Path, tensors: dict[str, np.ndarray]) -> None:
    header, data = {}, b""
    for name, tensor in tensors.items():
        end = len(data) + tensor.nbytes
        header[name] = {"dtype": "F32", "shape": list(tensor.shape), "data_offsets": [len(data), end]}
        data += tensor.tobytes()
    text = json.dumps(header).encode()
    path.write_bytes(len(text).to_bytes(8, "little") + text + data)


def test_the_answer_and_the_files(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert code(["import", "model.safetensors", *GIVEN, "-o", "network.json", "--json"]) == 0
    net = ef.Network.load("network.json")
    expected = {"names": "gpt2", "dim": D, "blocks": 1, "heads": 2, "vocabulary": V, "parameters": net.parameters}
    assert json.loads(capsys.readouterr().out) == expected | {"sha256": net.digest}
    header = json.loads((folder / "network.json").read_text())
    assert (header["exactformer"], header["version"], header["file"]) == ("network", [1, 2], "network.f32")
    assert (header["weights"], header["read"], header["epsilon"]) == (net.digest, "last", "1/100000")
    assert (header["head"], header["causal"], header["norm"]) == ("tied", True, "pre")
    assert code(["import", "model.safetensors", *GIVEN, "-o", "network.json"]) == 0
    assert net.digest in capsys.readouterr().out


def test_a_folder_with_its_configuration(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = '{"n_head": 1, "activation_function": "gelu_new", "layer_norm_epsilon": 1e-05}'
    (folder / "config.json").write_text(text)
    for args in (["."], ["model.safetensors", "--config", "config.json"]):
        assert code(["import", *args, "-o", "network.json"]) == 0
        assert ef.Network.load("network.json").architecture.heads == 1
    assert code(["import", ".", "--heads", "2", "-o", "network.json"]) == 0
    assert ef.Network.load("network.json").architecture.heads == 2
    assert code(["import", ".", "-o", "config.json"]) == 2
    assert (folder / "config.json").read_text() == text


@pytest.mark.parametrize(
    ("args", "expected", "said"),
    [
        ([], 2, ("heads", "activation", "epsilon")),
        (["--heads", "2"], 2, ("activation", "epsilon")),
        ([*GIVEN, "--name", "tokens=x"], 2, ("--name",)),
        ([*GIVEN, "--name", "token=x"], 3, ("gpt2 names",)),
        ([*GIVEN, "--heads", "3"], 3, ("divisor of dim",)),
        ([*GIVEN, "--norm", "none"], 3, ("pre or post",)),
        ([*GIVEN, "--epsilon", "-1"], 3, ("epsilon",)),
    ],
)
def test_refusals_write_nothing(
    args: list[str], expected: int, said: tuple[str, ...], folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = sorted(folder.iterdir())
    assert code(["import", "model.safetensors", *args, "-o", "network.json"]) == expected
    error = capsys.readouterr().err
    assert all(word in error for word in said)
    assert "Traceback" not in error
    assert sorted(folder.iterdir()) == before


def test_files_that_hold_no_weights(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "pickle.safetensors").write_bytes(b"\x80\x04\x95\x10\0\0\0\0\0\0\0")
    (folder / "weights.bin").write_bytes(b"\x80\x04")
    (folder / "text.npz").write_text("no arrays")
    (folder / "empty").mkdir()
    for name in ("pickle.safetensors", "weights.bin", "text.npz", "empty", "none.safetensors"):
        assert code(["import", name, *GIVEN, "-o", "network.json"]) == 3, name
        assert name.split(".")[0] in capsys.readouterr().err
