"""The verbs of `exactformer delay`, end to end."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from table_kit import asked

from exactformer.cli.main import code
from exactformer.errors import ExactformerError
from exactformer.report import delay_plot
from exactformer.studies.time_delay.enclosure import RowBox, enclose
from exactformer.studies.time_delay.network import contain
from exactformer.studies.time_delay.network_file import write_network
from exactformer.studies.time_delay.series import Series


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    assert code(["delay", "sample", "tones", "--count", "2", "-n", "60", "-o", "tones.csv", "-q"]) == 0
    return tmp_path


def test_order_of_tones_is_proved(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert code(["delay", "order", "tones.csv", "--json", "-o", "o.jsonl"]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert answer == {
        "order": 4,
        "coefficients": ["-1", "224/65", "-322/65", "224/65"],
        "intercept": "0",
        "unique": True,
    }
    assert code(["check", "o.jsonl"]) == 0
    assert code(["delay", "order", "tones.csv"]) == 0
    assert "-322/65" in capsys.readouterr().out


def test_no_order_exits_1_with_ranks_and_a_certificate(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    lines = Path("tones.csv").read_text().splitlines()
    lines[30] = str(Fraction(lines[30]) + Fraction(1, 10**6))
    Path("bad.csv").write_text("\n".join(lines))
    assert code(["delay", "order", "bad.csv", "--cap", "4", "--json", "-o", "no.jsonl"]) == 1
    assert json.loads(capsys.readouterr().out)["ranks"] == [[1, 2], [2, 3], [3, 4], [4, 5]]
    assert code(["check", "no.jsonl"]) == 0
    assert code(["delay", "order", "bad.csv", "--cap", "4"]) == 1
    Path("short.csv").write_text("1\n2\n5\n")
    assert code(["delay", "order", "short.csv"]) == 4


def test_vector_series_with_a_header(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Path("v.csv").write_text("u,v\n" + "\n".join(f"{2**k},{3**k}" for k in range(8)))
    assert code(["delay", "order", "v.csv", "--json"]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert (answer["order"], answer["coefficients"]) == (1, [[["2", "0"], ["0", "3"]]])


def test_windows(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert code(["delay", "window", "--cos", "4/5,12/13", "--json", "-o", "w.jsonl"]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert (answer["window"], answer["refused"]) == (10, list(range(2, 10)))
    assert code(["check", "w.jsonl"]) == 0
    capsys.readouterr()
    assert code(["delay", "window", "tones.csv", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["weights"] == answer["weights"]
    assert code(["delay", "window", "--cos", "4/5,12/13", "--cap", "5"]) == 4
    assert code(["delay", "window"]) == 2
    assert code(["delay", "window", "--cos", "sqrt(2)/2"]) == 3
    assert code(["delay", "window", "--cos", "2"]) == 3
    assert code(["delay", "window", "--cos", "4/5,sqrt(2)/2"]) == 3
    Path("none.csv").write_text("\n".join(str(k**3 % 17) for k in range(60)))
    assert code(["delay", "window", "none.csv"]) == 1


def test_fit_and_roll(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert code(["delay", "sample", "lorenz", "-n", "400", "-o", "l.csv", "-q"]) == 0
    fitted = ["delay", "fit", "l.csv", "--window", "4", "--start", "random", "--steps", "100", "-o", "n.json"]
    assert code([*fitted, "--json"]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert answer["start"] == "random"
    assert answer["approx_valid_steps"] > 0
    assert code(["delay", "roll", "n.json", "l.csv", "--steps", "3", "--json"]) == 0
    rolled = json.loads(capsys.readouterr().out)
    assert code(["delay", "roll", "n.json", "l.csv", "--steps", "3", "--bits", "128", "--plot", "r.png", "--json"]) == 0
    boxes = json.loads(capsys.readouterr().out)["values"]
    for row, box in zip(rolled["values"], boxes, strict=True):
        for x, (low, high) in zip(row, box, strict=True):
            assert Fraction(low) < Fraction(high)
            assert abs(Fraction(x) - Fraction(low)) < Fraction(1, 10**9)
    assert Path("r.png").stat().st_size > 10_000
    assert code(["delay", "roll", "n.json", "l.csv", "--exact"]) == 3
    assert code(["delay", "roll", "n.json", "tones.csv"]) == 3
    assert code(["delay", "roll", "n.json", "l.csv", "--exact", "--bits", "99"]) == 2


class Noted(ExactformerError):
    """Raised in place of long work, once what it was asked for is noted."""

    exit_code = 99


def test_columns_of_a_rollout_have_the_names_of_the_series(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rows = "\n".join(f"{k % 5},{(3 * k) % 7}" for k in range(40))
    Path("plain.csv").write_text(rows)
    Path("named.csv").write_text("lift,drag\n" + rows)
    write_network(contain(np.array([[[0.5, 0.25], [1.0, 0.0]], [[0.0, 1.0], [0.5, 0.5]]]), np.zeros(2)), "d.json")
    for name, columns in (("plain.csv", ["step", "z1", "z2"]), ("named.csv", ["step", "lift", "drag"])):
        _, (shown,), _, _ = asked(capsys, "delay", "roll", "d.json", name, "--steps", "2")
        assert (shown.columns, shown.title) == (columns, "2 steps")


def test_the_picture_of_a_rollout_has_its_enclosures(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    drawn: list[Any] = []

    def noted(series: Series, floats: Any, enclosures: Any, *, path: Path) -> None:
        drawn.append((len(series), len(floats), enclosures, path.name))
        raise Noted

    monkeypatch.setattr(delay_plot, "plot_rollout", noted)
    network = contain(np.array([[[0.5]], [[-0.25]]]), np.zeros(1))
    write_network(network, "d.json")
    roll = ["delay", "roll", "d.json", "tones.csv", "--steps", "3", "--plot", "r.png"]
    assert [code(roll), code([*roll, "--bits", "64"])] == [99, 99]
    boxes = enclose(network, Series.read("tones.csv").rows()[-2:], 3, bits=64)
    assert drawn == [(60, 3, None, "r.png"), (60, 3, boxes, "r.png")]


def test_windows_are_for_one_column_and_say_whether_weights_may_vanish(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("v.csv").write_text("\n".join(f"{2**k},{3**k}" for k in range(12)))
    assert code(["delay", "window", "v.csv"]) == 3
    assert "expected one column (a series of numbers), got 2" in capsys.readouterr().err
    Path("three.csv").write_text("\n".join("125"[k % 3] for k in range(12)))
    strict = set()
    for options in (("three.csv",), ("--cos", "4/5"), ("--cos", "0")):
        answer, (shown,), _, _ = asked(capsys, "delay", "window", *options)
        positive = all(Fraction(weight) > 0 for weight in answer["weights"])
        assert answer["strict"] is positive
        assert shown.title.endswith("all a_j positive") is positive
        assert ("nonnegative (a limit of positive ones)" in shown.title) is not positive
        strict.add(positive)
    assert strict == {True, False}


def test_an_exact_rollout(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert code(["delay", "fit", "tones.csv", "--window", "4", "--model", "dmd", "-o", "d.json", "-q"]) == 0
    capsys.readouterr()
    assert code(["delay", "roll", "d.json", "tones.csv", "--steps", "2", "--exact", "--json"]) == 0
    exact = json.loads(capsys.readouterr().out)["values"]
    assert code(["delay", "roll", "d.json", "tones.csv", "--steps", "2", "--bits", "200", "--json"]) == 0
    boxes = json.loads(capsys.readouterr().out)["values"]
    for row, box in zip(exact, boxes, strict=True):
        assert Fraction(box[0][0]) <= Fraction(row[0]) <= Fraction(box[0][1])


def test_the_step_at_which_floats_leave_the_enclosures(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    from exactformer.studies.time_delay import approx_rollout

    true, roll = approx_rollout.float_rows, ["delay", "roll", "d.json", "tones.csv", "--steps", "4", "--bits", "53"]
    assert code(["delay", "fit", "tones.csv", "--window", "4", "--model", "dmd", "-o", "d.json", "-q"]) == 0
    monkeypatch.setattr(RowBox, "contains", lambda box, row: abs(float(box.low[0]) - row[0]) < 1e-6)
    assert code(roll) == 0
    assert "float64 stays within the enclosures" in capsys.readouterr().err

    def departing(*given: Any) -> Any:
        rows = true(*given)
        rows[2] += 1
        return rows

    monkeypatch.setattr(approx_rollout, "float_rows", departing)
    assert code(roll) == 0
    assert "float64 leaves the enclosures at step 3" in capsys.readouterr().err


@pytest.mark.parametrize("change", ["cut", "shape", "kind", "float", "scale", "negative"])
def test_network_files_that_are_none(change: str, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert code(["delay", "fit", "tones.csv", "--window", "2", "--model", "dmd", "-o", "d.json", "-q"]) == 0
    content = json.loads(Path("d.json").read_text())
    if change == "shape":
        content["weights"]["L"] = [["1", "2"]]
    elif change == "kind":
        content["encoding"] = "other"
    elif change == "float":
        content["weights"]["b2"] = ["1/3"]
    elif change in ("scale", "negative"):
        content["scale"] = ["0" if change == "scale" else "-1"]
    text = json.dumps(content)
    Path("d.json").write_text(text[: len(text) // 2] if change == "cut" else text)
    assert code(["delay", "roll", "d.json", "tones.csv"]) == 3
    assert "bug" not in capsys.readouterr().err


def test_a_study_of_the_paper(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert code(["delay", "paper", "--study", "tones", "--seeds", "1", "--steps", "20", "-o", "p", "--json", "-q"]) == 0
    answer = json.loads(capsys.readouterr().out)
    by_model = {entry["model"]: entry for entry in answer["entries"]}
    assert by_model["TD-TF from dmd"]["approx_one_step"] <= 10 * by_model["TD-DMD"]["approx_one_step"]
    assert {"perceptron", "reservoir", "TD-TF from random"} <= by_model.keys()
    assert sorted(path.name for path in Path("p").iterdir()) == ["studies.csv", "tones.png"]
    assert code(["delay", "paper", "--study", "none", "-o", "p"]) == 2


def test_a_column_is_chosen_and_one_that_counts_is_pointed_out(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = str(tmp_path / "s.csv")
    rows = [f"{k},{x},{k * k % 7}\n" for k, x in enumerate([1, 1, 2, 3, 5, 8, 13])]
    Path(path).write_text("time,lift,drag\n" + "".join(rows))
    assert code(["delay", "window", path]) == 3
    said = capsys.readouterr().err
    assert "got 3 (time, lift, drag); choose one with --column" in said
    assert "column time only counts the rows" in said
    assert code(["delay", "window", path, "--column", "lift", "--json"]) == 0
    chosen = capsys.readouterr()
    assert json.loads(chosen.out)["window"] == 2
    assert "counts the rows" not in chosen.err
    assert code(["delay", "order", path, "--column", "2"]) == 0
