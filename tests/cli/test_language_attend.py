"""`exactformer language attend` as it is used."""

import json

import pytest

from exactformer.cli.main import code
from exactformer.languages.recogniser import Recogniser
from exactformer.model.heads import Head, MultiHeadAttention, MultiHeadBlock
from exactformer.model.matrix import Zero


@pytest.fixture
def model(tmp_path):
    """Accepts words whose last letter but one is a: a head that copies the position before."""
    before = Head([[1]], Zero(), Zero(), "before", "last")
    blocks = [MultiHeadBlock(None, MultiHeadAttention(0, [before]))]
    Recogniser("ab", [[1], [-1]], blocks, [1]).save(tmp_path / "model.jsonl")
    return str(tmp_path / "model.jsonl")


def test_the_answer_in_json(model, capsys):
    assert code(["language", "attend", model, "abb", "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == {
        "blocks": [{"tokens": [["0"], ["1"], ["-1"]], "heads": [[[], [0], [1]]]}],
        "verdict": "reject",
    }


def test_the_table(model, capsys):
    assert code(["language", "attend", model, "ab"]) == 0
    out = capsys.readouterr().out
    assert "0 a" in out
    assert "1 b" in out
    assert "verdict: accept" in out


def test_one_letter_is_zero_and_so_is_the_empty_word(model, capsys):
    for word in ("a", ""):
        assert code(["language", "attend", model, word, "--json"]) == 0
        assert json.loads(capsys.readouterr().out)["verdict"] == "zero"


def test_bad_input_is_one_message(model, tmp_path, capsys):
    assert code(["language", "attend", model, "abc"]) == 3
    assert "position 2: expected a letter of 'ab', got 'c'" in capsys.readouterr().err
    (tmp_path / "other.json").write_text('{"exactformer":"tokens"}\n')
    assert code(["language", "attend", str(tmp_path / "other.json"), "ab"]) == 3
    assert "expected a recogniser file" in capsys.readouterr().err
