"""`exactformer papers`: every statement of the papers, its status, and the command that shows it."""

from __future__ import annotations

import tempfile
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import click

from exactformer.cli.common import echo, json_option, make_folder, say
from exactformer.cli.presenter import AnswerTable, Shown, present

if TYPE_CHECKING:
    from exactformer.io.json_lines import JsonObject
    from exactformer.papers.statement import Paper, PaperStatement

    Chosen = list[tuple[Paper, list[PaperStatement]]]


@click.command("papers")
@click.argument("name", metavar="[NAME]", required=False)
@click.option("--run", "running", is_flag=True, help="Run the commands and print what came out; exit 1 if one differs.")
@click.option("--quick", is_flag=True, help="With --run: skip what takes more than a few seconds.")
@click.option("--figures", is_flag=True, help="Draw our version of the figures into the folder of -o.")
@click.option(
    "-o", "--output", type=click.Path(path_type=Path, file_okay=False), metavar="DIR",
    help="Folder for the figures; with --run, for what the commands read and write.",
)  # fmt: skip
@json_option
@click.pass_context
def command(
    ctx: click.Context, name: str | None, running: bool, quick: bool, figures: bool, output: Path | None, as_json: bool
) -> None:
    """List the status of every statement, figure and table of the papers that is known to us.

    NAME is a paper (2407.01602, or clustering; interpolation, frank-wolfe, delay, mean-field), or one row of it
    (clustering/theorem-1.1). A row marked unread could not be read and has no command.

    \b
    Example:
      exactformer papers clustering/theorem-1.1 --run
      exactformer papers frank-wolfe
    """
    from exactformer.papers.index import selected

    if figures and output is None:
        raise click.UsageError("--figures: expected a folder for them, -o DIR")
    if output is not None and not figures and not running:
        raise click.UsageError("-o is for --figures and --run")
    if quick and not running:
        raise click.UsageError("--quick is for --run")
    chosen = selected(name)
    if output is not None:
        make_folder(output)
    answer: JsonObject = {"statements": [row.json() for _, rows in chosen for row in rows]}
    if figures and output is not None:
        answer["figures"] = _draw(chosen, output)
    if running:
        ctx.exit(_run(chosen, output, answer, as_json, quick=quick))
    present(as_json, answer, () if figures else _shown(chosen, whole=name is not None))


def _shown(chosen: Chosen, *, whole: bool) -> Shown:
    """All rows as a table, or the papers asked for in words."""
    if whole:
        for paper, rows in chosen:
            yield f"{paper.title}\n{paper.authors}, {paper.address}\nread: {paper.read}\n"
            yield from map(_text, rows)
            yield from (f"known to us, shown by no command yet: {words}" for words in paper.left)
        yield f"`exactformer papers {chosen[0][0].nickname} --run -o DIR` leaves the files that commands name in DIR"
        return
    table = [
        (paper.nickname, row.name, row.status, "" if row.main is None else row.main.line)
        for paper, rows in chosen
        for row in rows
    ]
    counts = Counter(row.status for _, rows in chosen for row in rows)
    note = ", ".join(f"{number} {status}" for status, number in counts.items())
    columns = ("paper", "statement", "status", "command")
    yield AnswerTable("statements, figures and tables of five papers", columns, table, f"{len(table)} rows: {note}")


def _text(row: PaperStatement) -> str:
    """One row for a person."""
    lines = [f"{row.name}: {row.status.upper()}   [{row.key}]", f"  {row.words}", f"  {row.outcome}"]
    lines += [f"  beyond it: {row.beyond}"] if row.beyond else []
    lines += [f"  in Rocq: {row.theorem}"] if row.theorem else []
    lines += [f"  $ {command.line}" for command in row.commands]
    return "\n".join([*lines, ""])


def _draw(chosen: Chosen, folder: Path) -> list[dict[str, str]]:
    """Draws the figures of the papers; file, paper and what it shows of each."""
    from exactformer.papers.figures import draw_figures

    drawn = []
    for paper, _ in chosen:
        for figure, path in draw_figures(paper.number, folder):
            say(f"wrote {path}: {figure.words}")
            drawn.append({"paper": paper.number, "file": str(path), "words": figure.words})
    return drawn


def _run(chosen: Chosen, output: Path | None, answer: JsonObject, as_json: bool, *, quick: bool) -> int:
    """Runs every row's commands in one folder; 1 if a command does not do what its row says."""
    from exactformer.papers.inputs import write_inputs
    from exactformer.papers.runner import run_statement

    wrong, outcomes = 0, []
    with _folder(output) as folder:
        write_inputs(folder)
        for row in (row for _, rows in chosen for row in rows if row.commands and (row.quick or not quick)):
            say(f"{row.paper} {row.name}: {row.status}", quiet=as_json)
            for outcome in run_statement(row, folder):
                outcomes.append({"key": row.key, **outcome.json()})
                wrong += not outcome
                if not as_json:
                    echo(f"$ {outcome.command.line}\n  {'; '.join(outcome.shown)}")
                    for words in outcome.wrong:
                        echo(f"  NOT AS THE ROW SAYS: {words}")
    words = f"{len(outcomes)} commands, {wrong} not as their rows say"
    present(as_json, lambda: {**answer, "runs": outcomes}, [words])
    return int(wrong > 0)


@contextmanager
def _folder(output: Path | None) -> Iterator[Path]:
    """The folder asked for, or one that is gone afterwards."""
    if output is not None:
        yield output
        return
    with tempfile.TemporaryDirectory(prefix="exactformer-papers-") as place:
        yield Path(place)
