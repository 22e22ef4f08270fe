"""The table of the atlas: five papers, one module of rows each."""

from __future__ import annotations

from importlib import import_module

from exactformer.errors import InvalidInput
from exactformer.papers.statement import Paper, PaperStatement

#: the modules that hold the rows, by the year of the paper
TOPICS = ("clustering", "interpolation", "frank_wolfe", "time_delay", "mean_field")


def papers() -> tuple[Paper, ...]:
    """Every paper of the atlas.

    >>> [paper.nickname for paper in papers()]
    ['clustering', 'interpolation', 'frank-wolfe', 'delay', 'mean-field']
    """
    return tuple(import_module(f"exactformer.papers.{topic}").PAPER for topic in TOPICS)


def selected(name: str | None) -> list[tuple[Paper, list[PaperStatement]]]:
    """The papers and rows of a name: a number, a nickname, or either with `/KEY` for one row; all without a name.

    >>> [(paper.number, [row.key for row in rows]) for paper, rows in selected("clustering/theorem-1.1")]
    [('2407.01602', ['theorem-1.1'])]
    """
    if name is None:
        return [(paper, list(paper.statements)) for paper in papers()]
    wanted, _, key = name.partition("/")
    for paper in papers():
        if wanted in (paper.number, paper.nickname):
            rows = [row for row in paper.statements if key in ("", row.key)]
            if not rows:
                known = ", ".join(row.key for row in paper.statements)
                raise InvalidInput(f"{paper.number} has no row {key!r}: expected one of {known}")
            return [(paper, rows)]
    known = ", ".join(f"{paper.number} ({paper.nickname})" for paper in papers())
    raise InvalidInput(f"no paper of the atlas is called {wanted!r}: expected one of {known}")


def statements(name: str | None = None) -> list[PaperStatement]:
    """The rows of a paper, one row (`PAPER/KEY`), or all, each with its status and commands; see `selected`.

    >>> {row.paper for row in statements("frank-wolfe")}
    {'2508.09628'}
    """
    return [row for _, rows in selected(name) for row in rows]
