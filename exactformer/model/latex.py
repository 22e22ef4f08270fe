"""Matrices and transformers as LaTeX."""

from __future__ import annotations

from exactformer.display.latex import latex_number, latex_rows
from exactformer.model.matrix import Dense, Matrix, Outer, Scalar, Sparse, Zero
from exactformer.model.transformer import Transformer


def latex_matrix(m: Matrix, *, most: int | None = None) -> str:
    """A matrix in the form it is stored in: rows, column times row, a multiple of I, or 0."""
    if isinstance(m, (Dense, Sparse)):
        return latex_rows((m.as_dense() if isinstance(m, Sparse) else m).rows, most=most)
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
