"""Mistakes of the first hour: each gets one message with what was expected and what was given, never a raw error."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import exactformer as ef
from exactformer.arithmetic.state import State

X = [[[0.5, 1], [2, 0.25]], [[1, 1]], [[3, -2], [0, 0], [1, 5]], [[4, 4], [1, 0]]]
Y = ["cat", "dog", "cat", "bird"]
POINTS = [[1, 0], [0, 1]]


@pytest.fixture(scope="module")
def built() -> ef.Built:
    return ef.construct(X, Y)


#: what is done, and a part of the message
MISTAKES: dict[str, tuple[Callable[[Any], object], str]] = {
    "a seed that is text": (lambda built: ef.construct(X, Y, seed="a"), "seed: expected an integer >= 0, got 'a'"),
    "a seed that is a float": (lambda built: ef.construct(X, Y, seed=1.5), "seed: expected an integer >= 0, got 1.5"),
    "a list of label targets": (
        lambda built: ef.construct(X, Y, label_targets=[[0, 0], [1, 1], [2, 2]]),
        "label targets: expected a dict from every label to its point, got [[0, 0]",
    ),
    "label targets with positions": (
        lambda built: ef.construct(X, Y, label_targets=[[0, 0]], positions=True),
        "label targets: expected a dict",
    ),
    "a dict of sequences": (lambda built: ef.construct({"a": X[0]}, ["a"]), "expected a list of arrays"),
    "no path to load": (lambda built: ef.load(None), "path: expected a path such as 'result.jsonl', got None"),
    "a number to load": (lambda built: ef.load(3), "path: expected a path such as 'result.jsonl', got 3"),
    "no path to write": (lambda built: built.certify(None), "path: expected a path"),
    "no path to draw": (lambda built: built.plot(path=3), "path: expected a path"),
    "axes that are a number": (
        lambda built: built.plot(ax=3),
        "ax: expected axes of matplotlib, got 3; plt.subplots()",
    ),
    "one sequence to draw": (lambda built: built.plot(sequences=2), "sequences: expected a list, got 2; for one x"),
    "one class to draw": (lambda built: built.plot(classes="cat"), "classes: expected a list, got 'cat'; for one x"),
    "one block to draw": (lambda built: built.plot(blocks=1), "blocks: expected a list, got 1; for one x write [x]"),
    "a block by name": (lambda built: built.plot(blocks=["last"]), "blocks: expected blocks from 0..1, got ['last']"),
    "no conjecture": (lambda built: ef.hunt(None), "expected a function of an instance, or the name of a statement"),
    "one shard": (lambda built: ef.hunt("leader-indefinite", shard=1), "shard: expected (i, N) with 0 <= i < N, got 1"),
    "a bound that is text": (
        lambda built: ef.hunt("leader-indefinite", exhaustive="1"),
        "exhaustive: expected an integer >= 1, got '1'",
    ),
    "no number of eps": (lambda built: ef.train(X, Y, eps=-1), "eps: expected numbers > 0, got -1"),
    "epochs that are text": (
        lambda built: ef.train(X, Y, eps=1, epochs="9"),
        "epochs: expected an integer >= 1, got '9'",
    ),
    "a block that is text": (lambda built: ef.Transformer(2, ["x"]), "block 0: expected a Block, got 'x'"),
    "a dimension that is text": (lambda built: ef.Transformer("2", []), "dim: expected an integer >= 1, got '2'"),
    "a file of a series that is not there": (lambda built: ef.delay.least_order("no.csv"), "cannot read no.csv"),
    "a series that is a number": (lambda built: ef.delay.least_order(3), "series: expected rows of numbers"),
    "tokens of a file that is not there": (lambda built: ef.limit("no.json"), "cannot read no.json"),
    "weights without a network": (
        lambda built: ef.repair([np.eye(2)], X, Y),
        "network: expected a Transformer, a torch.nn.Module or a path, got list; arrays of weights are read from an NPZ",
    ),
    "a system that is a matrix": (lambda built: ef.meanfield.limit([[1, "a"], [0, 1]]), "expected a number"),
    "a system that is a number": (lambda built: ef.meanfield.limit(3), "expected"),
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_mistake_is_answered_in_words(mistake: str, built: ef.Built) -> None:
    make, words = MISTAKES[mistake]
    with pytest.raises(ef.InvalidInput) as told:
        make(built)
    assert words in str(told.value)


def test_a_layer_by_name_is_no_index() -> None:
    orbit = ef.simulate(POINTS, layers=2)
    with pytest.raises(TypeError, match="'str' object cannot be interpreted as an integer"):
        orbit["last"]  # type: ignore[index]
    assert orbit[np.int64(-1)] == orbit.final


def test_an_empty_file_is_called_one(tmp_path: Path) -> None:
    (tmp_path / "empty.json").touch()
    with pytest.raises(ef.Malformed, match=r"empty\.json: expected JSON, got an empty file"):
        ef.load(tmp_path / "empty.json")


def test_a_name_that_is_misspelt_can_be_suggested() -> None:
    with pytest.raises(AttributeError) as told:
        ef.constuct  # noqa: B018
    assert (told.value.name, told.value.obj) == ("constuct", ef)


def test_integers_of_numpy_are_integers(built: ef.Built) -> None:
    assert ef.construct(X, Y, seed=np.int64(3)).predict(X) == Y
    assert ef.hunt("leaders-at-most-initial-vertices", budget=np.int64(9), seed=np.int32(1)).seed == 1
    assert ef.simulate(POINTS, layers=np.int16(2)).layers == 2
    assert built.plot(blocks=np.array([0])) is not None


def test_files_and_numbers_are_taken_where_objects_are(tmp_path: Path, built: ef.Built) -> None:
    path = ef.Tokens(POINTS, alpha=2).save(tmp_path / "tokens.json")
    assert ef.limit(path).engine_input.tokens == ef.Tokens(POINTS, alpha=2)
    assert ef.simulate(str(path), layers=1, alpha=3).instance.alpha == 3
    assert ef.plot(path) is not None
    assert ef.plot(built.certify(tmp_path / "c.jsonl")) is not None
    (tmp_path / "series.csv").write_text("v\n1\n1\n2\n3\n5\n8\n13\n")
    assert ef.delay.least_order(tmp_path / "series.csv").order == 2
    assert ef.meanfield.limit([[1, 0], [0, "1/2"]]).eigenvalue == 1
    assert [run.eps for run in ef.train(X[:2], Y[:2], eps="1/4", epochs=2, start="random").runs] == [ef.exact("1/4")]


def test_tensors_with_gradients_are_read() -> None:
    torch = pytest.importorskip("torch")
    tensor = torch.tensor(X[:1] * 2, requires_grad=True)
    assert ef.Dataset.of(tensor).tokens == ef.Dataset.of(X[:1] * 2).tokens
    assert ef.Tokens(tensor[0]).state == State.of(X[0])
