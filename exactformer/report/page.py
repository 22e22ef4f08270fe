"""`report.html`: one self-contained page about a certificate or a token file, checked on the spot."""

from __future__ import annotations

import base64
import hashlib
import shlex
import tempfile
import time
from dataclasses import dataclass, field
from importlib import resources
from pathlib import Path
from typing import Any

from exactformer import __version__
from exactformer.checking import check
from exactformer.dynamics.limits import limit
from exactformer.dynamics.orbit import simulate
from exactformer.errors import ExactformerError, InvalidInput, Undecided
from exactformer.model.dataset import Dataset
from exactformer.model.file_kind import file_kind
from exactformer.model.html import Markup, asset, download, html, join, table
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
    pictures: list[tuple[Path, str]] = field(default_factory=list)


def write_report(
    path: PathLike, output: PathLike, *, data: PathLike | None = None, positions: bool = False, **about: Any
) -> Any:
    """Writes the page about a certificate, or about a token file, and returns the checker's verdict.

    `data` is the file the certificate must be about, in any format that `check` reads, with its options.
    """
    if is_certificate(path):
        section = section_of(path, data=data, positions=positions, **about)
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
    account = _account(path, verdict.verdict, _names(data))
    return Section(account, verdict, seconds, [Path(path)] + ([Path(data)] if data is not None else []))


def _names(data: PathLike | None) -> list[str] | None:
    """The names of the sequences in the user's file, where it has any."""
    if data is None or file_kind(data) != "csv":
        return None
    try:
        return Dataset.read(data, labelled=False).names
    except ExactformerError:  # tokens
        return None


def _account(path: PathLike, verdict: str, names: list[str] | None) -> Account:
    """What the certificate says; of a file that the checker could not read to its end, only that."""
    if verdict == "malformed":
        return Account("A file that is no certificate", "It cannot be read as one, so nothing of it is shown.")
    if verdict == "declined":
        return Account("A certificate that was not checked to its end", "A limit was reached; nothing of it is shown.")
    try:
        return account_of(path, names)
    except Exception as problem:
        if verdict == "accepted":
            raise
        return Account("A certificate that is refused", f"It cannot be shown: {type(problem).__name__}: {problem}")


def write_page(sections: list[Section], output: PathLike, *, title: str = "", words: str = "") -> None:
    """Writes one self-contained page with the given sections."""
    style, script = (
        asset(resources.files("exactformer.report").joinpath(f"assets/report.{kind}").read_text())
        for kind in ("css", "js")
    )
    sheet: set[Style] = set()
    parts = join([_section(section, sheet) for section in sections])
    page = html(
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta http-equiv="Content-Security-Policy" content="{policy}">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        '<title>{title}</title><link rel="icon" href="data:,">'
        "<style>{style}</style></head><body>{symbols}{heading}{parts}"
        '<h2>Cite</h2><div class="scroll"><pre>{papers}</pre></div>'
        '<footer><p class="soft">Written by exactformer {version}. This page needs no network.</p></footer>'
        "<script>{script}</script></body></html>\n",
        policy=content_policy(style, script),
        title=_title(sections, title),
        style=style,
        symbols=symbols(sheet),
        heading=html("<h1>{title}</h1><p>{words}</p>", title=_title(sections, title), words=words) if title else "",
        parts=parts,
        papers=bibtex_for(sections[0].verdict.claim if len(sections) == 1 else None),
        version=__version__,
        script=script,
    )
    write_atomically(output, page.encode())


def content_policy(style: str, script: str) -> str:
    """A Content-Security-Policy under which only this style sheet and this script have any effect."""
    allowed = (base64.b64encode(hashlib.sha256(text.encode()).digest()).decode() for text in (style, script))
    style_hash, script_hash = allowed
    return (
        f"default-src 'none'; style-src 'sha256-{style_hash}'; script-src 'sha256-{script_hash}'; img-src data:; "
        "base-uri 'none'; form-action 'none'"
    )


def _title(sections: list[Section], title: str) -> str:
    """The title, which says so where something on the page is not proved."""
    proved = all(section.verdict.verdict == "accepted" for section in sections)
    return ("" if proved else "Not proved: ") + (title or sections[0].account.title)


def _section(section: Section, sheet: set[Style]) -> Markup:
    """The HTML of a section; the styles it uses are added to the sheet."""
    account = section.account
    tables = (
        html(
            "<h2>{heading}</h2>{table}",
            heading=heading,
            table=table(columns, rows, name=heading.lower().replace(" ", "-")),
        )
        for heading, columns, rows in account.tables
    )
    return html(
        "<section><h1>{title}</h1><p>The claim: {words}</p>{verdict}{facts}{pictures}{shown}{tables}{folded}{files}"
        "</section>",
        title=_title([section], ""),
        words=account.words,
        verdict=_verdict(section),
        facts=table(["", ""], account.facts, name="facts") if account.facts else "",
        tables=join(tables),
        pictures=_pictures(account, sheet),
        shown=join(shown(path, caption) for path, caption in section.pictures),
        folded=join(
            html("<details><summary>{summary}</summary>{content}</details>", summary=summary, content=content)
            for summary, content in account.folded
        ),
        files=_files(section.files),
    )


def shown(path: Path, caption: str) -> Markup:
    """A picture file, PNG or GIF, carried along."""
    return html(
        '<h2>{caption}</h2><p><img class="shown" alt="{caption}" src="data:image/{kind};base64,{data}"></p>',
        caption=caption,
        kind=path.suffix.removeprefix("."),
        data=base64.b64encode(read_bytes(path)).decode(),
    )


def _verdict(section: Section) -> Markup:
    verdict = section.verdict
    return html(
        '<div class="verdict {verdict}"><b>{verdict}</b>{place}: {why}.'
        '<p class="soft">Verdict of the independent checker, run when this page was written '
        "({seconds:.2g} s).{compared} Run it again: <code>proofs-check {again}</code></p></div>",
        verdict=verdict.verdict,
        place=f" at {verdict.where}" if verdict.where else "",
        why=verdict.why,
        seconds=section.seconds,
        compared=" The data file was compared with the certificate." if len(section.files) > 1 else "",
        again=shlex.quote(section.files[0].name),
    )


def _pictures(account: Account, sheet: set[Style]) -> Markup:
    parts = []
    if account.stage is not None:
        still = len(account.stage.scene.names) == 1
        title = "Picture" if still else "Layer by layer" if account.orbit is not None else "Block by block"
        sheet |= account.stage.scene.sheet
        parts.append(html("<h2>{title}</h2>{stage}", title=title, stage=draw_stage(account.stage)))
    if account.orbit is not None and len(account.orbit.instance) <= GRAPH_TOKENS:
        graph = graph_scene(account.orbit, account.graph_layer)
        sheet |= graph.sheet
        parts.append(
            html(
                "<h2>Who follows whom at {layer}</h2><p>An arrow points from a token to each token it follows; "
                "higher is a larger norm of A, and where A is symmetric positive definite all arrows point upwards."
                '</p><div class="graph">{graph}</div>',
                layer=graph.names[0],
                graph=draw_graph(graph, label="follower graph, norm of A upwards"),
            )
        )
    return join(parts)


def _files(files: list[Path]) -> Markup:
    links = []
    for path in files:
        content = read_bytes(path)
        kind = "text/csv" if path.suffix == ".csv" else "application/json"
        carried = len(content) <= CARRIED
        links.append([download(path.name, content, kind) if carried else f"{path.name} (too large to carry along)"])
    return html("<h2>Files</h2>{files}", files=table([""], links))
