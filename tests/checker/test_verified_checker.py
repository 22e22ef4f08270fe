"""The checker extracted from Rocq (proofs_check/verified) against the corpus, definitions and mutants."""

from __future__ import annotations

import json
import random
import shutil
import subprocess
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest
from hostile import named, sealed_small
from random_transformers import certificate, disagreements, mutants, random_lines, write

from proofs_check.studies.statements import TOKEN_STATEMENTS

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "proofs_check" / "verified"
PROGRAM = FOLDER / "build" / "proofs-check-verified"
CORPUS = ROOT / "proofs_check" / "corpus"
EXIT = {"accepted": 0, "rejected": 1, "malformed": 3, "declined": 4}

#: the claims it knows
KNOWN = (
    *("interpolation", "infeasible", "limit", "orbit", "vertex", "separation", "projection"),
    *("recognition", "no-recogniser", "counterexample"),
)

built = pytest.mark.skipif(not PROGRAM.exists(), reason="proofs-check-verified is not built here: `make verified`")


def run(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run([str(PROGRAM), *map(str, arguments)], capture_output=True, text=True, timeout=300)


def answers(paths: Iterable[Path], *options: str) -> list[dict[str, Any]]:
    """What it says about each file, from one process."""
    paths = list(paths)
    done = run("--json", *options, *paths)
    found = [json.loads(line) for line in done.stdout.splitlines()]
    assert len(found) == len(paths), done.stderr
    assert done.returncode == max(EXIT[answer["verdict"]] for answer in found)
    return found


def verdicts(paths: Iterable[Path], *options: str) -> list[str]:
    return [answer["verdict"] for answer in answers(paths, *options)]


def is_unknown(answer: dict[str, Any]) -> bool:
    return answer["verdict"] == "declined" and "does not know the claim" in answer["why"]


def fits(found: str, entry: dict[str, Any]) -> bool:
    """Whether a verdict is one that fits the file: limits differ, numbers are written out here, and a file with two
    faults has two verdicts."""
    if entry["verdict"] == "declined" and entry.get("options"):
        return found in ("declined", "accepted")
    if entry["file"] == "accept/stages_distant_leader.jsonl":  # powers of 666,668 bits
        return found == "declined"
    faults = ("altered_after_sealing", "limit_dimension", "false_doubled", "stages_too_late")
    two_faults = [f"refuse/{name}.jsonl" for name in faults]
    return found == entry["verdict"] or (entry["file"] in two_faults and found == "malformed")


@built
def test_the_corpus() -> None:
    """The same verdicts, or the claim is unknown; every known claim occurs with both verdicts."""
    entries = [
        entry for entry in json.loads((CORPUS / "index.json").read_text()) if not {"data", "weights"} & set(entry)
    ]
    plain = [entry for entry in entries if not entry.get("options")]
    found = answers(CORPUS / entry["file"] for entry in plain)
    for entry in entries:
        if entry.get("options"):
            plain.append(entry)
            found += answers([CORPUS / entry["file"]], *entry["options"])
    pairs = [(entry, answer) for entry, answer in zip(plain, found, strict=True) if not is_unknown(answer)]
    assert [(entry, answer) for entry, answer in pairs if not fits(answer["verdict"], entry)] == []
    judged = {(answer["claim"], answer["verdict"]) for _, answer in pairs}
    assert judged >= {(claim, verdict) for claim in KNOWN for verdict in ("accepted", "rejected", "malformed")}


@built
def test_every_statement_about_tokens_is_known() -> None:
    """Each has a counterexample in the corpus that is accepted."""
    entries = [e for e in json.loads((CORPUS / "index.json").read_text()) if e["verdict"] == "accepted"]
    paths = [CORPUS / entry["file"] for entry in entries if entry["claim"] == "counterexample"]
    stated = [json.loads(path.read_bytes().splitlines()[0])["statement"] for path in paths]
    about_tokens = {path: name for path, name in zip(paths, stated, strict=True) if name in TOKEN_STATEMENTS}
    assert set(verdicts(about_tokens)) == {"accepted"}
    assert set(about_tokens.values()) == set(TOKEN_STATEMENTS)


@built
def test_random_transformers_agree_with_the_definition(tmp_path: Path) -> None:
    rng = random.Random(31)
    assert set(verdicts(write(tmp_path, [certificate(random_lines(rng)) for _ in range(200)]))) == {"accepted"}


@built
def test_mutants_are_accepted_only_if_true(tmp_path: Path) -> None:
    cases = list(mutants(random.Random(3131), 400))
    found = verdicts(write(tmp_path, [certificate(lines) for lines, _ in cases]))
    assert not disagreements(cases, found)
    assert min(found.count(verdict) for verdict in ("accepted", "rejected", "malformed")) > 30


@built
def test_numbers_that_are_not_in_lowest_terms_are_malformed(tmp_path: Path) -> None:
    """The claim is true, the text is not canonical: what was read, written back, is another text."""
    texts = ["1/2", "2/4", "1/02", "+1/2", "0.5"]
    lines = [
        [
            {
                "exactformer": "certificate",
                "version": [1, 0],
                "claim": "interpolation",
                "attention": "hardmax",
                "dim": 1,
            }
            | {"blocks": 0, "sequences": 1},
            {"sequence": 0, "tokens": [[text]], "targets": [[text]]},
        ]
        for text in texts
    ]
    assert verdicts(write(tmp_path, map(certificate, lines))) == ["accepted", *["malformed"] * 4]


@built
@pytest.mark.parametrize(
    ("option", "file"),
    [
        ("--max-bytes", "accept/worked_example.jsonl"),
        ("--max-line", "accept/worked_example.jsonl"),
        ("--max-digits", "accept/worked_example.jsonl"),
        ("--max-operations", "accept/worked_example.jsonl"),
        ("--max-bits", "refuse/limit_bits.jsonl"),
    ],
)
def test_limits(option: str, file: str) -> None:
    done = run(CORPUS / file, option, "1")
    assert done.returncode == 4
    assert option in done.stdout


@pytest.mark.slow
@built
def test_hostile_files_are_decided_or_declined_with_a_remedy(tmp_path: Path) -> None:
    cases = [lines for _, lines in named() if lines[0]["claim"] in KNOWN]
    found = answers(write(tmp_path, map(sealed_small, cases)), "--max-operations", "20000000")
    declined = [answer["why"] for answer in found if answer["verdict"] == "declined" and not is_unknown(answer)]
    assert len(declined) >= 12
    assert [why for why in declined if "--max-" not in why] == []


@built
@pytest.mark.parametrize("arguments", [[], ["--no-such-option"], ["no-such-file"], ["--max-bits", "many"]])
def test_wrong_usage(arguments: list[str]) -> None:
    done = run(*arguments)
    assert done.returncode == 2
    assert "usage:" in done.stderr
    assert not done.stdout


@pytest.mark.skipif(shutil.which("make") is None, reason="make is not installed")
def test_without_ocaml_it_says_what_to_install(tmp_path: Path) -> None:
    done = subprocess.run(
        [str(shutil.which("make")), "-C", str(FOLDER), "ocaml"],
        capture_output=True,
        text=True,
        check=False,
        env={"PATH": str(tmp_path), "SHELL": "/bin/sh"},
    )
    assert done.returncode != 0
    assert "apt-get install" in done.stderr
