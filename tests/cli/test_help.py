"""Help: every command has a text with an example, and every example runs."""

from __future__ import annotations

import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import click
import pytest

from exactformer.cli.main import PURPOSES, VERBS, code, group
from proofs_check.__main__ import main as proofs_check

#: verbs whose example is run by a test of its own
ELSEWHERE = {
    *("language attend", "language prove", "language extract", "language harden", "language tracr"),
    *("demo", "import", "play"),
}


def command_of(verb: str) -> click.Command:
    """The command of a verb, or of a verb of a group such as "sentiment train"."""
    found: click.Command = group
    for name in verb.split():
        assert isinstance(found, click.Group)
        inner = found.get_command(click.Context(found), name)
        assert inner is not None
        found = inner
    return found


def leaves() -> list[str]:
    """Every verb, those of a group by both names."""
    names = []
    for verb in VERBS:
        command = command_of(verb)
        inner = (
            [f"{verb} {name}" for name in command.list_commands(click.Context(command))]
            if isinstance(command, click.Group)
            else []
        )
        names += inner or [verb]
    return names


def example_of(verb: str) -> list[str]:
    """The command lines of the example in a help text."""
    text = (command_of(verb).help or "").partition("Example")[2]
    return re.findall(r"(?:^|\s)((?:exactformer|proofs-check) .+)", text)


def run(line: str, tmp_path: Path) -> int:
    """The exit code of one line of an example; a redirection is done here."""
    words = shlex.split(line.partition(" > ")[0])
    return code(words[1:]) if words[0] == "exactformer" else proofs_check(words[1:])


@pytest.mark.parametrize("verb", leaves())
def test_help_has_text_example_and_json(verb: str) -> None:
    command = command_of(verb)
    assert command.help
    assert "--json" in {option for parameter in command.params for option in parameter.opts}
    assert any(line.startswith(f"exactformer {verb}") for line in example_of(verb)), f"{verb}: no example"


@pytest.mark.parametrize("verb", leaves())
def test_every_option_says_what_it_does(verb: str) -> None:
    options = [p for p in command_of(verb).params if isinstance(p, click.Option) and not p.hidden]
    texts = {p.opts[0]: re.sub(r"\s*\[default.*\]$", "", p.help or "") for p in options}
    assert [name for name, text in texts.items() if not re.search(r"\w.*[.)]$", text)] == []


@pytest.mark.parametrize("verb", [verb for verb in leaves() if verb not in ELSEWHERE])
def test_example_runs(verb: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for line in example_of(verb):
        if "--check" in line and shutil.which("coqc") is None:
            pytest.skip("no coqc on this machine")
        allowed = (0, 1) if "crosscheck" in line or "hunt" in line else (0,)
        assert run(line, tmp_path) in allowed, line


def test_help_answers_without_heavy_imports() -> None:
    program = (
        "import sys; from exactformer.cli.main import code; code(['--help']);"
        "heavy = {'numpy', 'sympy', 'matplotlib', 'cvxpy', 'networkx', 'torch', 'flint'} & set(sys.modules);"
        "assert not heavy, heavy"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert all(verb in done.stdout for verb in VERBS)


def test_help_has_every_verb_once_under_a_purpose(capsys: pytest.CaptureFixture[str]) -> None:
    assert code(["--help"]) == 0
    shown = capsys.readouterr().out
    assert [verb for verbs in PURPOSES.values() for verb in verbs] == list(VERBS)
    assert re.findall(r"^([A-Z].*):$", shown, flags=re.MULTILINE)[1:] == list(PURPOSES)
    assert [len(re.findall(rf"^  {verb}  ", shown, flags=re.MULTILINE)) for verb in VERBS] == [1] * len(VERBS)


@pytest.mark.parametrize("flag", ["-q", "--quiet"])
def test_quiet_prints_no_remark(flag: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    sample = ["sample", "nested", "-n", "3", "--seed", "1", "-o", str(tmp_path / "data.json")]
    assert code(sample) == 0
    assert "seed 1" in capsys.readouterr().err
    assert code([*sample, flag]) == 0
    assert capsys.readouterr().err == ""


def test_verbose_says_how_long_it_took(capsys: pytest.CaptureFixture[str]) -> None:
    assert code(["cite", "limit", "-v"]) == 0
    assert re.fullmatch(r"\d+\.\d\d s\n", capsys.readouterr().err)


def test_version(capsys: pytest.CaptureFixture[str]) -> None:
    assert code(["--version"]) == 0
    assert "exactformer" in capsys.readouterr().out


@pytest.mark.parametrize(("typed", "meant"), [("plto", "plot"), ("constuct", "construct"), ("reprot", "report")])
def test_misspelt_commands_are_suggested(typed: str, meant: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert code([typed]) == 2
    assert meant in capsys.readouterr().err


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_scripts(shell: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert code(["completion", shell]) == 0
    assert "_EXACTFORMER_COMPLETE" in capsys.readouterr().out


def test_bibtex_of_claims(capsys: pytest.CaptureFixture[str]) -> None:
    assert code(["cite", "interpolation"]) == 0
    assert "2502.02270" in capsys.readouterr().out
    assert code(["cite", "nonsense"]) == 3
    assert code(["cite", __file__]) == 3


@pytest.mark.parametrize(
    ("line", "said"),
    [
        (["chek"], "No such command 'chek'. Did you mean check or crosscheck? 'exactformer --help' lists them."),
        (["rebort"], "No such command 'rebort'. Did you mean report or export? 'exactformer --help' lists them."),
        (["constrct"], "No such command 'constrct'. Did you mean construct? 'exactformer --help' lists them."),
        (["qqq"], "No such command 'qqq'. 'exactformer --help' lists them."),
        (["delay", "ordr"], "No such command 'ordr'. Did you mean order? 'exactformer delay --help' lists them."),
    ],
)
def test_the_two_nearest_names_are_suggested(line: list[str], said: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert code(line) == 2
    assert said in " ".join(capsys.readouterr().err.split())
