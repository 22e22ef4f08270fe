"""Tests of `exactformer.constructions.feasibility`."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import exactformer as ef
from exactformer.constructions.empirical_measures import distinct_points, supports
from exactformer.constructions.feasibility import merge
from exactformer.constructions.methods.table import METHODS
from exactformer.constructions.pipeline import construct
from exactformer.constructions.targets import targets_of
from exactformer.errors import NoConstruction
from exactformer.model.dataset import Dataset, Sequence


def labelled(*pairs: tuple[list[Any], str]) -> Dataset:
    return Dataset.of(Sequence.of([v if isinstance(v, list) else [v] for v in x], label=y) for x, y in pairs)


def test_equal_measures_with_different_labels_are_refused_with_the_measure() -> None:
    data = labelled(([[0], [1]], "a"), ([[1], [1], [0], [0]], "b"), ([[5]], "c"), ([[0], [1]], "c"))
    with pytest.raises(NoConstruction) as refusal:
        ef.construct(data)
    first, second = refusal.value.reasons
    assert (first.kind, first.sequences, second.sequences) == ("measure", (0, 1), (0, 3))
    assert first.witness["measure"] == [[["0"], "1/2"], [["1"], "1/2"]]
    assert "positions" in first.why
    assert "positions" not in second.why, "equal lists stay equal with positions"


def test_more_targets_than_tokens_are_refused_with_all_other_reasons() -> None:
    parts = [([[1], [1]], [[0], [2]]), ([[3]], [[0], [1], [2]]), ([[1]], [[5]])]
    data = Dataset.of([Sequence.of(x, targets=y) for x, y in parts])
    with pytest.raises(NoConstruction) as refusal:
        ef.construct(data)
    assert [(r.kind, r.sequences) for r in refusal.value.reasons] == [
        ("measure", (0, 2)),
        ("targets", (0,)),
        ("targets", (1,)),
    ]
    cured = [bool(r.witness["cures"]) for r in refusal.value.reasons]
    assert cured == [True, True, False]


def test_a_set_conflict_names_the_method_that_works() -> None:
    data = labelled(([[0], [1]], "a"), ([[0], [1], [1]], "b"))
    with pytest.raises(NoConstruction, match="shallow"):
        ef.construct(data, method="leaders")
    assert ef.construct(data, method="shallow").report.blocks == 2


@pytest.mark.parametrize("method", ["shallow", "deep", "leaders", "paper"])
def test_positions_cure_what_order_tells_apart(method: str) -> None:
    data = labelled(([[0], [1]], "up"), ([[1], [0]], "down"))
    with pytest.raises(NoConstruction):
        ef.construct(data)
    built = ef.construct(data, method=method, positions=True, label_targets={"up": [3], "down": [-3]})
    assert built.transformer.dim == 2
    assert [set(built.transformer(s.tokens).rows()) for s in built.data] == [{(3, 0)}, {(-3, 0)}]


def data(*pairs: tuple[list[Any], list[Any]]) -> Dataset:
    return Dataset.of(Sequence.of([[v] for v in x], [[v] for v in y]) for x, y in pairs)


# ---------------------------------------------------------------- feasibility


def test_measures_count_and_sets_do_not() -> None:
    given = data(([0, 1], [5]), ([0, 1, 1], [5]), ([1, 0, 0, 1], [5]), ([0], [5]))
    tokens, ids = distinct_points(given.tokens, np.random.default_rng(0))
    found, targets = supports(ids, given.offsets), targets_of(given)
    assert len(tokens) == 2
    assert merge(found, targets, "measure").member.tolist() == [0, 1, 0, 2]
    assert merge(found, targets, "set").member.tolist() == [0, 0, 0, 1]
    assert merge(found, targets, "measure").conflicts == []


@pytest.mark.parametrize("method", [name for name, known in METHODS.items() if "hardmax" in known.attentions])
def test_every_conflict_is_named(method: str) -> None:
    pairs = [([0, 1], [5]), ([1, 0], [6]), ([2], [7]), ([0, 1], [5]), ([1, 0], [8]), ([2, 2], [7])]
    with pytest.raises(NoConstruction) as refusal:
        construct(data(*pairs), method=method)
    kinds = {r.sequences for r in refusal.value.reasons if r.sequences}
    assert kinds == {(0, 1), (0, 4)}


def test_crowded_sequences_are_named() -> None:
    with pytest.raises(NoConstruction) as refusal:
        construct(data(([0, 1], [1, 2]), ([0, 0], [1, 2]), ([3, 4, 5], [1, 2])))
    (reason,) = refusal.value.reasons
    assert (reason.kind, reason.sequences) == ("targets", (1,))
    assert reason.witness["distinct_tokens"] == 1
    assert "positions" in str(reason.witness["cures"])


def test_positions_are_a_cure_only_where_there_are_tokens_enough() -> None:
    with pytest.raises(NoConstruction) as refusal:
        construct(data(([0, 0], [1, 2, 3])))
    assert refusal.value.reasons[0].witness["cures"] == []


def on_a_line(*pairs: tuple[list[Any], list[Any]]) -> Dataset:
    return Dataset.of(Sequence.of([[v] for v in x], [[v] for v in y]) for x, y in pairs)


ORDER = "positions (`positions`), which tell the order of tokens"


COUNTS = "method shallow or deep, which see multiplicities"


PLANAR = "method shallow or deep (temperature, for softmax at one temperature), which see multiplicities"


# ---------------------------------------------------------------- reasons


@pytest.mark.parametrize(
    ("method", "data", "kind", "common", "cures", "absolute"),
    [
        ("deep", labelled(([0, 0, 1], "a"), ([0, 0, 1], "b")), "measure", [["0", "2/3"], ["1", "1/3"]], [], True),
        ("deep", labelled(([0, 1, 0], "a"), ([0, 0, 1], "b")), "measure", [["0", "2/3"], ["1", "1/3"]], [ORDER], True),
        ("leaders", labelled(([1, 0], "a"), ([1, 0], "b")), "set", ["0", "1"], [], True),
        ("leaders", labelled(([1, 0], "a"), ([1, 0, 0], "b")), "set", ["0", "1"], [COUNTS, ORDER], False),
        ("leaders", labelled(([1, 0], "a"), ([0, 1, 1, 0], "b")), "set", ["0", "1"], [ORDER], True),
    ],
)
def test_reasons_with_their_witness_and_what_cures_them(
    method: str, data: Dataset, kind: str, common: list[Any], cures: list[str], absolute: bool
) -> None:
    with pytest.raises(NoConstruction) as refusal:
        construct(data, method=method)
    (reason,) = refusal.value.reasons
    shown = [[[x], weight] for x, weight in common] if kind == "measure" else [[x] for x in common]
    assert (reason.kind, reason.sequences, reason.absolute) == (kind, (0, 1), absolute)
    assert reason.witness == {kind: shown, "cures": cures}
    who = "no transformer can" if absolute else f"method {method} cannot"
    assert str(refusal.value).startswith(f"{who} interpolate these data:\n")
    assert reason.why.endswith("; cured by " + " or by ".join(cures)) or not cures
    assert ("depend on the tokens and their proportions alone" in reason.why) == absolute


def test_in_the_plane_softmax_at_one_temperature_sees_multiplicities_too() -> None:
    with pytest.raises(NoConstruction) as refusal:
        construct(labelled(([[0, 1], [1, 1]], "a"), ([[0, 1], [0, 1], [1, 1]], "b")), method="leaders")
    assert refusal.value.reasons[0].witness["cures"] == [PLANAR, ORDER]


@pytest.mark.parametrize(
    ("tokens", "targets", "cured"), [([0, 0], [1, 2], True), ([0, 0, 1], [1, 2, 3], True), ([0, 0], [1, 2, 3], False)]
)
def test_as_many_tokens_as_targets_are_enough_with_positions(tokens: Any, targets: Any, cured: bool) -> None:
    data = on_a_line((tokens, targets))
    with pytest.raises(NoConstruction) as refusal:
        construct(data)
    (reason,) = refusal.value.reasons
    wanted = {"targets": len(targets), "distinct_tokens": len(set(tokens))}
    assert {k: reason.witness[k] for k in wanted} == wanted
    assert bool(reason.witness["cures"]) == cured
    if cured:
        assert construct(data, positions=True).report.sequences == 1


@pytest.mark.parametrize(("conflicts", "shown"), [(9, 9), (10, 10), (11, 10), (13, 10)])
def test_ten_reasons_are_shown_and_the_others_counted(conflicts: int, shown: int) -> None:
    data = labelled(*(([j], label) for j in range(conflicts) for label in "ab"))
    with pytest.raises(NoConstruction) as refusal:
        construct(data)
    _, *lines, conditions = str(refusal.value).splitlines()
    assert conditions.endswith("mathematics/constructions/#when-is-it-possible")
    assert len(refusal.value.reasons) == conflicts
    assert lines[:shown] == [f"  {reason.why}" for reason in refusal.value.reasons[:shown]]
    assert lines[shown:] == ([f"  and {conflicts - 10} more"] if conflicts > 10 else [])


def test_one_reason_in_the_data_speaks_of_every_transformer() -> None:
    with pytest.raises(NoConstruction) as refusal:
        construct(labelled(([0, 1], "a"), ([0, 1, 1], "b"), ([2], "a"), ([2], "b")), method="leaders")
    assert [reason.absolute for reason in refusal.value.reasons] == [False, True]
    assert str(refusal.value).startswith("no transformer can interpolate these data:")


def test_names_reach_the_refusal() -> None:
    data = ef.Dataset.of([[[0], [1]], [[1], [0]], [[2]]], labels=["a", "b", "a"], names=["fox", "owl", "elk"])
    with pytest.raises(NoConstruction, match=r"no transformer can.*\n.*'fox' and 'owl'.*`positions`"):
        ef.construct(data)
    assert ef.construct(data, positions=True).predict([[[1], [0]]]) == ["b"]
    counts = ef.Dataset.of([[[0], [1]], [[1], [0], [0]]], labels=["a", "b"])
    with pytest.raises(NoConstruction, match=r"^method leaders cannot.*\n.*method shallow"):
        ef.construct(counts, method="leaders")
