"""The driver itself: a bug is planted, seen or not, and nothing is left behind."""

from __future__ import annotations

import subprocess
import sys

import planting
import pytest
from driver import FAILED, PASSED, Bug, _fate
from generate import Changes

FILE = "exactformer/errors.py"


def test_the_text_must_be_there_once() -> None:
    assert "exit_code = 71" in planting.mutated(FILE, "exit_code = 70", "exit_code = 71")
    for text in ("no such text", "exit_code"):
        with pytest.raises(ValueError, match="expected exactly once"):
            planting.mutated(FILE, text, "")


def test_a_planted_bug_is_imported_here_and_below() -> None:
    says = "import exactformer.errors as e; print(e.ExactformerError.exit_code)"
    script = (
        f"import sys; sys.path.insert(0, {str(planting.ROOT / 'tests' / 'mutants')!r})\n"
        f"from planting import plant; plant({FILE!r}, 'exit_code = 70', 'exit_code = 71')\n"
        f"{says}\nimport subprocess; subprocess.run([sys.executable, '-c', {says!r}], check=True)\n"
    )
    done = subprocess.run([sys.executable, "-c", script], cwd=planting.ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["71", "71"]
    assert "exit_code = 70" in (planting.ROOT / FILE).read_text("utf-8")


@pytest.mark.parametrize(
    ("code", "fate"), [(FAILED, "killed"), (None, "killed"), (PASSED, "survived"), (4, "broken"), (5, "broken")]
)
def test_only_a_failing_test_kills(code: int | None, fate: str) -> None:
    assert _fate(Bug("f", "a", "b", ()), code, "") == fate


def test_changes_by_rote() -> None:
    source = "def f(x, y):\n    if x < y:\n        raise ValueError(x)\n    return g(x, y) + 1\n"
    found = {source.encode()[: c.start].decode() + c.new + source.encode()[c.stop :].decode() for c in Changes(source)}
    for new in ("x <= y", "if True:", "if False:", "pass", "g(y, x)", "g(x, y) - 1", "+ 2", "return None"):
        assert any(new in text for text in found), new
