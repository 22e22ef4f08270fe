"""Limits against 1/alpha: time, layers and changes, which should stay flat while the layers grow like 1/alpha.

    python benchmarks/small_steps.py           12 rational tokens, mirror pairs, the family with a late leader
    python benchmarks/small_steps.py --quick   fewer instances

Every time includes the points and kinds; certificates are written and checked by the independent checker.
"""

from __future__ import annotations

import sys
import tempfile
import time
from fractions import Fraction
from pathlib import Path

import numpy as np

from exactformer.conjectures.catalogue.late_leaders import late_leader
from exactformer.dynamics.limits import limit
from exactformer.model.tokens import Tokens
from proofs_check import check

INVERSES = (10, 100, 1000, 5000, 50_000)
A = [[14, 7], [7, 11]]


def rational(seed: int, alpha: Fraction) -> Tokens:
    """12 rational tokens of the plane."""
    rows = np.random.default_rng(seed).integers(-40, 41, (12, 2))
    return Tokens([[Fraction(int(x), 7) for x in row] for row in rows], A, alpha)


def mirrored(seed: int, alpha: Fraction) -> Tokens:
    """Five mirror pairs and two tokens in the mirror."""
    rng = np.random.default_rng(seed)
    pairs = [(Fraction(int(x), 10), Fraction(int(y), 10)) for x, y in rng.integers(-20, 21, (5, 2))]
    rows = [image for x, y in pairs for image in ((x, y), (-x, y))]
    rows += [(Fraction(0), Fraction(int(y), 10)) for y in rng.integers(1, 20, 2)]
    return Tokens([list(row) for row in dict.fromkeys(rows) if any(row)], None, alpha)


def measured(tokens: Tokens) -> tuple[float, int, float, str]:
    """(seconds of the limit, layer of the last change, seconds of the check, verdict)."""
    start = time.process_time()
    found = limit(tokens)
    assert len(found.points) == len(found.kinds)
    seconds = time.process_time() - start
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "limit.jsonl"
        found.certify(path)
        start = time.process_time()
        verdict = check(str(path)).verdict
    return seconds, found.proved_from_layer, time.process_time() - start, verdict


def main() -> None:
    """Prints a line for every 1/alpha, and for the family."""
    count = 5 if "--quick" in sys.argv else 20
    print(f"12 rational tokens and mirror pairs, {count} seeds each\n1/alpha  last layer  limit ms  check ms  accepted")
    first = 0.0
    for inverse in INVERSES:
        rows = [measured(make(seed, Fraction(1, inverse))) for seed in range(count) for make in (rational, mirrored)]
        longest, checked = max(r[0] for r in rows) * 1e3, max(r[2] for r in rows) * 1e3
        accepted = sum(r[3] == "accepted" for r in rows)
        print(f"{inverse:>7} {max(r[1] for r in rows):>11} {longest:>9.0f} {checked:>9.0f} {accepted:>5}/{len(rows)}")
        first = first or longest
    print(f"slowest limit at 1/alpha = {INVERSES[-1]} against {INVERSES[0]}: {longest / first:.2f} times")
    for e in (Fraction(1, 20_000), Fraction(1, 10**6)):
        seconds, layer, checked, verdict = measured(late_leader(e, Fraction(1, 2), Fraction(1)))
        times = f"limit {seconds * 1e3:.0f} ms, check {checked * 1e3:.0f} ms"
        print(f"a leader at layer {layer} (e = {e}): {times}, {verdict}")


if __name__ == "__main__":
    main()
