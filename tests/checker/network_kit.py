"""Networks with small random weights as certificates of `argmax` and `enclosure`."""

from __future__ import annotations

import base64
import hashlib
import random
import struct
from fractions import Fraction
from typing import Any

from checker_kit import Lines

from proofs_check import Limits
from proofs_check.core.budget import Budget
from proofs_check.networks.architecture import Architecture, read_architecture, tensors
from proofs_check.networks.evaluation import Network

SMALL: dict[str, Any] = {
    "exactformer": "certificate", "version": [1, 2], "claim": "argmax", "dim": 4, "heads": 2, "hidden": 3, "blocks": 1,
    "shared": False, "vocabulary": 3, "positions": 3, "types": 0, "classes": 3, "norm": "none", "embedding_norm": False,
    "final_norm": False, "activation": "relu", "causal": False, "head": "free", "epsilon": "1/100000", "bits": 96,
    "at": "last", "weights": "", "inline": 1, "cases": 1, "domains": 0,
}  # fmt: skip


def architecture(header: dict[str, Any]) -> Architecture:
    return read_architecture(header | {"cases": 1}, Budget(Limits()))


def weight_string(header: dict[str, Any], seed: int) -> bytes:
    """Random weights; gains near 1."""
    rng, found = random.Random(seed), []
    for name, (rows, columns) in tensors(architecture(header)):
        spread = rng.choice([0.3, 0.7])
        for _ in range(rows * columns):
            found.append(rng.gauss(1.0 if "gain" in name else 0.0, spread))
    return struct.pack(f"<{len(found)}f", *found)


def weight_lines(text: bytes) -> Lines:
    parts = [text[k : k + 49152] for k in range(0, len(text), 49152)]
    return [{"weights": i, "f32": base64.b64encode(part).decode()} for i, part in enumerate(parts)]


def pieces(header: dict[str, Any], text: bytes) -> dict[str, tuple[tuple[int, int], bytes]]:
    found, start = {}, 0
    for name, (rows, columns) in tensors(architecture(header)):
        found[name] = (rows, columns), text[start : start + 4 * rows * columns]
        start += 4 * rows * columns
    return found


def outputs(header: dict[str, Any], text: bytes, ids: list[int], types: list[int]) -> list[tuple[list[int], int]]:
    """Centres and radii over 2^bits at every position."""
    network = Network(architecture(header), pieces(header, text), Budget(Limits()))
    return network.outputs(ids, types, range(len(ids)))


def best(output: tuple[list[int], int]) -> int:
    return output[0].index(max(output[0]))


def certificate(inputs: list[list[int]], seed: int = 0, *, beside: bool = False, **changes: Any) -> Lines:
    """The lines of an `argmax` certificate about these inputs."""
    header = SMALL | changes
    text = weight_string(header, seed)
    lines = [] if beside else weight_lines(text)
    cases = []
    for i, ids in enumerate(inputs):
        types = [(i + k) % header["types"] for k in range(len(ids))] if header["types"] else []
        classes = [best(output) for output in outputs(header, text, ids, types)]
        row = {"case": i, "ids": ids, "argmax": classes if header["at"] == "every" else classes[-1]}
        cases.append(row | ({"types": types} if types else {}))
    top = header | {"weights": hashlib.sha256(text).hexdigest(), "inline": len(lines), "cases": len(cases)}
    return [top, *lines, *cases]


def with_domain(lines: Lines, ranges: list[list[int]], text: bytes) -> Lines:
    """The certificate with a domain, the classes of which stand in a table."""
    from itertools import product

    header = lines[0]
    classes = []
    for ids in product(*[range(a, b + 1) for a, b in ranges]):
        classes.append(best(outputs(header, text, list(ids), [0] * len(ids) if header["types"] else [])[-1]))
    parts = [classes[k : k + 4096] for k in range(0, len(classes), 4096)]
    table = [{"table": j, "argmax": part} for j, part in enumerate(parts)]
    domain = {"domain": header["domains"], "ids": ranges, "function": {"table": len(parts)}}
    return [header | {"domains": header["domains"] + 1}, *lines[1:], domain, *table]


def enclosures(inputs: list[list[int]], seed: int = 0, slack: Fraction = Fraction(1, 2**40), **changes: Any) -> Lines:
    """The lines of an `enclosure` certificate: centres rounded, radii with so much slack."""
    header = {key: value for key, value in (SMALL | changes).items() if key != "at"} | {"claim": "enclosure"}
    text = weight_string(header, seed)
    cases = []
    for i, ids in enumerate(inputs):
        types = [0] * len(ids) if header["types"] else []
        m, r = outputs(header, text, ids, types)[0]
        one = 2 ** header["bits"]
        row = {
            "case": i,
            "ids": ids,
            "at": 0,
            "centre": [str(Fraction(x, one)) for x in m],
            "radius": str(Fraction(r, one) + slack),
        }
        cases.append(row | ({"types": types} if types else {}))
    lines = weight_lines(text)
    top = header | {"weights": hashlib.sha256(text).hexdigest(), "inline": len(lines), "cases": len(cases)}
    return [top, *lines, *cases]
