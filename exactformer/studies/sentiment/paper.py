"""The paper's experiment beside ours: accuracies by dimension, the table of leaders, the words that lead.

Alcalde, Fantuzzi, Zuazua: Clustering in pure-attention hardmax transformers and its role in sentiment analysis. Their
figures: best test accuracy over 101 epochs, chosen on the test part, on 35,000 train and 15,000 test reviews with
121,296 lemmas, read from the histories published with their code; counts of leader words read off their figure.
Values of their table of leaders were not published with the code, so that ours stands alone there.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from exactformer.io.json_lines import JsonObject
from exactformer.studies.sentiment.approx_comparison import compare
from exactformer.studies.sentiment.classifier import ReviewClassifier
from exactformer.studies.sentiment.evaluation import Labelled, evaluate, labelled_reviews
from exactformer.studies.sentiment.resume import Resume
from exactformer.studies.sentiment.reviews import Reviews, read_reviews
from exactformer.studies.sentiment.trainer import TrainingProgress, train

#: dimension -> (best test accuracy, epoch of it, test accuracy after the last epoch)
PUBLISHED = {
    2: (0.79145, 100, 0.79145),
    4: (0.82281, 46, 0.80275),
    8: (0.85049, 38, 0.81343),
    16: (0.88209, 20, 0.84572),
}
#: the leader words of the paper's histogram for d = 2, most frequent first; counts where they could be read off
PUBLISHED_WORDS = (
    ("great", 1250), ("worst", 680), ("waste", 670), ("love", 560), ("awful", 530), ("money", None), ("year", None),
    ("amazing", None), ("boring", None), ("perfect", None), ("left", None), ("enjoyed", None), ("people", None),
    ("found", None), ("poor", 240),
)  # fmt: skip
#: which leaders a dimension is trained with: the validation part preferred many from d = 4 on
LEADERS = {2: "few"}


@dataclass(frozen=True)
class DimensionRow:
    """One dimension: our model, what exact decisions on the test part show, and floats beside them."""

    dim: int
    model: ReviewClassifier
    evaluation: JsonObject
    floats: JsonObject

    def json(self) -> JsonObject:
        """Our figures and the published ones."""
        best, epoch, final = PUBLISHED.get(self.dim, (None, None, None))
        return {
            "dim": self.dim,
            "leaders_option": LEADERS.get(self.dim, "many"),
            "validation": self.model.about["validation"],
            "test": self.model.about["test"],
            "test_exact": self.evaluation["accuracy"],
            "without_attention": self.model.about["without_attention"],
            "attention_removed": self.model.about["attention_removed"],
            "published_best": best,
            "published_best_epoch": epoch,
            "published_final": final,
            "leaders": self.evaluation["leaders"],
            "faithfulness": self.evaluation["faithfulness"],
            "top": self.evaluation["top"],
            "approx": self.floats,
        }


def reproduce(
    source: Path, folder: Path, *, dims: tuple[int, ...] = (2, 4, 8, 16), seed: int = 0, sample: int = 1000,
    progress: TrainingProgress | None = None,
) -> list[DimensionRow]:  # fmt: skip
    """A row for every dimension; models are kept in the folder, and those that are there already are taken."""
    reviews = read_reviews(source)
    return [_row(source, reviews, folder, dim, seed, sample, progress) for dim in dims]


def _row(
    source: Path, reviews: Reviews, folder: Path, dim: int, seed: int, sample: int, progress: TrainingProgress | None
) -> DimensionRow:
    model = _model(reviews, folder / f"d{dim}.model.xz", dim, seed, progress)
    found = labelled_reviews(source, model)
    told: Callable[[int], None] | None = None
    if progress is not None:
        told = lambda done: progress(f"d = {dim}: exact decisions", done, len(found))  # noqa: E731 - a name for a hook
    evaluation = evaluate(model, found, sample=sample, seed=seed, progress=told).json()
    order = np.random.default_rng(seed).permutation(len(found))[:sample]
    return DimensionRow(dim, model, evaluation, compare(model, [found[k][1] for k in order.tolist() if found[k][1]]))


def _model(reviews: Reviews, path: Path, dim: int, seed: int, progress: TrainingProgress | None) -> ReviewClassifier:
    if path.exists():
        return ReviewClassifier.read(path)
    resume = Resume(path.with_name(f"{path.name}.resume"), reviews)
    model = train(reviews, dim=dim, leaders=LEADERS.get(dim, "many"), seed=seed, resume=resume, progress=progress)
    model.write(path)
    resume.clear()
    return model


def clear_reviews(model: ReviewClassifier, reviews: list[Labelled], least: float = 2.0) -> tuple[str, str]:
    """The words of a positive and a negative review decided rightly with |value| > least, of 20 to 60 words."""
    found: dict[bool, str] = {}
    for positive, bag in reviews:
        if positive not in found and 20 <= sum(bag.values()) <= 60:
            value = float(model.value(bag))
            if abs(value) > least and (value > 0) == positive:
                found[positive] = " ".join(word for word, count in bag.items() for _ in range(count))
        if len(found) == 2:
            break
    return found.get(True, ""), found.get(False, "")
