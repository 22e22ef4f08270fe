"""Options of hunts, of the studies and of the program itself, each with its effect."""

from __future__ import annotations

import importlib
import json
import os
import sys
from fractions import Fraction
from pathlib import Path
from typing import Any

import click
import numpy as np
import pytest

import exactformer as ef
from exactformer import cli
from exactformer import parallel as workers
from exactformer.arithmetic import short_text
from exactformer.arithmetic.algebraic import json_form
from exactformer.cli.common import progress, read_matrix, say
from exactformer.cli.main import PURPOSES, VERBS, code
from exactformer.cli.presenter import print_json, show
from exactformer.errors import InvalidInput
from exactformer.parallel import Workers
from exactformer.studies.mean_field.families import circle_tokens, sample_system
from exactformer.studies.sentiment import load

Captured = pytest.CaptureFixture[str]


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def answer_of(capsys: Captured, *command: object, exit_code: int = 0) -> Any:
    capsys.readouterr()
    assert code([*map(str, command), "--json"]) == exit_code
    return json.loads(capsys.readouterr().out.splitlines()[-1])


# ---------------------------------------------------------------- hunts


def test_a_hunt_has_the_budget_and_the_seed_asked_for(capsys: Captured) -> None:
    first, again, other = (answer_of(capsys, "hunt", "lemma-5", "--budget", 7, "--seed", s) for s in (0, 0, 3))
    assert (first["instances"], first["seed"], other["seed"]) == (7, 0, 3)
    assert first == again
    assert code(["hunt", "lemma-5", "--budget", "0"]) == 2
    capsys.readouterr()
    assert code(["hunt", "lemma-5", "--budget", "2", "--seed", "3"]) == 0
    assert "seed 3" in capsys.readouterr().err


def test_shards_part_the_instances_of_a_hunt(capsys: Captured) -> None:
    whole = answer_of(capsys, "hunt", "lemma-5", "--budget", 600)["instances"]
    parts = [answer_of(capsys, "hunt", "lemma-5", "--budget", 600, "--shard", f"{i}/2")["instances"] for i in (0, 1)]
    assert sum(parts) == whole
    assert min(parts) > 0
    for wrong in ("2/2", "1", "a/2", "-1/2", "1/0"):
        assert code(["hunt", "lemma-5", "--shard", wrong]) == 2


# ---------------------------------------------------------------- series


def rows_in(path: str) -> list[list[Fraction]]:
    return [[Fraction(x) for x in line.split(",")] for line in Path(path).read_text().splitlines()]


def test_samples_of_series(capsys: Captured) -> None:
    for count, order in ((1, 2), (2, 4)):
        told = answer_of(capsys, "delay", "sample", "tones", "-n", 30, "--count", count, "-o", "t.csv")
        assert told == {"system": "tones", "rows": 30, "written": "t.csv"}
        assert len(rows_in("t.csv")) == 30
        assert answer_of(capsys, "delay", "order", "t.csv")["order"] == order
        assert answer_of(capsys, "delay", "order", "t.csv", "--cap", order)["order"] == order
        refused = answer_of(capsys, "delay", "order", "t.csv", "--cap", order - 1, exit_code=1)
        assert (refused["order"], refused["cap"]) == (None, order - 1)
    assert answer_of(capsys, "delay", "sample", "fibonacci") == {"system": "fibonacci", "rows": 400, "written": None}
    texts = []
    for seed in (0, 0, 1):
        assert code(["delay", "sample", "pitching", "-n", "20", "--seed", str(seed), "-o", "p.csv"]) == 0
        texts.append(Path("p.csv").read_text())
    assert texts[0] == texts[1] != texts[2]
    capsys.readouterr()
    assert code(["delay", "sample", "fibonacci", "-n", "5"]) == 0
    assert [Fraction(line) for line in capsys.readouterr().out.split()] == [1, 1, 2, 3, 5]


def test_an_intercept_is_allowed_where_it_is_asked_for(capsys: Captured) -> None:
    Path("s.csv").write_text("\n".join(str(2**k + 3) for k in range(9)))
    assert answer_of(capsys, "delay", "order", "s.csv")["order"] == 2
    found = answer_of(capsys, "delay", "order", "s.csv", "--intercept", "-o", "c.jsonl")
    assert (found["order"], found["coefficients"], found["intercept"]) == (1, ["2"], "-3")
    assert code(["check", "c.jsonl"]) == 0


def test_a_fit_and_its_rollouts(capsys: Captured) -> None:
    Path("s.csv").write_text("\n".join(f"{k % 5},{(3 * k) % 7}" for k in range(60)))
    told = {}
    for window in (2, 3):
        told[window] = answer_of(capsys, "delay", "fit", "s.csv", "--window", window, "--model", "dmd", "-o", "n.json")
        assert told[window]["model"] == "dmd"
    assert told[2] != told[3]
    assert told[2]["parameters"] < told[3]["parameters"]
    floats = answer_of(capsys, "delay", "roll", "n.json", "s.csv", "--steps", 3)
    assert np.shape(floats["values"]) == (3, 2)
    assert [[Fraction(x) for x in row] for row in floats["values"]] == [
        [Fraction(x) for x in row] for row in floats["approx_values"]
    ]
    exact = answer_of(capsys, "delay", "roll", "n.json", "s.csv", "--steps", 3, "--exact")["values"]
    wide, narrow = (
        answer_of(capsys, "delay", "roll", "n.json", "s.csv", "--steps", 3, "--bits", b)["values"] for b in (53, 200)
    )
    for k in range(3):
        for i in range(2):
            value = Fraction(exact[k][i])
            assert abs(value - Fraction(floats["values"][k][i])) < Fraction(1, 10**6)
            (a, b), (c, d) = ([Fraction(x) for x in ends[k][i]] for ends in (wide, narrow))
            assert a <= value <= b
            assert c <= value <= d
            assert d - c < b - a
    assert len(answer_of(capsys, "delay", "roll", "n.json", "s.csv")["values"]) == 20
    assert code(["delay", "roll", "n.json", "s.csv", "--exact", "--bits", "64"]) == 2
    assert code(["delay", "fit", "s.csv", "--window", "2", "--model", "dmd", "--inputs", "2", "-o", "i.json"]) == 2


def test_windows_up_to_a_cap(capsys: Captured) -> None:
    found = answer_of(capsys, "delay", "window", "--cos", "4/5", "-o", "w.jsonl")
    assert found["refused"] == list(range(2, found["window"]))
    assert answer_of(capsys, "delay", "window", "--cos", "4/5", "--cap", found["window"])["window"] == found["window"]
    if found["window"] > 2:
        assert code(["delay", "window", "--cos", "4/5", "--cap", str(found["window"] - 1)]) in (1, 4)
    assert code(["check", "w.jsonl"]) == 0
    Path("s.csv").write_text("1\n2\n")
    assert code(["delay", "window", "s.csv", "--cos", "4/5"]) == 2
    assert code(["delay", "window"]) == 2
    assert code(["delay", "window", "--cos", "sqrt(2)/2"]) == 3


# ---------------------------------------------------------------- the mean field


def test_samples_of_systems_and_of_the_circle(capsys: Captured) -> None:
    def sampled(*options: object) -> Any:
        capsys.readouterr()
        assert code(["meanfield", "sample", *map(str, options)]) == 0
        return json.loads(capsys.readouterr().out)

    assert len(sampled("circle")["tokens"]) == 100
    seven = sampled("circle", "-n", 7)["tokens"]
    assert all(Fraction(x) ** 2 + Fraction(y) ** 2 == 1 for x, y in seven)
    assert len(seven) == len(circle_tokens(7)) == 7
    for dim, seed in ((3, 0), (4, 0), (4, 2)):
        told = sampled("random", "-d", dim, "--seed", seed)
        assert told["V"] == [[str(x) for x in row] for row in sample_system("random", dim=dim, seed=seed).V]
    assert sampled("random") == sampled("random", "-d", 3, "--seed", 0)
    for name, words in (("random", "random: dimension 5, seed 2\n"), ("metastable", "metastable: dimension 2\n")):
        assert code(["meanfield", "sample", name, "-d", "5", "--seed", "2", "-o", "any.json"]) == 0
        assert capsys.readouterr().err == words
    assert code(["meanfield", "sample", "nonsense"]) == 2


def test_enclosures_after_so_many_steps(capsys: Captured) -> None:
    assert code(["meanfield", "sample", "metastable", "-o", "s.json", "-q"]) == 0
    assert code(["meanfield", "sample", "circle", "-n", "3", "-o", "c.json", "-q"]) == 0
    enclose = ["meanfield", "enclose", "s.json", "c.json", "--beta", "5"]
    plain = answer_of(capsys, *enclose)
    assert plain["steps"] == 20
    assert plain == answer_of(capsys, *enclose, "--step", "1/20", "--steps", 20, "--bits", 128)
    none, fine = (answer_of(capsys, *enclose, *more) for more in (("--steps", 0), ("--bits", 300)))
    assert none["tokens"] != plain["tokens"]
    assert Fraction(fine["radius"]) < Fraction(plain["radius"])
    for other in (("--beta", "6"), ("--step", "1/10")):
        assert answer_of(capsys, *enclose, *other)["tokens"] != plain["tokens"]


# ---------------------------------------------------------------- sentiment


def test_samples_of_reviews(capsys: Captured) -> None:
    texts = []
    for count, seed in ((20, 0), (20, 0), (20, 1), (30, 0)):
        told = answer_of(capsys, "sentiment", "sample", "-n", count, "--seed", seed, "-o", "r.csv")
        assert told == {"reviews": count, "seed": seed}
        texts.append(Path("r.csv").read_text())
        assert len(texts[-1].splitlines()) in (count, count + 1)
    assert texts[0] == texts[1] != texts[2]


def test_explanations_are_written_where_asked(capsys: Captured) -> None:
    text = "A wonderful film with a boring end."
    found = answer_of(capsys, "sentiment", "explain", text, "-o", "c.jsonl", "--html", "r.html", "--counterfactual")
    explanation = load().explain(text)
    assert found["decision"] == explanation.decision
    assert Fraction(found["value"]) == explanation.value
    without = explanation.counterfactual(budget=20_000)
    assert (found["counterfactual"]["words"], found["counterfactual"]["proved_up_to"]) == (
        list(without.words),
        without.proved_up_to,
    )
    assert code(["check", "c.jsonl"]) == 0
    assert f"{found['decision']}: a decision" in Path("r.html").read_text()
    assert "counterfactual" not in answer_of(capsys, "sentiment", "explain", text)
    assert code(["sentiment", "explain", "a", "b", "c"]) == 2


# ---------------------------------------------------------------- the program


def test_every_verb_has_a_module_with_a_command() -> None:
    for verb, (module, words) in VERBS.items():
        found = importlib.import_module(f"{cli.__name__}.{module}").command
        assert isinstance(found, click.Command)
        assert found.name == verb
        assert words.endswith(".")
    assert sum(map(len, PURPOSES.values())) == len(VERBS)


@pytest.mark.parametrize(
    ("problem", "exit_code", "words"),
    [
        (MemoryError(), 4, "out of memory"),
        (KeyboardInterrupt(), 130, "interrupted; no half-written file was left"),
        (OSError(28, "No space left on device", "x.json"), 4, "cannot read or write x.json: No space left"),
        (InvalidInput("expected this"), 3, "exactformer: expected this"),
        (RuntimeError("oh"), 70, "a bug in the program: RuntimeError: oh"),
        (click.UsageError("not so"), 2, "not so"),
    ],
)
def test_what_goes_wrong_has_its_exit_code(
    problem: BaseException, exit_code: int, words: str, monkeypatch: pytest.MonkeyPatch, capsys: Captured
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise problem

    monkeypatch.delenv("EXACTFORMER_TRACEBACK", raising=False)
    monkeypatch.setattr("exactformer.instances.named_families.sample", fail)
    monkeypatch.setattr(sys.stdout, "fileno", lambda: os.open(os.devnull, os.O_WRONLY), raising=False)
    assert code(["sample", "integer-grid"]) == exit_code
    assert words in capsys.readouterr().err


def test_a_matrix_is_rows_or_a_file_with_them() -> None:
    Path("A.json").write_text("[[2, 1], [1, 1]]")
    assert read_matrix(None) is None
    assert read_matrix("[[2,1],[1,1]]") == read_matrix("A.json") == [[2, 1], [1, 1]]
    Path("B.json").write_text('{"A": 1}')
    for wrong in ("B.json", "absent.json", "3"):
        with pytest.raises(InvalidInput):
            read_matrix(wrong)


def test_remarks_and_bars_are_for_people(capsys: Captured) -> None:
    say("a remark")
    say("nothing", quiet=True)
    with progress("work", 3) as done:
        done(1)
    assert capsys.readouterr() == ("", "a remark\n")


def test_long_numbers_are_cut_to_the_digits_asked_for() -> None:
    number = Fraction(10**50 + 1, 7**40)
    assert show(Fraction(10**9, 7), digits=8) != show(Fraction(10**9, 7)) == "1000000000/7"
    assert show("as it is", digits=2) == "as it is"
    texts = [show(number, digits=digits) for digits in (8, 24, 200)]
    assert texts == [short_text.show(number, digits=digits) for digits in (8, 24, 200)]
    assert show(number) == texts[1]
    assert texts[0] == texts[1] != texts[2] == str(number)


def test_every_public_name_is_there() -> None:
    shorter = {"meanfield": "mean_field", "delay": "time_delay"}  # the commands' words; studies keep the papers'
    for name in ef.__all__:
        found = getattr(ef, name)
        assert getattr(found, "__name__", name).rpartition(".")[2] in (name, shorter.get(name), "__version__"), name
    assert dir(ef) == sorted(ef.__all__)
    with pytest.raises(AttributeError, match="no attribute 'nonsense'"):
        ef.nonsense  # noqa: B018


def test_who_does_the_work() -> None:
    assert [Workers().alone, Workers(2).alone, Workers(scheduler="tcp://x").alone] == [True, False, False]
    assert workers.ALONE.alone
    drawn: list[int] = []
    running = Workers().results(pow, 2, (drawn.append(k) or k for k in range(5)))
    assert next(running) == (0, 1)
    running.close()
    assert drawn == [0]


def test_numbers_of_every_kind_in_json(capsys: Captured) -> None:
    """Integers of NumPy are numbers, exact ones canonical text, algebraic ones their minimal polynomial and place."""
    root = ef.exact("sqrt(2)")
    print_json({"n": np.int64(3), "rows": [np.int32(-2), 5], "x": Fraction(-6, 4), "root": root, "yes": np.bool_(True)})
    answer = json.loads(capsys.readouterr().out)
    assert answer == {"n": 3, "rows": [-2, 5], "x": "-3/2", "root": json_form(root), "yes": True}
