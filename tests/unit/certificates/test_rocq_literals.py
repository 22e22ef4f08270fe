"""Tests of `exactformer.certificates.rocq_literals`."""

from __future__ import annotations

import json
import re
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from kits.certificate_cases import CASES
from kits.rocq_files import ATTENTION, certificate, limit

from exactformer.certificates import rocq_literals
from exactformer.certificates.rocq import write_rocq
from exactformer.certificates.rocq_literals import verify_literals
from exactformer.certificates.rocq_numbers import number_literal
from exactformer.errors import InvalidInput, Malformed
from exactformer.io.canonical import canonical

F = Fraction


def exported_text(tmp_path: Path, name: str = "interpolation", **options: str) -> str:
    CASES[name][0](tmp_path / "c.jsonl")
    write_rocq(tmp_path / "c.jsonl", tmp_path / "c.v", **options)
    return (tmp_path / "c.v").read_text()


# ---------------------------------------------------------------- Rocq


def test_a_theorem_has_the_blocks_and_sequences_of_its_certificate(tmp_path: Path) -> None:
    text = exported_text(tmp_path)
    digest = json.loads((tmp_path / "c.jsonl").read_text().splitlines()[-1])["sha256"]
    assert text.startswith(f"(* The interpolation certificate with sha256 {digest}, as a theorem. *)\n")
    layer, attention = "FF (1 # 2) (Outer [1; 2] [3]) [4; 5] (Dense [[6; 7]])", "SA 8 (Scalar 9) 1 Zero (Dense [[10]])"
    assert [line for line in text.splitlines() if line.startswith("Definition")] == [
        f"Definition block_0 := BlockLiteral (Some ({layer})) (Some ({attention})).",
        "Definition block_1 := BlockLiteral None None.",
        "Definition sequence_0 := Sequence [[1]; [(1 # 2)]] [[0]; [(1 # 3)]].",
        "Definition sequence_1 := Sequence [[3]] [[1]; [(1 # 3)]].",
        "Definition the_certificate := Certificate 1 [block_0; block_1] [sequence_0; sequence_1].",
    ]
    assert "apply check_bigZ_sound." in text
    assert "apply check_Z_sound." in exported_text(tmp_path, integers="Z")
    assert verify_literals(tmp_path / "c.jsonl", tmp_path / "c.v") == 12 + 4 + 3 + 1
    with pytest.raises(InvalidInput, match="bigZ or Z, got 'N'"):
        exported_text(tmp_path, integers="N")
    for name in ("orbit", "loss"):
        with pytest.raises(
            InvalidInput, match=f"claim interpolation, limit, recognition or no-recogniser, got '{name}'"
        ):
            exported_text(tmp_path, name)
    with pytest.raises(InvalidInput, match="range of temperatures has no form in Rocq"):
        exported_text(tmp_path, "interpolation with a margin at temperatures")


# ---------------------------------------------------------------- Rocq


@pytest.mark.parametrize(
    ("pairs", "agree"),
    [
        ([("a", ["1"]), ("b", ["2"]), ("a", ["1"])], True),
        ([("a", ["1"]), ("a", ["2"])], False),
        ([("a", ["1"]), ("b", ["1"])], False),
        ([("a", ["1", "2"]), ("a", ["2", "1"])], True),
        ([], True),
    ],
)
def test_labels_agree_where_each_has_one_set_of_targets(
    pairs: list[tuple[str, list[str]]], agree: bool, tmp_path: Path
) -> None:
    path = tmp_path / "c.jsonl"
    rows = [{"label": label, "targets": [[x] for x in targets]} for label, targets in pairs]
    path.write_text("".join(json.dumps(row) + "\n" for row in [{"claim": "interpolation"}, *rows]))
    assert rocq_literals.labels_agree(path) is agree


def test_literals_of_thousands_of_digits_are_read_back() -> None:
    for digits in (3_999, 4_000, 4_001, 9_000):
        number = 7 * 10 ** (digits - 1) + 3
        assert rocq_literals._rational(canonical(F(-number, 10))) == F(-number, 10)
        assert rocq_literals._parse(number_literal(canonical(number))) == number


SEQUENCE = {"tokens": [["0", "0"]], "targets": [["0", "0"]]}


def test_comparison_accepts_the_export(exported: tuple[Path, Path]) -> None:
    assert verify_literals(*exported) > 40


def test_comparison_sees_every_changed_literal(exported: tuple[Path, Path]) -> None:
    """Each number of the definitions, changed alone, is found."""
    cert, file = exported
    text = file.read_text()
    start, stop = text.index("Definition"), text.index("Theorem")
    places = [m for m in re.finditer(r"(?<![\w#])(0x[0-9a-f]+|[0-9]+)(?=[\];) ])", text) if start < m.start() < stop]
    assert len(places) > 40
    for place in places:
        file.write_text(text[: place.start()] + str(int(place[0], 0) + 1) + text[place.end() :])
        with pytest.raises(Malformed, match="is not what"):
            verify_literals(cert, file)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("Open Scope Q_scope.\n", "Open Scope Q_scope.\nAxiom claim : forall c, True.\n"),
        ("claim the_certificate", "claim sequence_0"),
        ("Qed.", "Admitted."),
        ("Zero)", "(Scalar 0))"),
        ("Definition block_3", "Definition block_3 := 1.\nDefinition block_3"),
        ("[sequence_0; sequence_1]", "[sequence_0]"),
        ("\n\nTheorem", "\nDefinition more := 1.\n\nTheorem"),
        ("check_bigZ_sound", "check_bigZ_softmax_sound"),
    ],
)
def test_comparison_sees_a_changed_frame(exported: tuple[Path, Path], old: str, new: str) -> None:
    cert, file = exported
    text = file.read_text()
    assert old in text
    file.write_text(text.replace(old, new))
    with pytest.raises(Malformed):
        verify_literals(cert, file)


def test_softmax_has_a_theorem_of_its_own(tmp_path: Path) -> None:
    blocks = [{"feed_forward": None, "self_attention": {**ATTENTION, "Q": {"outer": [["1"], ["0", "0"]]}}}]
    cert = certificate(tmp_path / "cert.jsonl", blocks, [SEQUENCE], attention="softmax")
    write_rocq(cert, tmp_path / "cert.v")
    text = (tmp_path / "cert.v").read_text()
    assert "Theorem certified : softmax_claim the_certificate." in text
    assert verify_literals(cert, tmp_path / "cert.v") > 0
    (tmp_path / "cert.v").write_text(text.replace("softmax_claim", "claim"))
    with pytest.raises(Malformed):
        verify_literals(cert, tmp_path / "cert.v")


@pytest.mark.parametrize("zero", ["Q", "K"])
@pytest.mark.parametrize(
    "form",
    [{"zero": True}, {"scalar": "0"}, [["0", "0"], ["0", "0"]], *({"outer": [c, r]} for c, r in ("01", "10"))],
)
def test_softmax_is_exported_where_queries_or_keys_are_zero(tmp_path: Path, zero: str, form: Any) -> None:
    if isinstance(form, dict) and "outer" in form:
        form = {"outer": [[digit] * 2 for digit in form["outer"]]}
    attention = {**ATTENTION, "Q": {"scalar": "1"}, "K": {"scalar": "1"}, zero: form}
    blocks = [{"feed_forward": None, "self_attention": attention}]
    cert = certificate(tmp_path / "cert.jsonl", blocks, [SEQUENCE], attention="softmax")
    write_rocq(cert, tmp_path / "cert.v")
    assert verify_literals(cert, tmp_path / "cert.v") > 0


def test_comparison_wants_the_same_certificate(exported: tuple[Path, Path], tmp_path: Path) -> None:
    other = certificate(tmp_path / "other.jsonl", [], [SEQUENCE])
    with pytest.raises(Malformed, match="another certificate"):
        verify_literals(other, exported[1])


LAST = {"token": 2, "kind": "projection", "limit": ["6/5", "-3/5"], "lock": True, "normal": ["0", "0"]}
LAST["weights"] = [[0, "1/2"], [1, "1/3"]]


MOVES = {"token": 2, "kind": "vertex", "limit": ["1", "1"], "form": [], "from": 4}
MOVES["form"] = [{"base": "1", "power": 0, "vector": ["1", "1"]}, {"base": "5/8", "power": 2, "vector": ["-1/9", "7"]}]


@pytest.mark.parametrize(
    ("place", "text_of_it", "literals"),
    [
        (LAST, "Place [(6 # 5); (-3 # 5)] Locked false [0; 0] [Weight 0 (1 # 2); Weight 1 (1 # 3)]", 27),
        (MOVES, "Place [1; 1] (Form [Term 1 0 [1; 1]; Term (5 # 8) 2 [(-1 # 9); 7]] 4) true [] []", 30),
    ],
    ids=["projection", "form"],
)
def test_limits_are_transcribed_and_every_changed_literal_is_seen(
    tmp_path: Path, place: dict[str, Any], text_of_it: str, literals: int
) -> None:
    cert, file = limit(tmp_path / "cert.jsonl", place), tmp_path / "cert.v"
    write_rocq(cert, file, integers="Z")
    text = file.read_text()
    assert f"Definition place_2 := {text_of_it}." in text
    assert (
        "LimitCertificate 2 [[2; (1 # 2)]; [(1 # 2); 1]] (3 # 4) the_tokens 1 [place_0; place_1; place_2] [0; 1]%nat."
        in text
    )
    assert "apply check_limit_Z_sound." in text
    assert verify_literals(cert, file) == literals
    start, stop = text.index("Definition"), text.index("Theorem")
    numbers = re.finditer(r"(?<![\w#])[0-9]+(?=[\];) ])|true|false|Locked", text)
    places = [m for m in numbers if start < m.start() < stop]
    assert len(places) > 20
    others = {"true": "false", "false": "true", "Locked": "(Form [] 1)"}
    for found in places:
        other = others.get(found[0]) or str(int(found[0]) + 1)
        file.write_text(text[: found.start()] + other + text[found.end() :])
        with pytest.raises(Malformed, match="is not what"):
            verify_literals(cert, file)
