"""2605.10931, on concentration at low temperature: what the abstract announces."""

from __future__ import annotations

from exactformer.atlas.statement import Paper, unread

NUMBER = "2605.10931"

PAPER = Paper(
    NUMBER,
    "mean-field",
    "Quantifying Concentration Phenomena of Mean-Field Transformers in the Low-Temperature Regime",
    "Alcalde, Bungert, Riedl et al. (2026)",
    "the abstract; the rest second-hand",
    (
        unread(NUMBER, "theorem-1", "Theorem 1, hypotheses and constants", "they could not be read"),
        unread(NUMBER, "experiments", "Numerical experiments", "matrices, numbers of tokens, temperatures, steps and"
               " figures could not be read"),
    ),
)  # fmt: skip
