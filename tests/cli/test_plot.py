"""Pictures from the command line: every kind, every format, and refusals that say what to do."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import exactformer as ef
from exactformer.cli.main import code
from exactformer.instances.dataset_families import sample

SIGNATURES = {".png": b"\x89PNG", ".pdf": b"%PDF", ".svg": b"<?xml", ".gif": b"GIF8"}
SQUARE = [["1", "1"], ["1", "-1"], ["-1", "1"], ["-1", "-1"], ["1/2", "0"], ["-1/3", "1/3"]]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("plots")
    tokens = {"exactformer": "tokens", "version": [1, 0], "alpha": "1/2", "tokens": SQUARE}
    (folder / "tokens.json").write_text(json.dumps(tokens))
    ef.construct(sample("nested", 4, 2), method="leaders").certify(folder / "cert.jsonl")
    (folder / "data.json").write_text(json.dumps(sample("random-classes", 12, 2).json(), default=str))
    return folder


@pytest.mark.parametrize(
    ("source", "kind", "suffix"),
    [
        ("tokens.json", "orbit", ".png"),
        ("tokens.json", "orbit", ".gif"),
        ("tokens.json", "graph", ".pdf"),
        ("tokens.json", "bits", ".svg"),
        ("tokens.json", "float", ".png"),
        ("cert.jsonl", "blocks", ".svg"),
        ("cert.jsonl", "bits", ".png"),
        ("data.json", "dial", ".png"),
    ],
)
def test_every_kind_is_drawn(folder: Path, source: str, kind: str, suffix: str) -> None:
    picture = folder / f"{kind}-{source}{suffix}"
    assert code(["plot", str(folder / source), "--kind", kind, "--layers", "4", "-o", str(picture)]) == 0
    assert picture.read_bytes().startswith(SIGNATURES[suffix])


@pytest.mark.parametrize(
    ("arguments", "exit_code", "words"),
    [
        (["tokens.json", "-o", "picture.bmp"], 3, ".png"),
        (["tokens.json", "--kind", "blocks", "-o", "picture.png"], 3, "orbit, graph"),
        (["tokens.json", "--axes", "0", "5", "-o", "picture.png"], 3, "0..1"),
        (["absent.json", "-o", "picture.png"], 3, "check the path"),
        (["tokens.json", "--kind", "dial", "-o", "picture.png"], 3, "dataset"),
        (["tokens.json", "--layer", "99", "-o", "picture.png"], 3, "0..12"),
    ],
)
def test_refusals_name_the_remedy(
    folder: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    arguments: list[str],
    exit_code: int,
    words: str,
) -> None:
    monkeypatch.chdir(folder)
    assert code(["plot", *arguments]) == exit_code
    assert words in capsys.readouterr().err


OPTIONS = {
    ("space.json", "--layers", "1"): [
        ("--layers", "0"), ("--layer", "1"), ("--axes", "2", "0"), ("--alpha", "3"), ("--title", "mine"),
        ("--A", "[[9,0,0],[0,1,0],[0,0,1]]"),
    ],
    ("space.json", "--kind", "graph"): [("--layer", "1"), ("--title", "mine")],
    ("named.jsonl",): [
        ("--sequence", "0"), ("--class", "b"), ("--block", "0"), ("--axes", "1", "0"), ("--title", "mine"),
        ("--data", "named.csv", "--sequence", "third"), ("--kind", "bits"),
    ],
    ("named.csv", "--kind", "dial"): [("--title", "mine")],
}  # fmt: skip


@pytest.mark.parametrize("source", OPTIONS, ids=["orbit", "graph", "blocks", "dial"])
def test_every_option_changes_the_picture(
    source: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    rows = [["1", "1/3", "0"], ["-1/12", "1/12", "1/2"], ["-1", "-1", "1"], ["0", "1/4", "2"]]
    tokens = {"exactformer": "tokens", "version": [1, 0], "alpha": "1/2", "tokens": rows}
    Path("space.json").write_text(json.dumps(tokens))
    Path("named.csv").write_text("sequence,label,x1,x2\nfirst,a,0,1\nfirst,a,2,3\nsecond,b,0,1\nthird,a,5,1/2\n")
    assert code(["construct", "named.csv", "-o", "named.jsonl", "-q"]) == 0
    pictures = {}
    for options in [(), *OPTIONS[source]]:
        assert code(["plot", *source, *options, "-o", "p.png", "-q"]) == 0
        pictures.setdefault(Path("p.png").read_bytes(), []).append(options)
    assert [same for same in pictures.values() if len(same) > 1] == []


def test_five_thousand_tokens(tmp_path: Path) -> None:
    tokens = ef.Tokens(np.random.default_rng(7).standard_normal((5000, 3)))
    ef.plot(tokens, layers=6, path=tmp_path / "many.png")
    assert (tmp_path / "many.png").stat().st_size > 10_000


def test_more_dimensions_are_projected_and_said_so() -> None:
    tokens = ef.Tokens([[1, 0, 0], [0, 2, 0], [0, 0, 3]])
    assert "principal" in ef.plot(tokens, layers=2).get_suptitle()
    assert "coordinates 0 and 2" in ef.plot(tokens, layers=2, axes=(0, 2)).get_suptitle()


def test_a_picture_that_cannot_be_finished_leaves_the_old_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    tokens, picture = tmp_path / "t.csv", tmp_path / "p.png"
    tokens.write_text("0,1\n1,0\n1,1\n")
    picture.write_text("the old one")

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.replace", full)
    assert code(["plot", str(tokens), "-o", str(picture)]) == 3
    assert "No space left" in capsys.readouterr().err
    assert [path.name for path in tmp_path.iterdir() if path.name.startswith(".exactformer")] == []
    assert picture.read_text() == "the old one"


def test_a_data_set_is_drawn_without_a_kind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("named.csv").write_text("sequence,label,x1,x2\nfirst,a,0,1\nfirst,a,2,3\nsecond,b,0,1\n")
    Path("cube.json").write_text(
        json.dumps({"exactformer": "tokens", "version": [1, 0], "tokens": [["1", "0", "0"], ["0", "1", "0"]]})
    )
    for k, arguments in enumerate(
        (["named.csv"], ["named.csv", "--kind", "data", "--class", "a"], ["cube.json", "--kind", "space"])
    ):
        assert code(["plot", *arguments, "-o", f"{k}.png", "-q"]) == 0
    assert Path("0.png").read_bytes() != Path("1.png").read_bytes()
    assert Path("2.png").read_bytes().startswith(b"\x89PNG")
