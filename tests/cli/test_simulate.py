"""`exactformer simulate` on the command line."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from exactformer.cli.main import code

STRIKING = {"exactformer": "tokens", "version": [1, 0], "tokens": [["7/5", "1/5"], ["1", "1"], ["0", "0"]]}


def write(folder: Path, content: Any, name: str = "tokens.json") -> str:
    path = folder / name
    path.write_text(content if isinstance(content, str) else json.dumps(content))
    return str(path)


def test_json_has_every_layer(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert code(["simulate", write(tmp_path, STRIKING), "--layers", "2", "--json"]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert len(answer["layers"]) == 3
    first, last = answer["layers"][0], answer["layers"][2]
    assert first == {
        "layer": 0,
        "tokens": [["7/5", "1/5"], ["1", "1"], ["0", "0"]],
        "follows": [[0], [1], [0, 1, 2]],
        "leaders": [0, 1],
        "positions": [[0], [1], [2]],
    }
    assert last["tokens"][2] == ["4/5", "2/5"]
    assert answer["hypotheses_violated"] == ["tokens nonzero"]


def test_a_duplicated_top_token_is_no_leader(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = write(tmp_path, {"exactformer": "tokens", "version": [1, 0], "tokens": [["2"], ["2"], ["1"]]})
    assert code(["simulate", path, "--layers", "1", "--json"]) == 0
    layer = json.loads(capsys.readouterr().out)["layers"][0]
    assert layer["leaders"] == []
    assert layer["positions"] == [[0, 1], [2]]
    assert layer["follows"] == [[0, 1]] * 3


def test_csv_npy_and_options(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    table = write(tmp_path, "1,0\n0,1\n1/2,0.1\n", "tokens.csv")
    assert code(["simulate", table, "--layers", "1", "--alpha", "1/2", "--A", "[[2,1],[1,1]]", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["layers"][0]["tokens"][2] == ["1/2", "1/10"]
    np.save(tmp_path / "tokens.npy", np.array([[0.5, 1.0], [1.0, 0.0]]))
    assert code(["simulate", str(tmp_path / "tokens.npy"), "--layers", "0", "--json"]) == 0


def test_the_table_is_readable_and_the_rest_goes_to_stderr(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert code(["simulate", write(tmp_path, STRIKING), "--layers", "3"]) == 0
    out, err = capsys.readouterr()
    assert "since layer 0" in out
    assert "hypothesis violated: tokens nonzero" in err


@pytest.mark.parametrize(
    ("content", "options", "expected"),
    [
        ({**STRIKING, "A": [["1", "2"], ["2", "1"]]}, [], 3),
        ({**STRIKING, "A": [["1", "2"], ["0", "1"]]}, [], 3),
        ({**STRIKING, "A": [["1"]]}, [], 3),
        ({**STRIKING, "alpha": "0"}, [], 3),
        ({**STRIKING, "alpha": "-1"}, [], 3),
        ({**STRIKING, "tokens": []}, [], 3),
        ({**STRIKING, "tokens": [["1", "2"], ["1"]]}, [], 3),
        ({**STRIKING, "tokens": [["pi", "2"]]}, [], 3),
        ({**STRIKING, "A": [["1", "2"], ["2", "1"]]}, ["--unchecked"], 0),
        (STRIKING, ["--layers", "-1"], 2),
    ],
)
def test_bad_input(tmp_path: Path, content: Any, options: list[str], expected: int) -> None:
    assert code(["simulate", write(tmp_path, content), "--layers", "2", *options]) == expected


def test_messages_carry_the_witness(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = write(tmp_path, {**STRIKING, "A": [["1", "2"], ["2", "1"]]})
    assert code(["simulate", path, "--layers", "2"]) == 3
    err = capsys.readouterr().err
    assert "minor is -3" in err
    assert "--unchecked" in err


def test_algebraic_tokens(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pentagon = [[f"cos({2 * k}*pi/5)", f"sin({2 * k}*pi/5)"] for k in range(5)]
    path = write(tmp_path, {**STRIKING, "tokens": [*pentagon, ["1/10", "1/7"]]})
    assert code(["simulate", path, "--layers", "2", "--json"]) == 0
    layers = json.loads(capsys.readouterr().out)["layers"]
    assert layers[2]["leaders"] == [0, 1, 2, 3, 4]
    assert set(layers[0]["tokens"][1][0]) == {"minpoly", "interval", "coefficients"}


def test_the_graph_is_that_of_the_last_layer(tmp_path: Path) -> None:
    """Token 4 follows 0 and 2 at layer 0, and 2 alone from layer 1 on."""
    rows = [["7/5", "1/5"], ["1", "1"], ["1", "-3"], ["3/50", "3/100"], ["2/25", "-1/100"]]
    path, graph = write(tmp_path, {**STRIKING, "tokens": rows}), tmp_path / "g.json"
    for layers, followed in ((0, [0, 2]), (1, [2])):
        assert code(["simulate", path, "--layers", str(layers), "--graph", str(graph)]) == 0
        links = json.loads(graph.read_text())["edges"]
        assert sorted(link["target"] for link in links if link["source"] == 4) == followed


def test_graph_and_certificate_are_written_whole_or_not_at_all(tmp_path: Path) -> None:
    path = write(tmp_path, STRIKING)
    cert, graph = tmp_path / "orbit.jsonl", tmp_path / "graph.graphml"
    assert code(["simulate", path, "--layers", "2", "-o", str(cert), "--graph", str(graph)]) == 0
    assert json.loads(cert.read_text().splitlines()[-1])["end"] is True
    assert graph.read_text().startswith("<graphml")
    before = sorted(p.name for p in tmp_path.iterdir())
    assert code(["simulate", path, "--layers", "2", "-o", str(tmp_path / "no" / "such.jsonl")]) == 3
    assert sorted(p.name for p in tmp_path.iterdir()) == before


def test_every_layer_has_its_own_figures(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """With A = -1 the tokens 1 and -1 go half the way towards each other and meet; 5/2 and -4 do so one by one."""
    path = tmp_path / "t.csv"
    for text in ("1\n-1\n", "5/2\n1\n-4\n1\n", "2\n0\n-3\n"):
        path.write_text(text)
        assert (
            code(["simulate", str(path), "--A", "[[-1]]", "--alpha", "1", "--unchecked", "--layers", "3", "--json"])
            == 0
        )
        answer = json.loads(capsys.readouterr().out)
        assert answer["hypotheses_violated"]
        rows = [Fraction(line) for line in text.split()]
        for k, layer in enumerate(answer["layers"]):
            scores = [[-x * y for y in rows] for x in rows]
            follows = [[j for j, s in enumerate(row) if s == max(row)] for row in scores]
            assert layer == {
                "layer": k,
                "tokens": [[str(x)] for x in rows],
                "follows": follows,
                "leaders": [i for i, members in enumerate(follows) if members == [i]],
                "positions": [[j for j, y in enumerate(rows) if y == x] for x in dict.fromkeys(rows)],
            }
            rows = [(x + Fraction(sum(rows[j] for j in f), len(f))) / 2 for x, f in zip(rows, follows, strict=True)]
        assert len(answer["layers"]) == 4
