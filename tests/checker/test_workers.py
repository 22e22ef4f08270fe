"""Several processes give the verdict of one: the same words, the same line, the same operations; a lost worker costs nothing."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from checker_kit import CORPUS, Lines, elsewhere, interpolation, opened, sealed

import proofs_check
from proofs_check import Limits, check
from proofs_check.__main__ import main
from proofs_check.core.budget import Budget
from proofs_check.fast import pool, workers

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="no os.fork: one process does everything")
INDEX: list[dict[str, Any]] = json.loads((CORPUS / "index.json").read_text())
ROOT = CORPUS.parents[1]
CONCERNED = [entry for entry in INDEX if entry["claim"] == "interpolation" and "data" not in entry]


@pytest.fixture(autouse=True)
def parts_of_two_lines(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(workers, "LINES", 2)


@pytest.fixture
def budgets(monkeypatch: pytest.MonkeyPatch) -> list[Budget]:
    """Every budget that a check makes."""
    made: list[Budget] = []

    def recorded(limits: Limits) -> Budget:
        made.append(Budget(limits))
        return made[-1]

    monkeypatch.setattr(proofs_check, "Budget", recorded)
    return made


def limits_of(entry: dict[str, Any]) -> Limits:
    given = entry.get("options", [])
    return Limits(**{given[k].removeprefix("--max-"): int(given[k + 1]) for k in range(0, len(given), 2)})


def certificate(count: int, labelled: bool = True) -> Lines:
    """The mean of two or three tokens; labels by the sum."""
    pool = {"rho": "0", "V": {"scalar": "1"}, "Q": {"zero": True}, "K": {"zero": True}}
    sequences = []
    for j in range(count):
        tokens = [[j % 5], [j % 3], [7]][: 2 + j % 2]
        mean = str(sum(x[0] for x in tokens) * 60 // len(tokens))
        sequences.append({"tokens": tokens} | ({"label": mean} if labelled else {}))
    return interpolation(1, [(None, pool)], sequences)


def write(path: Path, lines: Lines) -> str:
    path.write_bytes(sealed(lines))
    return str(path)


def test_the_corpus(budgets: list[Budget]) -> None:
    for entry in CONCERNED:
        path, limits = str(CORPUS / entry["file"]), limits_of(entry)
        assert check(path, None, limits, 2) == check(path, None, limits), entry["file"]
        several, one = budgets[-2:]
        assert several.spent == one.spent, entry["file"]
    assert sum(opened((CORPUS / e["file"]).read_bytes())[0]["sequences"] > 2 for e in CONCERNED[:40]) > 3


def test_a_crew_from_elsewhere_gives_the_verdict_of_one_process(tmp_path: Path, budgets: list[Budget]) -> None:
    seen = set()
    for entry in CONCERNED:
        path, limits = str(CORPUS / entry["file"]), limits_of(entry)
        found = check(path, None, limits, elsewhere)
        seen.add(found.verdict)
        assert found == check(path, None, limits), entry["file"]
        assert budgets[-2].spent == budgets[-1].spent, entry["file"]
    assert seen == {"accepted", "rejected", "malformed", "declined"}


def test_answers_may_come_in_any_order_and_none_may_be_missing(tmp_path: Path) -> None:
    path = write(tmp_path / "cert.jsonl", certificate(40))

    def backwards(task: workers.Task, found: Iterator[workers.Part]) -> workers.Answers:
        yield from reversed(list(elsewhere(task, found)))

    assert check(path, None, None, backwards) == check(path)
    for left_out in (0, 7, -1):

        def without_one(task: workers.Task, found: Iterator[workers.Part], k: int = left_out) -> workers.Answers:
            every = list(elsewhere(task, found))
            del every[k]
            yield from every

        missing = check(path, None, None, without_one)
        assert missing.verdict == "malformed"
        assert "digest" in missing.why


@pytest.mark.parametrize("labelled", [True, False])
@pytest.mark.parametrize("workers", [2, pytest.param(3, marks=pytest.mark.slow)])
def test_every_fault_is_found_where_one_process_finds_it(
    labelled: bool, workers: int, tmp_path: Path, budgets: list[Budget]
) -> None:
    rng = random.Random(workers)
    good = certificate(40, labelled)
    for k in range(2, len(good)):
        lines = json.loads(json.dumps(good))
        faults = [
            ("targets", [["99"]]),
            ("tokens", [["1/2"]]),
            ("sequence", 7000),
            ("tokens", [["01"]]),
            ("targets", []),
        ]
        for i in {k, rng.randrange(2, len(good))}:  # two faults: the first one decides
            key, value = rng.choice([*faults, ("label", "60")] if labelled else faults)
            lines[i][key] = value
        path = write(tmp_path / "cert.jsonl", lines)
        assert check(path, None, None, workers) == check(path)
        assert budgets[-2].spent == budgets[-1].spent


def test_limits_decline_at_the_same_line(tmp_path: Path, budgets: list[Budget]) -> None:
    path = write(tmp_path / "cert.jsonl", certificate(30))
    assert check(path, None, None, 2).verdict == "accepted"
    spent, size = budgets[-1].spent, os.path.getsize(path)
    for amount in range(spent // 2, spent + 2, spent // 37):
        assert check(path, None, Limits(operations=amount), 2) == check(path, None, Limits(operations=amount))
    assert check(path, None, Limits(operations=spent - 1), 2).verdict == "declined"
    for amount in range(size // 2, size + 1, size // 23):
        assert check(path, None, Limits(bytes=amount), 2) == check(path, None, Limits(bytes=amount))
    assert check(path, None, Limits(line=60), 2) == check(path, None, Limits(line=60))


def test_a_file_that_stops_and_a_file_that_goes_on(tmp_path: Path) -> None:
    text = sealed(certificate(20))
    for cut in range(300, len(text), 91):
        path = tmp_path / "cut.jsonl"
        path.write_bytes(text[:cut])
        assert check(str(path), None, None, 2) == check(str(path))
    path.write_bytes(text + b"\n")
    assert check(str(path), None, None, 2).why == "bytes after the end line"


def test_the_caller_s_data(tmp_path: Path) -> None:
    lines = certificate(9)
    path, mine = write(tmp_path / "cert.jsonl", lines), tmp_path / "data.json"
    for wrong in (None, 3, 8):
        rows = [{"tokens": line["tokens"], "label": line["label"]} for line in lines[2:]]
        if wrong is not None:
            rows[wrong] = rows[wrong] | {"label": "other"}
        mine.write_text(json.dumps({"exactformer": "dataset", "version": [1, 0], "sequences": rows}))
        found = check(path, str(mine), None, 2)
        assert found == check(path, str(mine))
        assert found.verdict == ("accepted" if wrong is None else "rejected")


@pytest.mark.parametrize("when", ["at once", "all at once", "in the middle"])
def test_a_lost_worker_costs_nothing(
    when: str, tmp_path: Path, budgets: list[Budget], monkeypatch: pytest.MonkeyPatch
) -> None:
    path = write(tmp_path / "cert.jsonl", certificate(60))
    wanted, spent = check(path), budgets[-1].spent
    killed: list[int] = []

    class Losing(pool.Pool):
        def give(self, part: workers.Part) -> None:
            chosen = self.processes if when == "all at once" else self.processes[:1]
            if part.first > (30 if when == "in the middle" else 0) and not killed:
                for process in chosen:
                    os.kill(process, signal.SIGKILL)
                    killed.append(process)
            super().give(part)

    monkeypatch.setattr(pool, "Pool", Losing)
    assert check(path, None, None, 2) == wanted
    assert budgets[-1].spent == spent
    assert killed


def test_workers_end_with_the_check(tmp_path: Path) -> None:
    lines = certificate(60)
    lines[10]["targets"] = [["99"]]
    program = """
import os, sys, proofs_check
from proofs_check.fast import workers
workers.LINES = 2
proofs_check.check(sys.argv[1], None, None, 3)
try:
    os.waitpid(-1, os.WNOHANG)
except ChildProcessError:
    print("no child is left")
"""
    for content in (certificate(60), lines):  # in a process of its own: this one may have other children
        path = write(tmp_path / "cert.jsonl", content)
        done = subprocess.run(
            [sys.executable, "-c", program, path], cwd=ROOT, capture_output=True, text=True, check=True
        )
        assert done.stdout == "no child is left\n"


def test_without_fork_one_process_does_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write(tmp_path / "cert.jsonl", certificate(9))
    monkeypatch.delattr(os, "fork")
    assert check(path, None, None, 2).verdict == "accepted"


def test_the_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = write(tmp_path / "cert.jsonl", certificate(9))
    assert main([path, "--workers", "2"]) == 0
    several = capsys.readouterr().out
    assert main([path]) == 0
    assert capsys.readouterr().out == several
