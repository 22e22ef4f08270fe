"""`exactformer run NETWORK INPUTS` as it is used."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

import exactformer as ef
from exactformer.cli.main import code
from exactformer.model.architecture import Architecture

SIZES = {"dim": 4, "heads": 2, "hidden": 6, "blocks": 2, "vocabulary": 6, "positions": 4, "norm": "pre"}


def network(read: str = "last", seed: int = 0, **keys: object) -> ef.Network:
    shape = Architecture(**{**SIZES, "activation": "gelu", "classes": 3, **keys})
    rng = np.random.default_rng(seed)
    return ef.Network(shape, {n: rng.standard_normal(s).astype(np.float32) for n, s in shape.shapes.items()}, read=read)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a classifier, an encoder and some inputs."""
    monkeypatch.chdir(tmp_path)
    network().save("net.json")
    network("mean", head="none", classes=4).save("encoder.json")
    (tmp_path / "ids.csv").write_text("1,2,3\n4\n0,0,5,1\n")
    return tmp_path


def answer(capsys: pytest.CaptureFixture[str], *args: str, expected: int = 0) -> list[dict]:
    assert code(["run", *args, "--json"]) == expected
    return json.loads(capsys.readouterr().out)["inputs"]


def test_decisions(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    net = ef.Network.load("net.json")
    found = answer(capsys, "net.json", "ids.csv")
    assert [a["ids"] for a in found] == [[1, 2, 3], [4], [0, 0, 5, 1]]
    for a in found:
        seen = net(a["ids"])
        assert (a["argmax"], a["runner_up"], a["level"]) == (seen.argmax, seen.runner_up, "float64")
        low, high = map(Fraction, a["gap"])
        assert 0 < low <= high < low + Fraction(1, 10**6)
        assert 0 < Fraction(a["radius"]) < Fraction(1, 10**6)
    (folder / "ids.json").write_text("[[1, 2, 3], [4], [0, 0, 5, 1]]")
    assert answer(capsys, "net.json", "ids.json") == found


def test_the_table_names_the_winner_and_what_it_is_about(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert code(["run", "net.json", "ids.csv", "--compare", "float32,bfloat16"]) == 0
    out = capsys.readouterr().out
    assert "real arithmetic" in out
    assert "float32 differs from the proved decision on 0 of 3" in out
    assert str(ef.Network.load("net.json")([4]).argmax) in out


def test_floats_that_decide_otherwise_are_named(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A lead that float32 sees and bfloat16 does not: equal rows of the head, and biases 1 and 1 + 2^-12."""
    net = network()
    near = dict(net.tensors)
    near["head"] = np.ones((3, 4), np.float32)
    near["head_bias"] = np.array([1, 1 + 2.0**-12, -9], np.float32)
    ef.Network(net.architecture, near).save("near.json")
    (found,) = answer(capsys, "near.json", write(folder, "1\n"), "--compare", "float64,float32,float16,bfloat16")
    assert found["argmax"] == 1
    assert (found["compare"]["float64"], found["compare"]["float32"], found["compare"]["bfloat16"]) == (1, 1, 0)
    low, high = map(Fraction, found["loses"]["bfloat16"])
    assert low <= Fraction(1, 2**12) <= high < low + Fraction(1, 10**9)
    assert "float32" not in found["loses"]
    assert code(["run", "near.json", "rows.csv", "--compare", "bfloat16"]) == 0
    told = capsys.readouterr().out
    assert "bfloat16 differs from the proved decision on 1 of 1" in told
    assert "0, wrong by 2.4e-04" in " ".join(told.split())


def write(folder: Path, text: str, name: str = "rows.csv") -> str:
    (folder / name).write_text(text)
    return name


def test_ties_are_undecided(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    net = network()
    tied = {**net.tensors, "head": np.ones((3, 4), np.float32), "head_bias": np.zeros(3, np.float32)}
    ef.Network(net.architecture, tied).save("tied.json")
    (found,) = answer(capsys, "tied.json", write(folder, "1\n"), expected=4)
    assert (found["argmax"], found["level"]) == (None, "integers")
    assert code(["run", "tied.json", "rows.csv"]) == 4
    assert "undecided" in capsys.readouterr().out


def test_an_input_without_any_enclosure(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    net = network(norm="none", blocks=8)
    wild = {n: (t * 2.0**90).astype(np.float32) if t.ndim == 2 else t for n, t in net.tensors.items()}
    ef.Network(net.architecture, wild).save("wild.json")
    (found,) = answer(capsys, "wild.json", write(folder, "1,2\n"), expected=4)
    assert {k: v for k, v in found.items() if k != "ids"} == dict.fromkeys(
        ("argmax", "runner_up", "gap", "radius", "level")
    )
    assert code(["run", "wild.json", "rows.csv", "--compare", "float32"]) == 4
    assert "undecided" in capsys.readouterr().out


def test_every_position_where_all_are_read(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    net = network("all")
    net.save("all.json")
    found = answer(capsys, "all.json", write(folder, "1,2,3\n4\n"))
    assert [(a["ids"], a["at"]) for a in found] == [([1, 2, 3], 0), ([1, 2, 3], 1), ([1, 2, 3], 2), ([4], 0)]
    assert all(a["argmax"] == net(a["ids"], at=a["at"]).argmax for a in found)
    assert code(["run", "all.json", "rows.csv"]) == 0
    table = capsys.readouterr().out
    assert all(place in table for place in ("0 at 0", "0 at 2", "1 at 0"))
    assert "2 at" not in table
    (folder / "domain.csv").write_text("1,2,0\n")
    for given in ([], ["-o", "cert.jsonl"]):
        assert code(["decide", "all.json", "--domain", "domain.csv", *given]) == 3
        assert "exactformer import --read last" in capsys.readouterr().err


def test_outputs_and_neighbours_of_an_encoder(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    net = ef.Network.load("encoder.json")
    found = answer(capsys, "encoder.json", "ids.csv", "--compare", "float32,float16")
    for a in found:
        seen = net(a["ids"])
        for (low, high), c in zip(a["embedding"], seen.centre, strict=True):
            assert Fraction(low) <= c - seen.radius <= c + seen.radius <= Fraction(high)
        assert a["approx_off"]["float32"] < 1e-4 < a["approx_off"]["float16"] < 0.5 or a["approx_off"]["float16"] < 1e-2
    others = [[1, 2, 3], [4], [4, 4], [0, 0, 5, 1], [4], [2, 2]]
    write(folder, json.dumps(others), "others.json")
    vectors = [np.array([float(c) for c in net(ids).centre]) for ids in others]
    units = [v / np.linalg.norm(v) for v in vectors]
    for a, ids in zip(
        answer(capsys, "encoder.json", "ids.csv", "--neighbours", "others.json"),
        [[1, 2, 3], [4], [0, 0, 5, 1]],
        strict=True,
    ):
        mine = units[others.index(ids)]
        cosines = [float(mine @ u) if other != ids else -2 for u, other in zip(units, others, strict=True)]
        assert a["neighbour"] == int(np.argmax(cosines))
        assert float(Fraction(a["cosine"][0])) <= max(cosines) + 1e-12
        assert float(Fraction(a["cosine"][1])) >= max(cosines) - 1e-12
        assert Fraction(a["gap"][0]) > 0
    assert code(["run", "encoder.json", "ids.csv", "--neighbours", "others.json"]) == 0
    assert "nearest" in capsys.readouterr().out


def test_temperatures(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    net = ef.Network.load("net.json")
    for beta in ("1/2", "3"):
        for a in answer(capsys, "net.json", "ids.csv", "--beta", beta):
            seen = net.at_temperature(Fraction(beta))(a["ids"])
            assert a["argmax"] == seen.argmax
            assert float(Fraction(a["gap"][0])) == pytest.approx(float(seen.gap[0]), rel=1e-6)
    assert answer(capsys, "net.json", "ids.csv", "--beta", "1") == answer(capsys, "net.json", "ids.csv")
    assert code(["run", "net.json", "ids.csv", "--beta", "0"]) == 3
    assert "--beta" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("args", "expected", "said"),
    [
        (["net.json", "ids.csv", "--compare", "float8"], 2, "--compare"),
        (["net.json", "ids.csv", "--compare", "float32,float32"], 2, "--compare"),
        (["net.json", "ids.csv", "--neighbours", "ids.csv"], 2, "head"),
        (["net.json", "far.csv"], 3, "far.csv, input 1: ids[1]: expected an integer from 0 to 5, got 6"),
        (["net.json", "long.csv"], 3, "1 to 4"),
        (["net.json", "words.csv"], 3, "words.csv, line 2, column 1: expected a token id, got 'two'"),
        (["net.json", "negative.csv"], 3, "expected a token id, got '-1'"),
        (["net.json", "empty.csv"], 3, "at least one input"),
        (["net.json", "empty.json"], 3, "1 to 4"),
        (["net.json", "object.json"], 3, "rows of ids"),
        (["net.json", "float.json"], 3, "expected a token id, got '1.5'"),
        (["net.json", "true.json"], 3, "expected a token id, got True"),
        (["changed.json", "ids.csv"], 3, "they were changed"),
        (["lost.json", "ids.csv"], 3, "no such file"),
        (["encoder.json", "ids.csv", "--neighbours", "one.csv"], 3, "only the same"),
        (["net.safetensors", "ids.csv"], 2, "import"),
        (["net.json", "ids.csv", "--nearest", "--follows"], 2, "--nearest, --follows"),
    ],
)
def test_refusals(args: list[str], expected: int, said: str, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    texts = {"far.csv": "1,2\n1,6\n", "long.csv": "1,1,1,1,1\n", "words.csv": "1\ntwo\n", "negative.csv": "-1\n"}
    texts |= {
        "empty.csv": "",
        "empty.json": "[[]]",
        "object.json": "{}",
        "float.json": "[[1.5]]",
        "true.json": "[[true]]",
    }
    texts |= {
        "one.csv": "1,2,3\n",
        "net.safetensors": "",
        "lost.json": (folder / "net.json").read_text().replace("net.f32", "no.f32"),
    }
    for name, text in texts.items():
        (folder / name).write_text(text)
    data = bytearray((folder / "net.f32").read_bytes())
    data[5] ^= 1
    (folder / "changed.f32").write_bytes(data)
    (folder / "changed.json").write_text((folder / "net.json").read_text().replace("net.f32", "changed.f32"))
    before = sorted(folder.iterdir())
    assert code(["run", *args]) == expected
    captured = capsys.readouterr()
    assert said in captured.err.replace("\n", " ")
    assert "Traceback" not in captured.err
    assert sorted(folder.iterdir()) == before


def test_float_programs_and_nearest_neighbours(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rows = [[a, b, c] for a in range(6) for b in range(6) for c in range(2)]
    (folder / "many.json").write_text(json.dumps(rows))
    given = ["encoder.json", "many.json", "--neighbours", "many.json", "--compare", "float64,bfloat16"]
    found = answer(capsys, *given)
    assert [a["compare"]["float64"] for a in found] == [a["neighbour"] for a in found]
    assert all(rows[a["neighbour"]] != a["ids"] for a in found)
    assert code(["run", *given]) == 0
    differing = sum(a["compare"]["bfloat16"] != a["neighbour"] for a in found)
    assert f"bfloat16 differs from the proved decision on {differing} of 72" in capsys.readouterr().out
    assert differing > 0


WORDS = {"version": "1.0", "truncation": None, "added_tokens": [], "normalizer": None, "decoder": None} | {
    "padding": {"strategy": {"Fixed": 4}, "direction": "Right", "pad_to_multiple_of": None, "pad_id": 0}
    | {"pad_type_id": 0, "pad_token": "a"},
    "pre_tokenizer": {"type": "Whitespace"},
    "post_processor": None,
    "model": {"type": "WordLevel", "vocab": {"a": 0, "b": 1, "c": 2, "?": 5}, "unk_token": "?"},
}


def test_texts_go_through_a_tokenizer_and_nothing_is_padded(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("tokenizers")
    (folder / "tokenizer.json").write_text(json.dumps(WORDS))
    (folder / "texts.txt").write_text("a b c\n\nc what\n")
    (folder / "same.csv").write_text("0,1,2\n2,5\n")
    texts = ["texts.txt", "--tokenizer", "tokenizer.json"]
    assert answer(capsys, "net.json", *texts) == answer(capsys, "net.json", "same.csv")
    near = answer(capsys, "encoder.json", *texts, "--neighbours", "texts.txt")
    assert [a["neighbour"] for a in near] == [1, 0]


@pytest.mark.parametrize(
    ("texts", "tokenizer", "named"),
    [
        (b"a b", b"{}", "tokenizer.json: expected a tokenizer.json"),
        (b"\xff\xfe\xff", None, "texts.txt: expected a text file"),
        (b" \n\n", None, "texts.txt: expected at least one line of text"),
        (b"a\na a a a a", None, "texts.txt, input 1: ids: expected 1 to 4 of them, got 5"),
    ],
)
def test_texts_that_cannot_be_read(
    folder: Path, capsys: pytest.CaptureFixture[str], texts: bytes, tokenizer: bytes | None, named: str
) -> None:
    pytest.importorskip("tokenizers")
    (folder / "tokenizer.json").write_bytes(json.dumps(WORDS).encode() if tokenizer is None else tokenizer)
    (folder / "texts.txt").write_bytes(texts)
    assert code(["run", "net.json", "texts.txt", "--tokenizer", "tokenizer.json"]) == 3
    told = capsys.readouterr()
    assert named in told.err
    assert not told.out


def test_a_tokenizer_is_for_networks(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "tokenizer.json").write_text("{}")
    assert code(["run", "ids.csv", "ids.csv", "--tokenizer", "tokenizer.json"]) == 2
    assert "--output are for networks" in capsys.readouterr().err


def test_answers_are_certified(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert code(["run", "net.json", "ids.csv", "-o", "proof.jsonl"]) == 0
    assert code(["check", "proof.jsonl"]) == 0
    assert code(["run", "encoder.json", "ids.csv", "-o", "mean.jsonl"]) == 3
    assert "this network reads mean" in capsys.readouterr().err
    assert not (folder / "mean.jsonl").exists()
