"""Tests of `exactformer.studies.mean_field.statements`."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest

from exactformer.conjectures.catalogue import catalogue
from exactformer.instances.mean_field import MeanField
from exactformer.studies.mean_field import statements

F = Fraction


def rows(*given: Any) -> tuple[tuple[Fraction, ...], ...]:
    return tuple(tuple(map(F, row)) for row in given)


# hypotheses and statements ----------------------------------------------------------------------------
def field(V: Any, B: Any = ((1, 0), (0, 1)), tokens: Any = (), **more: Any) -> MeanField:
    return MeanField(rows(*V), rows(*B), rows(*tokens), **more)


TALL, TURN, BLOCK = ((2, 0), (0, 1)), ((0, -1), (1, 0)), ((1, 1), (0, 1))


GOLDEN = ((1, 1), (1, 0))


HYPOTHESES = [
    (statements.INVERTIBLE, [field(TURN), field(TALL, ((1, 2), (1, 3)))], [field(TALL, ((1, 2), (2, 4)))]),
    (statements.SPHERE, [field(TALL)], [MeanField(rows((1,)), rows((1,)))]),
    (statements.TOKENS, [field(TALL, tokens=[(1, 0)])], [field(TALL)]),
    (statements.DOMINANT, [field(TALL), field(GOLDEN), field(((2, 0), (0, 2)))], [field(TURN), field(BLOCK)]),
    (statements.DOMINANT, [field(TURN, TURN)], [field(TALL, ((0, "1/2"), (-1, 0)))]),  # M = V B', not V
    (
        statements.SPANNING,
        [field(TALL, tokens=[(1, 0), (1, 1)])],
        [field(TALL), field(TALL, tokens=[(1, 1), (2, 2)])],
    ),
    (
        statements.OFF_KERNEL,
        [field(TALL, tokens=[(1, 5), (-3, 0)]), field(TALL)],
        [field(TALL, tokens=[(1, 0), (0, 1)]), field(TURN, tokens=[(1, 0)])],
    ),
    (statements.LINE, [field(TALL)], [field(((2, 0), (0, 2))), field(GOLDEN), field(TURN)]),
    (
        statements.MULTIPLE,
        [field(((2, 0), (0, 2))), field((("1/3", 0), (0, "1/3")))],
        [field(((0, 0), (0, 0))), field(((-1, 0), (0, -1))), field(TALL), field(((2, 0), (1, 2))), field(((2, 1), (0, 2)))],
    ),
    (
        statements.CIRCLE,
        [field(TALL), field(((1, 1), (1, 1))), field(((0, 0), (0, 1)))],
        [field(((2, 0), (0, 2))), field(BLOCK), field(((2, 0), (1, 1))), MeanField(rows((1, 0, 0), (0, 2, 0), (0, 0, 3)), rows((1, 0, 0), (0, 1, 0), (0, 0, 1)))],
    ),
    (statements.UNIT, [field(TALL)], [field(TALL, TALL), field(TALL, BLOCK), field(TALL, ((1, 0), (1, 1)))]),
    (statements.CONSTANT, [field(TALL, constant=F(1, 9))], [field(TALL, rate=F(1))]),
    (statements.RATE, [field(TALL, rate=F(1, 9))], [field(TALL, constant=F(1))]),
    (
        statements.VALUES,
        [field(TALL, tokens=[(0, 1), (1, 1)]), field(TALL, TURN, tokens=[(1, 0)])],
        [field(TALL, tokens=[(0, 1)]), field(TALL), field(GOLDEN, tokens=[(1, 0)]), field(BLOCK, tokens=[(1, 0)])],
    ),
]  # fmt: skip


@pytest.mark.parametrize(("hypothesis", "inside", "outside"), HYPOTHESES)
def test_every_hypothesis_of_the_mean_field_lets_in_and_keeps_out(hypothesis: Any, inside: Any, outside: Any) -> None:
    assert [hypothesis.holds_for(z) for z in (*inside, *outside)] == [True] * len(inside) + [False] * len(outside)


STATEMENTS = {
    "meanfield-limit": ("true", ("SPHERE", "INVERTIBLE", "DOMINANT", "TOKENS", "OFF_KERNEL")),
    "meanfield-complex-pair": ("false", ("SPHERE", "INVERTIBLE")),
    "meanfield-jordan-block": ("false", ("SPHERE", "INVERTIBLE")),
    "meanfield-mass-on-kernel": ("false", ("SPHERE", "INVERTIBLE", "DOMINANT", "TOKENS")),
    "meanfield-mass-near-kernel": ("false", ("CIRCLE", "UNIT", "CONSTANT", "RATE")),
    "meanfield-cone-support": (
        "false",
        ("SPHERE", "INVERTIBLE", "DOMINANT", "LINE", "MULTIPLE", "SPANNING", "OFF_KERNEL"),
    ),
    "meanfield-w2-rate-is-gap": ("false", ("CIRCLE", "UNIT", "CONSTANT")),
    "meanfield-symmetric-data": ("false", ("SPHERE", "INVERTIBLE", "TOKENS", "VALUES")),
}


def test_statements_of_the_mean_field_keep_their_status_and_their_hypotheses() -> None:
    found = {s.name: (s.status, s.hypotheses) for s in catalogue().values() if s.name.startswith("meanfield")}
    assert found == {
        name: (status, tuple(getattr(statements, told) for told in names))
        for name, (status, names) in STATEMENTS.items()
    }


def test_tokens_are_near_their_limit_in_the_end_and_a_wrong_limit_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    z = field(TALL, ((1, 0), (1, 1)), [(1, 5), (-3, 1), (1, 1)])
    assert statements.near_the_limit(z).nearness == 0.1
    assert statements.near_the_limit(field(((2, 0), (0, 2)), tokens=[(1, 2)])).outcome == "true"
    true = statements._limit

    def wrong(found: Any, token: Any) -> Any:
        return true(found, tuple(-x for x in token) if token == (-3, 1) else token)

    monkeypatch.setattr(statements, "_limit", wrong)
    judgement = statements.near_the_limit(z)
    assert (judgement.outcome, judgement.witness) == ("false", {"token": 1})


def test_a_token_is_nearest_to_its_limit_by_the_time_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    """|x(s) - T x| is about e^-60 at s = 60/gap, and e^-3 at 3/gap, which is not near."""
    z = field(TALL, tokens=[(1, 1)])
    monkeypatch.setattr(statements, "TIMES", 3)
    assert statements.near_the_limit(z).outcome == "false"
    monkeypatch.setattr(statements, "TIMES", 14)
    assert statements.near_the_limit(z).outcome == "true"
