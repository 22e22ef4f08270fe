"""Sentiment analysis with leaders: an interpretable hardmax classifier, trained in NumPy, decided in exact arithmetic.

exact:     `text`, `reviews`, `classifier`, `votes`, `explanation`, `counterfactual`
approx_:   `approx_hardmax`, `approx_training`, `trainer` (training in floats, then rounded to a grid), `evaluation`
certified: `Explanation.certify` writes a certificate of the claim `decision`
"""

from __future__ import annotations

from importlib import resources

from exactformer.studies.sentiment.classifier import ReviewClassifier
from exactformer.studies.sentiment.explanation import Explanation
from exactformer.studies.sentiment.reviews import Reviews, read_reviews
from exactformer.studies.sentiment.trainer import train

__all__ = ["Explanation", "ReviewClassifier", "Reviews", "load", "read_reviews", "train"]


def __dir__() -> list[str]:
    return sorted(__all__)


def load() -> ReviewClassifier:
    """The classifier that comes with the package: d = 2, trained by `exactformer sentiment train` on IMDb reviews."""
    with resources.as_file(resources.files("exactformer.studies.sentiment") / "assets/imdb-2.model.xz") as path:
        return ReviewClassifier.read(path)
