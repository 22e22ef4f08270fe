"""Tests of `exactformer.conjectures.catalogue.programs`."""

from __future__ import annotations

from itertools import product
from pathlib import Path
from random import Random

import pytest

import exactformer as ef
from exactformer.conjectures.catalogue.programs import STATEMENTS, changed
from exactformer.conjectures.shrink import shrink
from exactformer.instances.programs import random_program

FALSE = [statement for statement in STATEMENTS if statement.status == "false"]


@pytest.mark.parametrize("statement", FALSE, ids=lambda s: s.name)
@pytest.mark.parametrize("seed", range(8))
def test_verdicts_are_those_of_the_interpreter(statement, seed: int) -> None:
    """On all short words: where the verdict is true no word differs, where it is false the witness is the shortest."""
    instance = statement.generate(Random(seed))
    verdict, other = statement.judge(instance), changed(statement.name, instance)
    differ = [
        "".join(w) for n in range(6) for w in product("ab", repeat=n) if instance.program.accepts(w) != other.accepts(w)
    ]
    if verdict.outcome == "true":
        assert not differ
    elif verdict.refutes and len(verdict.witness["word"]) <= 5:
        assert len(verdict.witness["word"]) == len(differ[0])
        assert verdict.witness["word"] in differ


@pytest.mark.parametrize("statement", FALSE, ids=lambda s: s.name)
def test_counterexamples_are_shrunk_and_certified(statement, tmp_path: Path) -> None:
    for seed in range(200):
        instance = statement.generate(Random(seed))
        if statement.judge(instance).refutes:
            break
    small, verdict = shrink(statement, instance)
    assert len(small.program.vectors) <= 3
    assert len(verdict.witness["word"]) <= 2
    statement.certify(small, verdict, tmp_path / "found.jsonl")
    assert ef.check(tmp_path / "found.jsonl").accepted


def test_programs_are_star_free() -> None:
    statement = STATEMENTS[0]
    assert all(statement.judge(random_program(Random(seed))).outcome == "true" for seed in range(30))
