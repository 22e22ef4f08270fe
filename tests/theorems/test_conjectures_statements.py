"""No statement is vacuous: every conclusion is true of one instance and false of another, every hypothesis too."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from random import Random
from typing import Any

import pytest

from exactformer.conjectures.catalogue import (
    conditions,
    frank_wolfe,
    interpolation,
    late_leaders,
    leaders,
    stabilisation,
    statement_named,
)
from exactformer.conjectures.catalogue import lemmas as catalogue_lemmas
from exactformer.conjectures.catalogue.clustering import interior_weights, supporting_normal
from exactformer.conjectures.proved_limit import Fate, fate
from exactformer.conjectures.statement import Hypothesis, Statement
from exactformer.conjectures.verdict import holds
from exactformer.constructions.pipeline import construct
from exactformer.dynamics.limits import limit
from exactformer.dynamics.plain_orbit import PlainOrbit
from exactformer.errors import Declined, InvalidInput, Undecided
from exactformer.instances.datasets import dataset_of_pairs
from exactformer.instances.frank_wolfe import FrankWolfe
from exactformer.instances.self_ties import SelfTies
from exactformer.model.dataset import Dataset
from exactformer.model.tokens import Tokens
from exactformer.model.transformer import Transformer

F = Fraction
SQUARE = [[1, 1], [1, -1], [-1, 1], [-1, -1]]


def rows(*points: tuple[int | str, ...]) -> tuple[tuple[Fraction, ...], ...]:
    return tuple(tuple(F(x) for x in point) for point in points)


def walk(B: Any, tokens: Any, layers: int = 4, step: Any = None) -> FrankWolfe:
    return FrankWolfe(rows(*B), rows(*tokens), layers, None if step is None else tuple(map(F, step)))


def data(*pairs: tuple[Any, Any]) -> Dataset:
    return dataset_of_pairs(tuple((rows(*x), rows(*y)) for x, y in pairs))


ONE = ((1,),)
TWO = ((1, 0), (0, 1))

#: statement -> an instance of which its conclusion is true, and one of which it is false (within its hypotheses or not)
INSTANCES: dict[str, tuple[Any, Any]] = {
    "lemma-0": (Tokens([[1], [-1]]), Tokens([[-1, -1], [2, 1]], A=[[-2, -2], [-1, 2]])),
    "lemma-2": (Tokens([[1], [-1]]), Tokens([[0, 1], [2, 1], [2, 0], [2, 2]], A=[[1, 2], [-1, 0]])),
    "lemma-5": (Tokens([[1], [-1]]), Tokens([[-1, -1], [2, 1]], A=[[-2, -2], [-1, 2]])),
    "lemma-6": (Tokens([[1], [-1]]), Tokens([[-1, -1], [2, 1]], A=[[-2, -2], [-1, 2]])),
    "theorem-1.1": (Tokens([["7/5", "1/5"], [1, 1], [-1, 0]]), Tokens([*SQUARE, [0, 0]])),
    "leader-without-symmetry": (Tokens([[1], [2]]), Tokens([[1], [1]])),
    "leader-indefinite": (Tokens([[1], [2]]), Tokens([[1], [-1]], A=[[-1]])),
    "leader-semidefinite": (Tokens([[1], [2]]), Tokens([[1], [2]], A=[[0]])),
    "leader-duplicates": (Tokens([[1], [2]]), Tokens([[1], [1]])),
    "boundary-with-zero": (Tokens([[1], [2]]), Tokens([[1], [-1], [0]])),
    "leaders-are-initial-vertices": (Tokens([[1], [-1]]), Tokens([[2], [1]])),
    "every-token-tends-to-a-leader": (Tokens([[1], [-1], ["1/2"]]), Tokens([[1, 1], [1, -1], ["1/2", 0], [-3, 0]])),
    "voronoi-cells": (walk(ONE, ((1,), (-1,), ("1/2",))), walk(ONE, ((3,), (-1,), ("9/10",)))),
    "exponentially-fast": (
        walk(ONE, ((1,), (-1,), ("1/2",)), step=("1/2", 1)),
        walk(ONE, ((1,), (-1,), ("1/2",)), step=("1/2", "1/2")),
    ),
    "one-block-suffices": (None, data((((0,),), ((0,),)), (((1,),), ((1,),)), (((0,), (1,)), ((2,),)))),
}


@pytest.mark.parametrize("name", INSTANCES)
def test_every_conclusion_is_true_here_and_false_there(name: str) -> None:
    conclusion = statement_named(name).conclusion
    true, false = INSTANCES[name]
    assert conclusion(false).outcome == "false"
    assert true is None or conclusion(true).outcome == "true"


@pytest.mark.parametrize("name", ["every-leader-leads-at-once", "graph-constant-after-n", "last-leader-within-n"])
def test_beliefs_about_time_hold_where_all_lead_at_once(name: str) -> None:
    # that they are false elsewhere is what hunts show
    assert statement_named(name).conclusion(Tokens(SQUARE)).outcome == "true"


def test_an_inner_token_that_led_would_refute_vertices(monkeypatch: pytest.MonkeyPatch) -> None:

    tokens = Tokens([*SQUARE, ["1/2", 0]])
    told = dataclasses.replace(fate(tokens), leads_from={0: 0, 1: 0, 2: 0, 3: 0, 4: 7})
    monkeypatch.setattr(leaders, "fate", lambda tokens: told)
    broken = leaders.leaders_are_vertices(tokens)
    assert (broken.outcome, broken.witness["token"], broken.witness["leader"]) == ("false", 4, True)
    assert leaders.leads_at_once(tokens).witness == {"token": 4, "layers": 7}
    assert leaders.leads_within_n(tokens).witness == {"token": 4, "layers": 7}
    late = dataclasses.replace(told, leads_from={0: 0, 1: 0, 2: 0, 3: 0, 4: 5}, changes=(1, 5))
    monkeypatch.setattr(leaders, "fate", lambda tokens: late)
    assert leaders.leads_within_n(tokens).outcome == "true"
    assert leaders.constant_after_n(tokens).outcome == "true"
    later = dataclasses.replace(late, changes=(1, 6))
    monkeypatch.setattr(leaders, "fate", lambda tokens: later)
    assert leaders.constant_after_n(tokens).witness == {"layers": 6}


def test_beliefs_about_late_leaders_are_true_here_and_false_there(monkeypatch: pytest.MonkeyPatch) -> None:
    from exactformer.conjectures.catalogue import late_leaders as late

    def forged(*leads_from: dict[int, int]) -> None:
        """The fates of the tokens with alpha, and with 2 alpha where they are asked for."""
        told = {tokens.alpha * (k + 1): leads for k, leads in enumerate(leads_from)}
        monkeypatch.setattr(late, "fate", lambda t: dataclasses.replace(true, leads_from=told[t.alpha]))

    tokens = late.late_leader(Fraction(1, 10), Fraction(1, 2), Fraction(1))
    true = fate(tokens)
    assert (true.leads_from[4], late.leads_when_predicted(tokens).outcome) == (7, "true")
    forged({0: 0, 1: 0, 4: 8})
    assert late.leads_when_predicted(tokens).witness == {"token": 4, "expected": 7, "leads": 8}
    forged({0: 0, 1: 0, 4: 7, 2: 9})
    assert late.leads_when_predicted(tokens).outcome == "false"
    tokens = Tokens([*SQUARE, ["1/2", 0]])
    true = fate(tokens)
    four = dict.fromkeys(range(4), 0)
    forged(four)
    assert [f(tokens).outcome for f in (late.leaders_are_few, late.interior_never_leads)] == ["true", "true"]
    forged({**four, 4: 3}, four)
    assert late.leaders_grow(tokens).witness == {"token": 4, "layers": 3}
    assert late.leaders_shrink(tokens).outcome == "true"
    assert late.leaders_are_few(tokens).witness == {"leaders": [0, 1, 2, 3, 4], "vertices": [0, 1, 2, 3], "layers": 3}
    inner = late.interior_never_leads(tokens)
    assert (inner.outcome, inner.witness["token"], inner.witness["layers"]) == ("false", 4, 3)
    forged(four, {**four, 4: 3})
    assert late.leaders_grow(tokens).outcome == "true"
    assert late.leaders_shrink(tokens).witness == {"token": 4, "layers": 3}


# ---------------------------------------------------------------- lemmas that hold for every matrix: forged layers


def forged(lemma: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Layers 0 and 1 with one thing wrong, in place of those of an orbit."""
    true = catalogue_lemmas.integer_layers

    def layers(orbit: Any, last: int) -> Iterator[Any]:
        first, second, *_ = list(true(orbit, last))
        first_rows, second_rows = list(first.rows), list(second.rows)
        first.follows, second.follows = list(first.follows), list(second.follows)
        if lemma == 1:
            first.follows[2] = (3,)  # it scores less than token 2 itself
        if lemma == 3:
            second_rows[2] = tuple(x + 1 for x in second_rows[2])
        if lemma == 4:
            second.follows[0] = (0, 1)
        if lemma == 7:
            second_rows[2] = first_rows[2]  # it stands still, though its set is elsewhere
        second.__dict__["rows"] = second_rows
        yield first
        yield second

    monkeypatch.setattr(catalogue_lemmas, "integer_layers", layers)


@pytest.mark.parametrize("lemma", [1, 3, 4, 7])
def test_forged_layers_break_their_lemma(lemma: int, monkeypatch: pytest.MonkeyPatch) -> None:
    tokens = Tokens([[2, 2], [2, -2], [1, 0], [-3, 0]])
    conclusion = statement_named(f"lemma-{lemma}").conclusion
    assert conclusion(tokens).outcome == "true"
    forged(lemma, monkeypatch)
    broken = conclusion(tokens)
    assert broken.outcome == "false"
    assert broken.witness["layer"] == 0


def test_layers_of_lemmas_are_a_multiple_of_the_orbit() -> None:
    from exactformer.dynamics.plain_orbit import PlainOrbit

    orbit = PlainOrbit(Tokens([["7/5", "1/5"], [1, 1], [0, 0]], alpha="1/2"))
    layers = list(catalogue_lemmas.integer_layers(orbit, 3))
    scale = F(layers[0].rows[1][0])
    for k, layer in enumerate(layers):
        assert [tuple(F(x) / scale for x in row) for row in layer.rows] == [orbit[k].point(i) for i in range(3)]
        for i in range(3):
            members = layer.follows[i]
            mean = tuple(sum(orbit[k].point(j)[c] for j in members) / len(members) for c in range(2))
            assert tuple(F(x) / scale for x in layer.mean(i)) == mean


# ---------------------------------------------------------------- Frank-Wolfe and interpolation


class OtherSteps(FrankWolfe):
    """An instance whose layers are made with other steps than it says."""

    def orbit(self, sign: int = 1) -> Iterator[Any]:
        return FrankWolfe(self.B, self.tokens, self.layers, (F(1, 3), F(1))).orbit(sign)


def test_the_closed_form_on_cells_is_compared_layer_by_layer() -> None:
    true = walk(TWO, ((4, 0), (0, 4), (-4, -4), (1, 0), (-1, -1)), step=("1/2", 1))
    assert frank_wolfe.closed_form_holds(true).outcome == "true"
    false = OtherSteps(true.B, true.tokens, true.layers, true.step)
    broken = frank_wolfe.closed_form_holds(false)
    assert (broken.outcome, broken.witness["layer"]) == ("false", 1)


def test_generic_cells() -> None:
    cells = frank_wolfe.generic_cells(rows(*TWO), rows((4, 0), (0, 4), (-4, -4), (1, 0)))
    assert cells is not None
    assert cells.target == (0, 1, 2, 0)
    assert [j for j, _ in cells.inside] == [3]
    assert frank_wolfe.generic_cells(rows(*ONE), rows((1,), (-1,), (0,))) is None  # zero ties
    assert frank_wolfe.generic_cells(rows(*ONE), rows((1,), (1,), (-1,))) is None  # repeated tokens
    assert frank_wolfe.generic_cells(rows(*ONE), rows((3,), (1,))) is None  # the vertex 1 lies in the cell of 3
    with pytest.raises(Undecided):
        frank_wolfe.cells_of(walk(ONE, ((1,), (-1,), (0,))))


def test_the_bound_of_frank_wolfe() -> None:
    assert frank_wolfe.bound_holds(walk(ONE, ((1,), (-1,)), layers=8)).outcome == "true"
    assert frank_wolfe.bound_holds(walk(ONE, ((1,), (1,)), layers=8)).outcome == "true"  # diameter zero
    far = frank_wolfe.bound_holds(walk(ONE, ((100,), (101,)), layers=3))
    assert (far.outcome, far.witness["layer"]) == ("false", 1)
    t, token, bound = far.witness["layer"], far.witness["token"], far.witness["bound"]
    *_, last = walk(ONE, ((100,), (101,)), layers=t).orbit(sign=-1)
    x = last.point(token)[0]
    assert bound >= 1
    assert x * x / 2 > F(2, t + 1) * bound
    assert frank_wolfe.squared_diameter(rows((0, 0), (3, 4), (1, 1))) == 25


def test_zero_in_hulls() -> None:
    assert frank_wolfe.zero_weights(rows((1,), (2,))) is None
    weights = frank_wolfe.zero_weights(rows((1,), (-1,)))
    assert weights is not None
    assert dict(weights) == {0: F(1, 2), 1: F(1, 2)}


@pytest.fixture
def deep(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(interpolation, "construct", lambda data: construct(data, method="deep", width=1))


@pytest.fixture
def wrong(monkeypatch: pytest.MonkeyPatch) -> None:
    def construct_wrong(data: Dataset) -> Any:
        return dataclasses.replace(construct(data), transformer=Transformer(data.dim, []))

    monkeypatch.setattr(interpolation, "construct", construct_wrong)


THREE = data((((0,),), ((0,),)), (((1,),), ((5,),)), (((0,), (1,)), ((2,),)))
CLASH = data((((0,), (1,)), ((0,),)), (((1,), (0,)), ((5,),)))


def test_feasibility_is_true_of_feasible_and_of_infeasible_data() -> None:
    assert interpolation.feasible_exactly(THREE).outcome == "true"
    assert interpolation.feasible_exactly(CLASH).outcome == "true"
    assert interpolation.two_blocks(THREE).outcome == "true"


@pytest.mark.usefixtures("deep")
def test_more_than_two_blocks_are_not_two() -> None:
    assert interpolation.two_blocks(THREE).outcome == "false"
    assert interpolation.feasible_exactly(THREE).outcome == "true"


@pytest.mark.usefixtures("wrong")
def test_a_transformer_that_is_wrong_refutes_feasibility() -> None:
    assert interpolation.feasible_exactly(THREE).outcome == "false"
    assert interpolation.two_blocks(THREE).outcome == "false"


def test_what_is_built_for_infeasible_data_refutes_feasibility(monkeypatch: pytest.MonkeyPatch) -> None:
    built = construct(THREE)
    monkeypatch.setattr(interpolation, "construct", lambda data: built)
    assert interpolation.feasible_exactly(CLASH).witness["condition"] == "measure"


def test_one_block_is_ruled_out_by_different_tokens_known_alone() -> None:
    """y outside the hull of the targets of x_1, .., x_n alone; a token that is repeated or unknown decides nothing."""
    a, b, c, low, high = (F(0),), (F(1),), (F(2),), (F(0),), (F(5),)
    alone = (((a,), (low,)), ((b,), (low,)))
    outcomes = [
        statement_named("one-block-suffices").conclusion(dataset_of_pairs((*alone, (tokens, targets)))).outcome
        for tokens, targets in (((a, b), (high,)), ((a, b), (low,)), ((a, a, b), (high,)), ((a, c), (high,)))
    ]
    assert outcomes == ["false", "undecided", "undecided", "undecided"]


def test_conditions_on_data() -> None:
    crowded = data((((0,), (0,)), ((1,), (2,))))
    assert interpolation.violated_condition(((rows((0,), (0,)), rows((1,), (2,))),)) == ("targets", (0,))
    assert interpolation.feasible_exactly(crowded).outcome == "true"
    doubled = (rows((0,), (1,)), rows((5,))), (rows((0,), (0,), (1,), (1,)), rows((6,)))
    assert interpolation.violated_condition(doubled) == ("measure", (0, 1))
    other = (rows((0,), (1,)), rows((5,))), (rows((0,), (0,), (1,)), rows((6,)))
    assert interpolation.violated_condition(other) is None


# ---------------------------------------------------------------- hypotheses, in and out


HYPOTHESES: list[tuple[Hypothesis, list[Any], list[Any]]] = [
    (conditions.SPD, [Tokens([[1, 0]])], [Tokens([[1, 0]], A=[[1, 1], [1, 1]]), Tokens([[1, 0]], A=[[1, 1], [0, 1]])]),
    (conditions.NOT_SYMMETRIC, [Tokens([[1, 0]], A=[[1, 1], [0, 1]])], [Tokens([[1, 0]])]),
    (conditions.SYMMETRIC, [Tokens([[1, 0]], A=[[0, 1], [1, 0]])], [Tokens([[1, 0]], A=[[1, 1], [0, 1]])]),
    (
        conditions.DEFINITE_PART,
        [Tokens([[1, 0]], A=[[1, 1], [-1, 1]])],
        [Tokens([[1, 0]], A=[[1, 2], [0, 1]]), Tokens([[1, 0]], A=[[0, 1], [-1, 0]])],
    ),
    (conditions.INDEFINITE, [Tokens([[1]], A=[[-1]])], [Tokens([[1]], A=[[0]]), Tokens([[1]])]),
    (conditions.SINGULAR, [Tokens([[1]], A=[[0]])], [Tokens([[1]], A=[[-1]]), Tokens([[1]])]),
    (conditions.NONZERO, [Tokens([[1, 0], [0, 1]])], [Tokens([[1, 0], [0, 0]])]),
    (conditions.ONE_ZERO, [Tokens([[1, 0], [0, 0]])], [Tokens([[1, 0], [0, 1]])]),
    (conditions.DISTINCT, [Tokens([[1, 0], [1, 1]])], [Tokens([[1, 0], [1, 0]])]),
    (conditions.REPEATED, [Tokens([[1, 0], [1, 0]])], [Tokens([[1, 0], [1, 1]])]),
    (conditions.AT_LEAST_ONE, [Tokens([[1]]), Tokens([[1]], alpha=2)], [Tokens([[1]], alpha="99/100")]),
    (frank_wolfe.SEMIDEFINITE, [walk(((0,),), ((1,),)), walk(ONE, ((1,),))], [walk(((-1,),), ((1,),))]),
    (frank_wolfe.DEFINITE, [walk(ONE, ((1,),))], [walk(((0,),), ((1,),)), walk(((1, 1), (0, 1)), ((1, 0),))]),
    (frank_wolfe.OPEN_LOOP, [walk(ONE, ((1,),), 1)], [walk(ONE, ((1,),), 0), walk(ONE, ((1,),), 1, ("1/2", 1))]),
    (frank_wolfe.ZERO_FIRST, [walk(ONE, ((1,), (-1,)))], [walk(ONE, ((1,), (2,)))]),
    (frank_wolfe.STEPS, [walk(ONE, ((1,),), 1, ("1/2", 1))], [walk(ONE, ((1,),), 1, (1, 1)), walk(ONE, ((1,),), 1)]),
    (frank_wolfe.EQUAL_NORMS, [walk(ONE, ((1,), (-1,)))], [walk(ONE, ((1,), (-2,)))]),
    (frank_wolfe.GENERIC, [walk(ONE, ((1,), (-1,)))], [walk(ONE, ((1,), (-1,), (0,)))]),
    (interpolation.FEASIBLE, [THREE], [CLASH]),
    (interpolation.ONE_TARGET, [THREE], [data((((0,), (1,)), ((0,), (1,))))]),
]


@pytest.mark.parametrize(("hypothesis", "inside", "outside"), HYPOTHESES, ids=[h.words for h, _, _ in HYPOTHESES])
def test_every_hypothesis_lets_in_and_keeps_out(hypothesis: Hypothesis, inside: list[Any], outside: list[Any]) -> None:
    assert all(hypothesis.holds_for(instance) for instance in inside)
    assert not any(hypothesis.holds_for(instance) for instance in outside)


def test_zero_always_is_asked_of_the_last_layer_and_of_the_repaired_statement() -> None:
    leaves = walk(ONE, ((1,), (1,), ("-1/100",)), layers=2)  # 0 lies in the first hull, and not in the last
    assert frank_wolfe.ZERO_FIRST.holds_for(leaves)
    assert frank_wolfe.ZERO_ALWAYS.holds_for(leaves) == frank_wolfe.zero_in_last_hull(leaves)
    finding = next(
        walk(ONE, ((a,), (b,), (c,)), layers=m)
        for a in range(1, 4)
        for b in range(-3, 0)
        for c in range(-3, 4)
        for m in (1, 2, 3)
        if not frank_wolfe.zero_in_last_hull(walk(ONE, ((a,), (b,), (c,)), layers=m))
    )
    assert statement_named("frank-wolfe-negative").violated(finding) is None
    assert statement_named("frank-wolfe-negative-repaired").judge(finding) is None


#: statement -> its status and its hypotheses, as the papers and the remarks have them
STATEMENTS: dict[str, tuple[str, tuple[Hypothesis, ...]]] = {
    "lemma-0": ("true", (*conditions.CLUSTERING,)),
    "lemma-1": ("true", (*conditions.CLUSTERING,)),
    "lemma-2": ("true", (*conditions.CLUSTERING,)),
    "lemma-3": ("true", (*conditions.CLUSTERING,)),
    "lemma-4": ("true", (*conditions.CLUSTERING,)),
    "lemma-5": ("true", (*conditions.CLUSTERING,)),
    "lemma-6": ("true", (*conditions.CLUSTERING,)),
    "lemma-7": ("true", (*conditions.CLUSTERING,)),
    "theorem-1.1": ("true", (*conditions.CLUSTERING,)),
    "leader-without-symmetry": (
        "false",
        (
            conditions.NOT_SYMMETRIC,
            conditions.DEFINITE_PART,
            conditions.NONZERO,
            conditions.DISTINCT,
        ),
    ),
    "leader-indefinite": (
        "false",
        (
            conditions.SYMMETRIC,
            conditions.INDEFINITE,
            conditions.NONZERO,
            conditions.DISTINCT,
        ),
    ),
    "leader-semidefinite": (
        "false",
        (
            conditions.SYMMETRIC,
            conditions.SINGULAR,
            conditions.NONZERO,
            conditions.DISTINCT,
        ),
    ),
    "leader-duplicates": (
        "false",
        (
            conditions.SPD,
            conditions.NONZERO,
            conditions.REPEATED,
        ),
    ),
    "boundary-with-zero": (
        "false",
        (
            conditions.SPD,
            conditions.DISTINCT,
            conditions.ONE_ZERO,
        ),
    ),
    "leaders-are-initial-vertices": ("false", (*conditions.CLUSTERING,)),
    "every-token-tends-to-a-leader": ("false", (*conditions.CLUSTERING,)),
    "every-leader-leads-at-once": ("false", (*conditions.CLUSTERING,)),
    "graph-constant-after-n": ("false", (*conditions.CLUSTERING,)),
    "last-leader-within-n": ("false", (*conditions.CLUSTERING,)),
    "graph-stabilises": ("open", (*conditions.CLUSTERING,)),
    "frank-wolfe-negative": (
        "false",
        (
            frank_wolfe.SEMIDEFINITE,
            frank_wolfe.OPEN_LOOP,
            frank_wolfe.ZERO_FIRST,
        ),
    ),
    "frank-wolfe-negative-repaired": (
        "true",
        (
            frank_wolfe.SEMIDEFINITE,
            frank_wolfe.OPEN_LOOP,
            frank_wolfe.ZERO_FIRST,
            frank_wolfe.ZERO_ALWAYS,
        ),
    ),
    "closed-form-on-cells": ("true", (frank_wolfe.GENERIC,)),
    "voronoi-cells": (
        "true",
        (
            frank_wolfe.DEFINITE,
            frank_wolfe.EQUAL_NORMS,
        ),
    ),
    "exponentially-fast": (
        "false",
        (
            frank_wolfe.GENERIC,
            frank_wolfe.STEPS,
        ),
    ),
    "feasibility": ("true", ()),
    "two-blocks-suffice": ("true", (interpolation.FEASIBLE,)),
    "one-block-suffices": (
        "false",
        (
            interpolation.FEASIBLE,
            interpolation.ONE_TARGET,
        ),
    ),
}


@pytest.mark.parametrize("name", STATEMENTS)
def test_statements_keep_their_status_and_their_hypotheses(name: str) -> None:
    statement = statement_named(name)
    assert (statement.status, statement.hypotheses) == STATEMENTS[name]


def test_the_clustering_theorem_needs_three_hypotheses() -> None:
    assert conditions.CLUSTERING == (conditions.SPD, conditions.NONZERO, conditions.DISTINCT)


# ---------------------------------------------------------------- judging


def statement(conclusion: Any) -> Statement:
    return Statement("name", "words", "open", "source", (), conclusion, lambda rng: Tokens([[1]]))


@pytest.mark.parametrize("problem", [Declined("a limit"), Undecided("no answer")])
def test_what_declines_is_undecided_and_nothing_else(problem: Exception) -> None:
    def conclusion(tokens: Tokens) -> Any:
        raise problem

    verdict = statement(conclusion).judge(Tokens([[1]]))
    assert verdict is not None
    assert (verdict.outcome, verdict.witness) == ("undecided", {"why": str(problem)})
    assert not verdict.refutes


def test_other_problems_are_not_swallowed() -> None:
    def conclusion(tokens: Tokens) -> Any:
        raise InvalidInput("wrong")

    with pytest.raises(InvalidInput):
        statement(conclusion).judge(Tokens([[1]]))
    with pytest.raises(InvalidInput, match="expected the conclusion to return"):
        statement(lambda tokens: True).judge(Tokens([[1]]))


def test_statements_in_words() -> None:
    base = statement(lambda tokens: holds())
    assert base.in_words == "words"
    a, b, c = (Hypothesis(words, lambda instance: True) for words in ("a", "b", "c"))
    assert dataclasses.replace(base, hypotheses=(a,)).in_words == "If a: words"
    assert dataclasses.replace(base, hypotheses=(a, b, c)).in_words == "If a, b and c: words"
    assert "A is not symmetric" in statement_named("leader-without-symmetry").in_words


# ---------------------------------------------------------------- fates and interiors


@pytest.mark.parametrize("alpha", ["1/8", "1/2", 1, 3])
def test_fates_are_those_of_the_proved_limit(alpha: Any) -> None:
    for tokens in (
        Tokens([["7/5", "1/5"], [1, 1], [-1, 0]], alpha=alpha),
        Tokens([[2, 1], [1, 2], [-1, "1/2"], ["1/2", -1]], A=[[2, 1], [1, 1]], alpha=alpha),
        Tokens([[3, 0], [2, 1], [1, 1], [0, "1/2"]], alpha=alpha),
    ):
        end, found = fate(tokens), limit(tokens)
        assert list(end.limits) == found.points
        assert end.leads_from == found.orbit.leads_from
        assert tuple(end.changes) == found.orbit.graph_changes


@pytest.mark.parametrize("dim", [1, 2, 3, 4])
@pytest.mark.parametrize("identity", [True, False])
def test_plain_orbits_are_the_orbits_of_the_engine(dim: int, identity: bool) -> None:
    from random import Random

    from exactformer.dynamics.orbit import simulate
    from exactformer.dynamics.plain_orbit import PlainOrbit

    rng = Random(dim)
    for _ in range(6):
        points = [[F(rng.randint(-3, 3), rng.choice((1, 2))) for _ in range(dim)] for _ in range(5)]
        A = None if identity else [[2 * (i == j) + F(1, 3) * (abs(i - j) == 1) for j in range(dim)] for i in range(dim)]
        tokens = Tokens(points, A, alpha="2/3")
        plain, orbit = PlainOrbit(tokens), simulate(tokens, layers=4)
        for k in range(5):
            assert plain[k].follows == [tuple(s) for s in orbit.follows(k)]
            assert [plain[k].point(i) for i in range(5)] == orbit.tokens(k).rows()
            assert tuple(plain[k].leaders) == orbit.leaders_at(k) or set(plain[k].leaders) <= set(orbit.leaders_at(k))


def test_fates_that_take_long_are_found_in_stages() -> None:
    slow = Tokens([[3, 0], ["-1/2", 2], [1, "9/10"], ["-1/10", "1/10"]], alpha="1/64")
    end, found = fate(slow), limit(slow)
    assert list(end.limits) == found.points
    assert end.leads_from == found.orbit.leads_from
    tied = Tokens([*SQUARE, ["1/2", 0], ["1/4", "1/8"]], alpha="1/64")
    assert list(fate(tied).limits) == limit(tied).points
    never_locked = Tokens([["7/5", "1/5"], [1, 1], [0, 0]])  # the zero token ties with itself for ever
    assert fate(never_locked).limits[2] == (F(6, 5), F(3, 5))


def test_interior_points_have_weights_and_others_a_normal() -> None:
    corners = dict(enumerate(rows((1, 1), (1, -1), (-1, 1), (-1, -1))))
    for point in rows((0, 0), ("1/2", "1/3"), ("-9/10", "9/10")):
        weights = interior_weights(point, corners)
        assert weights is not None
        assert sum(w for _, w in weights) == 1
        assert all(w > 0 for _, w in weights)
        assert tuple(sum(w * corners[i][c] for i, w in weights) for c in range(2)) == point
        assert supporting_normal(point, list(corners.values())) is None
    for point in rows((1, 0), (1, 1), (2, 0)):
        assert interior_weights(point, corners) is None
        normal = supporting_normal(point, list(corners.values()))
        assert normal is not None
        assert any(normal)
        heights = [sum(h * (a - b) for h, a, b in zip(normal, p, point, strict=True)) for p in corners.values()]
        assert max(heights) <= 0
    flat = dict(enumerate(rows((1, 0), (-1, 0))))
    assert interior_weights(rows((0, 0))[0], flat) is None


def test_certificates_of_findings_have_their_witness(tmp_path: Path) -> None:
    import proofs_check

    statement = statement_named("frank-wolfe-negative")
    instance = INSTANCES["exponentially-fast"][1]
    slow = statement_named("exponentially-fast")
    verdict = slow.judge(instance)
    assert verdict is not None
    assert slow.certify is not None
    slow.certify(instance, verdict, tmp_path / "slow.jsonl")
    assert proofs_check.check(str(tmp_path / "slow.jsonl")).verdict == "accepted"
    assert statement.status == "false"


def last_self_tie(tokens: Tokens, layers: int) -> int | None:
    """The last layer 0..`layers` at which a token that is not the mean of its C_i is in it with two others."""
    orbit, found = PlainOrbit(tokens), None
    for k in range(layers + 1):
        for i, C in enumerate(orbit[k].follows):
            mean = [sum(column) / len(C) for column in zip(*(orbit[k].point(j) for j in C), strict=True)]
            if i in C and len(C) >= 3 and tuple(mean) != orbit[k].point(i):
                found = k
    return found


def test_the_last_self_tie_is_that_of_the_definition() -> None:
    seen = set()
    for seed in (*range(40), 107, 154, 256):
        tokens = SelfTies()(Random(seed))
        found = fate(tokens).self_tie
        assert found == last_self_tie(tokens, 45)
        seen.add(found)
    assert seen >= {None, 0, 1}


# ---------------------------------------------------------------- what guides the search, and who is told


@pytest.mark.parametrize(("last", "nearness"), [(None, 0.0), (0, 0.2), (3, 0.5), (float("inf"), 1.0)])
def test_the_later_a_self_tie_the_nearer_a_graph_that_never_stabilises(
    last: float | None, nearness: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stabilisation, "fate", lambda tokens: Fate({}, [], (), last))
    judgement = stabilisation.graph_stabilises(Tokens(SQUARE))
    assert (judgement.outcome, judgement.nearness) == ("true", nearness)


def test_ties_are_near_by_the_relative_gap_below_the_best_score() -> None:
    """Scores (4, 2), (2, 1): the gaps are 2/6 and 1/3 of the sums; the size of the tokens does not matter."""
    for factor in (1, 7, F(1, 100)):
        layer = PlainOrbit(Tokens([[2 * factor], [factor]]))[0]
        assert catalogue_lemmas.nearest_tie(layer) == pytest.approx(1 / (1 + 1 / 3))
    assert catalogue_lemmas.nearest_tie(PlainOrbit(Tokens([[1]]))[0]) == 0.5


def test_the_faster_instance_is_the_same_but_for_its_step() -> None:
    tokens = Tokens(SQUARE, [[2, 1], [1, 3]], "1/3")
    other = late_leaders.faster(tokens)
    assert (other.state, other.A, other.alpha) == (tokens.state, tokens.A, F(2, 3))


def test_as_many_leaders_as_vertices_are_not_more(monkeypatch: pytest.MonkeyPatch) -> None:
    """Four late or early leaders of a square are allowed, five are not; a fifth vertex allows a fifth."""

    def told(tokens: Tokens, leads: dict[int, int]) -> Any:
        monkeypatch.setattr(late_leaders, "fate", lambda other: Fate(leads, [], ()))
        return late_leaders.leaders_are_few(tokens)

    inner, outer = Tokens([*SQUARE, ["1/2", 0]]), Tokens([*SQUARE, [2, 0]])
    as_many = told(inner, {0: 0, 1: 0, 2: 4, 4: 2})
    assert (as_many.outcome, as_many.nearness) == ("true", 4 / 5)
    assert told(inner, {0: 0, 1: 0, 2: 4, 3: 1, 4: 2}).witness == {
        "leaders": [0, 1, 2, 3, 4],
        "vertices": [0, 1, 2, 3],
        "layers": 4,
    }
    assert told(outer, {0: 0, 1: 0, 2: 4, 3: 1, 4: 2}).nearness == 5 / 6
    assert told(inner, {0: 0, 1: 0}).nearness == 2 / 5 / 2
    assert told(inner, {0: 0, 1: 0, 2: 0, 3: 0, 4: 0}).outcome == "true"  # those of layer 0 are exposed


@pytest.mark.parametrize(
    ("e", "h", "alpha", "layer"),
    [
        ("1/10", "1/2", 1, 7),
        ("1/10", "1/2", 2, 4),
        ("1/9", "1/3", 1, 8),
        ("1/8", "1/2", "1/2", 11),
        ("1/6", "1/2", 5, 1),
    ],
)
def test_the_last_token_of_the_family_leads_strictly_after_the_time_predicted(
    e: str, h: str, alpha: Any, layer: int
) -> None:
    """(1-h)/(alpha e) + 1/alpha is 6, 3, 7, 10 and 4/5: the first layer beyond it."""
    tokens = late_leaders.late_leader(F(e), F(h), F(alpha))
    assert fate(tokens).leads_from[4] == layer
    judgement = late_leaders.leads_when_predicted(tokens)
    assert judgement.outcome == "true"
    assert judgement.nearness == pytest.approx(1 - 1 / (1 + math.log10(layer)))


def test_interior_tokens_that_lead_late_are_told_and_others_not(monkeypatch: pytest.MonkeyPatch) -> None:
    def told(tokens: Tokens, leads: dict[int, int]) -> Any:
        monkeypatch.setattr(late_leaders, "fate", lambda other: Fate(leads, [], ()))
        return late_leaders.interior_never_leads(tokens)

    inner, edge = Tokens([*SQUARE, ["1/2", 0]]), Tokens([*SQUARE, [1, 0]])
    assert told(inner, {0: 0, 4: 0}).nearness == 0.0  # an early one is a vertex
    assert told(edge, {0: 0, 4: 3}).nearness == 0.9
    assert told(inner, {0: 0, 1: 2}).nearness == 0.9
    found = told(inner, {0: 0, 1: 2, 4: 3})
    assert (found.outcome, found.witness["token"], found.witness["layers"]) == ("false", 4, 3)
    assert sum(w for _, w in found.witness["weights"]) == 1
    assert told(Tokens([[1, 0], [-1, 0], [0, 0]]), {0: 0, 2: 3}).nearness == 0.9  # too few for an interior


LATE_STATEMENTS = {
    "last-leader-within-n-large-alpha": ("false", (*conditions.CLUSTERING, conditions.AT_LEAST_ONE)),
    "late-leader-family": ("true", (*conditions.CLUSTERING, late_leaders.IN_FAMILY)),
    "leaders-grow-with-alpha": ("false", conditions.CLUSTERING),
    "leaders-shrink-with-alpha": ("false", conditions.CLUSTERING),
    "interior-tokens-never-lead": ("false", conditions.CLUSTERING),
    "leaders-at-most-initial-vertices": ("open", conditions.CLUSTERING),
}


@pytest.mark.parametrize("name", LATE_STATEMENTS)
def test_statements_about_late_leaders_keep_their_status_and_their_hypotheses(name: str) -> None:
    statement = statement_named(name)
    assert (statement.status, statement.hypotheses) == LATE_STATEMENTS[name]
    assert statement.violated(statement.generate(Random(1))) is None
