"""What can be taken along from the page is what it says: files, pictures, films, code."""

from __future__ import annotations

import base64
import io
import json
import shutil
import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from fractions import Fraction
from pathlib import Path

import pytest
from PIL import Image

from exactformer.model.tokens import Tokens
from exactformer.play.page import page

from ..cli.browser import Browser

TOKENS = Tokens([[1, 0], ["1/3", 1], [0, 3], ["-2/7", "-1/2"]], A=[[2, "1/2"], ["1/2", 1]], alpha="2/3")


@pytest.fixture(scope="module")
def tab(chromium: Browser, tmp_path_factory: pytest.TempPathFactory) -> Browser:
    path = tmp_path_factory.mktemp("outputs") / "play.html"
    path.write_text(page(TOKENS), encoding="utf-8")
    chromium.open(path)
    chromium.wait("!!app.result")
    return chromium


def content(tab: Browser, name: str) -> bytes:
    """The bytes of one of the files that the page offers."""
    tab.value(
        f"window.file = null; (async () => {{ const [, type, make] = app.files.find(([name]) => name === '{name}');"
        "const made = await make(app); const blob = made instanceof Blob ? made : new Blob([made]);"
        "const reader = new FileReader(); reader.onload = () => { window.file = reader.result.split(',')[1]; };"
        "reader.readAsDataURL(blob); })()"
    )
    return base64.b64decode(tab.wait("window.file", seconds=60))


def test_tokens_json(tab: Browser) -> None:
    assert Tokens.of_bytes(content(tab, "tokens.json"), "the page") == TOKENS


def test_python_runs(tab: Browser, tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", content(tab, "tokens.py").decode()], cwd=tmp_path, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    assert "accepted" in done.stdout


def test_svg_and_png_show_the_layer(tab: Browser) -> None:
    tab.value("app.setLayer(2)")
    root = ElementTree.fromstring(content(tab, "layer.svg"))
    texts = [element.text for element in root.iter("{http://www.w3.org/2000/svg}text")]
    assert texts[:4] == ["0", "1", "2", "3"]
    assert texts[-1] == "layer 2, α = 2/3"
    picture = Image.open(io.BytesIO(content(tab, "layer.png")))
    assert picture.width == 2 * round(tab.value("app.plane.width"))
    assert len(picture.convert("RGB").getcolors(1 << 20)) > 5


def test_tikz_has_the_exact_coordinates(tab: Browser, tmp_path: Path) -> None:
    tab.value("app.setLayer(1)")
    text = content(tab, "layer.tex").decode()
    rows = json.loads(
        tab.value("JSON.stringify(app.result.exact[1].num.map(r => r.map(x => `${x}/${app.result.exact[1].den}`)))")
    )
    for row in rows:
        assert f"% ({', '.join(str(Fraction(x)) for x in row)})" in text
    if shutil.which("pdflatex"):
        document = "\\documentclass{standalone}\\usepackage{tikz}\\usetikzlibrary{shapes.geometric}\\begin{document}"
        (tmp_path / "t.tex").write_text(f"{document}\n{text}\\end{{document}}")
        assert (
            subprocess.run(["pdflatex", "-halt-on-error", "t.tex"], cwd=tmp_path, capture_output=True).returncode == 0
        )


def test_gif_is_a_film(tab: Browser) -> None:
    film = Image.open(io.BytesIO(content(tab, "film.gif")))
    assert film.format == "GIF"
    assert film.n_frames > 10
    first = film.convert("RGB").tobytes()
    film.seek(film.n_frames - 1)
    assert film.convert("RGB").tobytes() != first


@pytest.mark.slow
def test_webm_is_a_film(tab: Browser) -> None:
    assert content(tab, "film.webm").startswith(b"\x1a\x45\xdf\xa3")
