"""Tests of `exactformer.papers.runner`."""

from __future__ import annotations

import json
from pathlib import Path

from exactformer.papers.runner import Done, run_statement
from exactformer.papers.statement import PaperCommand, PaperStatement


def row_of(words: str, *facts: str, **options: str) -> PaperStatement:
    command = PaperCommand.of("exactformer hunt x", *facts)
    return PaperStatement("p", "k", "name", words, "validated", words, "ours", commands=(command,), **options)


def test_values_that_agree_are_counted(tmp_path: Path) -> None:
    row = row_of("w", "rows.*.a == 7", "rows.*.b >= 1", "rows.#  == 3")
    out = json.dumps({"rows": [{"a": 7, "b": 1}, {"a": 7, "b": 2}, {"a": 7, "b": 3}]})
    (ran,) = run_statement(row, tmp_path, lambda argv, folder: Done(0, out, ""))
    assert ran.shown == ("exit code 0", "rows.*.a = 3 times 7", "rows.*.b = [1, 2, 3]", "rows.# = 3")
    assert not ran.wrong
