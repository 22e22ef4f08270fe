"""Tests of `exactformer.model.latex`."""

from __future__ import annotations

from fractions import Fraction

from exactformer.arithmetic.algebraic import from_text
from exactformer.display.latex import latex_number, latex_vector
from exactformer.model.attention import SelfAttention
from exactformer.model.feed_forward import FeedForward
from exactformer.model.latex import latex_matrix, latex_transformer
from exactformer.model.matrix import Outer, Scalar, Zero
from exactformer.model.transformer import Block, Transformer

F = Fraction


def test_matrices_in_latex_have_the_form_they_are_stored_in() -> None:
    shown = [latex_matrix(m) for m in (Scalar(1), Scalar("3/2"), Zero(), Outer([1, 2], [3, 4, 5]))]
    assert shown[:3] == ["I", r"\tfrac{3}{2} I", "0"]
    assert shown[3] == r"\begin{pmatrix}1 \\ 2\end{pmatrix} \begin{pmatrix}3 & 4 & 5\end{pmatrix}"
    assert r"&\text{identity}." in Transformer(1, [Block()]).latex()


def test_a_transformer_in_latex_has_every_weight_under_its_name() -> None:
    layer = FeedForward("1/2", Outer([1, 2], [3]), [0, -1], [[4, 5]])
    text = latex_transformer(Transformer(1, [Block(layer, SelfAttention(7, Scalar(8), Zero(), [[9]])), Block()]))
    assert text == "\n".join(
        [
            "% block 0",
            r"\begin{align*}",
            r"\eta_{0} &= \tfrac{1}{2}, \\",
            r"U_{0} &= \begin{pmatrix}1 \\ 2\end{pmatrix} \begin{pmatrix}3\end{pmatrix}, \\",
            r"b_{0} &= \begin{pmatrix}0 \\ -1\end{pmatrix}, \\",
            r"W_{0} &= \begin{pmatrix}4 & 5\end{pmatrix}, \\",
            r"\rho_{0} &= 7, \\",
            r"V_{0} &= 8 I, \\",
            r"Q_{0} &= 0, \\",
            r"K_{0} &= \begin{pmatrix}9\end{pmatrix}.",
            r"\end{align*}",
            "% block 1",
            r"\begin{align*}",
            r"&\text{identity}.",
            r"\end{align*}",
        ]
    )
    assert latex_vector([F(1, 2), F(-3)]) == r"(\tfrac{1}{2}, -3)"
    assert latex_number(from_text("2**(1/3)") ** 2 * 3 - 1) == r"-1 + 3\theta^{2}"
