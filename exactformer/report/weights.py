"""The exact weights of a block as HTML: short matrices whole, long ones cut, to be folded away."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from exactformer.arithmetic.text import Exact
from exactformer.display.html import Markup, html, join, short
from exactformer.model.matrix import Dense, Matrix, Outer, Scalar, Sparse
from exactformer.model.transformer import Block

#: rows and columns shown of a matrix
MOST = 12


def block_weights(block: Block) -> Markup:
    """Every weight of the block by its name in the formulas, long matrices cut."""
    return join(html("<p><b>{name}</b> = {value}</p>", name=name, value=value) for name, value in _named(block))


def _named(block: Block) -> Iterator[tuple[str, Markup]]:
    ff, sa = block.feed_forward, block.self_attention
    if ff is None and sa is None:
        yield "block", html("the identity")
    if ff is not None:
        yield "eta", _numbers([ff.eta])
        yield from (("U", _matrix(ff.U)), ("b", _numbers(ff.b)), ("W", _matrix(ff.W)))
    if sa is not None:
        yield "rho", _numbers([sa.rho])
        yield from (("V", _matrix(sa.V)), ("Q", _matrix(sa.Q)), ("K", _matrix(sa.K)))


def _matrix(matrix: Matrix) -> Markup:
    """The matrix in the form it is stored in."""
    if isinstance(matrix, Sparse):
        return _matrix(matrix.as_dense())
    if isinstance(matrix, Dense):
        rows = join(html("<br>{row}", row=_numbers(row)) for row in matrix.rows[:MOST])
        more = html("<br>.. {left} more rows", left=len(matrix.rows) - MOST) if len(matrix.rows) > MOST else ""
        return html("{rows}{more}", rows=rows, more=more)
    if isinstance(matrix, Outer):
        return html("column {column} times row {row}", column=_numbers(matrix.column), row=_numbers(matrix.row))
    if isinstance(matrix, Scalar):
        return html("{c} times the identity", c=_numbers([matrix.c]))
    return html("0")


def _numbers(values: Sequence[Exact]) -> Markup:
    shown = ", ".join(short(v) for v in values[:MOST])
    more = f", .. ({len(values)} in all)" if len(values) > MOST else ""
    text = shown + more if len(values) == 1 else f"({shown}{more})"
    return html('<span class="number">{text}</span>', text=text)
