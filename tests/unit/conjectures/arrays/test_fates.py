"""Tests of `exactformer.conjectures.arrays.fates`: what is settled is what closed forms prove."""

from __future__ import annotations

from random import Random

import numpy as np
import pytest
from kits.array_instances import adversarial, in_arrays, named

from exactformer.conjectures.arrays import fates as of_arrays
from exactformer.conjectures.arrays.fates import NEVER, fates
from exactformer.conjectures.arrays.proved import nearest_ties
from exactformer.conjectures.catalogue.conditions import CLUSTERING
from exactformer.conjectures.catalogue.leaders import left_behind
from exactformer.conjectures.catalogue.lemmas import nearest_tie
from exactformer.conjectures.proved_limit import fate
from exactformer.dynamics.plain_orbit import PlainOrbit
from exactformer.geometry.hull import vertex
from exactformer.instances.generators import TokenFamily, mirror_pairs
from exactformer.instances.self_ties import SelfTies
from exactformer.model.tokens import Tokens


def drawn(seed: int, count: int) -> list[Tokens]:
    """Instances of many kinds that satisfy the hypotheses of the clustering theorem."""
    rng = Random(seed)
    mirrored, tied = TokenFamily(points=mirror_pairs), SelfTies()
    found = [draw(rng) for _ in range(count) for draw in (adversarial, mirrored, tied, TokenFamily())] + named(3)
    return [tokens for tokens in found if all(h.holds_for(tokens) for h in CLUSTERING)]


def test_fates_are_those_of_closed_forms() -> None:
    settled = total = 0
    for group, given in in_arrays(drawn(1, 150)):
        found = fates(given)
        total += len(group)
        for k in np.flatnonzero(found.settled).tolist():
            settled += 1
            end, n = fate(group[k]), len(group[k])
            leads = {i: layer for i, layer in enumerate(found.leads_from[:, k].tolist()) if layer != NEVER}
            assert leads == end.leads_from, group[k]
            assert found.late[k] == max(end.leads_from.values())
            assert found.change[k] == max(end.changes, default=0)
            assert found.after_n[k] == next((layer for layer in end.changes if layer > n), NEVER)
            assert found.self_tie[k] == (NEVER if end.self_tie is None else end.self_tie)
            leading = {end.limits[i] for i in end.leads_from}
            stray = [i for i, point in enumerate(end.limits) if point not in leading]
            assert found.stray[k] == (stray[0] if stray else NEVER)
    assert settled > 0.85 * total > 400


def test_both_kinds_of_nearness_are_those_of_layer_0_to_the_bit() -> None:
    """Large numbers, too, whose products leave float64."""
    seen = 0
    for group, given in in_arrays(drawn(2, 300)):
        ties, behind = fates(given, nearest_ties).near, fates(given, of_arrays.left_behind).near
        for k in np.flatnonzero(ties).tolist():
            layer = PlainOrbit(group[k])[0]
            assert ties[k] == nearest_tie(layer)
            assert behind[k] == left_behind(layer), group[k]
            seen += behind[k] > 0
    assert seen > 10


def test_leaders_span_the_hull_where_every_vertex_leads() -> None:
    """On a line and in the plane exactly there, ties, collinear points and single tokens included; nobody leads later."""
    spanned = others = 0
    for group, given in in_arrays([tokens for tokens in drawn(4, 60) if tokens.dim < 3]):
        leads = fates(given).leads_from == 0
        answer = of_arrays.leaders_span(given.points, leads)
        alone = fates(given, leaders_only=True)
        for k, tokens in enumerate(group):
            rows = tokens.state.rows()
            vertices = [i for i, row in enumerate(rows) if vertex(row, rows)]
            if leads[:, k].any():  # what arrays take up at all
                assert answer[k] == all(leads[vertices, k]), tokens
            if answer[k]:
                assert alone.settled[k]
                assert fate(tokens).leads_from.keys() == set(np.flatnonzero(leads[:, k]).tolist())
            spanned, others = spanned + answer[k], others + (~answer[k])
    assert min(spanned, others) > 50


@pytest.mark.parametrize(
    ("tokens", "late"), [(Tokens([[1, 0], [1, 1], [0, 3]]), 1), (Tokens([[2, 0], [0, 2], [1, 1]]), 0)]
)
def test_small_instances(tokens: Tokens, late: int) -> None:
    ((_, given),) = in_arrays([tokens])
    found = fates(given)
    assert found.settled.tolist() == [True]
    assert found.late.tolist() == [late] == [max(fate(tokens).leads_from.values())]


def test_resting_among_moving_members_is_locked() -> None:
    """(0, -1) is the mean of the two leaders and of the two that follow them, for ever; closed forms need stages."""
    tokens = Tokens([[2, -1], [-2, -1], ["21/10", -1], ["-21/10", -1], [0, -1]], alpha="1/2")
    ((_, given),) = in_arrays([tokens])
    found = fates(given)
    assert (found.settled.tolist(), found.locked.tolist(), found.stray.tolist()) == ([True], [0], [4])
    assert fate(tokens).changes == ()


def test_a_mean_that_moves_is_not_locked() -> None:
    """All five points of the line y = 1 tie for the last token, until their mean leaves the axis."""
    rows = [[3, 1], [-3, 1], [1, 1], ["-1/4", 1], ["-3/4", 1], [0, "1/2"]]
    tokens = Tokens(rows, alpha="1/2")
    assert PlainOrbit(tokens)[0].follows[5] == (0, 1, 2, 3, 4)
    assert fate(tokens).changes
    ((_, given),) = in_arrays([tokens])
    found = fates(given)
    assert not found.settled.any() or found.change.tolist() == [max(fate(tokens).changes)]
    assert found.locked.tolist() != [0] or not found.settled.any()
