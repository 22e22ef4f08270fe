"""Float programs: the formats round as they are defined to."""

from __future__ import annotations

import numpy as np
import pytest

import exactformer as ef
from exactformer.evaluate.approx_network import FORMATS, ApproxNetwork

PLACES = {"float64": 53, "float32": 24, "float16": 11, "bfloat16": 8}


def adds(kind: str, a: float, b: float) -> float:
    """a + b, rounded once, as the sum of a token's and a position's row."""
    sizes = {"dim": 1, "heads": 1, "hidden": 1, "blocks": 0, "vocabulary": 1, "positions": 1, "classes": 1}
    shape = ef.Architecture(**sizes, norm="none", head="none")
    tensors = {"token": [[a]], "position": [[b]], "type": np.zeros((0, 1))}
    net = ef.Network(shape, {n: np.array(t, np.float32) for n, t in tensors.items()})
    return float(ApproxNetwork(net, kind).approx_outputs([0], [0])[0, 0])


@pytest.mark.parametrize("kind", ["float32", "float16", "bfloat16"])
def test_sums_are_rounded_to_nearest_even(kind: str) -> None:
    last = 2.0 ** (1 - PLACES[kind])
    assert adds(kind, 1, last / 2) == 1
    assert adds(kind, 1 + last, last / 2) == 1 + 2 * last
    assert adds(kind, 1, last / 2 + last / 16) == 1 + last
    assert adds(kind, -1, -last / 2 - last / 16) == -1 - last
    assert adds(kind, 3, 4) == 7


def test_float64_keeps_what_the_others_lose() -> None:
    assert adds("float64", 1, 2.0**-40) == 1 + 2.0**-40
    assert set(PLACES) == set(FORMATS)


def test_formats_that_overflow_say_so() -> None:
    assert adds("float16", 65504, 65504) == np.inf
    assert adds("bfloat16", 3.3e38, 3.3e38) == np.inf
    assert adds("float64", 3.3e38, 3.3e38) > 6e38


def test_tables_that_are_narrower_than_the_tokens_are_mapped_first() -> None:
    sizes = {"dim": 2, "heads": 1, "hidden": 1, "blocks": 0, "vocabulary": 1, "positions": 1, "classes": 2}
    shape = ef.Architecture(**sizes, embedding=1, norm="none", head="none")
    tensors = {"token": [[3]], "position": [[1]], "type": np.zeros((0, 1)), "map": [[2], [-1]], "map_bias": [0, 5]}
    net = ef.Network(shape, {n: np.array(tensors[n], np.float32).reshape(s) for n, s in shape.shapes.items()})
    assert ApproxNetwork(net, "float64").approx_outputs([0], [0]).tolist() == [[8, 1]]
