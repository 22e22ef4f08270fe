"""Tests of `exactformer.training.experiment`."""

from __future__ import annotations

import csv
import json
from fractions import Fraction
from pathlib import Path

import pytest
from kits.training_data import small_data

import exactformer as ef
from exactformer.cli.main import code
from exactformer.model.norms import Enclosure
from exactformer.training.experiment import Experiment, PapersRun, _teller, papers_data
from exactformer.training.saved_runs import SavedRuns
from exactformer.training.softmax_training import TrainingState
from exactformer.training.train import train


def test_the_epochs_of_an_experiment_go_on_from_run_to_run() -> None:
    told: list[tuple[int, int]] = []
    _teller(lambda done, total: told.append((done, total)), 7, 20)(3)
    _teller(None, 7, 20)(3)
    assert told == [(10, 20)]


def test_readings_say_what_the_generating_weights_show() -> None:
    """The generating weights give a verdict only where the objective is above eps times their norm."""
    ours = train(small_data(), eps=["1/20"], epochs=5, start="random")
    (run,) = ours.runs
    limit = run.figures.objective.low / run.eps
    for factor, silent in ((Fraction(1, 2), False), (Fraction(2), True)):
        norm = Enclosure(limit * factor, limit * factor)
        one = PapersRun(Fraction(1, 10), 5_000, run, 0.033)
        said = Experiment(norm, Enclosure(Fraction(0), Fraction(0)), (one,), ours).readings()
        assert ("the generating weights give no such verdict" in said[2]) == silent
        assert "published about 0.033: reproduces" in said[2]
    far, cut = (PapersRun(Fraction(1, 10), epochs, run, 0.066) for epochs in (5_000, 4_999))
    said = Experiment(norm, Enclosure(Fraction(0), Fraction(0)), (far, cut), ours).readings()
    assert "does not reproduce" in said[2]
    assert "after 4999 of 5000 epochs: nothing to compare" in said[3]


@pytest.mark.slow
def test_the_published_experiment_in_short(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("torch")
    start = papers_data().start
    rising = TrainingState(
        2 * start, start, start, 2, ((5e-4, 0, 3.0, 1.0), (5e-4, 1, 7.0, 1.0))
    )  # kept by an earlier run
    SavedRuns(tmp_path / "resume", start).save("experiment 1/1000 2", rising)
    assert code(["train", "--experiment", "interpolation", "--epochs", "2", "-o", str(tmp_path), "--json"]) == 0
    answer = json.loads(capsys.readouterr().out)
    norm = Fraction(answer["generator"]["norm2"])
    assert round(float(norm), 4) == 62.5316
    best = answer["interpolant"]["norm2"]
    assert Fraction(best if isinstance(best, str) else best[1]) < Fraction("25.5")
    assert answer["interpolant"]["same_shape"]
    assert [run["weight_decay"] for run in answer["runs"]] == ["1/10", "1/100", "1/1000", "1/10000"]
    halves = ["1/20", "1/200", "1/2000", "1/20000"]
    assert [run["eps"] for run in answer["runs"]] == [run["eps"] for run in answer["minimised_on_means"]] == halves
    assert [run["approx_published_loss"] for run in answer["runs"]] == [0.033, 0.013, 0.0005, None]
    assert [run["epochs"] for run in answer["runs"]] == [2] * 4
    assert {run["verdict"] for run in answer["runs"]} == {"not a global minimiser"}
    assert all(run["verdict"] == "below the guarantee" for run in answer["minimised_on_means"])
    assert len(answer["readings"]) == 6
    assert ef.check(tmp_path / "interpolant.jsonl").verdict == "accepted"
    for name in ("loss_epochs.png", "loss_eps.png"):
        assert (tmp_path / name).stat().st_size > 10_000
    with (tmp_path / "history.csv").open() as file:
        rows = list(csv.DictReader(file))
    losses = [[float(row["approx_loss"]) for row in rows if row["run"] == str(k)] for k in range(4)]
    assert losses[2] == [3.0, 7.0]
    assert [run["approx_least_loss"] for run in answer["runs"]] == list(map(min, losses))
    first = [row for row in rows if row["step"] == "0"]
    assert [row["start"] for row in first] == ["going on"] * 3 + ["anew"]
    begins = [(row["approx_loss"], row["approx_norm2"]) for row in first]
    assert begins[3] == begins[0]  # the same weights as at the very beginning
    assert len(set(begins)) == 3
