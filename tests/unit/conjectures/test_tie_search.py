"""Tests of `exactformer.conjectures.tie_search`."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from exactformer.conjectures.tie_search import TieCampaign, TieSearch
from exactformer.errors import InvalidInput, Malformed
from exactformer.instances.last_case import held_tie, solved_tokens
from exactformer.instances.tie_patterns import ClusterShape

F = Fraction


def campaign(seed: int = 1) -> TieCampaign:
    shapes = [ClusterShape(F(3), 1), ClusterShape(F(8), 2, targets=2)]
    return TieCampaign([TieSearch(shape) for shape in shapes], seed=seed)


def test_a_search_goes_on_where_it_stopped(tmp_path: Path) -> None:
    running = campaign()
    found = list(running.run(1.5))
    assert found
    running.save(tmp_path / "ties.json")
    again = TieCampaign.read(tmp_path / "ties.json")
    assert [s.proposals for s in again.searches] == [s.proposals for s in running.searches]
    assert [s.kept for s in again.searches] == [s.kept for s in running.searches]
    assert again.seconds == pytest.approx(running.seconds, abs=0.001)
    before = again.searches[0].proposals
    list(again.run(0.2))
    assert again.searches[0].proposals > before


def test_what_is_kept_is_exact_and_the_longest_is_told() -> None:
    running = campaign()
    list(running.run(1.5))
    search = running.searches[0]
    for (layers, changes), kept in search.kept.items():
        for tie in kept:
            solved = solved_tokens(search.shape, tie.pattern, np.array(tie.solution))
            assert solved is not None
            held = held_tie(solved[0], [0], layers)
            assert (held.layers, held.changes) == (layers, changes)
    longest = search.longest()
    assert longest is not None
    assert longest.layers == max(layers for layers, _ in search.kept)
    assert search.longest(1) is None  # one token cannot change
    assert TieSearch(search.shape).most_changes() is None


def test_a_file_of_another_kind_is_refused(tmp_path: Path) -> None:
    (tmp_path / "other.json").write_text('{"ties": 3}')
    with pytest.raises(Malformed, match="expected a campaign"):
        TieCampaign.read(tmp_path / "other.json")


def test_two_campaigns_are_joined() -> None:
    one, two = campaign(1), campaign(2)
    list(one.run(0.5))
    list(two.run(0.5))
    both = one.joined(two)
    assert both.seconds == one.seconds + two.seconds
    for first, second, search in zip(one.searches, two.searches, both.searches, strict=True):
        assert search.proposals == first.proposals + second.proposals > first.proposals
        assert sum(map(len, search.kept.values())) == sum(
            len(ties) for part in (first, second) for ties in part.kept.values()
        )
        longest = search.longest()
        assert longest is not None
        assert longest.layers == max(held.layers for part in (first, second) if (held := part.longest()))
    with pytest.raises(InvalidInput, match="different seeds, got 2 and 2 shapes, seeds 1 and 1"):
        one.joined(campaign(1))
    with pytest.raises(InvalidInput, match="same shapes and different seeds, got 2 and 1 shapes"):
        one.joined(TieCampaign(one.searches[:1], seed=2))
