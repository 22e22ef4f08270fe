"""Softmax exactly: blocks beside the theorem's bound, real data, checking against json.loads, balls against NumPy.

    python benchmarks/softmax.py [japanese-vowels.train.txt]      all figures
    python benchmarks/softmax.py --quick                          fewer data sets

The file of Japanese vowels (UCI) is ../shared/data/sequences/japanese-vowels.train.txt unless given; where it is
missing, random data of its shape take its place, and the output says so.
"""

from __future__ import annotations

import json
import random
import sys
import tempfile
import time
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np

import proofs_check
from exactformer.constructions.built_transformer import Built
from exactformer.constructions.pipeline import construct
from exactformer.errors import NoConstruction
from exactformer.evaluate.balls import BallTransformer
from exactformer.evaluate.floats import ApproxTransformer, Backend, pad
from exactformer.instances.dataset_families import FAMILIES, sample
from exactformer.model.attention import SelfAttention
from exactformer.model.dataset import Dataset, Sequence
from exactformer.model.feed_forward import FeedForward
from exactformer.model.transformer import Block, Transformer, at_temperature

VOWELS = Path(__file__).parents[2] / "shared" / "data" / "sequences" / "japanese-vowels.train.txt"
SIZES = ((3, 1), (6, 2), (8, 3))


def best(action: Callable[[], Any], repeats: int = 5) -> float:
    """The least CPU seconds of several runs."""
    times = []
    for _ in range(repeats):
        start = time.process_time()
        action()
        times.append(time.process_time() - start)
    return min(times)


def soft_leaders(data: Dataset, **options: Any) -> Built:
    """The construction the figures are about."""
    return construct(data, method="leaders", attention="softmax", **options)


def random_set(rng: random.Random) -> Dataset:
    """At most eight sequences that share tokens, with repetitions and up to four targets, d from 1 to 3."""
    d, most = rng.choice([1, 2, 3]), rng.choice([1, 1, 2, 4])
    pool = {tuple(Fraction(rng.randint(-40, 40), rng.choice([1, 2, 3, 5])) for _ in range(d)) for _ in range(14)}
    chosen = {frozenset(rng.sample(sorted(pool), rng.randint(1, min(len(pool), 7)))) for _ in range(rng.randint(1, 8))}
    rows = []
    for tokens in sorted(map(sorted, chosen)):
        targets = {tuple(Fraction(rng.randint(-9, 9), 2) for _ in range(d)) for _ in range(most)}
        repeated = [*tokens, *(rng.choice(tokens) for _ in range(rng.randint(0, 3)))]
        rows.append(Sequence.of(repeated, targets=sorted(targets)[: len(tokens)]))
    return Dataset.of(rows)


def bounds(sets: list[Dataset], what: str) -> None:
    """How many are proved or refused, and the blocks in all beside the theorem's."""
    blocks = theorem = proved = refused = 0
    start = time.process_time()
    for data in sets:
        try:
            report = soft_leaders(data).report
        except NoConstruction:
            refused += 1
            continue
        proved, blocks, theorem = proved + 1, blocks + report.blocks, theorem + report.paper_bound
    seconds = time.process_time() - start
    print(f"{what}: {proved} proved for every beta >= 1 and hardmax, {refused} refused with a witness, {seconds:.1f} s")
    print(f"  blocks {blocks}, theorem's bound 2*sum m + 3N {theorem}: ratio {blocks / theorem:.3f}")


def vowels(path: Path | None) -> Dataset:
    """60 utterances of 7 to 29 tokens in R^12, every 4th of the file."""
    if path is None:
        rng = np.random.default_rng(0)
        parts = [rng.normal(0, 0.5, (int(rng.integers(7, 30)), 12)).round(6).astype(str).tolist() for _ in range(60)]
        return Dataset.of([Sequence.of(x, label=f"speaker {j // 7}") for j, x in enumerate(parts)])
    utterances: list[list[list[str]]] = [[]]
    for line in path.read_text().splitlines():
        row = line.split()
        if row and all(float(v) == 1 for v in row):
            utterances.append([])
        elif row:
            utterances[-1].append(row)
    kept = [(j, x) for j, x in enumerate(utterances) if x][::4][:60]
    return Dataset.of([Sequence.of(x, label=f"speaker {j // 30 + 1}") for j, x in kept])


def real(path: Path | None, folder: Path) -> None:
    """Reading aside: building, proving and checking 60 real sequences."""
    data = vowels(path)
    start = time.process_time()
    built = soft_leaders(data)
    middle = time.process_time()
    built.certify(folder / "vowels.jsonl")
    verdict = proofs_check.check(str(folder / "vowels.jsonl")).verdict
    end = time.process_time()
    name = "Japanese vowels" if path is not None else "random data of the shape of Japanese vowels"
    print(f"{name}: {len(data)} sequences, {len(data.tokens)} tokens in R^{data.dim}, {built.report.blocks} blocks")
    print(f"  built and proved in {middle - start:.1f} s, written and checked ({verdict}) in {end - middle:.1f} s")


def checking(folder: Path) -> None:
    """Python's checker on N = 60, n = 20, d = 4, one target each."""
    rng, rows = random.Random(4), []
    for _ in range(60):
        tokens = [[Fraction(rng.randint(-1000, 1000), rng.choice([1, 2, 4, 5])) for _ in range(4)] for _ in range(20)]
        rows.append(Sequence.of(tokens, targets=[[rng.randint(-9, 9) for _ in range(4)]]))
    for options in ({"attention": "softmax", "method": "leaders"}, {"method": "temperature", "beta": "2/3"}):
        path = folder / "check.jsonl"
        construct(Dataset.of(rows), **options).certify(path)  # type: ignore[arg-type]
        lines = path.read_text().splitlines()
        reading = best(lambda lines=lines: [json.loads(line) for line in lines], 20)
        seconds = best(lambda path=path: proofs_check.check(str(path)))
        verdict = proofs_check.check(str(path)).verdict
        print(f"check, {options['method']}, N = 60, n = 20, d = 4, {path.stat().st_size} bytes: {verdict}")
        print(f"  {seconds * 1e3:.0f} ms, json.loads {reading * 1e3:.2f} ms: ratio {seconds / reading:.0f}")


def balls() -> None:
    """Arb against NumPy on a random network of two blocks: d = 16, n = 100, width 64."""
    rng, d, n, width = np.random.default_rng(0), 16, 100, 64

    def block() -> Block:
        u, w = rng.normal(0, d**-0.5, (width, d)), rng.normal(0, width**-0.5, (d, width))
        q, k, v = (rng.normal(0, d**-0.5, (d, d)) for _ in range(3))
        return Block(FeedForward(1, u, rng.normal(0, 1, width), w), SelfAttention(1, v, q, k))

    network, tokens = (
        Transformer(d, [block(), block()]),
        Dataset.of([Sequence.of(rng.uniform(0, 1, (n, d)), label="one")]),
    )
    state, soft = tokens[0].tokens, at_temperature(network, Fraction(1))
    backend = Backend.of()
    compiled_floats, padded = ApproxTransformer(soft, backend), pad(state, np.array([0, n]), backend)
    floats = best(lambda: [compiled_floats(*padded) for _ in range(20)], 10) / 20
    for bits in (64, 128, 256):
        compiled = BallTransformer(network, Fraction(1), bits)
        seconds = best(lambda compiled=compiled: compiled.images(state), 3)
        radius = max(float(v.rad()) for v in compiled.images(state).entries())
        ratio = f"{seconds * 1e3:.0f} ms, NumPy {floats * 1e3:.2f} ms: ratio {seconds / floats:.0f}"
        print(f"balls of {bits} bits, two blocks, d = 16, n = 100, width 64: {ratio}")
        print(f"  largest radius {radius:.1e}: {(np.log2(radius) + bits) / 2:.1f} bits lost a block")


def main(arguments: list[str]) -> None:
    """All figures."""
    quick = "--quick" in arguments
    path = next((Path(a) for a in arguments if not a.startswith("-")), VOWELS)
    rng = random.Random(7)
    sizes = SIZES[:1] if quick else SIZES
    families = [sample(f, n, d, seed=13) for f in FAMILIES for n, d in sizes]
    bounds(families, f"{len(FAMILIES)} families x {len(sizes)} sizes")
    count = 6 if quick else 60
    bounds([random_set(rng) for _ in range(count)], f"{count} random data sets, N <= 8")
    with tempfile.TemporaryDirectory() as folder:
        real(path if path.exists() else None, Path(folder))
        checking(Path(folder))
    balls()


if __name__ == "__main__":
    main(sys.argv[1:])
