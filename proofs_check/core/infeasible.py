"""The claim `infeasible` (FORMAT.md, section 3): no map of a kind interpolates the data."""

from collections import Counter
from fractions import Fraction

from .budget import Budget
from .certificate import Certificate
from .lines import indices
from .points import Point
from .subject import Sequence, sequences
from .verdict import holds, well_formed


def infeasible(file: Certificate) -> str:
    """Two sequences that a map cannot tell apart have different targets, or one has too many targets."""
    condition, N = file.header["condition"], file.header["sequences"]
    named = indices(file.header["witness"], N)
    well_formed(type(condition) is str and condition in CONDITIONS, "the condition is measure, set or targets")
    length, kinds, verify, who, why = CONDITIONS[condition]
    well_formed(len(named) == length, "the witness is two sequences, for targets one")
    found = [sequence for j, sequence in enumerate(sequences(file, *kinds)) if j in named]
    verify(found, file.budget)
    return f"no {who} interpolates the data: of {N} sequences in Q^{file.dim}, {list(named)} have {why}"


def verify_measure(found: list[Sequence], budget: Budget) -> None:
    """The same empirical measure, different targets."""
    verify_set(found, budget)
    first, last = (measure(sequence) for sequence in found)
    holds(first == last, "the two sequences have different measures")


def measure(sequence: Sequence) -> dict[Point, Fraction]:
    """The share of every token; shares are equal if and only if the counts divided by their gcd are."""
    tokens = sequence.tokens.points()
    return {x: Fraction(times, len(tokens)) for x, times in Counter(tokens).items()}


def verify_set(found: list[Sequence], budget: Budget) -> None:
    """The same set of tokens, different targets; with labels alone different labels stand for different targets."""
    first, last = found
    holds((first.targets, first.label) != (last.targets, last.label), "the two sequences have the same targets")
    same = budget.distinct(first.tokens.points()) == budget.distinct(last.tokens.points())
    holds(same, "the two sequences have different tokens")


def verify_targets(found: list[Sequence], budget: Budget) -> None:
    """More targets than distinct tokens."""
    (sequence,) = found
    enough = len(sequence.targets) <= len(budget.distinct(sequence.tokens.points()))
    holds(not enough, "there are enough distinct tokens for the targets")


ANY_KIND = (("targets", "label"), ("targets",), ("label",))
SAME = "the same {} of tokens and different targets"
CONDITIONS = {  # length of the witness, keys of the sequence lines, verification, for whom it is infeasible, why
    "measure": (2, ANY_KIND, verify_measure, "transformer", SAME.format("measure")),
    "set": (2, ANY_KIND, verify_set, "map that sees only the set of tokens (not mean pooling)", SAME.format("set")),
    "targets": (1, (("targets",),), verify_targets, "transformer", "too many targets"),
}
