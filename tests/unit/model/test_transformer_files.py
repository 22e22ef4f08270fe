"""Tests of `exactformer.model.transformer_files`."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from kits.transformer_file import MODEL

import exactformer as ef
from exactformer.errors import InvalidInput, Malformed
from exactformer.io.json_lines import LineWriter
from exactformer.model.attention import SelfAttention
from exactformer.model.feed_forward import FeedForward
from exactformer.model.matrix import Dense, Outer, Scalar, Zero
from exactformer.model.temperatures import Temperatures
from exactformer.model.tokens import Tokens
from exactformer.model.transformer import Block, Transformer
from exactformer.model.transformer_files import attention_header, read_temperatures


def saved(path: Path, content: Any) -> Path:
    path.write_text(content if isinstance(content, str) else json.dumps(content), "utf-8")
    return path


# ---------------------------------------------------------------- transformer files


def test_headers_of_transformers_say_which_attention() -> None:
    def network(*betas: Any, uniform: bool = False) -> Transformer:
        Q = Zero() if uniform else Scalar(1)
        return Transformer(1, [Block(), *(Block(None, SelfAttention(0, Scalar(1), Q, Scalar(1), b)) for b in betas)])

    assert attention_header(network()) == {"version": [1, 0], "attention": "hardmax"}
    assert attention_header(network(None, None)) == {"version": [1, 0], "attention": "hardmax"}
    assert attention_header(network(1, 2, uniform=True)) == {"version": [1, 0], "attention": "softmax"}
    wanted = {"version": [1, 1], "attention": "softmax", "beta": ["2/3", "2/3"]}
    assert attention_header(network("2/3", "2/3")) == wanted
    mixed = [*network("2/3", uniform=True), *network("2/3")]
    assert attention_header(Transformer(1, mixed)) == wanted
    for betas in ((1, 2), (1, None)):
        with pytest.raises(InvalidInput, match="one temperature for all blocks"):
            attention_header(network(*betas))


def test_temperatures_of_a_file_are_read_where_there_are_some() -> None:
    assert read_temperatures({}, "x") is None
    assert read_temperatures({"attention": "softmax"}, "x") is None
    assert read_temperatures({"attention": "softmax", "beta": ["1/2", None]}, "x") == Temperatures.of("1/2", None)
    assert read_temperatures({"attention": "softmax", "beta": ["1/2", "2"]}, "x") == Temperatures.of("1/2", 2)
    for wrong in (
        {"attention": "hardmax", "beta": ["1", "1"]},
        {"attention": "softmax", "beta": ["1", "1", "1"]},
        {"attention": "softmax", "beta": None},
        {"attention": "softmax", "beta": [None, "1"]},
        {"attention": "softmax", "beta": ["3", "2"]},
        {"attention": "softmax", "beta": ["2/4", "2"]},
    ):
        with pytest.raises((Malformed, InvalidInput)):
            read_temperatures(wrong, "x")


@pytest.mark.parametrize(
    ("layer", "said"),
    [
        ({"eta": "1", "U": [["1"]], "b": ["0"]}, "a layer with the keys eta, U, b, W"),
        ({"eta": "0.5", "U": [["1"]], "b": ["0"], "W": [["1"]]}, "canonical"),
        ({"eta": "1", "U": [["2/4"]], "b": ["0"], "W": [["1"]]}, "canonical"),
        ({"eta": "1", "U": [["1"]], "b": "12", "W": [["1"]]}, "a row of canonical numbers, got '12'"),
        ({"eta": "1", "U": [["1"]], "b": [0], "W": [["1"]]}, "canonical"),
        ({"eta": "1", "U": {"scalar": "1.0"}, "b": ["0"], "W": [["1"]]}, "canonical"),
        ({"eta": "1", "U": {"outer": [["1"], ["x"]]}, "b": ["0"], "W": [["1"]]}, "canonical"),
        ({"eta": "1", "U": {"diagonal": "1"}, "b": ["0"], "W": [["1"]]}, "expected rows"),
        ({"eta": "1", "U": {"zero": True}, "b": ["0", "0"], "W": [["1"]]}, "W: expected a 1-by-2 matrix"),
        ([], "a layer with the keys"),
    ],
)
def test_layers_of_a_file_are_canonical(layer: Any, said: str, tmp_path: Path) -> None:
    header = {"exactformer": "transformer", "version": [1, 0], "attention": "hardmax", "dim": 1, "blocks": 1}
    with LineWriter(tmp_path / "t.jsonl") as out:
        out.write(header)
        out.write({"block": 0, "feed_forward": layer, "self_attention": None})
    with pytest.raises(Malformed, match=said):
        Transformer.read(tmp_path / "t.jsonl")


def test_every_form_of_a_matrix_comes_back_from_a_file(tmp_path: Path) -> None:
    forms: list[Any] = [Dense([["1/3", 2], [0, -1]]), Outer(["1/2", 3], [5, 0]), Scalar("-7/2"), Zero()]
    blocks = [
        Block(FeedForward("1/9", U, [k, -k], W), SelfAttention(k, W, U, W))
        for k, (U, W) in enumerate(zip(forms, forms[1:] + forms[:1], strict=True))
    ]
    network = Transformer(2, [*blocks, Block()])
    network.save(tmp_path / "t.jsonl")
    assert Transformer.read(tmp_path / "t.jsonl") == network
    assert ef.load(tmp_path / "t.jsonl") == network
    saved(tmp_path / "x.json", '{"exactformer": "proof"}')
    with pytest.raises(Malformed, match="tokens or dataset, got 'proof'"):
        ef.load(tmp_path / "x.json")
    saved(tmp_path / "t.json", json.dumps({"exactformer": "tokens", "version": [1, 0], "tokens": [[1]]}, indent=1))
    assert ef.load(tmp_path / "t.json") == Tokens([[1]])


def test_a_transformer_file_round_trips(tmp_path: Path) -> None:
    MODEL.save(tmp_path / "model.jsonl")
    assert Transformer.read(tmp_path / "model.jsonl") == MODEL


def test_a_changed_byte_of_a_transformer_file_is_noticed(tmp_path: Path) -> None:
    path = tmp_path / "model.jsonl"
    MODEL.save(path)
    path.write_text(path.read_text().replace('"2/7"', '"3/7"'))
    with pytest.raises(Malformed, match="sha256"):
        Transformer.read(path)


@pytest.mark.parametrize("cut", [1, 2, 4])
def test_a_cut_transformer_file_is_malformed(tmp_path: Path, cut: int) -> None:
    path = tmp_path / "model.jsonl"
    MODEL.save(path)
    path.write_text("\n".join(path.read_text().split("\n")[:cut]) + "\n")
    with pytest.raises(Malformed):
        Transformer.read(path)


def test_softmax_at_one_temperature_comes_back_from_its_file(tmp_path: Path) -> None:
    layer = SelfAttention(0, Scalar(1), Scalar(1), Scalar(1), beta=Fraction(2, 3))
    soft, path = Transformer(1, [Block(None, layer)]), tmp_path / "soft.jsonl"
    soft.save(path)
    assert json.loads(path.read_text().splitlines()[0])["beta"] == ["2/3", "2/3"]
    assert Transformer.read(path) == soft
    with pytest.raises(InvalidInput, match="one temperature"):
        Transformer(1, [Block(None, layer), Block(None, SelfAttention(0, *[Scalar(1)] * 3, beta=1))]).save(path)


@pytest.mark.parametrize("beta", [["0", "0"], ["2", "1"], ["1"], "1", [None, None], [1, 1], ["1/2", "x"]])
def test_a_range_of_temperatures_that_is_none_is_malformed(beta: object, tmp_path: Path) -> None:
    path, header = tmp_path / "soft.jsonl", {"exactformer": "transformer", "version": [1, 1], "attention": "softmax"}
    with LineWriter(path) as out:
        out.write({**header, "beta": beta, "dim": 1, "blocks": 0})
    with pytest.raises(Malformed):
        Transformer.read(path)


HEADER = {"exactformer": "transformer", "version": [1, 0], "attention": "hardmax", "dim": 1, "blocks": 2}


EMPTY = {"feed_forward": None, "self_attention": None}


# ---------------------------------------------------------------- networks of floats


@pytest.mark.parametrize(
    ("header", "order"),
    [
        ({}, (1, 0)),
        ({}, (0, 0)),
        *(({"dim": dim}, (0, 1)) for dim in (True, 0, "1")),
        *(({"blocks": blocks}, (0, 1)) for blocks in (3, -1, "2")),
        ({"version": [1, 2]}, (0, 1)),
    ],
)
def test_transformer_files_are_in_order(header: dict[str, Any], order: tuple[int, ...], tmp_path: Path) -> None:
    def write(header: dict[str, Any], order: tuple[int, ...]) -> Path:
        with LineWriter(tmp_path / "t.jsonl") as out:
            out.write({**HEADER, **header})
            for k in order:
                out.write({"block": k, **EMPTY})
        return tmp_path / "t.jsonl"

    assert len(Transformer.read(write({}, (0, 1)))) == 2
    with pytest.raises(Malformed):
        Transformer.read(write(header, order))
