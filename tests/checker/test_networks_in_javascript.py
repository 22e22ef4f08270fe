"""The claims `argmax` and `enclosure` in both checkers: the same integers bit for bit, the same verdicts on forgeries."""

from __future__ import annotations

import hashlib
import json
import random
import shutil
import struct
import subprocess
from pathlib import Path
from typing import Any

import hostile_networks
import pytest
from checker_kit import CORPUS, Lines, body, sealed
from network_kit import SMALL, certificate, outputs, weight_lines, weight_string
from network_truth import argmax
from test_networks import drawn

from proofs_check import Limits, check
from proofs_check.core.verdict import Refusal
from proofs_check.networks.evaluation import Undecided

NODE = shutil.which("node")
HERE = Path(__file__).resolve().parent
CHECKER = CORPUS.parent / "js" / "check.js"
pytestmark = pytest.mark.skipif(NODE is None, reason="node is not installed: the JavaScript checker is not tested")


def wild(rng: random.Random, header: dict[str, Any], seed: int) -> bytes:
    """A weight string; in one network of three a tenth of the weights has an exponent from -140 to 40."""
    text = weight_string(header, seed)
    values = list(struct.unpack(f"<{len(text) // 4}f", text))
    if seed % 3 == 0:
        values = [x * 2.0 ** rng.randint(-140, 40) if rng.random() < 0.1 else x for x in values]
    return struct.pack(f"<{len(values)}f", *values)


def in_python(header: dict[str, Any], text: bytes, ids: list[int], types: list[int]) -> Any:
    try:  # bits that do not hold a weight are a refusal
        return [[[str(x) for x in m], str(r)] for m, r in outputs(header, text, ids, types)]
    except (Undecided, Refusal):
        return None


def compared(count: int, seed: int) -> tuple[list[Any], list[Any]]:
    """Centres and radii of random networks in Python and in JavaScript."""
    rng, expected, lines = random.Random(seed), [], []
    for k in range(count):
        header = drawn(rng) | {"bits": rng.choice([149, 200, 480] if k % 3 == 0 else [32, 80, 96, 149, 200])}
        text = wild(rng, header, k)
        ids = [rng.randrange(header["vocabulary"]) for _ in range(rng.randint(1, 3))]
        types = [rng.randrange(header["types"]) for _ in ids] if header["types"] else []
        top = header | {"weights": hashlib.sha256(text).hexdigest(), "inline": 1}
        lines.append({"header": top, "lines": weight_lines(text), "ids": ids, "types": types})
        expected.append(in_python(header, text, ids, types))
    command = [str(NODE), str(HERE / "network_outputs.js")]
    done = subprocess.run(command, input=body(lines), capture_output=True, timeout=200, check=True)
    return expected, [json.loads(line) for line in done.stdout.splitlines()]


def test_the_same_integers() -> None:
    expected, found = compared(60, 11)
    assert found == expected
    assert sum(x is not None for x in found) > 40


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(20))
def test_the_same_integers_again_and_again(seed: int) -> None:
    expected, found = compared(200, 100 + seed)
    assert found == expected


def test_forged_certificates_are_refused_by_both(tmp_path: Path) -> None:
    """Random edits of a true certificate: both checkers say the same, and neither accepts what is false."""
    rng, paths, expected = random.Random(3), [], []
    for k in range(60):
        kind = rng.choice([{}, {"norm": "pre", "activation": "gelu"}, {"norm": "post", "activation": "gelu_tanh"}])
        lines = forged(rng, certificate([[0, 1, 2], [2, 1]], k, **kind))
        paths.append(tmp_path / f"{k}.jsonl")
        paths[-1].write_bytes(sealed(lines))
        expected.append(check(str(paths[-1])).verdict)
        assert expected[-1] != "accepted" or argmax(lines)
    done = subprocess.run([str(NODE), str(CHECKER), "--json", *map(str, paths)], capture_output=True, timeout=100)
    found = [json.loads(line)["verdict"] for line in done.stdout.splitlines()]
    assert found == expected
    assert min(found.count(verdict) for verdict in ("accepted", "rejected", "malformed")) > 8


def forged(rng: random.Random, lines: Lines) -> Lines:
    """One number or word of a certificate is another one."""
    key, values = rng.choice(
        [
            ("argmax", [0, 1, 2, 3]),
            ("ids", [[0], [2, 2], [1, 0, 1], [0, 3]]),
            ("norm", ["pre", "post", "none"]),
            ("heads", [1, 4, 3]),
            ("activation", ["relu", "gelu", "gelu_tanh"]),
            ("epsilon", ["1/2", "1/3", "0"]),
            ("bits", [32, 31, 480]),
        ]
    )
    place = rng.choice(lines[-2:]) if key in ("argmax", "ids") else lines[0]
    place[key] = rng.choice([value for value in values if value != place[key]])
    return lines


def test_weights_beside_the_certificate(tmp_path: Path) -> None:
    lines, text = certificate([[0, 1]], 7, beside=True), weight_string(SMALL, 7)
    path, beside = tmp_path / "c.jsonl", tmp_path / "weights"
    path.write_bytes(sealed(lines))
    for raw, code in ((text, 0), (text[:-1], 3), (text[:-1] + b"\1", 3)):
        beside.write_bytes(raw)
        assert subprocess.run([str(NODE), str(CHECKER), str(path), "--weights", str(beside)]).returncode == code
    assert subprocess.run([str(NODE), str(CHECKER), str(path)]).returncode == 4
    assert subprocess.run([str(NODE), str(CHECKER), str(path), "--weights", str(tmp_path / "none")]).returncode == 2


@pytest.mark.parametrize("kind", ["relu", "gelu", "gelu_tanh"])
def test_parts_of_one_coordinate_are_charged_for_their_calls(tmp_path: Path, kind: str) -> None:
    """A pre-norm block takes some 40 microseconds at least, however small: 2,000 operations; both checkers agree."""
    deep = hostile_networks.TINY | {"shared": True, "activation": kind, "norm": "pre"}
    first = {"head bias": [1.0, 0.0]}
    charges = []
    for blocks in (9, 10):
        lines = hostile_networks.network(hostile_networks.inputs(1, 1), first, 2.0**-5, **deep, blocks=blocks)
        path = tmp_path / f"{blocks}.jsonl"
        path.write_bytes(sealed(lines))
        charges.append(least_limit(path))
        for operations, verdict in ((charges[-1], "accepted"), (charges[-1] - 1, "declined")):
            command = [str(NODE), str(CHECKER), str(path), "--max-operations", str(operations)]
            done = subprocess.run(command, capture_output=True, text=True, check=False)
            assert done.stdout.startswith(verdict), done.stdout
    assert charges[1] - charges[0] >= 2000


def least_limit(path: Path) -> int:
    """The operations with which the Python checker accepts, and not with one less."""
    low, high = 0, 10**6
    while high - low > 1:
        middle = (low + high) // 2
        accepted = check(str(path), limits=Limits(operations=middle)).verdict == "accepted"
        low, high = (low, middle) if accepted else (middle, high)
    return high
