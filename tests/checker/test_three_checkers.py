"""Python, JavaScript and the checker extracted from Rocq agree on mutants; bugs planted in the extracted one are seen."""

from __future__ import annotations

import json
import random
import shutil
import subprocess
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import pytest
from checker_kit import CORPUS, Lines, opened, sealed
from random_transformers import write
from test_mutants import GOOD, SLOW, mutant

from exactformer.verified import program
from proofs_check import Limits, check

ROOT = CORPUS.parents[1]
VERIFIED = ROOT / "proofs_check" / "verified"
KNOWN = (
    *("interpolation", "infeasible", "limit", "orbit", "vertex", "separation", "projection"),
    *("recognition", "no-recogniser", "counterexample"),
)
NODE = shutil.which("node")

built = pytest.mark.skipif(program() is None, reason="proofs-check-verified is not built here: `make verified`")


def told(command: list[str], paths: list[Path]) -> list[str]:
    """The verdicts of a checker on some files; `unknown` where it does not know the claim."""
    done = subprocess.run([*command, "--json", *map(str, paths)], capture_output=True, text=True, check=False)
    said = verdicts_in(done.stdout)
    assert len(said) == len(paths), done.stderr[-400:]
    return said


def verdicts_in(text: str) -> list[str]:
    found = [json.loads(line) for line in text.splitlines()]
    return ["unknown" if "does not know" in one["why"] else one["verdict"] for one in found]


def known_mutants(seed: int, count: int, folder: Path) -> list[Path]:
    """Mutants of good certificates of the claims that the verified checker knows."""
    rng = random.Random(seed)
    files = [opened((CORPUS / file).read_bytes()) for file in GOOD if not any(word in file for word in SLOW)]
    pools = [[lines for lines in files if lines[0]["claim"] == claim] for claim in KNOWN]
    texts = []
    for _ in range(count):
        pool = rng.choice(pools)
        texts.append(sealed(mutant(rng, rng.choice(pool), pool)))
    return write(folder, texts)


def from_a_temperature_on() -> list[Lines]:
    """The good certificates for softmax at every inverse temperature from one on."""
    files = [opened((CORPUS / file).read_bytes()) for file in GOOD if not any(word in file for word in SLOW)]
    found = [lines for lines in files if lines[0]["claim"] == "interpolation"]
    return [lines for lines in found if lines[0].get("beta", [0])[1:] == [None]]


def of_statements(names: Sequence[str]) -> list[Lines]:
    """The good counterexamples of these statements."""
    files = [opened((CORPUS / file).read_bytes()) for file in GOOD if not any(word in file for word in SLOW)]
    return [lines for lines in files if lines[0].get("statement") in names]


def disagreement(verdicts: tuple[str, ...]) -> bool:
    """One accepts and another refuses; a file with two faults is rejected or malformed, and anyone may decline."""
    return "accepted" in verdicts and bool({"rejected", "malformed"} & set(verdicts))


def campaign(seed: int, count: int, folder: Path) -> Counter[tuple[str, ...]]:
    print("seed", seed)
    return judged(known_mutants(seed, count, folder))


def judged(paths: list[Path]) -> Counter[tuple[str, ...]]:
    """How often three checkers say what about these files; none accepts what another refuses."""
    count = len(paths)
    python = [check(str(path), None, Limits(operations=20_000_000)).verdict for path in paths]
    verified = told([str(program())], paths)
    javascript = ["unknown"] * count if NODE is None else told([NODE, str(ROOT / "proofs_check/js/check.js")], paths)
    said = list(zip(python, verified, javascript, strict=True))
    assert [(path.name, one) for path, one in zip(paths, said, strict=True) if disagreement(one)] == []
    return Counter(said)


@built
def test_three_hundred_mutants(tmp_path: Path) -> None:
    found = campaign(31, 300, tmp_path)
    assert min(sum(n for said, n in found.items() if said[:2] == (one, one)) for one in ("accepted", "rejected")) > 15


@built
def test_mutants_for_softmax_from_a_temperature_on(tmp_path: Path) -> None:
    """All three compute the same boxes: where one decides, so do the others."""
    rng = random.Random(312)
    pool = from_a_temperature_on()
    assert len(pool) > 15
    found = judged(write(tmp_path, [sealed(mutant(rng, rng.choice(pool), pool)) for _ in range(150)]))
    pairs = {said[:2] for said in found}
    assert pairs >= {(one, one) for one in ("accepted", "rejected", "malformed")}
    assert not {("accepted", "declined"), ("declined", "accepted"), ("rejected", "declined")} & pairs


@built
def test_mutants_of_counterexamples_with_interior_points_and_two_steps(tmp_path: Path) -> None:
    rng = random.Random(313)
    names = ["boundary-with-zero", "interior-tokens-never-lead", "leaders-grow-with-alpha", "leaders-shrink-with-alpha"]
    pool = of_statements(names)
    assert {lines[0]["statement"] for lines in pool} == set(names)
    found = judged(write(tmp_path, [sealed(mutant(rng, rng.choice(pool), pool)) for _ in range(200)]))
    pairs = {said[:2] for said in found}
    assert pairs >= {(one, one) for one in ("accepted", "rejected", "malformed")}


@built
def test_mutants_of_limits_in_stages(tmp_path: Path) -> None:
    rng = random.Random(314)
    files = [opened((CORPUS / file).read_bytes()) for file in GOOD]
    pool = [lines for lines in files if lines[0]["claim"] == "limit" and "stages" in lines[0]]
    assert len(pool) > 10
    found = judged(write(tmp_path, [sealed(mutant(rng, rng.choice(pool), pool)) for _ in range(200)]))
    assert min(sum(n for said, n in found.items() if said[:2] == (one, one)) for one in ("accepted", "rejected")) > 15


@pytest.mark.slow
@built
def test_five_thousand_mutants(tmp_path: Path) -> None:
    found = campaign(2031, 5_000, tmp_path)
    assert sum(n for said, n in found.items() if said[1] == "unknown") < 1_000


#: file, what stands there, what is planted
BUGS = [
    ("arithmetic.ml", "Z.fdiv x y", "Z.fdiv y x"),
    ("arithmetic.ml", "Z.leq x y", "Z.lt x y"),
    ("arithmetic.ml", "  Z.gcd x y", "  Z.abs x"),
    ("arithmetic.ml", "if sign = 0 then zero ()", "if sign >= 0 then zero ()"),
    ("arithmetic.ml", "let nat_leb (m : int) n = m <= n", "let nat_leb (m : int) n = m < n"),
    ("text.ml", "when String.equal found expected -> next", "when true -> next"),
    ("build/Lines.ml", "(matrix_line f.lit_W)", "(matrix_line f.lit_U)"),
    ("build/Lines.ml", '("targets",(points s.targets))', '("targets",(points s.tokens))'),
    ("claims.ml", "if Verified.verify_limit c then", "if true || Verified.verify_limit c then"),
    ("claims.ml", "Verified.verify_interpolation softmax labels c", "Verified.verify_interpolation softmax None c"),
    ("claims.ml", "Verified.verify_interpolation softmax labels c", "Verified.verify_interpolation false labels c"),
    ("claims.ml", "from_temperature low bits labels c", "from_temperature low bits None c"),
    ("claims.ml", "Verified.verify_from_temperature low bits labels c", "Some true"),
    ("reader.ml", "Some (low, bits)", "Some ({ low with coq_Qnum = Z.succ low.coq_Qnum }, bits)"),
    ("build/Lines.ml", '("beta",(List ((Number (fst p))::(Null::[]))))::', ""),
    ("build/SoftChecker.ml", "if Z.leb z (Z.of_nat bits) then Z.to_nat z else bits", "bits"),
    ("claims.ml", "if Verified.verify_recognition c then", "if true || Verified.verify_recognition c then"),
    ("claims.ml", "if Verified.verify_no_recogniser c then", "if true || Verified.verify_no_recogniser c then"),
    ("build/Lines.ml", "(if c.rec_lenient then", "(if not c.rec_lenient then"),
    ("build/Lines.ml", '("accepting",(indices a.accepting))', '("accepting",(indices []))'),
    ("claims.ml", "Verified.verify_counterexample x", "true || Verified.verify_counterexample x"),
    ("claims.ml", "Verified.verify_limit_counterexample x", "true || Verified.verify_limit_counterexample x"),
    ("claims.ml", "Verified.verify_limit_in_stages c", "true || Verified.verify_limit_in_stages c"),
    ("build/PowerRanges.ml", "(keeps_sign i (coefficients i d) d u (pred v))", "true"),
    ("build/PowerRanges.ml", "(dominates i k0 l)", "true"),
    ("build/Lines.ml", '("time",(Count s.stage_time))', '("time",(Count 0))'),
    ("stages_reader.ml", "else if k = 1 then x", "else if k = 1 then unit"),
    ("build/Lines.ml", '(^) prefix "duplicates"', '(^) prefix "semidefinite"'),
    ("build/LimitCounterexample.ml", "(Arithmetic.double Arithmetic.one)", "Arithmetic.one"),
    ("build/LimitCounterexample.ml", "for_step (negb grow)", "for_step grow"),
    ("build/LimitCounterexample.ml", "all (fun p -> leading_at i d ac keys (snd p))", "all (fun _ -> true)"),
    ("build/LimitCounterexample.ml", "| InteriorLimit (_, _) -> WithZero", "| InteriorLimit (_, _) -> Plain"),
    ("build/Interior.ml", "(spanning i d (map snd (shares i w s)))", "true"),
    ("build/Interior.ml", "(same i d (scale i (i.mul", "(same i 0 (scale i (i.mul"),
    ("counterexample_reader.ml", "LeadsForOne (grow, layers,", "LeadsForOne (not grow, layers,"),
    ("Extract.v", 'Extract Constant Z.ltb => "Arithmetic.ltb"', 'Extract Constant Z.ltb => "Arithmetic.leb"'),
]


def wrong_verdicts(program_path: Path) -> list[str]:
    """The files of the corpus on which a program is wrong: it accepts what is false, refuses what is true, or fails."""
    entries = json.loads((CORPUS / "index.json").read_text())
    entries = [e for e in entries if not {"data", "weights", "options"} & set(e) and e["claim"] in KNOWN]
    paths = [CORPUS / entry["file"] for entry in entries]
    done = subprocess.run([str(program_path), "--json", *map(str, paths)], capture_output=True, text=True, check=False)
    if done.returncode == 70:
        return ["a bug, and it says so"]
    said = verdicts_in(done.stdout)
    if len(said) < len(entries):
        return [f"no verdict on {len(entries) - len(said)} files: {done.stderr[-300:]}"]
    return [
        entry["file"]
        for entry, one in zip(entries, said, strict=True)
        if one != "unknown" and (one == "accepted") != (entry["verdict"] == "accepted") and one != "declined"
    ]


def planted(folder: Path, file: str, old: str, new: str) -> Path:
    """The program with one bug, built in a copy of its sources beside the theories."""
    copy = Path(shutil.copytree(VERIFIED, folder / "verified"))
    (copy / "build" / "proofs-check-verified").unlink()
    text = (copy / file).read_text()
    assert text.count(old) >= 1, old
    (copy / file).write_text(text.replace(old, new, 1))
    makefile = (copy / "Makefile").read_text()
    makefile = makefile.replace("../rocq", str(ROOT / "proofs_check" / "rocq")).replace("../$(ROCQ)", "$(ROCQ)")
    (copy / "Makefile").write_text(makefile)
    done = subprocess.run(
        ["make", "-C", str(copy), "-o", "theories", "build/proofs-check-verified"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-800:]
    return copy / "build" / "proofs-check-verified"


@pytest.mark.slow
@built
def test_without_a_planted_bug_all_verdicts_are_right() -> None:
    assert wrong_verdicts(Path(str(program()))) == []


@pytest.mark.slow
@built
@pytest.mark.parametrize(("file", "old", "new"), BUGS)
def test_a_planted_bug_is_seen(file: str, old: str, new: str, tmp_path: Path) -> None:
    assert wrong_verdicts(planted(tmp_path, file, old, new))
