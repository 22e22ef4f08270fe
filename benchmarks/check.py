"""The independent checker: CPU time as a ratio to json.loads over the lines of the same certificate, in one run.

    python benchmarks/check.py            certificates of 10,000 sequences
    python benchmarks/check.py --quick    a tenth of the sequences

The certificates are those of `shallow` on random data (see benchmarks/construct.py). Times are taken in a process of
its own, as the command has one, and are medians of several rounds. The peak of memory is measured apart; it grows with
the block lines, not with the data.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median
from typing import Any

from construct import SEED, peak_megabytes, random_file

from exactformer.constructions.pipeline import construct
from exactformer.model.dataset import Dataset
from proofs_check import check

#: the checker may take this many times the time of json.loads
LIMIT = 20


def compare(path: Path, rounds: int = 5) -> tuple[float, float]:
    """Median CPU seconds of the checker, and median ratio to the yardstick.

    A round takes the mean of ten passes of the yardstick and then one of the checker: windows of like length, so that
    neither profits from a quiet moment of the machine.
    """
    seconds, ratios = [], []
    for _ in range(rounds):
        yardstick = cpu_seconds(lambda: parse_lines(path, 10)) / 10
        seconds.append(cpu_seconds(lambda: accept(path)))
        ratios.append(seconds[-1] / yardstick)
    return median(seconds), median(ratios)


def cpu_seconds(action: Callable[[], Any]) -> float:
    """The CPU seconds of one run."""
    start = time.process_time()
    action()
    return time.process_time() - start


def parse_lines(path: Path, passes: int) -> None:
    """json.loads over the lines: the yardstick."""
    for _ in range(passes):
        with path.open("rb") as file:
            for line in file:
                json.loads(line)


def accept(path: Path) -> None:
    """Checks the certificate; an error unless it is accepted."""
    verdict = check(str(path))
    if verdict.verdict != "accepted":
        raise SystemExit(f"{path.name}: {verdict.verdict}: {verdict.why}")


def figure(folder: Path, count: int, length: int, dim: int, targets: int | None) -> None:
    """Prints the ratio, the size of the certificate and the peak of memory of the checker."""
    path = folder / "certificate.jsonl"
    built = construct(Dataset.read(random_file(folder, count, length, dim, targets)))
    built.certify(path)
    blocks = max(len(line) for line in path.read_bytes().split(b"\n")[1 : 1 + built.report.blocks])
    alone = subprocess.run([sys.executable, __file__, "--measure", path], capture_output=True, text=True, check=True)
    seconds, ratio = map(float, alone.stdout.split())
    print(
        f"interpolation N = {count}, n = {length}, d = {dim}, {'labels' if targets is None else f'm = {targets}'}:"
        f" {seconds:.2f} s = {ratio:.1f} x json.loads (limit {LIMIT}),"
        f" {path.stat().st_size / 1e6:.1f} MB, longest block line {blocks / 1e6:.1f} MB,"
        f" peak {peak_megabytes(lambda: accept(path)):.0f} MB"
    )


def main() -> None:
    """All figures."""
    scale = 10 if "--quick" in sys.argv else 1
    print(f"seed {SEED}")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        figure(folder, 10_000 // scale, 20, 3, 5)
        figure(folder, 10_000 // scale, 20, 3, None)


if __name__ == "__main__":
    if "--measure" in sys.argv:
        print(*compare(Path(sys.argv[-1])))
    else:
        main()
