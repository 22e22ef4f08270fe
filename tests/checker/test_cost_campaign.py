"""The costliest files that a search finds, for every claim and reader, stay within a minute and a gigabyte."""

from __future__ import annotations

import random
import re
import time
from collections.abc import Callable
from io import BytesIO
from pathlib import Path

import pytest
from cost_campaign import (
    NODE,
    ROOM,
    ROOT,
    SEARCH,
    STEP,
    Outcome,
    Row,
    by_name,
    file_of,
    keep,
    measured,
    middle,
    row,
    row_of_reader,
    seconds_of,
    worst,
)
from cost_generators import GENERATORS, Generator
from cost_readers import READERS
from test_cost import names_a_remedy

from proofs_check import Limits
from proofs_check.claims import CLAIMS, FORMS, SOFT_INTERPOLATION, STATEMENTS, WITH_MARGIN, chosen
from proofs_check.core.budget import Budget
from proofs_check.core.certificate import Certificate
from proofs_check.core.lines import Lines
from proofs_check.fast import SHORT_CUTS

SECONDS, MEGABYTES = 60, 1024
#: seconds that a byte may take to be read, and nanoseconds that an operation may take: the default limit is a minute
BYTE, OPERATION = 5e-6, 30
#: seconds of work from which on a rate is measured, and how often
WORK, TIMES = 0.1, 3
#: generators whose operations may be cheaper than all others, which costs nobody time, and why they are
CHEAPER = {
    "steps": "scores that are all 0 are charged as the products that the definition has, which the short cut leaves out",
    "limit with tables": "every layer is charged by the length of the last power, and its products are long times short",
    "terms in stages": "a sum over a long denominator is charged as if both denominators were long",
    "forms by hash": "bases are charged once for all the dictionaries that they are keys of, and declined before these are made",
    "mirrored tokens": "declined for its memory, with the products charged that would have come next",
}


def test_every_claim_of_the_specification_has_a_generator() -> None:
    table = (ROOT / "proofs_check/FORMAT.md").read_text().partition("| claim | further keys")[2].partition("\n\n")[0]
    written = {
        name for row in table.splitlines() if "|" in row for name in re.findall("`([a-z-]+)`", row.split("|")[1])
    }
    assert written == {*CLAIMS, "counterexample"}
    assert written == {generator.claim.split(",")[0] for generator in GENERATORS.values()}


def rule_of(name: str) -> Callable[[Certificate], str]:
    """The rule that verifies the least file of a generator, whose claim is the one that the row says."""
    generator = GENERATORS[name]
    lines = Lines(BytesIO(file_of(generator, least(generator))), Budget(Limits()), SHORT_CUTS.outside_strings)
    header = lines.value()
    assert header["claim"] == generator.claim.split(",")[0], name
    return chosen(header, lines).verify


def test_every_rule_of_a_claim_has_a_generator() -> None:
    forms = [*CLAIMS.values(), SOFT_INTERPOLATION, WITH_MARGIN, *FORMS.values(), *STATEMENTS.values()]
    missing = {claim.verify for claim in forms} - set(map(rule_of, GENERATORS))
    assert not missing


def least(generator: Generator) -> dict[str, int]:
    return {size: low for size, (low, _) in generator.ranges.items()}


@pytest.mark.parametrize("name", GENERATORS)
def test_generators_make_files_that_are_well_formed(name: str) -> None:
    """At the least sizes, and in the middle with few operations; a malformed file is an AssertionError."""
    generator = GENERATORS[name]
    for sizes, operations in ((least(generator), STEP), (middle(generator), STEP // 100)):
        found = measured(file_of(generator, sizes), operations)
        assert found.operations <= operations


@pytest.mark.parametrize("name", READERS)
def test_files_that_take_too_much_memory_are_not_made(name: str) -> None:
    """At the largest sizes a table alone would take hundreds of gigabytes."""
    reader = READERS[name]
    largest = {size: high for size, (_, high) in reader.ranges.items()}
    if reader.room(**largest) > ROOM:
        assert seconds_of(reader, largest) == -1
    assert reader.room(**middle(reader)) <= ROOM


def verify_bounded(found: Outcome) -> None:
    assert found.seconds < SECONDS, found
    assert found.megabytes < MEGABYTES, found
    assert found.verdict in ("accepted", "rejected", "declined"), found
    assert found.verdict != "declined" or names_a_remedy(found.why), found


@pytest.mark.slow
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("name", GENERATORS)
def test_the_costliest_certificates(name: str) -> None:
    seed = time.time_ns()
    print("seed", seed)
    found = row(name, seed, SEARCH)
    print(found.text())
    keep(found)
    verify_bounded(found.python)
    if found.javascript is not None:
        verify_bounded(found.javascript)
    assert NODE is None or found.javascript is not None or found.claim not in ("interpolation", "decision")


@pytest.mark.slow
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("name", READERS)
def test_the_costliest_files_of_readers(name: str) -> None:
    seed = time.time_ns()
    print("seed", seed)
    found = row_of_reader(name, seed, SEARCH)
    print(found.text())
    keep(found)
    assert found.python.seconds < SECONDS, found
    assert found.python.megabytes < MEGABYTES, found
    assert found.python.verdict, found  # an answer, and no traceback


def test_rows_that_tests_found_are_kept_and_taken(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Beside the rows of the page, one a generator, each in its place."""
    outcome = Outcome(1.25, 30.0, "declined", "")
    rows = [Row(name, "orbit", {"tokens": 9000}, 1_000, outcome, None) for name in ("orbit", "vertex")]
    monkeypatch.setenv("EXACTFORMER_CAMPAIGN_ROWS", str(tmp_path / "rows"))
    for each in rows:
        keep(each)
    lines = (tmp_path / "rows").read_text().splitlines()
    assert lines[0] == "| orbit | orbit: tokens 9,000 | 1,000 | 1.2 | 30 |  | declined |"
    assert by_name(lines) == dict(zip(("orbit", "vertex"), lines, strict=True))


def nanoseconds(raw: bytes) -> float | None:
    """Of one more operation, with as few as make a tenth of a second of work; None if a check never takes that long.

    What is done before the first charges is subtracted: reading, and constant costs. A file that another limit declines
    at once is charged the same at every limit of operations.
    """
    begun = measured(raw, STEP // 100)
    for operations in (STEP, 4 * STEP, 40 * STEP):
        found = measured(raw, operations)
        if found.operations > begun.operations and found.seconds > begun.seconds + WORK:
            least = min(found.seconds, *(measured(raw, operations).seconds for _ in range(1, TIMES)))
            return 1e9 * (least - begun.seconds) / (found.operations - begun.operations)
        if found.decided:
            break
    return None


@pytest.mark.slow
@pytest.mark.timeout(3600)
def test_seconds_for_each_charged_operation_are_alike() -> None:
    """Within a factor of 20 over the costliest files, but for generators named; work that is not charged is reading."""
    rates: dict[str, float] = {}
    for name, generator in GENERATORS.items():
        raw = file_of(generator, worst(generator, random.Random(name), SEARCH / 2))
        found = measured(raw, STEP)
        assert found.seconds < BYTE * len(raw) + OPERATION * 1e-9 * found.operations, (name, found)
        rate = nanoseconds(raw)
        print(f"{name}: {found.seconds:.2f} s, {found.operations:,} operations, {rate and round(rate, 2)} ns")
        if rate is not None:
            rates[name] = rate
    print(*sorted(rates.items(), key=lambda pair: pair[1]), sep="\n")
    assert len(rates) > 25
    assert max(rates.values()) < OPERATION
    alike = [rate for name, rate in rates.items() if name not in CHEAPER]
    assert max(alike) < 20 * min(alike)
