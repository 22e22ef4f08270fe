"""Sequences told apart by their means: the means stand for them, and nothing else is built than from the measures."""

from __future__ import annotations

import math
import random
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

import exactformer as ef
from exactformer.arithmetic.state import State
from exactformer.certificates import interpolation
from exactformer.constructions import means_alone, pipeline, verification
from exactformer.constructions.build_report import information_bits
from exactformer.constructions.means_alone import sequence_means, sequences_of_means
from exactformer.constructions.targets import targets_of
from exactformer.model.dataset import Dataset


def random_data(rng: random.Random, labels: int = 3) -> Dataset:
    dim, grid = rng.randint(1, 3), rng.choice([2, 50, 10**20])
    sequences = [
        [
            [Fraction(rng.randint(-grid, grid), rng.choice([1, 2, 3])) for _ in range(dim)]
            for _ in range(rng.randint(1, 4))
        ]
        for _ in range(rng.randint(1, 9))
    ]
    return Dataset.of(sequences, labels=[str(rng.randrange(labels)) for _ in sequences])


def test_mean_vectors_are_those_of_the_definition(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(means_alone, "_AT_ONCE", 5)
    rng = random.Random(3)
    for _ in range(100):
        data = random_data(rng)
        wanted = [tuple(sum(x) / len(s) for x in zip(*s.tokens.rows(), strict=True)) for s in data]
        assert sequence_means(data).rows() == wanted


def test_sums_near_the_end_of_the_machine_s_integers() -> None:
    tokens = State(np.array([[2**61], [2**61], [2**61], [1]], dtype=np.int64))
    assert sequence_means(Dataset(tokens, np.array([0, 3, 4]), ["a", "b"])).rows() == [(2**61,), (1,)]


def test_means_that_coincide_are_left_to_the_measures() -> None:
    rng, found = random.Random(4), set()
    for _ in range(200):
        data = random_data(rng)
        means = sequences_of_means(data, targets_of(data), np.random.default_rng(0))
        found.add(means is None)
        assert (means is None) == (len(set(sequence_means(data).rows())) < len(data))
    assert found == {True, False}
    several = Dataset.of([[[0], [1]]], targets=[[[0], [1]]])
    assert sequences_of_means(several, targets_of(several), np.random.default_rng(0)) is None


@pytest.mark.parametrize("robust", [False, True])
def test_the_same_network_as_from_the_measures(robust: bool, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    rng, cases = random.Random(5), 0
    while cases < 25:
        data = random_data(rng)
        if sequences_of_means(data, targets_of(data), np.random.default_rng(0)) is None:
            continue
        cases += 1
        short = ef.construct(data, robust=robust)
        with monkeypatch.context() as without:
            without.setattr(pipeline, "sequences_of_means", lambda *_: None)
            long = ef.construct(data, robust=robust)
        assert (short.report.width, short.margin.radius) == (long.report.width, long.margin.radius)
        assert short.transformer == long.transformer
    short.certify(tmp_path / "cert.jsonl")
    assert ef.check(tmp_path / "cert.jsonl").verdict == "accepted"


def test_verification_in_parts_sees_every_sequence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(verification, "_ROWS", 3)
    data = Dataset.of([[[k], [k + 1]] for k in range(8)], labels=[str(k % 3) for k in range(8)])
    built, told = ef.construct(data), list[tuple[str, int, int]]()
    verification.verify_interpolates(built.transformer, data, built.targets, lambda *step: told.append(step))
    assert told[-1] == ("verify", 16, 16)
    assert len(told) == 8
    for j in range(8):
        wrong = Dataset.of([[[k], [k + 1 + (k == j)]] for k in range(8)], labels=data.labels)
        with pytest.raises(verification.WrongTransformer, match=f"sequence {j} "):
            verification.verify_interpolates(built.transformer, wrong, built.targets)


def test_certificates_in_parts_have_every_token(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    data = Dataset.of([[[k, 1]] * (1 + k % 4) for k in range(12)], labels=[str(k % 3) for k in range(12)])
    built = ef.construct(data)
    built.certify(tmp_path / "whole.jsonl")
    for tokens in (1, 2, 5, 7):
        monkeypatch.setattr(interpolation, "_TOKENS", tokens)
        built.certify(tmp_path / "parts.jsonl")
        assert (tmp_path / "parts.jsonl").read_bytes() == (tmp_path / "whole.jsonl").read_bytes()


def test_texts_of_long_and_short_numbers() -> None:
    for grid in (3, 2**62, 2**80):
        rows = [[Fraction(-grid, 6), Fraction(0)], [Fraction(1, grid), Fraction(grid)]]
        assert [str(x) for x in interpolation.texts(State.of(rows))] == [str(x) for row in rows for x in row]


def test_the_information_bound_is_that_of_the_definition() -> None:
    rng = random.Random(6)
    for sizes in [[5, 5], [3] * 12, [6, 6, 12], [1] * 64, [25, 25], *[random_sizes(rng) for _ in range(300)]]:
        above, below = sum(sizes) ** sum(sizes), math.prod(n**n for n in sizes)
        assert information_bits(sizes) == (-(-above // below) - 1).bit_length(), sizes
    assert information_bits([5 * 10**6] * 2) == 10**7


def random_sizes(rng: random.Random) -> list[int]:
    return [rng.choice([1, 2, 4, 8, rng.randint(1, 60)]) for _ in range(rng.randint(1, 8))]
