"""Tests of `exactformer.studies.mean_field.rate`."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import pytest
from flint import arb

from exactformer.arithmetic.ball import ends
from exactformer.errors import InvalidInput
from exactformer.studies.mean_field import rate as rates
from exactformer.studies.mean_field.rate import certified_rate, norm_above, verify_norm
from exactformer.studies.mean_field.spectrum import Dominant, dominant

F = Fraction


def rows(*given: Any) -> tuple[tuple[Fraction, ...], ...]:
    return tuple(tuple(map(F, row)) for row in given)


ONE = rows((1, 0), (0, 1))


def lead(M: Any) -> Dominant:
    found = dominant(M)
    assert isinstance(found, Dominant)
    return found


# rates ------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("B", "norm"),
    [
        (rows((3, 0), (0, "1/2")), F(3)),
        (rows((0, 5), (-5, 0)), F(5)),
        (rows((3, 4), (0, 0)), F(5)),
        (rows(("1/7", 0), (0, "1/9")), F(1, 7)),
        (rows((1, 0), (0, 1)), F(1)),
    ],
)
def test_a_rate_is_the_gap_over_the_norm_of_B(B: Any, norm: Fraction) -> None:
    assert norm_above(B) == norm
    rate = certified_rate(lead([[2, 0], [0, 1]]), B)
    assert rate is not None
    assert rate.norm == norm
    assert rate.value == F(200, 201) / norm
    verify_norm(norm, B)
    for wrong in (norm * F(999, 1000), F(0), -norm):
        with pytest.raises(InvalidInput, match=r">= \|B\|"):
            verify_norm(wrong, B)


def test_nothing_but_a_multiple_of_the_identity_has_no_rate() -> None:
    assert certified_rate(lead([[3, 0], [0, 3]]), ONE) is None
    plane = certified_rate(lead([[3, 0, 0], [0, 3, 0], [0, 0, 1]]), rows((1, 0, 0), (0, 1, 0), (0, 0, 2)))
    assert plane is not None
    assert F(99, 100) <= plane.value <= 1
    golden = certified_rate(lead([[1, 1], [1, 0]]), ONE)  # the eigenvalues are (1 +- sqrt 5)/2
    assert golden is not None
    assert golden.low**2 < golden.low + 1
    assert 0.99 * math.sqrt(5) <= float(golden.value) <= math.sqrt(5)


def test_the_ends_of_a_rate_lie_outside_the_enclosures(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever numbers of the open intervals are chosen: low <= lambda, and the others lie below the bound."""
    matrix = ((F(0), F(1), F(0)), (F(0), F(0), F(1)), (F(-1), F(5), F(2)))
    found = dominant(matrix)
    assert isinstance(found, Dominant)
    asked: list[tuple[Any, Any]] = []
    true = rates.simplest_between
    monkeypatch.setattr(rates, "simplest_between", lambda low, high: asked.append((low, high)) or true(low, high))
    rates._ends(found)
    (_, top), (floor, _) = asked
    assert top <= ends(found.enclosure(400))[0]
    others = found.others(400)
    assert others is not None
    assert floor > ends(others)[1]


def test_no_more_than_a_hundredth_of_the_gap_is_given_up_whatever_numbers_are_chosen(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Wide first enclosures, of which the eigenvalues are the outer ends, and the worst choice of either number."""
    wide = 0.9 / 6400

    class Wide:
        polynomial = (F(-1), F(-1), F(1))

        def enclosure(self, bits: int) -> arb:
            return arb(1, wide) if bits == 64 else arb(1 + wide)

        def others(self, bits: int) -> arb:
            return arb(0, wide) if bits == 64 else arb(-wide)

    ends_taken = iter([0, 1])
    monkeypatch.setattr(rates, "simplest_between", lambda *interval: interval[next(ends_taken)])
    low, bound = rates._ends(Wide())  # type: ignore[arg-type]
    assert low - bound >= F(99, 100) * F(1002, 1000) * (1 + 2 * F(wide))
