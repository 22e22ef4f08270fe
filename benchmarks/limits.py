"""Proved limits: how many instances close, at which layer, and how long one takes.

    python benchmarks/limits.py              10,000 instances of the generic and grid families, 300 of each other one
    python benchmarks/limits.py --quick      a tenth of them

n = 4..16, d = 2, 3. A limit counts as closed when the proof for all layers is complete; its points and kinds are
part of the time. The aim is 100 % closed, with a median under 10 ms.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator

import numpy as np

from exactformer.dynamics.limits import limit
from exactformer.errors import Undecided
from exactformer.instances.token_families import FAMILIES, sample
from exactformer.model.tokens import Tokens

SEED = 0
#: the families of which 10,000 instances are asked
COUNTED = ("generic", "generic-metric", "integer-grid", "ternary", "rotated-grid")


def instances(name: str, count: int) -> Iterator[Tokens]:
    """`count` instances of a family with random shapes."""
    for k in range(count):
        rng = np.random.default_rng([SEED, sorted(FAMILIES).index(name), k])
        yield sample(name, int(rng.integers(4, 17)), int(rng.integers(2, 4)), rng)


def measure(name: str, count: int) -> tuple[list[float], list[int]]:
    """(seconds of the closed instances, layers from which their proofs hold)."""
    seconds, layers = [], []
    for tokens in instances(name, count):
        start = time.perf_counter()
        try:
            found = limit(tokens)
        except Undecided:
            continue
        if len(found.points) == len(found.kinds):
            seconds.append(time.perf_counter() - start)
            layers.append(found.proved_from_layer)
    return seconds, layers


def main() -> None:
    """Prints one line per family."""
    scale = 10 if "--quick" in sys.argv else 1
    print(f"seed {SEED}\nfamily             instances  closed  median ms  99 % ms last layer")
    total = closed = 0
    for name in FAMILIES:
        count = (2000 if name in COUNTED else 300) // scale
        seconds, layers = measure(name, count)
        times = np.quantile(seconds, [0.5, 0.99]) * 1e3
        line = f"{len(seconds) / count:>7.1%} {times[0]:>10.2f} {times[1]:>8.1f} {max(layers):>10}"
        print(f"{name:<18} {count:>9} {line}")
        total, closed = (total + count, closed + len(seconds)) if name in COUNTED else (total, closed)
    print(f"generic and grid families: {closed} of {total} closed (aim: all, median under 10 ms)")


if __name__ == "__main__":
    main()
