"""The score of a sample: its arithmetic, the rooms, what is drawn, and declared addresses that are no more."""

from __future__ import annotations

import pytest
from equivalent import EQUIVALENT
from line_map import package_files
from operators import Address, Mutant, mutants
from planting import ROOT
from run import sample, stale
from score import Score, failings, room_of, scores


@pytest.mark.parametrize(
    ("seen", "tried", "low", "high"),
    [
        (0, 0, 0.0, 1.0),
        (8, 10, 0.4902, 0.9433),
        (0, 10, 0.0, 0.2775),
        (10, 10, 0.7225, 1.0),
        (550, 600, 0.8918, 0.9362),
    ],
)
def test_intervals_are_those_of_wilson(seen: int, tried: int, low: float, high: float) -> None:
    assert Score("room", seen, tried).interval == pytest.approx((low, high), abs=6e-5)


def test_one_score_per_room() -> None:
    results = [
        ("exactformer/geometry/hull.py", True),
        ("exactformer/geometry/a/b.py", False),
        ("exactformer/errors.py", True),
    ]
    assert scores(results) == [Score("exactformer", 1, 1), Score("geometry", 1, 2)]


@pytest.mark.parametrize(
    ("file", "room"),
    [
        ("exactformer/errors.py", "exactformer"),
        ("exactformer/conjectures/catalogue/lemmas.py", "conjectures"),
        ("exactformer/studies/mean_field/rate.py", "studies/mean_field"),
        ("proofs_check/lines.py", "proofs_check"),
        ("proofs_check/core/lines.py", "proofs_check/core"),
    ],
)
def test_rooms(file: str, room: str) -> None:
    assert room_of(file) == room


def test_the_goal_is_missed_overall_or_by_a_room_as_a_whole() -> None:
    assert failings(Score("all", 92, 100), [Score("a", 7, 10), Score("b", 0, 0)]) == []
    assert failings(Score("all", 91, 100), [Score("a", 70, 100)]) == [
        "overall: below 92%",
        "a: the whole interval lies below 88%",
    ]


def some(count: int, file: str) -> list[Mutant]:
    return [Mutant(Address(file, "f", "< to <=", k), file, (k,)) for k in range(count)]


def test_a_sample_is_drawn_by_its_seed_and_every_room_has_its_share() -> None:
    every = some(500, "exactformer/model/a.py") + some(20, "exactformer/io/b.py") + some(3, "exactformer/errors.py")
    first, more = sample(every, 50, 7)
    assert (first, more) == sample(every, 50, 7)
    assert first != sample(every, 50, 8)[0]
    assert len(first) == 50
    assert len({*first, *more}) == len(first) + len(more)
    held = scores((m.file, True) for m in [*first, *more])
    assert [score.tried for score in held if score.room != "model"] == [3, 15]
    assert {room_of(m.file) for m in more} <= {"io", "exactformer"}
    assert sample(every, 50, 7, 0) == (first, [])


def test_a_declared_address_that_is_no_more_is_reported() -> None:
    every = some(2, "exactformer/io/b.py")
    gone = str(Address("exactformer/io/b.py", "f", "< to <=", 2))
    assert stale([str(every[0].address), gone], every) == [gone]


def test_every_mutant_declared_equivalent_is_there_and_has_a_reason() -> None:
    assert stale(list(EQUIVALENT), list(mutants(ROOT, package_files()))) == []
    assert all(len(reason) > 15 for reason in EQUIVALENT.values())
