"""Two real data sets, interpolated exactly: python 07_real_data.py [japanese-vowels.txt] [pendigits.csv]

Japanese Vowels (UCI): utterances of 7 to 29 tokens in R^12 by nine speakers; a row of twelve 1.0 ends one. Pen digits
(UCI): 8 points in the plane per written digit; 16 coordinates and the digit in a row. A file with commas
is taken for pen digits. Where a path is missing, random data of the same shape are made, and said to be.
"""

import sys
import time
from pathlib import Path

import numpy as np

import exactformer as ef


def read_vowels(text: str) -> ef.Dataset:
    """One sequence an utterance, 30 utterances a speaker; six decimals, read as the fractions they are."""
    utterances: list[list[list[str]]] = [[]]
    for line in text.splitlines():
        row = line.split()
        if row and all(float(v) == 1 for v in row):
            utterances.append([])
        elif row:
            utterances[-1].append(row)
    kept = [tokens for tokens in utterances if tokens]
    return ef.Dataset.of([ef.Sequence.of(x, label=f"speaker {j // 30 + 1}") for j, x in enumerate(kept)])


def read_digits(text: str) -> ef.Dataset:
    """One sequence of 8 points a digit."""
    rows = [[v.strip() for v in line.split(",")] for line in text.splitlines() if line.strip()]
    points = [[row[i : i + 2] for i in range(0, 16, 2)] for row in rows]
    return ef.Dataset.of([ef.Sequence.of(x, label=row[16]) for x, row in zip(points, rows, strict=True)])


def like_vowels(rng: np.random.Generator) -> str:
    """270 utterances of 7 to 29 random rows of twelve numbers with six decimals."""
    lines = []
    for _ in range(270):
        for row in rng.normal(0, 0.5, (rng.integers(7, 30), 12)):
            lines.append(" ".join(f"{v:.6f}" for v in row))
        lines.append(" ".join(["1.0"] * 12))
    return "\n".join(lines)


def like_digits(rng: np.random.Generator, count: int = 7494) -> str:
    """Rows of 16 random coordinates 0..100 and a digit."""
    rows = np.column_stack([rng.integers(0, 101, (count, 16)), rng.integers(0, 10, count)])
    return "\n".join(",".join(map(str, row)) for row in rows.tolist())


rng = np.random.default_rng(0)
texts = [Path(path).read_text() for path in sys.argv[1:3]]
given = {"digits" if "," in text else "vowels": text for text in texts}
vowels = read_vowels(given.get("vowels") or like_vowels(rng))
digits = read_digits(given.get("digits") or like_digits(rng))

for kind, data in (("vowels", vowels), ("digits", digits)):
    name = kind if kind in given else f"random data like {kind}"
    for method in ("shallow", "deep"):
        start = time.perf_counter()
        # A few drawings of pen digits may coincide; were their digits different, this would name them.
        report = ef.construct(data, method=method).report
        seconds = time.perf_counter() - start
        print(
            f"{name}, {method}: {report.sequences} sequences in R^{report.dim} exactly on their labels by"
            f" {report.blocks} blocks (theorem {report.paper_bound}), width {report.width}, {report.parameters}"
            f" parameters of at most {report.max_bits} bits, {seconds:.1f} s with the verification"
        )
        assert report.blocks <= report.bound
