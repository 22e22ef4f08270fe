"""Tests of `exactformer.cli.train`."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest
from kits.training_data import small_data

from exactformer.cli.train import _write_history, going_on
from exactformer.training.train import train

Captured = pytest.CaptureFixture[str]


def test_the_history_in_a_table_is_that_of_the_runs(tmp_path: Path) -> None:
    runs = train(small_data(), eps=["1/10"], epochs=40).runs
    _write_history(runs, tmp_path / "history.csv")
    expected = [(k, run.start, *row[1:]) for k, run in enumerate(runs) for row in run.history]
    listed = [
        (int(row["run"]), row["start"], int(row["step"]), float(row["approx_loss"]), float(row["approx_norm2"]))
        for row in csv.DictReader((tmp_path / "history.csv").open())
    ]
    assert listed == expected != []


def test_a_training_goes_on_where_something_was_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Captured
) -> None:
    monkeypatch.chdir(tmp_path)
    for content, words in ((None, ""), ("", ""), ("x", "going on where the training was interrupted\n")):
        if content is not None:
            Path("out", "resume").mkdir(parents=True, exist_ok=True)
        if content:
            Path("out", "resume", "run0.npz").write_text(content)
        assert going_on(Path("out")) == Path("out", "resume")
        assert capsys.readouterr().err == words
