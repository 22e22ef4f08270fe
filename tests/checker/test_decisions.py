"""Random decisions and their mutants, judged by definition, against both checkers."""

from __future__ import annotations

import copy
import json
import random
import shutil
import subprocess
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from checker_kit import Lines, sealed
from corpus_decision import decision
from truth import is_decision

from proofs_check import check

SCRIPT = Path(__file__).resolve().parents[2] / "proofs_check" / "js" / "check.js"
NODE = shutil.which("node")


def random_decision(rng: random.Random) -> Lines:
    """Small integers tie and vanish often; the step and the matrix vary."""
    dim, n = rng.randint(1, 3), rng.randint(1, 5)
    places = sorted({tuple(rng.randint(-2, 2) for _ in range(dim)) for _ in range(n)})
    rng.shuffle(places)
    A = rng.choice([None, None, [[rng.randint(-1, 2) for _ in range(dim)] for _ in range(dim)]])
    v, b = [rng.randint(-3, 3) for _ in range(dim)], Fraction(rng.randint(-5, 5), 7)
    counts = [rng.randint(1, 3) for _ in places]
    return decision(
        places, counts, v, b, rng.randint(0, 4), A, rng.choice(["1/2", "1", "3"]), deeper=rng.random() < 0.5
    )


def mutants(rng: random.Random, lines: Lines) -> Iterator[Lines]:
    """The decision itself, and with another sign, count, bias, leader, place or depth."""
    yield lines
    edits: list[tuple[int, str, Any]] = [
        (3, "positive", not lines[3]["positive"]),
        (2, "counts", [m + rng.randint(0, 2) for m in lines[2]["counts"]]),
        (2, "b", str(Fraction(rng.randint(-9, 9), 5))),
        (3, "leaders", sorted(set(lines[3]["leaders"]) ^ {rng.randrange(lines[0]["tokens"])})),
        (0, "layers", lines[0]["layers"] + rng.randint(0, 2)),
        (1, "tokens", lines[1]["tokens"][::-1]),
    ]
    for line, key, value in edits:
        found = copy.deepcopy(lines)
        found[line][key] = value
        yield found


def test_random_decisions_get_the_verdict_of_the_definition(tmp_path: Path) -> None:
    rng = random.Random(71)
    cases = [case for _ in range(30) for case in mutants(rng, random_decision(rng))]
    paths = []
    for number, lines in enumerate(cases):
        paths.append(tmp_path / f"{number}.jsonl")
        paths[-1].write_bytes(sealed(lines))
    found = [check(str(path)).verdict for path in paths]
    for lines, verdict in zip(cases, found, strict=True):
        true = is_decision(lines)
        assert verdict in ("accepted", "rejected")
        if verdict == "accepted" or "deeper" not in lines[3]:
            assert (verdict == "accepted") == true, lines
    assert min(found.count("accepted"), found.count("rejected")) > 25
    deep = [verdict for lines, verdict in zip(cases, found, strict=True) if "deeper" in lines[3]]
    assert min(deep.count("accepted"), deep.count("rejected")) > 8
    if NODE is None:
        pytest.skip("node is not installed: the JavaScript checker is not compared")
    done = subprocess.run([NODE, str(SCRIPT), "--json", *map(str, paths)], capture_output=True, text=True, timeout=200)
    assert [json.loads(line)["verdict"] for line in done.stdout.splitlines()] == found, done.stderr
