"""Tests of `exactformer.studies.sentiment.explanation`."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np

from exactformer.studies.sentiment.classifier import ReviewClassifier

F = Fraction


NAMES = ("za", "zb", "zc", "zd", "ze")


def model_of(rows: Any, v: Any, b: int = 0, **options: Any) -> ReviewClassifier:
    options = {"denominator": 1, "layers": 2, **options}
    return ReviewClassifier(NAMES[: len(rows)], np.array(rows, dtype=np.int64), tuple(v), b, **options)


# explanations -----------------------------------------------------------------------------------------
def test_rows_of_the_leader_table_add_up_however_many_are_named() -> None:
    model = model_of([[9, 0], [0, 7], [-5, -1], [1, 1], [2, 0]], [3, 1], 2)
    found = model.explain("za zb zc zd zd ze")
    assert [w.word for w in found.words] == list(NAMES)
    leading = [w.word for w in found.words if w.leads_from is not None]
    assert leading == ["za", "zb", "zc"]
    votes = [abs(found.words[i].vote) for i in found.leaders]
    assert votes == sorted(votes, reverse=True)
    for most, labels in (
        (None, 3),
        (3, 3),
        (2, 2),
        (1, 1),
        (0, 0),
    ):
        rows = found.rows(most)
        names = [found.words[i].word for i in found.leaders[:labels]]
        rest = [f"{3 - labels} more leaders"] if labels < 3 else []
        assert [row.label for row in rows] == [*names, *rest, "all other words", "bias"]
        assert sum(row.vote for row in rows) == found.value
        assert sum(row.weight for row in rows if row.weight is not None) == 1
        assert rows[-1].vote == found.bias == 2
    first = found.rows()[0]
    word = found.words[found.leaders[0]]
    assert (first.leader, first.start, first.score, first.weight) == (found.leaders[0], 0, word.score, word.weight)
    assert first.followers == tuple(
        j for j, w in enumerate(found.words) if found.leaders[0] in w.follows and j != found.leaders[0]
    )
    assert first.decimals() == [f"{float(x):+.4f}" for x in (word.score, word.weight, word.vote)]
    assert found.rows()[-1].decimals() == ["", "", "+2.0000"]
    assert f"{float(found.value):+.4f}" in found._repr_html_()
    assert (
        repr(found)
        == f"Explanation({found.decision}, value {float(found.value):+.4f}, leaders: {', '.join(found.words[i].word for i in found.leaders)})"
    )


def test_an_explanation_in_json() -> None:
    model = model_of([[4, 8], [-1, 2]], [1, 0], 1)
    told = model.explain("zb za unknown za").json()
    assert list(told) == [
        "decision",
        "value",
        "bias",
        "words",
        "leaders",
        "unknown",
        "left_out",
        "layers",
        "same_from_depth",
    ]
    assert [(w["word"], w["count"], w["follows"]) for w in told["words"]] == [("zb", 1, [1]), ("za", 2, [1])]
    assert told["leaders"] == [{"word": 1, "from_layer": 0, "vote": told["words"][1]["weight"] * 4}]
    assert (told["unknown"], told["left_out"], told["layers"]) == (["unknown"], 0, [[[1], [1]]] * 2)
    # zb keeps 1/16 of its place: its weight is 1/3 of that
    assert [w["weight"] for w in told["words"]] == [F(1, 48), F(47, 48)]
    assert told["value"] == 1 + F(-1, 48) + F(4 * 47, 48)
    assert told["same_from_depth"] == 0


def test_the_depth_from_which_a_decision_is_the_same_is_the_first() -> None:
    """-1 + mean of 4 and -2 (thrice): -3/2 at depth 0; all go to 4 by quarters of the way that is left."""
    model = model_of([[4, 8], [-2, 3]], [2, 0], -1, layers=4)
    found = model.explain("za zb zb zb")
    values = [model.value_at(*found.ballot.mean(k)) for k in range(5)]
    assert values[0] < 0 < values[1]
    assert found.same_from == 1
    assert replace(model, layers=0).explain("za zb zb zb").same_from is None


# what a stranger might change -------------------------------------------------------------------------
def test_a_depth_at_which_the_value_is_zero_does_not_decide_alike() -> None:
    model = model_of([[4, 8], [-2, 3]], [2, 0], -2, layers=4)
    found = model.explain("za zb")
    assert [model.value_at(*found.ballot.mean(k)) > 0 for k in range(3)] == [False, True, True]
    assert model.value_at(*found.ballot.mean(0)) == 0
    assert found.same_from == 1
