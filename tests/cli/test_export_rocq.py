"""`exactformer export-rocq --check`: the kernel accepts true certificates and refuses corrupted ones."""

from __future__ import annotations

import hashlib
import json
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from exactformer.certificates.rocq import rocq_text, write_rocq
from exactformer.certificates.rocq_check import build_theories, folder
from exactformer.checking import check as check_certificate
from exactformer.cli.main import code
from exactformer.io.json_lines import LineWriter, read_lines

needs_coqc = pytest.mark.skipif(shutil.which("coqc") is None, reason="coqc is not installed")

WORKED_EXAMPLE: list[dict[str, Any]] = [
    {
        "exactformer": "certificate",
        "version": [1, 0],
        "claim": "interpolation",
        "attention": "hardmax",
        "dim": 1,
        "blocks": 2,
        "sequences": 3,
    },
    {
        "block": 0,
        "feed_forward": None,
        "self_attention": {"rho": "0", "V": {"scalar": "1"}, "Q": {"zero": True}, "K": {"zero": True}},
    },
    {
        "block": 1,
        "feed_forward": {"eta": "0", "U": [["1"], ["1"]], "b": ["0", "-1/2"], "W": [["4", "-6"]]},
        "self_attention": None,
    },
    {"sequence": 0, "tokens": [["0"]], "targets": [["0"]]},
    {"sequence": 1, "tokens": [["1"]], "targets": [["1"]]},
    {"sequence": 2, "tokens": [["0"], ["1"]], "targets": [["2"]]},
]

SOFTMAX = [{**WORKED_EXAMPLE[0], "attention": "softmax"}, *WORKED_EXAMPLE[1:]]

#: attention with ties and multiplicity, a hinge that opens to the left, every form of a matrix
TIES: list[dict[str, Any]] = [
    {**WORKED_EXAMPLE[0], "dim": 2, "blocks": 2, "sequences": 3},
    {
        "block": 0,
        "feed_forward": {
            "eta": "1",
            "U": {"outer": [["-1", "0", "2"], ["1", "0"]]},
            "b": ["1", "1/2", "-5"],
            "W": {"outer": [["0", "1"], ["1", "2", "-1/3"]]},
        },
        "self_attention": {
            "rho": "1/2",
            "V": {"scalar": "1/2"},
            "Q": {"outer": [["1"], ["1", "0"]]},
            "K": [["1", "0"]],
        },
    },
    {
        "block": 1,
        "feed_forward": {"eta": "2", "U": {"scalar": "1"}, "b": ["0", "0"], "W": {"zero": True}},
        "self_attention": {"rho": "0", "V": [["1", "0"], ["0", "1"]], "Q": {"scalar": "1"}, "K": {"scalar": "1"}},
    },
    {"sequence": 0, "tokens": [["2", "0"], ["2", "0"], ["2", "3"]], "targets": [["4", "6"]]},
    {"sequence": 1, "tokens": [["0", "0"]], "targets": [["0", "4"]]},
    # both tokens at 0 tie with everything, so that the mean counts them twice; afterwards each copy follows both
    {"sequence": 2, "tokens": [["0", "0"], ["0", "0"], ["3", "0"]], "targets": [["1", "32/9"], ["6", "4/3"]]},
]


def write(path: Path, lines: list[dict[str, Any]]) -> Path:
    with LineWriter(path) as out:
        for line in lines:
            out.write(line)
    return path


def check(cert: Path, *options: str) -> int:
    return code(["export-rocq", str(cert), "-o", str(cert.with_suffix(".v")), "--check", *options])


def test_without_check_only_the_file_is_written(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    cert = write(tmp_path / "cert.jsonl", WORKED_EXAMPLE)
    assert code(["export-rocq", str(cert), "-o", str(tmp_path / "cert.v"), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["checked"] is None
    assert "Theorem certified" in (tmp_path / "cert.v").read_text()


def test_the_file_is_about_the_integers_asked_for(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    cert = write(tmp_path / "cert.jsonl", WORKED_EXAMPLE)
    for options, integers in (((), "bigZ"), (("--integers", "bigZ"), "bigZ"), (("--integers", "Z"), "Z")):
        assert code(["export-rocq", str(cert), "-o", str(tmp_path / "cert.v"), "--json", *options]) == 0
        assert json.loads(capsys.readouterr().out)["integers"] == integers
        write_rocq(cert, tmp_path / "mine.v", integers=integers)
        assert (tmp_path / "cert.v").read_text() == (tmp_path / "mine.v").read_text()
    write_rocq(cert, tmp_path / "other.v", integers="bigZ")
    assert (tmp_path / "cert.v").read_text() != (tmp_path / "other.v").read_text()


def test_labels_that_do_not_fit_their_targets_are_refused_before_coqc(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    for labels, exit_code, word in (("abc", 4, "not checked"), ("aba", 1, "refused")):
        named = [{**line, "label": y} for line, y in zip(WORKED_EXAMPLE[3:], labels, strict=True)]
        assert check(write(tmp_path / "cert.jsonl", WORKED_EXAMPLE[:3] + named), "--json") == exit_code
        answer = json.loads(capsys.readouterr().out)
        assert (answer["verdict"], "equal labels" in answer["why"]) == (word, exit_code == 1)


def test_no_coqc_is_not_checked(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    assert check(write(tmp_path / "cert.jsonl", WORKED_EXAMPLE), "--json") == 4
    answer = json.loads(capsys.readouterr().out)
    assert answer["verdict"] == "not checked"
    assert "apt-get" in answer["why"]


@needs_coqc
def test_no_theories_is_not_checked(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert check(write(tmp_path / "cert.jsonl", WORKED_EXAMPLE), "--theories", str(tmp_path)) == 4
    assert "not checked" in capsys.readouterr().out


@needs_coqc
@pytest.mark.parametrize("integers", ["Z", "bigZ"])
@pytest.mark.parametrize("lines", [WORKED_EXAMPLE, TIES, SOFTMAX], ids=["worked-example", "ties", "softmax"])
def test_examples_by_hand_are_proved(
    tmp_path: Path, lines: list[dict[str, Any]], integers: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert check(write(tmp_path / "cert.jsonl", lines), "--integers", integers, "--json") == 0
    assert json.loads(capsys.readouterr().out)["verdict"] == "proved"


@pytest.mark.parametrize("labels", ["aab", "aba", "aaa"])
def test_labels_that_contradict_the_targets_are_refused(
    tmp_path: Path, labels: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """The targets of the three sequences differ, so that their labels must."""
    sequences = [{**line, "label": label} for line, label in zip(WORKED_EXAMPLE[3:], labels, strict=True)]
    assert check(write(tmp_path / "cert.jsonl", [*WORKED_EXAMPLE[:3], *sequences])) == 1
    assert "labels" in capsys.readouterr().out


def changed(lines: list[dict[str, Any]], *keys: Any, value: Any) -> list[dict[str, Any]]:
    """The lines with one entry replaced."""
    copy: Any = json.loads(json.dumps(lines))
    place = copy
    for key in keys[:-1]:
        place = place[key]
    assert place[keys[-1]] != value
    place[keys[-1]] = value
    return copy  # type: ignore[no-any-return]


@needs_coqc
@pytest.mark.parametrize(
    ("keys", "value"),
    [
        ((5, "targets", 0, 0), "3"),
        ((5, "targets"), [["2"], ["1"]]),
        ((2, "feed_forward", "W", 0, 1), "-5"),
        ((2, "feed_forward", "b", 1), "-1/3"),
        ((1, "self_attention", "V"), {"scalar": "2"}),
        ((4, "tokens", 0, 0), "3/4"),
    ],
    ids=["target", "one-target-more", "weight", "bias", "attention", "token"],
)
def test_corrupted_certificates_are_refused(
    tmp_path: Path, keys: tuple[Any, ...], value: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    assert check(write(tmp_path / "cert.jsonl", changed(WORKED_EXAMPLE, *keys, value=value))) == 1
    assert "refused" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("keys", "value"),
    [
        ((2, "feed_forward", "U"), [["1"]]),  # one row for two biases
        ((2, "feed_forward", "W"), [["4", "-12/2"]]),  # -6, but not in lowest terms
        ((0, "version"), [1, 0, 0]),
        ((3, "targets"), [["0"], ["0"]]),
    ],
    ids=["shape", "canonical", "version", "target-twice"],
)
def test_what_the_checker_calls_malformed_is_not_exported(
    tmp_path: Path, keys: tuple[Any, ...], value: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    assert check(write(tmp_path / "cert.jsonl", changed(WORKED_EXAMPLE, *keys, value=value))) == 3
    assert "malformed by the independent checker" in capsys.readouterr().err
    assert not (tmp_path / "cert.v").exists()


def test_a_carriage_return_inside_a_line_is_malformed(tmp_path: Path) -> None:
    cert = write(tmp_path / "cert.jsonl", WORKED_EXAMPLE)
    lines = cert.read_bytes().replace(b'"block":0,', b'"block":0,\r').split(b"\n")[:-2]
    text = b"\n".join(lines) + b"\n"
    cert.write_bytes(text + json.dumps({"end": True, "sha256": hashlib.sha256(text).hexdigest()}).encode() + b"\n")
    assert check(cert) == 3


@needs_coqc
def test_constructed_certificates_are_proved(tmp_path: Path) -> None:
    """Each method's certificate of one data set with ties, repeated tokens and several targets."""
    data = {
        "exactformer": "dataset",
        "version": [1, 0],
        "sequences": [
            {"tokens": [["0", "1"], ["2", "3"], ["2", "3"]], "targets": [["5", "0"], ["1/2", "1"]]},
            {"tokens": [["0", "1"], ["1", "1/3"]], "targets": [["5", "0"]]},
            {"tokens": [["2", "3"], ["1", "1/3"], ["-1", "0"]], "targets": [["0", "0"], ["2", "3"], ["7", "7"]]},
        ],
    }
    (tmp_path / "data.json").write_text(json.dumps(data))
    for method in ("shallow", "deep", "leaders", "paper"):
        cert = tmp_path / f"{method}.jsonl"
        assert code(["construct", str(tmp_path / "data.json"), "--method", method, "-o", str(cert)]) == 0
        assert check(cert) == 0, method
        lines = list(read_lines(cert))
        bad = changed(lines, len(lines) - 1, "targets", 0, 1, value="123")
        assert check(write(tmp_path / "bad.jsonl", bad)) == 1, method


CORPUS = Path(__file__).resolve().parents[2] / "proofs_check" / "corpus"


@needs_coqc
@pytest.mark.parametrize(
    ("name", "integers", "exit_code"),
    [
        ("accept/limit_A", "Z", 0),
        ("accept/limit_emerging", "bigZ", 0),
        ("accept/limit_two_bases", "Z", 0),
        ("accept/limit_follow_the_moving", "bigZ", 0),
        ("accept/stages_mirror", "bigZ", 4),
        ("refuse/limit_wrong_point", "bigZ", 1),
        ("refuse/limit_leaders", "bigZ", 1),
        ("refuse/limit_kind_vertex", "bigZ", 1),
        ("refuse/limit_lock_not_exposed", "bigZ", 1),
        ("refuse/limit_A_indefinite", "Z", 1),
        ("refuse/limit_weights", "bigZ", 1),
        ("refuse/limit_face_nearer", "bigZ", 1),
        ("refuse/limit_form_recurrence", "bigZ", 1),
        ("refuse/limit_not_dominant", "bigZ", 1),
    ],
)
def test_limits_are_proved_or_refused(tmp_path: Path, name: str, integers: str, exit_code: int) -> None:
    """True limits of locked tokens and of closed forms, and false ones: point, leaders, kind, face, form, positivity."""
    cert = tmp_path / "cert.jsonl"
    shutil.copyfile(CORPUS / f"{name}.jsonl", cert)
    assert check(cert, "--integers", integers) == exit_code


@needs_coqc
@pytest.mark.slow
def test_kernel_and_checker_agree_on_every_limit_of_the_corpus(tmp_path: Path) -> None:
    """One file in which the Rocq checker answers for every limit that proofs-check accepts or rejects."""
    assert build_theories(folder(), lambda words: None) is None
    head, answers, verdicts = "", [], []
    for path in sorted(CORPUS.glob("*/*limit*.jsonl")):
        verdict = check_certificate(path).verdict
        if verdict not in ("accepted", "rejected"):
            continue
        lines = list(read_lines(path))
        if lines[0]["claim"] != "limit" or "stages" in lines[0]:
            continue
        head, _, body = rocq_text(lines, "0" * 64, str(path)).partition("Definition")
        definitions = "Definition" + body.partition("Theorem")[0]
        question = "Eval vm_compute in check_limit_bigZ the_certificate."
        answers.append(f"Module M{len(answers)}.\n{definitions}{question}\nEnd M{len(answers)}.\n")
        verdicts.append("true" if verdict == "accepted" else "false")
    (tmp_path / "all.v").write_text(head + "".join(answers))
    command = ["coqc", "-q", "-R", str(folder() / "theories"), "Exactformer", "all.v"]
    done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, check=True)
    assert re.findall(r"= (true|false)", done.stdout) == verdicts
    assert {"true", "false"} == set(verdicts)
