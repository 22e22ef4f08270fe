"""Trainings that can be interrupted: the state after every epoch in a folder, under a digest of recipe and data."""

from __future__ import annotations

import hashlib
import io
import shutil
from pathlib import Path
from typing import Any

import numpy as np

from exactformer.errors import InvalidInput, Malformed
from exactformer.model.json_lines import read_arrays, write_atomically
from exactformer.studies.sentiment.approx_training import Recipe, Snapshot, Weights
from exactformer.studies.sentiment.reviews import Reviews

_PARTS = ("weights", "first", "second")


class Resume:
    """A folder with one file a training; files of other recipes or other reviews are not taken for it."""

    def __init__(self, folder: Path, reviews: Reviews) -> None:
        self.folder = folder
        digest = hashlib.sha256("\n".join(reviews.words).encode())
        for array in (reviews.labels, reviews.parts, reviews.offsets, reviews.ids, reviews.counts):
            digest.update(np.ascontiguousarray(array).tobytes())
        self._data = digest.hexdigest()
        self.found = folder.is_dir() and any(folder.iterdir())

    def load(self, recipe: Recipe, parts: tuple[int, ...]) -> Snapshot | None:
        """The training as it was saved last, None where there is none or its file was cut."""
        path = self._path(recipe, parts)
        if not path.exists():
            return None
        try:
            arrays = read_arrays(path, "a saved training")
            now, first, second = (Weights(arrays[f"{n}_E"], arrays[f"{n}_v"], float(arrays[f"{n}_b"])) for n in _PARTS)
            if recipe.matrix is not None:
                now = now.with_matrix(recipe.matrix)
            return Snapshot(now, first, second, int(arrays["steps"]), tuple(arrays["accuracies"].tolist()))
        except (Malformed, KeyError, TypeError, ValueError):
            return None

    def save(self, snapshot: Snapshot, recipe: Recipe, parts: tuple[int, ...]) -> None:
        """Keeps the training as it is now."""
        try:
            self.folder.mkdir(exist_ok=True)
        except OSError as problem:
            raise InvalidInput(f"cannot write {self.folder}: {problem.strerror}; choose another output") from problem
        arrays: dict[str, Any] = {"steps": np.array(snapshot.steps), "accuracies": np.array(snapshot.accuracies)}
        for name in _PARTS:
            weights: Weights = getattr(snapshot, name)
            arrays |= {f"{name}_E": weights.E, f"{name}_v": weights.v, f"{name}_b": np.array(weights.b)}
        buffer = io.BytesIO()
        np.savez(buffer, **arrays)
        write_atomically(self._path(recipe, parts), buffer.getvalue())

    def clear(self) -> None:
        """Removes the folder: the training is complete."""
        shutil.rmtree(self.folder, ignore_errors=True)

    def _path(self, recipe: Recipe, parts: tuple[int, ...]) -> Path:
        key = hashlib.sha256(f"{recipe} {parts} {self._data}".encode()).hexdigest()
        return self.folder / f"{key[:32]}.npz"
