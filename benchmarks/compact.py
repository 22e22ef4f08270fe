"""Method compact: numbers, bits and time for N labels, and the time to check them beside that of shallow's certificate.

    python benchmarks/compact.py [FOLDER]     the folder of japanese-vowels.train.txt and pendigits.train.csv
    python benchmarks/compact.py --quick      N <= 1,000, no files

`random` data are sequences of 20 tokens in the plane with six decimals and uniformly random labels; the other families
keep their tokens and get random labels. FOLDER is ../shared/data/sequences unless given; what is missing is left out.
CPU seconds of one thread; a limit in brackets is what the method has to meet.
"""

from __future__ import annotations

import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from exactformer.arithmetic.state import State
from exactformer.constructions.built_transformer import Built
from exactformer.constructions.empirical_measures import distinct_points, supports
from exactformer.constructions.pipeline import construct
from exactformer.instances.dataset_families import sample
from exactformer.model.dataset import Dataset, Sequence

SEED = 0
SEQUENCES = Path(__file__).parents[2] / "shared" / "data" / "sequences"


def random_labels(count: int, classes: int, *, dim: int = 2, seed: int = SEED) -> Dataset:
    """Sequences of 20 tokens with six decimals, uniformly random labels."""
    rng = np.random.default_rng(seed)
    tokens = rng.integers(-(10**6), 10**6, (count * 20, dim))
    labels = [str(x) for x in rng.integers(0, classes, count)]
    return Dataset(State(tokens, 10**6), np.arange(0, count * 20 + 1, 20), labels)


def family(name: str, count: int, classes: int, dim: int) -> Dataset:
    """A family with random labels in place of its own."""
    data, rng = sample(name, count, dim, SEED), np.random.default_rng(SEED + 1)
    measures = supports(distinct_points(data.tokens, rng)[1], data.offsets)
    known: dict[bytes, str] = {}
    labels = [known.setdefault(measures.key(j), str(rng.integers(0, classes))) for j in range(len(measures))]
    return Dataset(data.tokens, data.offsets, labels)


def vowels(path: Path) -> Dataset:
    """One sequence an utterance; 30 utterances a speaker."""
    utterances: list[list[list[str]]] = [[]]
    for line in path.read_text().splitlines():
        row = line.split()
        if row and all(float(v) == 1 for v in row):
            utterances.append([])
        elif row:
            utterances[-1].append(row)
    kept = [x for x in utterances if x]
    return Dataset.of([Sequence.of(x, label=str(j // 30)) for j, x in enumerate(kept)])


def digits(path: Path) -> Dataset:
    """One sequence of 8 points a digit."""
    rows = [[v.strip() for v in line.split(",")] for line in path.read_text().splitlines() if line.strip()]
    tokens = np.array([[int(v) for v in row[i : i + 2]] for row in rows for i in range(0, 16, 2)])
    return Dataset(State(tokens, 1), np.arange(0, len(tokens) + 1, 8), [row[16] for row in rows])


def cases(folder: Path | None, quick: bool) -> Iterator[tuple[str, Dataset, int | None]]:
    """(name, data, limit of the parameters): the figures asked for, then data nothing was tuned on."""
    yield "random, N = 1,000, 2 classes", random_labels(1000, 2), 310
    if folder is not None:
        yield "Japanese vowels, N = 270, 9 classes", vowels(folder / "japanese-vowels.train.txt"), 335
    yield "random, N = 300, 5 classes, d = 1", random_labels(300, 5, dim=1, seed=11), None
    yield "random, N = 700, 2 classes, d = 7", random_labels(700, 2, dim=7, seed=12), None
    yield "windows, N = 150, 2 classes", family("windows", 150, 2, 1), None
    yield "all-but-one, N = 400, 3 classes", family("all-but-one", 400, 3, 2), None
    yield "collinear, N = 600, 2 classes", family("collinear", 600, 2, 3), None
    yield "float tokens, N = 500, 4 classes", family("float-tokens", 500, 4, 2), None
    if quick:
        return
    yield "random, N = 10,000, 2 classes", random_labels(10_000, 2), 950
    yield "random, N = 10,000, 10 classes", random_labels(10_000, 10), 1570
    if folder is not None:
        yield "pen digits, N = 7,494, 10 classes", digits(folder / "pendigits.train.csv"), 1400


def check_seconds(built: Built, folder: Path) -> tuple[float, str]:
    """CPU seconds of the independent checker, a process of its own, and a remark if its default limits decline."""
    path = folder / "certificate.jsonl"
    built.certify(path)
    for options, remark in (([], ""), (["--max-operations", str(10**10)], ", declined at the default limits")):
        before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
        command = [sys.executable, "-m", "proofs_check", str(path), *options]
        done = subprocess.run(command, capture_output=True, text=True)
        if not done.returncode:
            return resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before, remark
    raise SystemExit(f"the checker does not accept: {done.stdout}{done.stderr}")


def figure(name: str, data: Dataset, limit: int | None, folder: Path) -> None:
    """Prints one row."""
    start = time.process_time()
    built = construct(data, method="compact", seed=SEED)
    seconds = time.process_time() - start
    report, reads = built.report, built.stages.count("read")
    assert report.compact is not None
    groups, shallow = report.compact
    (check, remark), (check_shallow, _) = (check_seconds(b, folder) for b in (built, construct(data)))
    bound = "" if limit is None else f" (limit {limit})"
    print(
        f"{name}: {report.parameters} numbers{bound}, {report.looped_parameters} looped, shallow {shallow};"
        f" {report.weight_bits} bits, information {report.information_bits};"
        f" G = {groups}, L = {reads}, G*L/(N*H) = {groups * reads / report.information_bits:.2f} (limit 1.6),"
        f" longest {report.max_bits} bits; build {seconds:.1f} s, check {check:.1f} s ="
        f" {check / check_shallow:.1f} x shallow's (limit 6 at N = 10,000){remark}",
        flush=True,
    )


def main() -> None:
    """All figures."""
    quick = "--quick" in sys.argv
    given = next((Path(a) for a in sys.argv[1:] if not a.startswith("--")), SEQUENCES)
    folder = given if given.exists() else None
    print(f"seed {SEED}" + ("" if folder else f"; no folder {given}: real data left out"))
    with tempfile.TemporaryDirectory() as place:
        for name, data, limit in cases(None if quick else folder, quick):
            figure(name, data, limit, Path(place))


if __name__ == "__main__":
    main()
