"""Tests of `exactformer.languages.tracr`."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from kits.tiny_tracr import complete, described, length_model, soft_model, ties_model, write_export

from exactformer.errors import InvalidInput, Malformed
from exactformer.languages.tracr import model_of_arrays, read_tracr


def test_the_length_by_hand() -> None:
    """The share of the mark is 1 / (n + 1), and with ramps that are steep enough the outputs are bits."""
    model = model_of_arrays(*length_model(4, 60.0)[:2], "here")
    assert [model.decoded(["'a'"] * n) for n in (1, 2, 3, 4)] == [[str(n)] * n for n in (1, 2, 3, 4)]
    rows = model.outputs(["'a'"] * 3)
    assert {max(row) for row in rows} == {1}
    assert model.most == 4
    assert model.letters == ("'a'",)


def test_a_tie_is_none_and_a_hard_choice_is_hard() -> None:
    assert model_of_arrays(*ties_model()[:2], "here").decoded(["'a'", "'b'"]) == ["'x'", None]
    assert model_of_arrays(*soft_model(5)[:2], "here").outputs(["'a'"] * 5) == [[1, Fraction(1, 2)]] * 5


def test_numbers_several_heads_and_causal_masks() -> None:
    """Two heads take the mean of [token a] over what is seen, each half of it; causal: over the prefix."""
    tokens = np.array([[0.0, 0], [1, 0], [0, 0]])
    value, linear = np.zeros((2, 2)), np.zeros((2, 2))
    value[0, :], linear[:, 1] = 1, 0.5
    arrays = {
        "token_embed.embeddings": tokens,
        "pos_embed.embeddings": np.zeros((4, 2)),
        "unembed": np.array([[0.0], [1]]),
        **{f"transformer/layer_0/attn/{name}.w": np.zeros((2, 2)) for name in ("query", "key")},
        "transformer/layer_0/attn/value.w": value,
        "transformer/layer_0/attn/linear.w": linear,
    }
    about = described([["'BOS'", 0], ["'a'", 1], ["'b'", 2]], [], ["a", "share"])
    arrays = complete(arrays, about, 1) | {
        f"transformer/layer_0/attn/{n}.b": np.zeros(2, np.float32) for n in ("query",)
    }
    about |= {"heads": 2, "output": None}
    for causal, wanted in ((False, [2, 2, 2]), (True, [Fraction(1, 2), Fraction(1, 3), Fraction(2, 4)])):
        model = model_of_arrays(arrays, about | {"causal": causal}, "here")
        found = model.decoded(["'a'", "'b'", "'a'"])
        assert found == ([Fraction(1, 2)] * 3 if not causal else wanted)


def test_what_has_no_place_is_refused(tmp_path: Path) -> None:
    arrays, about, _ = length_model(3, 60.0)
    for changed, message in (
        ({"activation": "gelu"}, "expected relu without layer norm"),
        ({"layer_norm": True}, "with layer norm"),
        ({"layers": 0}, "layers of at least 1"),
        ({"layers": 2}, "layer_1/attn/query.w"),
        ({"key_size": 2}, "matrices"),
        ({"vocabulary": [["'a'", 1]]}, "indices"),
        ({"vocabulary": "a"}, "pairs"),
        ({"output": [["1", 0]]}, "3 categories"),
        ({"bos": "'no'"}, "bos among the vocabulary"),
    ):
        with pytest.raises((InvalidInput, Malformed), match=message):
            model_of_arrays(arrays, about | changed, "here")
    for name, array, message in (
        ("transformer/layer_0/attn/query.b", np.ones(1, np.float32), "no bias attn/query.b"),
        ("unembed", np.full((6, 3), np.nan, np.float32), "finite floats unembed"),
        ("unembed", np.zeros((5, 3), np.float32), "embeddings of one dimension"),
        ("transformer/layer_0/mlp/linear_2.w", np.zeros((1, 6), np.float32), "feed-forward part"),
    ):
        with pytest.raises((InvalidInput, Malformed), match=message):
            model_of_arrays(arrays | {name: array}, about, "here")
    model = model_of_arrays(arrays, about, "here")
    with pytest.raises(InvalidInput, match="at most 3 tokens"):
        model.decoded(["'a'"] * 4)
    with pytest.raises(InvalidInput, match="position 1: expected a token"):
        model.decoded(["'z'"])


def test_files_and_their_errors(tmp_path: Path) -> None:
    path = write_export(tmp_path / "m", *length_model(3, 60.0))
    assert read_tracr(path).decoded(["'a'"]) == ["1"]
    about = json.loads((tmp_path / "m.json").read_text())
    for content, message in (
        ("[]", "tracr-export, version 1"),
        (json.dumps(about | {"version": 2}), "tracr-export, version 1"),
        (json.dumps({k: v for k, v in about.items() if k != "bos"}), "missing bos"),
        ("{", "m.json"),
    ):
        (tmp_path / "m.json").write_text(content)
        with pytest.raises(Malformed, match=message):
            read_tracr(path)
    (tmp_path / "m.json").unlink()
    with pytest.raises(InvalidInput, match=r"m\.json"):
        read_tracr(path)
    path.write_bytes(b"no archive")
    with pytest.raises(Malformed, match="an NPZ file of a compiled model"):
        read_tracr(path)
