"""`report.html`: one self-contained page about a certificate or a token file, checked on the spot."""

from __future__ import annotations

import shlex
import tempfile
import time
from dataclasses import dataclass
from html import escape
from importlib import resources
from pathlib import Path
from typing import Any

from exactformer import __version__
from exactformer.checking import check
from exactformer.dynamics.limits import limit
from exactformer.dynamics.orbit import simulate
from exactformer.errors import InvalidInput, Malformed, Undecided
from exactformer.model.html import download, table
from exactformer.model.json_lines import PathLike, read_bytes, write_atomically
from exactformer.model.tokens import Tokens
from exactformer.report.accounts import Account, account_of
from exactformer.report.citations import bibtex_for
from exactformer.report.palette import Style
from exactformer.report.scenes import GRAPH_TOKENS, draw_stage, graph_scene
from exactformer.report.svg import draw_graph, symbols

#: layers shown of tokens without a proved limit
LAYERS = 30
#: larger files are linked instead of carried along
CARRIED = 8_000_000


@dataclass(frozen=True)
class Section:
    """A certificate with its account and the verdict that the checker gave on it."""

    account: Account
    verdict: Any
    seconds: float
    files: list[Path]


def write_report(path: PathLike, output: PathLike, *, data: PathLike | None = None, **about: Any) -> Any:
    """Writes the page about a certificate, or about a token file, and returns the checker's verdict.

    `data` is the file the certificate must be about, in any format that `check` reads, with its options.
    """
    if is_certificate(path):
        section = section_of(path, data=data, **about)
        write_page([section], output)
        return section.verdict
    if data is not None:
        raise InvalidInput(f"{path} is no certificate that could be compared with data: leave out --data {data}")
    with tempfile.TemporaryDirectory() as folder:
        certificate = Path(folder) / f"{Path(path).stem}.jsonl"
        _certify(Tokens.read(path, **about), certificate)
        section = section_of(certificate, data=path, **about)
        write_page([section], output)
        return section.verdict


def is_certificate(path: PathLike) -> bool:
    """Whether the file begins with the header of a certificate."""
    return b'"certificate"' in read_bytes(path).partition(b"\n")[0][:4096]


def _certify(tokens: Tokens, certificate: Path) -> None:
    """The certificate of the limit of tokens; where that is undecided or A not as it must be, of their first layers."""
    try:
        limit(tokens, unchecked=True).certify(certificate)
    except (Undecided, InvalidInput):
        simulate(tokens, layers=LAYERS, unchecked=True).certify(certificate)


def section_of(path: PathLike, *, data: PathLike | None = None, **about: Any) -> Section:
    """The section about a certificate, which is checked here and now."""
    start = time.perf_counter()
    verdict = check(path, data=data, **about)
    seconds = time.perf_counter() - start
    try:
        account = account_of(path)
    except (Malformed, InvalidInput, KeyError, IndexError, TypeError) as problem:
        account = Account("A file that is no certificate", f"It cannot be read as one: {problem}")
    return Section(account, verdict, seconds, [Path(path)] + ([Path(data)] if data is not None else []))


def write_page(sections: list[Section], output: PathLike, *, title: str = "", words: str = "") -> None:
    """Writes one self-contained page with the given sections."""
    style, script = (resources.files("exactformer.report").joinpath(f"assets/report.{kind}") for kind in ("css", "js"))
    sheet: set[Style] = set()
    parts = [_section(section, sheet) for section in sections]
    heading = f"<h1>{escape(title)}</h1><p>{escape(words)}</p>" if title else ""
    papers = bibtex_for(sections[0].verdict.claim if len(sections) == 1 else None)
    page = (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f'<title>{escape(title or sections[0].account.title)}</title><link rel="icon" href="data:,">'
        f"<style>{style.read_text()}</style></head><body>{symbols(sheet)}{heading}{''.join(parts)}"
        f"<h2>Cite</h2><div class='scroll'><pre>{escape(papers)}</pre></div>"
        f"<footer><p class='soft'>Written by exactformer {__version__}. This page needs no network.</p></footer>"
        f"<script>{script.read_text()}</script></body></html>\n"
    )
    write_atomically(output, page.encode())


def _section(section: Section, sheet: set[Style]) -> str:
    """The HTML of a section; the styles it uses are added to the sheet."""
    account = section.account
    title = account.title if section.verdict.verdict == "accepted" else f"Not proved: {account.title}"
    tables = (
        f"<h2>{escape(heading)}</h2>{table(columns, rows, name=heading.lower().replace(' ', '-'))}"
        for heading, columns, rows in account.tables
    )
    return "".join(
        [
            f"<section><h1>{escape(title)}</h1><p>The claim: {escape(account.words)}</p>",
            _verdict(section),
            table(["", ""], account.facts, name="facts") if account.facts else "",
            *tables,
            _pictures(account, sheet),
            _files(section.files),
            "</section>",
        ]
    )


def _verdict(section: Section) -> str:
    verdict = section.verdict
    place = f" at {verdict.where}" if verdict.where else ""
    compared = " The data file was compared with the certificate." if len(section.files) > 1 else ""
    again = escape(shlex.quote(section.files[0].name))
    return (
        f'<div class="verdict {verdict.verdict}"><b>{verdict.verdict}</b>{escape(place)}: {escape(verdict.why)}.'
        f'<p class="soft">Verdict of the independent checker, run when this page was written '
        f"({section.seconds:.2g} s).{compared} Run it again: <code>proofs-check {again}</code></p></div>"
    )


def _pictures(account: Account, sheet: set[Style]) -> str:
    parts = []
    if account.stage is not None:
        still = len(account.stage.scene.names) == 1
        title = "Picture" if still else "Layer by layer" if account.orbit is not None else "Block by block"
        sheet |= account.stage.scene.sheet
        parts.append(f"<h2>{title}</h2>{draw_stage(account.stage)}")
    if account.orbit is not None and len(account.orbit.instance) <= GRAPH_TOKENS:
        graph = graph_scene(account.orbit, account.graph_layer)
        sheet |= graph.sheet
        parts.append(
            f"<h2>Who follows whom at {graph.names[0]}</h2><p>An arrow points from a token to each token it follows; "
            "higher is a larger norm of A, and where A is symmetric positive definite all arrows point upwards.</p>"
            f'<div class="graph">{draw_graph(graph, label="follower graph, norm of A upwards")}</div>'
        )
    return "".join(parts)


def _files(files: list[Path]) -> str:
    links = []
    for path in files:
        content = read_bytes(path)
        kind = "text/csv" if path.suffix == ".csv" else "application/json"
        carried = len(content) <= CARRIED
        links.append([download(path.name, content, kind) if carried else f"{path.name} (too large to carry along)"])
    return f"<h2>Files</h2>{table([''], links)}"
