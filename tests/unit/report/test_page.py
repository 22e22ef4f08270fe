"""Tests of `exactformer.report.page`."""

from __future__ import annotations

import base64
import hashlib
import re
from html import unescape
from pathlib import Path
from typing import Any

import pytest
from kits.page_rows import rows_of

import exactformer as ef
from exactformer.io.file_kind import form_of
from exactformer.report.claim_summary import ClaimSummary, claim_summary
from exactformer.report.gallery import configurations
from exactformer.report.page import (
    Section,
    _pictures,
    section_of,
    write_page,
    write_report,
)
from exactformer.report.page import _files as page_files
from exactformer.report.palette import Style
from exactformer.report.skeleton import content_policy
from exactformer.studies.mean_field.laplace import laplace_bound


def told(thing: Any, folder: Path) -> ClaimSummary:
    thing.certify(folder / "c.jsonl")
    return claim_summary(folder / "c.jsonl")


def test_files_are_carried_with_their_kind_up_to_a_size(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "d.csv").write_text("x,y\n")
    (tmp_path / "c.jsonl").write_text("{}  \n")
    links = re.findall(r'download="(.*?)" href="data:(.*?)[;,]', page_files([tmp_path / "c.jsonl", tmp_path / "d.csv"]))
    assert links == [("c.jsonl", "application/json"), ("d.csv", "text/csv")]
    monkeypatch.setattr("exactformer.report.page.CARRIED", 4)
    shown = page_files([tmp_path / "c.jsonl", tmp_path / "d.csv"])
    assert re.findall(r'download="(.*?)"', shown) == ["d.csv"]
    assert "c.jsonl (too large to carry along)" in shown


@pytest.mark.parametrize("most", [2, 3])
def test_graphs_are_drawn_up_to_a_number_of_tokens(most: int, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr("exactformer.report.page.GRAPH_TOKENS", most)
    account = told(ef.simulate(ef.Tokens([[1, 0], [0, 3], [2, 2]]), layers=2), tmp_path)
    account.graph_layer = 1
    sheet: set[Style] = set()
    page = _pictures(account, sheet)
    assert ("<h2>Who follows whom at layer 1</h2>" in page) is (most == 3)
    assert "<h2>Layer by layer</h2>" in page
    assert account.stage is not None
    assert sheet >= account.stage.scene.sheet


# ---------------------------------------------------------------- pages


def test_a_page_cites_the_papers_of_its_claim_alone(tmp_path: Path) -> None:
    square = ef.Tokens([[1, 0], [0, 1], [-1, 0], [0, -1]])
    laplace_bound(square, [1, 0], 10).certify(tmp_path / "c.jsonl")
    assert write_report(tmp_path / "c.jsonl", tmp_path / "r.html").verdict == "accepted"
    page = (tmp_path / "r.html").read_text()
    assert [number for number in ("2407.01602", "2502.02270", "2605.10931") if number in page] == ["2605.10931"]


EMERGING = configurations()["emerging leader"]


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("pages") / "my limit.jsonl"
    ef.limit(EMERGING).certify(path)
    return path


# ---------------------------------------------------------------- pages of certificates


def test_a_page_has_claim_verdict_tables_graph_and_file(certificate: Path, tmp_path: Path) -> None:
    verdict = write_report(certificate, tmp_path / "r.html")
    page = (tmp_path / "r.html").read_text()
    account = claim_summary(certificate)
    assert f"<title>{account.title}</title>" in page
    assert f"<p>The claim: {account.words}</p>" in page
    assert f'<div class="verdict accepted"><b>accepted</b>: {verdict.why}.' in unescape(page)
    assert "<code>proofs-check 'my limit.jsonl'</code>" in unescape(page)
    assert "The data file was compared" not in page
    assert f"<h2>Who follows whom at layer {account.graph_layer}</h2>" in page
    assert "<h2>Layer by layer</h2>" in page
    facts = dict(row for row in rows_of(page, "facts") if row)
    assert (facts["tokens"], facts["alpha"], facts["proved from layer"]) == ("8", "1/2", str(account.graph_layer))
    limits = rows_of(page, "limits")
    assert limits[0] == account.tables[0][1]
    assert [row[3] for row in limits[1:]] == [row[3] for row in account.tables[0][2]]
    assert base64.b64encode(certificate.read_bytes()).decode() in page
    drawn, defined = set(re.findall(r'href="#([a-z]+-[^"]*)"', page)), set(re.findall(r'<g id="([^"]*)"', page))
    assert drawn <= defined


def test_only_the_pages_own_style_and_script_have_any_effect(certificate: Path, tmp_path: Path) -> None:
    write_report(certificate, tmp_path / "r.html")
    page = (tmp_path / "r.html").read_text()
    (style,), scripts = (
        re.findall(r"<style>(.*?)</style>", page, re.DOTALL),
        re.findall(r"<script>(.*?)</script>", page, re.DOTALL),
    )
    policy = unescape(re.findall(r'Content-Security-Policy" content="(.*?)"', page)[0])
    assert policy == content_policy(style, scripts[0])
    for text, source in ((style, "style-src"), (scripts[0], "script-src")):
        digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
        assert f"{source} 'sha256-{digest}';" in policy
    assert policy.startswith("default-src 'none';")


def test_a_refused_certificate_is_not_called_proved(certificate: Path, tmp_path: Path) -> None:
    text = certificate.read_text()
    broken = {"rejected": text.replace('"-1/12"', '"-1/13"'), "malformed": text[: len(text) // 2]}
    for verdict, content in broken.items():
        (tmp_path / "c.jsonl").write_text(content)
        found = write_report(tmp_path / "c.jsonl", tmp_path / "r.html")
        page = (tmp_path / "r.html").read_text()
        if found.verdict == verdict == "malformed":
            assert "<title>Not proved: A file that is no certificate</title>" in page
        assert "<title>Not proved: " in page
        assert "<h1>Not proved: " in page
        assert f'<div class="verdict {found.verdict}"><b>{found.verdict}</b>' in page
        assert f" at {found.where}: " in unescape(page)


def test_a_page_of_several_sections_is_proved_if_all_are(certificate: Path, tmp_path: Path) -> None:
    good = section_of(certificate)
    assert (good.files, good.summary.title) == ([certificate], claim_summary(certificate).title)
    (tmp_path / "c.jsonl").write_text(certificate.read_text()[:300])
    bad = section_of(tmp_path / "c.jsonl")
    for sections, title in (([good, good], "Mine"), ([good, bad], "Not proved: Mine")):
        write_page(sections, tmp_path / "r.html", title="Mine", words="Some words.")
        page = (tmp_path / "r.html").read_text()
        assert f"<title>{title}</title>" in page
        assert f"<h1>{title}</h1><p>Some words.</p>" in page
        assert page.count("<section>") == 2
        assert page.count("arXiv") >= 5
    dot = b"a picture"
    (tmp_path / "dot.png").write_bytes(dot)
    shown = Section(good.summary, good.verdict, 0.125, good.files, [(tmp_path / "dot.png", "A dot")])
    write_page([shown], tmp_path / "r.html")
    page = (tmp_path / "r.html").read_text()
    assert f'<img class="shown" alt="A dot" src="data:image/png;base64,{base64.b64encode(dot).decode()}"' in page
    assert "(0.12 s)" in page


def test_names_and_files_of_the_users_data_are_on_the_page(tmp_path: Path) -> None:
    (tmp_path / "d.csv").write_text("sequence,label,x1\nfirst,a,0\nfirst,a,1\nsecond,b,1\n")
    ef.construct(ef.Dataset.read(tmp_path / "d.csv")).certify(tmp_path / "c.jsonl")
    write_report(tmp_path / "c.jsonl", tmp_path / "r.html", data=tmp_path / "d.csv")
    page = (tmp_path / "r.html").read_text()
    assert [row[:3] for row in rows_of(page, "sequences")[1:]] == [["first", "a", "2"], ["second", "b", "1"]]
    assert "The data file was compared with the certificate." in page
    assert 'download="d.csv"' in page
    assert "<h2>Block by block</h2>" in page
    write_report(tmp_path / "c.jsonl", tmp_path / "r.html")
    assert [row[0] for row in rows_of((tmp_path / "r.html").read_text(), "sequences")[1:]] == ["0", "1"]


def test_what_is_a_certificate(certificate: Path, tmp_path: Path) -> None:
    (tmp_path / "t.json").write_text('{"exactformer": "tokens",\n"x": "certificate"}')
    assert (form_of(certificate), form_of(tmp_path / "t.json")) == ("certificate", "tokens")
