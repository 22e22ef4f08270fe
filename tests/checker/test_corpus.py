"""The checker gives every verdict of the corpus: as a function, on the command line, under -O, isolated, copied alone."""

from __future__ import annotations

import ast
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from checker_kit import CORPUS, SOURCES, sealed

from proofs_check import Limits, check
from proofs_check import __main__ as command

ROOT = CORPUS.parents[1]
INDEX: list[dict[str, Any]] = json.loads((CORPUS / "index.json").read_text())
EXIT = {"accepted": 0, "rejected": 1, "malformed": 3, "declined": 4}


def arguments(entry: dict[str, Any]) -> list[str]:
    data = ["--data", str(CORPUS / entry["data"])] if "data" in entry else []
    weights = ["--weights", str(CORPUS / entry["weights"])] if "weights" in entry else []
    return [str(CORPUS / entry["file"]), *data, *weights, *entry.get("options", [])]


def test_the_corpus_is_large_enough() -> None:
    def number(folder: str) -> int:
        return sum(entry["file"].startswith(folder) for entry in INDEX)

    assert number("accept") + number("corner") >= 135
    assert number("refuse") >= 75
    assert number("corner") >= 15
    on_disk = {str(path.relative_to(CORPUS)) for path in CORPUS.glob("*/*.jsonl")}
    assert on_disk == {entry["file"] for entry in INDEX}
    assert all((entry["verdict"] == "accepted") != entry["file"].startswith("refuse") for entry in INDEX)


@pytest.mark.parametrize("entry", INDEX, ids=lambda entry: entry["file"][:-6])
def test_verdict(entry: dict[str, Any], capsys: pytest.CaptureFixture[str]) -> None:
    code = command.main([*arguments(entry), "--json"])
    found = json.loads(capsys.readouterr().out)
    assert set(found) == {"verdict", "claim", "where", "why", "tier", "also"}
    assert (found["tier"] is None) <= (found["verdict"] in ("malformed", "declined"))
    assert found["verdict"] == entry["verdict"], found
    assert code == EXIT[entry["verdict"]]
    assert (found["where"] is None) == (found["verdict"] == "accepted")
    assert found["why"]


def test_the_corpus_is_what_the_script_writes(tmp_path: Path) -> None:
    """A sample: the whole script also needs the builders, whose output may improve."""
    import corpus_accept

    assert (CORPUS / "accept/worked_example.jsonl").read_bytes() == sealed(corpus_accept.worked())
    for name, lines, _ in [*corpus_accept.corners()]:
        assert (CORPUS / f"corner/{name}.jsonl").read_bytes() == sealed(lines)


def test_the_worked_example_is_that_of_the_specification() -> None:
    text = (ROOT / "proofs_check" / "FORMAT.md").read_text()
    section = text[text.index("### A worked example") :]
    lines = [line[4:] for line in section.splitlines() if line.startswith("    {")][:7]
    assert "".join(line + "\n" for line in lines).encode() == (CORPUS / "accept/worked_example.jsonl").read_bytes()


def run(command_line: list[str], cwd: Path, **more: Any) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command_line, cwd=cwd, capture_output=True, text=True, timeout=120, check=False, **more)


SAMPLE = [entry for k, entry in enumerate(INDEX) if k % 45 == 0]


@pytest.mark.parametrize("flags", [[], ["-O"], ["-OO"], ["-I"]], ids=str)
def test_as_a_command_copied_alone(flags: list[str], tmp_path: Path) -> None:
    """Nothing but the standard library is needed, and no assert does the work."""
    package = tmp_path / "proofs_check"
    package.mkdir()
    for source in SOURCES:
        copy = package / source.relative_to(ROOT / "proofs_check")
        copy.parent.mkdir(exist_ok=True)
        shutil.copy(source, copy)
    (tmp_path / "json.py").write_text("raise SystemExit('shadowed')" if "-I" in flags else "")
    if "-I" not in flags:
        (tmp_path / "json.py").unlink()
    bare = {"PATH": os.environ["PATH"]}
    for entry in SAMPLE:
        if "-I" in flags:  # -I does not look into the working folder: the package is put in front by hand
            start = f"import sys; sys.path.append({str(tmp_path)!r}); from proofs_check.__main__ import main; sys.exit(main())"
            done = run([sys.executable, *flags, "-c", start, *arguments(entry)], tmp_path, env=bare)
        else:
            done = run([sys.executable, "-S", *flags, "-m", "proofs_check", *arguments(entry)], tmp_path, env=bare)
        assert done.returncode == EXIT[entry["verdict"]], (entry["file"], done.stderr)
        assert done.stdout.startswith(entry["verdict"])
        assert done.stderr == ""


def test_isolated_module() -> None:
    entry = INDEX[0]
    done = run([sys.executable, "-I", "-m", "proofs_check", *arguments(entry)], ROOT)
    assert done.returncode == 0 or "No module named" in done.stderr  # the package may not be installed


def test_usage_errors_and_bugs_are_not_zero(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any) -> None:
    for wrong in (
        [],
        [str(tmp_path / "missing")],
        [str(tmp_path)],
        ["a", "b"],
        [str(CORPUS / INDEX[0]["file"]), "--max-bits", "x"],
    ):
        with pytest.raises(SystemExit) as stop:
            command.main(wrong)
        assert stop.value.code == 2
    monkeypatch.setattr(command, "check", lambda *_: 1 // 0)
    assert command.main([str(CORPUS / INDEX[0]["file"])]) == 70
    assert "ZeroDivisionError" in capsys.readouterr().err


def test_words_of_acceptance() -> None:
    found = check(str(CORPUS / "accept/worked_example.jsonl"))
    assert "2 blocks" in found.why
    assert "3 sequences in Q^1" in found.why
    assert "sha256" in found.why


def test_limits_are_the_documented_ones() -> None:
    text = (ROOT / "proofs_check" / "FORMAT.md").read_text()
    for name, value in vars(Limits()).items():
        assert f"| `--max-{name}` | {value} |" in text


def test_the_source_is_small_and_plain() -> None:
    lengths = {path.name: len(path.read_text().splitlines()) for path in SOURCES}
    assert max(lengths.values()) < 300, lengths
    standard = set(sys.stdlib_module_names)
    for path in SOURCES:
        tree = ast.parse(path.read_text())
        for node in ast.walk(tree):
            if isinstance(node, ast.FunctionDef):
                assert (node.end_lineno or 0) - node.lineno < 32, (path.name, node.name)
                assert ast.get_docstring(node) or node.name in ("__init__", "main"), (path.name, node.name)
            assert not isinstance(node, ast.Assert), path
            assert not (isinstance(node, ast.Constant) and isinstance(node.value, float)), path
            assert not (isinstance(node, ast.Name) and node.id in {"float", "eval", "exec", "pickle", "round"}), path
            if isinstance(node, ast.Import):
                assert {alias.name.split(".")[0] for alias in node.names} <= standard
            if isinstance(node, ast.ImportFrom) and node.level == 0:
                assert (node.module or "").split(".")[0] in standard
