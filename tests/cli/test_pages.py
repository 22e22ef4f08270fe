"""Pages run from an empty folder: every file that one uses is shown on it, or made by its own code and commands."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from exactformer.cli.main import code
from proofs_check.__main__ import main as proofs_check

DOCS = Path(__file__).parents[2] / "docs"
#: a fenced block: its language and title, and its text; or a run of indented commands
BLOCK = re.compile(
    r"^```(?P<kind>[^\n]*)\n(?P<text>.*?)^```$|^(?P<shell>(?:    (?:exactformer|proofs-check) [^\n]*\n)+)", re.S | re.M
)
#: commands that refuse on purpose
REFUSING = ("construct twins.csv", "hunt every-leader-leads-at-once", "crosscheck square.json")
#: what takes minutes, and what stands for any file
LEFT_OUT = ("train train.csv",)


def run_page(page: str, folder: Path) -> list[str]:
    """Writes the files, executes the Python and runs the commands of a page, in order; the commands that were run."""
    names: dict[str, object] = {}
    ran: list[str] = []
    for block in BLOCK.finditer(page):
        kind, text = block["kind"] or "", block["text"] or ""
        title = re.search(r'title="([^"]+)"', kind)
        if title is not None:
            (folder / title[1]).write_text(text, encoding="utf-8")
        elif kind == "python":
            exec(compile(text, "page", "exec"), names)
        listed = block["shell"].splitlines() if block["shell"] else re.findall(r"^\$ (.*)$", text, flags=re.M)
        for line in map(str.strip, listed):
            program, rest = line.split(" ", 1)
            if program not in ("exactformer", "proofs-check") or rest.startswith(LEFT_OUT):
                continue
            words = shlex.split(rest)
            found = code(words) if program == "exactformer" else proofs_check(words)
            assert found == int(rest.startswith(REFUSING)), line
            ran.append(line)
    return ran


#: page -> what it needs beside the package
NEEDS = {"howto/train": ["torch"], "howto/network": ["torch"], "howto/argmax": ["safetensors"]}


@pytest.mark.parametrize(
    "name",
    [
        "index",
        "start",
        "howto/certify",
        "howto/validate",
        "howto/refute",
        "howto/train",
        "howto/argmax",
        "howto/network",
    ],
)
def test_a_page_runs_from_an_empty_folder(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for module in NEEDS.get(name, []):
        pytest.importorskip(module)
    monkeypatch.chdir(tmp_path)
    ran = run_page((DOCS / f"{name}.md").read_text(encoding="utf-8"), tmp_path)
    assert len(ran) >= 2 or name == "index"


def test_a_page_that_uses_a_file_nobody_made_is_noticed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(AssertionError, match="nowhere"):
        run_page("    exactformer limit nowhere.json\n", tmp_path)
