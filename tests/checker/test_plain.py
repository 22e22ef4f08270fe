"""`--plain` checks by the definitions alone: the verdicts of the short cuts, and no code of theirs."""

from __future__ import annotations

import json
import random
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from checker_kit import CORPUS, TIERS
from random_transformers import certificate, mutants, write

from proofs_check import Limits, Verdict, check
from proofs_check.__main__ import main
from proofs_check.claims import CLAIMS, FORMS, SOFT_INTERPOLATION, STATEMENTS, WITH_MARGIN, verify_header

ROOT = CORPUS.parents[1]
#: files at the default limits; tight ones count what the short cuts do
ENTRIES: list[dict[str, Any]] = [
    entry for entry in json.loads((CORPUS / "index.json").read_text()) if "options" not in entry
]
#: the first of several faults may be another one
SAME_WORDS = ("accepted", "rejected")


def verdict(entry: dict[str, Any], plain: bool) -> Verdict:
    data, weights = (None if key not in entry else str(CORPUS / entry[key]) for key in ("data", "weights"))
    return check(str(CORPUS / entry["file"]), data, Limits(operations=10**12), 1, weights, plain)


@pytest.mark.parametrize("first", range(0, len(ENTRIES), 100))
def test_the_corpus_by_the_definitions_alone(first: int) -> None:
    for entry in ENTRIES[first : first + 100]:
        found, fast = verdict(entry, True), verdict(entry, False)
        assert found.verdict == fast.verdict == entry["verdict"], entry["file"]
        if found.verdict in SAME_WORDS:
            assert found == fast, entry["file"]


def test_random_transformers_by_the_definitions_alone(tmp_path: Path) -> None:
    cases = [certificate(lines) for lines, _ in mutants(random.Random(35), 300)]
    seen = set()
    for path in write(tmp_path, cases):
        found, fast = check(str(path), plain=True), check(str(path))
        assert found.verdict == fast.verdict, path.read_text()
        assert found == fast or found.verdict not in SAME_WORDS
        seen.add(found.verdict)
    assert {"accepted", "rejected", "malformed"} <= seen


def test_the_command(capsys: pytest.CaptureFixture[str]) -> None:
    first = str(CORPUS / "accept/worked_example.jsonl")
    assert main([first, "--plain"]) == main([first]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[:2] == lines[2:]
    with pytest.raises(SystemExit) as stopped:
        main([first, "--plain", "--workers", "2"])
    assert stopped.value.code == 2
    assert "leave --workers out" in capsys.readouterr().err


def test_plain_runs_none_of_the_short_cuts(monkeypatch: pytest.MonkeyPatch) -> None:
    from proofs_check.fast import quick_attention, short_cuts, sums_of_units

    def broken(*_: Any) -> Any:
        raise AssertionError("a short cut was taken")

    for module in (short_cuts, quick_attention, sums_of_units):
        for name in {"counted", "merged", "along", "read_ratios"} & vars(module).keys():
            monkeypatch.setattr(module, name, broken)
    monkeypatch.setattr(sums_of_units.FewUnits, "__init__", broken)
    monkeypatch.setattr(sums_of_units.PiecewiseLinear, "__init__", broken)
    first = str(CORPUS / "accept/worked_example.jsonl")
    assert check(first, plain=True).verdict == "accepted"
    with pytest.raises(AssertionError):
        check(first)


def test_the_main_claim_needs_no_process() -> None:
    """Neither by the definitions nor by the short cuts, and no module of another tier is needed for the core."""
    first = str(CORPUS / "accept/worked_example.jsonl")
    program = f"""
import sys
from proofs_check import check
found = [check({first!r}, None, None, 1, None, plain).verdict for plain in (False, True)]
print(*found, *sorted(name for name in sys.modules if name.startswith(("multiprocessing", "proofs_check.fast.pool"))))
import proofs_check.core.definitions
"""
    done = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["accepted", "accepted"]


def test_the_tier_is_the_folder_of_the_rules() -> None:
    rows = [*CLAIMS.values(), *FORMS.values(), *STATEMENTS.values(), SOFT_INTERPOLATION, WITH_MARGIN]
    assert {row.tier for row in rows} == set(TIERS) - {"fast"}
    assert {name for name, row in CLAIMS.items() if row.tier == "core"} == {
        *("interpolation", "infeasible", "orbit", "limit", "vertex", "separation", "projection")
    }


def test_also_names_the_checkers_that_know_the_claim() -> None:
    """The table of the JavaScript checker, and what `export-rocq` and the verified program say they know."""
    script = (
        (ROOT / "proofs_check/js/README.md").read_text().split("It decides the claims", 1)[1].split(", and has", 1)[0]
    )
    known = {name for name, row in CLAIMS.items() if "javascript" in row.also}
    assert known == {name for name in CLAIMS if f"`{name}`" in script}
    exported = (ROOT / "exactformer/certificates/rocq.py").read_text()
    [words] = [line for line in exported.splitlines() if "expected claim" in line]
    assert {name for name, row in CLAIMS.items() if "rocq" in row.also} == {
        name for name in CLAIMS if name in words.replace(",", " ").split()
    }
    table = (ROOT / "proofs_check/verified/README.md").read_text()
    rows = [line.split("|")[1] for line in table.splitlines() if line.startswith("| `")]
    assert {name for name, row in CLAIMS.items() if "verified" in row.also} == {
        name for name in CLAIMS if any(f"`{name}`" in row for row in rows)
    }


def test_only_softmax_from_a_temperature_on_is_known_to_the_verified_checker() -> None:
    for beta, also in ((["1", None], ("javascript", "verified")), (["1", "2"], ("javascript",))):
        head = {"exactformer": "certificate", "version": [1, 1], "claim": "interpolation", "attention": "softmax"}
        sizes = {"beta": beta, "bits": 64, "dim": 1, "blocks": 0, "sequences": 1}
        assert verify_header(head | sizes).also == also


def test_also_names_the_statements_that_the_verified_checker_knows() -> None:
    known = (ROOT / "proofs_check/rocq/theories/Lines.v").read_text()
    kinds = ("without-symmetry", "indefinite", "semidefinite", "duplicates")
    named = {name for name in STATEMENTS if f'"{name}"' in known}
    named |= {f"{prefix}{kind}" for prefix in ("leader-", "leader-by-layer-n-") for kind in kinds}
    assert {name for name, row in STATEMENTS.items() if "verified" in row.also} == named


def test_verdicts_say_tier_and_also() -> None:
    found = check(str(CORPUS / "accept/worked_example.jsonl"))
    assert (found.tier, found.also) == ("core", ("javascript", "rocq", "verified"))
    assert replace(found, tier=None, also=()) != found
    unknown = check(str(CORPUS / "index.json"))
    assert (unknown.verdict, unknown.tier, unknown.also) == ("malformed", None, ())
