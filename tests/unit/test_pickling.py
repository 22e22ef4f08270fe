"""Results survive pickling and copying, algebraic ones too; long numbers have a LaTeX form."""

from __future__ import annotations

import copy
import pickle

import pytest

import exactformer as ef


@pytest.mark.parametrize(
    "text",
    [
        "sqrt(2)",
        "-sqrt(2)",
        "cos(2*pi/5)",
        "cos(4*pi/7)",
        "2**(1/3)/3 - 1",
        "sqrt(2)+sqrt(3)",
        "sqrt(2/10**20)",  # its conjugate is so near that it lies in a rounded ball around the interval (0, 1)
        "1 - sqrt(2/10**40)",
        "cos(2*pi/7) + sqrt(3/10**18)",
    ],
)
def test_an_algebraic_number_is_itself_again(text: str) -> None:
    number = ef.exact(text)
    for again in (pickle.loads(pickle.dumps(number)), copy.deepcopy(number)):
        assert again == number
        assert again - number == 0
        assert float(again) == float(number)


@pytest.mark.parametrize("rows", [[["1/2", 0], [1, 1]], [["sqrt(2)/2", "0"], ["0", "cos(2*pi/5)"], ["1/3", "1"]]])
def test_tokens_orbits_and_limits(rows: list[list[object]]) -> None:
    tokens = ef.Tokens(rows, alpha="1/2")
    assert pickle.loads(pickle.dumps(tokens)) == tokens
    orbit, limit = ef.simulate(tokens, layers=4), ef.limit(tokens)
    assert pickle.loads(pickle.dumps(orbit)).final == orbit.final
    assert pickle.loads(pickle.dumps(limit)).points == limit.points


def test_long_numbers_in_latex() -> None:
    assert "7" * 6000 in ef.Tokens([["7" * 6000]]).latex()
