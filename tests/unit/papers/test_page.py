"""Tests of `exactformer.papers.page`."""

from __future__ import annotations

from exactformer.display.formulas import typeset
from exactformer.papers.index import papers
from exactformer.papers.page import _entry, markdown
from exactformer.papers.statement import STATUSES, PaperCommand, PaperStatement


def test_the_page_of_the_atlas_counts_and_says_every_row() -> None:
    page = markdown()
    for paper in papers():
        (line,) = [line for line in page.splitlines() if line.startswith(f"| [{paper.nickname}]")]
        counted = [cell.strip() for cell in line.strip("|").split("|")[1:]]
        rows = [row.status for row in paper.statements]
        assert counted == [str(rows.count(status) or "") for status in STATUSES]
        assert f"## {paper.title} {{#{paper.nickname}}}" in page
        assert f"[arXiv {paper.number}](https://arxiv.org/abs/{paper.number}). What was read: {paper.read}." in page
        for row in paper.statements:
            assert f"**{typeset(row.name)}** ({row.status})." in page
            for command in row.commands:
                assert f"    $ {command.line}" in page
        for words in paper.left:
            assert f"\n- {words}" in page


def row_of(words: str, *facts: str, **options: str) -> PaperStatement:
    command = PaperCommand.of("exactformer hunt x", *facts)
    return PaperStatement("p", "k", "name", words, "validated", words, "ours", commands=(command,), **options)


def test_sentences_of_the_atlas_begin_large_and_end_in_one_dot() -> None:
    for words in ("all is well", "all is well."):
        said, outcome, command = _entry(row_of(words)).split("\n\n")
        assert said == "**name** (validated). All is well."
        assert outcome.startswith("*All is well.* (")
        assert command == "    $ exactformer hunt x"
    assert "**name** (validated). <i>Θ</i>&#42; ≤ <i>β</i>." in _entry(row_of("Theta* <= beta"))
    assert "*All is well.* Rocq: `T.thm`. Beyond it: more. (" in _entry(
        row_of("all is well", theorem="T.thm", beyond="more")
    )
