"""Every table says what --json says: the same command asked both ways, cell by cell."""

from __future__ import annotations

import json
import math
from fractions import Fraction
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from table_kit import asked, flat, point, tables_of

import exactformer as ef
from exactformer.arithmetic.short_text import show
from exactformer.cli.main import code
from exactformer.float_comparison.exports import float_copies

CSV = "sequence,label,x1,x2\na,cat,0,1\na,cat,2,3\nb,dog,0,1\nc,cat,5,1/2\nc,cat,0,1\n"
SQUARE = [["1", "1"], ["1", "-1"], ["-1", "1"], ["-1", "-1"], ["1/2", "0"], ["1/5", "1/7"]]
EMERGING = [["1", "1/3"], ["-1/12", "1/12"], ["-1", "-1"], ["0", "1/4"], ["4/5", "1/10"]]
LOST_TIE = [["7/3", "1/3"], ["-1/3", "7/3"], ["2", "8/3"], ["-3/2", "-2"]]

Captured = pytest.CaptureFixture[str]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("data.csv").write_text(CSV)
    for name, rows in (("square", SQUARE), ("emerging", EMERGING), ("tie", LOST_TIE)):
        content = {"exactformer": "tokens", "version": [1, 0], "alpha": "1/2", "tokens": rows}
        Path(f"{name}.json").write_text(json.dumps(content))
    return tmp_path


# ---------------------------------------------------------------- constructions


def exact_at(row: dict[str, Any]) -> str:
    if "beta" not in row:
        return "every beta" if "blocks" in row else "-"
    low, high = row["beta"]
    return f"beta >= {low}, hardmax" if high is None else f"beta = {low}"


def test_constructions_beside_each_other(folder: Path, capsys: Captured) -> None:
    margins, betas, sums = {}, {}, set()
    softmax = ("--attention", "softmax")
    for options in ((), ("--robust",), softmax, (*softmax, "--beta", "3")):
        rows, (shown,), _, _ = asked(capsys, "construct", "data.csv", "--method", "all", *options)
        for row, cells in zip(rows, shown.rows, strict=True):
            known = {**row, "exactat": exact_at(row)}
            wanted = [known.get(c, "refused" if c == "blocks" else "-") for c in shown.columns]
            assert cells == list(map(flat, wanted))
        margins[options] = {row["method"]: row.get("margin") for row in rows}
        sequences = rows[0]["sequences"]
        own, formula = (3 * sequences, "3N") if "softmax" in options else (2 * sequences + 1, "2N + 1")
        assert f"paper_bound = 2*sum m + {formula} blocks" in shown.note
        sums |= {row["paper_bound"] - own for row in rows if "paper_bound" in row}
        betas[options] = {row["method"]: row["beta"] for row in rows if "beta" in row}
    assert len(sums) == 1
    assert betas["--attention", "softmax", "--beta", "3"] == {"leaders": ["3", None], "temperature": ["3", "3"]}
    assert betas["--attention", "softmax"] == {"leaders": ["1", None], "temperature": ["1", "1"]}
    plain, robust = margins[()], margins["--robust",]
    assert {method for method in plain if plain[method] != robust[method]} == {"shallow", "deep"}


def test_temperatures_of_softmax(folder: Path, capsys: Captured) -> None:
    for options, words in (
        (("--method", "temperature", "--beta", "2/3"), "beta = 2/3"),
        (("--method", "leaders", "--attention", "softmax", "--beta", "2/3"), "beta >= 2/3, hardmax"),
        (("--method", "shallow", "--attention", "softmax"), "every beta"),
    ):
        _, (shown,), _, _ = asked(capsys, "construct", "data.csv", *options)
        assert shown.rows[0][shown.columns.index("exactat")] == flat(words)


def test_copies_of_an_export(folder: Path, capsys: Captured) -> None:
    Path("d.csv").write_text("sequence,label,x1\na,p,1000000000\nb,q,1000000001\nc,p,1000000002\n")
    Path("l.json").write_text('{"p": ["1/3"], "q": ["22/7"]}')
    assert code(["construct", "d.csv", "--label-targets", "l.json", "-o", "c.jsonl"]) == 0
    answer, (shown,), _, _ = asked(capsys, "export", "c.jsonl", "--to", "npz", "-o", "w.npz")
    for copy, (dtype, still, right, off) in zip(answer["copies"], shown.rows, strict=True):
        assert (dtype, still == "yes") == (copy["dtype"], copy["interpolates"])
        assert still in ("yes", "no")
        assert right == f"{copy['interpolated']}of{copy['sequences']}"
        assert off == copy["largest_deviation"]
    assert {copy["interpolates"] for copy in answer["copies"]} >= {False}
    figures = [(c.dtype, c.sequences, c.interpolated, repr(c.largest_deviation)) for c in float_copies("c.jsonl")]
    keys = ("dtype", "sequences", "interpolated", "largest_deviation")
    assert [tuple(copy[key] for key in keys) for copy in answer["copies"]] == figures
    assert 0 < float(answer["copies"][0]["largest_deviation"]) < 1e-3 < float(answer["copies"][1]["largest_deviation"])


def test_a_repair(folder: Path, capsys: Captured) -> None:
    assert code(["construct", "data.csv", "-o", "n.jsonl"]) == 0
    Path("l.json").write_text('{"cat": ["3", "1"], "dog": ["0", "1/2"]}')
    answer, (shown,), _, _ = asked(capsys, "repair", "n.jsonl", "data.csv", "--label-targets", "l.json")
    residual, before, after, units, width = shown.rows[0]
    assert residual == f"{float(Fraction(answer['residual'])):.3g}"
    for cell, number in ((before, answer["norm2_before"]), (after, answer["norm2_after"])):
        assert cell == f"{float(Fraction(number if isinstance(number, str) else number[0])):.6g}"
    assert before != after
    assert shown.title == "3 sequences exactly on their targets"
    assert (units, width) == (str(answer["units_added"]), str(answer["width"]))


def test_labels_outputs_and_follower_sets_of_a_run(folder: Path, capsys: Captured) -> None:
    assert code(["construct", "data.csv", "--positions", "-o", "c.jsonl"]) == 0
    command = ("run", "c.jsonl", "data.csv", "--positions", "--nearest", "--follows")
    answer, (shown,), _, _ = asked(capsys, *command)
    for found, (name, label, outputs, follows) in zip(answer["sequences"], shown.rows, strict=True):
        assert (name, label) == (found["name"], found["label"])
        assert outputs == f"{{{','.join(dict.fromkeys(map(point, found['outputs'])))}}}"
        assert follows == flat(show(tuple(tuple(map(tuple, sets)) if sets else sets for sets in found["follows"])))
    assert f"accuracy {answer['accuracy']} = " in shown.note


def test_labels_proved_at_a_temperature_beside_those_of_floats(folder: Path, capsys: Captured) -> None:
    """(1 + 2^-60) - 1 is 0 in floats, and 1/2 stays as near to the one label as to the other."""
    cancel = ef.FeedForward(0, [[1, 0], [0, 1]], [-1, 0], [[2**60, 0], [0, 0]])
    ef.Transformer(2, [ef.Block(cancel, None)]).save("net.jsonl")
    places = {"one": 1 + Fraction(1, 2**60), "nil": Fraction(1), "both": 1 + Fraction(1, 2**61)}
    sequences = [{"tokens": [[str(x), "0"]], "label": "nil" if name == "nil" else "one"} for name, x in places.items()]
    for chosen, exit_code in ((sequences[:2], 0), (sequences, 4)):
        content = {"exactformer": "dataset", "version": [1, 0], "sequences": chosen}
        Path("d.json").write_text(json.dumps(content))
        command = ("run", "net.jsonl", "d.json", "--attention", "softmax", "--beta", "2")
        answer, (shown,), _, _ = asked(capsys, *command, exit_code=exit_code)
        for found, (_, label, outputs, _, bits, floats) in zip(answer["sequences"], shown.rows, strict=True):
            assert label == (found["label"] or "or".join(found.get("undecided_between", [])))
            middles = [(Fraction(low) + Fraction(high)) / 2 for low, high in found["outputs"][0]]
            assert (outputs, bits) == (
                flat(f"{{({', '.join(f'{float(x):.6g}' for x in middles)})}}"),
                str(found["bits"]),
            )
            wrong = found["label"] not in (None, found["approx_float64"]["label"])
            assert floats.startswith("wrong:") is wrong
        assert "float64 names another label 1 times" in shown.note
        assert f"accuracy {answer['accuracy']}" in shown.note
        assert f"at beta = {answer['beta']}" in shown.title


def test_outputs_are_shown_by_the_middles_of_their_enclosures(folder: Path, capsys: Captured) -> None:
    attention = ef.SelfAttention(1, [["1/3", 0], [0, "2/7"]], [["1/2", 1], [0, 1]], [[1, 0], ["1/5", 1]])
    ef.Transformer(2, [ef.Block(None, attention)]).save("net.jsonl")
    Path("d.csv").write_text("sequence,x1,x2\na,1/3,1/7\na,2,-5/11\nb,3/13,1\n")
    command = ("run", "net.jsonl", "d.csv", "--attention", "softmax", "--beta", "3/2", "--bits", "12")
    answer, (shown,), _, _ = asked(capsys, *command)
    for found, (name, _, outputs, width, bits, _) in zip(answer["sequences"], shown.rows, strict=True):
        ends = [[tuple(map(Fraction, pair)) for pair in row] for row in found["outputs"]]
        middles = [[f"{float((low + high) / 2):.6g}" for low, high in row] for row in ends]
        lows = [[f"{float(low):.6g}" for low, _ in row] for row in ends]
        assert all(a != b for row, other in zip(middles, lows, strict=True) for a, b in zip(row, other, strict=True))
        assert outputs == f"{{{','.join(map(point, middles))}}}"
        assert width == f"{float(max(high - low for row in ends for low, high in row)):.1e}"
        assert (name, bits) == (found["name"], "12")


def test_figures_of_a_training_and_the_files_it_leaves(folder: Path, capsys: Captured) -> None:
    Path("d.csv").write_text("sequence,label,x1\na,p,0\nb,q,1\n")
    command = ["train", "d.csv", "--eps", "1e-1,1e-3", "--width", "2", "--epochs", "5", "--start", "random"]
    assert code([*command, "--certify", "--json", "-o", "certified"]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert code([*command, "-o", "out"]) == 0
    said = capsys.readouterr()
    (shown,) = tables_of(said.out)
    separating = f"{answer['interpolant']['approx_separating_eps']:.3g}"
    assert f"every sequence nearest to its own target for eps < {separating}\n" in said.err
    for run, (eps, start, *figures, verdict) in zip(answer["runs"], shown.rows, strict=True):
        assert (eps, start, verdict) == (run["eps"], run["start"], flat(run["verdict"]))
        ends = [run[key] for key in ("loss", "norm2", "objective", "guarantee")]
        lows = [float(Fraction(end if isinstance(end, str) else end[0])) for end in ends]
        assert figures == [f"{x:.6g}" for x in lows]
    history = [line.split(",") for line in Path("out", "history.csv").read_text().splitlines()[1:]]
    told = list(dict.fromkeys(tuple(line[:3]) for line in history))
    assert told == [(str(k), run["eps"], run["start"]) for k, run in enumerate(answer["runs"])]
    written = {"interpolant.jsonl", "history.csv", "training.png", "run0.jsonl", "run1.jsonl"}
    assert {path.name for path in Path("out").iterdir()} == written
    losses = {path.name for path in Path("certified").iterdir()} - written
    for name in losses:
        assert code(["check", f"certified/{name}", "--data", "d.csv"]) == 0
    headers = {name: json.loads(Path("certified", name).read_text().splitlines()[0]) for name in losses}
    assert {run["verdict"] for run in answer["runs"]} == {"below the guarantee", "not a global minimiser"}
    for k, run in enumerate(answer["runs"]):
        above = run["verdict"] == "not a global minimiser"
        header, guarantee = headers.pop(f"run{k}.loss.jsonl"), headers.pop(f"run{k}.interpolant.loss.jsonl", None)
        assert (header["eps"], "above" in header) == (run["eps"], above)
        assert (guarantee is not None) is above
        if guarantee is not None:
            assert guarantee["eps"] == run["eps"] != answer["runs"][0]["eps"]
    assert not headers


# ---------------------------------------------------------------- papers


def test_the_list_of_papers_names_the_command_that_shows_a_row(capsys: Captured) -> None:
    answer, (shown,), _, _ = asked(capsys, "papers")
    assert f"{len(answer['statements'])} rows: " in shown.note
    for status in {row["status"] for row in answer["statements"]}:
        number = sum(row["status"] == status for row in answer["statements"])
        assert f"{number} {status}" in " ".join(shown.note.split())
    for row, (_, name, status, command) in zip(answer["statements"], shown.rows, strict=True):
        assert (name, status, command) == tuple(flat(row[key] or "") for key in ("statement", "status", "command"))
        ours = [line for line in row["commands"] if line.startswith("exactformer ")]
        shows = [line for line in ours if not line.startswith("exactformer check ")] or ours
        assert row["command"] == (shows[-1] if shows else None)


# ---------------------------------------------------------------- tokens


@pytest.mark.parametrize("at", [0, 3])
def test_limits_and_tokens_at_a_layer(at: int, folder: Path, capsys: Captured) -> None:
    answer, (shown,), _, _ = asked(capsys, "limit", "square.json", "--at", at)
    assert shown.columns[-1] == f"atlayer{at}"
    assert answer["at"]["layer"] == at
    rows = zip(answer["limits"], answer["kinds"], answer["at"]["tokens"], strict=True)
    assert shown.rows == [[str(i), point(x), kind, point(now)] for i, (x, kind, now) in enumerate(rows)]
    assert f"from layer {answer['proved_from_layer']} on" in shown.title
    places = [tuple(map(str, row)) for row in answer["limits"]]
    clusters = [[j for j, other in enumerate(places) if other == x] for x in dict.fromkeys(places)]
    assert shown.note == f"leaders: {answer['leaders']}; clusters: {clusters}"
    if at == 0:
        assert answer["at"]["tokens"] == SQUARE


def test_layers_of_a_simulation_and_its_last_graph(folder: Path, capsys: Captured) -> None:
    command = ("simulate", "emerging.json", "--layers", "3", "--graph", "g.json")
    answer, (shown,), _, _ = asked(capsys, *command)
    first, *_, last = answer["layers"]
    since = {i: k["layer"] for k in reversed(answer["layers"]) for i in k["leaders"]}
    assert shown.rows == [
        [str(i), point(x), point(follows), f"sincelayer{since[i]}" if i in last["leaders"] else "-"]
        for i, (x, follows) in enumerate(zip(last["tokens"], last["follows"], strict=True))
    ]
    edges = {(edge["source"], edge["target"]) for edge in json.loads(Path("g.json").read_text())["edges"]}
    assert edges == {(i, j) for i, members in enumerate(last["follows"]) for j in members}
    assert first["follows"] != last["follows"]
    layers = answer["layers"]
    changed = [k["layer"] for before, k in pairwise(layers) if before["follows"] != k["follows"]]
    words = f"layers at which the follower graph changed: {', '.join(map(str, changed))}"
    assert shown.note == f"leaders: {last['leaders']}; {words}"


def test_every_layer_at_which_the_follower_graph_changed_is_named(folder: Path, capsys: Captured) -> None:
    assert code(["sample", "emerging-leader", "-n", "6", "--seed", "4", "-o", "t.json"]) == 0
    answer, (shown,), _, _ = asked(capsys, "simulate", "t.json", "--layers", "6")
    changed = [k["layer"] for before, k in pairwise(answer["layers"]) if before["follows"] != k["follows"]]
    assert len(changed) > 1
    leaders = answer["layers"][-1]["leaders"]
    graph = f"layers at which the follower graph changed: {', '.join(map(str, changed))}"
    assert shown.note == f"leaders: {leaders}; {graph}"


def test_follower_sets_beside_those_of_floats(folder: Path, capsys: Captured) -> None:
    answer, (shown,), _, _ = asked(capsys, "crosscheck", "tie.json", "--layers", "30", exit_code=1)
    cells = {name: (exact, approx) for name, exact, approx in shown.rows}
    assert cells["leaders"] == (point(answer["leaders_exact"]), point(answer["leaders_float"]))
    clusters = [flat(show(tuple(map(tuple, answer[key])))) for key in ("clusters_exact", "clusters_float")]
    assert cells["clusters"] == tuple(clusters)
    assert clusters[0] != clusters[1]
    at = answer["first_difference"]
    for i, exact, approx in zip(answer["tokens"], answer["follows_exact"], answer["follows_float"], strict=True):
        assert cells[f"layer{at}:token{i}follows"] == (point(exact), point(approx))
        assert exact != approx
    assert f"departs at layer {at}, where the best exact score leads the next one by {answer['margin']}." in shown.note


def test_a_verdict_says_where(folder: Path, capsys: Captured) -> None:
    assert code(["limit", "square.json", "-o", "c.jsonl"]) == 0
    text = Path("c.jsonl").read_text()
    for content in (text, text.replace('"1/7"', '"1/8"'), text[: len(text) // 2]):
        Path("d.jsonl").write_text(content)
        capsys.readouterr()
        exit_code = code(["check", "d.jsonl", "--json"])
        verdict = json.loads(capsys.readouterr().out)
        assert code(["check", "d.jsonl"]) == exit_code
        where = f"{verdict['where']}: " if verdict["where"] else ""
        others = f"other checkers that know this claim: {', '.join(verdict['also'])}\n" if exit_code == 0 else ""
        assert capsys.readouterr().out.lower() == f"{verdict['verdict']}: {where}{verdict['why']}\n{others}".lower()
    assert where


# ---------------------------------------------------------------- series


@pytest.mark.parametrize("constant", [(1, 5), (0, 5), (1, 0), (0, 0)])
def test_a_recurrence_with_an_intercept(constant: tuple[int, int], folder: Path, capsys: Captured) -> None:
    rows = [(Fraction(1), Fraction(2))]
    for _ in range(8):
        u, v = rows[-1]
        rows.append((2 * u + constant[0], v / 3 + u + constant[1]))
    Path("s.csv").write_text("\n".join(f"{u},{v}" for u, v in rows))
    answer, (shown,), _, _ = asked(capsys, "delay", "order", "s.csv", "--intercept")
    assert answer["coefficients"] == [[["2", "0"], ["1", "1/3"]]]
    assert answer["intercept"] == [str(c) for c in constant]
    shift = [["c", point(answer["intercept"])]] if any(constant) else []
    assert shown.rows == [["A_1", ";".join(map(point, answer["coefficients"][0]))], *shift]
    assert ("no other" in shown.title) is answer["unique"]


def test_matrices_of_a_recurrence_are_listed_oldest_first(folder: Path, capsys: Captured) -> None:
    z = [Fraction(1), Fraction(3)]
    for _ in range(10):
        z.append(2 * z[-2] + 5 * z[-1])
    Path("s.csv").write_text("\n".join(map(str, z)))
    answer, (shown,), _, _ = asked(capsys, "delay", "order", "s.csv")
    assert (answer["order"], answer["coefficients"]) == (2, ["2", "5"])
    assert shown.rows == [["A_1", "(2)"], ["A_2", "(5)"]]
    assert shown.title.startswith("order 2: z_(k+2) = A_1 z_k + .. on all 12 rows, exactly;")


def test_orders_that_are_refuted(folder: Path, capsys: Captured) -> None:
    Path("s.csv").write_text("\n".join(str(k**3 % 17) for k in range(40)))
    answer, (shown,), _, err = asked(capsys, "delay", "order", "s.csv", "--cap", "3", exit_code=1)
    assert (answer["order"], answer["cap"]) == (None, 3)
    assert shown.rows == [[str(k + 1), str(a), str(b)] for k, (a, b) in enumerate(answer["ranks"])]
    assert "of order up to 3" in err


@pytest.mark.parametrize("system", ["fibonacci", "tones"])
def test_the_recurrence_over_a_window(system: str, folder: Path, capsys: Captured) -> None:
    assert code(["delay", "sample", system, "--count", "1", "-n", "30", "-o", "s.csv"]) == 0
    answer, (shown,), _, _ = asked(capsys, "delay", "window", "s.csv")
    m, sign = answer["window"], "+" if answer["sign"] > 0 else "-"
    assert f"z_(k+{m}) = {answer['newest']} z_(k+{m - 1}) {sign} sum a_j z_(k+j-1)" in shown.title
    assert shown.rows == [[str(j + 1), weight] for j, weight in enumerate(answer["weights"])]
    z = [Fraction(line) for line in Path("s.csv").read_text().split()]
    refused = f"windows 2 to {m - 1} are refused, each with a proof" if m > 2 else ""
    assert " ".join(shown.note.split()) == refused
    rest = sum(Fraction(a) * z[j] for j, a in enumerate(answer["weights"]))
    assert z[m] == Fraction(answer["newest"]) * z[m - 1] + answer["sign"] * rest


def test_a_window_of_three_and_the_one_that_is_refused(folder: Path, capsys: Captured) -> None:
    z = [1, 0, 2]
    for _ in range(12):
        z.append(-3 * z[-1] - 2 * z[-2] - z[-3])
    Path("s.csv").write_text("\n".join(map(str, z)))
    answer, (shown,), _, _ = asked(capsys, "delay", "window", "s.csv")
    known = {"window": 3, "weights": ["1", "2"], "refused": [2], "newest": "-3", "sign": -1, "strict": True}
    assert answer == known
    assert shown.title == "window 3: z_(k+3) = -3 z_(k+2) - sum a_j z_(k+j-1), all a_j positive"
    assert shown.rows == [["1", "1"], ["2", "2"]]
    assert shown.note == "windows 2 to 2 are refused, each with a proof"


def test_rows_that_follow_a_series(folder: Path, capsys: Captured) -> None:
    assert code(["delay", "sample", "tones", "--count", "1", "-n", "60", "-o", "s.csv"]) == 0
    assert code(["delay", "fit", "s.csv", "--window", "2", "--model", "dmd", "-o", "d.json"]) == 0
    command = ("delay", "roll", "d.json", "s.csv", "--steps", "3")
    answer, (shown,), _, _ = asked(capsys, *command)
    assert shown.rows == [[str(k + 1), f"{row[0]:.8g}"] for k, row in enumerate(answer["approx_values"])]
    answer, (shown,), _, _ = asked(capsys, *command, "--exact")
    assert shown.rows == [[str(k + 1), flat(show(Fraction(row[0])))] for k, row in enumerate(answer["values"])]
    answer, (shown,), _, _ = asked(capsys, *command, "--bits", "53")
    for ((low, high),), (_, cell) in zip(answer["values"], shown.rows, strict=True):
        middle, radius = (Fraction(high) + Fraction(low)) / 2, (Fraction(high) - Fraction(low)) / 2
        assert cell == f"{float(middle):.10g}+-{float(radius):.2g}"


def test_measures_of_a_fit(folder: Path, capsys: Captured) -> None:
    assert code(["delay", "sample", "pitching", "-n", "101", "-o", "p.csv"]) == 0
    command = ("delay", "fit", "p.csv", "--window", "2", "--model", "dmd", "--seed", "7", "-o", "d.json")
    answer, (shown,), _, err = asked(capsys, *command)
    assert (answer.pop("model"), answer.pop("start"), answer.pop("seed")) == ("dmd", "least squares", 7)
    assert "60 train, 20 validation, 21 test rows; seed 7" in err
    for (name, cell), (key, value) in zip(shown.rows, answer.items(), strict=True):
        values = value if isinstance(value, list) else [value]
        assert name == flat(key.removeprefix("approx_").replace("_", " "))
        assert cell == ",".join(f"{x:.4g}" if isinstance(x, float) else str(x) for x in values)
    assert code([*command, "--inputs", "1", "--json", "-q"]) == 0
    given = json.loads(capsys.readouterr().out)
    assert len(given["approx_std_ratio"]) == len(answer["approx_std_ratio"]) - 1
    assert code([*command, "--inputs", "2"]) == 2


# ---------------------------------------------------------------- the mean field


def system(name: str) -> str:
    assert code(["meanfield", "sample", name, "-o", f"{name}.json", "-q"]) == 0
    return f"{name}.json"


def test_enclosures_of_an_orbit(folder: Path, capsys: Captured) -> None:
    assert code(["meanfield", "sample", "circle", "-n", "4", "-o", "c.json", "-q"]) == 0
    command = ("meanfield", "enclose", system("metastable"), "c.json", "--beta", "5", "--steps", "2")
    radii = []
    for bits in ("64", "200"):
        answer, (shown,), _, _ = asked(capsys, *command, "--bits", bits)
        radii.append(Fraction(answer["radius"]))
        for i, (token, cells) in enumerate(zip(answer["tokens"], shown.rows, strict=True)):
            middles = [f"{float(Fraction(low) + Fraction(high)) / 2:.12g}" for low, high in token]
            assert cells == [str(i), ",".join(middles)]
        assert f"after 2 steps, each within {float(radii[-1]):.3g} of" in shown.title
        assert f"{answer['approx_growth']:.4f}" in shown.note
    assert 0 < radii[1] < Fraction(1, 2**190) < Fraction(1, 2**64) <= radii[0] < Fraction(1, 2**60)


def test_the_laplace_bound_and_the_error_it_bounds(folder: Path, capsys: Captured) -> None:
    assert code(["meanfield", "sample", "circle", "-n", "9", "-o", "c.json", "-q"]) == 0
    answer, _, out, _ = asked(capsys, "meanfield", "laplace", "c.json", "--x", "3/5,4/5", "--beta", "3")
    y = np.array([[float(Fraction(x)) for x in row] for row in json.loads(Path("c.json").read_text())["tokens"]])
    u = np.array([0.6, 0.8])
    weights = np.exp(3 * (y @ u))
    error = float(np.linalg.norm(weights @ y / weights.sum() - u))
    distance = float(weights @ np.linalg.norm(y - u, axis=1) / weights.sum())
    low, high = (float(Fraction(x)) for x in answer["bound"])
    assert low <= distance + 1e-9 <= high + 2e-9
    assert answer["beta"] == ["3", None]
    assert f"~ {high:.6g} for every beta >= 3\nat beta = 3 it is {error:.6g}, nearly" in out


def test_phases_and_slopes(folder: Path, capsys: Captured) -> None:
    command = ("meanfield", "run", system("metastable"), "--beta", "10,30,100", "-n", "200", "--step", "2/5")
    answer, (phases, slopes), _, err = asked(capsys, *command, "--time", "16")
    for run, cells in zip(answer["runs"], phases.rows, strict=True):
        between = "to".join(f"{t:.1f}" for t in run["approx_metastable"])
        escape = "-" if run["approx_escape"] is None else f"{run['approx_escape']:.2f}"
        least = f"{run['approx_w2_min']:.4g}"
        assert cells == [f"{run['beta']:g}", least, f"{run['approx_t_min']:.2f}", between, escape]
    pairs = zip(answer["approx_slopes"].values(), answer["predicted_slopes"].values(), strict=True)
    assert [row[1:] for row in slopes.rows] == [["-" if x is None else f"{x:.4f}" for x in pair] for pair in pairs]
    assert "200 tokens are few for beta = 100: the rule is n >= 10 max(beta, beta^((d-1)/2)) = 1000" in err
    answer, _, _, err = asked(capsys, *command, "--time", "8")
    falling = [run["approx_w2"].index(min(run["approx_w2"])) == 20 for run in answer["runs"]]
    assert [f"beta = {beta}: W2 still falls" in err for beta in (10, 30, 100)] == falling
    assert len(set(falling)) == 2


def test_the_limit_at_zero_temperature(folder: Path, capsys: Captured) -> None:
    answer, (shown,), _, _ = asked(capsys, "meanfield", "limit", system("metastable"))
    cells = dict(shown.rows)
    assert cells["eigenvalue"] == answer["eigenvalue"]
    assert cells["dimensionofE"] == str(answer["dimension"])
    assert cells["rate"] == answer["rate"]
    assert [cells[f"Pi,row{i}"] for i in range(2)] == [",".join(row) for row in answer["projector"]]
    answer, (shown,), _, _ = asked(capsys, "meanfield", "limit", system("rotation"), exit_code=1)
    for (x, y), found in zip(shown.rows, answer["leading"], strict=True):
        for cell, (low, high) in ((x, found["real"]), (y, found["imaginary"])):
            assert math.isclose(float(cell), float(Fraction(low) + Fraction(high)) / 2, abs_tol=1e-9)
