"""Files of strangers that are made to cost, to crash, to run or to be overwritten: every verb answers in good order."""

from __future__ import annotations

import hashlib
import io
import json
import lzma
import os
import pickle
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from exactformer.cli.main import code
from exactformer.io import read_limits as allowance


def tokens(folder: Path, rows: list[list[str]]) -> str:
    path = folder / "tokens.json"
    path.write_text(json.dumps({"exactformer": "tokens", "version": [1, 0], "tokens": rows}))
    return str(path)


def dataset(folder: Path, sequences: list[dict[str, Any]]) -> str:
    path = folder / "data.json"
    path.write_text(json.dumps({"exactformer": "dataset", "version": [1, 0], "sequences": sequences}))
    return str(path)


def two_labels(folder: Path) -> str:
    return dataset(folder, [{"tokens": [["0", "1"]], "label": "a"}, {"tokens": [["1", "1"]], "label": "b"}])


# algebraic numbers


def test_long_algebraic_numbers_are_told_apart(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Hashing takes the floor of the number, which once was rounded to 53 bits: above 2^53 it never ended."""
    path = tokens(tmp_path, [["10**7*sqrt(2)", "1"], ["(1+sqrt(2))**1000", "1"], ["0", "1"]])
    assert code(["simulate", path, "--layers", "1", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["layers"][0]["leaders"] == [1]


def test_fields_that_would_take_hours_are_declined(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    names = ["sqrt(3)", "sin(2*pi/5)", "cos(2*pi/7)", "sin(2*pi/7)"]
    assert code(["simulate", tokens(tmp_path, [[name, "1"] for name in names]), "--layers", "1"]) == 4
    assert "too large" in capsys.readouterr().err


def test_many_algebraic_numbers_share_one_allowance(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(allowance, "WORK", 300)
    names = [f"{f}(2*pi*{p}/{q})" for q in range(41, 129) for p in range(1, q // 2) for f in ("cos", "sin")]
    assert code(["simulate", tokens(tmp_path, [[name, "1"] for name in names]), "--layers", "1"]) == 4
    assert "take too long" in capsys.readouterr().err


def test_all_corners_of_a_polygon_are_read_quickly(tmp_path: Path) -> None:
    rows = [[f"cos(2*pi*{k}/17)", f"sin(2*pi*{k}/17)"] for k in range(17)]
    assert code(["simulate", tokens(tmp_path, rows), "--layers", "1", "--json"]) == 0


# networks


def network(folder: Path, **arrays: Any) -> str:
    path = folder / "network.npz"
    np.savez_compressed(path, **{f"block0.{name}": value for name, value in arrays.items()})
    return str(path)


@pytest.mark.parametrize(
    ("arrays", "expected"),
    [
        ({"V": np.zeros((3000, 3000)), "rho": 0.0}, 4),
        ({"V": np.eye(2), "rho": np.zeros(0)}, 3),
        ({"V": np.zeros(())}, 3),
        ({"V": np.zeros((2, 2)), "U": np.zeros((1, 2))}, 3),
        ({"V": np.full((2, 2), 1e300), "rho": 0.0}, 0),
    ],
)
def test_networks_of_any_arrays(tmp_path: Path, arrays: dict[str, Any], expected: int) -> None:
    given = [network(tmp_path, **arrays), two_labels(tmp_path)]
    assert code(["repair", *given, "-o", str(tmp_path / "r.jsonl")]) == expected


def test_a_block_of_an_enormous_number_is_no_block(tmp_path: Path) -> None:
    np.savez(tmp_path / "n.npz", **{"block9999999999.V": np.eye(2)})
    assert code(["repair", str(tmp_path / "n.npz"), two_labels(tmp_path), "-o", str(tmp_path / "r.jsonl")]) == 3


class Runs:
    """Unpickled, it leaves a file behind."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __reduce__(self) -> tuple[Any, ...]:
        return os.mkdir, (str(self.path),)


def test_a_torch_file_runs_nothing(tmp_path: Path) -> None:
    torch = pytest.importorskip("torch")
    data, mark = two_labels(tmp_path), tmp_path / "owned"
    torch.save({"block0.V": Runs(mark)}, tmp_path / "state.pt")
    config = {"config": {"layers.0.V": {"path_name": "w", "use_pickle": True, "tensor_meta": {}}}}
    buffer = io.BytesIO()
    torch.save(Runs(mark), buffer)
    with zipfile.ZipFile(tmp_path / "program.pt", "w") as archive:
        archive.writestr("archive/data/weights/model_weights_config.json", json.dumps(config))
        archive.writestr("archive/data/weights/w", buffer.getvalue())
        archive.writestr("archive/data/sample_inputs/model.pt", buffer.getvalue())
        archive.writestr("archive/archive_format", "pt2")
    (tmp_path / "plain.pt").write_bytes(pickle.dumps(Runs(mark)))
    for name in ("state", "program", "plain"):
        given = [str(tmp_path / f"{name}.pt"), data]
        assert code(["repair", *given, "-o", str(tmp_path / "r.jsonl")]) == 3
        assert code(["run", *given, "--attention", "softmax", "--beta", "1"]) == 3
        assert not mark.exists(), name


def test_torch_states_of_any_kind(tmp_path: Path) -> None:
    torch = pytest.importorskip("torch")
    data, zeros = two_labels(tmp_path), torch.zeros(2, 2)
    states: dict[str, tuple[Any, int]] = {
        "expanded": ({"block0.V": torch.zeros(1).expand(30_000, 30_000)}, 4),
        "text": ({"block0.V": "text"}, 3),
        "key": ({0: zeros}, 3),
        "list": ([1], 3),
        "complex": ({"block0.V": zeros.to(torch.complex64)}, 3),
        "sparse": ({"block0.V": zeros.to_sparse()}, 3),
        "meta": ({"block0.V": zeros.to("meta")}, 3),
    }
    for name, (state, expected) in states.items():
        torch.save(state, tmp_path / "state.pt")
        given = [str(tmp_path / "state.pt"), data]
        assert code(["repair", *given, "-o", str(tmp_path / "r.jsonl")]) == expected, name


def test_a_torch_program_is_read_as_it_was_written(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("torch")
    data, cert, program = two_labels(tmp_path), str(tmp_path / "c.jsonl"), str(tmp_path / "p.pt")
    assert code(["construct", data, "-o", cert]) == 0
    assert code(["export", cert, "--to", "torch", "-o", program]) == 0
    capsys.readouterr()
    assert code(["run", program, data, "--attention", "softmax", "--beta", "1", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert code(["run", cert, data, "--json"]) == 0
    exact = json.loads(capsys.readouterr().out)
    outputs = [[[low for low, high in row if low == high] for row in s["outputs"]] for s in found["sequences"]]
    assert outputs == [s["outputs"] for s in exact["sequences"]]


# compressed and nested


def test_xz_files_of_zeros_are_declined(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    size = 30_000_000
    streams = [["label", size], ["part", 0], ["official", 0], ["distinct", 0], ["gaps", 0], ["counts", 0]]
    header = {"exactformer": "reviews", "version": [1, 0], "reviews": size, "words": 0, "length": 64}
    header["streams"] = [*streams, ["vocabulary", 0]]
    (tmp_path / "r.bags.xz").write_bytes(lzma.compress(json.dumps(header).encode() + b"\n" + bytes(size), preset=0))
    assert code(["sentiment", "train", str(tmp_path / "r.bags.xz"), "-o", str(tmp_path / "m.xz")]) == 4
    assert "EXACTFORMER_MAX_MEMORY" in capsys.readouterr().err
    (tmp_path / "model.xz").write_bytes(lzma.compress(b"[" + b"[]," * 8_000_000 + b"[]]", preset=0))
    assert code(["sentiment", "explain", str(tmp_path / "model.xz"), "a text"]) == 4


@pytest.mark.parametrize("depth", [70, 900, 100_000])
def test_nested_brackets_are_malformed_everywhere(tmp_path: Path, depth: int) -> None:
    nested = "[" * depth + "]" * depth
    model = {"alpha": "1", "layers": 1, "length": 3, "pairs": False, "denominator": 1, "A": [["1"]], "v": [1], "b": 1}
    model |= {"exactformer": "classifier", "version": [1, 0], "words": ["a"], "embeddings": [[1]], "about": {"k": "?"}}
    text = json.dumps(model).replace('"?"', nested)
    (tmp_path / "model.xz").write_bytes(lzma.compress(text.encode()))
    assert code(["sentiment", "explain", str(tmp_path / "model.xz"), "a text"]) == 3
    net = {"exactformer": "delay-network", "version": [1, 0], "encoding": "block", "activation": "relu"}
    net |= {"mean": ["0"], "scale": ["1"], "weights": {"a": "?"}}
    (tmp_path / "net.json").write_text(json.dumps(net).replace('"?"', nested))
    (tmp_path / "s.csv").write_text("1\n2\n")
    assert code(["delay", "roll", str(tmp_path / "net.json"), str(tmp_path / "s.csv"), "--steps", "1"]) == 3


def test_brackets_in_strings_do_not_nest(tmp_path: Path) -> None:
    labels = ["[" * 200, "]" * 200 + '"\\', "{" * 100]
    path = dataset(tmp_path, [{"tokens": [[str(k)]], "label": label} for k, label in enumerate(labels)])
    assert code(["construct", path]) == 0


# floats past their range


def test_crosscheck_of_targets_beyond_floats_departs(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for first, second, right in (("1e400", "0", 0), ("1e-400", "0", 0), ("1", "2", 2)):
        sequences = [{"tokens": [[str(k)]], "targets": [[y]]} for k, y in enumerate((first, second))]
        cert = str(tmp_path / "c.jsonl")
        assert code(["construct", dataset(tmp_path, sequences), "-o", cert]) == 0
        capsys.readouterr()
        assert code(["crosscheck", cert, "--json"]) == int(right == 0), first
        assert json.loads(capsys.readouterr().out)["right"] == right, first


def test_enclosures_beyond_floats_are_shown(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    sequences = [{"tokens": [[str(k)]], "targets": [[y]]} for k, y in enumerate(("1e400", "0"))]
    data, cert = dataset(tmp_path, sequences), str(tmp_path / "c.jsonl")
    assert code(["construct", data, "--attention", "softmax", "-o", cert]) == 0
    assert code(["run", cert, data, "--attention", "softmax", "--beta", "1"]) == 0
    shown = capsys.readouterr().out
    assert "~1.0000000e+400" in shown
    assert "beyond its range" in shown


# what is read is not overwritten


@pytest.mark.parametrize("kind", ["itself", "symbolic", "relative"])
def test_a_folder_for_output_may_not_hold_the_input(
    tmp_path: Path, kind: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "out").mkdir()
    inside = {
        "itself": tmp_path / "out/history.csv",
        "symbolic": tmp_path / "d.csv",
        "relative": Path("out/history.csv"),
    }
    given = inside[kind]
    given.write_text("sequence,label,x1\na,p,1\nb,q,2\n")
    if kind == "symbolic":
        (tmp_path / "out/history.csv").symlink_to(given)
    before = given.read_bytes()
    assert code(["train", str(given), "--eps", "1e-1", "--epochs", "1", "-o", "out"]) == 2
    assert "would be overwritten" in capsys.readouterr().err
    assert given.read_bytes() == before
    (tmp_path / "out/studies.csv").write_text("1,2\n2,3\n")
    arguments = ["delay", "paper", "--aerofoil", "out/studies.csv", "--study", "aerodynamics", "-o", "out"]
    assert code(arguments) == 2
    (tmp_path / "out/table.json").write_text("label,text\npos,good\n")
    assert code(["sentiment", "paper", "out/table.json", "-o", "out"]) == 2


# short forms and deep models


@pytest.mark.parametrize("form", ["npz", "torch"])
def test_short_forms_that_would_fill_the_memory_are_declined(
    form: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("torch")
    head = {"exactformer": "transformer", "version": [1, 0], "attention": "hardmax", "dim": 200_000, "blocks": 1}
    part = {"rho": "1", "V": {"scalar": "1"}, "Q": {"zero": True}, "K": {"zero": True}}
    lines = [head, {"block": 0, "feed_forward": None, "self_attention": part}]
    text = "".join(json.dumps(line, separators=(",", ":")) + "\n" for line in lines).encode()
    end = json.dumps({"end": True, "sha256": hashlib.sha256(text).hexdigest()}, separators=(",", ":"))
    (tmp_path / "huge.jsonl").write_bytes(text + end.encode() + b"\n")
    output = tmp_path / "weights"
    assert code(["export", str(tmp_path / "huge.jsonl"), "--to", form, "-o", str(output)]) == 4
    assert "LaTeX keeps" in capsys.readouterr().err
    assert not output.exists()


def test_a_model_of_very_many_layers_is_declined(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    from exactformer.studies.sentiment import load
    from exactformer.studies.sentiment.classifier_file import model_json

    path = tmp_path / "deep.xz"
    path.write_bytes(lzma.compress(json.dumps({**model_json(load()), "layers": 2_000_000_000}).encode()))
    assert code(["sentiment", "explain", str(path), "a wonderful film"]) == 4
    assert "layers" in capsys.readouterr().err
