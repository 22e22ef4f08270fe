"""exactformer hunt: answers, files and exit codes."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from table_kit import tables_of

import proofs_check
from exactformer.cli.main import code
from exactformer.conjectures.hunt import hunt


def lines(text: str) -> list[dict[str, object]]:
    return [json.loads(line) for line in text.splitlines()]


def test_refuted_with_files(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    prefix = tmp_path / "found"
    assert code(["hunt", "leader-duplicates", "--seed", "3", "--json", "-o", str(prefix)]) == 1
    captured = capsys.readouterr()
    finding, summary = lines(captured.out)
    assert "seed 3" in captured.err
    assert finding["finding"] == summary["summary"] == "leader-duplicates"
    assert summary["verdict"] == "refuted"
    assert proofs_check.check(f"{prefix}.jsonl", f"{prefix}.json").verdict == "accepted"
    assert code(["simulate", f"{prefix}.json", "--layers", "0"]) == 0


def test_stands_says_that_it_is_no_proof(capsys: pytest.CaptureFixture[str]) -> None:
    assert code(["hunt", "lemma-5", "--budget", "50"]) == 0
    assert "stands on 50 instances (seed 0); not a proof" in capsys.readouterr().out


def test_list_and_show(capsys: pytest.CaptureFixture[str]) -> None:
    assert code(["hunt", "--list", "--json"]) == 0
    rows = json.loads(capsys.readouterr().out)
    assert {"name", "status", "source", "statement"} == set(rows[0])
    assert len(rows) >= 28
    assert code(["hunt", "--show", "theorem-1.1"]) == 0
    assert "projection of the origin" in capsys.readouterr().out


def test_unknown_names_are_wrong_usage(capsys: pytest.CaptureFixture[str]) -> None:
    for arguments in (["hunt", "leader-indefinit"], ["hunt", "--show", "leader-indefinit"]):
        assert code(arguments) == 2
        assert "leader-indefinite" in capsys.readouterr().err
    assert code(["hunt"]) == 2
    assert code(["hunt", "lemma-1", "--shard", "4/4"]) == 2


def test_no_scheduler_is_wrong_usage(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("distributed")
    monkeypatch.setattr("exactformer.parallel.TIMEOUT", 1)
    assert code(["hunt", "lemma-5", "--scheduler", "tcp://127.0.0.1:9"]) == 2
    assert "no dask scheduler answers" in capsys.readouterr().err


@pytest.mark.parametrize("options", [["--budget", "1"], ["--show"]])
def test_that_a_file_is_executed_is_the_first_thing_said(
    options: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    own = tmp_path / "own.py"
    own.write_text("print('I ran')\n")
    assert code(["hunt", *([str(own), *options] if options != ["--show"] else ["--show", str(own)])]) == 3
    said = capsys.readouterr()
    assert said.err.splitlines()[0] == f"{own} is a Python program: it is executed"
    assert said.out == "I ran\n"
    assert code(["hunt", "--help"]) == 0
    assert "is a Python program and is executed" in capsys.readouterr().out


def test_bad_files_and_stores_are_malformed(tmp_path: Path) -> None:
    own = tmp_path / "own.py"
    own.write_text("statement = None")
    assert code(["hunt", str(own)]) == 3
    assert code(["hunt", str(tmp_path / "missing.py")]) == 3
    assert code(["hunt", "lemma-5", "--budget", "5", "--store", str(tmp_path / "s")]) == 0
    assert code(["hunt", "lemma-5", "--budget", "5", "--seed", "9", "--store", str(tmp_path / "s")]) == 3


def test_undecided_exits_4(tmp_path: Path) -> None:
    own = tmp_path / "own.py"
    own.write_text(
        "from exactformer.conjectures import *\n"
        "statement = Statement('a', 'w', 'open', 's', (), lambda z: undecided('no idea'), TokenFamily())\n"
    )
    assert code(["hunt", str(own), "--budget", "3"]) == 4
    (tmp_path / "t.json").write_text('{"exactformer":"tokens","version":[1,0],"tokens":[[1,0],[0,2]]}')
    given = ["hunt", str(own), "--instance", str(tmp_path / "t.json"), "-o", str(tmp_path / "found")]
    assert code(given) == 4
    assert not (tmp_path / "found.jsonl").exists()


def test_of_many_findings_the_first_has_files_and_all_are_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Token 0 at x fails where x is a multiple of three, with x as its witness; of every fourth x nothing is known."""
    monkeypatch.chdir(tmp_path)
    Path("own.py").write_text(
        "from exactformer.conjectures import *\n"
        "def judge(z):\n"
        "    x = int(z.state.rows()[0][0])\n"
        "    if x % 4 == 0: return undecided(f'no idea of {x}')\n"
        "    return fails(place=x) if x % 3 == 0 else holds(x / 100)\n"
        "class Numbers:\n"
        "    def __call__(self, rng):\n"
        "        from exactformer.model.tokens import Tokens\n"
        "        return Tokens([[rng.randrange(1, 90)], [0]])\n"
        "statement = Statement('mine', 'w', 'open', 's', (), judge, Numbers())\n"
    )
    command = ["hunt", "own.py", "--budget", "30", "--all", "--store", "s"]
    assert code([*command, "--json"]) == 1
    *findings, summary = lines(capsys.readouterr().out)
    assert len(findings) == summary["false"] > 2
    first: Any = findings[0]
    assert [bool(finding["files"]) for finding in findings] == [True] + [False] * (len(findings) - 1)
    assert first["files"] == [f"s/counterexample.{ending}" for ending in ("jsonl", "json", "tex")]
    assert json.loads(Path("s/counterexample.json").read_text())["tokens"] == first["instance"]["tokens"]
    assert code(command) == 1
    out, err = capsys.readouterr()
    assert f"counterexample, from instance {first['index']}:" in out
    tally = hunt("own.py", budget=30, keep_going=True).tally
    assert summary["undecided"] == len(tally.undecided) > 3
    unknown = [line for line in err.splitlines() if " is undecided: " in line]
    assert unknown == [f"instance {index} is undecided: {why}" for index, why in tally.undecided[:3]]
    (shown,) = tables_of(out)
    most = max(tally.histogram)
    bars = [(str(n), -(-40 * n // most)) for n in tally.histogram]
    assert [(number, len(bar)) for _, number, bar in shown.rows] == bars
    assert any(40 * n % most for n in tally.histogram)
    assert most < sum(tally.histogram)
    assert code(["hunt", "own.py", "--budget", "30", "--json"]) == 1
    assert len(lines(capsys.readouterr().out)) == 2


def test_parts_for_batch_queues_are_gathered(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    store = str(tmp_path / "s")
    for part in ("0/2", "1/2"):
        assert code(["hunt", "lemma-5", "--budget", "1200", "--store", store, "--shard", part]) == 0
    stamps = {p: p.stat().st_mtime_ns for p in (tmp_path / "s" / "shards").iterdir()}
    assert len(stamps) == 3
    capsys.readouterr()
    assert code(["hunt", "lemma-5", "--budget", "1200", "--store", store, "--json"]) == 0
    assert lines(capsys.readouterr().out)[-1]["instances"] == 1200
    assert {p: p.stat().st_mtime_ns for p in stamps} == stamps


def test_the_example_of_the_docs_works_as_written(tmp_path: Path) -> None:
    example = Path(__file__).parents[2] / "examples" / "my_conjecture.py"
    assert code(["hunt", str(example), "-o", str(tmp_path / "mine")]) == 1
    assert proofs_check.check(str(tmp_path / "mine.jsonl"), None).verdict == "accepted"


def test_an_interrupt_loses_nothing(tmp_path: Path) -> None:
    store = tmp_path / "s"
    command = [sys.executable, "-m", "exactformer", "hunt", "lemma-3", "--budget", "100000", "--store", str(store)]
    process = subprocess.Popen([*command, "--workers", "2"], env={**os.environ}, stderr=subprocess.PIPE)
    for _ in range(600):
        if (store / "shards").is_dir() and len(list((store / "shards").glob("0*.json"))) >= 2:
            break
        time.sleep(0.1)
    process.send_signal(signal.SIGINT)
    assert process.wait(30) == 130
    assert process.stderr is not None
    assert f"saved in {store}; the same command goes on" in process.stderr.read().decode()
    for path in (store / "shards").glob("0*.json"):
        assert len(json.loads(path.read_text())["outcomes"]) == 500
    assert code(["hunt", "lemma-3", "--budget", "1000", "--store", str(store)]) == 0


def test_independent_draws_are_reported_like_a_search(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert code(["hunt", "lemma-5", "--independent", "--budget", "60000", "--seed", "2", "--json"]) == 0
    answer = lines(capsys.readouterr().out)[-1]
    assert (answer["verdict"], answer["true"], sum(answer["histogram"])) == ("stands", 60000, 60000)
    found = ["hunt", "every-leader-leads-at-once", "--independent", "--budget", "2000", "-o", str(tmp_path / "found")]
    assert code([*found, "--json"]) == 1
    finding, summary = lines(capsys.readouterr().out)
    assert summary["instances"] == finding["index"] + 1
    assert proofs_check.check(str(tmp_path / "found.jsonl"), None).verdict == "accepted"
    assert code(["hunt", "lemma-5", "--independent", "--exhaustive", "1"]) == 2


def test_a_killed_campaign_of_independent_draws_goes_on_to_the_same_totals(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    store = tmp_path / "s"
    command = ["hunt", "lemma-5", "--independent", "--budget", "500000", "--json"]
    process = subprocess.Popen([sys.executable, "-m", "exactformer", *command, "--store", str(store)])
    for _ in range(600):
        if (store / "shards").is_dir() and len(list((store / "shards").glob("0*.json"))) >= 2:
            break
        time.sleep(0.02)
    process.kill()
    process.wait(30)
    kept = {path: path.stat().st_mtime_ns for path in (store / "shards").glob("0*.json")}
    assert 2 <= len(kept) < 10
    assert code([*command, "--store", str(store)]) == 0
    resumed = capsys.readouterr().out
    assert {path: path.stat().st_mtime_ns for path in kept} == kept
    assert code(command) == 0
    assert capsys.readouterr().out == resumed


def test_the_output_may_be_named_as_a_certificate(tmp_path: Path) -> None:
    assert code(["hunt", "leader-duplicates", "--seed", "3", "-o", str(tmp_path / "found.jsonl")]) == 1
    assert {p.name for p in tmp_path.iterdir()} == {"found.jsonl", "found.json", "found.tex"}


@pytest.mark.parametrize("ending", ["jsonl", "json", "tex"])
def test_no_file_of_a_finding_overwrites_the_conjecture(
    ending: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    text = (Path(__file__).parents[2] / "examples" / "my_conjecture.py").read_text()
    Path("mine.py").write_text(text)
    os.link("mine.py", f"found.{ending}")
    assert code(["hunt", "mine.py", "--budget", "1", "-o", "found"]) == 2
    assert "same file" in capsys.readouterr().err
    assert Path("mine.py").read_text() == text


LATE = {
    "exactformer": "tokens",
    "version": [1, 0],
    "tokens": [["1", "1"], ["-1", "1"], ["4/5", "11/10"], ["-4/5", "11/10"], ["0", "1/2"]],
}


def test_a_given_instance_is_judged(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "late.json"
    path.write_text(json.dumps(LATE))

    def judged(name: str, *more: str) -> tuple[int, Any]:
        found = code(["hunt", name, "--instance", str(path), "--json", *more])
        return found, json.loads(capsys.readouterr().out)

    certificate = tmp_path / "found.jsonl"
    status, answer = judged("last-leader-within-n-large-alpha", "-o", str(certificate))
    assert (status, answer["verdict"], answer["witness"]) == (1, "false", {"token": 4, "layers": 7})
    assert proofs_check.check(str(certificate), str(path)).verdict == "accepted"
    assert judged("late-leader-family")[0] == 0
    status, answer = judged("boundary-with-zero", "-o", str(tmp_path / "none"))
    assert (status, answer["verdict"], answer["witness"]) == (3, "outside", {"hypothesis": "one token is zero"})
    assert not (tmp_path / "none.jsonl").exists()
    assert code(["hunt", "lemma-1", "--instance", str(tmp_path / "missing.json")]) in (2, 3)
