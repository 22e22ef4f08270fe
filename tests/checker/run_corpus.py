"""Runs the command on the whole corpus, on wrong usage and on a bug; for the measurement of coverage."""

from __future__ import annotations

import contextlib
import io
import json
import os
import runpy
import signal
import sys
from multiprocessing import Pipe
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "tests" / "checker")]
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
        weights = ["--weights", str(CORPUS / entry["weights"])] if "weights" in entry else []
        quietly([str(CORPUS / entry["file"]), *data, *weights, *entry.get("options", [])])
    first = str(CORPUS / "accept/worked_example.jsonl")
    quietly([first, "--json"])
    for name in ("accept/worked_example", "corner/labels"):
        quietly([str(CORPUS / f"{name}.jsonl"), "--plain"])
    quietly([first, "--plain", "--workers", "2"])
    quietly([first, "--weights", first])
    quietly(["missing"])
    import proofs_check.__main__ as command

    right = command.check
    command.check = lambda *_: 1 // 0  # type: ignore[assignment,misc,return-value]
    quietly([first])
    command.check = right
    sys.argv = ["proofs-check", first]
    with contextlib.redirect_stdout(io.StringIO()), contextlib.suppress(SystemExit):
        runpy.run_module("proofs_check", run_name="__main__")


def run_reader() -> None:
    """Sequence lines that are read at once: targets seen before, many denominators, not in lowest terms."""
    from proofs_check import Limits
    from proofs_check.fast.sequence_text import sequence_reader

    read = sequence_reader(("targets", "label"), 1, Limits())
    many = ",".join(f'["1/{q}"]' for q in range(2, 60))
    for tokens in ('["1"]', '["2"]', many, '["2/4"]'):
        read(f'{{"sequence":1,"tokens":[{tokens}],"targets":[["3"]],"label":"a"}}\n'.encode(), 1)


def run_workers() -> None:
    """Parts of one line in two processes: all right, refused, beyond a limit, without workers; then a worker, here."""
    from checker_kit import elsewhere

    import proofs_check
    from proofs_check.fast import pool, workers

    many = str(CORPUS / "corner/labels.jsonl")
    quietly([many, "--workers", "2"])  # too few lines for two
    workers.LINES = 1
    refused = str(CORPUS / "refuse/labels_equal_targets_differ.jsonl")
    for arguments in ([many], [refused], [many, "--max-bytes", "400"], [many, "--max-operations", "1"]):
        quietly([*arguments, "--workers", "2"])
    proofs_check.check(many, None, None, elsewhere)
    right, tasks = pool.Pool, list[workers.Task]()

    class Lost(right):  # type: ignore[misc,valid-type]
        def give(self, part: workers.Part) -> None:
            """All workers are lost after the first part was given, and before it is answered."""
            for process in self.processes if not tasks else []:
                os.kill(process, signal.SIGSTOP)
            super().give(part)
            for process in self.processes if not tasks else []:
                os.kill(process, signal.SIGKILL)
                os.waitid(os.P_PID, process, os.WEXITED | os.WNOWAIT)
            tasks.append(self.task)

    pool.Pool = Lost  # type: ignore[misc]
    quietly([many, "--workers", "2"])
    pool.Pool = right  # type: ignore[misc]
    mine, other = Pipe()
    for text in (b"[1,1,0,0]", b"", b"no request"):
        mine.send_bytes(text)
    with contextlib.suppress(ValueError):
        pool.serve(tasks[0], other)
    workers.answer(tasks[0], workers.Part(1, 0, 0, b""), 0)
    os.fork, os._exit = (lambda: 0), sys.exit  # type: ignore[assignment]
    with contextlib.suppress(SystemExit):
        pool.Pool(tasks[0], 1)


if __name__ == "__main__":
    run()
    run_reader()
    run_workers()
