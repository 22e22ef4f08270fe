"""Formulas inside a sentence, written as in the command line's text, as HTML."""

from __future__ import annotations

import re

from exactformer.display.html import Markup, html

GREEK = {
    "Theta": "<i>Θ</i>",
    "lambda": "<i>λ</i>",
    "alpha": "<i>α</i>",
    "beta": "<i>β</i>",
    "eps": "<i>ε</i>",
    "Pi": "<i>Π</i>",
}
#: in this order, on escaped text
RULES: tuple[tuple[str, str], ...] = (
    (r"&lt;([^&;]{1,40})&gt;", r"⟨\1⟩"),
    (r"&gt;=", "≥"),
    (r"&lt;=", "≤"),
    (r"!=", "≠"),
    (r"\+-", "±"),
    (r"\bsqrt\b", "√"),
    (r"\bQ\^", "ℚ^"),
    (r"\bR\^", "ℝ^"),
    *((rf"\b{word}\b", letter) for word, letter in GREEK.items()),
    (r"\^\(([^()]{1,60})\)", r"<sup>\1</sup>"),
    (r"\^(-?\w+)", r"<sup>\1</sup>"),
    (r"\b([A-Za-z])_(\w)\b", r"<i>\1</i><sub>\2</sub>"),
)


def typeset(sentence: str) -> Markup:
    """The sentence as HTML with powers raised, indices lowered and Greek letters.

    >>> typeset("tokens in Q^2, beta >= 1, E + eps|Theta|^2")
    'tokens in ℚ<sup>2</sup>, <i>β</i> ≥ 1, E + <i>ε</i>|<i>Θ</i>|<sup>2</sup>'
    """
    text = str(html("{sentence}", sentence=sentence))
    for pattern, replacement in RULES:
        text = re.sub(pattern, replacement, text)
    return Markup(text)
