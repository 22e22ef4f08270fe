"""Wrong and hostile input on the command line: the right exit code, one clear message, and no file left behind."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from exactformer.cli.main import code

TOKENS = {"exactformer": "tokens", "version": [1, 0], "tokens": [["2", "0"], ["0", "1"], ["1/2", "1/2"]]}
DATA = {
    "exactformer": "dataset",
    "version": [1, 0],
    "sequences": [{"tokens": [["0"], ["1"]], "label": "a"}, {"tokens": [["1"]], "label": "b"}],
}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A working folder with tokens.json and data.json in it."""
    monkeypatch.chdir(tmp_path)
    write("tokens.json", TOKENS)
    write("data.json", DATA)
    return tmp_path


def write(name: str, content: Any) -> str:
    Path(name).write_text(content if isinstance(content, str) else json.dumps(content), encoding="utf-8")
    return name


WRITERS = [
    ["simulate", "tokens.json", "--layers", "2"],
    ["limit", "tokens.json"],
    ["construct", "data.json"],
    ["sample", "generic", "--seed", "1"],
]


@pytest.mark.parametrize("command", WRITERS, ids=lambda c: c[0])
def test_files_respect_the_umask(command: list[str], folder: Path) -> None:
    before = os.umask(0o027)
    try:
        assert code([*command, "-o", "out"]) == 0
    finally:
        os.umask(before)
    assert (folder / "out").stat().st_mode & 0o777 == 0o640


@pytest.mark.parametrize("command", WRITERS, ids=lambda c: c[0])
@pytest.mark.parametrize("output", ["missing/out", "data.json/out", "x" * 300])
def test_a_place_that_cannot_be_written(
    command: list[str], output: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert code([*command, "-o", output]) == 3
    out, err = capsys.readouterr()
    assert f"cannot write {output}" in err
    assert "/" not in output or not out, "said before any work is done"
    assert sorted(os.listdir()) == ["data.json", "tokens.json"]


@pytest.mark.parametrize("command", WRITERS, ids=lambda c: c[0])
def test_a_directory_is_no_output_file(command: list[str], folder: Path) -> None:
    (folder / "here").mkdir()
    assert code([*command, "-o", "here"]) == 2
    assert sorted(os.listdir()) == ["data.json", "here", "tokens.json"]


def test_links_and_devices_are_written_through(folder: Path) -> None:
    (folder / "link").symlink_to("real")
    (folder / "null").symlink_to(os.devnull)
    assert code(["limit", "tokens.json", "-o", "link"]) == 0
    assert code(["limit", "tokens.json", "-o", "null"]) == 0
    assert (folder / "link").is_symlink()
    assert (folder / "real").is_file()
    assert Path(os.devnull).is_char_device()
