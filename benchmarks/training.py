"""Training with guarantees: exact interpolants of small norm, enclosures, from a CSV file to a certificate

    python benchmarks/training.py [VOWELS]

VOWELS is ../shared/data/sequences/japanese-vowels.train.txt unless given (generated sequences where that is missing,
and said so): 270 sequences, made into a CSV file, one-hot targets for nine labels. Needs the extra `train`; set
OMP_NUM_THREADS=1.
"""

from __future__ import annotations

import csv
import sys
import tempfile
import time
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path

import numpy as np

import exactformer as ef
from exactformer.model.float_weights import network_of
from exactformer.model.norms import norm2
from exactformer.training.experiment import DIM, WIDTH, papers_data
from exactformer.training.loss import regularised_loss
from exactformer.training.repair import repair
from exactformer.training.softmax_training import SoftmaxShape
from exactformer.training.train import train

VOWELS = Path(__file__).parents[2] / "shared" / "data" / "sequences" / "japanese-vowels.train.txt"
LABELS, SPEAKERS, FEATURES = 9, 30, 12


def cpu(work: Callable[[], object]) -> float:
    start = time.process_time()
    work()
    return time.process_time() - start


def published_set_up(folder: Path) -> None:
    """Norms of exact interpolants of the published data, against that of the weights that made them."""
    given = papers_data()
    theirs = float(norm2(given.generator))
    found = train(given.data, eps=["1e-5"], width=WIDTH, start="warm")
    best = found.interpolant
    print(f"published data (N = 10, n = 100, d = 16): squared norm of the generating weights {theirs:.2f}")
    best.certify(folder / "star.jsonl")
    verdict = ef.check(folder / "star.jsonl").verdict
    ratio = theirs / float(best.norm2)
    print(f"  exact interpolant of the same shape: {float(best.norm2):.4f}, {ratio:.2f} times smaller, {verdict}")
    wider = repair(found.runs[0].network, given.data)
    wider.certify(folder / "wider.jsonl")
    print(
        f"  trained for eps = 1e-5 (largest residual {float(wider.residual):.1e}), repaired with {wider.units_added} "
        f"units: {float(wider.norm2_after):.2f}, {ef.check(folder / 'wider.jsonl').verdict}"
    )


def enclosures(folder: Path) -> None:
    """E of a softmax network of the published size, in balls, and its certificate."""
    given, shape = papers_data(), SoftmaxShape(DIM, WIDTH)
    network = network_of(shape.split(shape.random(np.random.default_rng(0))))
    found = regularised_loss(network, given.data, eps="1/10")
    spent = cpu(lambda: regularised_loss(network, given.data, eps="1/10"))
    digits = -np.log10(float((found.loss.high - found.loss.low) / found.loss.low))
    print(f"softmax, E enclosed to {digits:.0f} digits at 128 bits: {spent:.2f} s CPU")
    bound = found.objective.high + Fraction(1, 10**9)
    made = cpu(lambda: found.certify(folder / "loss.jsonl", below=bound))
    checked = cpu(lambda: ef.check(folder / "loss.jsonl"))
    verdict = ef.check(folder / "loss.jsonl").verdict
    print(f"  its certificate (claim loss): made in {made:.1f} s, checked in {checked:.1f} s CPU, {verdict}")


def sequences_of(path: Path) -> list[list[list[str]]]:
    """The vowels: blocks of rows, ended by a row of ones or an empty line; or generated ones."""
    if not path.is_file():
        print(f"{path.name} is missing: generated sequences")
        rng = np.random.default_rng(0)
        return [[[f"{v:.6f}" for v in rng.normal(size=FEATURES)] for _ in range(20)] for _ in range(LABELS * SPEAKERS)]
    found: list[list[list[str]]] = [[]]
    for line in path.read_text().splitlines():
        row = line.split()
        if row and any(float(x) != 1 for x in row):
            found[-1].append(row)
        elif found[-1]:
            found.append([])
    return [sequence for sequence in found if sequence]


def from_csv(folder: Path, path: Path) -> None:
    """Training and repair of 270 sequences: from the CSV file to the certificate, and the checker's verdict."""
    sequences = sequences_of(path)
    with (folder / "data.csv").open("w", newline="") as file:
        table = csv.writer(file)
        table.writerow(["sequence", "label", *(f"x{k + 1}" for k in range(FEATURES))])
        for j, sequence in enumerate(sequences):
            table.writerows([j, f"speaker {j // SPEAKERS}", *row] for row in sequence)
    points = {f"speaker {i}": [int(k == i) for k in range(FEATURES)] for i in range(LABELS)}

    def work() -> None:
        found = train(
            ef.Dataset.read(folder / "data.csv"),
            eps=["1/1000"],
            label_targets=points,
            width=512,
            epochs=400,
            start="warm",
        )
        found.interpolant.certify(folder / "vowels.jsonl")
        best, run = found.interpolant, found.runs[0]
        print(f"{len(sequences)} sequences, one-hot: exact interpolant of squared norm {float(best.norm2):.2f}")
        print(f"  width {best.transformer.width}, {best.transformer.bits} bits; eps = 1/1000: {run.verdict}")

    spent = cpu(work)
    built = ef.construct(ef.Dataset.read(folder / "data.csv"), label_targets=points, balance=True)
    print(f"  the shallow construction, balanced: {float(built.report.norm2):.3g}")
    checked = cpu(lambda: print(f"  certificate {ef.check(folder / 'vowels.jsonl').verdict}"))
    print(f"  from CSV to certificate {spent:.0f} s CPU, checked in {checked:.1f} s")


def main() -> None:
    with tempfile.TemporaryDirectory() as name:
        published_set_up(Path(name))
        enclosures(Path(name))
        from_csv(Path(name), Path(sys.argv[1]) if len(sys.argv) > 1 else VOWELS)


if __name__ == "__main__":
    main()
