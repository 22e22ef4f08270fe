"""`report.html`: one self-contained page about a certificate or a token file, checked on the spot."""

from __future__ import annotations

import os
import shlex
import tempfile
import time
from html import escape
from importlib import resources
from pathlib import Path
from typing import Any

from exactformer import __version__
from exactformer.checking import check
from exactformer.dynamics.limits import limit
from exactformer.dynamics.orbit import simulate
from exactformer.errors import InvalidInput, Malformed, Undecided
from exactformer.model.lines import read_bytes, write_atomically
from exactformer.model.tokens import Tokens
from exactformer.report.accounts import Account, account_of
from exactformer.report.citations import bibtex_for
from exactformer.report.markup import download, table
from exactformer.report.scenes import GRAPH_TOKENS, draw_follower_graph, draw_stage

PathLike = str | os.PathLike[str]

#: larger files are linked instead of carried along
CARRIED = 8_000_000


def write_report(path: PathLike, output: PathLike, *, data: PathLike | None = None, **about: Any) -> Any:
    """Writes the page about a certificate, or about a token file, and returns the checker's verdict.

    `data` is the file the certificate must be about, in any format that `check` reads, with its options.
    """
    if is_certificate(path):
        verdict, page = certificate_page(path, data=data, **about)
    else:
        verdict, page = tokens_page(path, **about)
    write_atomically(output, page.encode())
    return verdict


def is_certificate(path: PathLike) -> bool:
    """Whether the file begins with the header of a certificate."""
    return b'"certificate"' in read_bytes(path).partition(b"\n")[0][:4096]


def certificate_page(path: PathLike, *, data: PathLike | None = None, **about: Any) -> tuple[Any, str]:
    """The verdict on a certificate, and the page about it."""
    start = time.perf_counter()
    verdict = check(path, data=data, **about)
    seconds = time.perf_counter() - start
    try:
        account = account_of(path)
    except (Malformed, InvalidInput, KeyError, IndexError, TypeError) as problem:
        account = Account("A file that is no certificate", f"It cannot be read as one: {problem}")
    return verdict, _page(account, verdict, seconds, [Path(path)] + ([Path(data)] if data is not None else []))


def tokens_page(path: PathLike, *, A: Any = None, alpha: Any = None) -> tuple[Any, str]:
    """The page about a token file: its limit is proved, certified and checked; undecided, its first layers are."""
    tokens = Tokens.read(path, A=A, alpha=alpha)
    with tempfile.TemporaryDirectory() as folder:
        certificate = Path(folder) / f"{Path(path).stem}.jsonl"
        try:
            limit(tokens).certify(certificate)
        except Undecided:
            simulate(tokens, layers=30).certify(certificate)
        return certificate_page(certificate, data=path, A=A, alpha=alpha)


def _page(account: Account, verdict: Any, seconds: float, files: list[Path]) -> str:
    style, script = (resources.files("exactformer.report").joinpath(f"assets/report.{kind}") for kind in ("css", "js"))
    body = "".join(
        [
            f"<h1>{escape(account.title)}</h1><p>{escape(account.words)}</p>",
            _verdict(verdict, seconds, files),
            table(["", ""], account.facts, name="facts") if account.facts else "",
            *(
                f"<h2>{escape(title)}</h2>{table(columns, rows, name=_slug(title))}"
                for title, columns, rows in account.tables
            ),
            _pictures(account),
            _files(files),
            _citations(verdict.claim),
        ]
    )
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f'<title>{escape(account.title)}</title><link rel="icon" href="data:,">'
        f"<style>{style.read_text()}</style></head>"
        f"<body>{body}<footer><p class='soft'>Written by exactformer {__version__}. This page needs no network."
        f"</p></footer><script>{script.read_text()}</script></body></html>\n"
    )


def _slug(title: str) -> str:
    return title.lower().replace(" ", "-")


def _verdict(verdict: Any, seconds: float, files: list[Path]) -> str:
    place = f" at {verdict.where}" if verdict.where else ""
    compared = " The data file was compared with the certificate." if len(files) > 1 else ""
    return (
        f'<div class="verdict {verdict.verdict}"><b>{verdict.verdict}</b>{escape(place)}: {escape(verdict.why)}.'
        f'<p class="soft">Verdict of the independent checker, run when this page was written ({seconds:.2g} s).'
        f"{compared} "
        f"Run it again: <code>proofs-check {escape(shlex.quote(files[0].name))}</code></p></div>"
    )


def _pictures(account: Account) -> str:
    parts = []
    if account.stage is not None:
        title = "Layer by layer" if account.orbit is not None else "Block by block"
        parts.append(f"<h2>{title}</h2>{draw_stage(account.stage)}")
    if account.orbit is not None and len(account.orbit.instance) <= GRAPH_TOKENS:
        layer = account.graph_layer
        parts.append(
            f"<h2>Who follows whom at layer {layer}</h2><p>An arrow points from a token to each token it follows; "
            "higher is a larger norm of A, and where A is symmetric positive definite all arrows point upwards.</p>"
            f"{draw_follower_graph(account.orbit, layer)}"
        )
    return "".join(parts)


def _files(files: list[Path]) -> str:
    links = []
    for path in files:
        content = read_bytes(path)
        kind = "text/csv" if path.suffix == ".csv" else "application/json"
        links.append(
            [download(path.name, content, kind) if len(content) <= CARRIED else f"{path.name} (not carried along)"]
        )
    return f"<h2>Files</h2>{table([''], links)}"


def _citations(claim: str | None) -> str:
    return f"<h2>Cite</h2><div class='scroll'><pre>{escape(bibtex_for(claim))}</pre></div>"
