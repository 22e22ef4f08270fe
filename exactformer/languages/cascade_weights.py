"""A cascade as a recogniser with one past head per level, ties to the last, four coordinates.

Coordinates: 0 the letter and the coordinates of the chain before this position, as one integer in mixed radix; 1 the
number 1; 2 whether the coordinate of the level is reset here; 3 the value it is reset to. A function of the integer is
piecewise linear: a few units. The head of a level looks at the last position before this one that resets, and adds its
value to the integer. The verdict is a function of the integer, too: the last letter moves the state before it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction

from exactformer.errors import Declined
from exactformer.languages.automaton import Automaton
from exactformer.languages.cascade import Cascade
from exactformer.languages.recogniser import Periodic, Recogniser
from exactformer.model.feed_forward import FeedForward
from exactformer.model.heads import Head, MultiHeadAttention, MultiHeadBlock, TieRule
from exactformer.model.matrix import Sparse

NUMBER, ONE, RESET, VALUE = range(4)
DIM = 4

#: the most units times different tokens, about what a proof evaluates
MOST_EVALUATIONS = 60_000_000

#: an integer to the numbers wanted there
LayerTable = dict[int, tuple[int, ...]]


def recogniser_of_cascade(found: Cascade, automaton: Automaton, period: int = 1) -> Recogniser:
    """The recogniser of the automaton's language: heads `before`, ties `last`, no marks; its value is always 1 or -1.

    Declined where a proof would evaluate too many units.

    >>> from exactformer.languages.cascade import cascade
    >>> from exactformer.languages.expressions import of_expression
    >>> d = of_expression("(ab)*")
    >>> r = recogniser_of_cascade(cascade(d), d)
    >>> r.verdict("abab"), r.verdict("aba"), r.verdict("")
    ('accept', 'reject', 'accept')
    """
    letters = len(automaton.letters)
    weight = letters * period
    number_of = {(chain, k): k for chain in found.moves for k in found.moves[chain]}
    blocks = []
    for level, radix in enumerate(found.radices):
        if radix == 1:
            continue
        table: LayerTable = {}
        for (chain, k), at in number_of.items():
            value = found.resets[chain][k][level]
            table[at] = (0, 0) if value is None else (1, value)
        blocks.append(MultiHeadBlock(table_layer(table, (RESET, VALUE)), MultiHeadAttention(1, [head(weight)])))
        number_of = {(chain, k): at + weight * chain[level] for (chain, k), at in number_of.items()}
        weight *= radix
    verdicts = {at: (_sign(automaton, found, chain, k),) for (chain, k), at in number_of.items()}
    blocks.append(MultiHeadBlock(table_layer(verdicts, (VALUE,)), None))
    features = [] if period == 1 else [Periodic(NUMBER, [r * letters for r in range(period)])]
    return recogniser_of_blocks(automaton, blocks, len(number_of), features)


def recogniser_of_blocks(
    automaton: Automaton, blocks: Sequence[MultiHeadBlock], tokens: int, features: Sequence[Periodic] = ()
) -> Recogniser:
    """The recogniser with these blocks; Declined where so many different tokens and its units are too many to prove."""
    work = tokens * sum(block.feed_forward.width for block in blocks if block.feed_forward is not None)
    if work > MOST_EVALUATIONS:
        raise Declined(f"weights that take about {work:,} evaluations to be proved, too many; give a smaller language")
    letters = [[k, 0, 0, 0] for k in range(len(automaton.letters))]
    empty = automaton.start in automaton.accepting
    return Recogniser(automaton.letters, letters, blocks, [0, 0, 0, 1], features=features, empty=empty)


def _sign(automaton: Automaton, found: Cascade, chain: Sequence[int], k: int) -> int:
    """1 where the automaton accepts after letter k, else -1."""
    state = found.state_of[tuple(chain)]
    return 1 if automaton.next[state][k % len(automaton.letters)] in automaton.accepting else -1


def head(weight: int, ties: TieRule = "last") -> Head:
    """Adds weight times the value of the last (first) position before that resets, or of all before if none does."""
    V = Sparse([{VALUE: weight} if c == NUMBER else {} for c in range(DIM)], DIM)
    return Head(V, Sparse([{ONE: 1}], DIM), Sparse([{RESET: 1}], DIM), "before", ties)


def table_layer(table: Mapping[int, Sequence[int]], coordinates: Sequence[int]) -> FeedForward:
    """x -> the number kept, the number 1, and the functions of the table in the coordinates given; 0 elsewhere.

    A function with values f(c) at the integers c is f(least c) + sum of changes of slope * relu(number - c).
    """
    points = sorted(table)
    changes = {c: changes_of_slope(points, [table[p][k] for p in points]) for k, c in enumerate(coordinates)}
    bends = sorted({p for found in changes.values() for p in found} | {0})
    unit = {p: k for k, p in enumerate(bends)}
    one = len(bends)
    rows: list[dict[int, Fraction | int]] = [{} for _ in range(DIM)]
    rows[NUMBER], rows[ONE] = {unit[0]: 1}, {one: 1}
    for k, c in enumerate(coordinates):
        rows[c] = {unit[p]: change for p, change in changes[c].items()}
        if table[points[0]][k]:
            rows[c][one] = table[points[0]][k]
    inputs = Sparse([{NUMBER: 1}] * one + [{}], DIM)
    return FeedForward(0, inputs, [*(-p for p in bends), 1], Sparse(rows, one + 1))


def changes_of_slope(points: Sequence[int], values: Sequence[int]) -> dict[int, Fraction]:
    """Where the function through the points bends, and by how much; before the first point it is constant.

    >>> changes_of_slope([0, 1, 3], [0, 1, 1])
    {0: Fraction(1, 1), 1: Fraction(-1, 1)}
    """
    found, slope = {}, Fraction(0)
    for k in range(len(points) - 1):
        following = Fraction(values[k + 1] - values[k], points[k + 1] - points[k])
        if following != slope:
            found[points[k]] = following - slope
            slope = following
    return found
