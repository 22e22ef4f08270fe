"""`exactformer language extract`: the minimal automaton of what a recogniser recognises."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import click

from exactformer.cli.common import input_path, json_option, output_path, say
from exactformer.cli.presenter import AnswerTable, Shown, present

if TYPE_CHECKING:
    from exactformer.languages.automaton import Automaton

Answered = TypeVar("Answered")
#: states and characters of an expression that a person still reads
LISTED, READABLE = 40, 400


@click.command("extract")
@click.argument("model", metavar="MODEL", type=input_path)
@click.option("--dot", "dot_file", type=output_path, metavar="FILE", help="Write it for Graphviz.")
@click.option("--plot", type=output_path, metavar="FILE", help="Draw it: PNG, PDF or SVG.")
@click.option("-o", "--output", type=output_path, metavar="FILE", help="Write the automaton as JSON.")
@json_option
def command(model: Path, dot_file: Path | None, plot: Path | None, output: Path | None, as_json: bool) -> None:
    """Extract the minimal automaton of the words that MODEL accepts, with an expression, and whether it is star-free.

    Words with the verdict zero are not accepted. Exits 4, with the reason, if no automaton of MODEL can be found.

    \b
    Example:
      exactformer language extract model.jsonl --plot automaton.png -o automaton.json
    """
    from exactformer.io.json_lines import write_atomically
    from exactformer.languages.expressions import expression_of, graphviz
    from exactformer.languages.prove import extract
    from exactformer.languages.recogniser import Recogniser
    from exactformer.languages.transitions import is_star_free

    found = extract(Recogniser.read(model))
    star_free = _unless_declined("star-free or not", is_star_free, found)
    expression = _unless_declined("expression", expression_of, found)
    if output is not None:
        write_atomically(output, json.dumps(found.json()).encode() + b"\n")
        say(f"wrote {output}", quiet=as_json)
    if dot_file is not None:
        write_atomically(dot_file, graphviz(found).encode() + b"\n")
        say(f"wrote {dot_file}", quiet=as_json)
    if plot is not None:
        from exactformer.report.automaton_plot import draw_automaton
        from exactformer.report.canvas import save

        save(draw_automaton(found), plot)
        say(f"wrote {plot}", quiet=as_json)
    answer = {"automaton": found.json(), "states": len(found), "star_free": star_free, "expression": expression}
    present(as_json, answer, _shown(found, star_free, expression))


def _shown(found: Automaton, star_free: bool | None, expression: str | None) -> Shown:
    rows = [
        [f"{'> ' if q == found.start else ''}{q}{' accepting' if q in found.accepting else ''}", *row]
        for q, row in enumerate(found.next[:LISTED])
    ]
    note = f"and {len(found) - LISTED} more: all of them with --json, --dot or -o" if len(found) > LISTED else ""
    yield AnswerTable(f"the minimal automaton: {len(found)} states", ["state", *found.letters], rows, note)
    if expression is None:
        yield "expression: too long to print"
    elif len(expression) > READABLE:
        yield f"expression: {len(expression):,} characters long: --json prints it"
    else:
        yield f"expression: {expression}"
    counts = {True: "star-free", False: "not star-free: it counts", None: "star-free or not: not decided"}
    yield counts[star_free]


def _unless_declined(what: str, question: Callable[[Automaton], Answered], found: Automaton) -> Answered | None:
    """The answer to a question about an automaton; None where a limit is in the way, which is said."""
    from exactformer.errors import Declined

    try:
        return question(found)
    except Declined as problem:
        say(f"{what}: {problem}")
        return None
