"""Tests of `exactformer.studies.time_delay.positive_window`."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import pytest

from exactformer.checking import check
from exactformer.errors import InvalidInput, Undecided
from exactformer.studies.time_delay import systems
from exactformer.studies.time_delay.positive_window import least_window, polynomial_of_tones, powers_modulo

F = Fraction


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


@pytest.mark.parametrize(("count", "window"), [(1, 2), (2, 10)])
def test_a_window_is_found_up_to_the_cap_and_not_beyond(count: int, window: int) -> None:
    polynomial = polynomial_of_tones([c for c, _ in systems.PYTHAGOREAN[:count]])
    told = list[int]()
    found = least_window(polynomial, cap=window, progress=told.append)
    assert (found.window, len(found.refused), told) == (window, window - 2, list(range(2, window + 1)))
    with pytest.raises(Undecided, match=f"no window up to {window - 1}"):
        least_window(polynomial, cap=window - 1)
    for wrong in ((F(1),), (F(1), F(2)), ()):
        with pytest.raises(InvalidInput, match="monic"):
            least_window(wrong)


def test_a_window_says_where_its_certificate_is(tmp_path: Path) -> None:
    found = least_window(polynomial_of_tones([F(-3, 5)]))
    assert check(found.certify(tmp_path / "w.jsonl")).accepted
