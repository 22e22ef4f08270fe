"""`report.html`: one self-contained page about a certificate or a token file, checked on the spot."""

from __future__ import annotations

import base64
import shlex
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path

from exactformer.checking import Verdict, certificate_file, check
from exactformer.display.formulas import typeset
from exactformer.display.html import Markup, download, html, join, table
from exactformer.display.verbs import Reported
from exactformer.dynamics.limits import limit
from exactformer.dynamics.orbit import simulate
from exactformer.errors import ExactformerError, InvalidInput, Undecided
from exactformer.io.file_kind import file_kind, form_of
from exactformer.io.json_lines import PathLike, read_bytes, write_atomically
from exactformer.io.untyped import OptionValue
from exactformer.model.dataset import Dataset
from exactformer.model.tokens import Tokens
from exactformer.report.citations import bibtex_for
from exactformer.report.claim_summary import ClaimSummary, claim_summary
from exactformer.report.interactive import GRAPH_TOKENS, draw_stage, graph_picture
from exactformer.report.palette import Style
from exactformer.report.skeleton import page
from exactformer.report.svg import svg_graph, symbols
from exactformer.verified import script

#: layers shown of tokens without a proved limit
LAYERS = 30
#: larger files are linked instead of carried along
CARRIED = 8_000_000


@dataclass(frozen=True)
class Section:
    """A certificate with its summary and the verdict that the checker gave on it."""

    summary: ClaimSummary
    verdict: Verdict
    seconds: float
    files: list[Path]
    pictures: list[tuple[Path, str]] = field(default_factory=list)


def write_report(
    subject: PathLike | Reported,
    output: PathLike,
    *,
    data: PathLike | None = None,
    positions: bool = False,
    verified: bool = False,
    **about: object,
) -> Verdict:
    """Writes the page about a certificate, a result or tokens, and returns the checker's verdict.

    The subject is the path of a certificate or token file, an opened certificate, a result that has a certificate, or
    Tokens. `data` is the file the certificate must be about, in any format that `check` reads, with its options. If
    `verified`, the page carries the checker proved correct, and checks its certificate where it is read; raises
    Declined where that is not built.
    """
    checker = script() if verified else ""
    if isinstance(subject, Tokens):
        with tempfile.TemporaryDirectory() as folder:
            certificate = Path(folder) / "limit.jsonl"
            _certify(subject, certificate)
            return write_report(certificate, output, verified=verified)
    with certificate_file(subject) as path:
        return _write_report(path, output, data, positions, about, checker)


def _write_report(
    path: PathLike,
    output: PathLike,
    data: PathLike | None,
    positions: bool,
    about: dict[str, OptionValue],
    checker: str,
) -> Verdict:
    if form_of(path) == "certificate":
        section = section_of(path, data=data, positions=positions, **about)
        write_page([section], output, checker=checker)
        return section.verdict
    if data is not None:
        raise InvalidInput(f"{path} is no certificate that could be compared with data: leave out `data` {data}")
    with tempfile.TemporaryDirectory() as folder:
        certificate = Path(folder) / f"{Path(path).stem}.jsonl"
        _certify(Tokens.read(path, **about), certificate)
        section = section_of(certificate, data=path, **about)
        write_page([section], output, checker=checker)
        return section.verdict


def _certify(tokens: Tokens, certificate: Path) -> None:
    """The certificate of the limit of tokens; where that is undecided or A not as it must be, of their first layers."""
    try:
        limit(tokens, unchecked=True).certify(certificate)
    except (Undecided, InvalidInput):
        simulate(tokens, layers=LAYERS, unchecked=True).certify(certificate)


def section_of(path: PathLike, *, data: PathLike | None = None, **about: OptionValue) -> Section:
    """The section about a certificate, which is checked here and now."""
    start = time.perf_counter()
    verdict = check(path, data=data, **about)
    seconds = time.perf_counter() - start
    summary = _account(path, verdict.verdict, _names(data))
    return Section(summary, verdict, seconds, [Path(path)] + ([Path(data)] if data is not None else []))


def _names(data: PathLike | None) -> list[str] | None:
    """The names of the sequences in the user's file, where it has any."""
    if data is None or file_kind(data) != "csv":
        return None
    try:
        return Dataset.read(data, labelled=False).names
    except ExactformerError:  # tokens
        return None


def _account(path: PathLike, verdict: str, names: list[str] | None) -> ClaimSummary:
    """What the certificate says; of a file that the checker could not read to its end, only that."""
    if verdict == "malformed":
        return ClaimSummary("A file that is no certificate", "It cannot be read as one, so nothing of it is shown.")
    if verdict == "declined":
        return ClaimSummary(
            "A certificate that was not checked to its end", "A limit was reached; nothing of it is shown."
        )
    try:
        return claim_summary(path, names)
    except Exception as problem:
        if verdict == "accepted":
            raise
        return ClaimSummary("A certificate that is refused", f"It cannot be shown: {type(problem).__name__}: {problem}")


def write_page(
    sections: list[Section], output: PathLike, *, title: str = "", words: str = "", checker: str = ""
) -> None:
    """Writes one self-contained page with the given sections, which can check themselves if there is a checker."""
    sheet: set[Style] = set()
    parts = join([_section(section, sheet, _HERE if checker else html("")) for section in sections])
    told = _title(sections, title)
    body = html(
        "{symbols}{heading}{parts}",
        symbols=symbols(sheet),
        heading=html("<h1>{title}</h1><p>{words}</p>", title=told, words=words) if title else "",
        parts=parts,
    )
    papers = bibtex_for(sections[0].verdict.claim if len(sections) == 1 else None)
    scripts = ("verified.js", "report.js") if checker else ("report.js",)
    write_atomically(output, page(told, body, papers=papers, scripts=scripts, program=checker).encode())


def _title(sections: list[Section], title: str) -> str:
    """The title, which says so where something on the page is not proved."""
    proved = all(section.verdict.verdict == "accepted" for section in sections)
    return ("" if proved else "Not proved: ") + (title or sections[0].summary.title)


def _section(section: Section, sheet: set[Style], here: Markup) -> Markup:
    """The HTML of a section, with how it is checked here; the styles it uses are added to the sheet."""
    summary = section.summary
    tables = (
        html(
            "<h2>{heading}</h2>{table}",
            heading=heading,
            table=table(columns, rows, name=heading.lower().replace(" ", "-")),
        )
        for heading, columns, rows in summary.tables
    )
    return html(
        "<section><h1>{title}</h1><p>The claim: {words}</p>{verdict}{facts}{pictures}{shown}{tables}{folded}{files}"
        "</section>",
        title=_title([section], ""),
        words=typeset(summary.words),
        verdict=_verdict(section, here),
        facts=table(["", ""], summary.facts, name="facts") if summary.facts else "",
        tables=join(tables),
        pictures=_pictures(summary, sheet),
        shown=join(shown(path, caption) for path, caption in section.pictures),
        folded=join(
            html("<details><summary>{summary}</summary>{content}</details>", summary=heading, content=content)
            for heading, content in summary.folded
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


#: where the page itself checks the certificate it carries, by `assets/verified.js`
_HERE = html(
    '<p class="here" hidden><button type="button">Check here</button> '
    'by the checker proved correct: <output aria-live="polite"></output></p>'
)


def _verdict(section: Section, here: Markup) -> Markup:
    verdict = section.verdict
    return html(
        '<div class="verdict {verdict}"><b>{verdict}</b>{place}: {why}.'
        '<p class="soft">Verdict of the independent checker, run when this page was written '
        "({seconds:.2g} s).{compared} Run it again: <code>proofs-check {again}</code></p>{here}</div>",
        here=here,
        verdict=verdict.verdict,
        place=f" at {verdict.where}" if verdict.where else "",
        why=verdict.why,
        seconds=section.seconds,
        compared=" The data file was compared with the certificate." if len(section.files) > 1 else "",
        again=shlex.quote(section.files[0].name),
    )


def _pictures(summary: ClaimSummary, sheet: set[Style]) -> Markup:
    parts = []
    if summary.stage is not None:
        still = len(summary.stage.scene.names) == 1
        title = "Picture" if still else "Layer by layer" if summary.orbit is not None else "Block by block"
        sheet |= summary.stage.scene.sheet
        parts.append(html("<h2>{title}</h2>{stage}", title=title, stage=draw_stage(summary.stage)))
    if summary.orbit is not None and len(summary.orbit.instance) <= GRAPH_TOKENS:
        graph = graph_picture(summary.orbit, summary.graph_layer)
        sheet |= graph.sheet
        parts.append(
            html(
                "<h2>Who follows whom at {layer}</h2><p>An arrow points from a token to each token it follows; "
                "higher is a larger norm of A, and where A is symmetric positive definite all arrows point upwards."
                '</p><div class="graph">{graph}</div>',
                layer=graph.names[0],
                graph=svg_graph(graph, label="follower graph, norm of A upwards"),
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
