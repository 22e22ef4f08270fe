"""`exactformer language attend`: what every head looks at on a word."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from exactformer.cli.common import input_path, json_option, output_path, say
from exactformer.cli.presenter import AnswerTable, Shown, present

if TYPE_CHECKING:
    from exactformer.languages.attend import Attended
    from exactformer.languages.recogniser import Recogniser


@click.command("attend")
@click.argument("model", metavar="MODEL", type=input_path)
@click.argument("word", metavar="WORD")
@click.option("--plot", type=output_path, metavar="FILE", help="Draw the arcs over the word: PNG, PDF or SVG.")
@click.option("--html", "page", type=output_path, metavar="FILE", help="Write a page on which you can type words.")
@json_option
def command(model: Path, word: str, plot: Path | None, page: Path | None, as_json: bool) -> int:
    """Show, for every block and head of MODEL, the positions that each position of WORD follows.

    WORD is a string of letters, '' the empty word; letters of several characters are separated by blanks. Marks count
    as positions: ^ is the begin mark, $ the end mark, - says that a position sees nothing.

    \b
    Example:
      exactformer language attend model.jsonl abab --html model.html
    """
    from exactformer.languages.attend import attend
    from exactformer.languages.recogniser import Recogniser

    recogniser = Recogniser.read(model)
    found = attend(recogniser, word if all(len(a) == 1 for a in recogniser.letters) else word.split())
    if plot is not None:
        from exactformer.report.canvas import save
        from exactformer.report.heads_plot import draw_heads

        save(draw_heads(found), plot)
        say(f"wrote {plot}", quiet=as_json)
    if page is not None:
        _write_page(recogniser, found, page, model.stem)
        say(f"wrote {page}", quiet=as_json)
    present(as_json, found.json, _shown(found))
    return 0


def _shown(found: Attended) -> Shown:
    columns = ["block", "head", *(f"{i} {name}" for i, name in enumerate(found.names))]
    rows = [
        [b, h, *(",".join(map(str, c)) or "-" for c in head)]
        for b, step in enumerate(found.steps)
        for h, head in enumerate(step.follows)
    ]
    yield AnswerTable("the positions that each position follows", columns, rows)
    yield f"verdict: {found.verdict}"


def _write_page(recogniser: Recogniser, found: Attended, page: Path, title: str) -> None:
    """The page, with the automaton where the recogniser has one in reach."""
    from exactformer.errors import Declined
    from exactformer.languages.prove import extract
    from exactformer.report.recogniser_page import write_recogniser_page

    try:
        automaton = extract(recogniser)
    except Declined:
        automaton = None
    write_recogniser_page(recogniser, page, word=found.word, automaton=automaton, title=title)
