"""The claims `argmax` and `enclosure`: containment against Arb at 300 bits, forgeries, limits, the weights of a caller.

The truth is computed by definition with balls of 300 bits, which share no line with the checker.
"""

from __future__ import annotations

import copy
import math
import random
import struct
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from checker_kit import Lines, sealed
from flint import arb, ctx
from network_kit import SMALL, certificate, enclosures, outputs, weight_string, with_domain
from network_truth import Truth

from proofs_check import Limits, Verdict, check
from proofs_check.core.verdict import Refusal
from proofs_check.networks.decisions import is_largest
from proofs_check.networks.functions import exponential, gelu, gelu_tanh
from proofs_check.networks.linear import Matrix


@pytest.fixture(autouse=True)
def many_bits() -> Any:
    before, ctx.prec = ctx.prec, 300
    yield
    ctx.prec = before


def judged(lines: Lines, path: Path, limits: Limits | None = None, weights: str | None = None) -> Verdict:
    path.write_bytes(sealed(lines))
    return check(str(path), None, limits, 1, weights)


def drawn(rng: random.Random) -> dict[str, Any]:
    """A random header."""
    head = rng.choice(["free", "tied", "none"])
    dim, vocabulary = rng.choice([2, 4, 6]), rng.randint(2, 4)
    return SMALL | {
        "dim": dim,
        "heads": rng.choice([1, 2]),
        "hidden": rng.randint(1, 5),
        "blocks": rng.randint(1, 3),
        "shared": rng.random() < 0.3,
        "vocabulary": vocabulary,
        "types": rng.choice([0, 0, 1, 2]),
        "classes": {"free": 3, "tied": vocabulary, "none": dim}[head],
        "norm": rng.choice(["pre", "post", "none"]),
        "embedding_norm": rng.random() < 0.3,
        "final_norm": rng.random() < 0.5,
        "activation": rng.choice(["relu", "gelu", "gelu_tanh"]),
        "causal": rng.random() < 0.5,
        "head": head,
        "bits": rng.choice([80, 96, 149, 200]),
    }


@pytest.mark.parametrize("seed", range(25))
def test_radii_contain_the_truth(seed: int) -> None:
    rng = random.Random(seed)
    header = drawn(rng)
    text = weight_string(header, seed)
    ids = [rng.randrange(header["vocabulary"]) for _ in range(rng.randint(1, 3))]
    types = [rng.randrange(header["types"]) for _ in ids] if header["types"] else []
    scale = arb(2) ** header["bits"]
    for (m, r), true in zip(outputs(header, text, ids, types), Truth(header, text).outputs(ids, types), strict=True):
        for a, b in zip(m, true, strict=True):
            assert abs(b * scale - a) <= r
        assert r < scale / 1000


@pytest.mark.parametrize("p", [32, 80, 149, 300])
def test_functions_contain_the_truth(p: int) -> None:
    rng, one = random.Random(p), arb(2) ** p
    ctx.prec = 3 * p + 900
    for _ in range(60):
        x = int(rng.gauss(0, 1) * rng.choice([1, 8, 20]) * 2**40) << p >> 40
        exact = arb(x) / one
        erf_form = exact * (1 + (exact / arb(2).sqrt()).erf()) / 2
        inner = (arb(2) / arb.pi()).sqrt() * (exact + arb(44715) / 1000000 * exact * exact * exact)
        tanh_form = exact * (1 + inner.tanh()) / 2
        values = ((gelu(x, p), erf_form), (gelu_tanh(x, p), tanh_form), (exponential(abs(x), p), (-abs(exact)).exp()))
        for (m, r), true in values:
            assert abs(true * one - m) <= r


# ---- the functions as FORMAT.md, section 16, has them, letter by letter ----


def floored_pi(bits: int) -> int:
    """4 (4 arctan(1/5) - arctan(1/239)) at bits + 16, every term with a floor."""

    def arctan(n: int) -> int:
        found, power, k = 0, (1 << bits + 16) // n, 0
        while power:
            found += (-1) ** k * (power // (2 * k + 1))
            power, k = power // n**2, k + 1
        return found

    return (16 * arctan(5) - 4 * arctan(239)) // 2**16


def format_exponential(t: int, p: int) -> tuple[int, int]:
    if t >= p * 2**p:
        return 0, 1
    k = len(f"{t // 2**p:b}".lstrip("0")) + 6
    s = p + k + 12
    y = t * 2 ** (s - p) // 2**k
    f = total = 2**s
    j = 0
    while f:
        j += 1
        f = f * y // 2**s // j
        total += (-1) ** j * f
    a = 2 * j + 2
    for _ in range(k):
        total, a = total**2 // 2**s, 2 * a + 2
    return total // 2 ** (s - p), -(-a // 2 ** (s - p)) + 1


def format_constants(p: int) -> tuple[int, int]:
    """B and G."""
    B = max(16, math.isqrt(2 * p) + 1)
    return B, p + 44 + 3 * B**2 // 4


def format_gelu(x: int, p: int) -> tuple[int, int]:
    B, G = format_constants(p)
    if abs(x) > B * 2**p:
        return max(x, 0), 1
    g = 41 + 3 * (x**2 // 2 ** (2 * p)) // 4
    P = p + g
    y = x**2 * 2**P // 2 ** (2 * p)
    t = S = 2**P
    n = 1
    while t:
        n += 2
        t = t * y // 2**P // n
        S += t
    E, a = format_exponential(y // 2, P)
    c = math.isqrt(2 ** (3 * G) // (2 * floored_pi(G))) // 2 ** (G - P)
    body = E * c // 2**P * y // 2**P * S // 2**P
    error = (a + 5) * (y * S // 2 ** (2 * P) + 2) + S // 2**P + 1 + 10 * (n + 2) + 256 * n**2 + 4
    return body // 2**g + x // 2, error // 2**g + 3


def format_gelu_tanh(x: int, p: int) -> tuple[int, int]:
    B, G = format_constants(p)
    if abs(x) > B * 2**p:
        return max(x, 0), 1
    P = p + 16
    a = 2**16 * abs(x)
    v = a + 44715 * a**3 // (10**6 * 2 ** (2 * P))
    c = math.isqrt(2 ** (2 * P + G + 3) // floored_pi(G))
    E, alpha = format_exponential(v * c // 2**P, P)
    q = a * 2**P // (2**P + E)
    return (q if x >= 0 else q - a) // 2**16, 2 + (B * (alpha + 2 * B + B**3 // 10 + 8) + 1) // 2**16


@pytest.mark.parametrize("p", [32, 80, 149, 480])
def test_functions_are_those_of_the_format_to_the_last_bit(p: int) -> None:
    """Every checker must find the same integers: the definitions, read from the page, give them and the radii."""
    rng, one = random.Random(p), 2**p
    B, _ = format_constants(p)
    places = [Fraction(k, 8) for k in (0, 1, 3, 8, 11, 27, 8 * B - 1, 8 * B)]
    numbers = [one * q.numerator // q.denominator for q in places] + [1, B * one + 1, rng.randrange(4 * one)]
    for x in (sign * x for x in numbers for sign in (1, -1)):
        assert gelu(x, p) == format_gelu(x, p)
        assert gelu_tanh(x, p) == format_gelu_tanh(x, p)
    for t in (*map(abs, numbers), p * one - 1, p * one, p * one + 1, 63 * one, 64 * one):
        assert exponential(t, p) == format_exponential(t, p)


def test_packed_columns_are_the_definition() -> None:
    from proofs_check.core.budget import Budget

    rng = random.Random(5)
    for rows, columns in ((1, 1), (3, 2), (7, 5)):
        values = [rng.gauss(0, 10.0 ** rng.randint(-30, 30)) for _ in range(rows * columns)]
        matrix = Matrix((rows, columns), struct.pack(f"<{len(values)}f", *values), [0] * rows, Budget(Limits()))
        for bits in (3, 200, 40):
            m = [rng.randint(-(2**bits), 2**bits) for _ in range(columns)]
            expected = [sum(w * x for w, x in zip(matrix.row(j), m, strict=True)) for j in range(rows)]
            assert matrix.sums(m, bits + 1) == expected


# ---- accepted ----

KINDS: list[dict[str, Any]] = [
    {},
    {"norm": "pre", "activation": "gelu", "final_norm": True},
    {"norm": "post", "activation": "gelu_tanh", "embedding_norm": True, "types": 2},
    {"at": "every", "causal": True, "blocks": 2},
    {"blocks": 2, "shared": True, "head": "tied"},
    {"blocks": 0, "head": "none", "classes": 4},
]


@pytest.mark.parametrize("kind", KINDS, ids=str)
def test_accepted(kind: dict[str, Any], tmp_path: Path) -> None:
    found = judged(certificate([[0, 1, 2], [2, 1], [1]], 7, **kind), tmp_path / "c.jsonl")
    assert found.verdict == "accepted", found
    assert "3 cases" in found.why
    assert "real arithmetic" in found.why


@pytest.mark.parametrize("kind", [{}, {"types": 1}], ids=str)
def test_domains(kind: dict[str, Any], tmp_path: Path) -> None:
    lines = with_domain(certificate([], 7, **kind), [[0, 2], [1, 2]], weight_string(SMALL | kind, 7))
    assert judged(lines, tmp_path / "c.jsonl").verdict == "accepted"
    classes = lines[-1]["argmax"]
    constant = copy.deepcopy(lines[:-1])
    constant[-1]["function"] = {"sum": [0, 0], "plus": classes[0], "mod": 3}
    expected = "accepted" if len(set(classes)) == 1 else "rejected"
    assert judged(constant, tmp_path / "c.jsonl").verdict == expected
    lines[-1]["argmax"] = [(k + 1) % 3 for k in classes]
    assert judged(lines, tmp_path / "c.jsonl").verdict == "rejected"


def test_enclosures(tmp_path: Path) -> None:
    lines = enclosures([[0, 1], [2]], 3, norm="pre", activation="gelu")
    assert judged(lines, tmp_path / "c.jsonl").verdict == "accepted"
    lines[-1]["radius"] = "0"
    assert judged(lines, tmp_path / "c.jsonl").verdict == "declined"
    lines[-1]["centre"][0] = "1000"
    assert judged(lines, tmp_path / "c.jsonl").verdict == "rejected"


# ---- refused ----

MALFORMED: dict[str, Any] = {
    "heads": 3, "hidden": 0, "blocks": 1001, "shared": 1, "vocabulary": True, "positions": 0, "types": 1001, "classes": 1,
    "norm": "Pre", "embedding_norm": None, "final_norm": "no", "activation": "silu", "causal": 0, "head": "tie",
    "epsilon": "0", "bits": 31, "at": "first", "weights": "0" * 64, "inline": 2, "cases": 0, "domains": 1, "dim": 8,
}  # fmt: skip


@pytest.mark.parametrize("key", MALFORMED)
def test_a_header_key_changed(key: str, tmp_path: Path) -> None:
    lines = certificate([[0, 1, 2]], 7)
    lines[0][key] = MALFORMED[key]
    assert judged(lines, tmp_path / "c.jsonl").verdict == "malformed"


MEANING = {"norm": "post", "activation": "gelu", "heads": 4, "causal": True, "head": "tied", "epsilon": "1/7"}


def test_a_header_key_that_means_another_network_is_used(tmp_path: Path) -> None:
    """Where the weights still fit, the numbers change; where they do not, the file is malformed."""
    kind = {"norm": "pre", "activation": "gelu_tanh", "blocks": 2}
    text, first = weight_string(SMALL | kind, 7), SMALL | kind
    right = outputs(first, text, [0, 1, 2], [])
    for key, value in MEANING.items():
        if key != "head":
            assert outputs(first | {key: value}, text, [0, 1, 2], []) != right, key


CASES: dict[str, Any] = {
    "negative": {"ids": [0, -1]}, "too large": {"ids": [0, 3]}, "true": {"ids": [0, True]}, "none": {"ids": []},
    "too many": {"ids": [0] * 4}, "class": {"argmax": 3}, "class true": {"argmax": True}, "list": {"argmax": [0]},
    "types": {"types": [0]}, "number": {"case": 1},
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_a_case_changed(name: str, tmp_path: Path) -> None:
    lines = certificate([[0, 1]], 7)
    lines[-1] |= CASES[name]
    assert judged(lines, tmp_path / "c.jsonl").verdict == "malformed"


def test_another_class_is_rejected_and_the_first_rejected_case_decides(tmp_path: Path) -> None:
    lines = certificate([[0, 1], [2]], 7)
    lines[-1]["argmax"] = (lines[-1]["argmax"] + 1) % 3
    found = judged(lines, tmp_path / "c.jsonl")
    assert (found.verdict, "case 1" in found.why) == ("rejected", True)


def test_a_tie_is_declined(tmp_path: Path) -> None:
    lines = certificate([[0, 1]], 7, head="none", classes=4, blocks=0, dim=4, heads=1)
    import base64
    import hashlib

    text = bytes(4 * (3 * 4 + 3 * 4))
    lines[0]["weights"], lines[1]["f32"] = hashlib.sha256(text).hexdigest(), base64.b64encode(text).decode()
    assert judged(lines, tmp_path / "c.jsonl").verdict == "declined"


def test_weights_changed_by_one_bit(tmp_path: Path) -> None:
    lines = certificate([[0, 1]], 7)
    lines[1]["f32"] = lines[1]["f32"].replace(lines[1]["f32"][5], "A" if lines[1]["f32"][5] != "A" else "B", 1)
    assert judged(lines, tmp_path / "c.jsonl").verdict == "malformed"


def test_weights_beside_the_certificate(tmp_path: Path) -> None:
    lines, text = certificate([[0, 1]], 7, beside=True), weight_string(SMALL, 7)
    path, beside = tmp_path / "c.jsonl", tmp_path / "weights"
    assert "--weights" in judged(lines, path).why
    for raw, verdict in ((text, "accepted"), (text[:-1], "malformed"), (text[:-1] + b"\1", "malformed")):
        beside.write_bytes(raw)
        assert judged(lines, path, None, str(beside)).verdict == verdict
    embedded = certificate([[0, 1]], 7)
    beside.write_bytes(text)
    assert judged(embedded, path, None, str(beside)).verdict == "accepted"
    beside.write_bytes(text[:-1] + b"\1")
    assert judged(embedded, path, None, str(beside)).verdict == "rejected"


def test_work_is_declined(tmp_path: Path) -> None:
    lines = certificate([[0, 1]], 7)
    for limits in (Limits(operations=5000), Limits(bits=90), Limits(memory=500), Limits(bytes=100)):
        assert judged(lines, tmp_path / "c.jsonl", limits).verdict == "declined"


def test_weights_are_for_networks_only(tmp_path: Path) -> None:
    from checker_kit import CORPUS

    example = str(CORPUS / "accept/worked_example.jsonl")
    found = check(example, weights=example)
    assert (found.verdict, "--weights" in found.why) == ("declined", True)


@pytest.mark.parametrize("r", [0, 1, 2, 3, 4, 5, 6, 50])
def test_a_class_is_the_largest_where_no_point_of_the_ball_says_otherwise(r: int) -> None:
    """The outputs are integers 2r + 1 wide: the first exceeds the second by 10 - 2r at least, by 10 + 2r at most."""
    assert is_largest(([10, 0, -7], r), 0) is (10 - 2 * r > 0)
    if 2 * r < 10:
        with pytest.raises(Refusal, match="class 1 is not the largest"):
            is_largest(([10, 0, -7], r), 1)
    else:
        assert is_largest(([10, 0, -7], r), 1) is False
