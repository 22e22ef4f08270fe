"""Constructions beside each other on the same data: numbers, blocks, bits, attention, against N.

Every line was built and verified exactly on its data; the certificates of the table at N = 300 are checked. Where a
construction is too slow to be tried, its proved number of blocks stands alone. `--most N` ends earlier.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from pathlib import Path

import exactformer as ef
from exactformer.atlas.comparison import COMPETITORS, Competitor, random_data, report_of

SIZES = (10, 30, 100, 300, 1_000, 3_000, 10_000)
CHECKED = 300


def bound(competitor: Competitor, count: int) -> int | None:
    """The blocks proved for a construction on N generic sequences with one target each, where a formula has them."""
    formulas = {
        "deep": 1 + -(-count // 4),
        "leaders": max(1, count - 1) + -(-count // 4),
        "paper": 4 * count + 1,
        "softmax leaders": max(1, count - 1) + -(-count // 2),
        "temperature": 2,
    }
    return formulas.get(competitor.name)


def checked(competitor: Competitor, data: ef.Dataset) -> str:
    """The verdict of the independent checker on the certificate, and its time."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "cert.jsonl"
        ef.construct(data, method=competitor.method, **competitor.options).certify(path)
        start = time.process_time()
        verdict = ef.check(path).verdict
        return f"{verdict} in {time.process_time() - start:.1f} s"


def line(*cells: object, words: str) -> None:
    """Prints one row of the table."""
    widths = (6, -16, 7, 6, 8, 8, 9, 6)
    print(
        *(f"{cell!s:{'<' if w < 0 else '>'}{abs(w)}}" for cell, w in zip(cells, widths, strict=True)),
        f" {words}",
        flush=True,
    )


def row(competitor: Competitor, count: int, data: ef.Dataset) -> None:
    """One construction on N sequences: built and measured, or its proved number of blocks alone."""
    words = f"{competitor.attention}; {competitor.origin}"
    if count > competitor.most:
        none = ["-"] * 5
        line(count, competitor.name, f"<={bound(competitor, count)}", *none, words=f"{words}; proved, not built")
        return
    start = time.process_time()
    r = report_of(competitor, data)
    spent = f"{time.process_time() - start:.1f}"
    verdict = f"; certificate {checked(competitor, data)}" if count == CHECKED else ""
    figures = (r.blocks, r.width, r.parameters, r.max_bits, r.weight_bits, spent)
    line(count, competitor.name, *figures, words=f"{words}{verdict}")


def main() -> None:
    """Prints the table."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--most", type=int, default=SIZES[-1], help="the largest N")
    most = parser.parse_args().most
    print(
        "sequences of 5 tokens of six decimals in Q^4, two random labels, seed 0; CPU seconds of building and verifying"
    )
    line("N", "construction", "blocks", "width", "numbers", "longest", "all bits", "s", words="attention; whose")
    for count in (size for size in SIZES if size <= most):
        data = random_data(count)
        line(count, "theorem", 4 * count + 1, 4, *["-"] * 4, words="rank one, identity; the existence theorem")
        for competitor in COMPETITORS:
            row(competitor, count, data)


if __name__ == "__main__":
    main()
