"""Token files, data sets and transformer files: what is read, what is refused, and that nothing is half written."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from exactformer.arithmetic.algebraic import from_text
from exactformer.errors import InvalidInput, Malformed, NotExact
from exactformer.model.attention import SelfAttention
from exactformer.model.dataset import Dataset, Sequence
from exactformer.model.feed_forward import FeedForward
from exactformer.model.json_lines import LineWriter
from exactformer.model.matrix import Dense, Outer, Scalar, Zero
from exactformer.model.tokens import Tokens
from exactformer.model.transformer import Block, Transformer

MODEL = Transformer(
    2,
    [
        Block(FeedForward("1/2", Outer([1, 2], [1, "-1/3"]), [0, 1], [[1, 0], [0, 1]]), None),
        Block(None, SelfAttention(1, Scalar("2/7"), Zero(), Dense([[1, 2]]))),
        Block(None, None),
    ],
)


def write(path: Path, content: object) -> Path:
    path.write_text(content if isinstance(content, str) else json.dumps(content))
    return path


def test_a_transformer_file_round_trips(tmp_path: Path) -> None:
    MODEL.write(tmp_path / "model.jsonl")
    assert Transformer.read(tmp_path / "model.jsonl") == MODEL


def test_a_changed_byte_of_a_transformer_file_is_noticed(tmp_path: Path) -> None:
    path = tmp_path / "model.jsonl"
    MODEL.write(path)
    path.write_text(path.read_text().replace('"2/7"', '"3/7"'))
    with pytest.raises(Malformed, match="sha256"):
        Transformer.read(path)


@pytest.mark.parametrize("cut", [1, 2, 4])
def test_a_cut_transformer_file_is_malformed(tmp_path: Path, cut: int) -> None:
    path = tmp_path / "model.jsonl"
    MODEL.write(path)
    path.write_text("\n".join(path.read_text().split("\n")[:cut]) + "\n")
    with pytest.raises(Malformed):
        Transformer.read(path)


def test_an_error_while_writing_leaves_no_file(tmp_path: Path) -> None:
    with pytest.raises(NotExact), LineWriter(tmp_path / "x.jsonl") as out:
        out.write({"a": from_text("sqrt(2)")})
    assert list(tmp_path.iterdir()) == []


def test_softmax_at_one_temperature_comes_back_from_its_file(tmp_path: Path) -> None:
    layer = SelfAttention(0, Scalar(1), Scalar(1), Scalar(1), beta=Fraction(2, 3))
    soft, path = Transformer(1, [Block(None, layer)]), tmp_path / "soft.jsonl"
    soft.write(path)
    assert json.loads(path.read_text().splitlines()[0])["beta"] == ["2/3", "2/3"]
    assert Transformer.read(path) == soft
    with pytest.raises(InvalidInput, match="one temperature"):
        Transformer(1, [Block(None, layer), Block(None, SelfAttention(0, *[Scalar(1)] * 3, beta=1))]).write(path)


@pytest.mark.parametrize("beta", [["0", "0"], ["2", "1"], ["1"], "1", [None, None], [1, 1], ["1/2", "x"]])
def test_a_range_of_temperatures_that_is_none_is_malformed(beta: object, tmp_path: Path) -> None:
    path, header = tmp_path / "soft.jsonl", {"exactformer": "transformer", "version": [1, 1], "attention": "softmax"}
    with LineWriter(path) as out:
        out.write({**header, "beta": beta, "dim": 1, "blocks": 0})
    with pytest.raises(Malformed):
        Transformer.read(path)


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


DATA = {"exactformer": "dataset", "version": [1, 0]}


def test_data_sets_in_three_formats_are_one(tmp_path: Path) -> None:
    labelled = Dataset.of([Sequence.of([[0, "1/2"], [2, 3]], label="cat"), Sequence.of([["0.25", 1]], label="dog")])
    sequences = [{"tokens": [[0, 0.5], ["2", 3]], "label": "cat"}, {"tokens": [["1/4", 1]], "label": "dog"}]
    as_json = Dataset.read(write(tmp_path / "d.json", {**DATA, "sequences": sequences}))
    as_csv = Dataset.read(write(tmp_path / "d.csv", "sequence,label,x1,x2\n7,cat,0,0.5\n7,cat,2,3\n8,dog,1/4,1\n"))
    np.savez(
        tmp_path / "d.npz",
        tokens=np.array([[0, 0.5], [2, 3], [0.25, 1]]),
        offsets=np.array([0, 2, 3]),
        labels=np.array(["cat", "dog"]),
    )
    for data in (as_json, as_csv, Dataset.read(tmp_path / "d.npz")):
        assert data.labels == labelled.labels
        assert data.tokens == labelled.tokens
        assert data.offsets.tolist() == [0, 2, 3]
        assert [s.tokens.rows() for s in data] == [s.tokens.rows() for s in labelled]


def test_targets_and_positions(tmp_path: Path) -> None:
    sequences = [{"tokens": [[0], [1]], "targets": [["1/2"]]}, {"tokens": [[1], [0]], "targets": [[3], [4]]}]
    data = Dataset.read(write(tmp_path / "d.json", {**DATA, "sequences": sequences}))
    assert data.targets_of(1).rows() == [(Fraction(3),), (Fraction(4),)]
    placed = data.with_positions()
    assert placed[1].tokens.rows() == [(1, 0), (0, 1)]
    assert placed.targets_of(0).rows() == [(Fraction(1, 2), 0)]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ({**DATA, "sequences": []}, "at least one sequence"),
        ({**DATA, "sequences": [{"tokens": [], "label": "a"}]}, r"sequences\[0\].tokens"),
        (
            {**DATA, "sequences": [{"tokens": [[1]], "label": "a"}, {"tokens": [[1, 2]], "label": "a"}]},
            r"sequences\[1\].tokens\[0\]",
        ),
        (
            {**DATA, "sequences": [{"tokens": [[1]], "label": "a"}, {"tokens": [[1]], "targets": [[1]]}]},
            r"sequences\[1\]",
        ),
        ({**DATA, "sequences": [{"tokens": [[1]], "targets": []}]}, r"sequences\[0\].targets"),
        ({**DATA, "sequences": [{"tokens": [[1]], "targets": [[1, 2]]}]}, "dimension"),
        ({**DATA, "sequences": [{"tokens": [[1]], "label": 3}]}, "label: expected a string"),
        ({**DATA, "sequences": [{"tokens": [["x"]], "label": "a"}]}, r"sequences\[0\].tokens\[0\]\[0\]"),
        ({**DATA, "sequences": [{"tokens": [["1/0"]], "label": "a"}]}, "denominator"),
        ({**DATA, "sequences": [{"tokens": [[1]], "label": "a", "weight": 1}]}, "weight"),
        ({**DATA, "sequences": 5}, "sequences"),
        ({"exactformer": "dataset", "version": [1, 1], "sequences": []}, "version"),
    ],
)
def test_bad_data_sets(tmp_path: Path, content: object, message: str) -> None:
    with pytest.raises((InvalidInput, Malformed), match=message):
        Dataset.read(write(tmp_path / "d.json", content))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a,b\n1,2\n", "header"),
        ("sequence,label,x1\n", "at least one row"),
        ("sequence,label,x1\n1,a\n", "line 2"),
        ("sequence,label,x1\n1,a,3\n1,b,3\n", "line 3"),
        ("sequence,label,x1\n1,a,nan\n", r"line 2, column 3 \(x1\)"),
    ],
)
def test_bad_csv(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises((InvalidInput, Malformed), match=message):
        Dataset.read(write(tmp_path / "d.csv", text))


@pytest.mark.parametrize(
    ("arrays", "message"),
    [
        ({"tokens": np.ones((2, 1))}, "expected the arrays"),
        ({"tokens": np.ones(2), "offsets": np.array([0, 2]), "labels": np.array(["a"])}, "2-dimensional"),
        ({"tokens": np.ones((2, 1)), "offsets": np.array([0, 1]), "labels": np.array(["a"])}, "offsets"),
        ({"tokens": np.ones((2, 1)), "offsets": np.array([0, 2, 2]), "labels": np.array(["a", "b"])}, "sequence 1"),
        ({"tokens": np.array([[np.nan]]), "offsets": np.array([0, 1]), "labels": np.array(["a"])}, "finite"),
        ({"tokens": np.ones((1, 1)), "offsets": np.array([0, 1]), "labels": np.array([["a"]])}, "one label a sequence"),
    ],
)
def test_bad_npz(tmp_path: Path, arrays: dict[str, np.ndarray], message: str) -> None:
    np.savez(tmp_path / "d.npz", **arrays)
    with pytest.raises((InvalidInput, Malformed), match=message):
        Dataset.read(tmp_path / "d.npz")


def test_shapes_of_layers_are_verified() -> None:
    with pytest.raises(InvalidInput, match="block 0 feed-forward U: expected a 1-by-2 matrix, got 1-by-3"):
        Transformer(2, [Block(FeedForward(1, [[1, 2, 3]], [0], [[1], [1]]))])
    with pytest.raises(InvalidInput, match="equally many rows"):
        Transformer(2, [Block(None, SelfAttention(1, Scalar(1), [[1, 0]], [[1, 0], [0, 1]]))])
    with pytest.raises(InvalidInput, match="dimension 2"):
        MODEL([[1]])


def test_counting() -> None:
    assert MODEL.width == 2
    assert MODEL.parameters == (1 + 4 + 1 + 2) + (1 + 1 + 2)
    assert MODEL.dense_parameters == (1 + 2 * 5) + (1 + 12)
    assert MODEL.bits == 3
    assert MODEL.attention_ranks == [0, 0, 0]
