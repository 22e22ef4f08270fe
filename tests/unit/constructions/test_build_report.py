"""Tests of `exactformer.constructions.build_report`."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from exactformer.constructions.methods.table import METHODS
from exactformer.constructions.pipeline import construct
from exactformer.errors import NoConstruction
from exactformer.instances.dataset_families import sample
from exactformer.model.dataset import Dataset, Sequence


@pytest.mark.parametrize("method", [name for name, known in METHODS.items() if "hardmax" in known.attentions])
@pytest.mark.parametrize("dim", [4, 5])
def test_reports_count_what_was_built(method: str, dim: int) -> None:
    rng = np.random.default_rng(3)
    given = Dataset.of(
        Sequence.of(rng.integers(-3, 4, size=(n, dim)).tolist(), rng.integers(-3, 4, size=(1, dim)).tolist())
        for n in (1, 2, 2, 3)
    )
    built = construct(given, method=method)
    report, transformer = built.report, built.transformer
    assert report.blocks == len(transformer) <= report.bound
    assert report.width == max(b.feed_forward.width for b in transformer if b.feed_forward is not None)
    assert report.parameters == sum(
        layer.parameters for b in transformer for layer in (b.feed_forward, b.self_attention) if layer is not None
    )
    assert report.max_bits == max(b.bits for b in transformer)
    assert report.paper_bound == 2 * 4 + 2 * 4 + 1
    assert (report.sequences, report.dim, report.method) == (4, dim, method)
    assert report.measures == 4
    assert len(built.stages) == report.blocks
    table = report.json()
    assert table["blocks"] == report.blocks
    assert table["margin"] == ("unbounded" if report.margin is None else str(report.margin))


@pytest.mark.parametrize("family", ["random-targets", "windows", "nested", "coinciding-targets", "one-token"])
@pytest.mark.parametrize("width", [1, 3])
@pytest.mark.parametrize("robust", [False, True])
def test_the_bound_is_that_of_the_theorem_and_kept(family: str, width: int, robust: bool) -> None:
    data = sample(family, 5, 2, 1)
    for method in ("shallow", "deep", "leaders", "paper"):
        if robust and method in ("leaders", "paper"):
            continue
        try:
            report = construct(data, method=method, width=width, robust=robust).report
        except NoConstruction:
            continue
        distinct = [len(set(sequence.tokens.rows())) for sequence in data]
        wanted = [1 if data.labels is not None else len(set(data.targets_of(j).rows())) for j in range(len(data))]
        total, several = sum(wanted), max(wanted) > 1
        nodes = total + several * sum(m < n for m, n in zip(wanted, distinct, strict=True))
        nodes = 2 * total if robust else nodes
        proved = {
            "shallow": 2,
            "deep": math.ceil((report.hinges + 1) / width) + math.ceil(nodes / width),
            "leaders": max(1, len(data) - 1) + math.ceil(nodes / 4),
            "paper": 2 * total + 2 * len(data) + 1,
        }[method]
        assert report.bound == proved or (method == "deep" and not robust and report.bound < proved)
        assert report.blocks <= report.bound
        assert report.paper_bound == 2 * total + 2 * len(data) + 1


def on_a_line(*pairs: tuple[list[Any], list[Any]]) -> Dataset:
    return Dataset.of(Sequence.of([[v] for v in x], [[v] for v in y]) for x, y in pairs)


def labelled(*pairs: tuple[list[Any], str]) -> Dataset:
    return Dataset.of(Sequence.of([v if isinstance(v, list) else [v] for v in x], label=y) for x, y in pairs)


@pytest.mark.parametrize(("attention", "method"), [(None, "deep"), ("softmax", "deep"), (None, "leaders")])
def test_the_bound_of_the_theorem_counts_sequences_and_the_bits_count_measures(attention: Any, method: str) -> None:
    """Five sequences, three of them the same measure: sum m = 3 + 3 + 3 + 1 + 1 = 11, of three measures 3, 1 and 1."""
    many = ([0, 1, 2], [5, 6, 7])
    data = on_a_line(many, ([2, 1, 0], [7, 6, 5]), many, ([8, 9], [5]), ([4], [5]))
    built = construct(data, method=method, attention=attention)
    report = built.report
    assert (report.sequences, report.measures, report.dim) == (5, 3, 1)
    assert report.paper_bound == 22 + (15 if attention else 11)
    assert report.information_bits == math.ceil(3 * math.log2(3) - 2)
    assert report.attention_rank == max(built.transformer.attention_ranks)
    assert report.attention == (attention or "hardmax")


def test_the_rank_of_attention_is_the_largest_of_all_blocks() -> None:
    built = construct(labelled(([[0, 1, 2]], "a"), ([[1, 0, 1], [2, 2, 0]], "b")), method="paper")
    assert (built.transformer.attention_ranks[0], built.report.attention_rank) == (1, 3)


def test_nodes_of_the_bound_are_those_of_the_theorem() -> None:
    """K = 3 + 1 + 1 targets, and one more for the sequence that has more tokens than targets."""
    data = on_a_line(([0, 1, 2], [5, 6, 7]), ([8, 9], [5]), ([4], [5]))
    report = construct(data, method="deep", width=1).report
    assert report.bound == report.hinges + 1 + 6
    single = construct(labelled(([0, 1, 2], "a"), ([8, 9], "b"), ([4], "a")), method="deep", width=1).report
    assert single.bound == single.hinges + 1 + 3
