"""Tests of `exactformer.io.read_limits`."""

from __future__ import annotations

import numpy as np
import pytest

from exactformer.arithmetic.state import State
from exactformer.errors import Declined, InvalidInput
from exactformer.io.read_limits import LEAST, OPTION, TIMES, WORK, allowance, reading, spend_work, verify_memory


def test_an_allowance_is_used_up_to_its_last_byte(monkeypatch: pytest.MonkeyPatch) -> None:
    assert (allowance(0), allowance(LEAST // TIMES), allowance(LEAST // TIMES + 1)) == (LEAST, LEAST, LEAST + TIMES)
    with reading(0):
        verify_memory(LEAST)
        with pytest.raises(Declined, match=r"the tables would take about 64,000,001 bytes.*is allowed 64,000,000"):
            verify_memory(LEAST + 1, "the tables")
    monkeypatch.setenv(OPTION, "12")
    assert allowance(10**9) == 12
    with reading(10**9):
        verify_memory(12)
        with pytest.raises(Declined):
            verify_memory(13)
    for wrong in ("-1", "1.5", "ten", "١"):
        monkeypatch.setenv(OPTION, wrong)
        with pytest.raises(InvalidInput, match=OPTION):
            allowance(1)


def test_arrays_of_floats_far_apart_are_declined_where_their_integers_are_too_long() -> None:
    array = np.array([[1e300, 1e-300]] * 400)
    with reading(0):
        assert len(State.of(array)) == 400
    with reading(0), pytest.raises(Declined, match=OPTION):
        State.of(np.array([[1e300, 1e-300]] * 120_000))


def test_the_allowance_of_a_file_ends_with_it() -> None:
    with reading(10):
        with reading(10**9):
            verify_memory(LEAST + 1)
        with pytest.raises(Declined, match="EXACTFORMER_MAX_MEMORY"):
            verify_memory(LEAST + 1)
        spend_work(WORK, "numbers")
        with pytest.raises(Declined, match="take too long"):
            spend_work(1, "more numbers")
    verify_memory(10**15)
    spend_work(10**15, "numbers in memory")
