"""`exactformer sentiment`: the group of its verbs."""

from __future__ import annotations

from exactformer.cli.verbs import Verbs

VERBS = {
    "explain": ("sentiment_explain", "Decide on a text exactly, with the vote of every word."),
    "train": ("sentiment_train", "Train a classifier on reviews, with and without attention."),
    "evaluate": ("sentiment_evaluate", "Accuracy, leaders, faithfulness, float against exact."),
    "paper": ("sentiment_paper", "The paper's table and figures with ours beside them."),
    "sample": ("sentiment_sample", "Write generated reviews to try the other commands with."),
}

command = Verbs(
    "sentiment",
    verbs=VERBS,
    help="""Sentiment analysis with leaders: words follow leader words, and a decision is an exact vote of words.

    \b
    Example:
      exactformer sentiment explain "A wonderful film, although the ending is boring."
    """,
)
