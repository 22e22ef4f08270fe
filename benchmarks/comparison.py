"""Constructions beside each other on the same data: numbers, blocks, bits, attention, against N.

Every line was built and verified exactly on its data; certificates at N = 300 and 10,000 are checked.
`--most N` ends earlier.
"""

from __future__ import annotations

import argparse
import math
import resource
import tempfile
import time
from pathlib import Path

import exactformer as ef
from exactformer.papers.comparison import COMPETITORS, Competitor, random_data

SIZES = (10, 30, 100, 300, 1_000, 3_000, 10_000)
#: sizes whose certificates are checked, and those between which the growth of time is measured
CHECKED, FIRST, LAST = (300, 10_000), 1_000, 10_000


def line(*cells: object, words: str) -> None:
    """Prints one row of the table."""
    widths = (6, -16, 7, 6, 8, 8, 9, 6)
    print(
        *(f"{cell!s:{'<' if w < 0 else '>'}{abs(w)}}" for cell, w in zip(cells, widths, strict=True)),
        f" {words}",
        flush=True,
    )


def row(competitor: Competitor, count: int, data: ef.Dataset) -> float:
    """One construction on N sequences, built, verified, certified, perhaps checked; the CPU seconds of the former."""
    words = f"{competitor.attention}; {competitor.origin}"
    with tempfile.TemporaryDirectory() as folder:
        path, start = Path(folder) / "cert.jsonl", time.process_time()
        built = ef.construct(data, method=competitor.method, **competitor.options)
        built.certify(path)
        spent = time.process_time() - start
        if count in CHECKED:
            start = time.process_time()
            words += f"; certificate {ef.check(path).verdict} in {time.process_time() - start:.1f} s"
    r = built.report
    figures = (r.blocks, r.width, r.parameters, r.max_bits, r.weight_bits, f"{spent:.1f}")
    line(count, competitor.name, *figures, words=words)
    return spent


def growth(seconds: dict[str, dict[int, float]]) -> None:
    """Prints for every construction the exponent p with which time grows as N^p."""
    for name, by_count in seconds.items():
        exponent = math.log(by_count[LAST] / by_count[FIRST]) / math.log(LAST / FIRST)
        print(f"growth of {name} from N = {FIRST} to {LAST}: N^{exponent:.2f}")
    print(f"peak memory {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MB")


def main() -> None:
    """Prints the table."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--most", type=int, default=SIZES[-1], help="the largest N")
    most = parser.parse_args().most
    print("sequences of 5 tokens of six decimals in Q^4, two random labels, seed 0")
    print("CPU seconds of building, verifying and certifying")
    line("N", "construction", "blocks", "width", "numbers", "longest", "all bits", "s", words="attention; whose")
    seconds: dict[str, dict[int, float]] = {competitor.name: {} for competitor in COMPETITORS}
    for count in (size for size in SIZES if size <= most):
        data = random_data(count)
        line(count, "theorem", 4 * count + 1, 4, *["-"] * 4, words="rank one, identity; the existence theorem")
        for competitor in COMPETITORS:
            seconds[competitor.name][count] = row(competitor, count, data)
    if most >= LAST:
        growth(seconds)


if __name__ == "__main__":
    main()
