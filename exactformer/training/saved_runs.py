"""Runs that can be interrupted: the state of each in a folder, under a digest of the data and of its options."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from exactformer.io.saved_arrays import SavedArrays
from exactformer.training.regularised import Floats
from exactformer.training.softmax_training import TrainingState

Tensors32 = dict[str, NDArray[np.float32]]
_KINDS = ("weights", "first", "second")


class SavedRuns:
    """A folder with one file a run; without a folder nothing is kept. Runs of other data or options are not taken."""

    def __init__(self, folder: Path | None, *arrays: Floats, **options: object) -> None:
        digest = hashlib.sha256()
        for array in arrays:
            digest.update(f"{array.shape}".encode() + np.ascontiguousarray(array).tobytes())
        problem = {"data": digest.hexdigest(), **options}
        self._kept = None if folder is None else SavedArrays(folder, "a saved run", problem)

    @property
    def found(self) -> bool:
        """Whether there is anything to go on from."""
        return self._kept is not None and self._kept.found

    def verify_problem(self) -> None:
        """Malformed where the folder keeps runs of other data or other options."""
        if self._kept is not None:
            self._kept.verify_problem()

    def load(self, name: str) -> TrainingState | None:
        """The run as it was saved last, None where there is none; Malformed where its file was changed or cut."""
        arrays = None if self._kept is None else self._kept.load(name)
        if arrays is None:
            return None
        history = [(float(e), int(k), float(a), float(b)) for e, k, a, b in arrays["history"]]
        return TrainingState(arrays["theta"], arrays["first"], arrays["second"], int(arrays["epochs"]), tuple(history))

    def save(self, name: str, state: TrainingState) -> None:
        """Keeps a run as it is now."""
        if self._kept is None:
            return
        arrays = {"theta": state.theta, "first": state.first, "second": state.second}
        history = np.array(state.history, dtype=np.float64).reshape(-1, 4)
        self._kept.save(name, arrays | {"epochs": np.array(state.epochs), "history": history})

    def clear(self) -> None:
        """Removes the folder: everything is done."""
        if self._kept is not None:
            self._kept.clear()


@dataclass(frozen=True)
class SavedStep:
    """The training of a network after so many steps: weights, Adam's two moments, and the records so far."""

    weights: Tensors32
    first: Tensors32
    second: Tensors32
    step: int
    history: Sequence[tuple[int, float, float]]


class SavedSteps:
    """The last step of one training in a folder, under its settings; without a folder nothing is kept."""

    def __init__(self, folder: Path | None, **settings: object) -> None:
        self._kept = None if folder is None else SavedArrays(folder, "a saved training", settings)

    def load(self) -> SavedStep | None:
        """The training as it was saved last, None where there is none; Malformed where it is another or changed."""
        if self._kept is None:
            return None
        self._kept.verify_problem()
        arrays = self._kept.load("network")
        if arrays is None:
            return None
        parts: dict[str, Tensors32] = {kind: {} for kind in _KINDS}
        for key, tensor in arrays.items():
            kind, slash, name = key.partition("/")
            if slash:
                parts[kind][name] = tensor
        history = tuple((int(step), float(loss), float(share)) for step, loss, share in arrays["history"])
        return SavedStep(**parts, step=int(arrays["step"]), history=history)

    def save(self, state: SavedStep) -> None:
        """Keeps the training as it is now."""
        if self._kept is None:
            return
        arrays = {f"{kind}/{name}": tensor for kind in _KINDS for name, tensor in getattr(state, kind).items()}
        history = np.array(state.history, np.float64).reshape(-1, 3)
        self._kept.save("network", {**arrays, "step": np.array(state.step), "history": history})

    def clear(self) -> None:
        """Removes the folder: everything is done."""
        if self._kept is not None:
            self._kept.clear()
