"""The verbs run, export and crosscheck, end to end."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from table_kit import asked, flat

from exactformer.cli.main import code
from exactformer.evaluate.floats import Backend
from exactformer.float_comparison.transformers import crosscheck_certificate
from exactformer.model.transformer import Transformer

CSV = "sequence,label,x1,x2\na,cat,0,1\na,cat,2,3\nb,dog,0,1\nc,cat,1/2,0.5\nc,cat,1/2,0.5\n"


@pytest.fixture
def certificate(tmp_path: Path) -> Path:
    (tmp_path / "data.csv").write_text(CSV)
    assert code(["construct", str(tmp_path / "data.csv"), "-o", str(tmp_path / "cert.jsonl")]) == 0
    return tmp_path / "cert.jsonl"


def test_run_gives_labels_outputs_and_follower_sets(certificate: Path, capsys: pytest.CaptureFixture[str]) -> None:
    capsys.readouterr()
    assert code(["run", str(certificate), str(certificate.with_name("data.csv")), "--json"]) == 0
    answer = json.loads(capsys.readouterr().out)["sequences"]
    assert [s["label"] for s in answer] == ["cat", "dog", "cat"]
    assert len(answer[0]["outputs"]) == 2
    assert answer[0]["follows"][0] == [[0, 1], [0, 1]]


def test_run_takes_sequences_without_labels(certificate: Path, capsys: pytest.CaptureFixture[str]) -> None:
    new = certificate.with_name("new.json")
    new.write_text(
        '{"exactformer":"dataset","version":[1,0],"sequences":[{"tokens":[[2,3],[0,1]]},{"tokens":[[0.25,7]]}]}'
    )
    capsys.readouterr()
    assert code(["run", str(certificate), str(new), "--json"]) == 0
    assert [s["label"] for s in json.loads(capsys.readouterr().out)["sequences"]] == ["cat", None]
    assert code(["run", str(certificate), str(new), "--follows"]) == 0
    assert "cat" in capsys.readouterr().out


@pytest.mark.parametrize("form", ["npz", "latex", "torch"])
def test_export_says_whether_floats_still_interpolate(
    certificate: Path, form: str, capsys: pytest.CaptureFixture[str]
) -> None:
    if form == "torch":
        pytest.importorskip("torch")
    out = certificate.with_name("weights")
    capsys.readouterr()
    assert code(["export", str(certificate), "--to", form, "-o", str(out), "--json"]) == 0
    copies = json.loads(capsys.readouterr().out)["copies"]
    assert [c["dtype"] for c in copies] == ["float64", "float32"]
    assert out.stat().st_size > 0
    if form == "npz":
        model = Transformer.read(certificate)
        with np.load(out) as arrays:
            assert arrays["block1.U"].shape == (model.width, 2)
    if form == "latex":
        assert out.read_text().count("\\begin{align*}") == 2
    if form == "torch":
        import torch

        tokens = [[0.0, 1.0], [2.0, 3.0]]
        module = torch.export.load(out).module()
        for rows in (tokens, tokens[:1], [*tokens, [5.0, -1.0]]):
            image = module(torch.tensor(rows, dtype=torch.float64))
            assert np.allclose(image.detach().numpy(), Transformer.read(certificate).approx(rows))


def test_a_large_number_makes_the_float32_copy_miss(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "d.csv").write_text("sequence,label,x1\na,p,1000000000\nb,q,1000000001\nc,p,1000000002\n")
    assert code(["construct", str(tmp_path / "d.csv"), "-o", str(tmp_path / "c.jsonl")]) == 0
    capsys.readouterr()
    assert code(["export", str(tmp_path / "c.jsonl"), "--to", "npz", "-o", str(tmp_path / "w.npz"), "--json"]) == 0
    copies = {c["dtype"]: c["interpolates"] for c in json.loads(capsys.readouterr().out)["copies"]}
    assert copies["float32"] is False


def tokens_file(path: Path, rows: list[list[str]], alpha: str) -> str:
    path.write_text(json.dumps({"exactformer": "tokens", "version": [1, 0], "alpha": alpha, "tokens": rows}))
    return str(path)


def test_crosscheck_shows_the_lost_tie(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tokens_file(tmp_path / "t.json", [["7/3", "1/3"], ["-1/3", "7/3"], ["2", "8/3"], ["-3/2", "-2"]], "1/2")
    assert code(["crosscheck", path, "--layers", "30", "--json"]) == 1
    answer = json.loads(capsys.readouterr().out)
    assert answer["leaders_exact"] == [2, 3]
    assert answer["leaders_float"] == [0, 1, 2, 3]
    assert len(answer["clusters_exact"]) == 2
    assert len(answer["clusters_float"]) == 4
    assert answer["first_difference"] == 0
    assert code(["crosscheck", path]) == 1
    assert "departs at layer 0" in capsys.readouterr().out


def test_crosscheck_agrees_on_a_plain_instance(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tokens_file(tmp_path / "t.json", [["3", "0"], ["0", "2"], ["1", "1"]], "1")
    assert code(["crosscheck", path, "--layers", "3", "--json"]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert answer["first_difference"] is None
    assert answer["leaders_exact"] == answer["leaders_float"]


def test_crosscheck_of_a_certificate(certificate: Path, capsys: pytest.CaptureFixture[str]) -> None:
    capsys.readouterr()
    assert code(["crosscheck", str(certificate), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["first_difference"] is None


def test_crosscheck_of_a_transformer_without_data_asks_for_a_certificate(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "net.jsonl"
    Transformer(2, []).save(path)
    assert code(["crosscheck", str(path)]) == 3
    words = f"{path}: expected a certificate with sequences, got none; use run on data"
    assert capsys.readouterr().err == f"exactformer: {words}\n"


def test_crosscheck_of_rank_one_attention_finds_the_wrong_maximiser(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "d.csv").write_text(
        "sequence,label,x1\na,p,1\na,p,10000000000000000\na,p,10000000000000001\nb,q,1\nb,q,10000000000000000\n"
    )
    assert code(["construct", str(tmp_path / "d.csv"), "--method", "leaders", "-o", str(tmp_path / "c.jsonl")]) == 0
    capsys.readouterr()
    assert code(["crosscheck", str(tmp_path / "c.jsonl"), "--json"]) == 1
    answer = json.loads(capsys.readouterr().out)
    found = answer["difference"]
    assert answer["first_difference"] == found["block"]
    assert found["follows_exact"] != found["follows_float"]


@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_every_figure_of_a_crosscheck_is_shown(dtype: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path, rows = tmp_path / "c.jsonl", [("a", "p", 1), ("a", "p", 10**16), ("a", "p", 10**16 + 1), ("b", "q", 1)]
    rows += [("b", "q", 10**16), ("c", "r", 3), ("c", "r", 5)]
    (tmp_path / "d.csv").write_text("sequence,label,x1\n" + "\n".join(f"{s},{y},{x}" for s, y, x in rows))
    assert code(["construct", str(tmp_path / "d.csv"), "--method", "leaders", "-o", str(path)]) == 0
    check = crosscheck_certificate(path, Backend.of("numpy", dtype))
    found = check.first_difference
    assert found is not None
    answer, (shown,), _, _ = asked(capsys, "crosscheck", path, "--dtype", dtype, exit_code=1)
    assert answer == {
        "first_difference": found.block,
        "difference": {
            "block": found.block,
            "sequence": found.sequence,
            "token": found.token,
            "follows_exact": list(found.follows_exact),
            "follows_float": list(found.follows_float),
            "margin": str(found.margin),
        },
        "largest_deviation": repr(check.largest_deviation),
        "smallest_margin": str(check.smallest_margin),
        "sequences": 3,
        "right": check.right,
        "agrees": False,
    }
    assert [cell for _, cell in shown.rows] == [
        flat(f"block {found.block}, sequence {found.sequence}, token {found.token}"),
        f"{check.right}of3",
        f"{check.largest_deviation:.3g}",
        str(check.smallest_margin),
    ]
    assert check.right < 3
    assert check.tolerance == pytest.approx(float(np.finfo(dtype).eps) ** 0.5)
    assert f"{dtype} departs from exact arithmetic." in shown.note


def test_crosscheck_uses_the_device_asked_for(certificate: Path, capsys: pytest.CaptureFixture[str]) -> None:
    tokens = tokens_file(certificate.with_name("t.json"), [["3", "0"], ["0", "2"]], "1")
    for path in (str(certificate), tokens):
        assert code(["crosscheck", path, "--device", "cpu"]) == 0
        assert code(["crosscheck", path, "--device", "moon"]) == 3
        assert "got 'moon'" in capsys.readouterr().err


@pytest.mark.parametrize(
    "verb",
    [
        ["run", "none.jsonl", "none.json"],
        ["export", "none.jsonl", "--to", "npz", "-o", "x"],
        ["crosscheck", "none.json"],
    ],
)
def test_a_missing_file_is_one_clear_message(
    verb: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert code(verb) == 3
    shown = capsys.readouterr().err
    assert "cannot read none.json" in shown
    assert "Traceback" not in shown


def test_usage_errors_exit_2_and_suggest(capsys: pytest.CaptureFixture[str]) -> None:
    assert code(["simulat"]) == 2
    assert "simulate" in capsys.readouterr().err
    assert code(["export", "x", "--to", "onnx", "-o", "y"]) == 2
