"""Tests of `exactformer.certificates.rocq`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from kits.rocq_files import ATTENTION, certificate, limit

from exactformer.certificates.rocq import write_rocq
from exactformer.errors import Declined, InvalidInput, Malformed

SEQUENCE = {"tokens": [["0", "0"]], "targets": [["0", "0"]]}


def test_every_form_is_transcribed(exported: tuple[Path, Path]) -> None:
    text = exported[1].read_text()
    assert "(FF 0 (Outer [1; (-2)] [3; (4 # 5)]) [0; (7 # 3)] (Dense [[1; 0]; [2; (-9)]]))" in text
    assert f"(FF (-1) (Scalar 2) [1; {hex(3**80)}] Zero)" in text
    assert "(SA 1 (Scalar (-1 # 2)) 3 (Dense [[1; 2]; [0; 3]; [4; 5]]) Zero)" in text
    assert "Definition block_3 := BlockLiteral None None." in text
    assert "Definition sequence_0 := Sequence [[1; (2 # 3)]; [1; (2 # 3)]] [[0; (-5)]]." in text
    assert "Certificate 2 [block_0; block_1; block_2; block_3] [sequence_0; sequence_1]." in text


@pytest.mark.parametrize(
    ("blocks", "sequences", "header", "error"),
    [
        ([], [SEQUENCE], {"claim": "infeasible"}, InvalidInput),
        ([], [SEQUENCE], {"sequences": 2}, Malformed),
        ([], [SEQUENCE], {"version": [2, 0]}, Malformed),
        ([], [{**SEQUENCE, "tokens": [["0.5", "0"]]}], {}, Malformed),
        ([], [{**SEQUENCE, "tokens": [["2/4", "0"]]}], {}, Malformed),
        ([], [{**SEQUENCE, "more": 1}], {}, Malformed),
        ([{"feed_forward": None, "self_attention": None, "more": 1}], [SEQUENCE], {}, Malformed),
        ([{"feed_forward": None, "self_attention": {**ATTENTION, "V": {"diagonal": "1"}}}], [SEQUENCE], {}, Malformed),
        (
            [{"feed_forward": None, "self_attention": {**ATTENTION, "K": {"scalar": "1"}}}],
            [SEQUENCE],
            {"attention": "softmax"},
            Malformed,
        ),
        ([], [SEQUENCE], {"attention": "softmax", "beta": ["1", None], "version": [1, 1]}, InvalidInput),
        ([], [SEQUENCE], {"attention": "max"}, Malformed),
        ([], [SEQUENCE], {"dim": 0}, Malformed),
        ([], [SEQUENCE], {"dim": True}, Malformed),
        ([], [], {}, Malformed),
    ],
)
def test_other_files_are_refused(
    tmp_path: Path, blocks: list[Any], sequences: list[Any], header: dict[str, Any], error: type[Exception]
) -> None:
    cert = certificate(tmp_path / "cert.jsonl", blocks, sequences, **header)
    with pytest.raises(error):
        write_rocq(cert, tmp_path / "cert.v")
    assert not (tmp_path / "cert.v").exists()


LAST = {"token": 2, "kind": "projection", "limit": ["6/5", "-3/5"], "lock": True, "normal": ["0", "0"]}
LAST["weights"] = [[0, "1/2"], [1, "1/3"]]


@pytest.mark.parametrize(
    ("places", "error"),
    [
        ([{**LAST, "token": 3}], Malformed),
        ([{key: value for key, value in LAST.items() if key != "weights"}], Malformed),
        ([], Malformed),
    ],
    ids=["order", "keys", "missing"],
)
def test_other_limits_are_refused(tmp_path: Path, places: list[dict[str, Any]], error: type[Exception]) -> None:
    with pytest.raises(error):
        write_rocq(limit(tmp_path / "cert.jsonl", *places), tmp_path / "cert.v")
    assert not (tmp_path / "cert.v").exists()


@pytest.mark.parametrize("counts", [{"tokens": 2}, {"tokens": 4}, {"points": 2}])
def test_a_limit_has_as_many_tokens_as_it_says(tmp_path: Path, counts: dict[str, int]) -> None:
    with pytest.raises(Malformed, match="token lines as in the header"):
        write_rocq(limit(tmp_path / "cert.jsonl", LAST, **counts), tmp_path / "cert.v")


def test_limits_in_stages_are_declined(tmp_path: Path) -> None:
    stages = Path(__file__).resolve().parents[3] / "proofs_check" / "corpus" / "accept" / "stages_mirror.jsonl"
    with pytest.raises(Declined, match="stages"):
        write_rocq(stages, tmp_path / "cert.v")
    assert not (tmp_path / "cert.v").exists()
