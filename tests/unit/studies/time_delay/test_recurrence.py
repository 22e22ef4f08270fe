"""Tests of `exactformer.studies.time_delay.recurrence`."""

from __future__ import annotations

from fractions import Fraction

import pytest

from exactformer.errors import Undecided
from exactformer.studies.time_delay.recurrence import NoRecurrence, Recurrence, least_order
from exactformer.studies.time_delay.series import Series

F = Fraction


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


def test_rows_that_a_recurrence_needs_and_what_decides_its_coefficients() -> None:
    with pytest.raises(Undecided, match="at least 6 rows are needed; none of order 1 holds"):
        least_order(Series.of([1, 3, 4, 8, 1]), intercept=True)
    found = least_order(Series.of([1, 2, 5, 12, 29]))
    assert isinstance(found, Recurrence)
    assert (found.minor, found.kernel, found.coefficients) == ((0, 1), None, (((F(1),),), ((F(2),),)))
    twin = least_order(Series.of([[k, k] for k in (1, 2, 4, 8, 16)]))
    assert isinstance(twin, Recurrence)
    assert twin.minor is None
    assert twin.kernel is not None
    assert sum(twin.kernel) == 0
    assert any(twin.kernel)
