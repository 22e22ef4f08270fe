"""`exactformer papers`: the table is whole and honest, its commands do what its rows say, and a wrong row is told."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

from exactformer.cli.main import VERBS, code
from exactformer.errors import InvalidInput
from exactformer.papers.figures import FIGURES, draw_figures, geometry
from exactformer.papers.index import papers, selected
from exactformer.papers.inputs import write_inputs
from exactformer.papers.page import markdown
from exactformer.papers.runner import Done, run_program, run_statement, values_at
from exactformer.papers.statement import SOURCES, STATUSES, Fact, PaperCommand, PaperStatement
from proofs_check.__main__ import main as proofs_check

ROOT = Path(__file__).parents[2]
ROWS = [row for paper in papers() for row in paper.statements]
SHOWN = [row for row in ROWS if row.commands]


def name_of(row: PaperStatement) -> str:
    return f"{row.paper}-{row.key}"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("papers")
    write_inputs(place)
    return place


# the table -------------------------------------------------------------------------------------------------------
def test_there_are_forty_rows_over_five_papers() -> None:
    assert [paper.number for paper in papers()] == [
        "2407.01602",
        "2502.02270",
        "2508.09628",
        "2602.08478",
        "2605.10931",
    ]
    assert len(SHOWN) >= 40
    assert all(len(paper.statements) >= 2 for paper in papers())
    assert max(Counter((row.paper, row.key) for row in ROWS).values()) == 1


@pytest.mark.parametrize("row", ROWS, ids=name_of)
def test_a_row_is_whole(row: PaperStatement) -> None:
    assert row.status in STATUSES
    assert row.source in SOURCES
    assert row.words
    assert row.outcome
    assert (row.status == "unread") == (not row.commands) == (row.source == "none") == (row.main is None)
    assert bool(row.theorem) == (row.status == "machine-checked")
    for command in row.commands:
        assert command.argv[0] == "proofs-check" or command.argv[1] in VERBS
        assert not {"&&", "|", ";", ">"} & set(command.argv)


def test_machine_checked_rows_name_theorems_without_axioms() -> None:
    proved = (ROOT / "proofs_check" / "rocq" / "assumptions.txt").read_text(encoding="utf-8").splitlines()
    named = {row.theorem for row in ROWS if row.theorem}
    assert {f"{name}: closed" for name in named} <= set(proved)


def facts_of(row: PaperStatement) -> list[Fact]:
    return [fact for command in row.commands for fact in command.facts]


@pytest.mark.parametrize("row", [row for row in SHOWN if row.status == "validated"], ids=name_of)
def test_validated_rows_say_on_how_many(row: PaperStatement) -> None:
    judged = [fact.value for fact in facts_of(row) if fact.path == "true"]
    assert any(character.isdigit() for character in row.outcome) or "one series" in row.outcome
    assert all(f"{number:,}" in row.outcome for number in judged)


@pytest.mark.parametrize("row", [row for row in SHOWN if row.status == "refuted"], ids=name_of)
def test_refuted_rows_name_an_instance_that_the_checker_accepts(row: PaperStatement) -> None:
    assert row.outcome.startswith("by ")
    assert any(fact == Fact("verdict", "==", "accepted") for fact in facts_of(row))


@pytest.mark.parametrize("row", [row for row in SHOWN if row.status == "certified on instances"], ids=name_of)
def test_certified_rows_run_the_checker_or_enclose(row: PaperStatement) -> None:
    checked = any(fact == Fact("verdict", "==", "accepted") for fact in facts_of(row))
    assert checked or any("--bits" in command.argv for command in row.commands)


def test_the_page_is_the_table() -> None:
    assert (ROOT / "docs" / "papers.md").read_text(encoding="utf-8") == markdown(), "run docs/make.py"


# running ---------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("row", [row for row in SHOWN if row.quick], ids=name_of)
def test_quick_commands_do_what_their_rows_say(
    row: PaperStatement, folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(folder)

    def here(argv: tuple[str, ...], place: Path) -> Done:
        capsys.readouterr()
        exit_code = code(list(argv[1:])) if argv[0] == "exactformer" else proofs_check(list(argv[1:]))
        return Done(exit_code, *capsys.readouterr())

    outcomes = list(run_statement(row, folder, here))
    assert len(outcomes) == len(row.commands)
    assert [outcome.wrong for outcome in outcomes if not outcome] == []


@pytest.mark.slow
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("row", [row for row in SHOWN if not row.quick], ids=name_of)
def test_all_other_commands_do_what_their_rows_say(row: PaperStatement, folder: Path) -> None:
    if any("--experiment" in command.argv for command in row.commands):
        pytest.importorskip("torch")
    outcomes = list(run_statement(row, folder))
    assert [outcome.wrong for outcome in outcomes if not outcome] == []
    assert len(outcomes) == len(row.commands)


def test_a_command_runs_in_its_folder_without_a_shell(tmp_path: Path) -> None:
    argv = ("exactformer", "sample", "nested", "-n", "3", "--seed", "1", "-o", "$(touch here);data.json")
    assert run_program(argv, tmp_path).exit_code == 0
    assert [path.name for path in tmp_path.iterdir()] == ["$(touch here);data.json"]


ROW = replace(
    SHOWN[0], commands=(PaperCommand.of("exactformer limit square.json", "leaders == [0, 1]", "kinds.# >= 5"),)
)


@pytest.mark.parametrize(
    ("done", "wrong"),
    [
        (Done(0, '{"leaders": [0, 1], "kinds": [1, 2, 3, 4, 5]}\n', ""), None),
        (Done(1, '{"leaders": [0, 1], "kinds": [1, 2, 3, 4, 5]}\n', "no"), "exit code 1, not 0"),
        (Done(0, '{"leaders": [0], "kinds": [1, 2, 3, 4, 5]}\n', ""), "expected leaders == [0, 1], got [0]"),
        (Done(0, '{"leaders": [0, 1], "kinds": [1, 2, 3, 4]}\n', ""), "expected kinds.# >= 5, got 4"),
        (Done(0, '{"kinds": [1, 2, 3, 4, 5]}\n', ""), "expected leaders == [0, 1]"),
        (Done(0, "", ""), "expected leaders"),
    ],
)
def test_a_command_that_does_something_else_is_told(done: Done, wrong: str | None, tmp_path: Path) -> None:
    [outcome] = run_statement(ROW, tmp_path, lambda argv, place: done)
    assert bool(outcome) == (wrong is None)
    if wrong is not None:
        assert outcome.wrong[0].startswith(wrong)


def test_the_commands_after_a_wrong_one_are_not_run(tmp_path: Path) -> None:
    row = replace(ROW, commands=ROW.commands * 3)
    assert len(list(run_statement(row, tmp_path, lambda argv, place: Done(70, "", "a bug")))) == 1


@pytest.mark.parametrize(
    ("text", "value", "holds"),
    [("x == 1", 1, True), ("x == 1", "1", False), ("x < 1/2", "1/3", True), ("x > 0.1", None, False),
     ("x >= 2", "two", False), ("x has b", ["a", "b"], True), ("x <= 1", float("nan"), False), ("x <= 1", True, False)],
)  # fmt: skip
def test_relations(text: str, value: object, holds: bool) -> None:
    from exactformer.papers.runner import fact_holds as judged

    assert judged(value, Fact.of(text)) is holds


def test_paths_that_lead_nowhere_have_no_value() -> None:
    assert values_at({"a": [1]}, "a.3") == values_at({"a": [1]}, "b") == values_at(3, "a") == values_at(3, "#") == []
    with pytest.raises(InvalidInput):
        Fact.of("a is 3")


# the command -----------------------------------------------------------------------------------------------------
def test_json_has_the_keys_of_the_contract(capsys: pytest.CaptureFixture[str]) -> None:
    assert code(["papers", "--json"]) == 0
    rows = json.loads(capsys.readouterr().out)["statements"]
    assert len(rows) == len(ROWS)
    assert all(set(row) >= {"paper", "statement", "status", "command"} for row in rows)
    assert all((row["command"] is None) == (row["status"] == "unread") for row in rows)


def test_a_paper_by_number_nickname_or_row(capsys: pytest.CaptureFixture[str]) -> None:
    assert code(["papers", "2508.09628"]) == 0
    shown = capsys.readouterr().out
    assert "REFUTED" in shown
    assert "tokens 3 and -1" in shown
    assert code(["papers", "frank-wolfe"]) == 0
    assert capsys.readouterr().out == shown
    assert code(["papers", "frank-wolfe/theorem-3.1", "--json"]) == 0
    assert len(json.loads(capsys.readouterr().out)["statements"]) == 1
    assert [len(rows) for _, rows in selected(None)] == [len(paper.statements) for paper in papers()]


def test_run_prints_what_came_out(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    assert code(["papers", "clustering/theorem-1.1-i", "--run", "-o", str(tmp_path / "kept")]) == 0
    shown = capsys.readouterr().out
    assert 'kinds.4 = "projection"' in shown
    assert "2 commands, 0 not as their rows say" in shown
    assert (tmp_path / "kept" / "square.jsonl").exists()


def test_run_exits_1_where_a_row_is_wrong(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    from exactformer.papers import runner as running

    monkeypatch.setattr(running, "run_program", lambda argv, folder: Done(0, '{"limits": []}', ""))
    assert code(["papers", "clustering/theorem-1.1-i", "--run"]) == 1
    assert "NOT AS THE ROW SAYS" in capsys.readouterr().out


def test_quick_runs_leave_out_the_long_rows(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from exactformer.papers import runner as running

    monkeypatch.setattr(running, "run_program", lambda argv, folder: Done(0, "{}", ""))
    for options, rows in ((["--quick"], [row for row in SHOWN if row.quick]), ([], SHOWN)):
        assert code(["papers", "--run", *options, "--json", "-q"]) == 1
        keys = [run["key"] for run in json.loads(capsys.readouterr().out)["runs"]]
        assert list(dict.fromkeys(keys)) == list(dict.fromkeys(row.key for row in rows))
    assert len({row.key for row in SHOWN if row.quick}) < len({row.key for row in SHOWN})


def test_a_paper_in_words_has_all_of_its_rows(capsys: pytest.CaptureFixture[str]) -> None:
    for paper in papers():
        assert code(["papers", paper.nickname]) == 0
        out = capsys.readouterr().out
        assert out.startswith(f"{paper.title}\n{paper.authors}, {paper.address}\nread: {paper.read}\n")
        left = [line for line in out.splitlines() if line.startswith("known to us, shown by no command yet: ")]
        assert left == [f"known to us, shown by no command yet: {words}" for words in paper.left]
        for row in paper.statements:
            assert f"{row.name}: {row.status.upper()}   [{row.key}]\n  {row.words}\n  {row.outcome}\n" in out
            assert (f"  beyond it: {row.beyond}\n" in out) or not row.beyond
            assert (f"  in Rocq: {row.theorem}\n" in out) or not row.theorem
            assert all(f"  $ {command.line}\n" in out for command in row.commands)
        assert f"`exactformer papers {paper.nickname} --run -o DIR`" in out
    assert max(len(paper.left) for paper in papers()) > 1


@pytest.mark.parametrize(
    ("args", "exit_code"),
    [(["nonsense"], 3), (["clustering/nonsense"], 3), (["--figures"], 2), (["-o", "x"], 2), (["--quick"], 2)],
)
def test_wrong_usage(args: list[str], exit_code: int, capsys: pytest.CaptureFixture[str]) -> None:
    assert code(["papers", *args]) == exit_code
    assert "expected" in capsys.readouterr().err or exit_code == 2


def test_figures_are_drawn(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert code(["papers", "2508.09628", "--figures", "-o", str(tmp_path), "--json"]) == 0
    answer = json.loads(capsys.readouterr().out)
    wanted = [figure.file for figure in FIGURES if figure.paper == "2508.09628"]
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(f"2508.09628-{name}" for name in wanted)
    assert [Path(figure["file"]).stat().st_size > 5000 for figure in answer["figures"]] == [True] * len(wanted)
    told = {figure.file: figure.words for figure in FIGURES if figure.paper == "2508.09628"}
    assert {f["file"].rpartition("2508.09628-")[2]: f["words"] for f in answer["figures"]} == told
    assert {figure["paper"] for figure in answer["figures"]} == {"2508.09628"}


def test_the_geometry_of_figure_1_is_that_of_the_caption() -> None:
    left, right = geometry().axes
    assert left.get_title().endswith(r"C_1 = {2, 3}")
    assert right.get_title().endswith(r"C_1 = {4}")


@pytest.mark.slow
@pytest.mark.parametrize("paper", ["2407.01602", "2502.02270", "2602.08478", "2605.10931"])
def test_all_other_figures_are_drawn(paper: str, tmp_path: Path) -> None:
    assert len(list(draw_figures(paper, tmp_path))) == len([f for f in FIGURES if f.paper == paper])
