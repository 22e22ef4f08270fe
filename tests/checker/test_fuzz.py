"""Arbitrary bytes never make the checker raise, and none are accepted unless they are a sealed certificate."""

from __future__ import annotations

import os
import random
import time
from pathlib import Path

import pytest
from checker_kit import CORPUS, seal
from hypothesis import given, settings
from hypothesis import strategies as st

from proofs_check import Limits, check

FILES = sorted(path.read_bytes() for path in CORPUS.glob("*/*.jsonl") if path.stat().st_size < 3000)
LIMITS = Limits(operations=200_000, bytes=100_000, line=50_000, digits=500, bits=5_000)
VERDICTS = {"accepted", "rejected", "malformed", "declined"}


def verdict(raw: bytes, folder: Path) -> str:
    path = folder / "fuzzed"
    path.write_bytes(raw)
    found = check(str(path), str(path) if len(raw) % 7 == 0 else None, LIMITS).verdict
    assert found in VERDICTS
    return found


@settings(max_examples=300, derandomize=False)
@given(raw=st.binary(max_size=400) | st.text(max_size=200).map(lambda text: text.encode("utf-8", "surrogatepass")))
def test_arbitrary_bytes(raw: bytes, tmp_path_factory: pytest.TempPathFactory) -> None:
    folder = tmp_path_factory.getbasetemp()
    assert verdict(raw, folder) != "accepted"
    assert verdict(seal(raw + b"\n"), folder) != "accepted"


def spliced(rng: random.Random) -> bytes:
    """A certificate with some of its bytes replaced, removed, doubled or taken from another one, sealed again."""
    raw = bytearray(b"".join(rng.choice(FILES).splitlines(keepends=True)[:-1]))
    for _ in range(rng.randint(1, 4)):
        i, length = rng.randrange(len(raw) + 1), rng.choice([0, 1, 1, 2, 8, 40])
        piece = rng.choice(FILES)
        j = rng.randrange(len(piece) + 1)
        new = rng.choice(
            [
                b"",
                bytes([rng.randrange(256)]),
                piece[j : j + length],
                rng.choice([b"0", b"1", b"-", b"/", b'"', b",", b"[", b"]", b"{", b"}", b"true", b"null", b"1e9"]),
            ]
        )
        raw[i : i + length] = new
    return seal(bytes(raw))


def test_spliced_certificates(tmp_path: Path) -> None:
    rng = random.Random(11)
    found = {verdict(spliced(rng), tmp_path) for _ in range(500)}
    assert {"rejected", "malformed"} <= found


@pytest.mark.slow
@pytest.mark.timeout(3600)
def test_spliced_certificates_for_long(tmp_path: Path) -> None:
    """As many seconds as EXACTFORMER_FUZZ_SECONDS says, 600 by default."""
    seed, end = time.time_ns(), time.monotonic() + int(os.environ.get("EXACTFORMER_FUZZ_SECONDS", "600"))
    print("seed", seed)
    rng = random.Random(seed)
    while time.monotonic() < end:
        verdict(spliced(rng), tmp_path)
