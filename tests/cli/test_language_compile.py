"""`exactformer language compile` as it is used."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import pytest

import exactformer as ef
from exactformer.cli.main import code
from exactformer.languages.recogniser import Recogniser


def answer(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, dict[str, object]]:
    status = code(["language", "compile", *words, "--json"])
    return status, json.loads(capsys.readouterr().out)


def test_a_language_that_can_be_compiled(capsys: pytest.CaptureFixture[str]) -> None:
    status, found = answer(capsys, "(ab)*")
    assert status == 0
    assert found == {
        "possible": True,
        "period": 1,
        "automaton_states": 3,
        "blocks": 3,
        "heads": 2,
        "dim": 4,
        "product_states": 5,
    }


def test_a_language_that_counts(capsys: pytest.CaptureFixture[str]) -> None:
    assert answer(capsys, "(aa)*") == (1, {"possible": False, "period": 1, "x": "", "u": "a", "z": "", "p": 2})
    status, found = answer(capsys, "parity", "--period", "any")
    assert status == 1
    assert (found["period"], found["u"], found["e"]) == (None, "1", "0")
    assert answer(capsys, "(aa)*", "--period", "any")[1]["period"] == 2


def test_what_is_said_to_a_person(capsys: pytest.CaptureFixture[str]) -> None:
    assert code(["language", "compile", "(ab)*"]) == 0
    assert "proved for words of every length" in capsys.readouterr().out
    assert code(["language", "compile", "(aa)*", "--period", "4"]) == 0
    assert "features of period 4" in capsys.readouterr().out
    assert code(["language", "compile", "parity", "--period", "any"]) == 1
    out = capsys.readouterr().out
    assert "impossible" in out
    assert "it counts modulo 2" in out
    assert "whatever the period" in out


def test_formulas_of_the_future_are_read_at_the_first_position(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Every a is followed by a b at once; at the last position X and G see nothing."""
    formula, proof = "(a -> X b) & G (a -> X b)", str(tmp_path / "proof.jsonl")
    assert code(["language", "compile", "--ltl", formula, "--at", "first", "-o", proof]) == 0
    assert code(["language", "prove", proof, "(b|ab)+"]) == 0
    assert code(["language", "prove", proof, "--ltl", formula, "--at", "first"]) == 0
    assert code(["language", "prove", proof, "--ltl", formula]) == 1
    capsys.readouterr()


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("a{3}", "position 1: expected a letter or (, got '{'; a number of times is written out"),
        ("^(ab)*$", "position 0: expected a letter or (, got '^'; an expression is about whole words"),
        (r"a\\*", "position 1: expected a letter or (, got"),
        ("majority", "majority is not regular, so no recogniser"),
        ("dyck-1", "dyck-1 is not regular, so no recogniser"),
    ],
)
def test_what_other_dialects_mean_is_refused(text: str, told: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert code(["language", "compile", text]) == 3
    assert told in capsys.readouterr().err
    assert code(["language", "compile", "'{'a'}'|'^''$''\\\\'"]) == 0


def test_formulas_programs_and_automata(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert answer(capsys, "--ltl", "b & O a")[0] == 0
    program = tmp_path / "p.brasp"
    program.write_text("letters a b\nA = letter a\nv = rightmost before [A(j)] true : false\n")
    assert answer(capsys, str(program))[1]["automaton_states"] == 3
    automaton = tmp_path / "a.json"
    automaton.write_text('{"letters":["a"],"next":[[1],[0]],"accepting":[0],"start":0}')
    assert answer(capsys, str(automaton))[0] == 1
    status, found = answer(capsys, "'ab''c'*", "--letters", "ab c")
    assert (status, found["automaton_states"]) == (0, 3)


def test_the_word_on_which_a_given_model_is_wrong(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    model = tmp_path / "model.jsonl"
    Recogniser("a", [[1]], [], [1], empty=True).save(model)
    status, found = answer(capsys, "(aa)*", "--model", str(model))
    assert (status, found["word"]) == (1, "aaa")
    assert code(["language", "compile", "(aa)*", "--model", str(model)]) == 1
    assert "wrong on 'aaa'" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("words", "status", "message"),
    [
        (["(ab"], 3, "position 3: expected the ) of the ( at position 0, got the end"),
        (["a**"], 3, "position 2: expected one of * + ? at most"),
        (["()"], 3, "no letter occurs"),
        (["a", "--letters", ""], 3, "expected at least one letter, got an empty alphabet"),
        (["ac", "--letters", "ab"], 3, "expected letters of 'ab', got 'c'"),
        (["a", "--letters", "aa"], 3, "letters that differ"),
        ([], 2, "expected LANGUAGE or --ltl FORMULA, got neither"),
        (["a", "--ltl", "a"], 2, "not both"),
        (["a", "--period", "0"], 2, "expected a number of at least 1, or any, got '0'"),
        (["a", "--period", "all"], 2, "expected a number of at least 1"),
        (["majority"], 3, "majority is not regular"),
        (["dyck-9-9"], 3, "dyck-k-D"),
        (["no.brasp"], 3, "no.brasp"),
        (["no.json"], 3, "no.json"),
        (["--ltl", "a S"], 3, "position 3"),
        (["dyck-1-20"], 4, "chains"),
        (["(aa)*", "--period", "1000000"], 4, "a period of 1,000,000; at most 1,000 are tried"),
    ],
)
def test_bad_input(words: list[str], status: int, message: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert code(["language", "compile", *words]) == status
    captured = capsys.readouterr()
    assert message in captured.err
    assert captured.out == ""
    assert "Traceback" not in captured.err


@pytest.mark.parametrize(
    ("words", "status"),
    [
        (["dyck-2-2"], 0),
        (["(aa)*", "--period", "2"], 0),
        (["--ltl", "F a", "--letters", "ab"], 0),
        (["(aa)*"], 1),
        (["parity", "--period", "any"], 1),
    ],
)
def test_certificates_are_accepted_and_forged_ones_refused(words: list[str], status: int, tmp_path: Path) -> None:
    path = tmp_path / "proof.jsonl"
    assert code(["language", "compile", *words, "-o", str(path)]) == status
    assert ef.check(path).accepted
    assert path.stat().st_size < 60_000
    lines = path.read_text("utf-8").splitlines()
    automaton = json.loads(lines[1])
    automaton["accepting"] = [q for q in range(len(automaton["next"])) if q not in automaton["accepting"]][:1]
    lines[1] = json.dumps(automaton, separators=(",", ":"))
    body = "\n".join(lines[:-1]) + "\n"
    digest = hashlib.sha256(body.encode()).hexdigest()
    path.write_text(body + json.dumps({"end": True, "sha256": digest}, separators=(",", ":")) + "\n")
    verdict = ef.check(path)
    # a counter may count for another language, too: then the statement is another, and true
    assert verdict.verdict == "rejected" or (status == 1 and verdict.accepted)


def test_nothing_is_half_written(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert code(["language", "compile", "(ab", "-o", str(tmp_path / "c.jsonl")]) == 3
    assert code(["language", "compile", "a", "-o", str(tmp_path / "no" / "c.jsonl")]) == 3
    assert list(tmp_path.iterdir()) == []
