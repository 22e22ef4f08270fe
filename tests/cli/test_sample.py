"""`exactformer sample` on the command line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from exactformer.cli.main import code
from exactformer.instances.token_families import FAMILIES
from exactformer.model.dataset import Dataset
from exactformer.model.tokens import Tokens


@pytest.mark.parametrize("family", FAMILIES)
def test_a_sample_is_a_token_file(family: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "tokens.json"
    assert code(["sample", family, "-n", "6", "-d", "3", "--seed", "5", "-o", str(path)]) == 0
    assert "seed 5" in capsys.readouterr().err
    assert (len(Tokens.read(path)), Tokens.read(path).dim) == (6, 3)
    assert code(["sample", family, "-n", "6", "-d", "3", "--seed", "5"]) == 0
    assert capsys.readouterr().out == path.read_text()


def test_a_sample_of_a_data_set(tmp_path: Path) -> None:
    path = tmp_path / "data.json"
    assert code(["sample", "nested", "-n", "4", "-d", "2", "--seed", "1", "-o", str(path)]) == 0
    assert len(Dataset.read(path)) == 4


def test_the_seed_is_always_printed(capsys: pytest.CaptureFixture[str]) -> None:
    assert code(["sample", "integer-grid"]) == 0
    out, err = capsys.readouterr()
    seed = err.split("seed ")[1].strip()
    assert code(["sample", "integer-grid", "--seed", seed]) == 0
    assert capsys.readouterr().out == out


def test_samples_without_a_seed_are_drawn_with_another_one_each_time(capsys: pytest.CaptureFixture[str]) -> None:
    drawn = []
    for _ in range(3):
        assert code(["sample", "integer-grid"]) == 0
        drawn.append(int(capsys.readouterr().err.rpartition("seed ")[2]))
    assert len(set(drawn)) > 1
    assert 0 <= min(drawn) < max(drawn) < 2**32


def test_families_are_listed(capsys: pytest.CaptureFixture[str]) -> None:
    assert code(["sample", "--list", "--json"]) == 0
    listed = json.loads(capsys.readouterr().out)
    assert set(FAMILIES) <= set(listed)
    assert "windows" in listed


def test_wrong_usage(capsys: pytest.CaptureFixture[str]) -> None:
    assert code(["sample", "nonsense", "--seed", "1"]) == 2
    assert "rotated-grid" in capsys.readouterr().err
    assert code(["sample"]) == 2
    assert code(["sample", "emerging-leader", "-n", "1", "--seed", "1"]) == 3
