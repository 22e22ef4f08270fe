"""The Rocq exporter without Rocq: every form of the format is transcribed, and the comparison sees every change."""

from __future__ import annotations

import hashlib
import json
import re
from pathlib import Path
from typing import Any

import pytest

from exactformer.certificates.rocq import write_rocq
from exactformer.certificates.rocq_literals import verify_literals
from exactformer.errors import Declined, InvalidInput, Malformed

ATTENTION = {"rho": "1", "V": {"scalar": "-1/2"}, "Q": [["1", "2"], ["0", "3"], ["4", "5"]], "K": {"zero": True}}
FORMS = [
    {"eta": "0", "U": {"outer": [["1", "-2"], ["3", "4/5"]]}, "b": ["0", "7/3"], "W": [["1", "0"], ["2", "-9"]]},
    {"eta": "-1", "U": {"scalar": "2"}, "b": ["1", str(3**80)], "W": {"zero": True}},
    None,
]
SEQUENCE = {"tokens": [["0", "0"]], "targets": [["0", "0"]]}


def certificate(path: Path, blocks: list[dict[str, Any]], sequences: list[dict[str, Any]], /, **header: Any) -> Path:
    """A certificate file of these lines, digest included."""
    lines: list[dict[str, Any]] = [
        {
            "exactformer": "certificate",
            "version": [1, 0],
            "claim": "interpolation",
            "attention": "hardmax",
            "dim": 2,
            "blocks": len(blocks),
            "sequences": len(sequences),
            **header,
        },
        *({"block": k, **block} for k, block in enumerate(blocks)),
        *({"sequence": j, **sequence} for j, sequence in enumerate(sequences)),
    ]
    text = "".join(json.dumps(line, separators=(",", ":")) + "\n" for line in lines)
    end = {"end": True, "sha256": hashlib.sha256(text.encode()).hexdigest()}
    path.write_text(text + json.dumps(end, separators=(",", ":")) + "\n")
    return path


@pytest.fixture
def exported(tmp_path: Path) -> tuple[Path, Path]:
    blocks = [{"feed_forward": ff, "self_attention": ATTENTION} for ff in FORMS]
    blocks.append({"feed_forward": None, "self_attention": None})
    sequences = [
        {"tokens": [["1", "2/3"], ["1", "2/3"]], "targets": [["0", "-5"]], "label": "a"},
        {"tokens": [["-1", "10"]], "targets": [["8", "1/9"], ["0", "0"]], "label": "b"},
    ]
    cert = certificate(tmp_path / "cert.jsonl", blocks, sequences)
    write_rocq(cert, tmp_path / "cert.v")
    return cert, tmp_path / "cert.v"


def test_every_form_is_transcribed(exported: tuple[Path, Path]) -> None:
    text = exported[1].read_text()
    assert "(FF 0 (Outer [1; (-2)] [3; (4 # 5)]) [0; (7 # 3)] (Dense [[1; 0]; [2; (-9)]]))" in text
    assert f"(FF (-1) (Scalar 2) [1; {hex(3**80)}] Zero)" in text
    assert "(SA 1 (Scalar (-1 # 2)) 3 (Dense [[1; 2]; [0; 3]; [4; 5]]) Zero)" in text
    assert "Definition block_3 := BlockLiteral None None." in text
    assert "Definition sequence_0 := Sequence [[1; (2 # 3)]; [1; (2 # 3)]] [[0; (-5)]]." in text
    assert "Certificate 2 [block_0; block_1; block_2; block_3] [sequence_0; sequence_1]." in text


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


@pytest.mark.parametrize(
    ("blocks", "sequences", "header", "error"),
    [
        ([], [SEQUENCE], {"claim": "infeasible"}, InvalidInput),
        ([], [SEQUENCE], {"sequences": 2}, Malformed),
        ([], [SEQUENCE], {"version": [2, 0]}, Malformed),
        ([], [{**SEQUENCE, "tokens": [["0.5", "0"]]}], {}, Malformed),
        ([], [{**SEQUENCE, "tokens": [["2/4", "0"]]}], {}, Malformed),
        ([], [{**SEQUENCE, "more": 1}], {}, Malformed),
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


def limit(path: Path, *places: dict[str, Any], tokens: int = 3, points: int = 3) -> Path:
    """A limit certificate of three tokens, digest included; the places replace its last lines."""
    rows = [["7/5", "1/5"], ["1", "1"], ["0", "0"]][:points]
    lines: list[dict[str, Any]] = [
        {"exactformer": "certificate", "version": [1, 0], "claim": "limit", "dim": 2, "tokens": tokens, "layer": 1},
        {"A": [["2", "1/2"], ["1/2", "1"]], "alpha": "3/4", "tokens": rows},
        {"token": 0, "kind": "vertex", "limit": ["7/5", "1/5"], "lock": True},
        {"token": 1, "kind": "vertex", "limit": ["1", "1"], "lock": True},
        *places,
        {"leaders": [0, 1]},
    ]
    text = "".join(json.dumps(line, separators=(",", ":")) + "\n" for line in lines)
    end = {"end": True, "sha256": hashlib.sha256(text.encode()).hexdigest()}
    path.write_text(text + json.dumps(end, separators=(",", ":")) + "\n")
    return path


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
    stages = Path(__file__).resolve().parents[2] / "proofs_check" / "corpus" / "accept" / "stages_mirror.jsonl"
    with pytest.raises(Declined, match="stages"):
        write_rocq(stages, tmp_path / "cert.v")
    assert not (tmp_path / "cert.v").exists()
