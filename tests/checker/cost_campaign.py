"""The search for the costliest file of every generator, and its table: python tests/checker/cost_campaign.py [NAME ..] [--write] [--take FILE].

With names, the other rows of the table stay as they are. With a file nothing is searched: its rows are those that
`make test-all` found, kept by the tests where EXACTFORMER_CAMPAIGN_ROWS names a file.

Sizes are changed one by one, and what costs more seconds is kept, at a fortieth of the default limit of operations, so
that a step takes a second at most. The sizes found are then doubled as long as the default limits allow more work, and
the file is checked by both checkers. EXACTFORMER_CAMPAIGN_SECONDS is the time of each search, 8 by default.
"""

from __future__ import annotations

import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from checker_kit import body, seal
from cost_generators import GENERATORS, Generator
from cost_readers import PROGRAM, READERS, Reader

from proofs_check import Limits
from proofs_check.claims import chosen, proved
from proofs_check.core.budget import Budget
from proofs_check.core.certificate import Certificate
from proofs_check.core.lines import Lines
from proofs_check.core.verdict import Refusal
from proofs_check.fast import SHORT_CUTS

ROOT = Path(__file__).resolve().parents[2]
NODE = shutil.which("node")
#: operations of one step of the search
STEP = Limits().operations // 40
LARGEST = 1_000_000  # bytes
ROOM = 500_000_000  # bytes of memory that a file may take to be made
SECOND = ("interpolation", "decision", "argmax", "enclosure", "recognition", "no-recogniser")
MARK = "<!-- made by tests/checker/cost_campaign.py -->"
Sizes = dict[str, int]


class Meter(Budget):
    """A budget that knows the operations of the work that was done: a charge that was refused is not one."""

    def spend(self, operations: int) -> None:
        """Charges operations; what is refused is taken back."""
        before = self.spent
        try:
            super().spend(operations)
        except Refusal:
            self.spent = before
            raise


@dataclass(frozen=True)
class Measured:
    """CPU seconds and charged operations of one check in this process, and whether it was decided."""

    seconds: float
    operations: int
    decided: bool

    @property
    def nanoseconds(self) -> float:
        """For each operation."""
        return 1e9 * self.seconds / self.operations


def measured(raw: bytes, operations: int) -> Measured:
    """What checking these bytes costs, at the default limits but for the operations."""
    meter = Meter(Limits(operations=operations))
    lines = Lines(BytesIO(raw), meter, SHORT_CUTS.outside_strings)
    start = time.process_time()
    decided = True
    try:
        header = lines.value()
        proved(chosen(header, lines), Certificate(header, header["dim"], lines, meter, SHORT_CUTS))
    except Refusal as refusal:
        decided = refusal.args[0] in ("accepted", "rejected")
        if refusal.args[0] == "malformed":
            raise AssertionError(f"the generator makes a malformed file: {refusal.args[1]}") from refusal
    return Measured(time.process_time() - start, max(1, meter.spent), decided)


def file_of(generator: Generator, sizes: Sizes) -> bytes:
    return seal(body(generator.make(**sizes)))


def middle(generator: Generator | Reader) -> Sizes:
    """Every size in the middle of its range, by orders of magnitude."""
    return {name: int((max(low, 1) * high) ** 0.5) for name, (low, high) in generator.ranges.items()}


def changed(sizes: Sizes, generator: Generator | Reader, rng: random.Random) -> Sizes:
    """One or two sizes multiplied, or replaced by an end of their range."""
    found = dict(sizes)
    for name in rng.sample(sorted(sizes), min(len(sizes), rng.choice((1, 1, 2)))):
        low, high = generator.ranges[name]
        factor = 8 ** rng.uniform(-1, 1)
        found[name] = rng.choice([low, high, *[max(low, min(high, round(sizes[name] * factor)))] * 4])
    return found


def worst(generator: Generator | Reader, rng: random.Random, seconds: float) -> Sizes:
    """The sizes, found within so many seconds, of the file under a megabyte that takes longest."""
    best, cost, end = middle(generator), -1.0, time.monotonic() + seconds
    tried = best
    while True:
        found = seconds_of(generator, tried)
        if found > cost:
            best, cost = tried, found
        if time.monotonic() > end:
            return best
        tried = changed(best, generator, rng)


def seconds_of(generator: Generator | Reader, sizes: Sizes) -> float:
    """What a file of these sizes costs in a step of the search; less than nothing if it is too long."""
    if isinstance(generator, Reader):
        if generator.room(**sizes) > ROOM:
            return -1.0
        raw = generator.make(**sizes)
        return read(generator, raw).seconds if len(raw) < LARGEST else -1.0
    raw = file_of(generator, sizes)
    try:
        return measured(raw, STEP).seconds if len(raw) < LARGEST else -1.0
    except AssertionError:  # at these sizes there is no certificate of this kind
        return -1.0


def grown(generator: Generator, sizes: Sizes) -> Sizes:
    """These sizes, doubled together until the file is long or the work more than a quarter of the default limit."""
    for _ in range(12):
        if not measured(file_of(generator, sizes), Limits().operations // 4).decided:
            break
        larger = {name: min(2 * value, generator.ranges[name][1]) for name, value in sizes.items()}
        if larger == sizes or len(file_of(generator, larger)) >= LARGEST:
            break
        sizes = larger
    return sizes


@dataclass(frozen=True)
class Outcome:
    """What a checker said of a file at its default limits, and what that cost."""

    seconds: float
    megabytes: float
    verdict: str
    why: str


def checked(raw: bytes, command: list[str]) -> Outcome:
    """The outcome of a checker as a process of its own."""
    seconds, megabytes, said = watched(raw, ".jsonl", command)
    answer = json.loads(said)
    return Outcome(seconds, megabytes, answer["verdict"], answer["why"])


def read(reader: Reader, raw: bytes) -> Outcome:
    """What reading costs: a process of its own."""
    command = [sys.executable, "-c", PROGRAM.format(read=reader.read)]
    seconds, megabytes, said = watched(raw, reader.ending, command)
    return Outcome(seconds, megabytes, said.strip(), said)


def watched(raw: bytes, ending: str, command: list[str]) -> tuple[float, float, str]:
    """CPU seconds, megabytes and output of a command on a file with these bytes."""
    with tempfile.NamedTemporaryFile(suffix=ending) as file:
        file.write(raw)
        file.flush()
        beside = [sys.executable, "-c", WATCH, *command, file.name]
        done = subprocess.run(beside, cwd=ROOT, capture_output=True, text=True, check=False, timeout=3000)
    seconds, kilobytes = done.stderr.splitlines()[-1].split()
    return float(seconds), float(kilobytes) / 1024, done.stdout


#: runs a command and prints what it used: the process beside it has used nothing before
WATCH = """
import resource, subprocess, sys
done = subprocess.run(sys.argv[1:], capture_output=True, text=True)
print(done.stdout, end="")
used = resource.getrusage(resource.RUSAGE_CHILDREN)
print(done.stderr[-300:], file=sys.stderr)
print(used.ru_utime + used.ru_stime, used.ru_maxrss, file=sys.stderr)
"""
PYTHON = [sys.executable, "-m", "proofs_check", "--json"]
JAVASCRIPT = [str(NODE), "proofs_check/js/check.js", "--json"]


@dataclass(frozen=True)
class Row:
    """The worst file found by a generator."""

    name: str
    claim: str
    sizes: Sizes
    size: int
    python: Outcome
    javascript: Outcome | None

    def text(self) -> str:
        """The row of the table."""
        sizes = ", ".join(f"{name} {value:,}" for name, value in self.sizes.items())
        second = "" if self.javascript is None else f"{self.javascript.seconds:.1f}"
        figures = f"{self.size:,} | {self.python.seconds:.1f} | {self.python.megabytes:.0f} | {second}"
        return f"| {self.claim} | {self.name}: {sizes} | {figures} | {self.python.verdict} |"


def row(name: str, seed: int, seconds: float) -> Row:
    """The search of one generator, and the worst file at the default limits."""
    generator = GENERATORS[name]
    sizes = grown(generator, worst(generator, random.Random(f"{seed} {name}"), seconds))
    raw = file_of(generator, sizes)
    both = NODE is not None and generator.claim.split(",")[0] in SECOND
    return Row(name, generator.claim, sizes, len(raw), checked(raw, PYTHON), checked(raw, JAVASCRIPT) if both else None)


def row_of_reader(name: str, seed: int, seconds: float) -> Row:
    """The same for a file that exactformer reads."""
    reader = READERS[name]
    sizes = worst(reader, random.Random(f"{seed} {name}"), seconds)
    raw = reader.make(**sizes)
    return Row(name, "-", sizes, len(raw), read(reader, raw), None)


HEADER = """| claim | worst file found | bytes | Python, s | MB | JavaScript, s | verdict |
| --- | --- | --- | --- | --- | --- | --- |"""


#: seconds of search for each generator
SEARCH = float(os.environ.get("EXACTFORMER_CAMPAIGN_SECONDS", "8"))


def line_of(name: str) -> str:
    """The row of the table of a generator or a reader."""
    found = row(name, 1, SEARCH) if name in GENERATORS else row_of_reader(name, 1, SEARCH)
    print(found.text(), flush=True)
    return found.text()


def keep(found: Row) -> None:
    """Adds a row that a test found to the file that EXACTFORMER_CAMPAIGN_ROWS names, if it does."""
    if path := os.environ.get("EXACTFORMER_CAMPAIGN_ROWS"):
        with open(path, "a", encoding="utf-8") as file:  # one short write, whole even from two processes
            file.write(found.text() + "\n")


def by_name(lines: Iterable[str]) -> dict[str, str]:
    """The rows of a table by the names of their generators."""
    return {line.split("|")[2].split(":")[0].strip(): line for line in lines if line.startswith("| ")}


def write(rows: dict[str, str]) -> None:
    """Puts the rows into the page; the others stay as they are."""
    page = ROOT / "docs/trust.md"
    before, _, rest = page.read_text("utf-8").partition(MARK)
    table, _, after = rest.partition(MARK)
    found = by_name(table.splitlines()[2:]) | rows
    lines = [found[name] for name in (*GENERATORS, *READERS) if name in found]
    page.write_text(f"{before}{MARK}\n\n{HEADER}\n" + "\n".join(lines) + f"\n\n{MARK}{after}", "utf-8")


def main() -> None:
    arguments = sys.argv[1:]
    if arguments[:1] == ["--take"]:
        write(by_name(Path(arguments[1]).read_text("utf-8").splitlines()))
        return
    names = [name for name in (*GENERATORS, *READERS) if name in arguments] or [*GENERATORS, *READERS]
    with ProcessPoolExecutor(2) as pool:
        rows = dict(zip(names, pool.map(line_of, names), strict=True))
    if "--write" in arguments:
        write(rows)


if __name__ == "__main__":
    main()
