"""`exactformer delay`: the group of its verbs."""

from __future__ import annotations

from exactformer.cli.verbs import Verbs

VERBS = {
    "order": ("delay_order", "The linear recurrence of least order a series obeys, proved, or that there is none."),
    "window": ("delay_window", "The least window of frozen positive attention, with proofs for every smaller one."),
    "fit": ("delay_fit", "Fit TD-DMD or train a time-delayed transformer on a series."),
    "roll": ("delay_roll", "Go on with a series: in floats, exactly, or with enclosures."),
    "paper": ("delay_paper", "The paper's four studies, with the simple baselines beside them."),
    "sample": ("delay_sample", "Write a generated series to try the other commands with."),
}

command = Verbs(
    "delay",
    verbs=VERBS,
    help="""Time-delayed transformers: recurrences and windows with proofs, networks with enclosures.

    SERIES is a CSV file, one time step per row; decimals and p/q are read as they are written.

    \b
    Example:
      exactformer delay sample tones --count 2 -n 60 -o tones.csv
      exactformer delay order tones.csv
    """,
)
