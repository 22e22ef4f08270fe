"""Every example runs, in an empty folder, without a path on the command line."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = sorted((Path(__file__).parents[2] / "examples").glob("[0-9]*.py"))


def test_examples_are_there() -> None:
    assert {path.name[:2] for path in EXAMPLES} >= {"01", "02", "03", "04", "05", "08"}


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_example_runs(path: Path, tmp_path: Path) -> None:
    environment = os.environ | {"MPLCONFIGDIR": str(tmp_path)}
    done = subprocess.run([sys.executable, str(path)], cwd=tmp_path, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip()
