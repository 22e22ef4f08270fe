"""Tests of `exactformer.display.formulas`."""

from __future__ import annotations

import pytest

from exactformer.display.formulas import typeset


@pytest.mark.parametrize(
    ("sentence", "expected"),
    [
        ("the mean with weights e^(beta <A x, y>)", "the mean with weights e<sup><i>β</i> ⟨A x, y⟩</sup>"),
        ("|x - y| <= C e^(-ct), Pi x != 0", "|x - y| ≤ C e<sup>-ct</sup>, <i>Π</i> x ≠ 0"),
        ("the weights a_j of x u^n z", "the weights <i>a</i><sub>j</sub> of x u<sup>n</sup> z"),
        ('<script>alert(1)</script> & "', "⟨script⟩alert(1)⟨/script⟩ &amp; &quot;"),
        ("alphabet, sequences_of, Quality", "alphabet, sequences_of, Quality"),
    ],
)
def test_formulas_are_set_and_everything_else_is_escaped(sentence: str, expected: str) -> None:
    assert typeset(sentence) == expected
