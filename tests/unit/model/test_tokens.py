"""Tests of `exactformer.model.tokens`."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import exactformer as ef
from exactformer.arithmetic.algebraic import from_text
from exactformer.errors import Declined, InvalidInput, Malformed
from exactformer.model.dataset import Dataset
from exactformer.model.tokens import Tokens

F = Fraction


def saved(path: Path, content: Any) -> Path:
    path.write_text(content if isinstance(content, str) else json.dumps(content), "utf-8")
    return path


# ---------------------------------------------------------------- data sets


def test_archives_of_tokens_alone_have_no_labels_where_none_is_needed(tmp_path: Path) -> None:
    np.savez(tmp_path / "d.npz", tokens=np.array([[1], [2]]), offsets=np.array([0, 1, 2], dtype=np.uint8))
    for labelled in (None, False):
        assert Dataset.read(tmp_path / "d.npz", labelled=labelled) == Dataset.of([[[1]], [[2]]])
    np.savez(tmp_path / "e.npz", tokens=np.array([[1], [2]]), offsets=np.array([0, 1, 2]), labels=np.array([7, 8]))
    assert Dataset.read(tmp_path / "e.npz").values == {"7": 7, "8": 8}
    np.save(tmp_path / "t.npy", np.array([[1.0]]))
    (tmp_path / "t.npz").write_bytes((tmp_path / "t.npy").read_bytes())
    with pytest.raises(Malformed, match="got a single array; these are tokens"):
        Dataset.read(tmp_path / "t.npz")
    with pytest.raises(Malformed, match=r"got an archive of \['offsets', 'tokens'\]"):
        Tokens.read(tmp_path / "d.npz")
    for wrong in (np.zeros(3), np.array([["a"]]), np.zeros((1, 1, 1))):
        np.save(tmp_path / "w.npy", wrong)
        with pytest.raises(InvalidInput, match="2-dimensional array of numbers"):
            Tokens.read(tmp_path / "w.npy")


def test_tokens_of_tables_are_refused_with_line_and_column(tmp_path: Path) -> None:
    for text, said in (
        ("x,y\n1,2\n3\n", "line 3: expected 2 fields as in the first row, got 1; .*separated by commas"),
        ("1;2\n3;4;5\n", "line 2: expected 2 fields as in the first row, got 3; .*separated by semicolons"),
        ("x,y\n1,\n", r"line 2, column 2 \(y\): expected a number, got an empty field"),
        ("1;x\n", "line 1, column 2: "),
        ("x,y\n", "expected at least one row of numbers, got none"),
        ("", "expected at least one row of numbers, got none"),
        ("label,x\na,1\n", "line 1: expected tokens, one per row, got the columns label,x of a data set"),
        ("1,5;2\n1.5;2\n", "line 2, column 1: got the decimal point of '1.5', but .*line 1, column 1 has"),
        ("1,5,5;2\n", "expected a number such as 1,5 or 1.5, got '1,5,5'"),
    ):
        with pytest.raises(InvalidInput, match=said):
            Tokens.read(saved(tmp_path / "t.csv", text))


def write(path: Path, content: object) -> Path:
    path.write_text(content if isinstance(content, str) else json.dumps(content))
    return path


HEADER = {"exactformer": "tokens", "version": [1, 0]}


def test_token_files_are_read_exactly(tmp_path: Path) -> None:
    path = write(
        tmp_path / "t.json",
        '{"exactformer":"tokens","version":[1,0],"alpha":0.5,"A":[[2,1],[1,1]],"tokens":[[0.1,"1/3"],[1e-2,-4]]}',
    )
    tokens = Tokens.read(path)
    assert tokens.alpha == Fraction(1, 2)
    assert tokens.state.rows() == [(Fraction(1, 10), Fraction(1, 3)), (Fraction(1, 100), Fraction(-4))]
    assert Tokens.read(write(tmp_path / "t.csv", "x1,x2\n1,2\n0.5,sqrt(2)\n")).state[1][1] ** 2 == 2
    np.save(tmp_path / "t.npy", np.array([[0.5, 1.0]]))
    assert Tokens.read(tmp_path / "t.npy", alpha="3").state.rows() == [(Fraction(1, 2), Fraction(1))]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ('{"exactformer":"tokens","version":[1,0],"tokens":[[1,NaN]]}', "NaN"),
        ('{"exactformer":"tokens","version":[1,0],"tokens":[[1],[2]],"tokens":[[1]]}', "twice"),
        ("not json", "expected JSON"),
        ("[1, 2]", "token file"),
        ({**HEADER, "tokens": [[1, 2], [3]]}, "expected 2 numbers"),
        ({**HEADER, "tokens": []}, "at least one row"),
        ({**HEADER, "tokens": [[]]}, "at least one"),
        ({**HEADER, "tokens": [[True, 1]]}, r"tokens\[0\]\[0\]"),
        ({**HEADER, "tokens": [[1, None]]}, r"tokens\[0\]\[1\]"),
        ({**HEADER, "tokens": [["one", 1]]}, r"tokens\[0\]\[0\]"),
        ({**HEADER, "tokens": "12"}, "rows of numbers"),
        ({**HEADER, "tokens": [[1, 2]], "A": [[1, 2]]}, "2-by-2"),
        ({**HEADER, "tokens": [[1, 2]], "alpha": 0}, "alpha > 0"),
        ({**HEADER, "tokens": [[1, 2]], "alpha": "sqrt(2)"}, "rational"),
        ({**HEADER, "tokens": [[1, 2]], "beta": 1}, "unknown key 'beta'"),
        ({"exactformer": "dataset", "version": [1, 0], "tokens": [[1]]}, '"tokens"'),
        ({"exactformer": "tokens", "version": [2, 0], "tokens": [[1]]}, "version"),
    ],
)
def test_bad_token_files(tmp_path: Path, content: object, message: str) -> None:
    with pytest.raises((InvalidInput, Malformed), match=message):
        Tokens.read(write(tmp_path / "t.json", content))


def table(path: Path, text: str) -> Path:
    path.write_text(text, "utf-8")
    return path


# ---------------------------------------------------------------- instances


def test_a_matrix_of_another_shape_is_refused_in_every_form() -> None:
    one, zero = F(1), F(0)
    for A in (((one, zero, zero), (zero, one, zero)), ((one, zero),), ((one,), (zero,)), [[1, 0], [0]], [[1, 0]] * 3):
        with pytest.raises(InvalidInput, match="A: expected a 2-by-2 matrix"):
            Tokens([[1, 2]], A=A)
    assert Tokens([[1, 2]], A=((one, zero), (zero, one))) == Tokens([[1, 2]])


def test_no_matrix_in_a_file_is_left_out_and_not_null(tmp_path: Path) -> None:
    header = {"exactformer": "tokens", "version": [1, 0], "tokens": [[1, 2]]}
    path = table(tmp_path / "t.json", json.dumps({**header, "A": None}))
    with pytest.raises(InvalidInput, match="leave A out for the identity"):
        Tokens.read(path)
    table(path, json.dumps({**header, "A": [[2, 0], [0, 1]], "alpha": 3}))
    assert (Tokens.read(path).alpha, Tokens.read(path, alpha="1/2").alpha) == (3, F(1, 2))
    assert Tokens.read(path, A=[[1, 0], [0, 1]]).A == Tokens([[1, 2]]).A


@pytest.mark.parametrize("first", ["nan,1", "1,b", "sqrt(2),x", "inf,nan"])
def test_a_first_row_that_is_not_all_names_is_no_header(first: str, tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="line 1"):
        Tokens.read(table(tmp_path / "t.csv", f"{first}\n1,2\n"))


@pytest.mark.parametrize("version", [[1, 1], [0, 9], [1], "1.0", None])
def test_token_files_have_one_version(version: Any, tmp_path: Path) -> None:
    content = {"exactformer": "tokens", "version": version, "tokens": [[1]]}
    with pytest.raises(Malformed, match="version"):
        Tokens.read(table(tmp_path / "t.json", json.dumps(content)))
    good = table(tmp_path / "t.json", json.dumps({**content, "version": [1, 0]}, indent=2))
    assert ef.load(good) == Tokens([[1]])


ROOT: Any = from_text("sqrt(2)")


# ---------------------------------------------------------------- shown


def test_an_instance_shows_its_numbers() -> None:
    tokens = Tokens([["1/2", 0], [1, 3]], A=[[2, 0], [0, 1]], alpha="1/3")
    assert repr(tokens) == "Tokens([(1/2, 0), (1, 3)], A = [[2, 0], [0, 1]], alpha = 1/3)"
    assert repr(Tokens([[1]])) == "Tokens([(1)], A = I, alpha = 1)"
    assert tokens.latex() == (
        r"$$Z = \begin{pmatrix}\tfrac{1}{2} & 0 \\ 1 & 3\end{pmatrix},\quad "
        r"A = \begin{pmatrix}2 & 0 \\ 0 & 1\end{pmatrix},\quad \alpha = \tfrac{1}{3}$$"
    )
    assert tokens.json() == {
        "exactformer": "tokens",
        "version": [1, 0],
        "A": [[2, 0], [0, 1]],
        "alpha": F(1, 3),
        "tokens": [[F(1, 2), 0], [1, 3]],
    }
    assert (tokens.is_rational, Tokens([[ROOT]]).is_rational, Tokens([[1]], A=[[ROOT]]).is_rational) == (
        True,
        False,
        False,
    )
    for A, said in (
        ("12", "A: expected a 1-by-1 matrix as a list of rows, got '12'"),
        ([1], r"A\[0\]: expected a row of 1 numbers, got 1"),
        ([["x"]], r"A\[0\]\[0\]: "),
    ):
        with pytest.raises(InvalidInput, match=said):
            Tokens([[1]], A=A)


CSV = "sequence,label,x1,x2\ns0,cat,0,0.5\ns0,cat,2,3\ns1,dog,1/4,1\ns2,cat,1,1\ns2,cat,0,0\n"


def test_tokens_tables(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    for text in ("1,5;2\n0;-1\n", "1.5 2\n0 -1\n", "x;y\n1,5;2\n0;-1", "1.5\t2\n0\t-1\n"):
        path.write_text(text)
        assert ef.Tokens.read(path).state.rows() == [(Fraction(3, 2), 2), (0, -1)]
    path.write_text(CSV)
    with pytest.raises(InvalidInput, match=r"data set.*construct and run read it"):
        ef.Tokens.read(path)
    other = tmp_path / "d.json"
    other.write_text('{"exactformer": "dataset", "version": [1, 0], "sequences": []}')
    with pytest.raises(Malformed, match="this is a data set"):
        ef.Tokens.read(other)


def test_tokens_of_many_coordinates_need_their_own_matrix(tmp_path: Path) -> None:
    path = tmp_path / "wide.csv"
    path.write_text(",".join(["1"] * 100_000) + "\n")
    with pytest.raises(Declined, match=r"identity of dimension 100,000.*EXACTFORMER_MAX_MEMORY"):
        ef.Tokens.read(path)
