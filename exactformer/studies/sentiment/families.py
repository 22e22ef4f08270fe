"""Generated reviews, for examples and tests: sentences of common, praising and blaming words."""

from __future__ import annotations

import csv
import io
import random
from collections.abc import Iterator

_PRAISE = "wonderful great superb touching delightful brilliant moving charming excellent perfect enjoyable favourite"
_BLAME = "boring awful dull waste terrible poor annoying mess predictable worst tedious disappointing"
_COMMON = """film movie story actor scene director plot ending music camera people time script cast character part play
minute dialogue set year world house friend night family road voice city"""
PRAISE, BLAME, COMMON = (tuple(words.split()) for words in (_PRAISE, _BLAME, _COMMON))


def sample_reviews(count: int, seed: int) -> Iterator[tuple[bool, str]]:
    """(is positive, text) of so many reviews: of 8 to 30 words a quarter tells the label, some of those wrongly.

    >>> sum(positive for positive, _ in sample_reviews(100, 1))
    50
    """
    source = random.Random(seed)
    for number in range(count):
        positive = number % 2 == 0
        own, other = (PRAISE, BLAME) if positive else (BLAME, PRAISE)
        words = [_word(source, own, other) for _ in range(source.randint(8, 30))]
        yield positive, f"The {' '.join(words)} in no. {source.randrange(10**9)}."


def reviews_csv(count: int, seed: int) -> str:
    """The reviews as CSV with the header label,text."""
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow(["label", "text"])
    writer.writerows(("pos" if positive else "neg", text) for positive, text in sample_reviews(count, seed))
    return stream.getvalue()


def _word(source: random.Random, own: tuple[str, ...], other: tuple[str, ...]) -> str:
    draw = source.random()
    return source.choice(own if draw < 0.2 else other if draw < 0.26 else COMMON)
