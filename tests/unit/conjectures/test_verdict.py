"""Tests of `exactformer.conjectures.verdict`."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path

import pytest
from kits.statements import statement_of

from exactformer.conjectures.catalogue import catalogue
from exactformer.conjectures.given_instance import judge
from exactformer.conjectures.hunt import hunt
from exactformer.conjectures.shrink import shrink
from exactformer.conjectures.statement import Hypothesis, Statement
from exactformer.conjectures.verdict import StatementVerdict, fails, holds, undecided
from exactformer.errors import InvalidInput, Undecided
from exactformer.model.dataset import Dataset
from exactformer.model.tokens import Tokens

F = Fraction


# ---------------------------------------------------------------- no is not truthy


def test_judgements_are_three_valued() -> None:
    assert holds()
    assert not fails(token=1)
    with pytest.raises(Undecided, match="no idea"):
        bool(undecided("no idea"))


@pytest.mark.parametrize("key", ["layer", "layers"])
def test_an_earlier_layer_is_worth_more_than_fewer_digits(key: str) -> None:
    """Numbers up to one in absolute value fail at layer 5 only, larger ones at once: two is the smallest of these."""

    def late(tokens: Tokens) -> StatementVerdict:
        return fails(**{key: 0 if any(abs(x) > 1 for x in tokens.state.rows()[0]) else 5})

    own = Statement("own", "own", "open", "here", (), late, catalogue()["lemma-1"].generate)
    small, verdict = shrink(own, Tokens([[7]], alpha="1/3"))
    assert (small.state.rows(), small.alpha, verdict.witness) == ([(F(2),)], 1, {key: 0})


def test_undecided_is_neither() -> None:
    def refuses(z: Tokens) -> StatementVerdict:
        raise Undecided("too hard")

    report = hunt(statement_of(refuses), budget=5)
    assert report.verdict == "undecided"
    assert report.exit_code == 4
    assert report.tally.undecided[0][1] == "too hard"


def test_nearness_never_changes_the_outcome() -> None:
    assert holds(1.0).outcome == "true"


@pytest.mark.parametrize(("witness", "last"), [({"layers": 3}, 3), ({"layer": 2, "token": 0}, 2), ({"token": 1}, 0)])
def test_an_own_refutation_is_certified_by_the_layers_it_speaks_of_and_the_next(
    witness: dict[str, int], last: int, tmp_path: Path
) -> None:
    own = statement_of(lambda z: fails(**witness), hypotheses=())
    found = judge(own, Tokens([[2, 1], [1, 0]]))
    assert (found.outcome, found.exit_code, found.json()["witness"]) == ("false", 1, witness)
    found.certify(tmp_path / "c.jsonl")
    header = json.loads((tmp_path / "c.jsonl").read_text().splitlines()[0])
    assert (header["claim"], header["layers"]) == ("orbit", last + 1)


def test_what_is_no_counterexample_has_no_certificate(tmp_path: Path) -> None:
    z = Tokens([[2, 1], [1, 0]])
    never = (Hypothesis("never", lambda z: False),)
    for own, outcome, code in (
        (statement_of(lambda z: holds(0.5), hypotheses=()), "true", 0),
        (statement_of(lambda z: undecided("why"), hypotheses=()), "undecided", 4),
        (statement_of(lambda z: fails(), hypotheses=never), "outside", 3),
    ):
        found = judge(own, z)
        assert (found.outcome, found.exit_code) == (outcome, code)
        with pytest.raises(InvalidInput, match=f"but {outcome}"):
            found.certify(tmp_path / "c.jsonl")
    data = Dataset.of([[[1]]], targets=[[2]])
    about_data = statement_of(lambda data: fails(), hypotheses=(), generate=lambda rng: data)
    with pytest.raises(InvalidInput, match="for tokens"):
        judge(about_data, data).certify(tmp_path / "c.jsonl")
    assert not list(tmp_path.iterdir())
