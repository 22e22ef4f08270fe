"""Answers that must not be lost on the way out: exit codes, options handed on, files of the right finding."""

from __future__ import annotations

import json
import re
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest

import exactformer as ef
from exactformer.cli import demo
from exactformer.cli.main import code
from exactformer.display.html import table
from exactformer.errors import ExactformerError
from proofs_check import Limits


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def dataset(path: Path, *sequences: dict[str, Any]) -> str:
    path.write_text(json.dumps({"exactformer": "dataset", "version": [1, 0], "sequences": sequences}))
    return str(path)


def answers(capsys: pytest.CaptureFixture[str]) -> list[Any]:
    return [json.loads(line) for line in capsys.readouterr().out.splitlines()]


# ---------------------------------------------------------------- construct


def test_all_methods_refused_exit_1_and_one_that_builds_exits_0(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    clash = dataset(folder / "clash.json", {"tokens": [[0], [1]], "label": "a"}, {"tokens": [[1], [0]], "label": "b"})
    assert code(["construct", clash, "--method", "all", "--json"]) == 1
    (rows,) = answers(capsys)
    assert len(rows) >= 4
    assert not any(row.get("feasible", True) for row in rows)
    counts = dataset(
        folder / "counts.json", {"tokens": [[0], [1]], "label": "a"}, {"tokens": [[0], [1], [1]], "label": "b"}
    )
    assert code(["construct", counts, "--method", "all", "--json"]) == 0  # the methods of measures build
    (rows,) = answers(capsys)
    builds = {row["method"]: "blocks" in row for row in rows}
    assert [builds[m] for m in ("shallow", "deep", "leaders", "paper")] == [True, True, False, False]
    assert code(["construct", clash, "--method", "all"]) == 1
    said = capsys.readouterr()
    assert "no method applies" in said.out
    assert "leaders: sequences 0 and 1" in said.err


def test_positions_stand_in_the_certificate_of_a_refusal(folder: Path) -> None:
    clash = dataset(
        folder / "d.json", {"tokens": [["1/2"], [1]], "targets": [[1]]}, {"tokens": [["1/2"], [1]], "targets": [[2]]}
    )
    assert code(["construct", clash, "--positions", "-o", "cert"]) == 1
    header, first, *_ = [json.loads(line) for line in Path("cert").read_text().splitlines()]
    assert header["dim"] == 2
    assert first["tokens"] == [["1/2", "0"], ["1", "1"]]
    assert first["targets"] == [["1", "0"]]
    assert ef.check("cert", data=clash, positions=True).verdict == "accepted"
    assert code(["check", "cert", "--data", clash, "--positions"]) == 0
    assert code(["check", "cert", "--data", clash]) == 1
    assert ef.check("cert", data=clash).verdict == "rejected"
    assert code(["construct", clash, "-o", "plain"]) == 1
    assert ef.check("plain", data=clash).verdict == "accepted"


def test_options_reach_the_builder(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    data = dataset(folder / "d.json", *({"tokens": [[k], [k + 2]], "label": str(k % 3)} for k in range(6)))
    found = {}
    for options in ((), ("--robust",), ("--method", "deep", "--width", "2"), ("--method", "deep", "--width", "5")):
        assert code(["construct", data, *options, "--json"]) == 0
        (found[options],) = answers(capsys)
    assert found["--robust",]["margin"] not in ("0", found[()]["margin"])
    assert found["--method", "deep", "--width", "2"]["width"] == 2
    assert found["--method", "deep", "--width", "5"]["width"] <= 5
    assert found["--method", "deep", "--width", "2"]["blocks"] > found["--method", "deep", "--width", "5"]["blocks"]
    Path("points.json").write_text('{"0": ["7"], "1": [8], "2": [9]}')
    assert code(["construct", data, "--label-targets", "points.json", "-o", "cert"]) == 0
    targets = {
        json.loads(line)["targets"][0][0] for line in Path("cert").read_text().splitlines() if '"sequence"' in line
    }
    assert targets == {"7", "8", "9"}
    assert code(["construct", data, "--attention", "softmax", "-o", "soft"]) == 0
    assert json.loads(Path("soft").read_text().splitlines()[0])["attention"] == "softmax"
    assert json.loads(Path("cert").read_text().splitlines()[0])["attention"] == "hardmax"


# ---------------------------------------------------------------- check


@pytest.mark.parametrize("limit", [f"--max-{limit.name}" for limit in fields(Limits)])
def test_every_limit_of_the_checker_is_handed_on(limit: str, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    data = [[[10**40 + j, 1], [j, "1/7"]] for j in range(4)]
    ef.construct(data, labels=list("abab")).certify("cert.jsonl")  # with numbers that are longer than a word
    assert code(["check", "cert.jsonl"]) == 0
    capsys.readouterr()
    assert code(["check", "cert.jsonl", limit, "1", "--json"]) == 4
    assert answers(capsys)[-1]["verdict"] == "declined"
    assert code(["check", "cert.jsonl", limit, "1000000000"]) == 0


def test_verdicts_and_their_exit_codes(folder: Path) -> None:
    ef.simulate(ef.Tokens([[1], [2]]), layers=1).certify("cert.jsonl")
    text = Path("cert.jsonl").read_text()
    assert code(["check", "cert.jsonl"]) == 0
    Path("tokens.json").write_text('{"exactformer":"tokens","version":[1,0],"tokens":[[1],[3]]}')
    assert code(["check", "cert.jsonl", "--data", "tokens.json"]) == 1
    Path("cut.jsonl").write_text(text[:-20])
    assert code(["check", "cut.jsonl"]) == 3


@pytest.mark.parametrize("labels", [("a", "a", "b"), ("a", "b", "a"), ("b", "a", "b")])
def test_labels_and_targets_correspond_both_ways(labels: tuple[str, ...], folder: Path) -> None:
    from exactformer.certificates.interpolation import write_interpolation
    from exactformer.model.dataset import Dataset, Sequence

    data = Dataset.of([Sequence.of([[x]], [[y]]) for x, y in ((0, 0), (1, 0), (2, 1))])
    built = ef.construct(data)

    def certify(names: tuple[str, ...]) -> str:
        write_interpolation(
            "cert",
            transformer=built.transformer,
            tokens=data.tokens,
            offsets=data.offsets,
            targets=data.targets_of,
            labels=names,
        )
        return ef.check("cert").verdict

    assert certify(labels) == ("accepted" if labels == ("a", "a", "b") else "rejected")
    assert certify(("a", "a", "a")) == "rejected"  # one label, two target sets
    assert certify(("a", "b", "c")) == "rejected"  # two labels, one target set


# ---------------------------------------------------------------- hunt, demo


def test_all_findings_are_told_and_the_first_is_written(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert code(["hunt", "leader-duplicates", "--budget", "40", "--all", "-o", "found", "--json"]) == 1
    *findings, summary = answers(capsys)
    assert len(findings) == summary["false"] > 1
    assert [f["index"] for f in findings] == sorted(f["index"] for f in findings)
    assert json.loads(Path("found.json").read_text()) == findings[0]["instance"]
    assert findings[0]["files"] == ["found.jsonl", "found.json", "found.tex"]
    assert all(f["files"] == [] for f in findings[1:])
    assert ef.check("found.jsonl", data="found.json").verdict == "accepted"
    assert code(["hunt", "leader-duplicates", "--budget", "40", "-o", "first", "--json"]) == 1
    only, summary = answers(capsys)
    assert (only["index"], only["instance"]) == (findings[0]["index"], findings[0]["instance"])
    assert summary["instances"] == only["index"] + 1


@pytest.mark.parametrize("verdict", ["rejected", "declined", "malformed"])
def test_the_demo_fails_unless_all_is_accepted(verdict: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from types import SimpleNamespace

    def act(name: str, verdict: str) -> Any:
        return lambda folder, quiet: SimpleNamespace(files=[folder / name], verdict=SimpleNamespace(verdict=verdict))

    monkeypatch.setattr("exactformer.report.page.write_page", lambda *args, **words: None)
    acts = ("limit_act", "memory_act", "transformer_act", "refutation_act")
    for wrong in range(len(acts)):
        for k, name in enumerate(acts):
            monkeypatch.setattr(demo, name, act(name, verdict if k == wrong else "accepted"))
        assert code(["demo", "-o", str(folder)]) == 1
    for name in acts:
        monkeypatch.setattr(demo, name, act(name, "accepted"))
    assert code(["demo", "-o", str(folder)]) == 0


def test_every_error_has_the_exit_code_of_the_table() -> None:
    codes = {kind.__name__: kind.exit_code for kind in _all_subclasses(ExactformerError)}
    assert codes == {
        "InvalidInput": 3,
        "NotExact": 3,
        "Malformed": 3,
        "Undecided": 4,
        "Declined": 4,
        "MissingExtra": 2,
        "NoConstruction": 1,
        **{name: value for name, value in codes.items() if name not in _BASIC},
    }


_BASIC = {"InvalidInput", "NotExact", "Malformed", "Undecided", "Declined", "MissingExtra", "NoConstruction"}


def _all_subclasses(kind: type[ExactformerError]) -> set[type[ExactformerError]]:
    return {below for direct in kind.__subclasses__() for below in {direct, *_all_subclasses(direct)}}


# ---------------------------------------------------------------- pages


LED = ef.Tokens([["7/5", "1/5"], [1, 1], [0, 0], [-2, 0]], alpha="1/2")


def test_leaders_are_leaders_in_every_form_of_the_answer(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    from exactformer.report.claim_summary import claim_summary
    from exactformer.report.interactive import orbit_stage

    found = ef.limit(LED)
    assert found.leaders == (0, 1, 3)
    found.certify("cert.jsonl")
    account = claim_summary("cert.jsonl")
    (limits,) = (rows for title, _, rows in account.tables if title == "Limits")
    assert [row[4] for row in limits] == ["leader", "leader", "", "leader"]
    assert [row[3] for row in limits] == found.kinds
    assert [row[2] for row in limits] == found.points
    assert ("leaders", "0, 1, 3") in account.facts
    assert len(re.findall(r"<tr>(?:(?!</tr>).)*>leader</td></tr>", found._repr_html_())) == 3
    stage = orbit_stage(found.orbit)
    width = len(stage.columns) - 1
    for frame, cells in enumerate(stage.cells):
        told = [cells[i * width + 2] for i in range(4)]
        assert told == ["leader" if i in found.orbit.leaders_at(frame) else "" for i in range(4)]
        assert [cells[i * width + 1] for i in range(4)] == [", ".join(map(str, s)) for s in found.orbit.follows(frame)]


def test_orbit_pages_show_the_last_layer(folder: Path) -> None:
    from exactformer.report.claim_summary import claim_summary

    orbit = ef.simulate(LED, layers=3)
    orbit.certify("orbit.jsonl")
    account = claim_summary("orbit.jsonl")
    (rows,) = (rows for title, _, rows in account.tables if title == "Layer 3")
    assert [row[2] for row in rows] == orbit.tokens(3).rows()
    assert [tuple(row[3]) for row in rows] == orbit.follows(3)
    assert [row[1] for row in rows] == LED.state.rows()


def test_tables_say_how_many_rows_are_left_out() -> None:
    from exactformer.display.html import ROWS

    assert "more rows" not in str(table(["a"], [[k] for k in range(ROWS)]))
    assert "2 more rows." in str(table(["a"], [[k] for k in range(ROWS + 2)]))
