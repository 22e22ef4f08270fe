# fmt: off
"""Recurrences and positive windows, true and false."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any

from checker_kit import Lines, opened
from corpus_edits import MALFORMED, REJECTED, Simple, changed, drop, put

F = Fraction
TWO_TONES = [F(4, 5), F(12, 13)]
SERIES: dict[str, tuple[Any, dict[str, Any]]] = {
    "fibonacci": ([1, 1, 2, 3, 5, 8, 13, 21], {}),
    "constant": ([3, 3, 3, 3], {}),
    "with_intercept": ([1, 3, 7, 15, 31, 63], {"intercept": True}),
    "zero": ([0, 0, 0, 0], {}),
    "plane": ([[1, 0], ["1/2", 1], ["-3/4", "3/2"], ["-15/8", "3/4"], ["-27/16", "-9/8"], ["9/32", "-45/16"], ["189/64", "-81/32"]], {}),
    "others_too": ([[k, 2 * k] for k in range(12)], {}),
    "none": ([1, 2, 4, 8, 16, 33, 64, 128, 256, 512], {"cap": 3}),
}


def certified(thing: Any) -> Lines:
    with tempfile.TemporaryDirectory() as folder:
        thing.certify(Path(folder) / "c.jsonl")
        return opened((Path(folder) / "c.jsonl").read_bytes())


def recurrence(name: str) -> Lines:
    from exactformer.studies.time_delay.recurrence import least_order
    from exactformer.studies.time_delay.series import Series

    rows, options = SERIES[name]
    return certified(least_order(Series.of(rows), **options))


def window(cosines: list[Fraction]) -> Lines:
    from exactformer.studies.time_delay.positive_window import least_window, polynomial_of_tones

    return certified(least_window(polynomial_of_tones(cosines)))


def delays() -> Iterator[tuple[str, Lines, str]]:
    for name in SERIES:
        yield f"recurrence_{name}", recurrence(name), "a recurrence of least order, or none"
    yield "window_one_tone", window([F(4, 5)]), "one tone: the window is the order"
    yield "window_two_tones", window(TWO_TONES), "two tones: window 10, all smaller ones refuted"


def wrong_recurrences() -> Iterator[Simple]:
    two, many, none = recurrence("fibonacci"), recurrence("others_too"), recurrence("none")
    yield "recurrence_digit", changed(two, put(1, "series", 7, 0, "22")), "one digit changed", REJECTED
    yield "recurrence_coefficient", changed(two, put(3, "coefficients", 0, 0, 0, "2")), "a wrong coefficient", REJECTED
    yield "recurrence_weights", changed(two, put(2, "weights", 0, 1, "7")), "weights that do not cancel", REJECTED
    yield "recurrence_smaller_holds", smaller(), "order 1 holds: what follows cancels too", REJECTED
    yield "recurrence_skips_an_order", changed(two, lambda x: x.pop(2), put(0, "refuted", 0)), "order 1 is not refuted, order 1 does not hold", MALFORMED
    yield "recurrence_order_number", changed(two, put(2, "order", 2)), "orders out of turn", MALFORMED
    yield "recurrence_singular_minor", singular(), "rows that are dependent", REJECTED
    yield "recurrence_minor_short", changed(two, put(4, "minor", [0])), "too few rows", MALFORMED
    yield "recurrence_modulus", changed(two, put(4, "modulus", "1")), "a modulus of one", MALFORMED
    yield "recurrence_modulus_fraction", changed(two, put(4, "modulus", "7/2")), "a modulus that is no integer", MALFORMED
    yield "recurrence_kernel", changed(many, put(-1, "kernel", ["1", "0", "0", "0"])), "a vector that is not orthogonal", REJECTED
    yield "recurrence_kernel_zero", changed(many, put(-1, "kernel", ["0", "0", "0", "0"])), "the zero vector", REJECTED
    yield "recurrence_kernel_keys", changed(many, put(-1, "minor", [0])), "kernel and minor", MALFORMED
    yield "recurrence_minor_keys", changed(two, drop(4, "modulus")), "a minor without modulus", MALFORMED
    yield "recurrence_intercept", changed(two, put(3, "intercept", ["1"])), "an intercept that the header denies", MALFORMED
    yield "recurrence_few_rows", few(), "two rows always satisfy some recurrence of order 1", REJECTED
    yield "recurrence_no_rows", changed(recurrence("constant"), put(1, "series", [["3"]]), put(0, "rows", 1)), "no row is left to predict", MALFORMED
    yield "recurrence_nothing", changed(none, put(0, "refuted", 0), lambda x: x.__delitem__(slice(2, None))), "nothing is refuted and nothing holds", MALFORMED
    yield "recurrence_rows", changed(two, put(0, "rows", 7)), "another number of rows", MALFORMED
    yield "recurrence_index", changed(two, put(2, "weights", 0, 0, 7)), "an index beyond the windows", MALFORMED
    yield "recurrence_old_version", changed(two, put(0, "version", [1, 0])), "a claim of version 1.1", MALFORMED
    yield "recurrence_holds", changed(two, put(0, "holds", 1)), "a number for a truth", MALFORMED


def smaller() -> Lines:
    """Powers of two with the proof that order 1 fails, which it does not."""
    lines = changed(recurrence("fibonacci"), put(1, "series", [[str(2**k)] for k in range(8)]))
    return changed(lines, put(2, "weights", [[0, "2"], [1, "-1"]]), put(3, "coefficients", [[["0"]], [["2"]]]), lambda x: x.__setitem__(4, {"kernel": ["2", "-1"]}))


def singular() -> Lines:
    """Both coordinates obey a recurrence of order 1, but the second one is zero: no minor is seen."""
    from exactformer.studies.time_delay.recurrence import least_order
    from exactformer.studies.time_delay.series import Series

    lines = certified(least_order(Series.of([[2**k, 3**k] for k in range(6)])))
    return changed(lines, put(1, "series", [[str(2**k), "0"] for k in range(6)]))


def few() -> Lines:
    lines = recurrence("constant")
    return changed(lines, put(0, "rows", 2), put(1, "series", [["3"], ["3"]]))


def wrong_windows() -> Iterator[Simple]:
    one, two = window([F(4, 5)]), window(TWO_TONES)
    yield "window_weight", changed(two, put(-1, "weights", 0, "1")), "a wrong weight", REJECTED
    yield "window_negative", changed(one, put(-1, "sign", "1"), put(-1, "weights", ["-1"])), "a negative weight", REJECTED
    yield "window_sign", changed(one, put(-1, "sign", "2")), "a sign that is none", MALFORMED
    yield "window_newest", changed(one, put(-1, "newest", "1")), "another coefficient of the newest", REJECTED
    yield "window_farkas_target", changed(two, put(5, "plus", ["0"] * 4)), "a vector that sees nothing", REJECTED
    yield "window_farkas_newest", changed(two, put(2, "plus", ["0", "1", "1", "0"])), "a vector that sees the newest power", REJECTED
    yield "window_farkas_older", changed(two, put(5, "plus", two[5]["minus"]), put(5, "minus", two[5]["plus"])), "vectors of the other sign", REJECTED
    yield "window_monic", changed(one, put(1, "polynomial", 2, "2")), "a polynomial that is not monic", MALFORMED
    yield "window_number", changed(two, put(3, "window", 2)), "windows out of turn", MALFORMED
    yield "window_one", changed(one, put(0, "window", 1)), "a window of one", MALFORMED
    yield "window_dimension", changed(one, put(0, "dim", 2)), "a dimension that is not 1", MALFORMED
    yield "window_too_large", changed(one, put(0, "window", 3)), "a window whose smaller ones are not refuted", MALFORMED
