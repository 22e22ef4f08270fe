"""Scale: time and memory from an NPZ file to a checked certificate, and how they grow with N, n and d.

    python benchmarks/scale.py                     N = 12,500 to 50,000, n = 20 to 80, d = 2 to 8
    python benchmarks/scale.py --quick             a tenth of the sequences
    python benchmarks/scale.py --one N n d         one size, as large as you like, with one and with two workers
    python benchmarks/scale.py --one N n d --workers 2        the same with two workers only
    python benchmarks/scale.py .. --in DIR         the files go there, and stay

N sequences of n tokens in R^d, random integers of nine digits, and labels of two classes at random, so that
about N/2 units are needed; method shallow. Every stage runs in a process of its own: CPU seconds of all its processes,
seconds by the clock, and the peak of resident memory, for workers the peak of the sum of all shares. An exponent is the
logarithm of the ratio of two figures to base 4, the ratio of the sizes; memory is counted beyond an empty process.
"""

from __future__ import annotations

import contextlib
import json
import math
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np

SEED = 0
#: limits of the checker that 10^6 sequences exceed at their defaults
LIMITS = [
    *("--max-bytes", str(10**11)),
    *("--max-line", str(10**10)),
    *("--max-operations", str(10**11)),
    *("--max-memory", str(10**10)),
]


class Figures(NamedTuple):
    """CPU seconds, seconds by the clock and peak megabytes of one stage."""

    cpu: float
    clock: float
    peak: float

    def __str__(self) -> str:
        return f"{self.cpu:.1f} s CPU, {self.clock:.1f} s by the clock, peak {self.peak:.0f} MB"


def write_data(path: Path, count: int, length: int, dim: int) -> None:
    """The random data set."""
    rng = np.random.default_rng(SEED)
    tokens = rng.integers(-(10**8), 10**8, (count * length, dim), dtype=np.int32)
    labels = rng.integers(0, 2, count).astype(np.int8)
    np.savez(path, tokens=tokens, offsets=np.arange(0, count * length + 1, length), labels=labels)


def measured(command: list[str]) -> Figures:
    """Runs a command to its end; it must exit 0."""
    start, before = time.perf_counter(), resource.getrusage(resource.RUSAGE_CHILDREN)
    process, peak = subprocess.Popen(command, stdout=subprocess.PIPE), 0
    while process.poll() is None:
        peak = max(peak, shares(process.pid))
        time.sleep(min(0.05 + (time.perf_counter() - start) / 50, 1))  # looking at gigabytes takes time, too
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if process.returncode:
        raise SystemExit(f"{' '.join(command)} ended with {process.returncode}: {process.communicate()[0].decode()}")
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return Figures(cpu, time.perf_counter() - start, peak / 1024)


def shares(process: int) -> int:
    """Kilobytes of a process and its children; pages that they share count once."""
    try:
        text = Path(f"/proc/{process}/smaps_rollup").read_text()
        children = Path(f"/proc/{process}/task/{process}/children").read_text().split()
    except OSError:
        return 0
    own = next(int(line.split()[1]) for line in text.splitlines() if line.startswith("Pss:"))
    return own + sum(shares(int(child)) for child in children)


def stages(folder: Path, count: int, length: int, dim: int, workers: tuple[int, ...]) -> Iterator[tuple[str, Figures]]:
    """Construct with its certificate, then check it, with each of the numbers of workers."""
    data, certificate = folder / "data.npz", folder / "certificate.jsonl"
    write_data(data, count, length, dim)
    construct = [sys.executable, "-m", "exactformer", "construct", str(data), "-o", str(certificate)]
    checker = [sys.executable, "-m", "proofs_check", str(certificate), *LIMITS]
    for what, command in (("construct and certify", construct), ("check", checker)):
        for n in workers:
            yield f"{what}, {n} worker{'s' * (n > 1)}", measured([*command, "--workers", str(n)])


def growth(folder: Path, quick: bool) -> None:
    """Exponents of time and memory against N, n and d."""
    base = 1_250 if quick else 12_500
    empty = measured([sys.executable, "-c", "import exactformer.cli.construct, exactformer.constructions.pipeline"])
    bare = measured([sys.executable, "-c", "import proofs_check.__main__"])
    sizes = {"N": (4 * base, 20, 2), "n": (base, 80, 2), "d": (base, 20, 8)}
    small = dict(stages(folder, base, 20, 2, (1,)))
    for name, size in sizes.items():
        large = dict(stages(folder, *size, (1,)))
        for stage, start in (("construct and certify, 1 worker", empty), ("check, 1 worker", bare)):
            time_ratio = (large[stage].cpu - start.cpu) / (small[stage].cpu - start.cpu)
            memory_ratio = max(large[stage].peak - start.peak, 1) / max(small[stage].peak - start.peak, 1)
            print(
                f"{stage}: {name} times 4 (N, n, d = {size}): time x {time_ratio:.2f}, exponent"
                f" {math.log(time_ratio, 4):.2f}; memory x {memory_ratio:.2f}, exponent {math.log(memory_ratio, 4):.2f}"
                f" (limit 1.1); {large[stage]}",
                flush=True,
            )


def one(folder: Path, count: int, length: int, dim: int, workers: tuple[int, ...]) -> None:
    """All stages of one size."""
    print(f"N = {count}, n = {length}, d = {dim}", flush=True)
    found = {}
    for stage, figures in stages(folder, count, length, dim, workers):
        found[stage] = figures
        print(f"  {stage}: {figures}", flush=True)
    print(f"  certificate of {os.path.getsize(folder / 'certificate.jsonl') / 2**20:.0f} MB")
    if len(workers) > 1:
        first, second = found["check, 1 worker"], found["check, 2 workers"]
        print(f"  two workers check in {second.clock / first.clock:.2f} of the time of one, by the clock (limit 0.6)")


def after(option: str) -> str:
    """The word after an option."""
    return sys.argv[sys.argv.index(option) + 1]


def main() -> None:
    """The growth, or one size."""
    print(f"seed {SEED}, {os.cpu_count()} cores, load {json.dumps(os.getloadavg())}")
    with contextlib.nullcontext(after("--in")) if "--in" in sys.argv else tempfile.TemporaryDirectory() as folder:
        if "--one" in sys.argv:
            count, length, dim = map(int, sys.argv[sys.argv.index("--one") + 1 :][:3])
            given = after("--workers") if "--workers" in sys.argv else "1,2"
            one(Path(folder), count, length, dim, tuple(map(int, given.split(","))))
        else:
            growth(Path(folder), "--quick" in sys.argv)


if __name__ == "__main__":
    main()
