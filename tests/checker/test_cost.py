"""Limits bound work: hostile files are decided, or declined with the name of an option, by both checkers.

Nothing is timed: the default tests lower the limit of operations and look at verdicts and counts; the campaign runs at
the default limits, in processes that may not use more than a gigabyte, with a guard against hanging.
"""

from __future__ import annotations

import json
import os
import random
import resource
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest
from checker_kit import CORPUS, body, seal
from hostile import drawn, named, sealed_small
from hostile_boxes import named_on_boxes
from hostile_hashes import named_by_hash
from hostile_languages import named_languages
from hostile_mean_field import named_of_mean_fields
from hostile_stages import named_in_stages

from proofs_check import Limits, check
from proofs_check.core.budget import Budget, division_cost, product_cost

ROOT = CORPUS.parents[1]
CASES = dict(
    [*named(), *named_in_stages(), *named_on_boxes(), *named_languages(), *named_by_hash(), *named_of_mean_fields()]
)
#: what the second checker knows
CLAIMS_OF_BOTH = ("interpolation", "decision", "argmax", "enclosure", "recognition", "no-recogniser")
SECOND = [name for name, lines in CASES.items() if lines[0]["claim"] in CLAIMS_OF_BOTH]
NODE = shutil.which("node")
FEW = 20_000_000  # operations: a hundredth of the default
#: declined by a rule, which would need another certificate and not another limit: the words that say so
OF_A_RULE = ('larger "bits" may decide', "a smaller one may pass")
DECIDED = {
    "value matrix and many tokens": "rejected",
    "more powers than dimensions": "rejected",
    "long bases in stages": "rejected",
    "softmax over 9,000 tokens": "rejected",
    "many bases in one term": "accepted",
    "many bases in many terms": "accepted",
    "bases with one hash": "rejected",
}


@pytest.mark.parametrize("name", CASES)
def test_hostile_files_are_declined(name: str, tmp_path: Path) -> None:
    path = tmp_path / "hostile.jsonl"
    path.write_bytes(sealed_small(CASES[name]))
    found = check(str(path), None, Limits(operations=FEW))
    assert found.verdict == DECIDED.get(name, "declined"), found
    assert name in DECIDED or names_a_remedy(found.why)


def names_a_remedy(why: str) -> bool:
    """Whether the words of a declination name the option to raise, or what of the certificate would have to change."""
    return "--max-" in why or any(words in why for words in OF_A_RULE)


@pytest.mark.skipif(NODE is None, reason="node is not installed: the JavaScript checker is not tested")
def test_hostile_files_and_the_second_checker(tmp_path: Path) -> None:
    paths = [tmp_path / f"{k}.jsonl" for k in range(len(SECOND))]
    for path, name in zip(paths, SECOND, strict=True):
        path.write_bytes(sealed_small(CASES[name]))
    command = [
        str(NODE),
        str(ROOT / "proofs_check/js/check.js"),
        "--json",
        "--max-operations",
        str(FEW),
        *map(str, paths),
    ]
    done = subprocess.run(command, capture_output=True, text=True, timeout=230, check=False)
    found = [json.loads(line) for line in done.stdout.splitlines()]
    assert len(found) == len(paths), done.stderr
    assert all(answer["verdict"] != "declined" or names_a_remedy(answer["why"]) for answer in found)
    assert sum(answer["verdict"] == "declined" for answer in found) >= 8, found


def test_cost_grows_with_length() -> None:
    for cost, exponent in ((product_cost, 1.4), (division_cost, 1.8)):
        assert cost(64) <= 20
        assert cost(200_000) > cost(20_000) * 10**exponent


def test_what_is_spent_is_what_was_asked_for() -> None:
    budget = Budget(Limits())
    budget.spend(5)
    budget.products(3, 6400)
    budget.divisions(2, 6400)
    assert budget.spent == 5 + 3 * product_cost(6400) + 2 * division_cost(6400)
    budget.hold(10, 640)
    assert budget.held == 800


def limited() -> None:
    resource.setrlimit(resource.RLIMIT_AS, (1 << 30, 1 << 30))
    resource.setrlimit(resource.RLIMIT_CPU, (600, 600))


@pytest.mark.slow
@pytest.mark.timeout(7200)
@pytest.mark.parametrize("name", CASES)
def test_hostile_files_at_default_limits(name: str, tmp_path: Path) -> None:
    path = tmp_path / "hostile.jsonl"
    path.write_bytes(sealed_small(CASES[name]))
    run_limited([sys.executable, "-m", "proofs_check", str(path)])


@pytest.mark.slow
@pytest.mark.timeout(7200)
@pytest.mark.skipif(NODE is None, reason="node is not installed: the JavaScript checker is not tested")
@pytest.mark.parametrize("name", SECOND)
def test_hostile_files_and_the_second_checker_at_default_limits(name: str, tmp_path: Path) -> None:
    path = tmp_path / "hostile.jsonl"
    path.write_bytes(sealed_small(CASES[name]))
    run_limited([str(NODE), "--max-old-space-size=900", str(ROOT / "proofs_check/js/check.js"), str(path)], False)


def run_limited(command: list[str], limit_memory: bool = True) -> None:
    """The command at its default limits, in less than a gigabyte (node has an option of its own for that)."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    done = subprocess.run(
        command,
        cwd=ROOT,
        capture_output=True,
        text=True,
        preexec_fn=limited if limit_memory else None,
        check=False,
        timeout=7000,
    )
    print(f"{resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before:.1f} s CPU: {done.stdout[:150]}")
    assert done.returncode in (0, 1, 4), (done.returncode, done.stderr)
    assert done.returncode != 4 or names_a_remedy(done.stdout)


@pytest.mark.slow
@pytest.mark.timeout(7200)
def test_random_hostile_files(tmp_path: Path) -> None:
    """As many seconds as EXACTFORMER_FUZZ_SECONDS says, 600 by default."""
    seed, end = time.time_ns(), time.monotonic() + int(os.environ.get("EXACTFORMER_FUZZ_SECONDS", "600"))
    print("seed", seed)
    rng, path = random.Random(seed), tmp_path / "hostile.jsonl"
    while time.monotonic() < end:
        name, lines = drawn(rng)
        if len(raw := seal(body(lines))) >= 1_000_000:  # nothing is promised of larger files
            continue
        print(name, end=": ")
        path.write_bytes(raw)
        run_limited([sys.executable, "-m", "proofs_check", str(path)])
