"""`exactformer sentiment explain`: the decision on a text as an exact vote of its words."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from exactformer.arithmetic.short_text import spoken
from exactformer.cli.common import echo, json_option, note_input, output_path, say
from exactformer.cli.presenter import AnswerTable, Shown, present
from exactformer.errors import Malformed

if TYPE_CHECKING:
    from exactformer.studies.sentiment.explanation import Explanation

#: followers listed of a leader
LISTED = 12


@click.command("explain")
@click.argument("arguments", metavar="[MODEL] TEXT", nargs=-1, required=True)
@click.option(
    "-o",
    "--output",
    type=output_path,
    metavar="CERT",
    help="Write a certificate of the decision on these counts of words; it is not about the text.",
)
@click.option("--html", "page", type=output_path, metavar="FILE", help="Write a page about the decision.")
@click.option("--counterfactual", is_flag=True, help="The fewest words whose removal changes the decision.")
@click.option("--budget", type=click.IntRange(min=1), default=20_000, metavar="N", help="Sets of words tried (20000).")
@json_option
def command(
    arguments: tuple[str, ...], output: Path | None, page: Path | None, counterfactual: bool, budget: int, as_json: bool
) -> None:
    """Decide on TEXT in exact arithmetic: the decision value, the leaders, whom every word follows, and its vote.

    Without MODEL, the model that comes with the package is used. If TEXT is -, it is read from stdin.

    \b
    Example:
      exactformer sentiment explain "A wonderful film with a boring end." -o review.jsonl --html review.html
      proofs-check review.jsonl
    """
    from exactformer.studies.sentiment import load
    from exactformer.studies.sentiment.classifier import ReviewClassifier

    if len(arguments) > 2:
        raise click.UsageError("expected MODEL and TEXT, or TEXT alone; put the text in quotation marks")
    if len(arguments) == 1 and arguments[0].endswith(".xz") and Path(arguments[0]).is_file():
        raise click.UsageError(f"{arguments[0]} is a model: give the text after it, in quotation marks")
    model = load() if len(arguments) == 1 else ReviewClassifier.read(note_input(Path(arguments[0])))
    explanation = model.explain(_text(arguments[-1]))
    answer = explanation.json()
    if counterfactual:
        found = explanation.counterfactual(budget=budget)
        answer["counterfactual"] = {"words": found.words, "value": found.value, "proved_up_to": found.proved_up_to}
    _write(explanation, output, page)
    present(as_json, answer, _shown(explanation))
    if counterfactual and not as_json:
        echo(str(found))


def _text(argument: str) -> str:
    if argument != "-":
        return argument
    try:
        return sys.stdin.buffer.read().decode("utf-8-sig")
    except UnicodeDecodeError as problem:
        raise Malformed(f"stdin: expected text in UTF-8, got {problem}; convert it with iconv -t UTF-8") from problem


def _shown(explanation: Explanation) -> Shown:
    count = sum(explanation.counts.values())
    title = f"{explanation.decision}: decision value {float(explanation.value):+.4f}, exact; {spoken(count, 'word')}, "
    title += spoken(len(explanation.leaders), "leader")
    rows = [
        [row.label, "" if row.start is None else row.start, *row.decimals(), _followers(explanation, row.followers)]
        for row in explanation.rows()
    ]
    rows.append(["decision value", "", "", "", f"{float(explanation.value):+.4f}", ""])
    columns = ["leader", "from layer", "score", "weight", "vote", "followed by"]
    yield AnswerTable(title, columns, rows, _note(explanation))
    say(
        "every vote is exact: weights are >= 0 with sum 1, votes and bias add up to the value; --json has the fractions"
    )


def _note(explanation: Explanation) -> str:
    since, notes = explanation.same_from, []
    if since is not None:
        notes.append(f"the decision is proved to be the same at every depth from {since} layers on")
    if explanation.unknown:
        notes.append(f"unknown words: {' '.join(explanation.unknown[:20])}")
    if explanation.left_out:
        notes.append(f"left out after the first {explanation.model.length}: {spoken(explanation.left_out, 'word')}")
    return "\n".join(notes)


def _followers(explanation: Explanation, followers: tuple[int, ...]) -> str:
    more = f" .. ({len(followers)})" if len(followers) > LISTED else ""
    return " ".join(explanation.words[i].word for i in followers[:LISTED]) + more


def _write(explanation: Explanation, output: Path | None, page: Path | None) -> None:
    if output is not None:
        explanation.certify(output)
        say(f"wrote {output}: it proves the decision on these counts of words, not that the text has them")
    if page is not None:
        from exactformer.report.review_page import write_review_page

        write_review_page(explanation, page)
        say(f"wrote {page}")
