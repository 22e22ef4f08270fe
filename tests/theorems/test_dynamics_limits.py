"""Limits are confirmed by exact orbits far beyond the layer of the proof, and nothing is proved that is false."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path

import pytest

from exactformer.dynamics.constant_sets import Changes, Table, table
from exactformer.dynamics.families import FAMILIES, sample
from exactformer.dynamics.limits import Limit, Unsettled, limit, prove
from exactformer.dynamics.orbit import simulate
from exactformer.dynamics.prepared_instance import System
from exactformer.errors import Declined, InvalidInput, Undecided
from exactformer.model.tokens import Tokens

from ..agreement.test_dynamics_orbits import defined_sets, defined_step, shapes


def confirm(tokens: Tokens, beyond: int) -> Limit:
    """Runs the definition `beyond` layers past the proof: sets constant, closed forms exact, distances shrinking."""
    found = limit(tokens)
    K = found.proved_from_layer
    rows = simulate(tokens, layers=K).final.rows()
    sets = defined_sets(tokens.A, rows)
    for k in range(K, K + beyond):
        assert defined_sets(tokens.A, rows) == sets, (k, tokens.json())
        assert found.at(k) == rows, (k, tokens.json())
        rows = defined_step(rows, sets, tokens.alpha)
    for point, row, start in zip(found.points, rows, found.at(K), strict=True):
        gap, before = (max(abs(x - y) for x, y in zip(point, z, strict=True)) for z in (row, start))
        assert gap == 0 if before == 0 else gap < before
    return found


@pytest.mark.parametrize("name", FAMILIES)
def test_limits_hold_far_beyond_the_proof(name: str) -> None:
    for seed in range(8):
        n, d = shapes(name, seed)
        found = confirm(sample(name, n, d, seed), beyond=12)
        assert set(found.kinds) <= {"vertex", "projection"}
        statements = found.polytope.theorem
        assert all(s.holds for s in statements[: 3 if found.hypotheses_violated else 4]), (name, seed)


@pytest.mark.slow
@pytest.mark.parametrize("name", FAMILIES)
def test_limits_hold_far_beyond_the_proof_at_length(name: str) -> None:
    for seed in range(500, 580):
        n, d = shapes(name, seed)
        confirm(sample(name, n, d, seed), beyond=30)


def test_at_a_billion_layers() -> None:
    found = limit(Tokens([["7/5", "1/5"], [1, 1], [0, 0]]))
    x, y = found.at(10**9)[2]
    low, high = x.interval(64)
    assert low < Fraction(6, 5) < high
    assert high - low <= Fraction(1, 2**62)
    assert str(y).startswith("3/5 - ")
    assert found.at(10**9)[0] == (Fraction(7, 5), Fraction(1, 5))
    assert found.at(0) == found.system.tokens.state.rows()


def test_closed_forms_with_powers_of_k_outside_the_theorem() -> None:
    A = [[2, 0], [-2, 0]]
    tokens = Tokens([[3, -1], [-3, -1], [-3, 2], [3, -3], [0, -1]], A)
    found = limit(tokens, unchecked=True)
    assert max(len(form.terms) for form in found.table.forms) == 3
    orbit = simulate(tokens, layers=30, unchecked=True)
    assert orbit.final.rows() == found.at(30)


def followers_of_movers() -> Tokens:
    """Token 4 follows tokens 2 and 3 for ever, while these follow the leaders 0 and 1."""
    return Tokens([[1, 1, -1, -1], [-1, 1, -1, 1], [0, 1, -1, -1], [-1, 1, -1, 0], ["-1/4", "1/2", "-1/2", "-1/4"]])


def test_a_token_that_follows_moving_tokens_for_ever() -> None:
    found = confirm(followers_of_movers(), beyond=30)
    assert found.table.sets[4].tolist() == [2, 3]
    assert found.points[4] == (0, 1, -1, 0)
    assert any(term.power == 1 for term in found.table.forms[4].terms)
    assert found.hypotheses_violated == ()


# ---------------------------------------------------------------- nothing false is proved


def metastable() -> tuple[Tokens, int]:
    """An instance whose follower sets stand still for at least 20 layers and change afterwards; that layer."""
    for seed in range(400):
        tokens = sample("metastable-ties", 7, 3, seed)
        changes = simulate(tokens, layers=60).graph_changes
        for earlier, later in zip((0, *changes), changes, strict=False):
            if later - earlier >= 20:
                return tokens, later
    raise AssertionError("no instance found")


def test_sets_that_stand_still_for_long_and_then_change_are_not_proved_constant() -> None:
    tokens, change = metastable()
    system = System(tokens)
    engine = system.engine()
    engine.follows(change - 1)
    closed = table(
        tokens.A, engine.follows(change - 1), engine.state(change - 10).rows(), system.positions.weights, system.share
    )
    assert isinstance(closed, Table)
    assert isinstance(closed.prove(engine.active), Changes)
    assert limit(tokens).proved_from_layer >= change


def test_a_small_budget_is_undecided_and_shows_what_changes() -> None:
    tokens, change = metastable()
    found = prove(System(tokens), budget=change - 1)
    assert isinstance(found, Unsettled)
    assert "will change" in str(found)
    with pytest.raises(Undecided):
        limit(tokens, budget=change - 1)
    assert isinstance(prove(System(tokens), budget=4000), Limit)


def test_a_ring_is_undecided() -> None:
    with pytest.raises(Undecided, match="ring"):
        limit(Tokens([[-4, -1], [3, -3], [1, 4]], [[1, -2], [2, 1]]), unchecked=True, budget=30)


def test_a_negative_budget_is_refused() -> None:
    with pytest.raises(InvalidInput, match="budget"):
        limit(Tokens([[1]]), budget=-1)


# ---------------------------------------------------------------- certificates


def test_certificates_are_accepted_and_forged_ones_are_not(tmp_path: Path) -> None:
    from proofs_check.__main__ import main

    def verdict(path: Path) -> int:
        try:
            return int(main([str(path)]) or 0)
        except SystemExit as leaving:
            return int(leaving.code or 0)

    for name in FAMILIES:
        for seed in range(3):
            n, d = shapes(name, seed)
            tokens = sample(name, n, d, seed)
            good = tmp_path / "good.jsonl"
            limit(tokens).certify(good)
            assert verdict(good) == 0, (name, seed)
            simulate(tokens, layers=3).certify(good)
            assert verdict(good) == 0, (name, seed)
    limit(followers_of_movers()).certify(good)
    assert verdict(good) == 0
    for k, line in enumerate(forgeries(tmp_path)):
        assert verdict(line) == 1, k


def forgeries(folder: Path) -> list[Path]:
    """Well-formed certificates with one false statement each."""
    import hashlib

    source = folder / "source.jsonl"
    limit(Tokens([["7/5", "1/5"], [1, 1], [0, 0]])).certify(source)
    lines = [json.loads(line) for line in source.read_text().splitlines()[:-1]]

    def forged(k: int, number: int, **changes: object) -> Path:
        altered = [dict(line) for line in lines]
        altered[number] |= changes
        body = "".join(json.dumps(line) + "\n" for line in altered).encode()
        end = json.dumps({"end": True, "sha256": hashlib.sha256(body).hexdigest()}) + "\n"
        path = folder / f"forged{k}.jsonl"
        path.write_bytes(body + end.encode())
        return path

    return [
        forged(0, 4, limit=["1", "1"]),
        forged(1, 4, weights=[[0, "1/3"], [1, "2/3"]]),
        forged(2, 5, leaders=[0]),
        forged(3, 0, layer=0),
        forged(4, 2, limit=["1", "1"]),
    ]


def test_algebraic_instances_have_an_answer_but_no_certificate(tmp_path: Path) -> None:
    pentagon = [[f"cos({2 * k}*pi/5)", f"sin({2 * k}*pi/5)"] for k in range(5)]
    tokens = Tokens([*pentagon, ["(1+cos(2*pi/5))/4", "sin(2*pi/5)/4"]])
    found = limit(tokens)
    assert found.kinds == ["vertex"] * 5 + ["projection"]
    assert found.points[5] == ((tokens.state[0][0] + tokens.state[1][0]) / 2, tokens.state[1][1] / 2)
    assert found.at(12) == simulate(tokens, layers=12).final.rows()
    with pytest.raises(Declined, match="algebraic"):
        found.certify(tmp_path / "none.jsonl")
    assert not list(tmp_path.iterdir())
