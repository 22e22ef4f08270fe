"""Tests of `exactformer.arithmetic.number_field`."""

from __future__ import annotations

from typing import Any

import pytest
from flint import fmpq, fmpq_poly

from exactformer.arithmetic import number_field
from exactformer.arithmetic.algebraic import Algebraic, from_text


def test_proposals_of_a_relation_are_verified(monkeypatch: pytest.MonkeyPatch) -> None:
    """A near-relation between sqrt(2) and sqrt(3) is none, and an exact one for another root is not that of the root."""
    fields = [from_text(text).field for text in ("sqrt(2)", "sqrt(3)", "cos(2*pi/9)", "cos(4*pi/9)")]  # type: ignore[union-attr]
    near = number_field._short_relation(fields[0], fields[1], 600)
    monkeypatch.setattr(number_field, "_short_relation", lambda x, y, bits: near)
    assert near[-1] != 0
    assert number_field._inside(fields[0], fields[1], 1) is None
    monkeypatch.setattr(number_field, "_short_relation", lambda x, y, bits: [0, 1, 0, -1])
    assert number_field._inside(fields[2], fields[2], 24) is not None
    assert number_field._inside(fields[2], fields[3], 24) is None


ROOT: Any = from_text("sqrt(2)")


@pytest.mark.parametrize(
    ("first", "second", "degree"),
    [
        ("sqrt(2)", "sqrt(3)", 4),
        ("sqrt(2)", "sqrt(8)+1", 2),
        ("sqrt(2)+sqrt(3)", "sqrt(6)", 4),
        ("cos(2*pi/7)", "cos(4*pi/7)", 3),
        ("2**(1/3)", "sqrt(5)", 6),
    ],
)
def test_the_field_of_two_is_found_by_a_primitive_element_too(
    first: str, second: str, degree: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    x, y = from_text(first), from_text(second)
    assert isinstance(x, Algebraic)
    assert isinstance(y, Algebraic)
    for heights in ((24, 96), ()):
        monkeypatch.setattr(number_field, "_HEIGHTS", heights)  # without a relation that is proposed
        for a, b in ((x, y), (y, x)):
            field, image_a, image_b = number_field.compositum.__wrapped__(a.field, b.field)
            assert field.degree == degree
            for number, image in ((a, image_a), (b, image_b)):
                moved = Algebraic(field, number_field.substitute(number.poly, image, field))
                assert float(moved) == pytest.approx(float(number))
                assert moved == number


def test_a_generator_in_terms_of_another() -> None:
    field = ROOT.field
    assert number_field._generator_in(fmpq_poly([1, 2]), field) == fmpq_poly([fmpq(-1, 2), fmpq(1, 2)])
