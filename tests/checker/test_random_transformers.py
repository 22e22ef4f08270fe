"""The checker on random transformers and their mutants: what is true is decided by definition, in Fractions."""

from __future__ import annotations

import random
from pathlib import Path

from random_transformers import certificate, disagreements, mutants, random_lines, write

from proofs_check import check


def test_random_transformers_agree_with_the_definition(tmp_path: Path) -> None:
    rng = random.Random(2042)
    for path in write(tmp_path, [certificate(random_lines(rng)) for _ in range(400)]):
        assert check(str(path)).verdict == "accepted", path.read_text()


def test_mutants_are_accepted_only_if_true(tmp_path: Path) -> None:
    cases = list(mutants(random.Random(90126), 600))
    found = [check(str(path)).verdict for path in write(tmp_path, [certificate(lines) for lines, _ in cases])]
    assert {"accepted", "rejected", "malformed"} <= set(found)
    assert not disagreements(cases, found)
