"""What time delay reads and refuses, network files and series; and the windows and orders of small polynomials."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from exactformer.errors import InvalidInput, Malformed
from exactformer.studies.time_delay.approx_training import random_network, with_units
from exactformer.studies.time_delay.network import NAMES, verify_shapes
from exactformer.studies.time_delay.network_file import read_network, write_network
from exactformer.studies.time_delay.positive_window import least_window, polynomial_of_tones, powers_modulo
from exactformer.studies.time_delay.recurrence import NoRecurrence, Recurrence, least_order
from exactformer.studies.time_delay.series import Series

F = Fraction


@pytest.fixture
def written(tmp_path: Path) -> dict[str, Any]:
    made = random_network(2, 3, encoding="additive", features=4, hidden=5, seed=1)
    write_network(with_units(made, np.array([0.25, -3.0]), np.array([2.0, 0.5])), tmp_path / "n.json")
    content: dict[str, Any] = json.loads((tmp_path / "n.json").read_text())
    return content


def read(content: object, folder: Path) -> Any:
    (folder / "n.json").write_text(json.dumps(content))
    return read_network(folder / "n.json")


def test_a_network_file_holds_every_number(written: dict[str, Any], tmp_path: Path) -> None:
    made = random_network(2, 3, encoding="additive", features=4, hidden=5, seed=1)
    found = read(written, tmp_path)
    assert (found.encoding, found.activation, found.mean, found.scale) == ("additive", "gelu", (0.25, -3.0), (2.0, 0.5))
    assert (found.window, found.dim, tuple(written["weights"])) == (3, 2, NAMES)
    assert all((found.weights[name] == made.weights[name]).all() for name in NAMES)
    assert read({**written, "activation": "relu"}, tmp_path).activation == "relu"
    assert found.parameters == sum(np.count_nonzero(made.weights[name]) for name in NAMES)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"activation": "tanh"}, "activation: expected gelu or relu, got 'tanh'"),
        ({"encoding": "rotary"}, "encoding: expected block or additive, got 'rotary'"),
        ({"mean": ["0"]}, "a mean and a positive scale for each of 2"),
        ({"mean": ["0", "0", "0"]}, "a mean and a positive scale for each of 2"),
        ({"scale": ["1"]}, "a mean and a positive scale for each of 2"),
        ({"scale": ["1", "0"]}, "a mean and a positive scale for each of 2"),
        ({"scale": ["-1", "1"]}, "a mean and a positive scale for each of 2"),
        ({"mean": ["1/3", "0"]}, "mean: expected numbers that float64 holds exactly"),
        ({"scale": ["x", "1"]}, "scale: expected an array of numbers"),
        ({"weights": [1]}, "expected the keys"),
        ({"more": 1}, "expected the keys"),
        ({"exactformer": "tokens"}, "delay-network"),
    ],
)
def test_network_files_are_refused_with_the_reason(
    change: dict[str, Any], words: str, written: dict[str, Any], tmp_path: Path
) -> None:
    with pytest.raises(Malformed, match=words):
        read({**written, **change}, tmp_path)


@pytest.mark.parametrize("encoding", ["block", "additive"])
def test_every_weight_has_one_shape(encoding: str) -> None:
    made = random_network(2, 3, encoding=encoding, features=4, hidden=5, seed=1)
    verify_shapes(made)
    for name in NAMES:
        array = made.weights[name]
        for axis in range(array.ndim):
            longer = made.with_weights({**made.weights, name: np.concatenate([array, array], axis=axis)})
            with pytest.raises(InvalidInput, match="expected the shape"):
                verify_shapes(longer)
        fewer = {other: value for other, value in made.weights.items() if other != name}
        with pytest.raises(InvalidInput, match="expected the weights"):
            verify_shapes(made.with_weights(fewer))
    empty = {"W1": np.zeros((0, 4)), "b1": np.zeros(0), "W2": np.zeros((2, 0))}
    with pytest.raises(InvalidInput, match="W1: expected the shape"):
        verify_shapes(made.with_weights({**made.weights, **empty}))
    flat = made.with_weights({**made.weights, "p": np.zeros(4)})
    with pytest.raises(InvalidInput, match="expected the shape"):
        verify_shapes(flat)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("a,b\n1,2\n3,x\n", "line 3, column 2"),
        ("a,b\n1,2\n?,4\n", r"line 3, column 1 \(a\): expected a number, got the missing value '\?'"),
        ("1,NaN\n2,3\n", "line 1, column 2: expected a number, got the missing value 'NaN'"),
        ("a,\n1,2\n", "line 1, column 1|line 1, column 2"),
        ("null\n1\n", "line 1, column 1: expected a number, got the missing value"),
        ("t,z\n12:30,5\n", r"line 2, column 1 \(t\): expected a number, got the date or time '12:30'"),
        ("t,z\n5,3/4/2020\n", r"line 2, column 2 \(z\): expected a number, got the date or time"),
        ("a,b\n", "expected at least one row of numbers, got none"),
    ],
)
def test_series_files_are_refused_at_their_place(text: str, words: str, tmp_path: Path) -> None:
    (tmp_path / "s.csv").write_text(text)
    with pytest.raises((InvalidInput, Malformed), match=words):
        Series.read(tmp_path / "s.csv")


@pytest.mark.parametrize(
    ("cosines", "window", "newest", "sign", "weights"),
    [
        ([F(-3, 5)], 2, F(-6, 5), -1, (F(1),)),
        ([F(-3, 5), F(-4, 5)], 4, F(-14, 5), -1, (F(1), F(14, 5), F(98, 25))),
        ([F(0), F(-3, 5)], 4, F(-6, 5), -1, (F(1), F(6, 5), F(2))),
    ],
)
def test_windows_of_tones_beyond_a_quarter_turn_have_a_negative_newest_weight(
    cosines: list[Fraction], window: int, newest: Fraction, sign: int, weights: tuple[Fraction, ...]
) -> None:
    found = least_window(polynomial_of_tones(cosines))
    assert (found.window, found.newest, found.sign, found.weights) == (window, newest, sign, weights)
    for k, pair in enumerate(found.refused):
        powers = powers_modulo(found.polynomial, k + 3)
        for s, y in zip((1, -1), pair, strict=True):
            along = [sum(a * b for a, b in zip(y, power, strict=True)) for power in powers]
            assert along[k + 2] > 0 == along[k + 1]
            assert all(s * height <= 0 for height in along[: k + 1])


@pytest.mark.parametrize("ratio", [F(2), F(-2), F(1, 16)])
def test_weights_that_are_free_are_an_eighth(ratio: Fraction) -> None:
    """z+ = ratio z: with a window of two any weight a of the older one goes with ratio - a/ratio of the newest."""
    found = least_window((-ratio, F(1)))
    assert (found.window, found.sign, found.weights) == (2, 1, (F(1, 8),))
    assert found.newest == ratio - F(1, 8) / ratio
    both = least_window(polynomial_of_tones([F(-3, 5), F(4, 5)]))
    assert (both.window, both.newest, min(both.weights)) == (7, F(-2507, 2000), F(1, 8))


def test_orders_are_told_as_they_are_done() -> None:
    told = list[int]()
    found = least_order(Series.of([1, 1, 2, 4, 7, 13, 24, 44, 81]), progress=told.append)
    assert isinstance(found, Recurrence)
    assert (found.order, told, found.polynomial) == (3, [0, 1, 2], (-1, -1, -1, 1))
    assert [refuted.order for refuted in found.refuted] == [1, 2]
    told.clear()
    none = least_order(Series.of([1, 1, 2, 4, 7, 13, 24, 44, 81]), cap=2, progress=told.append)
    assert isinstance(none, NoRecurrence)
    assert (bool(none), told, none.ranks) == (False, [0, 1], ((1, 2), (2, 3)))
