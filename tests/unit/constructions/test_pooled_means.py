"""Tests of `exactformer.constructions.pooled_means`."""

from __future__ import annotations

import numpy as np
import pytest

from exactformer.constructions.distinct_means import separating_hinges
from exactformer.constructions.methods.shallow import hinge_layer, mean_pooling
from exactformer.constructions.pipeline import problem_of
from exactformer.constructions.pooled_means import pooled_means, spread_tokens
from exactformer.constructions.problem import Problem
from exactformer.constructions.targets import targets_of
from exactformer.instances.dataset_families import sample
from exactformer.model.dataset import Dataset
from exactformer.model.transformer import Block, Transformer


def problem_for(data: Dataset, method: str) -> Problem:
    return problem_of(data, targets_of(data), method, np.random.default_rng(0))


@pytest.mark.parametrize("family", ["windows", "random-classes", "multiplicities", "equal-means"])
@pytest.mark.parametrize("dim", [1, 2])
def test_pooled_means_are_where_the_blocks_put_the_sequences(family: str, dim: int) -> None:
    data = sample(family, 9, dim, 3)
    problem = problem_for(data, "compact")
    found = pooled_means(problem, np.random.default_rng(1))
    model = Transformer(dim, [step.block for step in found.steps])
    assert found.parameters == model.parameters
    for sequence, member in zip(data, problem.member.tolist(), strict=True):
        u, e = problem.line.u, problem.line.e
        for row in model(sequence.tokens).rows():
            assert sum(c * x for c, x in zip(e, row, strict=True)) == found.values[member]
            assert sum(c * x for c, x in zip(u, row, strict=True)) == found.values[member]
    assert len(set(found.values)) == len(found.values)
    hinges = separating_hinges(problem.measures, problem.line.values, np.random.default_rng(1))
    block = Block(hinge_layer(problem.line, hinges), mean_pooling(problem.line, None))
    assert found.parameters < block.parameters or (len(found.steps), found.parameters) == (1, block.parameters)


@pytest.mark.parametrize("family", ["random-targets", "targets-are-inputs", "coinciding-targets"])
def test_spread_tokens_stand_where_the_block_puts_them(family: str) -> None:
    data = sample(family, 5, 2, 3)
    problem = problem_for(data, "compact")
    found, targets = spread_tokens(problem, np.random.default_rng(1))
    model = Transformer(2, [step.block for step in found.steps])
    starts = problem.measures.starts.tolist()
    assert len(found.values) == len(targets) == starts[-1] == len(set(found.values))
    for sequence, j in zip(data, problem.member.tolist(), strict=True):
        own = range(starts[j], starts[j + 1])
        places = {problem.line.at(row) for row in model(sequence.tokens).rows()}
        assert places == {found.values[k] for k in own}
        assert {targets[k] for k in own} == set(problem.targets[j])
