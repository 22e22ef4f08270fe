"""Pages followed to the letter, from an empty folder: the files they show, their commands and their Python, in order.

What a page says is printed must be printed. Nothing is skipped in silence: a command that is not run stands in
NOT_RUN with the reason.
"""

from __future__ import annotations

import contextlib
import io
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from importlib.util import find_spec
from itertools import zip_longest
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"

README = "../README.md"
#: words in a command (of one page) -> why it is not run
NOT_RUN = {
    "make ": "sets up an environment",
    "pip install": "needs the network",
    "exactformer play": "runs until Ctrl-C",
    "minilm": "needs the weights of MiniLM, for which there is a notebook",
    "tcp://": "needs a cluster",
    "--budget 1": "is a campaign",
    (README, "model.safetensors --heads 12"): "is about weights of one's own; howto/argmax.md makes some",
    (README, "run net.json"): "likewise",
    (README, "decide net.json"): "likewise",
    ("howto/lecture.md", "proofs-check limit.jsonl"): "is about a file that the browser downloads",
    ("howto/large.md", "--max-bytes"): "is for ten million sequences",
    ("mathematics/bounds.md", "shared.csv"): "prints what tests/golden compares",
    ("mathematics/stabilisation.md", "examples/2"): "takes minutes or hours; tests run it for a shorter time",
    ("mathematics/training.md", "--experiment"): "trains for minutes",
    ("performance.md", "exactformer hunt"): "is the record of a campaign",
}
#: what needs PyTorch, which only the extra `train` installs
if find_spec("torch") is None:
    NOT_RUN |= {("howto/languages.md", words): "needs PyTorch" for words in ("train-network", "trained/", "hard.jsonl")}
#: pages that train: they need PyTorch and minutes, and other processors round differently, so digits are not compared
TRAINED = {"howto/network.md", "howto/train.md"}
#: Python that is not run, with the reason
NO_PYTHON = {"play.md": "opens a browser"}
BLOCK = re.compile(r"(?:<!-- from (\S+) -->\n)?^```(\w*)(?: title=\"([^\"]+)\")?\n(.*?)^```$", re.M | re.S)
SESSION = re.compile(r"^\$ (.+)\n((?:(?!\$ ).*\n)*)", re.M)
COMMAND = re.compile(r"(?:exactformer|proofs-check|python|make|pip) ")


@dataclass(frozen=True)
class Step:
    """A file to write, Python to run, or a command; with what is printed, where the page shows it."""

    kind: str
    text: str
    shown: str | None = None
    file: str = ""


def steps(text: str) -> Iterator[Step]:
    """What a page asks of its reader, from top to bottom."""
    blocks = list(BLOCK.finditer(text))
    for block, after in zip_longest(blocks, blocks[1:]):
        source, language, title, body = block.groups()
        if title:
            yield Step("file", body, file=title)
        elif language == "python" and source:
            yield Step("file", body, file=source)
        elif language == "python":
            yield Step("python", body, shown_below(text, block, after))
        elif language in ("", "console"):
            yield from commands(body)


def shown_below(text: str, block: re.Match[str], after: re.Match[str] | None) -> str | None:
    """The block without a language that follows Python at once is what it prints."""
    if after is None or after[2] or after[4].startswith("$ ") or COMMAND.match(after[4]):
        return None
    return after[4] if not text[block.end() : after.start()].strip() else None


def commands(body: str) -> Iterator[Step]:
    """The commands of a block; if nothing is shown below any of them, the page does not say what they print."""
    if not body.startswith("$ "):
        yield from (Step("command", line) for line in body.replace("\\\n", " ").splitlines() if COMMAND.match(line))
        return
    found = SESSION.findall(body)
    silent = not any(shown for _, shown in found)
    for command, shown in found:
        if command.startswith("cat "):
            yield Step("file", shown, file=command.removeprefix("cat "))
        else:
            yield Step("command", command, None if silent else shown)


def is_run(step: Step, name: str) -> bool:
    """Whether a step of a page is one that the test takes."""
    if step.kind == "python":
        return name not in NO_PYTHON
    reasons = (words for words in NOT_RUN if isinstance(words, str) or words[0] == name)
    return step.kind == "file" or not any((w if isinstance(w, str) else w[1]) in step.text for w in reasons)


def asked(name: str) -> list[Step]:
    return list(steps((DOCS / name).read_text(encoding="utf-8")))


def followed() -> list[str]:
    """Pages that ask for something to be done; the API and the gallery are run by tests of their own."""
    pages = [p for p in sorted(DOCS.rglob("*.md")) if p.parent.name not in ("api", "gallery")]
    names = [README, *(str(page.relative_to(DOCS)) for page in pages)]
    return [name for name in names if any(step.kind != "file" and is_run(step, name) for step in asked(name))]


def lines(text: str, blurred: bool = False) -> list[str]:
    """Lines to compare: without trailing blanks, and without digits and digests where floats decide them."""
    kept = [line.rstrip() for line in text.splitlines() if line.strip()]
    return (
        [re.sub(r"\s+", " ", re.sub(r"[0-9a-f]*\d[0-9a-f.]*|[━─]+", "0", line)) for line in kept] if blurred else kept
    )


def run_command(command: str) -> str:
    """What a command prints on stdout, or on stderr where that is empty; it must not be refused."""
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    environment = os.environ | {"PATH": path, "OMP_NUM_THREADS": "1"}
    done = subprocess.run(shlex.split(command, comments=True), env=environment, capture_output=True, text=True)
    assert done.returncode in (0, 1), f"{command}\n{done.stdout}{done.stderr}"
    return done.stdout or done.stderr


def run_python(code: str, names: dict[str, Any]) -> str:
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(code, "page", "exec"), names)
    return printed.getvalue()


def follow(taken: Iterable[Step], blurred: bool = False) -> int:
    """Does what a page asks, in the present folder; returns how many outputs were compared."""
    names: dict[str, Any] = {"__name__": "page"}
    compared = 0
    for step in taken:
        if step.kind == "file":
            Path(step.file).parent.mkdir(parents=True, exist_ok=True)
            Path(step.file).write_text(step.text, encoding="utf-8")
            continue
        printed = run_python(step.text, names) if step.kind == "python" else run_command(step.text)
        if step.shown is not None:
            compared += 1
            assert lines(printed, blurred) == lines(step.shown, blurred), step.text
        elif step.kind == "python":
            assert not printed, f"the page does not show what this prints: {printed}"
    return compared


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=pytest.mark.slow) if name in TRAINED else name for name in followed()]
)
def test_page_can_be_followed(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if name in TRAINED:
        pytest.importorskip("torch")
    monkeypatch.chdir(tmp_path)
    follow((step for step in asked(name) if is_run(step, name)), blurred=name in TRAINED)


def test_the_pages_are_those_that_newcomers_read() -> None:
    assert len(followed()) >= 11
    assert sum(step.shown is not None for name in followed() for step in asked(name) if is_run(step, name)) >= 40


def test_a_wrong_output_is_noticed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert follow(steps("```python\nprint(1 + 1)\n```\n\n```\n2\n```\n")) == 1
    for page in (
        "```python\nprint(1 + 1)\n```\n\n```\n3\n```\n",
        "```python\nprint(1 + 1)\n```\n\nWithout its output.\n",
        "```\n$ exactformer cite nothing\nNothing is cited.\n```\n",
        "```\nexactformer limit nowhere.json\n```\n",
    ):
        with pytest.raises(AssertionError):
            follow(steps(page))


def test_no_reason_is_left_over() -> None:
    pages = [README, *(str(page.relative_to(DOCS)) for page in DOCS.rglob("*.md"))]
    commands = {name: [step.text for step in asked(name) if step.kind == "command"] for name in pages}
    for reason in NOT_RUN:
        name, words = (None, reason) if isinstance(reason, str) else reason
        assert any(words in text for page in pages if name in (None, page) for text in commands[page]), reason
