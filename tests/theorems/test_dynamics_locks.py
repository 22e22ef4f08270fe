"""Locks are those of the lemma: who never moves again, and who keeps its set, from which layer on."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest

from exactformer.dynamics.engine_input import EngineInput
from exactformer.geometry.points import dot
from exactformer.instances.token_families import sample
from exactformer.model.tokens import Tokens

Vector = tuple[Fraction, ...]


class LemmaByDefinition:
    """The lemma of `locking`, position by position, in Fractions."""

    def __init__(self, system: EngineInput) -> None:
        self.A, self.weights = system.tokens.A, system.positions.weights.tolist()
        self.static: set[int] = set()
        self.locked: dict[int, int] = {}

    def layer(self, k: int, sets: list[tuple[int, ...]], rows: list[Vector]) -> None:
        means = [self.mean(members, rows) for members in sets]
        active = [i for i in range(len(sets)) if i not in self.locked]
        self.static |= {i for i in active if sets[i] == (i,)}
        settled = {*self.locked, *(i for i in active if len(sets[i]) == 1 and sets[i][0] in self.static)}

        def closed(i: int, still: set[int]) -> bool:
            others = (j for j in sets[i] if j != i and j not in still)
            return all(j in settled and set(sets[j]) <= set(sets[i]) for j in others)

        tied = [i for i in active if len(sets[i]) > 1 and self.cancel(sets[i], rows, means)]
        resting = {i for i in tied if i in sets[i] and rows[i] == means[i]}
        while falls := {i for i in resting if not closed(i, self.static | resting)}:
            resting -= falls
        self.static |= resting
        kept = {i for i in tied if i in resting or (closed(i, self.static) and self.exposed(sets[i], means[i], rows))}
        self.locked |= dict.fromkeys({i for i in settled | kept if i not in self.locked}, k)

    def mean(self, members: tuple[int, ...], rows: list[Vector]) -> Vector:
        total = sum(self.weights[j] for j in members)
        return tuple(
            sum((self.weights[j] * rows[j][c] for j in members), Fraction(0)) / total for c in range(len(self.A))
        )

    def cancel(self, members: tuple[int, ...], rows: list[Vector], means: list[Vector]) -> bool:
        return all(sum(self.weights[j] * (rows[j][c] - means[j][c]) for j in members) == 0 for c in range(len(self.A)))

    def exposed(self, members: tuple[int, ...], centre: Vector, rows: list[Vector]) -> bool:
        image = [dot(row, centre) for row in self.A]
        scores = [dot(image, row) for row in rows]
        return all(scores[j] == max(scores) for j in members)


def agree(tokens: Tokens, layers: int) -> None:
    system = EngineInput(tokens)
    engine, lemma = system.engine(), LemmaByDefinition(system)
    for k in range(layers):
        sets = engine.follows(k)
        if len(engine.history) <= k:
            break
        lemma.layer(k, [tuple(sets[i].tolist()) for i in range(len(sets))], engine.state(k).rows())
        assert {i for i, still in enumerate(engine.static.tolist()) if still} == lemma.static
        assert {i: at for i, at in enumerate(engine.locked_from.tolist()) if at >= 0} == lemma.locked
        assert engine.active.tolist() == [i for i in range(len(sets)) if i not in lemma.locked]


@pytest.mark.parametrize(
    ("family", "n", "d"),
    [
        ("symmetric-faces", 9, 2),
        ("axis-ties", 8, 2),
        ("ternary", 9, 3),
        ("duplicated", 9, 2),
        ("metastable-ties", 8, 2),
    ],
)
def test_positions_are_locked_at_the_layer_at_which_the_lemma_says_so(family: str, n: int, d: int) -> None:
    for seed in range(12):
        agree(sample(family, n, d, seed), 5)


#: tokens in the mirror of the first axis, some of which rest between two leaders, and repeated ones
MIRRORED: list[list[list[Any]]] = [
    [[0, 0], [-4, 0], [-5, 0], [-5, 4], [-5, -4], [4, 5], [4, -5], [0, 1], [0, -1]],
    [[0, 0], [1, 0], [5, 0], [5, 5], [5, -5], [-1, 6], [-1, -6], [-2, 2], [-2, -2], [1, 2], [1, -2]],
    [[0, 0], [-1, 0], [-3, 0], [-3, 5], [-3, -5], [2, 1], [2, -1], [6, 4], [6, -4]],
    [[1, 1], ["-5/4", 1], ["1/2", 1], ["1/2", 1], ["-3/4", 1], [0, "1/2"]],
]


@pytest.mark.parametrize("rows", MIRRORED)
@pytest.mark.parametrize("alpha", ["1", "1/3"])
def test_tokens_that_rest_in_a_mirror_and_those_that_follow_them_are_locked(rows: list[Any], alpha: str) -> None:
    agree(Tokens(rows, alpha=alpha), 6)
