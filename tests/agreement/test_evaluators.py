"""Every evaluator agrees with the definition, on one table of cases and on random transformers."""

from __future__ import annotations

import importlib.util
import random
from fractions import Fraction

import mpmath
import numpy as np
import pytest
from cases import CASES, random_case

from exactformer.arithmetic.state import State
from exactformer.arithmetic.text import exact
from exactformer.errors import Undecided
from exactformer.evaluate.batch import follower_sets
from exactformer.model.attention import SelfAttention
from exactformer.model.batch import Batch
from exactformer.model.feed_forward import FeedForward
from exactformer.model.matrix import Scalar, Zero
from exactformer.model.transformer import Block, Transformer

F = Fraction
NAMES = [name for name, _, _ in CASES]
BACKENDS = [
    "numpy",
    pytest.param("torch", marks=pytest.mark.skipif(not importlib.util.find_spec("torch"), reason="no torch")),
]


def rows_of(transformer: Transformer, tokens: list[list[object]]) -> list[tuple[object, ...]]:
    return [tuple(row) for row in transformer.by_definition(tokens)]


@pytest.mark.parametrize(("name", "transformer", "tokens"), CASES, ids=NAMES)
def test_fast_is_the_definition(name: str, transformer: Transformer, tokens: list[list[object]]) -> None:
    assert transformer(tokens).rows() == rows_of(transformer, tokens)


@pytest.mark.parametrize(("name", "transformer", "tokens"), CASES, ids=NAMES)
def test_follower_sets_are_those_of_the_definition(
    name: str, transformer: Transformer, tokens: list[list[object]]
) -> None:
    steps = transformer.trace(tokens).steps
    fast = follower_sets(transformer, Batch.of(State.of(tokens)))
    assert fast == [None if step is None else step.follows for step in steps]


LOST_IN_FLOATS = "tie of two maximisers"
STEADY = [case for case in CASES if case[0] != LOST_IN_FLOATS]
DECIDED = [case for case in STEADY if case[0] != "algebraic attention"]  # an exact tie of irrational scores


@pytest.mark.parametrize(("name", "transformer", "tokens"), DECIDED, ids=[c[0] for c in DECIDED])
def test_balls_enclose(name: str, transformer: Transformer, tokens: list[list[object]]) -> None:
    for row, exact_row in zip(transformer.enclose(tokens, bits=128), transformer.by_definition(tokens), strict=True):
        for ball, value in zip(row, exact_row, strict=True):
            if isinstance(value, Fraction):
                assert ball.contains(value)
            assert abs(float(ball) - float(value)) <= 1e-12 * (1 + abs(float(value)))


@pytest.mark.parametrize(("name", "transformer", "tokens"), STEADY, ids=[c[0] for c in STEADY])
@pytest.mark.parametrize("backend", BACKENDS)
def test_floats_are_near(name: str, transformer: Transformer, tokens: list[list[object]], backend: str) -> None:
    exact = np.array([[float(v) for v in row] for row in transformer.by_definition(tokens)])
    assert np.allclose(transformer.approx(tokens, backend=backend), exact)


def test_a_tie_that_floats_lose_is_undecided_in_balls_and_exact_here() -> None:
    _, transformer, tokens = CASES[NAMES.index(LOST_IN_FLOATS)]
    exact = transformer([*tokens, ["3/5", "3/10"]]).rows()
    with pytest.raises(Undecided):
        transformer.enclose([*tokens, ["3/5", "3/10"]], bits=128)
    assert exact[3] == (Fraction(9, 10), Fraction(9, 20))


def test_digits_are_numbers_of_that_precision() -> None:
    _, transformer, tokens = CASES[NAMES.index("two blocks")]
    values = transformer.approx_digits(tokens, digits=50)
    with mpmath.workdps(50):
        for row, exact_row in zip(values, transformer.by_definition(tokens), strict=True):
            for value, x in zip(row, exact_row, strict=True):
                assert abs(value - mpmath.mpf(x.numerator) / x.denominator) < mpmath.mpf(10) ** -45


@pytest.mark.parametrize("seed", range(4))
def test_random_transformers(seed: int) -> None:
    rng = random.Random(seed)
    for _ in range(75):
        transformer, tokens = random_case(rng)
        assert transformer(tokens).rows() == rows_of(transformer, tokens)


@pytest.mark.parametrize("seed", range(4))
def test_algebraic_weights_beside_fractions_on_rational_tokens(seed: int) -> None:
    rng = random.Random(seed)
    for _ in range(20):
        transformer, tokens = random_case(rng, mixed=True)
        trace = transformer.trace(tokens)
        batch = Batch.of(State.of(tokens))
        assert transformer(tokens).rows() == [tuple(row) for row in trace.tokens[-1]]
        follows = [None if step is None else step.follows for step in trace.steps]
        assert follower_sets(transformer, batch) == follows
        images = transformer.evaluate(batch)
        keys, rows = images.keys(), [images.row(r) for r in range(len(images.array))]
        assert [keys.index(key) for key in keys] == [rows.index(row) for row in rows]


def test_fractions_beside_algebraic_weights_are_not_cut() -> None:
    root = exact("sqrt(2)")
    units = FeedForward("1/3", [["1/2", root], [0, "2/3"]], ["1/5", -1], [["3/4", 0], [root, "1/7"]])
    follow = SelfAttention("1/2", [["2/7", 0], [0, root]], [["1/2", 0], ["1/3", root]], [[1, "1/5"], [0, "1/4"]])
    first_unit = FeedForward(0, [["1/2", "1/3"], [root, 0]], [0, 0], [[1, 0], ["5/2", 0]])
    assert Transformer(2, [Block(first_unit)])([[1, 2], [3, -1]]).rows() == [(F(7, 6), F(35, 12)), (F(7, 6), F(35, 12))]
    pool = SelfAttention(0, [["2/7", "1/11"], [0, root]], Zero(), Zero())
    layers = [Block(units), Block(None, follow), Block(units, pool), Block(first_unit), Block(None, pool)]
    for blocks in (*([layer] for layer in layers), layers[:3], layers[::-1]):
        transformer, tokens = Transformer(2, blocks), [["1/2", "1/3"], [-1, "5/2"], [0, 4]]
        assert transformer(tokens).rows() == rows_of(transformer, tokens)
    (first, second) = Transformer(2, [Block(units)])([[1, 3]])[0]
    assert (first, second) == (F(1, 3) + F(3, 4) * (F(7, 10) + 3 * root), 1 + root * (F(7, 10) + 3 * root) + F(1, 7))


@pytest.mark.parametrize("seed", range(3))
def test_a_batch_is_its_sequences(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Sequences of different lengths evaluated together, also in several parts, are as one by one."""
    monkeypatch.setattr("exactformer.evaluate.batch.ROWS_AT_ONCE", 4)
    rng = random.Random(seed)
    for _ in range(20):
        transformer, first = random_case(rng)
        sequences = [first] + [
            [[rng.randint(-3, 3) for _ in first[0]] for _ in range(rng.randint(1, 5))] for _ in range(4)
        ]
        offsets = np.cumsum([0, *(len(s) for s in sequences)])
        images = transformer.evaluate(Batch.of(State.of([x for s in sequences for x in s]), offsets))
        for j, tokens in enumerate(sequences):
            assert images.tokens(j, offsets).rows() == transformer(tokens).rows()


def test_softmax_with_uniform_attention_is_exact_and_otherwise_enclosed() -> None:
    uniform = Transformer(1, [Block(None, SelfAttention(0, Scalar(1), Zero(), Zero(), beta=3))])
    assert uniform([[0], [1]]).rows() == [(0.5,), (0.5,)]
    soft = Transformer(1, [Block(None, SelfAttention(0, Scalar(1), Scalar(1), Scalar(1), beta=1))])
    ball = soft.enclose([[0], [1]], bits=100)[1][0]
    assert ball.radius < 1e-25
    assert abs(float(ball) - np.e / (1 + np.e)) < 1e-15
