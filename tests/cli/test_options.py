"""Every option has its effect: the same command with and without it, seen in --json, in files and in exit codes."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import exactformer as ef
from exactformer.checking import Limits
from exactformer.cli.main import code
from exactformer.dynamics.limits import CHANGE_BUDGET

Captured = pytest.CaptureFixture[str]

CSV = "sequence,label,x1,x2\na,cat,0,1\na,cat,2,3\nb,dog,0,1\nc,cat,5,1/2\nc,cat,0,1\n"
LATE = [["4", "-6"], ["9", "0"], ["1", "4"], ["3", "4"], ["4", "-3"], ["11", "-12"]]
PLAIN = [["1", "0"], ["0", "2"], ["1/2", "1/3"]]
METRIC = [["2", "1"], ["1", "1"]]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("data.csv").write_text(CSV)
    for name, alpha, rows in (("late", "1/50", LATE), ("plain", "1/2", PLAIN)):
        content = {"exactformer": "tokens", "version": [1, 0], "alpha": alpha, "tokens": rows}
        Path(f"{name}.json").write_text(json.dumps(content))
    return tmp_path


def answer_of(capsys: Captured, *command: object, exit_code: int = 0) -> Any:
    capsys.readouterr()
    assert code([*map(str, command), "--json"]) == exit_code
    return json.loads(capsys.readouterr().out)


def rows_of(points: Any) -> list[list[str]]:
    return [[str(x) for x in row] for row in points]


# ---------------------------------------------------------------- limit and simulate


@pytest.mark.parametrize("budget", [0, 1])
def test_a_limit_gives_up_after_so_many_changes(budget: int, folder: Path, capsys: Captured) -> None:
    answer = answer_of(capsys, "limit", "late.json", "--budget", budget, exit_code=4)
    assert len(answer["changes"]) <= budget
    assert "limits" not in answer


def test_a_limit_has_two_thousand_changes_unless_told_otherwise(folder: Path, capsys: Captured) -> None:
    assert CHANGE_BUDGET == 2000
    assert answer_of(capsys, "limit", "late.json") == answer_of(capsys, "limit", "late.json", "--budget", 2)
    assert code(["limit", "late.json", "--budget", "-1"]) == 2


def test_alpha_and_matrix_replace_those_of_the_file(folder: Path, capsys: Captured) -> None:
    Path("A.json").write_text(json.dumps(METRIC))
    for options, alpha, A in (
        ((), "1/2", None),
        (("--alpha", "3"), "3", None),
        (("--A", json.dumps(METRIC)), "1/2", METRIC),
        (("--alpha", "1/7", "--A", "A.json"), "1/7", METRIC),
    ):
        tokens = ef.Tokens(PLAIN, alpha=alpha, A=A)
        found, orbit = ef.limit(tokens), ef.simulate(tokens, layers=2)
        answer = answer_of(capsys, "limit", "plain.json", *options, "--at", 0, "-o", "l.jsonl")
        assert answer["limits"] == rows_of(found.points)
        assert answer["at"] == {"layer": 0, "tokens": rows_of(tokens.state.rows())}
        answer = answer_of(capsys, "simulate", "plain.json", *options, "--layers", 2, "-o", "s.jsonl")
        assert [layer["tokens"] for layer in answer["layers"]] == [rows_of(orbit.tokens(k).rows()) for k in range(3)]
        for certificate in ("l.jsonl", "s.jsonl"):
            same = ["check", certificate, "--data", "plain.json"]
            assert code([*same, *options]) == 0
            assert code(same) == int(bool(options))
            assert code([*same, "--alpha", "5", *options[2:]]) == 1


def test_a_matrix_that_is_not_definite_needs_to_be_unchecked(folder: Path, capsys: Captured) -> None:
    skew = ["--A", "[[1,-2],[2,1]]"]
    for verb in (["limit", "plain.json"], ["simulate", "plain.json", "--layers", "1"]):
        assert code([*verb, *skew]) == 3
        capsys.readouterr()
        answer = answer_of(capsys, *verb, *skew, "--unchecked")
        assert answer["hypotheses_violated"]
        assert code([*verb, *skew, "--unchecked"]) == 0
        assert f"hypothesis violated: {answer['hypotheses_violated'][0]}" in capsys.readouterr().err


# ---------------------------------------------------------------- check and report


def test_json_tokens_with_a_matrix_or_a_step_of_the_caller(folder: Path) -> None:
    ef.limit(ef.Tokens(PLAIN, alpha="1/3", A=METRIC)).certify("c.jsonl")
    verdicts = {}
    for alpha in (None, "1/3", "1/2"):
        for A in (None, METRIC, [[1, 0], [0, 1]]):
            verdicts[alpha, A is METRIC] = ef.check("c.jsonl", data="plain.json", alpha=alpha, A=A).verdict
    assert verdicts.pop(("1/3", True)) == "accepted"
    assert set(verdicts.values()) == {"rejected"}
    content = {"exactformer": "tokens", "version": [1, 0], "alpha": "1/3", "A": METRIC, "tokens": PLAIN}
    Path("mine.json").write_text(json.dumps(content))
    assert ef.check("c.jsonl", data="mine.json").verdict == "accepted"
    assert ef.check("c.jsonl", data="mine.json", alpha="1/2").verdict == "rejected"
    assert ef.check("c.jsonl", data="mine.json", A=[[1, 0], [0, 1]]).verdict == "rejected"


def test_positions_of_json_sequences(folder: Path) -> None:
    data = ef.Dataset.of([[[0], [1]], [[1], [0]]], labels=["up", "down"])
    Path("data.json").write_text(json.dumps(data.json(), default=str))
    ef.construct(data, positions=True).certify("c.jsonl")
    assert ef.check("c.jsonl", data="data.json").verdict == "rejected"
    assert ef.check("c.jsonl", data="data.json", positions=True).verdict == "accepted"
    for verb in (["check", "c.jsonl"], ["report", "c.jsonl", "-o", "r.html"]):
        assert code([*verb, "--data", "data.json"]) == 1
        assert code([*verb, "--data", "data.json", "--positions"]) == 0


def test_a_report_is_about_the_data_of_its_options(folder: Path, capsys: Captured) -> None:
    ef.limit(ef.Tokens(PLAIN, alpha="1/3", A=METRIC)).certify("c.jsonl")
    mine = ["report", "c.jsonl", "-o", "r.html", "--data", "plain.json"]
    metric = ["--A", json.dumps(METRIC)]
    assert answer_of(capsys, *mine, exit_code=1)["verdict"] == "rejected"
    assert answer_of(capsys, *mine, "--alpha", "1/3", exit_code=1)["verdict"] == "rejected"
    assert answer_of(capsys, *mine, *metric, exit_code=1)["verdict"] == "rejected"
    assert answer_of(capsys, *mine, "--alpha", "1/3", *metric)["verdict"] == "accepted"
    pages = []
    for options in ([], ["--alpha", "1/3"], metric):
        answer = answer_of(capsys, "report", "plain.json", *options)
        assert (answer["report"], answer["verdict"], answer["claim"]) == ("report.html", "accepted", "limit")
        pages.append(Path("report.html").read_text())
    assert len(set(pages)) == 3


@pytest.mark.parametrize(
    ("limit", "small"),
    [("--max-bytes", 100), ("--max-line", 20), ("--max-digits", 1), ("--max-bits", 1), ("--max-operations", 1)],
)
def test_each_limit_of_the_checker_declines(limit: str, small: int, folder: Path, capsys: Captured) -> None:
    ef.construct(ef.Dataset.read("data.csv"), method="deep").certify("c.jsonl")
    answer = answer_of(capsys, "check", "c.jsonl", limit, small, exit_code=4)
    assert answer["verdict"] == "declined"
    assert limit.removeprefix("--max-") in answer["why"].replace("characters", "digits")
    assert answer_of(capsys, "check", "c.jsonl", limit, 10**9)["verdict"] == "accepted"
    assert code(["check", "c.jsonl", limit, "0"]) == 2


def test_a_limit_of_the_checker_is_the_most_that_it_reads(folder: Path, capsys: Captured) -> None:
    ef.limit(ef.Tokens([[12345, 1], [1, 2]])).certify("c.jsonl")
    content = Path("c.jsonl").read_bytes()
    for limit, most in (
        ("--max-bytes", len(content)),
        ("--max-line", max(map(len, content.splitlines()))),
        ("--max-digits", 5),
    ):
        fits = [code(["check", "c.jsonl", limit, str(number)]) == 0 for number in range(most - 1, most + 3)]
        assert fits == sorted(fits)
        assert fits == [
            ef.check("c.jsonl", limits=Limits(**{limit.removeprefix("--max-"): number})).verdict == "accepted"
            for number in range(most - 1, most + 3)
        ]
        assert set(fits) == {False, True}


def test_sequences_and_tokens_do_not_pass_for_each_other(folder: Path) -> None:
    ef.construct(ef.Dataset.read("data.csv")).certify("built.jsonl")
    ef.limit(ef.Tokens(PLAIN, alpha="1/2")).certify("limit.jsonl")
    assert code(["check", "built.jsonl", "--data", "plain.json"]) in (1, 3)
    Path("tokens.csv").write_text("1,0\n0,2\n1/2,1/3\n")
    assert code(["check", "limit.jsonl", "--data", "tokens.csv", "--alpha", "1/2"]) == 0
    assert code(["check", "limit.jsonl", "--data", "data.csv"]) in (1, 3)
    assert code(["check", "limit.jsonl", "--data", "absent.csv"]) == 3


def test_data_with_targets_are_compared_with_theirs(folder: Path) -> None:
    for second in (2, 3):
        content = {"exactformer": "dataset", "version": [1, 0], "sequences": [
            {"tokens": [["0"]], "targets": [["1"]]}, {"tokens": [["1"]], "targets": [[str(second)]]},
        ]}  # fmt: skip
        Path(f"{second}.json").write_text(json.dumps(content))
    ef.construct(ef.Dataset.read("2.json"), positions=True).certify("c.jsonl")
    assert ef.check("c.jsonl", data="2.json", positions=True).verdict == "accepted"
    assert ef.check("c.jsonl", data="3.json", positions=True).verdict == "rejected"


# ---------------------------------------------------------------- construct and run


def test_options_of_a_construction(folder: Path, capsys: Captured) -> None:
    build = ["construct", "data.csv"]
    plain = answer_of(capsys, *build)
    assert (plain["method"], plain["sequences"], plain["dim"]) == ("shallow", 3, 2)
    assert code(["sample", "random-classes", "-n", "9", "-d", "2", "--seed", "4", "-o", "nine.json", "-q"]) == 0
    deep = ["construct", "nine.json", "--method", "deep"]
    wide, narrow = (answer_of(capsys, *deep, "--width", w) for w in (4, 2))
    assert (wide["width"], narrow["width"]) == (4, 2)
    assert narrow["blocks"] > wide["blocks"]
    assert answer_of(capsys, *deep) == wide
    assert Fraction(answer_of(capsys, *build, "--robust")["margin"]) > 0
    assert answer_of(capsys, *build, "--positions")["dim"] == 3
    Path("points.json").write_text('{"cat": [7, 8], "dog": ["1/2", 9]}')
    answer_of(capsys, *build, "--label-targets", "points.json", "-o", "c.jsonl")
    outputs = answer_of(capsys, "run", "c.jsonl", "data.csv")["sequences"]
    assert [one["outputs"][0] for one in outputs] == [["7", "8"], ["1/2", "9"], ["7", "8"]]
    assert [one["label"] for one in outputs] == ["cat", "dog", "cat"]
    assert [one["name"] for one in outputs] == ["a", "b", "c"]


def test_balance_and_seed_change_the_weights_of_a_construction(folder: Path, capsys: Captured) -> None:
    assert code(["sample", "windows", "-n", "9", "-d", "3", "--seed", "4", "-o", "nine.json", "-q"]) == 0
    written = {}
    for options in ((), ("--balance",), ("--seed", "0"), ("--seed", "5")):
        assert code(["construct", "nine.json", *options, "-o", "c.jsonl", "-q"]) == 0
        assert code(["check", "c.jsonl", "--data", "nine.json"]) == 0
        written[options] = Path("c.jsonl").read_bytes()
    assert written[()] == written["--seed", "0"]
    assert len(set(written.values())) == 3
    capsys.readouterr()
    assert code(["construct", "nine.json", "--seed", "5"]) == 0
    assert "seed 5" in capsys.readouterr().err


def test_groups_of_compact(folder: Path, capsys: Captured) -> None:
    assert code(["sample", "random-classes", "-n", "9", "-d", "2", "--seed", "4", "-o", "nine.json", "-q"]) == 0
    compact = ["construct", "nine.json", "--method", "compact"]
    one, nine = (answer_of(capsys, *compact, "--groups", g) for g in (1, 9))
    assert one["parameters"] != nine["parameters"]
    assert code([*compact, "--groups", "10"]) == 2
    assert "expected at most 9" in capsys.readouterr().err


@pytest.mark.parametrize(
    "options",
    [
        ["--groups", "2"],
        ["--method", "leaders", "--robust"],
        ["--method", "paper", "--attention", "softmax"],
        ["--method", "temperature", "--attention", "hardmax", "--beta", "1"],
        ["--method", "temperature"],
        ["--beta", "2"],
        ["--method", "all", "-o", "c.jsonl"],
        ["--width", "0"],
        ["--workers", "0"],
        ["--workers", "65"],
        ["--seed", "-1"],
    ],
)
def test_options_that_do_not_fit_are_wrong_usage(options: list[str], folder: Path) -> None:
    assert code(["construct", "data.csv", *options]) == 2
    assert not Path("c.jsonl").exists()


def test_a_refusal_is_certified_and_exits_1(folder: Path, capsys: Captured) -> None:
    Path("same.csv").write_text("sequence,label,x1\na,up,0\na,up,1\nb,down,1\nb,down,0\n")
    answer = answer_of(capsys, "construct", "same.csv", "-o", "no.jsonl", exit_code=1)
    assert answer["feasible"] is False
    assert [reason["sequences"] for reason in answer["reasons"]] == [[0, 1]]
    assert answer["reasons"][0]["no_transformer"] is True
    assert code(["check", "no.jsonl", "--data", "same.csv"]) == 0
    assert code(["construct", "same.csv", "--method", "all"]) == 1
    assert code(["construct", "same.csv", "--positions"]) == 0


def test_labels_nearest_and_follower_sets_of_a_run(folder: Path, capsys: Captured) -> None:
    Path("points.json").write_text('{"cat": [0, 0], "dog": [4, 0]}')
    assert code(["construct", "data.csv", "--label-targets", "points.json", "-o", "c.jsonl"]) == 0
    plain = answer_of(capsys, "run", "c.jsonl", "data.csv")
    assert "accuracy" not in plain
    Path("other.csv").write_text(CSV.replace("b,dog", "b,cat"))
    near = answer_of(capsys, "run", "c.jsonl", "other.csv", "--nearest")
    assert near["accuracy"] == "2/3"
    assert [one["distance2"] for one in near["sequences"]] == ["0", "0", "0"]
    assert [one["ties"] for one in near["sequences"]] == [[], [], []]
    capsys.readouterr()
    assert code(["run", "c.jsonl", "data.csv"]) == 0
    assert "follows, block by block" not in capsys.readouterr().out
    assert code(["run", "c.jsonl", "data.csv", "--beta", "1"]) == 2
    assert code(["run", "c.jsonl", "data.csv", "--attention", "softmax", "--follows"]) == 2


# ---------------------------------------------------------------- the rest


def test_layers_types_and_metric_of_a_crosscheck(folder: Path, capsys: Captured) -> None:
    rows = [["7/3", "1/3"], ["-1/3", "7/3"], ["2", "8/3"], ["-3/2", "-2"]]
    Path("t.csv").write_text("\n".join(",".join(row) for row in rows))
    wrong = answer_of(capsys, "crosscheck", "t.csv", "--alpha", "1/2", "--layers", 3, exit_code=1)
    assert wrong["layers"] == 3
    assert wrong["first_difference"] == 0
    good = ["crosscheck", "plain.json"]
    assert answer_of(capsys, *good)["layers"] == 50
    for options in (("--dtype", "float32"), ("--dtype", "float64")):
        assert answer_of(capsys, *good, "--layers", 2, *options)["dtype"] == options[1]
    seen = {json.dumps(answer_of(capsys, "crosscheck", "t.csv", "--layers", 9, *more, exit_code=code_)) for more, code_ in (
        (("--alpha", "1/2"), 1), (("--alpha", "1/2", "--A", "[[4,0],[0,1]]"), 0),
    )}  # fmt: skip
    assert len(seen) == 2


def test_samples_are_of_the_size_asked_for(folder: Path, capsys: Captured) -> None:
    def sampled(*options: str) -> Any:
        capsys.readouterr()
        assert code(["sample", "integer-grid", *options]) == 0
        out, err = capsys.readouterr()
        return json.loads(out), err

    standard, said = sampled("--seed", "3")
    assert said == "integer-grid: n = 8, d = 2, seed 3\n"
    assert np.shape(standard["tokens"]) == (8, 2)
    assert np.shape(sampled("-n", "5", "-d", "3", "--seed", "3")[0]["tokens"]) == (5, 3)
    assert sampled("--seed", "3")[0] == standard != sampled("--seed", "4")[0]
    assert code(["sample", "integer-grid", "--seed", "3", "-o", "t.json", "-q"]) == 0
    assert json.loads(Path("t.json").read_text()) == standard
    assert capsys.readouterr() == ("", "")
    drawn, said = sampled()
    seed = said.split()[-1]
    assert sampled("--seed", seed)[0] == drawn


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_scripts_are_those_of_their_shell(shell: str, capsys: Captured) -> None:
    answer = answer_of(capsys, "completion", shell)
    assert answer["shell"] == shell
    assert "_EXACTFORMER_COMPLETE" in answer["script"]
    assert f"{shell}_complete" in answer["script"]


def test_citations_without_a_claim_are_those_of_every_paper(folder: Path, capsys: Captured) -> None:
    whole = answer_of(capsys, "cite")
    assert whole["claim"] is None
    for claim, number in (("limit", "2407.01602"), ("interpolation", "2502.02270"), ("recurrence", "2602.08478")):
        one = answer_of(capsys, "cite", claim)
        assert (one["claim"], number in one["bibtex"], number in whole["bibtex"]) == (claim, True, True)
    assert code(["cite", "nonsense"]) == 3
    assert "interpolation" in capsys.readouterr().err
    ef.Transformer(2, []).save("net.jsonl")
    assert code(["cite", "net.jsonl"]) == 3
    assert "net.jsonl: expected a certificate, got a file without a claim" in capsys.readouterr().err


def test_pictures_say_where_they_are(folder: Path, capsys: Captured) -> None:
    assert answer_of(capsys, "plot", "plain.json", "--layers", 0, "-o", "p.svg") == {"picture": "p.svg"}
    for options in (["--sequence", "0"], ["--class", "cat"], ["--block", "0"], ["--data", "data.csv"]):
        assert code(["plot", "plain.json", *options, "-o", "p.png"]) == 2
    capsys.readouterr()
    assert code(["plot", "plain.json", "--layers", "0", "-o", "p.svg", "-v"]) == 0
    out, err = capsys.readouterr()
    assert (out, err.startswith("wrote p.svg\n"), err.endswith(" s\n")) == ("", True, True)
    assert code(["plot", "plain.json", "--layers", "0", "-o", "p.svg", "-q"]) == 0
    assert capsys.readouterr() == ("", "")


def test_copies_of_an_export_in_every_form(folder: Path, capsys: Captured) -> None:
    assert code(["construct", "data.csv", "-o", "c.jsonl"]) == 0
    for form, path in (("npz", "w.npz"), ("latex", "w.tex")):
        answer = answer_of(capsys, "export", "c.jsonl", "--to", form, "-o", path)
        assert (answer["written"], answer["form"]) == (path, form)
        assert [copy["dtype"] for copy in answer["copies"]] == ["float64", "float32"]
        assert [copy["sequences"] for copy in answer["copies"]] == [3, 3]
    assert Path("w.npz").read_bytes().startswith(b"PK")
    assert "\\" in Path("w.tex").read_text()


def test_a_training_has_the_settings_of_its_options(folder: Path, capsys: Captured) -> None:
    Path("points.json").write_text('{"cat": [7, 8], "dog": ["1/2", 9]}')
    told = {}
    for options in (
        ("--start", "random"), ("--start", "random", "--seed", "1"), ("--width", "2", "--label-targets", "points.json"),
    ):  # fmt: skip
        answer = answer_of(capsys, "train", "data.csv", "--eps", "1/10", "--epochs", 3, *options, "-o", "out")
        assert not Path("out", "resume").exists()
        told[options] = answer
    starts = [[run["start"] for run in answer["runs"]] for answer in told.values()]
    assert starts == [["random"], ["random"], ["random", "warm"]]
    assert len({json.dumps(answer["runs"][0]["loss"]) for answer in told.values()}) == 3
    assert all(answer["interpolant"]["certificate"] == "out/interpolant.jsonl" for answer in told.values())
    assert all(run["eps"] == "1/10" for answer in told.values() for run in answer["runs"])
    steps = [line.split(",")[3] for line in Path("out", "history.csv").read_text().splitlines()[1:]]
    assert max(map(int, steps)) <= 3
    assert Path("out", "training.png").exists()
