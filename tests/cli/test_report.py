"""The report page in a real browser: it loads, the slider moves, its numbers are the certificate's."""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

import exactformer as ef
from exactformer.cli.main import code
from exactformer.dynamics.limits import limit
from exactformer.instances.dataset_families import sample
from exactformer.report.page import write_report

from .browser import CHROMIUM, Browser, browser

EMERGING = [
    ["1", "1/3"], ["-1/12", "1/12"], ["-1", "-1"], ["0", "1/4"],
    ["-3/10", "-7/10"], ["-3/5", "-9/10"], ["4/5", "1/10"], ["3/5", "3/20"],
]  # fmt: skip

needs_chromium = pytest.mark.skipif(CHROMIUM is None, reason="no Chromium on this machine")


@pytest.fixture(scope="module")
def chromium(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    with browser(tmp_path_factory.mktemp("profile")) as page:
        yield page


@pytest.fixture(scope="module")
def limit_page(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    folder = tmp_path_factory.mktemp("limit")
    limit(ef.Tokens(EMERGING, alpha="1/2")).certify(folder / "limit.jsonl")
    assert write_report(folder / "limit.jsonl", folder / "report.html").verdict == "accepted"
    return folder / "limit.jsonl", folder / "report.html"


def table(name: str) -> str:
    """JavaScript for the rows of a table as lists of texts."""
    cells = "[...row.cells].map(cell => cell.textContent)"
    return f"[...document.querySelectorAll('[data-table={name}] tr')].map(row => {cells})"


def as_point(row: list[str]) -> str:
    return f"({', '.join(row)})"


@needs_chromium
def test_loads_without_complaint_and_without_network(chromium: Browser, limit_page: tuple[Path, Path]) -> None:
    chromium.open(limit_page[1])
    assert chromium.complaints == []
    assert not [url for url in chromium.requests if not url.startswith(("file:", "data:"))]
    assert chromium.value("document.querySelector('.verdict b').textContent") == "accepted"


@needs_chromium
def test_numbers_are_the_certificates(chromium: Browser, limit_page: tuple[Path, Path]) -> None:
    lines = [json.loads(line) for line in limit_page[0].read_text().splitlines()]
    chromium.open(limit_page[1])
    rows = chromium.value(table("limits"))[1:]
    assert [row[1] for row in rows] == [as_point(x) for x in lines[1]["tokens"]]
    assert [row[2] for row in rows] == [as_point(line["limit"]) for line in lines[2:-2]]
    assert [row[3] for row in rows] == [line["kind"] for line in lines[2:-2]]
    facts = dict(chromium.value(table("facts")))
    assert facts["leaders"] == ", ".join(map(str, lines[-2]["leaders"]))
    assert facts["proved from layer"] == str(lines[0]["layer"])


@needs_chromium
def test_slider_moves_tokens_and_exact_numbers(chromium: Browser, limit_page: tuple[Path, Path]) -> None:
    orbit = ef.simulate(ef.Tokens(EMERGING, alpha="1/2"), layers=3)
    chromium.open(limit_page[1])
    where = "document.querySelector('.stage use[data-token=\"1\"]').getAttribute('x')"
    shown = "[...document.querySelectorAll('.now tr')].slice(1).map(row => row.cells[1].textContent)"
    start = chromium.value(where)
    assert chromium.value(shown) == [as_point(x) for x in EMERGING]
    chromium.value(
        "{const s = document.querySelector('.stage input'); s.value = 3; s.dispatchEvent(new Event('input'))}"
    )
    assert chromium.value("document.querySelector('output').textContent") == "layer 3"
    assert chromium.value(where) != start
    assert chromium.value(shown) == [as_point([str(v) for v in x]) for x in orbit.tokens(3)]
    style = chromium.value("document.querySelector('.stage use[data-token=\"1\"]').getAttribute('href')")
    assert style.startswith("#star")  # token 1 leads from layer 1 on
    assert chromium.complaints == []


@needs_chromium
def test_play_runs_and_stops(chromium: Browser, limit_page: tuple[Path, Path]) -> None:
    chromium.open(limit_page[1])
    chromium.value("document.querySelector('.stage button').click()")
    deadline = time.monotonic() + 20
    while chromium.value("Number(document.querySelector('.stage input').value)") < 1:
        assert time.monotonic() < deadline
    chromium.value("document.querySelector('.stage button').click()")
    assert chromium.value("document.querySelector('.stage button').textContent") == "Play"


@needs_chromium
@pytest.mark.parametrize("width", [360, 1200])
def test_readable_on_a_phone(chromium: Browser, limit_page: tuple[Path, Path], width: int) -> None:
    chromium.open(limit_page[1], width=width)
    assert chromium.value("document.documentElement.scrollWidth") <= width


@needs_chromium
def test_without_javascript_everything_but_the_slider(chromium: Browser, limit_page: tuple[Path, Path]) -> None:
    chromium.open(limit_page[1], javascript=False)
    assert len(chromium.value(table("limits"))) == 1 + len(EMERGING)
    assert chromium.value("getComputedStyle(document.querySelector('.controls')).display") == "none"
    assert chromium.value("document.querySelectorAll('.row .picture').length") == 4
    chromium.open(limit_page[1])


@needs_chromium
def test_transformer_page(chromium: Browser, tmp_path: Path) -> None:
    data = sample("random-targets", 6, 2, 3)
    ef.construct(data).certify(tmp_path / "cert.jsonl")
    assert write_report(tmp_path / "cert.jsonl", tmp_path / "report.html").verdict == "accepted"
    lines = [json.loads(line) for line in (tmp_path / "cert.jsonl").read_text().splitlines()]
    chromium.open(tmp_path / "report.html")
    facts = dict(chromium.value(table("facts")))
    assert facts["blocks"] == str(lines[0]["blocks"])
    assert facts["sequences"] == str(lines[0]["sequences"])
    targets = [row[3] for row in chromium.value(table("sequences"))[1:]]
    for shown, line in zip(targets, lines[3:-1], strict=True):
        assert all(as_point(y) in shown for y in line["targets"])
    link = chromium.value("document.querySelector('a[download]').href")
    assert link.startswith("data:application/json;base64,")
    assert chromium.complaints == []
    numbers = "[...document.querySelectorAll('.stage .axes text')].map(text => text.textContent)"
    before = chromium.value(numbers)
    chromium.value(
        "{const s = document.querySelector('.stage input'); s.value = s.max; s.dispatchEvent(new Event('input'))}"
    )
    assert before != chromium.value(numbers)  # every block has a scale of its own
    assert chromium.complaints == []


def test_tampered_certificate_is_reported_as_such(tmp_path: Path, limit_page: tuple[Path, Path]) -> None:
    text = limit_page[0].read_text()
    (tmp_path / "bad.jsonl").write_text(text.replace('"-1/18"', '"-1/17"', 1))
    assert code(["report", str(tmp_path / "bad.jsonl"), "-o", str(tmp_path / "bad.html")]) in (1, 3)
    page = (tmp_path / "bad.html").read_text()
    assert "Not proved" in page
    assert "<b>accepted</b>" not in page


def test_report_of_a_token_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    tokens = {"exactformer": "tokens", "version": [1, 0], "tokens": [["7/5", "1/5"], ["1", "1"], ["0", "0"]]}
    (tmp_path / "tokens.json").write_text(json.dumps(tokens))
    assert code(["report", str(tmp_path / "tokens.json"), "-o", str(tmp_path / "r.html"), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["claim"] == "limit"
    assert "(6/5, 3/5)" in (tmp_path / "r.html").read_text()


def test_text_of_a_label_is_escaped(tmp_path: Path) -> None:
    sequences = [ef.Sequence.of([[0, 1]], label="<script>alert(1)</script>"), ef.Sequence.of([[1, 1]], label="b")]
    ef.construct(ef.Dataset.of(sequences)).certify(tmp_path / "cert.jsonl")
    write_report(tmp_path / "cert.jsonl", tmp_path / "report.html")
    assert "<script>alert" not in (tmp_path / "report.html").read_text()


def test_tokens_with_any_matrix(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "tokens.csv").write_text("1,2\n2,1\n")
    arguments = [
        "report",
        str(tmp_path / "tokens.csv"),
        "--A",
        "[[1,2],[0,1]]",
        "-o",
        str(tmp_path / "r.html"),
        "--json",
    ]
    assert code(arguments) == 0
    assert json.loads(capsys.readouterr().out)["claim"] == "orbit"


def test_data_are_for_certificates(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "tokens.csv").write_text("1,2\n2,1\n")
    path = str(tmp_path / "tokens.csv")
    assert code(["report", path, "--data", path, "-o", str(tmp_path / "r.html")]) == 3
    assert "--data" in capsys.readouterr().err


SCRIPT = Path(__file__).parents[2] / "proofs_check" / "verified" / "build" / "proofs-check-verified.js"
needs_script = pytest.mark.skipif(
    not SCRIPT.exists(), reason="the script is not built here: `make verified` with js_of_ocaml"
)


def forged(content: bytes) -> bytes:
    """The certificate with another limit of the first token, sealed again."""
    lines = [json.loads(line) for line in content.splitlines()[:-1]]
    claims = [line for line in lines if "limit" in line]
    claims[0]["limit"], claims[1]["limit"] = claims[1]["limit"], claims[0]["limit"]
    before = b"".join(json.dumps(line, separators=(",", ":")).encode() + b"\n" for line in lines)
    return before + b'{"end":true,"sha256":"%s"}\n' % hashlib.sha256(before).hexdigest().encode()


@needs_chromium
@needs_script
def test_the_page_checks_its_certificate_itself(
    chromium: Browser, limit_page: tuple[Path, Path], tmp_path: Path
) -> None:
    """In the browser: what is true is accepted, what was forged is rejected, whatever the page says beside it."""
    certificate = limit_page[0].read_bytes()
    (tmp_path / "forged.jsonl").write_bytes(forged(certificate))
    for path, verdict in ((limit_page[0], "accepted"), (tmp_path / "forged.jsonl", "rejected")):
        write_report(path, tmp_path / "page.html", verified=True)
        chromium.open(tmp_path / "page.html")
        chromium.value("document.querySelector('.here button').click()")
        said = "document.querySelector('.here output').textContent"
        for _ in range(600):
            if chromium.value(said) not in ("", "checking .."):
                break
            time.sleep(0.1)
        assert chromium.value(said).startswith(verdict)
        assert chromium.value("document.querySelector('.verdict b').textContent") == verdict
        assert chromium.complaints == []


def test_without_the_script_nothing_is_written(
    limit_page: tuple[Path, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr("exactformer.verified._BUILT", tmp_path / "bin" / "program")
    command = ["report", str(limit_page[0]), "-o", str(tmp_path / "page.html"), "--with", "verified"]
    assert code(command) == 4
    assert "make verified" in capsys.readouterr().err
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "program").touch(mode=0o755)
    assert code(command) == 4
    assert "js-of-ocaml" in capsys.readouterr().err
    assert not (tmp_path / "page.html").exists()
    (tmp_path / "lib").mkdir()
    (tmp_path / "lib" / "proofs-check-verified.js").write_text("function proofsCheckVerified() {}")
    assert code(command) == 0
    assert "function proofsCheckVerified() {}" in (tmp_path / "page.html").read_text()
