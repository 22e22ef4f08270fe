"""The checker extracted from Rocq as JavaScript (proofs_check/verified/script): its integers, and its verdicts beside the native ones."""

from __future__ import annotations

import json
import math
import random
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from test_three_checkers import NODE, ROOT, known_mutants, told
from test_verified_checker import CORPUS, PROGRAM, verdicts

HERE = Path(__file__).parent
SCRIPT = PROGRAM.with_name("proofs-check-verified.js")
INTEGERS = ROOT / "proofs_check" / "verified" / "script" / "integers.js"

needs_node = pytest.mark.skipif(NODE is None, reason="node is not installed")
built = pytest.mark.skipif(
    NODE is None or not SCRIPT.exists(), reason="the script is not built here: `make verified` with js_of_ocaml"
)


def in_node(paths: list[Path]) -> list[dict[str, str]]:
    """What the script says of each file."""
    command = [str(NODE), str(HERE / "verified_in_node.js"), str(SCRIPT), *map(str, paths)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return [json.loads(line) for line in done.stdout.splitlines()]


# ---- integers ----

#: where one representation ends and the other begins, and where words do
EDGES = [0, 1, 2, 3, 2**31, 2**32, 2**52, 2**53, 2**54, 2**63, 2**64, 2**106, 2**128, 2**1000, 10**30]


def pairs(seed: int, count: int) -> Iterator[tuple[int, int]]:
    """Integers near the edges and of all lengths, the second sometimes a divisor or a neighbour of the first."""
    rng = random.Random(seed)

    def one() -> int:
        near = rng.choice(EDGES) + rng.randint(-3, 3)
        return rng.choice((-1, 1)) * rng.choice((near, rng.getrandbits(rng.randint(1, 200))))

    for _ in range(count):
        x, y = one(), one()
        yield (x * y, y) if rng.random() < 0.2 else (x, x + rng.randint(-1, 1)) if rng.random() < 0.2 else (x, y)


def expected(x: int, y: int) -> list[object]:
    """By Python: binary operations, then unary ones; the size in words is of what is no safe integer."""
    bits = abs(x).bit_length()
    words = 1 if bits < 54 else math.ceil(bits / 64)
    binary = (x + y, x * y, x // y if y else "-", math.gcd(x, y), int(x == y), int(x <= y), int(x < y))
    return [*binary, -x, x >> 1, x % 2, (x > 0) - (x < 0), words]


def wrong_integers(integers: Path, cases: list[tuple[int, int]]) -> int:
    """On how many pairs the primitives of a file are wrong; all of them, if one of them fails."""
    text = "".join(f"{x} {y}\n" for x, y in cases)
    command = [str(NODE), str(HERE / "integers_in_node.js"), str(integers)]
    done = subprocess.run(command, input=text, capture_output=True, text=True, check=False)
    if done.returncode:
        return len(cases)
    found = [line.split() for line in done.stdout.splitlines()]
    return sum(one != list(map(str, expected(*pair))) for pair, one in zip(cases, found, strict=True))


@needs_node
def test_integers_are_pythons() -> None:
    assert wrong_integers(INTEGERS, list(pairs(41, 4_000))) == 0


@needs_node
@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("if (Number.isSafeInteger(sum)) return sum;", "return sum;"),
        ("if (Number.isSafeInteger(product)) return product + 0;", "return product + 0;"),
        ("return product + 0;", "return product;"),
        ("x > -BigInt(9007199254740992)", "x >= -BigInt(9007199254740992)"),
        ("x < BigInt(9007199254740992) ?", "x <= BigInt(9007199254740992) ?"),
        ("if (rest != 0 && rest < 0 != y < 0) quotient--;", ""),
        ("return x < 0 ? integer_neg(x) : x;", "return x;"),
        ("Math.floor(x / 2)", "Math.trunc(x / 2)"),
        ("{ return +(x <= y); }", "{ return +(x < y); }"),
        ("64 * words, y", "32 * words, y"),
    ],
)
def test_a_planted_bug_in_the_integers_is_seen(old: str, new: str, tmp_path: Path) -> None:
    text = INTEGERS.read_text()
    assert text.count(old) == 1, old
    (tmp_path / "integers.js").write_text(text.replace(old, new))
    assert wrong_integers(tmp_path / "integers.js", list(pairs(42, 4_000))) > 0


# ---- verdicts ----


@built
@pytest.mark.parametrize("step", [11, pytest.param(1, marks=pytest.mark.slow)])
def test_the_corpus_has_the_verdicts_of_the_native_program(step: int) -> None:
    """Where a count is too long for 32 bits the script declines; no other verdict differs.

    Of stages some files take a minute there, since powers are written out: they are left to the slow test.
    """
    entries = json.loads((CORPUS / "index.json").read_text())
    paths = [CORPUS / entry["file"] for entry in entries[::step] if step == 1 or "stages" not in entry["file"]]
    found = in_node(paths)
    differing = [
        (path.name, native, script["verdict"])
        for path, native, script in zip(paths, verdicts(paths), found, strict=True)
        if native != script["verdict"] and "too large for a machine integer" not in script["why"]
    ]
    assert differing == []
    assert {one["verdict"] for one in found} == {"accepted", "rejected", "malformed", "declined"}


@built
def test_mutants_have_the_verdicts_of_the_native_program(tmp_path: Path) -> None:
    paths = known_mutants(314, 400, tmp_path)
    native = told([str(PROGRAM)], paths)
    script = ["unknown" if "does not know" in one["why"] else one["verdict"] for one in in_node(paths)]
    # of two faults the native reader of numbers may see the other one first
    faults = [{"rejected", "malformed"} if one in ("rejected", "malformed") else {one} for one in native]
    assert [pair for pair in zip(native, script, faults, strict=True) if pair[1] not in pair[2]] == []
    assert min(native.count(verdict) for verdict in ("accepted", "rejected", "malformed")) > 30


@built
def test_a_list_too_long_for_the_stack_is_declined(tmp_path: Path) -> None:
    """Never accepted, and no crash: the stack of a page cannot be raised."""
    data = json.dumps([["0"]] * 60_000)
    (tmp_path / "tokens.jsonl").write_text(
        '{"exactformer":"certificate","version":[1,0],"claim":"interpolation","attention":"hardmax","dim":1,"blocks":0,"sequences":1}\n'
        f'{{"sequence":0,"tokens":{data},"targets":[["0"]]}}\n{{"end":true,"sha256":"{"0" * 64}"}}\n'
    )
    [found] = in_node([tmp_path / "tokens.jsonl"])
    assert (found["verdict"], "stack" in found["why"]) == ("declined", True)


@pytest.mark.skipif(shutil.which("make") is None, reason="make is not installed")
def test_without_js_of_ocaml_it_says_what_to_install(tmp_path: Path) -> None:
    make = [
        str(shutil.which("make")),
        "-C",
        str(PROGRAM.parents[1]),
        "-o",
        str(PROGRAM.relative_to(PROGRAM.parents[1])),
    ]
    done = subprocess.run(
        [*make, "-W", "script/z.ml", "script"],
        capture_output=True,
        text=True,
        check=False,
        env={"PATH": str(tmp_path), "SHELL": "/bin/sh"},
    )
    assert done.returncode != 0
    assert "apt-get install --no-install-recommends js-of-ocaml" in done.stderr
