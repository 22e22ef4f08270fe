"""The driver itself: a bug is planted, seen or not, and nothing is left behind."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest
import stories
from driver import FAILED, INTERRUPTED, NOT_FOUND, PASSED, UNPLANTED, fate
from line_map import Function, LineMap, digest, spans
from operators import Address, Mutant, numbered
from planting import ROOT, MutantBug, TextBug

FILE = "exactformer/errors.py"
MUTANT = MutantBug(FILE, "exactformer.errors:-:number plus 1:0")
TEXT = TextBug(FILE, "exit_code = 70", "exit_code = 71")


def test_the_text_must_be_there_once() -> None:
    source = (ROOT / FILE).read_text("utf-8")
    assert "exit_code = 71" in ast.unparse(TEXT.module(source))
    for text in ("no such text", "exit_code"):
        with pytest.raises(ValueError, match="expected exactly once"):
            TextBug(FILE, text, "").module(source)


@pytest.mark.parametrize("bug", [TEXT, MUTANT], ids=["text", "address"])
def test_a_planted_bug_is_imported_here_and_below(bug: TextBug | MutantBug) -> None:
    says = "import exactformer.errors as e; print(e.ExactformerError.exit_code)"
    script = (
        f"import sys; sys.path.insert(0, {str(ROOT / 'tests' / 'mutants')!r})\n"
        f"from planting import plant, MutantBug, TextBug; plant({bug!r})\n"
        f"{says}\nimport subprocess; subprocess.run([sys.executable, '-c', {says!r}], check=True)\n"
    )
    done = subprocess.run([sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["71", "71"]
    assert "exit_code = 70" in (ROOT / FILE).read_text("utf-8")


@pytest.mark.parametrize(
    ("code", "means"),
    [
        (FAILED, "seen"),
        (None, "seen"),
        (INTERRUPTED, "seen"),
        (NOT_FOUND, "seen"),
        (-9, "seen"),
        (PASSED, "survived"),
        (3, "broken"),
        (5, "broken"),
        (UNPLANTED, "broken"),
    ],
)
def test_only_a_failing_test_sees_a_bug(code: int | None, means: str) -> None:
    assert fate(code) == means


def test_forks_see_the_bug_or_not_and_hanging_is_seeing(tmp_path: Path) -> None:
    """The second wave is run where the first saw nothing, and the names of the tests that failed are kept."""
    test = tmp_path / "test_it.py"
    test.write_text(
        "import time\nfrom exactformer.errors import ExactformerError\n\n"
        "def test_code():\n    assert ExactformerError.exit_code == 70\n\ndef test_nothing():\n    pass\n\n"
        "def test_long():\n    time.sleep(100)\n\ndef test_busy():\n    while True:\n        pass\n"
    )
    script = (
        f"import sys; sys.path.insert(0, {str(ROOT / 'tests' / 'mutants')!r})\n"
        "import driver; driver.LIBRARIES, driver.WAITING = 'pytest', 1\n"
        "from driver import *; from planting import MutantBug\n"
        f"bug, file = {MUTANT!r}, {str(test)!r}\n"
        "trials = [Trial(bug, ((f'{file}::test_nothing',), (f'{file}::test_code',))), Trial(bug, ((f'{file}::test_nothing',),)),\n"
        "          Trial(None, ((f'{file}::test_code',),)), Trial(None, ((f'{file}::test_long',),), 3.0),\n"
        "          Trial(None, ((f'{file}::test_busy',),), 2.0)]\n"
        "found = {trials.index(o.trial): (o.fate, [n.rpartition('::')[2] for n in o.failed]) for o in outcomes(trials, 2)}\n"
        "print([found[k] for k in range(5)])\n"
    )
    done = subprocess.run([sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, check=True)
    expected = [("seen", ["test_code"]), ("survived", []), ("survived", []), ("seen", []), ("seen", [])]
    assert done.stdout.strip() == str(expected)


SOURCE = "def f(x):\n    y = x + 1\n    return y < 2\n\n\nclass C:\n    def g(self):\n        return 1\n"


def test_the_functions_of_a_file() -> None:
    assert [(s.name, s.first, s.last) for s in spans(SOURCE)] == [("f", 1, 3), ("C.g", 7, 8)]
    moved = spans("\n\n" + SOURCE.replace("return 1", "return 2"))
    assert [a.digest == b.digest for a, b in zip(spans(SOURCE), moved, strict=True)] == [True, False]


def test_tests_are_chosen_by_line_then_by_function_then_by_module(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("line_map.ROOT", tmp_path)
    (tmp_path / "m.py").write_text(SOURCE)
    text = spans(SOURCE)[0].digest
    by_line = Function(text, {1: ["a", "b[1]", "b[2]", "b[3]"], 2: ["c"]})
    where = LineMap({"m": {"f": by_line}}, {"a": 0.3, "b[1]": 0.2, "b[2]": 0.01, "b[3]": 39.8, "c": 0.1})
    first, second = Address("m", "f", "+ to -", 0), Address("m", "C.g", "number plus 1", 0)
    lines = {a: site.lines for a, site in numbered(ast.parse(SOURCE), "m")}
    assert where.waves(Mutant(first, "m.py", lines[first])) == (("b[2]", "a", "b[1]"),)  # b[3] takes too long
    assert where.waves(Mutant(second, "m.py", lines[second])) == (("b[2]", "c", "a", "b[1]"),)
    by_line.digest = digest("another text")
    assert where.waves(Mutant(first, "m.py", lines[first])) == (("b[2]", "c", "a", "b[1]"),)
    assert where.waves(Mutant(Address("n", "f", "+ to -", 0), "n.py", (1,))) == ()


def test_the_stories_fit() -> None:
    assert stories.misfits() == []
    with pytest.raises(ValueError, match="no such test"):
        stories.tests_of(("errors.py", "exit_code = 70", "exit_code = 71", "test_no_such_test"))
    with pytest.raises(ValueError, match="exactly once"):
        stories.file_of(("errors.py", "no such text", "", ""))
    assert stories.file_of(("moved/elsewhere.py", "exit_code = 70", "", "")) == FILE


def test_a_long_test_leaves_room_for_short_ones() -> None:
    kept, unknown = "tests/golden/test_g.py::g", Address("m", "g", "+ to -", 0)
    seconds = {kept: 39.0, "a": 2.0, "b": 0.5, "c": 0.4}
    where = LineMap({"m": {"f": Function("", {0: list(seconds)})}}, seconds)
    assert where.waves(Mutant(unknown, "m.py", (1,))) == ((kept, "c", "b"),)
