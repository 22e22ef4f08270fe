"""The one-step facts behind the theorem on stabilisation: they hold, they say something, a wrong constant is found."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from random import Random

import pytest

import proofs_check
from exactformer.conjectures.catalogue import late_steps, statement_named
from exactformer.conjectures.given_instance import judge
from exactformer.conjectures.hunt import Finding, hunt
from exactformer.dynamics.late_layer import late_layers
from exactformer.errors import InvalidInput
from exactformer.model.tokens import Tokens

NAMES = [f"stabilisation-{name}" for name, *_ in late_steps.STEPS]
FORMULAS = {f"stabilisation-{name}": formula for name, _, _, formula in late_steps.STEPS}


@pytest.mark.parametrize("name", NAMES)
def test_a_wrong_constant_is_found_made_small_and_certified(name: str, tmp_path: Path) -> None:
    """One hundredth more than the share a of a layer."""
    wrong = late_steps.judged_by(FORMULAS[name], Fraction(101, 100))
    report = hunt(replace(statement_named(name), conclusion=wrong), budget=1000, seed=3)
    assert report.verdict == "refuted"
    first = report.findings[0]
    small = Finding(first.statement, first.index, first.found)
    assert late_layers(small.small) is not None
    assert len(small.small) <= len(first.found)
    path = small.certify(tmp_path / "found.jsonl")
    assert proofs_check.check(str(path), None).verdict == "accepted"


@pytest.mark.parametrize("name", NAMES)
def test_the_facts_are_not_vacuous(name: str) -> None:
    statement = statement_named(name)
    said = 0
    for seed in range(60):
        tokens = statement.generate(Random(seed))
        layers = late_layers(tokens)
        if layers is not None:
            said += bool(list(FORMULAS[name](*layers, tokens.alpha / (1 + tokens.alpha))))
    assert said >= 2


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_five_thousand_late_layers(name: str) -> None:
    assert hunt(name, budget=5_000, seed=5).tally.counts == {"true": 5_000, "false": 0, "undecided": 0}


def test_other_tokens_lie_outside_the_hypotheses() -> None:
    found = judge("stabilisation-gap", Tokens([[1, 0], [0, 1]]))
    assert found.outcome == "outside"
    with pytest.raises(InvalidInput, match="late layer"):
        late_steps.judged_by(late_steps.gap_after)(Tokens([[1, 0], [0, 1]]))
