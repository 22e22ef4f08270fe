"""Runs the command on the whole corpus, on wrong usage and on a bug; for the measurement of coverage."""

from __future__ import annotations

import contextlib
import io
import json
import runpy
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))
CORPUS = ROOT / "proofs_check" / "corpus"


def quietly(arguments: list[str]) -> None:
    from proofs_check.__main__ import main

    with (
        contextlib.redirect_stdout(io.StringIO()),
        contextlib.redirect_stderr(io.StringIO()),
        contextlib.suppress(SystemExit),
    ):
        main(arguments)


def run() -> None:
    for entry in json.loads((CORPUS / "index.json").read_text()):
        data = ["--data", str(CORPUS / entry["data"])] if "data" in entry else []
        quietly([str(CORPUS / entry["file"]), *data, *entry.get("options", [])])
    first = str(CORPUS / "accept/worked_example.jsonl")
    quietly([first, "--json"])
    quietly(["missing"])
    import proofs_check.__main__ as command

    right = command.check
    command.check = lambda *_: 1 // 0  # type: ignore[assignment,misc,return-value]
    quietly([first])
    command.check = right
    sys.argv = ["proofs-check", first]
    with contextlib.redirect_stdout(io.StringIO()), contextlib.suppress(SystemExit):
        runpy.run_module("proofs_check", run_name="__main__")


if __name__ == "__main__":
    run()
