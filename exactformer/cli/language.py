"""`exactformer language`: the group of its verbs."""

from __future__ import annotations

from exactformer.cli.verbs import Verbs

VERBS = {
    "compile": ("language_compile", "A language as weights proved for all lengths, or the proof that none exist."),
    "prove": ("language_prove", "Whether a recogniser recognises a language: proof, counterexample, or declined."),
    "extract": ("language_extract", "The minimal automaton of what a recogniser recognises."),
    "attend": ("language_attend", "What every head looks at on a word, block by block, and the verdict."),
    "harden": ("language_harden", "The hardmax version of a trained network as a recogniser."),
    "tracr": ("language_tracr", "A compiled RASP model in exact arithmetic, where it departs from its program, why."),
}

command = Verbs(
    "language",
    verbs=VERBS,
    help="""Transformers with hard attention as recognisers of languages.

    MODEL is a recogniser file (Recogniser.save writes one), or a certificate that holds one. LANGUAGE is an expression
    such as "(ab)*", a name such as dyck-2-2, an automaton file (.json) or a B-RASP program (.brasp).

    \b
    Example:
      exactformer language compile "(ab)*" -o proof.jsonl
      exactformer language prove model.jsonl "(ab)*"
      exactformer language attend model.jsonl abab
    """,
)
