"""Lemmas 0-7 hold on orbits of every family, and their checks find a planted violation of each."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import pytest

from exactformer.dynamics.lemmas import Layer, check_lemmas, layers_of, witness
from exactformer.dynamics.orbit import simulate
from exactformer.instances.token_families import FAMILIES, sample
from exactformer.model.tokens import Tokens

from ..agreement.test_dynamics_orbits import shapes

F = Fraction
IDENTITY = ((F(1), F(0)), (F(0), F(1)))


@pytest.mark.parametrize("name", FAMILIES)
def test_all_lemmas_hold_on_every_family(name: str) -> None:
    for seed in range(6):
        n, d = shapes(name, seed)
        found = check_lemmas(simulate(sample(name, n, d, seed), layers=6))
        assert found == dict.fromkeys(range(8)), (name, seed, found)


def layers() -> list[Layer]:
    """A leader (2,0), a leader (0,2), a follower of both and a follower of the first."""
    return list(layers_of(simulate(Tokens([[2, 0], [0, 2], ["1/2", "1/2"], [1, "1/4"], [1, 1]]), layers=3)))


def test_the_untouched_layers_have_no_witness() -> None:
    assert all(witness(layers(), lemma) is None for lemma in range(8))


def row(k: int, token: int, value: tuple[int, int]) -> list[Layer]:
    """The layers with one token moved by hand."""
    changed = layers()
    rows = list(changed[k].rows)
    rows[token] = (F(value[0]), F(value[1]))
    changed[k] = replace(changed[k], rows=rows)
    return changed


def follows(k: int, token: int, members: tuple[int, ...]) -> list[Layer]:
    """The layers with one follower set changed by hand."""
    changed = layers()
    sets = list(changed[k].follows)
    sets[token] = members
    changed[k] = replace(changed[k], follows=sets)
    return changed


@pytest.mark.parametrize(
    ("lemma", "forged", "layer"),
    [
        (0, row(2, 3, (2, 0)), 1),
        (1, follows(1, 0, (3,)), 1),
        (1, follows(1, 2, ()), 1),
        (2, row(2, 3, (0, 0)), 1),
        (3, row(1, 2, (1, 1)), 0),
        (4, follows(2, 0, (0, 1)), 1),
        (4, row(1, 0, (3, 0)), 0),
        (4, row(3, 3, (2, 1)), 2),
        (5, follows(0, 0, (0, 1)), 0),
        (6, follows(1, 0, (3,)), 1),
        (7, follows(1, 4, (0, 3)), 1),
    ],
)
def test_a_planted_violation_has_a_witness(lemma: int, forged: list[Layer], layer: int) -> None:
    found = witness(forged, lemma)
    assert found is not None
    assert (found.lemma, found.layer) == (lemma, layer)
    assert str(found).startswith(f"lemma {lemma} fails at layer {layer}")


def test_lemmas_fail_where_their_hypotheses_do() -> None:
    ring = simulate(Tokens([[-4, -1], [3, -3], [1, 4]], [[1, -2], [2, 1]]), layers=5, unchecked=True)
    assert check_lemmas(ring)[5] is not None or check_lemmas(ring)[6] is not None
    negative = simulate(Tokens([[1], [-1]], [[-1]]), layers=2, unchecked=True)
    assert check_lemmas(negative)[5] is not None


def test_a_single_layer_is_checked_too() -> None:
    ring = simulate(Tokens([[-4, -1], [3, -3], [1, 4]], [[1, -2], [2, 1]]), layers=0, unchecked=True)
    assert check_lemmas(ring)[6] is not None
