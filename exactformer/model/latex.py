"""Exact numbers, matrices and transformers as LaTeX."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from exactformer.arithmetic.algebraic import Algebraic
from exactformer.arithmetic.text import Exact, integer_text
from exactformer.model.matrix import Dense, Matrix, Outer, Scalar, Zero
from exactformer.model.transformer import Transformer


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


def latex_matrix(m: Matrix, *, most: int | None = None) -> str:
    """A matrix in the form it is stored in: rows, column times row, a multiple of I, or 0."""
    if isinstance(m, Dense):
        return latex_rows(m.rows, most=most)
    if isinstance(m, Outer):
        return f"{latex_rows([[c] for c in m.column], most=most)} {latex_rows([m.row], most=most)}"
    if isinstance(m, Scalar):
        return f"{latex_number(m.c) if m.c != 1 else ''} I".strip()
    return "0" if isinstance(m, Zero) else str(m)


def latex_transformer(transformer: Transformer, *, most: int | None = None) -> str:
    """The weights of every block, one aligned environment each; beyond `most` rows or columns cut short."""
    parts: list[str] = []
    for k, block in enumerate(transformer):
        lines: list[tuple[str, object]] = []
        if block.feed_forward is not None:
            ff = block.feed_forward
            lines += [
                (r"\eta", latex_number(ff.eta)),
                ("U", latex_matrix(ff.U, most=most)),
                ("b", latex_rows([[v] for v in ff.b], most=most)),
            ]
            lines += [("W", latex_matrix(ff.W, most=most))]
        if block.self_attention is not None:
            sa = block.self_attention
            lines += [(r"\rho", latex_number(sa.rho))]
            lines += [(name, latex_matrix(m, most=most)) for name, m in (("V", sa.V), ("Q", sa.Q), ("K", sa.K))]
        body = ", \\\\\n".join(f"{name}_{{{k}}} &= {value}" for name, value in lines) or r"&\text{identity}"
        parts.append(f"% block {k}\n\\begin{{align*}}\n{body}.\n\\end{{align*}}")
    return "\n".join(parts)
