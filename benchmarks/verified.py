"""The checker proved correct beside the Python checker: CPU time, growth and memory, on the same certificates.

    make verified && python benchmarks/verified.py            N = 10,000 and 200,000 sequences
    make verified && python benchmarks/verified.py --quick    a tenth of the sequences

N sequences of five tokens in R^2, random integers of nine digits, labels of two classes at random; method shallow, one
certificate for both. CPU seconds of a process of its own, the median of three; the peak of resident memory.
"""

from __future__ import annotations

import json
import math
import subprocess
import sys
import tempfile
from pathlib import Path
from statistics import median
from typing import NamedTuple

import numpy as np

from exactformer.constructions.pipeline import construct
from exactformer.model.dataset import Dataset
from exactformer.verified import program

SEED = 0
SIZES = (10_000, 200_000)
#: CPU time as a multiple of the Python checker's, exponent of growth, memory as a multiple of the file
LIMITS = (1.5, 1.15, 30)


class Cost(NamedTuple):
    """CPU seconds and peak bytes of a process."""

    seconds: float
    peak: int


def random_file(folder: Path, count: int) -> Path:
    """A data set file of random sequences with two labels."""
    rng = np.random.default_rng(SEED)
    tokens = rng.integers(-(10**9), 10**9, size=(count, 5, 2)).tolist()
    labels = rng.integers(0, 2, size=count).tolist()
    sequences = [{"tokens": found, "label": str(label)} for found, label in zip(tokens, labels, strict=True)]
    path = folder / "data.json"
    path.write_text(json.dumps({"exactformer": "dataset", "version": [1, 0], "sequences": sequences}))
    return path


#: runs a command and prints what it took; a small process of its own, whose memory is not that of this one
MEASURE = """
import os, subprocess, sys
child = subprocess.Popen(sys.argv[1:], stdout=subprocess.DEVNULL)
_, status, used = os.wait4(child.pid, 0)
print(os.waitstatus_to_exitcode(status), used.ru_utime + used.ru_stime, used.ru_maxrss * 1024)
"""


def cost(command: list[str]) -> Cost:
    """What one run takes; it must accept."""
    measured = [sys.executable, "-I", "-S", "-c", MEASURE, *command]
    code, seconds, peak = subprocess.run(measured, capture_output=True, text=True, check=True).stdout.split()
    if code != "0":
        raise SystemExit(f"{command[0]} did not accept")
    return Cost(float(seconds), int(peak))


def typical(rounds: list[Cost]) -> Cost:
    """The median time, the largest peak."""
    return Cost(median(one.seconds for one in rounds), max(one.peak for one in rounds))


def costs(path: Path) -> tuple[Cost, Cost]:
    """Of the verified and of the Python checker, in turn, three times."""
    verified = [str(program()), str(path)]
    python = [sys.executable, "-m", "proofs_check", str(path)]
    rounds = [(cost(verified), cost(python)) for _ in range(3)]
    return typical([one for one, _ in rounds]), typical([one for _, one in rounds])


def main() -> None:
    """All figures."""
    if program() is None:
        print("proofs-check-verified is not built here: make verified")
        return
    scale = 10 if "--quick" in sys.argv else 1
    print(f"seed {SEED}; limits: {LIMITS[0]} x the Python checker, exponent {LIMITS[1]}, memory {LIMITS[2]} x the file")
    found = []
    with tempfile.TemporaryDirectory() as folder:
        for count in SIZES:
            path = Path(folder) / "certificate.jsonl"
            construct(Dataset.read(random_file(Path(folder), count // scale))).certify(path)
            verified, python = costs(path)
            size = path.stat().st_size
            print(
                f"N = {count // scale}, {size / 1e6:.1f} MB: {verified.seconds:.2f} s, Python {python.seconds:.2f} s,"
                f" ratio {verified.seconds / python.seconds:.2f}; peak {verified.peak / 1e6:.0f} MB,"
                f" {verified.peak / size:.1f} times the file"
            )
            found.append(verified.seconds)
    print(f"growth exponent {math.log(found[1] / found[0]) / math.log(SIZES[1] / SIZES[0]):.2f}")


if __name__ == "__main__":
    main()
