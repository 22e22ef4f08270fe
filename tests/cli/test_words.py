"""What a person reads is what --json says: hunts, lists, verdicts and refusals."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from table_kit import asked, flat, point, tables_of

import exactformer as ef
from exactformer.cli import demo
from exactformer.cli.main import code
from exactformer.conjectures.hunt import text

Captured = pytest.CaptureFixture[str]


def lines(capsys: Captured, *command: str, exit_code: int) -> tuple[list[Any], str]:
    """The lines of --json, and what is printed without it."""
    assert code([*command, "--json"]) == exit_code
    answer = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert code([*command]) == exit_code
    return answer, capsys.readouterr().out


def test_a_hunt_prints_its_first_finding_its_counts_and_its_histogram(capsys: Captured) -> None:
    command = ("hunt", "every-leader-leads-at-once", "--seed", "1")
    (first, *_, summary), out = lines(capsys, *command, exit_code=1)
    assert f"counterexample, from instance {first['index']}:" in out
    for key in ("tokens", "alpha"):
        assert f"  {key} = {text(first['instance'][key])}" in out
    assert "  witness: " + ", ".join(f"{key} {text(value)}" for key, value in first["witness"].items()) in out
    (shown,) = tables_of(out)
    counts = {key: summary[key] for key in ("true", "false", "undecided", "outside") if key in summary}
    assert all(f"{key} {number}" in shown.note for key, number in counts.items())
    bars = [(int(number), len(bar)) for _, number, bar in shown.rows]
    most = max(number for number, _ in bars)
    assert bars == [(number, -(-40 * number // most)) for number, _ in bars]
    assert 0 < sum(number for number, _ in bars) <= sum(counts.values())
    assert [name for name, _, _ in shown.rows] == [f"{k / 10:.1f}-{(k + 1) / 10:.1f}" for k in range(10)]


@pytest.mark.parametrize(("rows", "exit_code"), [([["2"], ["1"]], 0), ([["0"], ["1"]], 3)])
def test_an_instance_is_judged_in_words(
    rows: list[list[str]], exit_code: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Captured
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("t.json").write_text(json.dumps({"exactformer": "tokens", "version": [1, 0], "tokens": rows}))
    command = ("hunt", "every-leader-leads-at-once", "--instance", "t.json", "-o", "found")
    (answer,), out = lines(capsys, *command, exit_code=exit_code)
    words = {"true": "holds on", "outside": "does not speak of"}[answer["verdict"]]
    assert out.splitlines()[0] == (
        f"every-leader-leads-at-once {words} this instance (nearness {answer['nearness']:.3f})"
    )
    assert out.splitlines()[1:] == [f"  {key}: {text(value)}" for key, value in answer["witness"].items()]
    assert not Path("found.jsonl").exists()


def test_lists_of_names(capsys: Captured) -> None:
    for command in (("sample", "--list"), ("meanfield", "sample", "--list")):
        answer, (shown,), _, _ = asked(capsys, *command)
        assert {flat(name): flat(what) for name, what in answer.items()} == dict(shown.rows)
    answer, (shown,), _, _ = asked(capsys, "hunt", "--list")
    assert [(flat(r["name"]), flat(r["status"])) for r in answer] == [(r[0], r[1]) for r in shown.rows]
    answer, _, out, _ = asked(capsys, "hunt", "--show", "lemma-1")
    assert out.startswith(f"{answer['name']} ({answer['status']})\n\n  {answer['statement']}\n")
    assert [line[4:] for line in out.splitlines() if line.startswith("  - ")] == answer["hypotheses"]
    assert out.endswith(f"Source: {answer['source']}\n")


def test_a_limit_out_of_budget_shows_what_changes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Captured
) -> None:
    monkeypatch.chdir(tmp_path)
    rows = [["4", "-6"], ["9", "0"], ["1", "4"], ["3", "4"], ["4", "-3"], ["11", "-12"]]
    late = {"exactformer": "tokens", "version": [1, 0], "alpha": "1/50", "tokens": rows}
    Path("t.json").write_text(json.dumps(late))
    answer, (shown,), _, err = asked(capsys, "limit", "t.json", "--budget", "1", exit_code=4)
    assert "undecided" in err
    changes = [list(change.values()) for change in answer["changes"]]
    assert shown.rows == [[str(k), str(i), point(old), point(new)] for k, i, old, new in changes]
    assert changes


def test_reports_and_citations_say_the_verdict_and_the_claim(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Captured
) -> None:
    monkeypatch.chdir(tmp_path)
    ef.limit(ef.Tokens([[1, 0], [0, 2]])).certify("c.jsonl")
    answer, _, out, _ = asked(capsys, "report", "c.jsonl", "-o", "r.html")
    assert out == f"{answer['verdict']}: {answer['why']}\n"
    assert (answer["report"], answer["claim"]) == ("r.html", "limit")
    answer, _, out, _ = asked(capsys, "cite", "c.jsonl")
    assert (answer["claim"], out) == ("limit", answer["bibtex"] + "\n")
    answer, _, out, _ = asked(capsys, "completion", "bash")
    assert out == answer["script"] + "\n"


def test_the_demo_counts_the_tokens_that_floats_misplace(tmp_path: Path, capsys: Captured) -> None:
    tokens = demo.tilted_square()
    demo.limit_act(tmp_path, quiet=False)
    out = capsys.readouterr().out
    (shown,) = tables_of(out)
    proved = ef.limit(tokens)
    assert [row[:3] for row in shown.rows] == [
        [str(i), point(list(proved.points[i])), proved.kinds[i]] for i in range(4, 11)
    ]
    corners = {tuple(proved.points[j]): j for j in range(4)}
    at_corner = {str(i) for i in range(4, 11) if tuple(proved.points[i]) in corners}
    said = {row[0] for row in shown.rows if row[3].startswith("atcorner")}
    wrong = said - at_corner
    assert f"puts {len(wrong)} tokens into wrong" in out
    assert wrong


def test_what_the_checker_does_not_read_to_its_end_is_not_exported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Captured
) -> None:
    monkeypatch.chdir(tmp_path)
    ef.limit(ef.Tokens([[10**4500], [1]])).certify("long.jsonl")  # numbers of more digits than the checker reads
    Path("cut.jsonl").write_text(Path("long.jsonl").read_text()[:-40])
    for name, verdict, exit_code in (("long", "declined", 4), ("cut", "declined", 4), ("none", "malformed", 3)):
        Path("none.jsonl").write_text("{}\n")
        answer, _, out, err = asked(capsys, "export-rocq", f"{name}.jsonl", "-o", "c.v", exit_code=exit_code)
        assert (answer["written"], answer["checked"], answer["verdict"]) == (None, False, verdict)
        assert f"{name}.jsonl: {answer['why']}" in err
        assert not out
        assert not Path("c.v").exists()
