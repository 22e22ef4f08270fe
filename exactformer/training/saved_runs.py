"""Runs that can be interrupted: the state of each in a folder, under a digest of the data and of its options."""

from __future__ import annotations

import hashlib
import io
import shutil
from pathlib import Path

import numpy as np

from exactformer.errors import InvalidInput, Malformed
from exactformer.model.json_lines import read_arrays, write_atomically
from exactformer.training.regularised import Floats
from exactformer.training.softmax_training import AdamState


class SavedRuns:
    """A folder with one file a run; without a folder nothing is kept. Runs of other data or options are not taken."""

    def __init__(self, folder: Path | None, *arrays: Floats) -> None:
        self.folder = folder
        digest = hashlib.sha256()
        for array in arrays:
            digest.update(f"{array.shape}".encode() + np.ascontiguousarray(array).tobytes())
        self._data = digest.hexdigest()

    @property
    def found(self) -> bool:
        """Whether there is anything to go on from."""
        return self.folder is not None and self.folder.is_dir() and any(self.folder.iterdir())

    def load(self, name: str) -> AdamState | None:
        """The run as it was saved last; None where there is none, or where its file was cut."""
        if self.folder is None or not self._path(self.folder, name).exists():
            return None
        try:
            arrays = read_arrays(self._path(self.folder, name), "a saved run")
            history = [(float(e), int(k), float(a), float(b)) for e, k, a, b in arrays["history"]]
            vectors = (np.asarray(arrays[key], dtype=np.float64) for key in ("theta", "first", "second"))
            theta, first, second = vectors
            return AdamState(theta, first, second, int(arrays["epochs"]), tuple(history))
        except (Malformed, KeyError, TypeError, ValueError):
            return None

    def save(self, name: str, state: AdamState) -> None:
        """Keeps a run as it is now."""
        if self.folder is None:
            return
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
        except OSError as problem:
            raise InvalidInput(f"cannot write {self.folder}: {problem.strerror}; choose another output") from problem
        buffer = io.BytesIO()
        history = np.array(state.history, dtype=np.float64).reshape(-1, 4)
        epochs = np.array(state.epochs)
        np.savez(buffer, theta=state.theta, first=state.first, second=state.second, epochs=epochs, history=history)
        write_atomically(self._path(self.folder, name), buffer.getvalue())

    def clear(self) -> None:
        """Removes the folder: everything is done."""
        if self.folder is not None:
            shutil.rmtree(self.folder, ignore_errors=True)

    def _path(self, folder: Path, name: str) -> Path:
        return folder / f"{hashlib.sha256(f'{name} {self._data}'.encode()).hexdigest()[:32]}.npz"
