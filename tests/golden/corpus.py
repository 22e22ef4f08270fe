"""What the checker says of every file of the corpus, and what it charges for it: python tests/golden/corpus.py --record

The charge is the least --max-operations with which the verdict is the same; one less, and the file is declined.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

from proofs_check import Limits, check

ROOT = Path(__file__).parents[2]
CORPUS = ROOT / "proofs_check" / "corpus"
KEPT = Path(__file__).parent / "corpus.json"
INDEX: list[dict[str, object]] = json.loads((CORPUS / "index.json").read_text("utf-8"))
Said = list[object]


def plain_entries() -> dict[str, dict[str, object]]:
    """The files of the corpus that are checked without options, by name."""
    return {str(entry["file"]): entry for entry in INDEX if "options" not in entry}


def said(entry: dict[str, object], operations: int) -> Said:
    """[verdict, claim, line, reason] of a file with so many operations."""
    others = {name: str(CORPUS / str(entry[name])) for name in ("data", "weights") if name in entry}
    found = check(str(CORPUS / str(entry["file"])), limits=Limits(operations=operations), **others)
    return [found.verdict, found.claim, found.where, found.why]


def charge(entry: dict[str, object]) -> int:
    """The least limit with which the verdict is that without one."""
    last = Limits().operations
    full, low, high = said(entry, last), -1, last
    while high - low > 1:
        middle = (low + high) // 2 if high < 64 or low > high // 64 else max(low + 1, high // 64)
        low, high = (low, middle) if said(entry, middle) == full else (middle, high)
    return high


def record() -> dict[str, list[object]]:
    """file -> [verdict, claim, line, reason, charge]."""
    return {file: [*said(entry, Limits().operations), charge(entry)] for file, entry in sorted(plain_entries().items())}


if __name__ == "__main__" and "--record" in sys.argv:
    lines = ",\n".join(f"{json.dumps(file)}: {json.dumps(facts)}" for file, facts in record().items())
    KEPT.write_text(f"{{\n{lines}\n}}\n", "utf-8")
