"""Exact numbers, vectors and rows as LaTeX."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from exactformer.arithmetic.algebraic import Algebraic
from exactformer.arithmetic.text import Exact
from exactformer.io.canonical import integer_text


def latex_number(number: Exact | int) -> str:
    r"""The number in LaTeX: an integer, or \tfrac{p}{q}; an algebraic number as a sum of powers of theta.

    >>> from fractions import Fraction
    >>> latex_number(Fraction(-3, 2))
    '-\\tfrac{3}{2}'
    """
    if isinstance(number, Algebraic):
        powers = ["", r"\theta", *(rf"\theta^{{{k}}}" for k in range(2, number.field.degree))]
        terms = [f"{latex_number(c)}{p}" for c, p in zip(number.coefficients, powers, strict=False) if c]
        return " + ".join(terms).replace("+ -", "- ") or "0"
    if number.denominator == 1:
        return integer_text(number.numerator)
    p, q = integer_text(abs(number.numerator)), integer_text(number.denominator)
    return rf"{'-' if number < 0 else ''}\tfrac{{{p}}}{{{q}}}"


def latex_vector(row: Iterable[Exact | int]) -> str:
    """The vector in LaTeX, as (x, y, ..)."""
    return f"({', '.join(map(latex_number, row))})"


def latex_rows(rows: Sequence[Sequence[Exact]], *, most: int | None = None) -> str:
    r"""A pmatrix of the rows; beyond `most` rows or columns the rest is \vdots or \cdots."""
    most = max(len(rows), len(rows[0])) if most is None else most
    wide = len(rows[0]) > most
    lines = [" & ".join([*map(latex_number, row[:most]), *([r"\cdots"] if wide else [])]) for row in rows[:most]]
    if len(rows) > most:
        lines.append(" & ".join([r"\vdots"] * (min(len(rows[0]), most) + wide)))
    return r"\begin{pmatrix}" + r" \\ ".join(lines) + r"\end{pmatrix}"
