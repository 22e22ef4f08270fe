"""The corpus takes every branch of the checker."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

from checker_kit import CORPUS, SOURCES

ROOT = CORPUS.parents[1]


def test_every_branch_is_taken(tmp_path: Path) -> None:
    measured, report = tmp_path / ".coverage", tmp_path / "report.json"
    tool = [sys.executable, "-m", "coverage"]
    only = ",".join(map(str, SOURCES))
    script = str(ROOT / "tests" / "checker" / "run_corpus.py")
    common = ["--data-file", str(measured)]
    subprocess.run(
        [*tool, "run", "--branch", *common, f"--include={only}", script], cwd=tmp_path, check=True, timeout=200
    )
    subprocess.run(
        [*tool, "json", *common, "-o", str(report)], cwd=tmp_path, check=True, capture_output=True, timeout=60
    )
    found = json.loads(report.read_text())["files"]
    assert len(found) == len(SOURCES)
    gaps = {name: (file["missing_lines"], file["missing_branches"]) for name, file in found.items()}
    assert {name: gap for name, gap in gaps.items() if gap != ([], [])} == {}
