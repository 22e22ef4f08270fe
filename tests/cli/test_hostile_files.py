"""Text from a stranger's file is data: it neither runs in a page, nor commands a terminal, nor vanishes."""

from __future__ import annotations

import ast
import hashlib
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import exactformer as ef
from exactformer.cli.main import code
from exactformer.report.page import write_report

from .browser import CHROMIUM, Browser, browser

PACKAGE = Path(ef.__file__).parent
PAYLOADS = [
    '"><script>document.title = "owned"</script>',
    "<script>document.title = 'owned'</script>",
    "<img src=x onerror=\"document.title='owned'\">",
    "</script><script>document.title='owned'</script><!--",
    "</title><svg onload=\"document.title='owned'\">",
    "'-alert(1)-'",
    "javascript:document.title='owned'",
    "&lt;script&gt;",
]
LABELS = [
    "[/x]",
    "[red]cat",
    "[bold]",
    r"$\frac$",
    "$$",
    "_hidden",
    ":smile:",
    "\x1b[31mred",
    "a\u202eb",
    "line\nbreak",
]


def write_lines(path: Path, lines: list[dict[str, Any]]) -> Path:
    """A certificate file of any content, with the right digest."""
    text = b"".join(json.dumps(line).encode() + b"\n" for line in lines)
    path.write_bytes(text + json.dumps({"end": True, "sha256": hashlib.sha256(text).hexdigest()}).encode() + b"\n")
    return path


def hostile(payload: str) -> dict[str, list[dict[str, Any]]]:
    """Certificates with the payload in a key, a value, a name or a number, each of another kind."""
    header = {"exactformer": "certificate", "version": [1, 0], "dim": 1}
    vertex = {**header, "claim": "vertex", "points": 2, "vertex": True}
    sequences = [
        {"sequence": 0, "tokens": [["0"]], "targets": [["0"]], "label": payload},
        {"sequence": 1, "tokens": [["1"]], "targets": [["1"]], "label": "b"},
    ]
    system = {"A": [["1"]], "alpha": "1", "tokens": [["1"], ["2"]]}
    return {
        "key": [vertex, {payload: [["0"], ["1"]], "point": 1}, {"normal": ["1"]}],
        "value": [vertex, {"points": [["0"], ["1"]], "point": payload}, {"normal": [payload]}],
        "claim": [{**header, "claim": payload}, {payload: payload}],
        "header": [{**vertex, payload: payload}, {"points": [["0"], ["1"]], "point": 1}, {"normal": ["1"]}],
        "label": [
            {**header, "claim": "interpolation", "attention": "hardmax", "blocks": 0, "sequences": 2},
            *sequences,
        ],
        "attention": [
            {**header, "claim": "interpolation", "attention": payload, "blocks": 0, "sequences": 2},
            *sequences,
        ],
        "statement": [{**header, "claim": "counterexample", "statement": payload, "tokens": 2, "layers": 0}, system],
        "condition": [
            {**header, "claim": "infeasible", "condition": payload, "sequences": 2, "witness": [0, 1]},
            *[{key: value for key, value in line.items() if key != "targets"} for line in sequences],
        ],
        "kind": [
            {**header, "claim": "limit", "tokens": 2, "layer": 0},
            system,
            *[{"token": i, "kind": payload, "limit": ["2"], "lock": True} for i in range(2)],
            {"leaders": [1]},
        ],
    }


@pytest.fixture(scope="module")
def chromium(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    with browser(tmp_path_factory.mktemp("profile")) as page:
        yield page


@pytest.mark.skipif(CHROMIUM is None, reason="no Chromium on this machine")
def test_no_payload_runs_in_a_page(chromium: Browser, tmp_path: Path) -> None:
    for k, payload in enumerate(PAYLOADS):
        for place, lines in hostile(payload).items():
            path = write_lines(tmp_path / f"{k}-{place}.jsonl", lines)
            verdict = write_report(path, tmp_path / "page.html").verdict
            assert (verdict == "accepted") == (place == "label"), (place, payload)
            chromium.open(tmp_path / "page.html")
            assert "owned" not in chromium.value("document.title"), (place, payload)
            assert chromium.value("document.querySelectorAll('script').length") <= 2, (place, payload)
            assert chromium.value("document.querySelectorAll('img, [onload], [onerror]').length") == 0, (place, payload)
            shown = chromium.value("document.body.textContent")
            assert payload in shown or place != "label", payload


@pytest.mark.skipif(CHROMIUM is None, reason="no Chromium on this machine")
def test_the_policy_stops_what_an_escape_would_miss(chromium: Browser, tmp_path: Path) -> None:
    path = write_lines(tmp_path / "c.jsonl", hostile("a")["label"])
    write_report(path, tmp_path / "page.html")
    page = (tmp_path / "page.html").read_text()
    assert page.count("<footer>") == 1
    (tmp_path / "page.html").write_text(page.replace("<footer>", "<script>document.title = 'owned'</script><footer>"))
    chromium.open(tmp_path / "page.html")
    assert "owned" not in chromium.value("document.title")
    assert any("Content Security Policy" in complaint for complaint in chromium.complaints)


def test_a_page_of_something_unproved_says_so(tmp_path: Path) -> None:
    lines = hostile("a")["label"]
    lines[1] = {**lines[1], "targets": [["5"]]}
    assert write_report(write_lines(tmp_path / "c.jsonl", lines), tmp_path / "page.html").verdict == "rejected"
    page = (tmp_path / "page.html").read_text()
    assert "<title>Not proved: " in page
    assert "<h1>Not proved: " in page
    assert "<b>rejected</b>" in page


def html_strings(path: Path) -> Iterator[str]:
    """The f-strings and additions in a module that make HTML without escaping what they put in."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.JoinedStr):
            text = "".join(str(part.value) if isinstance(part, ast.Constant) else "{}" for part in node.values)
            if any(sign in text for sign in ("</", "/>", "<{}")) or ("<" in text and '="{}"' in text):
                yield f"{path.name}:{node.lineno}: {text}"


def test_html_is_made_in_one_place() -> None:
    """No f-string makes HTML, and nothing but display/html.py declares a text to be HTML already."""
    found = [text for path in PACKAGE.rglob("*.py") for text in html_strings(path)]
    assert found == []
    makers = {path.name for path in PACKAGE.rglob("*.py") if "Markup(" in path.read_text(encoding="utf-8")}
    # svg.py: the empty markup; page.py: a file of the package; formulas.py: fixed rules on text that was escaped
    assert makers == {"html.py", "svg.py", "page.py", "formulas.py"}
    assert 'text = str(html("{sentence}", sentence=sentence))\n' in (PACKAGE / "display/formulas.py").read_text()
    assert (PACKAGE / "play/page.py").read_text().count('Markup(_text("body.html"))') == 1
    assert "NOTHING = Markup()\n" in (PACKAGE / "report/svg.py").read_text()


def dataset(folder: Path, labels: list[str]) -> Path:
    sequences = [{"tokens": [[str(j), "1"]], "label": label} for j, label in enumerate(labels)]
    path = folder / "data.json"
    path.write_text(json.dumps({"exactformer": "dataset", "version": [1, 0], "sequences": sequences}))
    return path


def test_labels_are_shown_as_they_are(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    data, cert = dataset(tmp_path, LABELS), tmp_path / "c.jsonl"
    assert code(["construct", str(data), "-o", str(cert)]) == 0
    capsys.readouterr()
    assert code(["run", str(cert), str(data)]) == 0
    shown = capsys.readouterr().out
    for label in LABELS:
        assert label.encode("unicode_escape").decode().replace("\\\\", "\\") in shown, label
    assert "\x1b" not in shown
    assert "\u202e" not in shown


def test_pictures_show_labels_as_text(tmp_path: Path) -> None:
    for k, label in enumerate(LABELS):
        data, cert = dataset(tmp_path, [label, "other"]), tmp_path / "c.jsonl"
        assert code(["construct", str(data), "-o", str(cert)]) == 0
        picture = tmp_path / f"{k}.svg"
        assert code(["plot", str(cert), "--title", label, "-o", str(picture)]) == 0
        assert picture.stat().st_size > 1000


def test_control_characters_of_an_error_are_visible(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "d.csv").write_text("sequence,label,x1\na,cat,\x1b[2Jboo\n")
    assert code(["construct", str(tmp_path / "d.csv")]) == 3
    assert "\x1b" not in capsys.readouterr().err
