"""The documentation: every benchmark and every command has its place, and the site builds without a warning."""

from __future__ import annotations

import json
import os
import re
import runpy
import shutil
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

from exactformer.cli.main import VERBS

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"


def test_every_benchmark_is_on_the_performance_page() -> None:
    page = (DOCS / "performance.md").read_text(encoding="utf-8")
    for script in sorted((ROOT / "benchmarks").glob("[a-z]*.py")):
        assert f"docs/benchmarks/{script.stem}.txt" in page, f"run make bench-docs and include {script.stem}"


def test_figures_stand_in_the_page_and_are_those_that_are_kept() -> None:
    make = runpy.run_path(str(DOCS / "make.py"), run_name="make")
    found = 0
    for page in DOCS.rglob("*.md"):
        for match in make["QUOTED"].finditer(page.read_text(encoding="utf-8")):
            found += 1
            assert match[0] == make["quoted"](match[1], match[2]), f"{page.name}: run docs/make.py for {match[1]}"
    assert found >= 10


def test_every_public_name_is_on_the_api_page() -> None:
    import exactformer as ef

    page = (DOCS / "api.md").read_text(encoding="utf-8")
    assert [name for name in ef.__all__ if name != "__version__" and f'"ef.{name}"' not in page] == []


@pytest.mark.skipif(shutil.which("node") is None, reason="node is not installed")
def test_every_formula_is_one_that_the_site_can_set() -> None:
    formulas = []
    for page in [*DOCS.rglob("*.md"), ROOT / "README.md"]:
        text = re.sub(r"```.*?```|`[^`\n]*`", "", page.read_text(encoding="utf-8"), flags=re.DOTALL)
        formulas += re.findall(r"\$\$(.+?)\$\$", text, flags=re.DOTALL)
        formulas += re.findall(
            r"(?<![\\$])\$(?![\s$])([^$\n]+?)(?<!\s)\$(?!\d)", re.sub(r"\$\$.+?\$\$", "", text, flags=re.DOTALL)
        )
    assert len(formulas) >= 20
    program = (
        "const katex = require(process.argv[1]); let text = '';"
        "process.stdin.on('data', c => text += c).on('end', () =>"
        "JSON.parse(text).forEach(f => katex.renderToString(f, {throwOnError: true, strict: 'error'})));"
    )
    command = ["node", "-e", program, str(DOCS / "assets" / "katex" / "katex.min.js")]
    done = subprocess.run(command, input=json.dumps(formulas), capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-600:]


def test_the_site_needs_no_network() -> None:
    config = (ROOT / "mkdocs.yml").read_text(encoding="utf-8")
    assert "http" not in config.split("extra_css")[1].split("nav:")[0]
    sheet = (DOCS / "assets" / "katex" / "katex.min.css").read_text(encoding="utf-8")
    fonts = set(re.findall(r"url\((fonts/[^)]+)\)", sheet))
    assert len(fonts) >= 15
    assert [name for name in fonts if not (DOCS / "assets" / "katex" / name).exists()] == []


def test_included_files_are_there() -> None:
    for page in DOCS.rglob("*.md"):
        for name in re.findall(r'--8<-- "([^"]+)"', page.read_text(encoding="utf-8")):
            assert (ROOT / name).read_text(encoding="utf-8").strip(), f"{page.name} includes the empty {name}"


def test_every_command_is_listed() -> None:
    page = (DOCS / "commands.md").read_text(encoding="utf-8")
    assert [verb for verb in VERBS if f"exactformer {verb}" not in page] == []


@pytest.mark.parametrize("name", ["start.md", "howto/certify.md", "howto/validate.md"])
def test_python_of_a_page_runs(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    files = runpy.run_path(str(DOCS / "make.py"), run_name="make")["FILES"]
    for path, content in files.items():
        (tmp_path / path).write_text(content, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    blocks = re.findall(r"```python\n(.*?)```", (DOCS / name).read_text(encoding="utf-8"), flags=re.DOTALL)
    assert blocks
    exec(compile("\n".join(blocks), name, "exec"), {})


def test_examples_that_are_named_exist() -> None:
    for page in [*DOCS.rglob("*.md"), ROOT / "README.md"]:
        for name in re.findall(r"examples/\w+\.py", page.read_text(encoding="utf-8")):
            assert (ROOT / name).exists(), f"{page.name} names {name}"


@pytest.mark.skipif(find_spec("mkdocs") is None, reason="mkdocs is not installed: pip install '.[docs]'")
def test_site_builds_strictly(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "--site-dir", str(tmp_path / "site")]
    environment = os.environ | {"NO_MKDOCS_2_WARNING": "1"}
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "site" / "index.html").exists()
