"""Tests of `exactformer.dynamics.score_gap`."""

from __future__ import annotations

import random
from fractions import Fraction

import pytest
from flint import fmpq

from exactformer.arithmetic.power_sum import Number, power, sign_of
from exactformer.arithmetic.text import exact
from exactformer.dynamics.closed_form import ClosedForm, combination
from exactformer.dynamics.score_gap import WRITTEN_LAYERS, Gaps
from exactformer.geometry.points import dot

F = Fraction
ROOT = exact("sqrt(2)")


def random_form(rng: random.Random, entries: list[Number]) -> ClosedForm:
    """Two or three terms in the plane."""
    bases = rng.sample([F(1), F(2, 3), F(1, 2), F(4, 9)], 3)
    return ClosedForm.of(
        {(b, rng.randrange(2) * (b < 1)): (rng.choice(entries), rng.choice(entries)) for b in bases}, 2
    )


@pytest.mark.parametrize("entries", [[F(0), F(1, 3), F(-2)], [F(0), F(1), ROOT], [F(1), power(F(1, 2), 3000) + 1]])
@pytest.mark.parametrize("A", [((F(1), F(0)), (F(0), F(1))), ((F(2), ROOT), (ROOT, F(3)))])
def test_gaps_and_scores_are_those_of_the_tokens(entries: list[Number], A: tuple[tuple[Number, ...], ...]) -> None:
    """Rational, algebraic and long numbers, in forms and in A; where a gap vanishes for ever, there is none."""
    rng, gaps = random.Random(5), Gaps(A)  # type: ignore[arg-type]
    for _ in range(12):
        x, y, z = forms = [random_form(rng, entries) for _ in range(3)]
        gap, same = gaps.gap(x, y, z), gaps.gap(x, y, combination([(1, y)], 2))
        assert same is None
        for k in (0, 1, 2, 7):
            scores = [Fraction(int(s.p), int(s.q)) if isinstance(s, fmpq) else s for s in gaps.scores(x, forms, k)]
            image = [dot(row, x.value(k)) for row in A]
            assert scores == [dot(image, form.value(k)) for form in forms]
            assert (0 if gap is None else gap.sign(k)) == sign_of(scores[1] - scores[2])


def test_scores_at_late_times_are_sums_of_powers() -> None:
    form = ClosedForm.of({(F(1), 0): (F(1),), (F(1, 2), 0): (F(1),)}, 1)
    gaps, late = Gaps(((F(1),),)), WRITTEN_LAYERS + 1
    early, later = gaps.scores(form, [form], WRITTEN_LAYERS), gaps.scores(form, [form], late)
    assert early[0] == (1 + fmpq(1, 2) ** WRITTEN_LAYERS) ** 2
    assert later[0] == (1 + power(F(1, 2), late)) * (1 + power(F(1, 2), late))


def test_what_cancels_only_exactly_vanishes() -> None:
    x, y, z = (ClosedForm.of({(F(1), 0): v}, 2) for v in ((ROOT, F(1)), (F(2), F(1)), (F(1), 1 + ROOT)))
    assert Gaps(((F(1), F(0)), (F(0), F(1)))).gap(x, y, z) is None
