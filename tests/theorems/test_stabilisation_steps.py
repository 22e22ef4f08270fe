"""The one-step facts behind the theorem on stabilisation: they hold, they say something, a wrong constant is found."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from random import Random

import pytest
from step_mutants import planted

import proofs_check
from exactformer.conjectures.catalogue import late_steps, statement_named
from exactformer.conjectures.given_instance import judge
from exactformer.conjectures.hunt import Finding, hunt
from exactformer.dynamics.late_layer import LateLayer, late_layers
from exactformer.errors import InvalidInput
from exactformer.instances.late_layers import LateLayers
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


def changing() -> list[Tokens]:
    """Two late layers with another largest token at the next layer: the old one follows it, or itself."""
    first = [[4, 1, 0, 0, 0], [-4, 1, 0, 0, 0]]
    first += [[x, "1027/1024", "1/256", "-1/64", "1/512"] for x in (2, -2)]
    first += [[0, "7733/8192", "-3/32", "-3/32", "-9/64"]]
    first += [[0, "13481602655/13745902592", *(f"{c}/107389864" for c in (-4997505, -14992515, 4997505))]]
    second = [[8, 1, 0], [-8, 1, 0], *([x, "16385/16384", "-1/128"] for x in (4, -4)), [0, "32761/32768", "-1/64"]]
    second += [[0, "17567497503449/17572870635520", "-1609678767/68644025920"]]
    return [Tokens(first, alpha=15), Tokens(second, alpha=1)]


@pytest.fixture(scope="module")
def drawn() -> list[tuple[LateLayer, LateLayer, Fraction]]:
    """Late layers of both families and those above, with the share a."""
    families = (LateLayers(), LateLayers(twice=True))
    found = []
    for tokens in (*changing(), *(family(Random(f"planted/{k}")) for k in range(100) for family in families)):
        layers = late_layers(tokens)
        if layers is not None:
            found.append((*layers, tokens.alpha / (1 + tokens.alpha)))
    return found


@pytest.mark.parametrize("name", NAMES)
def test_every_planted_constant_term_sign_and_comparison_is_found(
    name: str, drawn: list[tuple[LateLayer, LateLayer, Fraction]]
) -> None:
    """Every integer of a formula, every term, sign and layer, every equality and inequality."""
    formula = FORMULAS[name]
    told = [state for state in drawn if any(True for _ in formula(*state))]
    assert all(relation.holds for state in told for relation in formula(*state))
    mutants = list(planted(formula))
    assert len(mutants) >= 20
    missed = [words for words, mutant in mutants if all(r.holds for state in told for r in mutant(*state))]
    assert not missed


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
