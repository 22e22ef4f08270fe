"""A handful of reviews with labels."""

from __future__ import annotations

from exactformer.studies.sentiment.reviews import Reviews, reviews_of


# reviews ----------------------------------------------------------------------------------------------
def few_reviews() -> Reviews:
    rows = [
        (True, "good good film"),
        (False, "bad film plot"),
        (True, "zz"),
        (False, "bad bad bad good"),
        (True, "plot film good"),
    ]
    return reviews_of(rows, min_count=2, part=lambda text: {"zz": 0, "bad film plot": 1}.get(text, 0))
