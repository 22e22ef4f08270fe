"""`ef.crosscheck` on whatever a user has."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

import exactformer as ef
from exactformer.errors import InvalidInput
from exactformer.model.feed_forward import FeedForward
from exactformer.model.transformer import Block, Transformer

# ---------------------------------------------------------------- quiet, and one at a time


def test_outputs_far_off_depart_even_where_the_nearest_target_is_right() -> None:
    """relu(10^17 x + 1/3) - relu(10^17 x) is 1/3, in floats 0: there is no other target, and still it is wrong."""
    layer = FeedForward(0, [["1e17"], ["1e17"]], ["1/3", 0], [[1, -1]])
    found = ef.crosscheck(Transformer(1, [Block(layer)]), ef.Dataset.of([[[1]]], targets=[["1/3"]]))
    assert (found.right, found.sequences) == (1, 1)
    assert found.first_difference is None
    assert found.largest_deviation == pytest.approx(1 / 3)
    assert not found


# ---------------------------------------------------------------- subjects


def test_fifty_layers_unless_others_are_asked_for(tmp_path: Path) -> None:
    assert ef.crosscheck([[1, 0], [0, 1]]).layers == 50
    assert ef.crosscheck([[1, 0], [0, 1]], layers=3, dtype="float32").layers == 3
    (tmp_path / "t.csv").write_text("1,0\n0,1\n")
    assert ef.crosscheck(tmp_path / "t.csv", layers=2).layers == 2


def test_what_cannot_be_crosschecked_is_named() -> None:
    built = ef.construct([[[0], [2]], [[3]]], labels=["low", "high"])
    with pytest.raises(InvalidInput, match=r"crosscheck\(model, data\)"):
        ef.crosscheck(built.transformer)
    with pytest.raises(InvalidInput, match="got a data set"):
        ef.crosscheck(built.data)
    assert ef.crosscheck(built.transformer, [[[1]]]).sequences == 1


def test_the_device_that_is_asked_for_is_used() -> None:
    for subject in ([[1, 0], [0, 1]], ef.construct([[[0], [2]], [[3]]], labels=["low", "high"])):
        assert ef.crosscheck(subject, device="cpu")
        with pytest.raises(InvalidInput, match="device"):
            ef.crosscheck(subject, device="no-such-device")


def test_the_data_that_are_given_are_looked_at() -> None:
    built = ef.construct([[[0], [2]], [[3]]], labels=["low", "high"])
    assert ef.crosscheck(built).sequences == 2
    assert ef.crosscheck(built, [[[1]], [[5], [4]], [[7]]]).sequences == 3


RNG = np.random.default_rng(5)


X = RNG.standard_normal((12, 4, 2))


Y = np.arange(12) % 3


def test_crosscheck_takes_whatever_there_is(tmp_path: Path) -> None:
    import exactformer.float_comparison.dynamics  # the package has the same name

    built = ef.construct(X, Y)
    built.certify(tmp_path / "c.jsonl")
    checks = [ef.crosscheck(built), ef.crosscheck(tmp_path / "c.jsonl"), ef.crosscheck(built.transformer, X)]
    assert checks[0] == checks[1] == checks[2]
    assert ef.crosscheck(X[0], layers=3) == ef.crosscheck(ef.Tokens(X[0]), layers=3)
    with pytest.raises(InvalidInput, match="the sequences to run"):
        ef.crosscheck(built.transformer)
    with pytest.raises(InvalidInput, match="got a data set"):
        ef.crosscheck(ef.Dataset.of(X, Y))
    assert exactformer.float_comparison.dynamics is not None


HUGE = 7**20_000


def test_everything_shows_itself_however_long_its_numbers_are(tmp_path: Path) -> None:
    state = ef.State.of([[HUGE, Fraction(1, HUGE)]] * 30)
    tokens = ef.Tokens([[HUGE, 1], [0, Fraction(1, HUGE)]], A=[[HUGE, 0], [0, 1]], alpha=Fraction(1, HUGE))
    orbit = ef.simulate(ef.sample("generic", n=6, d=2), layers=20_000)
    built = ef.construct([[[HUGE], [0]], [[Fraction(1, HUGE)]]], ["a", "b"], robust=True)
    check = ef.crosscheck(tokens, layers=2)
    shown = [
        state, tokens, orbit, orbit.final, ef.limit(ef.sample("generic", n=4, d=2)), ef.limit(tokens).forms,
        built, built.report, built.margin, built.targets, built.transformer, built.transformer.blocks, built.data,
        built.data[0], built.trace(), built.classifier.nearest([[[HUGE]]]), check, ef.Dense([[HUGE]]),
        ef.Outer([HUGE], [1]), ef.Scalar(HUGE), ef.crosscheck(built), ef.construct(X, Y).transformer.trace(X[0]),
        ef.hunt("leader-indefinite", budget=100), ef.hunt("leader-indefinite", budget=100).counterexample,
    ]  # fmt: skip
    for value in shown:
        assert 0 < len(repr(value)) < 10_000, type(value).__name__
        for form in ("_repr_html_", "_repr_latex_"):
            if hasattr(value, form):
                assert getattr(value, form)()
    assert repr(ef.State.of([["1/2", 0], [1, 2]])) == "State(2 points in dimension 2: (1/2, 0), (1, 2))"
    assert repr(ef.Dense([[1, "1/2"]])) == "Dense([[1, 1/2]])"
