"""Tests of `exactformer.languages.recogniser_files`."""

from __future__ import annotations

import json

import pytest
from kits.recognisers import attention, dyck1, parity

import exactformer as ef
from exactformer.errors import Malformed
from exactformer.languages.recogniser import Recogniser
from exactformer.model.heads import Head, MultiHeadBlock
from exactformer.model.matrix import Zero


def majority(zero="neither"):
    head = Head([[0, 0], [1, 0]], Zero(), Zero())
    blocks = [MultiHeadBlock(None, attention(head))]
    return Recogniser("01", [[-1, 0], [1, 0]], blocks, [0, 1], zero=zero, empty=False)


@pytest.mark.parametrize("make", [parity, majority, dyck1])
def test_a_recogniser_is_read_as_it_was_written(make, tmp_path):
    r = make()
    r.save(tmp_path / "r.jsonl")
    again = ef.Recogniser.read(tmp_path / "r.jsonl")
    assert again == r
    again.save(tmp_path / "s.jsonl")
    assert (tmp_path / "r.jsonl").read_bytes() == (tmp_path / "s.jsonl").read_bytes()


@pytest.mark.parametrize(
    ("line", "key", "value"),
    [
        (0, "exactformer", "transformer"),
        (0, "version", [1, 0]),
        (0, "dim", 7),
        (0, "blocks", 1),
        (0, "blocks", 3),
        (0, "letters", "01"),
        (1, "empty", 0),
        (1, "threshold", 0),
        (1, "at", None),
        (1, "at", "middle"),
        (1, "zero", "accepted"),
        (1, "threshold", "1.5"),
        (1, "features", [{"coordinate": 2, "ratio": [[["0.5", 0, 0]], [["1", 0, 0]]]}]),
        (1, "features", [{"coordinate": 2}]),
        (1, "features", [{"coordinate": True, "period": ["1"]}]),
        (1, "features", [{"coordinate": 2, "ratio": [[["1", 0, 0]]]}]),
        (1, "features", [{"coordinate": 2, "ratio": [[["1", 1, 0], ["1", 0, 0]], [["1", 0, 0]]]}]),
        (1, "tokens", [["0"]]),
        (2, "block", 1),
    ],
)
def test_files_that_are_malformed(line, key, value, tmp_path):
    import hashlib

    parity().save(tmp_path / "r.jsonl")
    lines = [json.loads(text) for text in (tmp_path / "r.jsonl").read_text().splitlines()[:-1]]
    lines[line][key] = value
    body = "".join(json.dumps(x) + "\n" for x in lines)
    end = json.dumps({"end": True, "sha256": hashlib.sha256(body.encode()).hexdigest()})
    (tmp_path / "r.jsonl").write_text(body + end + "\n")
    with pytest.raises(Malformed, match=r"r\.jsonl"):
        Recogniser.read(tmp_path / "r.jsonl")
