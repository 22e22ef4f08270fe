"""Fates proved in stages, from whichever layer on, against the layers by their definition; shrinking by layers."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from random import Random

import pytest

from exactformer.conjectures.catalogue import catalogue
from exactformer.conjectures.catalogue.leaders import SLOW
from exactformer.conjectures.generators import TokenFamily
from exactformer.conjectures.hunt import hunt
from exactformer.conjectures.judgement import Judgement, fails
from exactformer.conjectures.plain_orbit import PlainOrbit
from exactformer.conjectures.proved_fate import _in_stages, fate
from exactformer.conjectures.self_ties import SelfTies
from exactformer.conjectures.shrink import shrink
from exactformer.conjectures.statement import Statement
from exactformer.dynamics.limits import limit
from exactformer.errors import Malformed
from exactformer.model.tokens import Tokens

F = Fraction
LATE = TokenFamily(sizes=(4, 5, 6), dims=(2, 2), steps=SLOW[1:4])
#: layers after which nothing happens to the instances here
END = 30


def by_definition(tokens: Tokens) -> tuple[dict[int, int], tuple[int, ...], int | None]:
    """(first layer of every leader, layers at which a C_i changes, last self-tie) of the layers 0..END."""
    orbit = PlainOrbit(tokens)
    leads = {i: k for i in range(len(tokens)) for k in range(END, -1, -1) if orbit[k].follows[i] == (i,)}
    changes = tuple(k for k in range(1, END + 1) if orbit[k].follows != orbit[k - 1].follows)
    last = None
    for k in range(END + 1):
        for i, C in enumerate(orbit[k].follows):
            mean = tuple(sum(column) / len(C) for column in zip(*(orbit[k].point(j) for j in C), strict=True))
            if i in C and len(C) >= 3 and mean != orbit[k].point(i):
                last = k
    return leads, changes, last


@pytest.mark.parametrize("seed", [487, 517, 589, 765, 892])
def test_late_leaders_are_found_from_every_layer_on(seed: int) -> None:
    tokens = LATE(Random(seed))
    leads, changes, tie = by_definition(tokens)
    assert len(changes) > 1
    assert max(leads.values()) > changes[0]
    points = limit(tokens).points
    for last in (0, changes[0], changes[-1] - 1, END):
        found = _in_stages(PlainOrbit(tokens), last)
        assert (found.leads_from, found.changes, found.self_tie) == (leads, changes, tie)
        assert list(found.limits) == points
    whole = fate(tokens)
    assert (whole.leads_from, whole.changes, whole.self_tie) == (leads, changes, tie)


@pytest.mark.parametrize("seed", [57, 939, 1546])
def test_of_several_self_ties_the_last_counts_from_every_layer_on(seed: int) -> None:
    tokens = SelfTies()(Random(seed))
    leads, changes, tie = by_definition(tokens)
    assert tie == 1
    for last in (0, 1, 2, 5):
        found = _in_stages(PlainOrbit(tokens), last)
        assert (found.leads_from, found.changes, found.self_tie) == (leads, changes, tie)
    assert fate(tokens).self_tie == 1


@pytest.mark.parametrize("key", ["layer", "layers"])
def test_an_earlier_layer_is_worth_more_than_fewer_digits(key: str) -> None:
    """Numbers up to one in absolute value fail at layer 5 only, larger ones at once: two is the smallest of these."""

    def late(tokens: Tokens) -> Judgement:
        return fails(**{key: 0 if any(abs(x) > 1 for x in tokens.state.rows()[0]) else 5})

    own = Statement("own", "own", "open", "here", (), late, catalogue()["lemma-1"].generate)
    small, verdict = shrink(own, Tokens([[7]], alpha="1/3"))
    assert (small.state.rows(), small.alpha, verdict.witness) == ([(F(2),)], 1, {key: 0})


def test_the_parts_of_a_users_statement_are_functions(tmp_path: Path) -> None:
    path = tmp_path / "own.py"
    begin = "from exactformer.conjectures import *\nstatement = Statement('a', 'w', 'open', 's', (), "
    for parts, words in (("print, 2)", "expected generate to be a function, got 2"), ("2, print)", "conclusion")):
        path.write_text(begin + parts)
        with pytest.raises(Malformed, match=words):
            hunt(str(path), budget=5)
