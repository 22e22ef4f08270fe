"""Tests of `exactformer.studies.time_delay.network_file`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from exactformer.errors import Malformed
from exactformer.studies.time_delay.approx_training import random_network, with_units
from exactformer.studies.time_delay.network_file import NAMES, read_network, write_network


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
