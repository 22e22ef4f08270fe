"""Exact interpolation: when it is possible, and how many blocks it takes."""

from __future__ import annotations

from collections import Counter
from math import gcd
from pathlib import Path
from random import Random

from exactformer.arithmetic.rational import RationalRow
from exactformer.conjectures.counterexample_claim import write_one_block_counterexample
from exactformer.conjectures.statement import Hypothesis, Statement
from exactformer.conjectures.verdict import StatementVerdict, conclude, fails, undecided
from exactformer.constructions.pipeline import construct
from exactformer.errors import NoConstruction
from exactformer.geometry.separation import Hyperplane, separate
from exactformer.instances.datasets import Pairs, alone_and_together, any_data, dataset_of_pairs, pairs_of
from exactformer.model.dataset import Dataset
from exactformer.model.transformer import Transformer

SOURCE = "Alcalde, Fantuzzi, Zuazua, Exact Sequence Interpolation with Transformers (arXiv 2502.02270)"
OURS = "this project; compare " + SOURCE


def violated_condition(pairs: Pairs) -> tuple[str, tuple[int, ...]] | None:
    """The first violated condition with its sequences: equal measures, equal targets; no more targets than tokens."""
    seen: dict[frozenset[tuple[RationalRow, int]], int] = {}
    for j, (tokens, targets) in enumerate(pairs):
        if len(set(targets)) > len(set(tokens)):
            return "targets", (j,)
        counts = Counter(tokens)
        divisor = gcd(*counts.values())
        i = seen.setdefault(frozenset((x, n // divisor) for x, n in counts.items()), j)
        if set(pairs[i][1]) != set(targets):
            return "measure", (i, j)
    return None


def interpolates(transformer: Transformer, pairs: Pairs) -> bool:
    """Whether the set of outputs is the set of targets, for every sequence, by evaluating the transformer."""
    return all(set(transformer([list(x) for x in tokens]).rows()) == set(targets) for tokens, targets in pairs)


def feasible_exactly(data: Dataset) -> StatementVerdict:
    """A transformer is built and verified, or refused with a condition that is indeed violated; never the other way."""
    pairs = pairs_of(data)
    violated = violated_condition(pairs)
    try:
        built = construct(data)
    except NoConstruction as refusal:
        return conclude(violated is not None, built=False, reasons=[reason.why for reason in refusal.reasons])
    if violated is not None:
        return fails(built=True, condition=violated[0], sequences=list(violated[1]))
    return conclude(interpolates(built.transformer, pairs), built=True)


def two_blocks(data: Dataset) -> StatementVerdict:
    """A transformer with at most two blocks interpolates the data."""
    built = construct(data)
    blocks = len(built.transformer)
    return conclude(blocks <= 2 and interpolates(built.transformer, pairs_of(data)), blocks=blocks)


def one_block(data: Dataset) -> StatementVerdict:
    """One block interpolates the data: impossible where a target is outside the hull of those of its tokens alone.

    If every [x_i] alone has the target y_i and (x_1, .., x_n) together the target y, then y lies in conv {y_i}: average
    the outputs over a stationary distribution of the attention matrix.
    """
    pairs = pairs_of(data)
    alone = {tokens[0]: targets[0] for tokens, targets in pairs if len(tokens) == 1 and len(targets) == 1}
    for j, (tokens, targets) in enumerate(pairs):
        known = len(set(tokens)) == len(tokens) > 1 and len(targets) == 1 and all(x in alone for x in tokens)
        if known:
            answer = separate(targets, [alone[x] for x in tokens])
            if isinstance(answer, Hyperplane):
                return fails(sequence=j, normal=list(answer.normal))
    return undecided("no sequence rules one block out, and none was built")


def certify_one_block(data: Dataset, verdict: StatementVerdict, path: Path) -> None:
    """The single tokens of the sequence, the sequence itself, and the hyperplane."""
    pairs, witness = pairs_of(data), verdict.witness
    tokens, targets = pairs[witness["sequence"]]
    alone = {x[0]: (x, y) for x, y in pairs if len(x) == 1 and len(y) == 1}
    write_one_block_counterexample(path, [*(alone[x] for x in tokens), (tokens, targets)], witness["normal"])


def feasible_data(rng: Random) -> Dataset:
    """Such data without the sequences that violate a condition."""
    pairs = pairs_of(any_data(rng))
    while (violated := violated_condition(pairs)) is not None and len(pairs) > 1:
        gone = violated[1][-1]
        pairs = (*pairs[:gone], *pairs[gone + 1 :])
    return dataset_of_pairs(pairs)


FEASIBLE = Hypothesis(
    "equal measures have equal targets, and no sequence has more targets than distinct tokens",
    lambda data: violated_condition(pairs_of(data)) is None,
)
ONE_TARGET = Hypothesis("every sequence has one target", lambda data: all(len(y) == 1 for _, y in pairs_of(data)))

STATEMENTS = (
    Statement(
        "feasibility",
        "A data set can be interpolated exactly if equal measures have equal target sets and no sequence has more "
        "targets than distinct tokens; and only if.",
        "true",
        OURS,
        (),
        feasible_exactly,
        any_data,
    ),
    Statement(
        "two-blocks-suffice",
        "Every feasible data set is interpolated by a transformer with two blocks.",
        "true",
        OURS,
        (FEASIBLE,),
        two_blocks,
        feasible_data,
    ),
    Statement(
        "one-block-suffices",
        "Every feasible data set is interpolated by a transformer with one block.",
        "false",
        OURS,
        (FEASIBLE, ONE_TARGET),
        one_block,
        alone_and_together,
        certify_one_block,
    ),
)
