"""The page of the atlas, in Markdown, from the same table as the command."""

from __future__ import annotations

from collections import Counter

from exactformer.display.formulas import typeset
from exactformer.papers.index import papers
from exactformer.papers.statement import SOURCES, STATUSES, Paper, PaperStatement

INTRODUCTION = """\
# The papers, statement by statement

For readers of the five papers behind this package. For every statement, figure and table that we know of, you find its status and the command that shows it. `exactformer papers` prints this table. `exactformer papers NAME --run` runs the commands of a paper and
compares the results with what the rows say. `exactformer papers NAME --figures -o DIR` draws our version of the figures. Statements are in our own words. No paper could be read in full: every row says what it
is based on; a row marked *unread* could not be read and has no command. The files named in commands are those that `exactformer papers NAME --run -o DIR` writes to its folder.

| status | meaning |
| --- | --- |
| *machine-checked* | a theorem of the Rocq development in `proofs_check/rocq` |
| *certified on instances* | a certificate that the independent checker accepts |
| *validated* | judged exactly on the number of instances stated; this is not a proof |
| *refuted* | by a counterexample |
| *reproduced*, *not reproduced* | our figures compared with those of the paper |
| *exceeded* | our figures are better by more than the standard error, on another split |
| *analogous* | the same question on data of our own |
| *unread* | the text was not available to us |
"""


def markdown() -> str:
    """The whole page."""
    chosen = papers()
    counts = {paper.number: Counter(row.status for row in paper.statements) for paper in chosen}
    head = f"| paper | {' | '.join(STATUSES)} |\n| --- |{' ---: |' * len(STATUSES)}\n"
    lines = [
        f"| [{paper.nickname}](#{paper.nickname}) | {' | '.join(str(counts[paper.number][s] or '') for s in STATUSES)} |"
        for paper in chosen
    ]
    return "\n".join([INTRODUCTION, head + "\n".join(lines), *map(_section, chosen)]) + "\n"


def _section(paper: Paper) -> str:
    rows = "\n\n".join(map(_entry, paper.statements))
    left = "\n".join(f"- {words}" for words in paper.left)
    more = f"\n\nKnown to us, and shown by no command yet:\n\n{left}" if left else ""
    title = f"## {paper.title} {{#{paper.nickname}}}"
    about = f"{paper.authors}, [arXiv {paper.number}]({paper.address}). What was read: {paper.read}."
    return f"\n{title}\n\n{about}\n\n{rows}{more}"


def _entry(row: PaperStatement) -> str:
    """One row: what it says, its status, what is added, the commands."""
    parts = [f"**{_typeset(row.name)}** ({row.status}). {_typeset(_sentence(row.words))}"]
    theorem = f" Rocq: `{row.theorem}`." if row.theorem else ""
    beyond = f" Beyond it: {_typeset(row.beyond)}." if row.beyond else ""
    parts.append(f"*{_typeset(_sentence(row.outcome))}*{theorem}{beyond} ({SOURCES[row.source]})")
    if row.commands:
        parts.append("\n".join(f"    $ {command.line}" for command in row.commands))
    return "\n\n".join(parts)


def _typeset(sentence: str) -> str:
    """The sentence with its formulas set, for Markdown: its asterisks are those of formulas."""
    return typeset(sentence).replace("*", "&#42;")


def _sentence(words: str) -> str:
    return f"{words[:1].upper()}{words[1:].removesuffix('.')}."
