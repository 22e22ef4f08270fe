"""Trainings that can be interrupted: the state after every epoch in a folder, under a digest of recipe and data."""

from __future__ import annotations

import hashlib
from pathlib import Path

import numpy as np

from exactformer.io.saved_arrays import SavedArrays
from exactformer.io.untyped import AnyArray
from exactformer.studies.sentiment.approx_training import SentimentRecipe, SentimentWeights, Snapshot
from exactformer.studies.sentiment.reviews import Reviews

_PARTS = ("weights", "first", "second")


class Resume:
    """A folder with one file a training; files of other recipes or other reviews are not taken for it."""

    def __init__(self, folder: Path, reviews: Reviews) -> None:
        digest = hashlib.sha256("\n".join(reviews.words).encode())
        for array in (reviews.labels, reviews.parts, reviews.offsets, reviews.ids, reviews.counts):
            digest.update(np.ascontiguousarray(array).tobytes())
        self._data = digest.hexdigest()
        self._kept = SavedArrays(folder, "a saved training", {"data": self._data})
        self.folder, self.found = folder, self._kept.found

    def begin(self, **options: object) -> None:
        """Everything kept from now on belongs to these options; Malformed where the folder keeps that of others."""
        self._kept = SavedArrays(self.folder, "a saved training", {"data": self._data, **options})
        self._kept.verify_problem()

    def load(self, recipe: SentimentRecipe, parts: tuple[int, ...]) -> Snapshot | None:
        """The training as it was saved last, None where there is none; Malformed where its file was changed or cut."""
        arrays = self._kept.load(f"{recipe} {parts}")
        if arrays is None:
            return None
        now, first, second = (
            SentimentWeights(arrays[f"{n}_E"], arrays[f"{n}_v"], float(arrays[f"{n}_b"])) for n in _PARTS
        )
        if recipe.matrix is not None:
            now = now.with_matrix(recipe.matrix)
        return Snapshot(now, first, second, int(arrays["steps"]), tuple(arrays["accuracies"].tolist()))

    def save(self, snapshot: Snapshot, recipe: SentimentRecipe, parts: tuple[int, ...]) -> None:
        """Keeps the training as it is now."""
        arrays: dict[str, AnyArray] = {"steps": np.array(snapshot.steps), "accuracies": np.array(snapshot.accuracies)}
        for name in _PARTS:
            weights: SentimentWeights = getattr(snapshot, name)
            arrays |= {f"{name}_E": weights.E, f"{name}_v": weights.v, f"{name}_b": np.array(weights.b)}
        self._kept.save(f"{recipe} {parts}", arrays)

    def clear(self) -> None:
        """Removes the folder: the training is complete."""
        self._kept.clear()
