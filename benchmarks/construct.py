"""Scale of the constructions: time as a ratio to what json.load needs for the same data set file, in one run.

    python benchmarks/construct.py            all figures
    python benchmarks/construct.py --quick    a tenth of the sequences

Reading, building and verifying are timed together for `shallow`; `deep` is compared with `shallow` on
data in memory. Best of several runs; the peak of allocated memory is measured in a run of its own.
"""

from __future__ import annotations

import json
import sys
import tempfile
import time
import tracemalloc
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from exactformer.constructions.pipeline import construct
from exactformer.model.dataset import Dataset

SEED = 0


def random_file(folder: Path, count: int, length: int, dim: int, targets: int | None) -> Path:
    """A data set file of random small rationals: labels, or `targets` random target points a sequence."""
    rng = np.random.default_rng(SEED)
    sequences: list[dict[str, Any]] = []
    for j, tokens in enumerate(_texts(rng, count, length, dim)):
        sequence: dict[str, Any] = {"tokens": tokens}
        if targets is None:
            sequence["label"] = str(j % 10)
        else:
            sequence["targets"] = rng.integers(-100, 100, (targets, dim)).astype(str).tolist()
        sequences.append(sequence)
    path = folder / f"{count}-{length}-{dim}-{targets}.json"
    path.write_text(json.dumps({"exactformer": "dataset", "version": [1, 0], "sequences": sequences}))
    return path


def _texts(rng: np.random.Generator, count: int, length: int, dim: int) -> list[Any]:
    values = rng.integers(-9999, 10000, (count, length, dim))
    return [
        [[f"{v}/10" if v % 10 and v % 2 and v % 5 else str(v // 10) for v in x] for x in s] for s in values.tolist()
    ]


def best(action: Callable[[], Any], repeats: int = 3) -> float:
    """The least wall-clock seconds of several runs."""
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        action()
        times.append(time.perf_counter() - start)
    return min(times)


def load(path: Path) -> Any:
    """json.load of the file: the yardstick."""
    with path.open() as file:
        return json.load(file)


def peak_megabytes(action: Callable[[], Any]) -> float:
    """The largest memory allocated at once, in megabytes."""
    tracemalloc.start()
    action()
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return peak / 1e6


def shallow_figure(folder: Path, count: int, length: int, dim: int, targets: int | None, limit: float) -> float:
    """Prints and returns the seconds of read + build + verify, with its ratio to json.load."""
    path = random_file(folder, count, length, dim, targets)
    yardstick = best(lambda: load(path))
    seconds = best(lambda: construct(Dataset.read(path)))
    report = construct(Dataset.read(path)).report
    memory = peak_megabytes(lambda: construct(Dataset.read(path)))
    kind = "labels" if targets is None else f"m = {targets}"
    print(
        f"shallow N = {count}, n = {length}, d = {dim}, {kind}: {seconds:.2f} s = {seconds / yardstick:.1f} x json.load"
        f" (limit {limit}), {report.width} units, {report.max_bits} bits, {report.hinges} hinges, peak {memory:.0f} MB"
    )
    return seconds


def deep_figure(folder: Path, count: int) -> None:
    """Prints the ratio of deep (width 4) to shallow, build and verification, data in memory."""
    data = Dataset.read(random_file(folder, count, 20, 2, None))
    shallow, deep = (best(lambda m=method: construct(data, method=m)) for method in ("shallow", "deep"))
    report = construct(data, method="deep").report
    print(
        f"deep N = {count}, d = 2: {report.blocks} blocks (theorem {report.paper_bound}), {report.max_bits} bits,"
        f" {deep:.2f} s = {deep / shallow:.1f} x shallow (limit 60)"
    )


def main() -> None:
    """All figures."""
    scale = 10 if "--quick" in sys.argv else 1
    print(f"seed {SEED}")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        small = shallow_figure(folder, 10_000 // scale, 20, 2, None, 15)
        large = shallow_figure(folder, 40_000 // scale, 20, 2, None, 15)
        print(f"growth from N = {10_000 // scale} to {40_000 // scale}: {large / small:.1f} times (limit 5)")
        shallow_figure(folder, 10_000 // scale, 20, 3, 5, 25)
        deep_figure(folder, 1_000)


if __name__ == "__main__":
    main()
