"""Every example runs, in an empty folder, without a path on the command line."""

from __future__ import annotations

import json
import runpy
import sys
from pathlib import Path

import pytest

EXAMPLES = sorted((Path(__file__).parents[2] / "examples").glob("[0-9]*.py"))
NOTEBOOKS = sorted((Path(__file__).parents[2] / "examples").glob("*.ipynb"))


def test_examples_are_there() -> None:
    assert len(NOTEBOOKS) >= 2
    assert {path.name[:2] for path in EXAMPLES} >= {"01", "02", "03", "04", "05", "08"}


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_example_runs(
    path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "argv", [str(path)])
    runpy.run_path(str(path), run_name="__main__")
    assert capsys.readouterr().out.strip()


#: takes ten seconds: MiniLM and thirty sentences
LONG = "21_sentences_and_their_neighbours"


@pytest.mark.parametrize(
    "path",
    [pytest.param(path, marks=pytest.mark.slow) if path.stem == LONG else path for path in NOTEBOOKS],
    ids=[path.stem for path in NOTEBOOKS],
)
def test_notebook_runs_and_is_in_the_gallery(path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    notebook = json.loads(path.read_text(encoding="utf-8"))
    for name in notebook["metadata"].get("requires", []):
        pytest.importorskip(name)
    cells = ["".join(cell["source"]) for cell in notebook["cells"] if cell["cell_type"] == "code"]
    exec(compile("\n".join(cells), path.name, "exec"), {})
    assert all(cell["outputs"] for cell in notebook["cells"] if cell["cell_type"] == "code"), "run docs/make.py"
    page = (path.parents[1] / "docs" / "gallery" / f"{path.stem}.md").read_text(encoding="utf-8")
    assert all(cell in page for cell in cells), "run docs/make.py"
