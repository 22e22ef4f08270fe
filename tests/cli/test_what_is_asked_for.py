"""What a verb asks its library for: every option of the command line reaches the work, and has its default there."""

from __future__ import annotations

import json
from collections.abc import Callable
from fractions import Fraction
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import exactformer as ef
from exactformer.checking import Limits
from exactformer.cli.main import code
from exactformer.errors import ExactformerError
from exactformer.studies.sentiment import load
from exactformer.studies.sentiment.families import reviews_csv
from exactformer.studies.time_delay.experiments import STUDIES

#: takes a command and says with which arguments it asks for the work
Ask = Callable[..., tuple[tuple[Any, ...], dict[str, Any]]]

TOKENS = [["1", "0"], ["0", "2"], ["1/2", "1/3"]]
CSV = "sequence,label,x1,x2\na,cat,0,1\na,cat,2,3\nb,dog,0,1\nc,cat,5,1/2\nc,cat,0,1\n"
METRIC = [[2, 1], [1, 1]]


class Noted(ExactformerError):
    """Raised in place of the work, once what was asked for is noted."""

    exit_code = 99


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("data.csv").write_text(CSV)
    Path("t.json").write_text(json.dumps({"exactformer": "tokens", "version": [1, 0], "tokens": TOKENS}))
    Path("l.json").write_text('{"cat": [7, 8], "dog": ["1/2", 9]}')
    return tmp_path


@pytest.fixture
def ask(monkeypatch: pytest.MonkeyPatch) -> Ask:
    def asked_for(place: str, *command: object) -> tuple[tuple[Any, ...], dict[str, Any]]:
        noted: list[tuple[tuple[Any, ...], dict[str, Any]]] = []

        def note(*arguments: Any, **options: Any) -> None:
            options.pop("progress", None)
            noted.append((arguments, options))
            raise Noted

        module, _, name = place.rpartition(".")
        with monkeypatch.context() as patch:
            patch.setattr(import_module(f"exactformer.{module}"), name, note)
            assert code([str(word) for word in command]) == 99
        (found,) = noted
        return found

    return asked_for


# ---------------------------------------------------------------- constructions and certificates


def test_a_construction(ask: Ask) -> None:
    place = "constructions.pipeline.construct"
    (data,), options = ask(place, "construct", "data.csv")
    usual = {
        "method": "shallow",
        "width": 4,
        "groups": None,
        "robust": False,
        "balance": False,
        "attention": None,
        "beta": None,
        "label_targets": None,
        "positions": False,
        "seed": 0,
        "workers": 1,
        "scheduler": None,
    }
    assert (len(data), options) == (3, usual)
    words = ["--method", "deep", "--width", "7", "--robust", "--balance", "--positions", "--label-targets", "l.json"]
    words += ["--attention", "softmax", "--beta", "2/3", "--seed", "5", "--workers", "3", "--scheduler", "tcp://x:1"]
    _, options = ask(place, "construct", "data.csv", *words)
    assert options == {
        **usual,
        "method": "deep",
        "width": 7,
        "robust": True,
        "balance": True,
        "attention": "softmax",
        "beta": "2/3",
        "label_targets": {"cat": [7, 8], "dog": ["1/2", 9]},
        "positions": True,
        "seed": 5,
        "workers": 3,
        "scheduler": "tcp://x:1",
    }
    _, options = ask(place, "construct", "data.csv", "--method", "compact", "--groups", "3")
    assert options == {**usual, "method": "compact", "groups": 3}


def test_a_check_and_a_report(ask: Ask) -> None:
    usual: dict[str, Any] = {"data": None, "positions": False, "A": None, "alpha": None}
    alone = {"limits": Limits(), "workers": 1, "scheduler": None, "weights": None, "plain": False}
    words = ["--data", "data.csv", "--positions", "--alpha", "1/3", "--A", json.dumps(METRIC)]
    given = {"data": Path("data.csv"), "positions": True, "A": METRIC, "alpha": "1/3"}
    assert ask("checking.check", "check", "c.jsonl") == ((Path("c.jsonl"),), {**usual, **alone})
    raised = Limits(bytes=11, line=12, digits=13, bits=14, operations=15, memory=16)
    names = ("bytes", "line", "digits", "bits", "operations", "memory")
    limits = [word for k, name in enumerate(names) for word in (f"--max-{name}", str(11 + k))]
    crew = ["--workers", "2", "--scheduler", "tcp://x:1"]
    _, options = ask("checking.check", "check", "c.jsonl", *words, *limits, *crew)
    assert options == {
        **given,
        "limits": raised,
        "workers": 2,
        "scheduler": "tcp://x:1",
        "weights": None,
        "plain": False,
    }
    assert ask("checking.check", "check", "c.jsonl", "--plain")[1]["plain"] is True
    place = "report.page.write_report"
    shown = {"verified": False}
    assert ask(place, "report", "c.jsonl") == ((Path("c.jsonl"), Path("report.html")), usual | shown)
    assert ask(place, "report", "c.jsonl", "-o", "r.html", *words) == ((Path("c.jsonl"), Path("r.html")), given | shown)


def test_a_repair(ask: Ask) -> None:
    place, plain = "training.repair.repair", ["repair", "n.jsonl", "data.csv"]
    (path, data), options = ask(place, *plain)
    assert (path, len(data), options) == (Path("n.jsonl"), 3, {"label_targets": None, "keep_shape": False, "seed": 0})
    _, options = ask(place, *plain, "--label-targets", "l.json", "--keep-shape", "--seed", "4")
    assert options == {"label_targets": {"cat": [7, 8], "dog": ["1/2", 9]}, "keep_shape": True, "seed": 4}


def test_a_training(ask: Ask) -> None:
    place, plain = "training.train.train", ["train", "data.csv", "--eps", "1e-1,1/7", "-o", "out"]
    (data,), options = ask(place, *plain)
    usual = {
        "eps": ["1e-1", "1/7"],
        "resume": Path("out/resume"),
        "attention": "uniform",
        "width": 4,
        "blocks": 1,
        "rank": 1,
        "start": "both",
        "epochs": 2000,
        "seed": 0,
        "label_targets": None,
    }
    assert (len(data), options) == (3, usual)
    words = ["--attention", "softmax", "--width", "5", "--blocks", "2", "--rank", "3", "--start", "warm"]
    _, options = ask(place, *plain, *words, "--epochs", "9", "--seed", "8", "--label-targets", "l.json")
    given = {"attention": "softmax", "width": 5, "blocks": 2, "rank": 3, "start": "warm", "epochs": 9, "seed": 8}
    assert options == {**usual, **given, "label_targets": {"cat": [7, 8], "dog": ["1/2", 9]}}
    place, whole = "training.experiment.run_experiment", ["train", "--experiment", "interpolation", "-o", "out"]
    assert ask(place, *whole) == ((), {"epochs": None, "resume": Path("out/resume")})
    assert ask(place, *whole, "--epochs", "3")[1]["epochs"] == 3


@pytest.mark.parametrize(
    "option",
    [
        ["data.csv"],
        ["--eps", "1"],
        ["--attention", "uniform"],
        ["--width", "4"],
        ["--blocks", "1"],
        ["--rank", "1"],
        ["--start", "both"],
        ["--seed", "0"],
        ["--label-targets", "l.json"],
    ],
    ids=lambda words: words[0],
)
def test_the_experiment_has_settings_of_its_own(
    option: list[str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def long(**_: object) -> None:
        raise Noted

    monkeypatch.setattr(import_module("exactformer.training.experiment"), "run_experiment", long)
    assert code(["train", *option, "--experiment", "interpolation", "-o", "out"]) == 2
    name = option[0].removeprefix("--").replace("-", "_").partition(".")[0]
    assert f"--experiment has settings of its own: leave out {name}\n" in capsys.readouterr().err
    assert not Path("out").exists()


def test_pictures(ask: Ask) -> None:
    place, plain = "report.plot.plot", ["plot", "t.json", "-o", "p.png"]
    usual = {"path": Path("p.png"), "layers": 12, "layer": None, "axes": None, "title": ""}
    (tokens, kind), options = ask(place, *plain)
    assert (tokens.state.rows(), kind, options) == (ef.Tokens(TOKENS).state.rows(), None, usual)
    words = ["--kind", "graph", "--layers", "4", "--layer", "3", "--axes", "1", "0", "--title", "mine"]
    (tokens, kind), options = ask(place, *plain, *words, "--alpha", "1/9", "--A", json.dumps(METRIC))
    assert (tokens.alpha, [list(row) for row in tokens.A], kind) == (Fraction(1, 9), METRIC, "graph")
    assert options == {**usual, "layers": 4, "layer": 3, "axes": (1, 0), "title": "mine"}
    (data, kind), options = ask(place, "plot", "data.csv", "--kind", "dial", "--title", "mine", "-o", "p.png")
    assert (len(data), kind) == (3, "dial")
    assert options == {"path": Path("p.png"), "title": "mine", "sequences": None, "classes": None, "axes": None}
    ef.construct(ef.Dataset.read("data.csv")).certify("c.jsonl")
    place, plain = "report.certificate_plot.plot_certificate", ["plot", "c.jsonl", "-o", "p.png"]
    (path, kind, output), options = ask(place, *plain)
    assert (path, kind, output) == (Path("c.jsonl"), None, Path("p.png"))
    choice = options.pop("choice")
    assert [choice.sequences, choice.classes, choice.blocks] == [None, None, None]
    assert options == {"names": None, "layer": None, "axes": None, "title": ""}
    words = ["--sequence", "a", "--sequence", "2", "--class", "cat", "--block", "1", "--data", "data.csv"]
    words += ["--kind", "bits", "--layer", "2", "--axes", "1", "0", "--title", "mine"]
    (_, kind, _), options = ask(place, *plain, *words)
    choice = options.pop("choice")
    assert (kind, choice.sequences, choice.classes, choice.blocks) == ("bits", ("a", "2"), ("cat",), (1,))
    assert options == {"names": ["a", "b", "c"], "layer": 2, "axes": (1, 0), "title": "mine"}


# ---------------------------------------------------------------- tokens


def test_limits_and_simulations(ask: Ask) -> None:
    words = ["--alpha", "1/9", "--A", json.dumps(METRIC), "--unchecked"]
    (system, budget, _), _ = ask("dynamics.limits.prove_limit", "limit", "t.json")
    assert (system.tokens.alpha, budget) == (ef.Tokens(TOKENS).alpha, 2000)
    (system, budget, _), _ = ask("dynamics.limits.prove_limit", "limit", "t.json", *words, "--budget", "0")
    assert (system.tokens.alpha, budget) == (Fraction(1, 9), 0)
    (tokens,), options = ask("dynamics.orbit.simulate", "simulate", "t.json", "--layers", "5")
    assert (tokens.alpha, options) == (ef.Tokens(TOKENS).alpha, {"layers": 5, "unchecked": False})
    (tokens,), options = ask("dynamics.orbit.simulate", "simulate", "t.json", "--layers", "0", *words)
    assert (tokens.alpha, [list(row) for row in tokens.A]) == (Fraction(1, 9), METRIC)
    assert options == {"layers": 0, "unchecked": True}
    place = "float_comparison.dynamics.crosscheck_dynamics"
    (tokens,), options = ask(place, "crosscheck", "t.json")
    assert (options["layers"], options["backend"].name, options["backend"].device) == (50, "float64", None)
    more = ["--layers", "3", "--dtype", "float32", "--device", "cpu"]
    (tokens,), options = ask(place, "crosscheck", "t.json", *words[:-1], *more)
    assert (tokens.alpha, [list(row) for row in tokens.A]) == (Fraction(1, 9), METRIC)
    assert (options["layers"], options["backend"].name, options["backend"].device) == (3, "float32", "cpu")


def test_a_hunt(ask: Ask) -> None:
    place, plain = "conjectures.hunt.hunt", ["hunt", "lemma-5"]
    usual = {
        "budget": 3000,
        "seed": 0,
        "workers": 1,
        "store": None,
        "scheduler": None,
        "shard": (0, 1),
        "exhaustive": None,
        "independent": False,
        "keep_going": False,
    }
    assert ask(place, *plain) == (("lemma-5",), usual)
    words = ["--budget", "7", "--seed", "3", "--workers", "2", "--store", "s", "--scheduler", "tcp://x:1"]
    _, options = ask(place, *plain, *words, "--shard", "2/5", "--exhaustive", "4", "--all")
    given = {"budget": 7, "seed": 3, "workers": 2, "store": Path("s"), "scheduler": "tcp://x:1", "shard": (2, 5)}
    assert options == {**given, "exhaustive": 4, "independent": False, "keep_going": True}
    assert ask(place, *plain, "--independent")[1]["independent"] is True
    assert ask(place, *plain, "--exhaustive", "2")[1]["budget"] > 10**15


# ---------------------------------------------------------------- studies


def test_a_fit_of_a_series(ask: Ask) -> None:
    assert code(["delay", "sample", "pitching", "-n", "60", "-o", "p.csv", "-q"]) == 0
    place, plain = "studies.time_delay.fit.fit_parts", ["delay", "fit", "p.csv", "--window", "3", "-o", "n.json"]
    usual = {"model": "tf", "start": None, "encoding": "block", "seed": 0, "steps": 2500, "inputs": 0}
    (parts, window), options = ask(place, *plain)
    assert (len(parts.train), window, options) == (36, 3, usual)
    words = ["--model", "dmd", "--start", "random", "--encoding", "additive", "--seed", "3", "--steps", "4"]
    _, options = ask(place, *plain, *words, "--inputs", "1")
    assert options == {
        "model": "dmd",
        "start": "random",
        "encoding": "additive",
        "seed": 3,
        "steps": 4,
        "inputs": 1,
    }
    assert code([*plain, "--inputs", "2"]) == 2


def test_measured_data_are_those_of_the_aerodynamics(ask: Ask) -> None:
    Path("mine.csv").write_text("1,2\n3,1/2\n5,6\n")
    place = "studies.time_delay.experiments.run_study"
    for study in STUDIES:
        plain = ["delay", "paper", "--study", study.name, "-o", "p"]
        assert ask(place, *plain) == ((study,), {"seeds": 2, "steps": 2500, "rows": None})
        _, options = ask(place, *plain, "--aerofoil", "mine.csv", "--seeds", "3", "--steps", "7")
        rows = options.pop("rows")
        assert options == {"seeds": 3, "steps": 7}
        if study.name == "aerodynamics":
            assert rows.tolist() == [[1.0, 2.0], [3.0, 0.5], [5.0, 6.0]]
        else:
            assert rows is None


def test_a_run_of_the_mean_field(ask: Ask) -> None:
    assert code(["meanfield", "sample", "random", "-d", "4", "-o", "s.json", "-q"]) == 0
    place, plain = "studies.mean_field.approx_run.approx_run", ["meanfield", "run", "s.json", "--beta", "10,3/2"]
    (_, _, tokens, betas, settings, _), _ = ask(place, *plain)
    assert (tokens.shape, betas) == ((2000, 4), [10.0, 1.5])
    assert (settings.time, settings.step, settings.method, settings.scheme) == (40.0, 0.05, None, "rk4")
    assert (settings.solve, settings.backend.name, settings.backend.device) == (False, "float64", None)
    words = ["-n", "30", "--time", "7", "--step", "1/4", "--seed", "3", "--method", "dense", "--scheme", "euler"]
    words += ["--transport", "--dtype", "float32", "--device", "cpu"]
    (_, _, tokens, _, settings, _), _ = ask(place, *plain, *words)
    assert tokens.shape == (30, 4)
    assert (settings.time, settings.step, settings.method, settings.scheme) == (7.0, 0.25, "dense", "euler")
    assert (settings.solve, settings.backend.name, settings.backend.device) == (True, "float32", "cpu")
    drawn = [ask(place, *plain, "-n", "30", "--seed", seed)[0][2] for seed in (3, 3, 4)]
    assert np.array_equal(drawn[0], tokens)
    assert np.array_equal(drawn[0], drawn[1])
    assert not np.array_equal(drawn[0], drawn[2])


def test_enclosures_of_the_mean_field(ask: Ask) -> None:
    assert code(["meanfield", "sample", "metastable", "-o", "s.json", "-q"]) == 0
    place = "studies.mean_field.enclosure.enclose"
    plain = ["meanfield", "enclose", "s.json", "t.json", "--beta", "5"]
    usual = {"beta": "5", "step": "1/20", "steps": 20, "bits": 128}
    (_, points), options = ask(place, *plain)
    assert (points.rows(), options) == (ef.Tokens(TOKENS).state.rows(), usual)
    _, options = ask(place, *plain, "--step", "1/7", "--steps", "3", "--bits", "99")
    assert options == {"beta": "5", "step": "1/7", "steps": 3, "bits": 99}


def test_a_training_on_reviews(ask: Ask) -> None:
    Path("r.csv").write_text(reviews_csv(60, 1))
    plain = ["sentiment", "train", "r.csv", "-o", "m.xz"]
    place = "studies.sentiment.reviews.read_reviews"
    assert ask(place, *plain) == ((Path("r.csv"),), {"min_count": None, "pairs": False})
    assert ask(place, *plain, "--min-count", "3", "--pairs")[1] == {"min_count": 3, "pairs": True}
    place = "studies.sentiment.trainer.train"
    _, options = ask(place, *plain)
    options.pop("resume")
    assert options == {"dim": 2, "layers": 8, "leaders": "few", "seed": 0, "matrix": False}
    words = ["--dim", "3", "--layers", "4", "--leaders", "many", "--seed", "5", "--matrix"]
    _, options = ask(place, *plain, *words)
    options.pop("resume")
    assert options == {"dim": 3, "layers": 4, "leaders": "many", "seed": 5, "matrix": True}
    place, plain = "studies.sentiment.paper.reproduce", ["sentiment", "paper", "r.csv", "-o", "out"]
    usual = {"dims": (2, 4, 8, 16), "seed": 0, "sample": 1000}
    assert ask(place, *plain) == ((Path("r.csv"), Path("out")), usual)
    _, options = ask(place, *plain, "--dims", "1,256", "--seed", "6", "--sample", "9")
    assert options == {"dims": (1, 256), "seed": 6, "sample": 9}
    for wrong in ("0", "257", "2,x", ""):
        assert code([*plain, "--dims", wrong]) == 2


def test_the_parts_of_an_evaluation(ask: Ask) -> None:
    load().write("m.xz")
    plain = ["sentiment", "evaluate", "m.xz", "r.csv"]
    place = "studies.sentiment.evaluation.labelled_reviews"
    parts = [ask(place, *plain, "--part", part)[0][2] for part in ("train", "validation", "test", "all")]
    assert parts == [0, 1, 2, None]
    assert ask(place, *plain)[0][2] == 2
    Path("r.csv").write_text(reviews_csv(60, 1))
    place = "studies.sentiment.evaluation.evaluate"
    assert ask(place, *plain)[1] == {"sample": 1000, "seed": 0}
    assert ask(place, *plain, "--sample", "3", "--seed", "4")[1] == {"sample": 3, "seed": 4}
