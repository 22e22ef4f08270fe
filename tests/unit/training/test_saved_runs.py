"""Tests of `exactformer.training.saved_runs`."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from exactformer.errors import InvalidInput, Malformed
from exactformer.training.saved_runs import SavedRuns, SavedStep, SavedSteps
from exactformer.training.softmax_training import TrainingState


def test_runs_are_kept_apart_by_the_shape_of_their_data(tmp_path: Path) -> None:
    flat, tall = np.arange(6.0).reshape(2, 3), np.arange(6.0).reshape(3, 2)
    state = TrainingState(np.ones(2), np.zeros(2), np.full(2, 3.0), 7, ((0.5, 1, 2.0, 3.0),))
    SavedRuns(tmp_path, flat).save("run", state)
    found = SavedRuns(tmp_path, flat).load("run")
    assert found is not None
    assert (found.theta.tolist(), found.first.tolist(), found.second.tolist()) == ([1, 1], [0, 0], [3, 3])
    assert (found.epochs, found.history) == (7, ((0.5, 1, 2.0, 3.0),))
    for other in (SavedRuns(tmp_path, tall), SavedRuns(tmp_path, flat, flat), SavedRuns(tmp_path, flat + 1)):
        assert other.load("run") is None
    assert SavedRuns(tmp_path, flat).load("run 2") is None


def test_saved_runs_are_those_of_their_data_and_their_name(tmp_path: Path) -> None:
    vectors = [np.arange(6.0) + k for k in range(3)]
    state = TrainingState(*vectors, 7, ((0.5, 3, 2.0, 1.0), (0.5, 4, 1.5, 1.0)))
    rows = np.arange(12.0)
    saved = SavedRuns(tmp_path / "runs", rows.reshape(3, 4), rows[:2])
    assert (saved.found, saved.load("one")) == (False, None)
    saved.save("one", state)
    again = SavedRuns(tmp_path / "runs", rows.reshape(3, 4), rows[:2]).load("one")
    assert again is not None
    assert all(np.array_equal(x, y) for x, y in zip((again.theta, again.first, again.second), vectors, strict=True))
    assert (again.epochs, again.history, saved.found) == (7, state.history, True)
    others = [(rows.reshape(4, 3), rows[:2]), (rows.reshape(3, 4),), (rows.reshape(3, 4), rows[1:3]), (rows, rows[:2])]
    assert all(SavedRuns(tmp_path / "runs", *arrays).load("one") is None for arrays in others)
    assert saved.load("two") is None
    assert SavedRuns(None, rows).load("one") is None
    (file,) = (tmp_path / "runs").glob("*.npz")
    file.write_bytes(file.read_bytes()[:-40])
    with pytest.raises(Malformed, match="delete the file to begin a saved run anew"):
        saved.load("one")
    saved.clear()
    assert not (tmp_path / "runs").exists()
    (tmp_path / "file").write_text("")
    with pytest.raises(InvalidInput, match="cannot write"):
        SavedRuns(tmp_path / "file" / "runs", rows).save("one", state)


def one_step() -> SavedStep:
    arrays = [{"token": np.full((2, 3), k + 1, np.float32)} for k in range(3)]
    return SavedStep(*arrays, step=50, history=((50, 0.5, 0.25),))


def test_a_training_of_a_network_goes_on_from_its_own_settings_alone(tmp_path: Path) -> None:
    saved = SavedSteps(tmp_path, seed=1, steps=100)
    assert saved.load() is None
    saved.save(one_step())
    found = SavedSteps(tmp_path, seed=1, steps=100).load()
    assert found is not None
    assert (found.step, found.history) == (50, ((50, 0.5, 0.25),))
    with pytest.raises(Malformed, match=r"its steps is 100, this one's is 1000000000; delete the folder"):
        SavedSteps(tmp_path, seed=1, steps=10**9).load()


@pytest.mark.parametrize("damage", ["cut", "changed", "empty"])
def test_a_damaged_training_of_a_network_is_told(damage: str, tmp_path: Path) -> None:
    SavedSteps(tmp_path, seed=1).save(one_step())
    [path] = tmp_path.glob("*.npz")
    with np.load(path) as found:
        arrays = {name: found[name] * 2 if name == "weights/token" else found[name] for name in found}
    whole = path.read_bytes()
    path.write_bytes(b"" if damage == "empty" else whole[:200])
    if damage == "changed":
        np.savez(path, **arrays)
    with pytest.raises(Malformed, match=f"{path}.*delete the file to begin a saved training anew"):
        SavedSteps(tmp_path, seed=1).load()
