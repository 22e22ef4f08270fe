"""The costliest files that a search finds, for every claim and reader, stay within a minute and a gigabyte."""

from __future__ import annotations

import random
import time

import pytest
from cost_campaign import NODE, SEARCH, STEP, Measured, Outcome, file_of, measured, middle, row, row_of_reader, worst
from cost_generators import GENERATORS
from cost_readers import READERS
from test_cost import names_a_remedy

from proofs_check.claims import CLAIMS

SECONDS, MEGABYTES = 60, 1024
#: seconds that a byte may take to be read, and nanoseconds that an operation may take
BYTE, OPERATION = 5e-6, 100


def test_every_claim_has_a_generator() -> None:
    known = {generator.claim.split(",")[0] for generator in GENERATORS.values()}
    assert known >= CLAIMS.keys()
    assert "counterexample" in known


@pytest.mark.parametrize("name", GENERATORS)
def test_generators_make_files_that_are_well_formed(name: str) -> None:
    """At the least sizes, and in the middle with few operations; a malformed file is an AssertionError."""
    generator = GENERATORS[name]
    least = {size: low for size, (low, _) in generator.ranges.items()}
    for sizes, operations in ((least, STEP), (middle(generator), STEP // 100)):
        found = measured(file_of(generator, sizes), operations)
        assert found.operations <= operations


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
    assert found.python.seconds < SECONDS, found
    assert found.python.megabytes < MEGABYTES, found
    assert found.python.verdict, found  # an answer, and no traceback


@pytest.mark.slow
@pytest.mark.timeout(3600)
def test_seconds_for_each_charged_operation_are_alike() -> None:
    """Within a factor of 20 over the costliest file of every generator; work that is not charged is reading."""
    rates: dict[str, float] = {}
    for name, generator in GENERATORS.items():
        raw = file_of(generator, worst(generator, random.Random(name), SEARCH / 2))
        found: Measured = min((measured(raw, STEP) for _ in range(3)), key=lambda one: one.seconds)
        assert found.seconds < BYTE * len(raw) + OPERATION * 1e-9 * found.operations, (name, found)
        if found.operations > STEP // 10:
            rates[name] = found.nanoseconds
        print(f"{name}: {found.seconds:.2f} s, {found.operations:,} operations, {found.nanoseconds:.1f} ns")
    assert len(rates) > 25
    assert max(rates.values()) < 20 * min(rates.values()), sorted(rates.items(), key=lambda pair: pair[1])
