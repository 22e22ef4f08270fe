"""The documentation: every benchmark and every command has its place, and the site builds without a warning."""

from __future__ import annotations

import doctest
import json
import os
import re
import runpy
import shutil
import subprocess
import sys
import tomllib
from importlib.util import find_spec
from pathlib import Path

import pytest
from browser import CHROMIUM, browser

from exactformer.cli.main import VERBS
from exactformer.errors import SITE
from exactformer.play.page import page as page_to_play_with

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"


def test_every_benchmark_is_on_the_performance_page() -> None:
    page = (DOCS / "performance.md").read_text(encoding="utf-8")
    for script in sorted((ROOT / "benchmarks").glob("[a-z]*.py")):
        assert f"docs/benchmarks/{script.stem}.txt" in page, f"run make bench-docs and include {script.stem}"


def test_every_claim_about_performance_has_its_figures(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(DOCS)
    import performance

    page = (DOCS / "performance.md").read_text(encoding="utf-8")
    for script in sorted((ROOT / "benchmarks").glob("[a-z]*.py")):
        values = performance.figures(script.stem)
        assert performance.CLAIMS[script.stem].sentence.format(*values) in page, f"run docs/make.py for {script.stem}"
        assert (DOCS / "pictures" / f"performance_{script.stem}.png").exists()


def test_figures_stand_in_the_page_and_are_those_that_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(DOCS)
    import performance

    make = runpy.run_path(str(DOCS / "make.py"), run_name="make")
    found = 0
    for page in DOCS.rglob("*.md"):
        for match in make["QUOTED"].finditer(page.read_text(encoding="utf-8")):
            found += 1
            assert match[0] == make["quoted"](match[1], match[2]), f"{page.name}: run docs/make.py for {match[1]}"
    assert found >= 10
    text = "".join(page.read_text(encoding="utf-8") for page in DOCS.rglob("*.md"))
    quoted = list(make["INLINE"].finditer(text))
    assert {match[1] for match in quoted} == set(performance.QUOTED)
    assert [match[0] for match in quoted if match[0] != make["inline"](match[1])] == []


def test_the_address_of_the_project_is_the_same_everywhere() -> None:
    urls = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["urls"]
    assert urls["Homepage"] == SITE
    for name in ("mkdocs.yml", "CITATION.cff", "README.md"):
        text = (ROOT / name).read_text(encoding="utf-8")
        found = set(
            re.findall(r"https://(?:github\.com/[^/\s)\"]+/exactformer|[^/\s]+\.github\.io/exactformer/)", text)
        )
        assert found == {urls["Source"], urls["Homepage"]}, name


def test_every_theorem_that_the_package_points_to_is_on_its_page() -> None:
    text = "".join(path.read_text(encoding="utf-8") for path in (ROOT / "exactformer").rglob("*.py"))
    named = set(re.findall(r"""(?:mathematics/|proof_at\(['"])(\w+)#([\w-]+)""", text))
    assert len(named) >= 30
    for page, anchor in sorted(named):
        written = (DOCS / "mathematics" / f"{page}.md").read_text(encoding="utf-8")
        headings = {
            re.sub(r"[^a-z0-9]+", "-", title.lower()).strip("-") for title in re.findall(r"^#+ (.*)$", written, re.M)
        }
        assert f'id="{anchor}"' in written or f"{{ #{anchor} }}" in written or anchor in headings, f"{page}#{anchor}"


def test_mathematics_is_typeset_and_theorems_can_be_linked() -> None:
    for page in (DOCS / "mathematics").glob("*.md"):
        text = re.sub(r"```.*?```|`[^`\n]*`", "", page.read_text(encoding="utf-8"), flags=re.DOTALL)
        displayed = re.findall(r"\$\$.+?\$\$", text, flags=re.DOTALL)
        inline = re.findall(r"\$[^$\n]+\$", re.sub(r"\$\$.+?\$\$", "", text, flags=re.DOTALL))
        assert len(displayed) + len(inline) >= 20, page.name
        assert not re.findall(r'<div class="theorem" markdown', text), f"{page.name}: a theorem without an anchor"
        named = re.findall(r'<div class="\w+" id="([\w-]+)"', text)
        assert len(set(named)) == len(named), page.name


def test_every_public_name_is_on_the_api_page() -> None:
    import exactformer as ef

    page = "".join(path.read_text(encoding="utf-8") for path in (DOCS / "api").glob("*.md"))
    assert [name for name in ef.__all__ if name != "__version__" and not re.search(f'["`]ef.{name}["`]', page)] == []


@pytest.mark.parametrize("name", sorted(path.stem for path in (DOCS / "api").glob("*.md") if path.stem != "index"))
def test_the_example_of_every_page_of_the_api_runs(name: str) -> None:
    text = (DOCS / "api" / f"{name}.md").read_text(encoding="utf-8")
    (example,) = re.findall(r"```pycon\n(.*?)```", text, flags=re.DOTALL)
    tried = doctest.DocTestRunner().run(doctest.DocTestParser().get_doctest(example, {}, name, None, None))
    assert tried.attempted >= 2
    assert tried.failed == 0


@pytest.mark.skipif(shutil.which("node") is None, reason="node is not installed")
def test_every_formula_is_one_that_the_site_can_set() -> None:
    formulas = []
    for page in [*DOCS.rglob("*.md"), ROOT / "README.md"]:
        text = re.sub(r"```.*?```|`[^`\n]*`", "", page.read_text(encoding="utf-8"), flags=re.DOTALL)
        formulas += [(f, True) for f in re.findall(r"\$\$(.+?)\$\$", text, flags=re.DOTALL)]
        inline = re.sub(r"\$\$.+?\$\$", "", text, flags=re.DOTALL)
        formulas += [(f, False) for f in re.findall(r"(?<![\\$])\$(?![\s$])([^$\n]+?)(?<!\s)\$(?!\d)", inline)]
    assert len(formulas) >= 20
    program = (
        "const katex = require(process.argv[1]); let text = '';"
        "process.stdin.on('data', c => text += c).on('end', () =>"
        "JSON.parse(text).forEach(([f, displayMode]) => "
        "katex.renderToString(f, {displayMode, throwOnError: true, strict: 'error'})));"
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


def test_the_page_to_play_with_is_the_present_one() -> None:
    """python docs/make.py writes it; `python -c "import make; make.play()"` in docs/ writes it alone."""
    assert (DOCS / "assets" / "play.html").read_text(encoding="utf-8") == page_to_play_with()


def test_examples_that_are_named_exist() -> None:
    for page in [*DOCS.rglob("*.md"), ROOT / "README.md"]:
        for name in re.findall(r"examples/\w+\.py", page.read_text(encoding="utf-8")):
            assert (ROOT / name).exists(), f"{page.name} names {name}"


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The site, built strictly."""
    if find_spec("mkdocs") is None:
        pytest.skip("mkdocs is not installed: pip install '.[docs]'")
    folder = tmp_path_factory.mktemp("site")
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "--site-dir", str(folder)]
    environment = os.environ | {"NO_MKDOCS_2_WARNING": "1"}
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return folder


def test_site_builds_strictly(site: Path) -> None:
    assert (site / "index.html").exists()


#: what is wrong with a page that is open: formulas that are not set, headings and images, and a page wider than a phone
COMPLAINTS = """[
  ...[...document.querySelectorAll('.katex-error')].map(e => 'not set: ' + e.textContent),
  ...[...document.querySelectorAll('.md-content .arithmatex')].filter(e => !e.querySelector('.katex'))
    .map(e => 'not set: ' + e.textContent.slice(0, 60)),
  ...[...document.querySelectorAll('.md-content :is(h1, h2, h3, h4)')].map(e => e.textContent.replace('¶', '').trim())
    .filter((text, k, all) => !text || text === all[k - 1]).map(text => 'heading: ' + text),
  ...[...document.images].filter(e => e.complete && !e.naturalWidth).map(e => 'no image: ' + e.src),
  ...(document.documentElement.scrollWidth > document.documentElement.clientWidth + 1 ? ['wider than a phone'] : []),
]"""


@pytest.mark.skipif(CHROMIUM is None, reason="no browser is installed")
def test_pages_of_the_site_fit_a_phone_and_ask_for_nothing(site: Path, tmp_path: Path) -> None:
    chosen = [site / "index.html", *sorted(site.glob("mathematics/*/index.html")), site / "glossary" / "index.html"]
    assert len(chosen) >= 16
    with browser(tmp_path) as tab:
        for page in chosen:
            tab.open(page, width=390)
            tab.wait("!document.querySelector('.arithmatex') || !!document.querySelector('.katex')")
            assert tab.value(COMPLAINTS) == [], page
        assert [address for address in tab.requests if not address.startswith(("file:", "data:", "about:"))] == []


#: what we once wrote, and no reader would
CLUMSY = ("with of the order of", "what became of", "so coloured", "is no proof", "also where a leader", "then tells ")


def test_pages_speak_plain_english() -> None:
    texts = [*DOCS.rglob("*.md"), ROOT / "README.md", *(ROOT / "exactformer").rglob("*.py")]
    assert [(path.name, words) for path in texts for words in CLUMSY if words in path.read_text(encoding="utf-8")] == []
