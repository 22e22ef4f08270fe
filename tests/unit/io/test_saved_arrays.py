"""Tests of `exactformer.io.saved_arrays`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from exactformer.errors import Malformed
from exactformer.io.saved_arrays import SavedArrays


def saved(folder: Path, **problem: object) -> SavedArrays:
    return SavedArrays(folder, "a saved run", {"data": "abc", **problem})


ARRAYS = {"theta": np.arange(6.0), "epochs": np.array(7)}


@pytest.mark.parametrize(
    "change",
    [
        {"theta": ARRAYS["theta"][:5]},
        {"epochs": np.array(10**9)},
        {"theta": ARRAYS["theta"].astype(np.float32)},
        {"theta": ARRAYS["theta"].reshape(2, 3)},
        {"more": np.zeros(1)},
    ],
)
def test_changed_arrays_of_a_training(change: dict[str, Any], tmp_path: Path) -> None:
    saved(tmp_path, seed=1).save("run 1", ARRAYS)
    (file,) = tmp_path.glob("*.npz")
    with np.load(file) as found:
        np.savez(file, **{**found, **change})
    with pytest.raises(Malformed, match=rf"{file.name}: a saved run was changed .* delete the file to begin"):
        saved(tmp_path, seed=1).load("run 1")


def test_arrays_of_a_training_as_they_were_and_where_they_are_not_theirs(tmp_path: Path) -> None:
    mine = saved(tmp_path, seed=1)
    mine.verify_problem()
    assert (mine.found, mine.load("run 1")) == (False, None)
    mine.save("run 1", ARRAYS)
    again = saved(tmp_path, seed=1)
    again.verify_problem()
    found = again.load("run 1")
    assert found is not None
    assert {name: array.tolist() for name, array in found.items()} == {"theta": [*range(6)], "epochs": 7}
    (file,) = tmp_path.glob("*.npz")
    content = file.read_bytes()
    mine.save("run 2", ARRAYS)
    (other,) = {*tmp_path.glob("*.npz")} - {file}
    other.write_bytes(content)
    with pytest.raises(Malformed, match="that of another part"):
        mine.load("run 2")
    for wrong, why in (({"seed": 2}, "its seed is 1, this one's is 2"), ({}, "its seed is 1, this one's is None")):
        with pytest.raises(Malformed, match=rf"problem\.json: .*{why}; delete the folder"):
            saved(tmp_path, **wrong).verify_problem()
    with np.load(file) as arrays:
        np.savez(file, theta=arrays["theta"], epochs=arrays["epochs"])
    with pytest.raises(Malformed, match="with its digest, as this version writes it; delete the file"):
        mine.load("run 1")
    file.write_bytes(content[:300])
    with pytest.raises(Malformed, match="delete the file to begin a saved run anew"):
        mine.load("run 1")
    (tmp_path / "problem.json").unlink()
    with pytest.raises(Malformed, match=r"expected problem\.json, as this version writes it"):
        mine.verify_problem()
    mine.clear()
    assert not tmp_path.exists()
