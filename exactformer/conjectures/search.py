"""A shard of a campaign: a small search of its own, whose every step follows from the seed and the shard's number.

Instances are drawn from the statement's generator, or varied from those of the shard that came nearest to failing.
Shards know nothing of one another, so a campaign finds the same whatever the number and the speed of its workers.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from random import Random

from exactformer.conjectures.statement import Statement
from exactformer.conjectures.verdict import StatementVerdict
from exactformer.errors import ExactformerError, InvalidInput
from exactformer.instances.kinds import kind_of

#: instances a shard judges
SHARD = 500
#: near misses a shard remembers
ELITE = 12
#: draws outside the hypotheses, one after another, after which a generator is called unsuitable
PATIENCE = 2000


@dataclass
class NearMisses:
    """The instances that came nearest to failing, the nearest first; equally near ones make room for newer ones."""

    members: list[tuple[float, object]] = field(default_factory=list)

    def add(self, nearness: float, instance: object) -> None:
        """Remembers an instance if it is near enough and not there already."""
        if nearness <= 0 or any(nearness == known and instance == other for known, other in self.members):
            return
        place = next((k for k, (known, _) in enumerate(self.members) if nearness >= known), len(self.members))
        if place < ELITE:
            self.members.insert(place, (nearness, instance))
            del self.members[ELITE:]

    def choose(self, rng: Random) -> object:
        """A random one, the nearest being the likeliest."""
        return self.members[min(rng.randrange(len(self.members)) for _ in range(3))][1]


def shard_rng(statement: Statement, seed: int, shard: int) -> Random:
    """The random numbers of a shard: text seeds are hashed by SHA-512, the same on every machine."""
    return Random(f"{statement.name}/{seed}/{shard}")


def judged(statement: Statement, seed: int, shard: int, count: int) -> Iterator[tuple[object, StatementVerdict]]:
    """The first `count` instances of a shard within the hypotheses, each with its verdict."""
    rng, near = shard_rng(statement, seed, shard), NearMisses()
    for _ in range(count):
        instance, verdict = _next(statement, rng, near)
        near.add(verdict.nearness, instance)
        yield instance, verdict


def judged_near(
    statement: Statement, start: object, seed: int, count: int
) -> Iterator[tuple[object, StatementVerdict]]:
    """`count` instances within the hypotheses, each with its verdict: variations of `start`, then of near misses."""
    rng, near = Random(f"{statement.name}/{seed}/near"), NearMisses()
    verdict = statement.judge(start)
    if verdict is not None:
        near.add(verdict.nearness, start)
        yield start, verdict
    near_start = replace(statement, generate=lambda rng: _wander(start, rng))
    for _ in range(count - (verdict is not None)):
        instance, verdict = _next(near_start, rng, near)
        near.add(verdict.nearness, instance)
        yield instance, verdict


def _wander(start: object, rng: Random) -> object:
    """A few variations on from the start."""
    for _ in range(rng.choice((1, 1, 2, 3))):
        try:
            start = kind_of(start).varied(start, rng)
        except ExactformerError:
            continue
    return start


def _next(statement: Statement, rng: Random, near: NearMisses) -> tuple[object, StatementVerdict]:
    """Draws until an instance satisfies the hypotheses."""
    for _ in range(PATIENCE):
        instance = _draw(statement, rng, near)
        verdict = None if instance is None else statement.judge(instance)
        if verdict is not None:
            return instance, verdict
    raise InvalidInput(
        f"{statement.name}: {PATIENCE} draws in a row lay outside the hypotheses; "
        "let `generate` return instances that satisfy them"
    )


def _draw(statement: Statement, rng: Random, near: NearMisses) -> object:
    """A new instance, or a variation of a near miss; None where the variation is not an instance any more."""
    if not near.members or rng.random() < 0.3:
        return statement.generate(rng)
    instance = near.choose(rng)
    try:
        return kind_of(instance).varied(instance, rng)
    except ExactformerError:
        return None
