"""Instances on which arrays could go wrong: ties, repeats, zeros, huge numbers, extreme steps, a single token."""

from __future__ import annotations

from collections import defaultdict
from fractions import Fraction
from random import Random

from exactformer.instances.generators import TokenFamily
from exactformer.instances.self_ties import SelfTies
from exactformer.instances.token_families import FAMILIES, SMALLEST, sample
from exactformer.instances.tokens import TokensKind, tokens_of
from exactformer.model.token_arrays import TokenArrays, fitting
from exactformer.model.tokens import Tokens

STEPS = tuple(map(Fraction, ("1/1000000", "1/64", "1/3", "1", "3", "16", "1000003")))


def named(count: int) -> list[Tokens]:
    """Instances of every named family that fit."""
    found = []
    for name in FAMILIES:
        n, d = SMALLEST.get(name, (1, 1))
        found += [sample(name, max(n, 3 + k % 5), max(d, 2), k) for k in range(count)]
    return found


def adversarial(rng: Random) -> Tokens:
    """One of the kinds at random."""
    kind = rng.randrange(7)
    tokens = TokenFamily(sizes=range(1, 9), repeats=kind == 0, zero=kind == 1)(rng)
    if kind == 2:
        return SelfTies()(rng)
    if kind == 3:  # ties, far from the origin of float64's exact integers
        size = 10 ** rng.randint(3, 12)
        return tokens_of([[size * x for x in row] for row in tokens.state.rows()], None, tokens.alpha)
    if kind == 4:
        return Tokens(tokens.state, tokens.A, rng.choice(STEPS))
    if kind == 5:  # two tokens that differ by so little that floats see a tie after a few layers
        rows = [tuple(map(Fraction, row)) for row in tokens.state.rows()]
        rows.append(tuple(x + Fraction(rng.choice((-1, 1)), 10 ** rng.randint(3, 7)) for x in rows[0]))
        return tokens_of(rows, None, tokens.alpha)
    return TokensKind().varied(tokens, rng) if kind == 6 else tokens


def in_arrays(instances: list[Tokens]) -> list[tuple[list[Tokens], TokenArrays]]:
    """The instances that fit, in groups of equal n and d."""
    groups: dict[tuple[int, int], list[Tokens]] = defaultdict(list)
    for tokens in instances:
        if fitting(tokens):
            groups[len(tokens), tokens.dim].append(tokens)
    return [(group, TokenArrays.of(group)) for group in groups.values()]
