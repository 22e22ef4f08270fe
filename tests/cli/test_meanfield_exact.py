"""`exactformer meanfield limit`, `laplace`, `enclose` and `sample` end to end: answers, certificates, refusals."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from table_kit import asked

from exactformer.cli.main import code
from exactformer.errors import InvalidInput
from exactformer.model.tokens import Tokens
from exactformer.studies.mean_field.laplace import laplace_bound
from exactformer.studies.mean_field.system import System
from proofs_check.__main__ import main as proofs_check

EYE = [["1", "0"], ["0", "1"]]
SYSTEM = {"exactformer": "system", "version": [1, 0], "V": [[1, 0], [0, "1/2"]], "Q": EYE, "K": [["0.2", 0], [0, 1]]}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    write("system.json", SYSTEM)
    return tmp_path


def write(name: str, content: Any) -> str:
    Path(name).write_text(content if isinstance(content, str) else json.dumps(content), encoding="utf-8")
    return name


def answer(capsys: pytest.CaptureFixture[str], *args: str) -> tuple[int, dict[str, Any], str]:
    got = code([*args, "--json"])
    printed = capsys.readouterr()
    return got, json.loads(printed.out), printed.err


def test_limit_answers_in_the_format(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    got, found, err = answer(capsys, "meanfield", "limit", "system.json", "-o", "c.jsonl")
    assert (got, err) == (0, "")
    assert set(found) == {"kind", "eigenvalue", "dimension", "projector", "rate"}
    assert found["kind"] == "real-semisimple"
    assert (found["eigenvalue"], found["dimension"]) == ("1/2", 1)
    assert found["projector"] == [["0", "0"], ["0", "1"]]
    assert Fraction(297, 1000) <= Fraction(found["rate"]) < Fraction(3, 10)
    assert proofs_check(["c.jsonl", "--data", "system.json"]) == 0
    write("other.json", {**SYSTEM, "V": [[1, 0], [0, "1/3"]]})
    assert proofs_check(["c.jsonl", "--data", "other.json"]) == 1


def test_limit_writes_irrational_numbers_in_their_form(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert code(["meanfield", "sample", "golden", "-o", "golden.json"]) == 0
    got, found, _ = answer(capsys, "meanfield", "limit", "golden.json")
    assert got == 0
    assert found["eigenvalue"]["minpoly"] == ["-1", "-1", "1"]
    assert found["projector"][0][0]["coefficients"] == ["2/5", "1/5"]
    assert code(["meanfield", "limit", "golden.json"]) == 0
    assert "1.618" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("name", "kind", "statement"),
    [("rotation", "complex", "meanfield-complex-pair"), ("jordan", "real-defective", "meanfield-jordan-block")],
)
def test_failed_hypotheses_are_named_and_certified(
    name: str, kind: str, statement: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert code(["meanfield", "sample", name, "-o", "s.json"]) == 0
    got, found, err = answer(capsys, "meanfield", "limit", "s.json", "-o", "c.jsonl")
    assert (got, found["kind"], found["counterexample"]) == (1, kind, statement)
    assert found["projector"] is None
    assert found["reason"] in err
    assert proofs_check(["c.jsonl"]) == 0
    header = json.loads(Path("c.jsonl").read_text().splitlines()[0])
    assert header["statement"] == statement
    assert code(["meanfield", "limit", "s.json"]) == 1
    assert kind in capsys.readouterr().out


def test_a_failure_without_a_rational_witness_leaves_no_file(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    companion = [[0, 0, 0, -5], [1, 0, 0, 0], [0, 1, 0, -5], [0, 0, 1, 0]]
    one = [[int(i == j) for j in range(4)] for i in range(4)]
    write("s.json", {**SYSTEM, "V": companion, "Q": one, "K": one})
    assert code(["meanfield", "limit", "s.json", "-o", "c.jsonl"]) == 1
    assert "no certificate" in capsys.readouterr().err
    assert not Path("c.jsonl").exists()


def test_nothing_moves_for_a_multiple_of_the_identity(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write("s.json", {**SYSTEM, "V": [[2, 0], [0, 2]], "K": EYE})
    got, found, _ = answer(capsys, "meanfield", "limit", "s.json", "-o", "c.jsonl")
    assert (got, found["rate"], found["dimension"]) == (0, None, 2)
    assert proofs_check(["c.jsonl", "--data", "s.json"]) == 0
    assert code(["meanfield", "limit", "s.json"]) == 0
    assert "nothing moves" in capsys.readouterr().out


def test_laplace_answers_in_the_format(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert code(["meanfield", "sample", "circle", "-n", "60", "-o", "t.json"]) == 0
    capsys.readouterr()
    arguments = ["meanfield", "laplace", "t.json", "--x", "3/5,4/5", "--beta", "25", "-o", "c.jsonl"]
    got, found, err = answer(capsys, *arguments)
    assert (got, err) == (0, "")
    low, high = map(Fraction, found["bound"])
    assert 0 < low < high < 1
    assert found["beta"] == ["25", None]
    assert proofs_check(["c.jsonl", "--data", "t.json"]) == 0
    assert code([*arguments[:3], "--x", "3,4", "--beta", "5", "--A", "[[2,0],[0,1]]"]) == 0
    assert "not on the unit sphere" in capsys.readouterr().err


@pytest.mark.parametrize("V", [[[3, 0], [5, 1]], [[1, 1], [3, 1]]], ids=["rational", "algebraic"])
def test_rows_of_a_projector_are_shown_as_rows(
    V: list[list[int]], folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Pi v = v for the dominant eigenvector v, and Pi is no symmetric matrix."""
    write("s.json", {**SYSTEM, "V": V, "K": EYE})
    answer, (shown,), _, _ = asked(capsys, "meanfield", "limit", "s.json")
    cells = [[float(Fraction(x.rstrip("."))) for x in cell.split(",")] for name, cell in shown.rows if "Pi" in name]
    values, vectors = np.linalg.eig(np.array(V, dtype=float))
    right = vectors[:, values.argmax()]
    left = np.linalg.inv(vectors)[values.argmax()]
    assert np.array(cells) == pytest.approx(np.outer(right, left), abs=1e-9)
    assert abs(cells[0][1] - cells[1][0]) > 0.1
    assert answer["dimension"] == 1


def test_a_counterexample_is_about_the_system_itself(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """V turns and B does not; M = V B' turns."""
    write("s.json", {**SYSTEM, "V": [[0, -2], [1, 0]], "Q": EYE, "K": [[1, 0], [0, 2]]})
    assert code(["meanfield", "limit", "s.json", "-o", "c.jsonl"]) == 1
    assert "wrote c.jsonl, a counterexample to meanfield-complex-pair" in capsys.readouterr().err
    content = [json.loads(line) for line in Path("c.jsonl").read_text().splitlines()]
    (given,) = [line for line in content if "V" in line]
    assert [[Fraction(x) for x in row] for row in given["V"]] == [[0, -2], [1, 0]]
    assert [[Fraction(x) for x in row] for row in given["B"]] == [[1, 0], [0, 2]]
    assert proofs_check(["c.jsonl"]) == 0


def test_the_laplace_bound_is_that_of_the_matrix_and_the_point(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert code(["meanfield", "sample", "circle", "-n", "9", "-o", "t.json", "-q"]) == 0
    rows = json.loads(Path("t.json").read_text())["tokens"]
    seen = set()
    for x, on_sphere in (("3/5,4/5", True), ("3/10,2/5", False), ("3,4", False)):
        for A in ([[1, 0], [0, 1]], [[2, 1], [0, 1]]):
            got, found, err = answer(
                capsys, "meanfield", "laplace", "t.json", "--x", x, "--beta", "4", "--A", json.dumps(A)
            )
            expected = laplace_bound(Tokens(rows, A=A), x.split(","), "4").json()
            assert (got, found) == (0, json.loads(json.dumps(expected, default=str)))
            assert ("x is not on the unit sphere" in err) is not on_sphere
            seen.add(json.dumps(found["bound"]))
    assert len(seen) == 6


def test_enclosures_are_printed(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write("t.json", {"exactformer": "tokens", "version": [1, 0], "tokens": [[3, 4], [-1, 2]]})
    arguments = ["meanfield", "enclose", "system.json", "t.json", "--beta", "5", "--steps", "4"]
    got, found, _ = answer(capsys, *arguments)
    assert got == 0
    assert set(found) == {"tokens", "radius", "steps", "approx_growth"}
    for token in found["tokens"]:
        squares = [(Fraction(low) ** 2, Fraction(high) ** 2) for low, high in token]
        assert abs(sum(max(pair) for pair in squares) - 1) < Fraction(1, 10**12)
    assert code(arguments) == 0
    assert "after 4 steps" in capsys.readouterr().out


def test_the_radius_of_an_enclosure_is_that_of_the_last_step(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """At (1, 0) the field of V = diag(2, -1) contracts by 3 h a step, at (0, 1) it expands by as much."""
    write("s.json", {**SYSTEM, "V": [[2, 0], [0, -1]], "K": EYE})
    for place, factor in (([1, 0], Fraction(7, 10)), ([0, 1], Fraction(13, 10))):
        write("t.json", {"exactformer": "tokens", "version": [1, 0], "tokens": [place]})
        options = ["--beta", "2", "--step", "1/10", "--steps", "3", "--bits", "64"]
        _, found, _ = answer(capsys, "meanfield", "enclose", "s.json", "t.json", *options)
        assert float(Fraction(found["radius"]) * 2**64) == pytest.approx(float(factor**3))
        assert found["approx_growth"] == pytest.approx(float(factor))


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"V": [[1, 0, 0], [0, 1, 0]]}, "V: expected a square matrix, got 2 rows of 3"),
        ({"V": [[1, 0], [0]]}, "V"),
        ({"Q": [[1, 0, 0], [0, 1, 0]]}, "Q: expected rows of 2 numbers"),
        ({"K": [[1], [1]]}, "K: expected rows of 2 numbers"),
        ({"K": [[1, 0]]}, "as many rows in both"),
        ({"K": [[1, 1], [1, 1]]}, r"singular one: B'x = 0 at x = \(-1, 1\)"),
        ({"Q": [[1, 0]], "K": [[0, 1]]}, "singular"),
        ({"V": [[1]], "Q": [[1]], "K": [[1]]}, "d >= 2"),
        ({"V": [["sqrt(2)", 0], [0, 1]]}, "algebraic"),
        ({"V": [["nan", 0], [0, 1]]}, "V"),
        ({"V": [[True, 0], [0, 1]]}, "V"),
        ({"V": "x"}, "list of rows"),
        ({"V": None}, "list of rows"),
        ({"V": []}, "V"),
        ({"V": {}}, "list of rows"),
        ({"A": EYE}, "unknown key 'A'"),
        ({"version": [2, 0]}, "version"),
        ({"exactformer": "tokens"}, "tokens"),
    ],
)
def test_bad_systems(changes: dict[str, Any], words: str, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    import re

    write("bad.json", {**SYSTEM, **changes})
    assert code(["meanfield", "limit", "bad.json", "-o", "c.jsonl"]) == 3
    said = capsys.readouterr()
    assert said.out == ""
    assert re.search(words, said.err), said.err
    assert "Traceback" not in said.err
    assert not Path("c.jsonl").exists()


@pytest.mark.parametrize("content", ["", "[]", "{", "[1, 2]", '{"exactformer": "system"}', "\x00"])
def test_files_that_are_no_systems(content: str, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write("bad.json", content)
    assert code(["meanfield", "limit", "bad.json"]) == 3
    assert "bad.json" in capsys.readouterr().err


def test_a_missing_matrix_is_named(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write("bad.json", {key: value for key, value in SYSTEM.items() if key != "K"})
    assert code(["meanfield", "limit", "bad.json"]) == 3
    assert "no K" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["laplace", "t.json", "--x", "1,0", "--beta", "0"], 3),
        (["laplace", "t.json", "--x", "1", "--beta", "1"], 3),
        (["laplace", "t.json", "--x", "a,b", "--beta", "1"], 3),
        (["laplace", "t.json", "--x", "0,0", "--beta", "1"], 3),
        (["laplace", "t.json", "--beta", "1"], 2),
        (["laplace", "off.json", "--x", "1,0", "--beta", "1"], 3),
        (["laplace", "system.json", "--x", "1,0", "--beta", "1"], 3),
        (["enclose", "system.json", "t.json", "--beta", "-1"], 3),
        (["enclose", "system.json", "t.json", "--beta", "x"], 3),
        (["enclose", "t.json", "t.json", "--beta", "1"], 3),
        (["sample", "nonsense"], 2),
        (["sample"], 2),
        (["sample", "random", "-d", "1"], 2),
        (["limt", "system.json"], 2),
    ],
)
def test_wrong_usage_and_wrong_input(
    arguments: list[str], expected: int, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write("t.json", {"exactformer": "tokens", "version": [1, 0], "tokens": [["3/5", "4/5"]]})
    write("off.json", {"exactformer": "tokens", "version": [1, 0], "tokens": [[1, 1]]})
    assert code(["meanfield", *arguments]) == expected
    said = capsys.readouterr().err
    assert said
    assert "Traceback" not in said


def test_samples_are_systems_and_seeds_matter(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert code(["meanfield", "sample", "--list", "--json"]) == 0
    for name in json.loads(capsys.readouterr().out):
        assert code(["meanfield", "sample", name, "-o", f"{name}.json", "-q"]) == 0
        if name != "circle":
            assert System.read(f"{name}.json").dim >= 2
    texts = set()
    for seed in ("1", "2"):
        assert code(["meanfield", "sample", "random", "-d", "4", "--seed", seed, "-q"]) == 0
        texts.add(capsys.readouterr().out)
    assert len(texts) == 2


def test_systems_from_python() -> None:
    import exactformer as ef

    system = ef.meanfield.System.of([[1, 0], [0, 0.5]], [["1/5", 0], [0, 1]])
    found = ef.meanfield.limit(system)
    assert found
    assert found.T([1, 1])[1] == 1
    assert system.floats()[0].tolist() == [[1, 0], [0, 0.5]]
    assert System(system.V, system.Q, system.K) == system
    with pytest.raises(InvalidInput, match="rows"):
        ef.meanfield.System.of(5, [[1]])
