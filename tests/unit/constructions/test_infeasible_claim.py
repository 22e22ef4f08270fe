"""Tests of `exactformer.constructions.infeasible_claim`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from exactformer.arithmetic.state import State
from exactformer.constructions.infeasible_claim import write_infeasible
from exactformer.errors import InvalidInput
from exactformer.model.dataset import Dataset, Sequence


def test_a_condition_that_nobody_knows_is_not_written(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="measure, set, targets, got 'sets'"):
        write_infeasible(
            tmp_path / "c.jsonl", condition="sets", witness=[0, 1], tokens=State.of([[1], [1]]), offsets=np.arange(3)
        )
    assert not (tmp_path / "c.jsonl").exists()


def data(*pairs: tuple[list[Any], list[Any]]) -> Dataset:
    return Dataset.of(Sequence.of([[v] for v in x], [[v] for v in y]) for x, y in pairs)


def test_only_known_conditions_are_certified(tmp_path: Path) -> None:
    from exactformer.constructions.infeasible_claim import write_infeasible

    given = data(([0, 1], [5]), ([1, 0], [6]))
    parts: dict[str, Any] = {"tokens": given.tokens, "offsets": given.offsets, "targets": given.targets_of}
    with pytest.raises(InvalidInput, match="expected one of the conditions"):
        write_infeasible(tmp_path / "c", condition="colour", witness=(0, 1), **parts)
    assert list(tmp_path.iterdir()) == []
    write_infeasible(tmp_path / "c", condition="measure", witness=(0, 1), **parts)
