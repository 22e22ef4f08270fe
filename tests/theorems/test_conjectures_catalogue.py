"""The catalogue is judged as its statuses say, and every counterexample is certified."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from random import Random

import pytest

import proofs_check
from exactformer.conjectures.catalogue import catalogue
from exactformer.conjectures.catalogue.conditions import CLUSTERING
from exactformer.conjectures.hunt import hunt
from exactformer.conjectures.search import judged
from exactformer.conjectures.statement import Statement
from exactformer.conjectures.store import plain_json
from exactformer.conjectures.verdict import StatementVerdict, fails, holds
from exactformer.dynamics.plain_orbit import PlainOrbit
from exactformer.instances.generators import TokenFamily, positive_definite
from exactformer.instances.kinds import kind_of, read_instance
from exactformer.model.tokens import Tokens

FALSE = [s.name for s in catalogue().values() if s.status == "false"]
STANDING = [s.name for s in catalogue().values() if s.status != "false"]


@pytest.mark.parametrize("name", FALSE)
def test_false_statements_are_refuted_on_a_blackboard_and_certified(name: str, tmp_path: Path) -> None:
    report = hunt(name, budget=3000, seed=2026)
    assert report.verdict == "refuted"
    finding = report.findings[0]
    certificate, instance, tex = finding.write(tmp_path / "found")
    data = None if name.startswith(("frank", "expon", "meanfield", "program")) else str(instance)
    verdict = proofs_check.check(str(certificate), data)
    assert verdict.verdict == "accepted", verdict
    kind = kind_of(finding.small)
    assert kind.size(finding.small) <= kind.size(finding.found)
    assert kind.latex(finding.small) in tex.read_text()
    assert len(kind.latex(finding.small)) < 400


@pytest.mark.parametrize("name", STANDING)
def test_true_and_open_statements_stand(name: str) -> None:
    report = hunt(name, budget=100, seed=11)
    assert report.verdict == "stands"
    assert report.tally.judged == 100


@pytest.mark.slow
@pytest.mark.parametrize("name", FALSE)
def test_ten_seeds_refute_within_three_thousand(name: str) -> None:
    for seed in range(100, 110):
        assert hunt(name, budget=3000, seed=seed).verdict == "refuted", f"seed {seed}"


@pytest.mark.slow
@pytest.mark.parametrize("name", STANDING)
def test_twenty_thousand_instances(name: str) -> None:
    assert hunt(name, budget=20_000, seed=7).tally.counts == {"true": 20_000, "false": 0, "undecided": 0}


def euclidean_norms_grow(tokens: Tokens) -> StatementVerdict:
    """Planted: lemma 2 with the Euclidean norm in place of that of A."""
    orbit = PlainOrbit(tokens)
    for k in range(10):
        for i in range(len(tokens)):
            before, after = (sum(x * x for x in orbit[j].point(i)) for j in (k, k + 1))
            if after < before:
                return fails(layer=k, token=i)
    return holds()


def test_a_planted_false_lemma_is_refuted() -> None:
    family = TokenFamily(matrices=positive_definite)
    planted = Statement("planted", "Euclidean norms grow.", "true", "planted", CLUSTERING, euclidean_norms_grow, family)
    finding = hunt(planted, budget=500, seed=1).findings[0]
    assert finding.small.A != Tokens([[1] * finding.small.dim]).A
    rows = [list(row) for row in finding.small.state.rows()]
    assert euclidean_norms_grow(Tokens(rows, finding.small.A, finding.small.alpha)).refutes


def test_instances_outside_the_hypotheses_do_not_count() -> None:
    statement = catalogue()["lemma-2"]
    assert statement.judge(Tokens([[0, 0], [1, 1]])) is None
    assert statement.judge(Tokens([[1, 1], [1, 1]])) is None
    assert statement.judge(Tokens([[1, 1]], A=[[1, 2], [2, 1]])) is None
    assert statement.judge(Tokens([[1, 1]], A=[[1, 1], [0, 1]])) is None


@pytest.mark.parametrize("name", sorted(catalogue()))
def test_judgements_know_the_instance_alone(name: str) -> None:
    """An instance that went through its file form, so that nothing of its generator is left, is judged alike."""
    statement = catalogue()[name]
    for instance, verdict in judged(statement, 3, 0, 12):
        again = statement.judge(read_instance(plain_json(kind_of(instance).json(instance))))
        assert again is not None
        assert again.outcome == verdict.outcome


def test_the_known_instances_are_not_what_the_search_finds() -> None:
    """The refutation of the first Frank-Wolfe theorem does not come from the pair 3 : -1."""
    for seed in range(3):
        found = hunt("frank-wolfe-negative", budget=3000, seed=seed).findings[0].found
        values = sorted({x for row in found.tokens for x in row})
        assert values[0] == 0 or len(values) > 2 or abs(Fraction(values[-1], values[0])) != 3


def test_generators_draw_what_they_say() -> None:
    rng = Random(4)
    for _ in range(200):
        tokens = TokenFamily(dims=(2, 3), matrices=positive_definite)(rng)
        assert all(h.holds_for(tokens) for h in CLUSTERING)
