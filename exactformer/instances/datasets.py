"""Instances of the interpolation problem: sequences with sets of target points."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from random import Random

from exactformer.arithmetic.rational import RationalRow, RationalRows
from exactformer.arithmetic.state import State
from exactformer.display.latex import latex_vector
from exactformer.dynamics.plain_orbit import rational_row
from exactformer.instances.generators import point_set
from exactformer.instances.numbers import (
    nudged,
    replaced,
    simpler_numbers,
    total_cost,
    without_column,
)
from exactformer.io.json_lines import JsonObject
from exactformer.model.dataset import Dataset, Sequence

#: the sequences as pairs (tokens, targets)
Pairs = tuple[tuple[RationalRows, RationalRows], ...]


def dataset_of_pairs(pairs: Pairs) -> Dataset:
    """The data set with the given (tokens, targets), one pair a sequence."""
    return Dataset.of(Sequence.of(tokens, targets=targets) for tokens, targets in pairs)


def pairs_of(data: Dataset) -> Pairs:
    """(tokens, targets) of every sequence as rational numbers; InvalidInput for a data set of labels."""
    return tuple((_rows(data[j].tokens), _rows(data.targets_of(j))) for j in range(len(data)))


def _rows(points: State) -> RationalRows:
    return tuple(map(rational_row, points.rows()))


class DatasetKind:
    """Data sets with targets: simplified towards few sequences, few tokens, small integers."""

    def json(self, instance: Dataset) -> JsonObject:
        """The data set file."""
        return instance.json()

    def read(self, content: JsonObject) -> Dataset:
        """The instance of a data set file."""
        return Dataset.of(Sequence.of(row["tokens"], targets=row["targets"]) for row in content["sequences"])

    def size(self, instance: Dataset) -> tuple[int, ...]:
        """Sequences, tokens and targets, dimension, digits, and whether the order is not the natural one."""
        pairs = pairs_of(instance)
        points = [row for x, y in pairs for row in (*x, *y)]
        return (len(pairs), len(points), instance.dim, *total_cost(points), int(pairs != _sorted(pairs)))

    def varied(self, instance: Dataset, rng: Random) -> Dataset:
        """One point changed wherever it occurs, or a sequence lengthened, shortened or left out."""
        pairs, step = pairs_of(instance), rng.randrange(6)
        j = rng.randrange(len(pairs))
        tokens, targets = pairs[j]
        if step == 0 and len(pairs) > 1:
            return dataset_of_pairs((*pairs[:j], *pairs[j + 1 :]))
        if step == 1:
            return dataset_of_pairs(_with(pairs, j, (*tokens, rng.choice(pairs)[0][0]), targets))
        if step == 2 and len(tokens) > 1:
            return dataset_of_pairs(_with(pairs, j, tokens[1:], targets))
        chosen, k = rng.choice(tokens if step == 3 else targets), rng.randrange(instance.dim)
        moved = replaced(chosen, k, nudged(chosen[k], rng))
        if step == 3:
            return dataset_of_pairs(_swapped(pairs, chosen, moved))
        return dataset_of_pairs(_with(pairs, j, tokens, tuple(moved if row == chosen else row for row in targets)))

    def simpler(self, instance: Dataset) -> Iterator[Dataset]:
        """Fewer sequences, lower dimension, fewer tokens and targets, simpler points: in this order."""
        pairs = pairs_of(instance)
        for j in range(len(pairs)) if len(pairs) > 1 else ():
            yield dataset_of_pairs((*pairs[:j], *pairs[j + 1 :]))
        for k in range(instance.dim) if instance.dim > 1 else ():
            yield dataset_of_pairs(tuple((without_column(x, k), without_column(y, k)) for x, y in pairs))
        for point in sorted({row for x, _ in pairs for row in x}):
            kept = tuple((tuple(row for row in x if row != point), y) for x, y in pairs)
            if any(x for x, _ in kept):
                yield dataset_of_pairs(tuple((x, y) for x, y in kept if x))
        for j, (x, y) in enumerate(pairs):
            yield from (
                dataset_of_pairs(_with(pairs, j, (*x[:i], *x[i + 1 :]), y)) for i in range(len(x)) if len(x) > 1
            )
            yield from (
                dataset_of_pairs(_with(pairs, j, x, (*y[:i], *y[i + 1 :]))) for i in range(len(y)) if len(y) > 1
            )
        yield from _simpler_points(pairs)
        yield dataset_of_pairs(_sorted(pairs))

    def latex(self, instance: Dataset) -> str:
        """X_j -> Y_j for every sequence."""
        lines = [
            f"[{', '.join(map(latex_vector, x))}] \\mapsto \\{{{', '.join(map(latex_vector, y))}\\}}"
            for x, y in pairs_of(instance)
        ]
        return ",\\quad ".join(lines)


def _sorted(pairs: Pairs) -> Pairs:
    """Short sequences first, tokens in increasing order."""
    inside = [(tuple(sorted(x)), tuple(sorted(y))) for x, y in pairs]
    return tuple(sorted(inside, key=lambda pair: (len(pair[0]), pair)))


def _simpler_points(pairs: Pairs) -> Iterator[Dataset]:
    """One coordinate of one point simpler: of a token wherever it occurs, of a target of one sequence."""
    for point in sorted({row for x, _ in pairs for row in x}):
        for moved in _simpler_rows(point):
            yield dataset_of_pairs(_swapped(pairs, point, moved))
    for j, (x, y) in enumerate(pairs):
        for i, row in enumerate(y):
            yield from (dataset_of_pairs(_with(pairs, j, x, (*y[:i], q, *y[i + 1 :]))) for q in _simpler_rows(row))


def _simpler_rows(row: RationalRow) -> Iterator[RationalRow]:
    for k, x in enumerate(row):
        yield from (replaced(row, k, y) for y in simpler_numbers(x))


def _swapped(pairs: Pairs, old: RationalRow, new: RationalRow) -> Pairs:
    """The pairs with the token `new` wherever `old` was."""
    return tuple((tuple(new if row == old else row for row in x), y) for x, y in pairs)


def _with(pairs: Pairs, j: int, tokens: RationalRows, targets: RationalRows) -> Pairs:
    return (*pairs[:j], (tokens, targets), *pairs[j + 1 :])


# families -----------------------------------------------------------------------------------------------------
def any_data(rng: Random) -> Dataset:
    """A few sequences over a small pool of tokens, with repetitions, and targets from another pool."""
    d = rng.choice((1, 1, 2, 3))
    pool, aims = _pool(rng, rng.choice((2, 3, 4)), d), _pool(rng, rng.choice((1, 2, 4)), d)
    pairs = []
    for _ in range(rng.choice((1, 2, 3, 4, 5))):
        tokens = tuple(rng.choices(pool, k=rng.choice((1, 2, 2, 3, 4))))
        pairs.append((tokens, tuple(dict.fromkeys(rng.choices(aims, k=rng.choice((1, 1, 2)))))))
    return dataset_of_pairs(tuple(pairs))


def alone_and_together(rng: Random) -> Dataset:
    """Some tokens alone and some of them together, one target each."""
    d = rng.choice((1, 1, 2))
    pool = _pool(rng, rng.choice((2, 2, 3)), d)
    aims = _pool(rng, 4, d)
    alone = [((x,), (rng.choice(aims),)) for x in pool]
    return dataset_of_pairs((*alone, (tuple(rng.sample(pool, rng.randint(1, len(pool)))), (rng.choice(aims),))))


def _pool(rng: Random, n: int, d: int) -> RationalRows:
    return tuple(dict.fromkeys(point_set(rng, n, d))) or ((Fraction(0),) * d,)
