"""Limits are confirmed by exact orbits far beyond the layer of the proof, and nothing is proved that is false."""

from __future__ import annotations

import json
import math
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from exactformer.checking import check
from exactformer.dynamics.engine_input import EngineInput
from exactformer.dynamics.limits import Limit, Unsettled, limit, prove_limit
from exactformer.dynamics.orbit import simulate
from exactformer.dynamics.stages import Stages
from exactformer.dynamics.stages_claim import certify_in_stages
from exactformer.dynamics.timeline import Timeline
from exactformer.errors import Declined, InvalidInput, Undecided
from exactformer.instances.token_families import FAMILIES, sample
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
    assert found.at(0) == found.engine_input.tokens.state.rows()


def test_closed_forms_with_powers_of_k_outside_the_theorem() -> None:
    A = [[2, 0], [-2, 0]]
    tokens = Tokens([[3, -1], [-3, -1], [-3, 2], [3, -3], [0, -1]], A)
    found = limit(tokens, unchecked=True)
    assert max(len(form.terms) for form in found.stages.now.forms) == 3
    orbit = simulate(tokens, layers=30, unchecked=True)
    assert orbit.final.rows() == found.at(30)


def followers_of_movers() -> Tokens:
    """Token 4 follows tokens 2 and 3 for ever, while these follow the leaders 0 and 1."""
    return Tokens([[1, 1, -1, -1], [-1, 1, -1, 1], [0, 1, -1, -1], [-1, 1, -1, 0], ["-1/4", "1/2", "-1/2", "-1/4"]])


def test_a_token_that_follows_moving_tokens_for_ever() -> None:
    found = confirm(followers_of_movers(), beyond=30)
    assert found.stages.now.sets[4] == (2, 3)
    assert found.points[4] == (0, 1, -1, 0)
    assert any(term.power == 1 for term in found.stages.now.forms[4].terms)
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
    system = EngineInput(tokens)
    engine = system.engine()
    engine.follows(change - 1)
    stages = Stages.of(tokens.A, engine, change - 10)
    assert isinstance(stages, Stages)
    assert stages.next_change == 10
    assert limit(tokens).proved_from_layer >= change


def test_a_small_budget_is_undecided_and_shows_what_changes() -> None:
    tokens, change = metastable()
    changes = simulate(tokens, layers=60).graph_changes
    found = prove_limit(EngineInput(tokens), budget=changes.index(change))
    assert isinstance(found, Unsettled)
    assert f"will change at layer {change}" in str(found)
    with pytest.raises(Undecided):
        limit(tokens, budget=changes.index(change))
    assert isinstance(prove_limit(EngineInput(tokens)), Limit)


# ---------------------------------------------------------------- late changes


def late_leader(e: Fraction, h: Fraction, alpha: Fraction = Fraction(1)) -> Tokens:
    """The last token first leads at the first layer k > (1-h)/(alpha e) + 1/alpha."""
    return Tokens([[1, 1], [-1, 1], [1 - 2 * e, 1 + e], [2 * e - 1, 1 + e], [0, h]], alpha=alpha)


@pytest.mark.parametrize("alpha", ["1", "3", "1/7", "2/3"])
def test_a_leader_as_late_as_one_likes(alpha: str) -> None:
    step = Fraction(alpha)
    for e in (Fraction(1, 10), Fraction(1, 777), Fraction(1, 20000), Fraction(3, 10**9)):
        for h in (Fraction(1, 2), Fraction(1, 3)):
            found = limit(late_leader(e, h, step))
            assert found.orbit.leads_from[4] == math.floor((1 - h) / (step * e) + 1 / step) + 1


def small_steps(seed: int) -> Tokens:
    """Mirror pairs, tokens in the mirror and a few others, with a small step: sets change rarely, and late."""
    rng = np.random.default_rng(seed)
    rows = [[int(x), int(y)] for x, y in rng.integers(-9, 10, (4, 2))]
    rows += [[-x, y] for x, y in rows[:3]] + [[0, int(y)] for y in rng.integers(1, 9, 2)]
    rows = [list(row) for row in dict.fromkeys(map(tuple, rows)) if any(row)]
    return Tokens(rows, alpha=Fraction(1, int(rng.integers(3, 60))))


@pytest.mark.parametrize("seed", range(12))
def test_stages_agree_with_the_definition_across_all_changes(seed: int) -> None:
    tokens = small_steps(seed)
    found = limit(tokens)
    rows, last = tokens.state.rows(), found.proved_from_layer
    changes, before = [], None
    for k in range(last + 12):
        sets = defined_sets(tokens.A, rows)
        if k and sets != before:
            changes.append(k)
        if k in (last // 2, last - 1, last, last + 11) or k in changes:
            assert found.at(k) == rows
            assert found.orbit.follows(min(k, last)) == sets
        rows, before = defined_step(rows, sets, tokens.alpha), sets
    assert tuple(changes) == found.orbit.graph_changes


def test_an_orbit_of_many_layers_is_known_from_its_stages() -> None:
    orbit = simulate(late_leader(Fraction(1, 500), Fraction(1, 2)), layers=3000)
    assert orbit.graph_changes == (251, 252)
    assert orbit.leads_from[4] == 252
    assert orbit.follows(252)[4] == (4,)
    assert orbit.follows(250)[4] == (2, 3)
    assert len(orbit.timeline.engine.history) < 20
    assert orbit.tokens(40) == simulate(orbit.instance, layers=40).final


@pytest.mark.parametrize("e", ["1/500", "1/230"])
def test_an_orbit_may_end_at_the_very_layer_of_a_change(e: str) -> None:
    tokens = late_leader(Fraction(e), Fraction(1, 2))
    long = simulate(tokens, layers=600)
    for last in sorted({k + step for k in long.graph_changes if k > 40 for step in (-1, 0, 1)}):
        short = simulate(tokens, layers=last)
        assert short.follows(last) == long.follows(last) == defined_sets(tokens.A, short.final.rows())
        assert short.final == long.tokens(last)
        assert short.graph_changes == tuple(k for k in long.graph_changes if k <= last)
        assert short.leads_from == {i: k for i, k in long.leads_from.items() if k <= last}


@pytest.mark.parametrize("tokens", [late_leader(Fraction(1, 90), Fraction(1, 3)), small_steps(1), small_steps(5)])
def test_the_layer_reached_never_falls(tokens: Tokens) -> None:
    told: list[int] = []
    found = prove_limit(EngineInput(tokens), progress=told.append)
    assert isinstance(found, Limit)
    assert told == sorted(told)
    assert told[-1] == found.timeline.reached >= max(found.proved_from_layer, len(found.timeline.engine.history) - 1)
    course = Timeline(EngineInput(tokens))
    while course.step():
        assert course.reached == max([len(course.engine.history) - 1, *course.changes])
        assert course.reached <= found.timeline.reached


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


@pytest.mark.parametrize("A", [[[2, 1], [0, 2]], [[1, 2], [2, 1]], [[1, 0], [0, 0]]])
def test_a_limit_is_certified_for_symmetric_positive_definite_matrices_alone(A: Any, tmp_path: Path) -> None:
    found = limit(Tokens([[3, 1], [1, 2], [-2, 1]], A), unchecked=True)
    with pytest.raises(InvalidInput, match="symmetric positive definite"):
        found.certify(tmp_path / "none.jsonl")
    assert not list(tmp_path.iterdir())


def test_late_changes_are_certified_in_stages(tmp_path: Path) -> None:
    import proofs_check

    for tokens in (late_leader(Fraction(1, 20000), Fraction(1, 2)), *map(small_steps, range(4))):
        path = tmp_path / "limit.jsonl"
        found = limit(tokens)
        certify_in_stages(found, path)
        verdict = proofs_check.check(str(path))
        assert verdict.verdict == "accepted", verdict
        assert path.stat().st_size < 10_000
    limit(late_leader(Fraction(1, 20000), Fraction(1, 2))).certify(path)
    assert '"stages":3' in path.read_text().splitlines()[0]
    limit(late_leader(Fraction(1, 10), Fraction(1, 2))).certify(path)
    assert '"version":[1,0]' in path.read_text().splitlines()[0]


def test_a_token_that_is_locked_after_the_sets_stand_still_is_certified_by_its_form(tmp_path: Path) -> None:
    """Token 4 follows the leaders 0 and 1 from the start; token 3 scores more at their mean until it has moved."""
    tokens = Tokens([[1, 0, 1], [1, 0, -1], [-1, 5, 0], ["3/2", 1, 0], ["1/4", "-1/4", 0]])
    found = limit(tokens)
    assert found.orbit.follows(0) == [(0,), (1,), (2,), (2,), (0, 1)]
    assert found.proved_from_layer == 0
    assert found.timeline.engine.locked_from.tolist() == [0, 0, 0, 0, 1]
    assert found.points == [(1, 0, 1), (1, 0, -1), (-1, 5, 0), (-1, 5, 0), (1, 0, 0)]
    found.certify(tmp_path / "c")
    lines = [json.loads(line) for line in (tmp_path / "c").read_text().splitlines()]
    places = [line for line in lines if "token" in line]
    assert ["lock" in line for line in places] == [True, True, True, True, False]
    assert places[4]["form"] == [
        {"base": "1", "power": 0, "vector": ["1", "0", "0"]},
        {"base": "1/2", "power": 0, "vector": ["-3/4", "-1/4", "0"]},
    ]
    assert check(tmp_path / "c").verdict == "accepted"
