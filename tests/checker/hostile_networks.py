"""Networks under a megabyte that would like to cost hours or gigabytes: certificates of `argmax` and `enclosure`."""

from __future__ import annotations

import hashlib
import struct
from collections.abc import Iterator, Mapping
from typing import Any

from checker_kit import Lines
from network_kit import SMALL, architecture, weight_lines

from proofs_check.networks.architecture import tensors

TINY: dict[str, Any] = {"dim": 1, "heads": 1, "hidden": 1, "vocabulary": 2, "positions": 2, "classes": 2}
SHARED: dict[str, Any] = {"blocks": 1000, "shared": True}
LARGE = 2.0**127
#: no scores and no values: the state is moved by the feed-forward part alone
GROWING = {"up": LARGE, "down": LARGE}


def weight_string(header: dict[str, Any], values: Mapping[str, float | list[float]], otherwise: float) -> bytes:
    """Weights by the last word of the names of their tensors; a list of values is repeated."""
    found: list[float] = []
    for name, (rows, columns) in tensors(architecture(header)):
        value = values.get(name, values.get(name.split(maxsplit=2)[-1], otherwise))
        row = value if isinstance(value, list) else [value]
        found += (row * (rows * columns // len(row) + 1))[: rows * columns]
    return struct.pack(f"<{len(found)}f", *found)


def network(cases: Lines, values: Mapping[str, Any], otherwise: float = 0.0, **changes: Any) -> Lines:
    """The certificate of a network with these weights; a line of `cases` is a case if it has no other key."""
    top = SMALL | changes
    text = weight_string(top, values, otherwise)
    lines = weight_lines(text)
    numbers = {key: sum(key in line for line in cases) for key in ("case", "domain")}
    counts = {"cases": numbers["case"], "domains": numbers["domain"], "inline": len(lines)}
    return [top | counts | {"weights": hashlib.sha256(text).hexdigest()}, *lines, *cases]


def inputs(count: int, length: int, vocabulary: int = 2) -> Lines:
    """So many cases of so many tokens."""
    rows = [[(i + k * k) % vocabulary for k in range(length)] for i in range(count)]
    return [{"case": i, "ids": ids, "argmax": 0} for i, ids in enumerate(rows)]


def domain(*ranges: list[int], function: Any = None) -> Lines:
    """All tuples of a product, claimed to be of class 0."""
    constant = {"sum": [0] * len(ranges), "plus": 0, "mod": 1}
    return [{"domain": 0, "ids": list(ranges), "function": function or constant}]


def named() -> Iterator[tuple[str, Lines]]:
    """The cases by hand."""
    first = {"head bias": [1.0, 0.0]}  # class 0 is right: no input ends the work
    for kind in ("relu", "gelu", "gelu_tanh"):
        for p in (32, 480):
            wide = {**TINY, "hidden": 2000, "activation": kind, "bits": p}
            yield f"network: {kind} at {p} bits", network(inputs(9000, 2), first, 2.0**-5, **wide)
        deep = {**TINY, **SHARED, "activation": kind, "norm": "pre"}
        yield f"network: {kind} in shared blocks", network(inputs(9000, 2), first, 2.0**-5, **deep)
    for norm in ("none", "post"):
        deep = {**TINY, **SHARED, "norm": norm, "embedding_norm": True, "final_norm": True, "bits": 400}
        yield f"network: shared blocks, norm {norm}", network(inputs(9000, 2), first, 2.0**-5, **deep)
    heads = {**TINY, **SHARED, "dim": 64, "heads": 64}
    yield "network: many heads", network(inputs(900, 2), first, 2.0**-9, **heads)
    for length in (30_000, 300):
        long = {**TINY, "positions": length, "blocks": 2, "bits": 480}
        yield f"network: {length} tokens", network(inputs(3, length), first, 2.0**-5, **long)
        yield f"network: {length} tokens, causal", network(inputs(3, length), first, 2.0**-5, **long, causal=True)
    every = {**TINY, "positions": 20_000, "at": "every"}
    cases = [{"case": 0, "ids": [0] * 20_000, "argmax": [0] * 20_000}]
    yield "network: every position", network(cases, first, 2.0**-5, **every)
    yield "network: a wide matrix", network(inputs(5000, 2), first, 2.0**-9, **TINY | {"dim": 120, "hidden": 120})
    classes = {**TINY, "classes": 60_000, "blocks": 0, "types": 0}
    yield "network: many classes", network(inputs(2000, 1), {"head bias": [1.0, *[0.0] * 59_999]}, **classes)
    yield from domains(first)
    yield from long_numbers(first)


def domains(first: dict[str, Any]) -> Iterator[tuple[str, Lines]]:
    """Few bytes that name many tuples."""
    binary = {**TINY, "positions": 2000, "blocks": 0}
    yield "network: a domain of many tuples", network(domain(*[[0, 1]] * 24), first, **binary)
    yield "network: a domain of very many tuples", network(domain(*[[0, 1]] * 31), first, **binary)
    long = {**TINY, "positions": 60_000, "blocks": 0}
    yield "network: a domain of 2^30000 tuples", network(domain(*[[0, 1]] * 30_000), first, **long)
    table = domain(*[[0, 1]] * 30_000, function={"table": 1})
    yield "network: a table of 2^30000 tuples", network(table, first, **long)
    some = domain(*[[0, 1]] * 20, *[[0, 0]] * 1000)
    yield "network: a domain of long tuples", network(some, first, 2.0**-5, **{**TINY, "positions": 1020, "blocks": 1})
    yield "network: a domain without blocks", network(some, first, 2.0**-5, **binary)


def long_numbers(first: dict[str, Any]) -> Iterator[tuple[str, Lines]]:
    """Weights near the largest and the smallest of binary32, which make integers and radii long."""
    wide = {**TINY, **SHARED, "hidden": 40_000}
    yield "network: long integers, many units", network(inputs(1, 2), {"token": 1.0, **GROWING}, **wide)
    for hidden in (1, 2000):
        deep = {**TINY, **SHARED, "hidden": hidden, "bits": 149}
        yield f"network: long integers, {hidden} units", network(inputs(900, 2), {"token": 1.0, **GROWING}, **deep)
        some = {**deep, "blocks": 60}
        yield f"network: integers, {hidden} units", network(inputs(9000, 2), {"token": 1.0, **GROWING}, **some)
        gelu = {**deep, "activation": "gelu"}
        yield f"network: long gelu, {hidden} units", network(inputs(900, 2), {"token": 1.0, **GROWING}, **gelu)
    yield "network: long radii", network(inputs(9000, 2), {**first, **GROWING}, **TINY, **SHARED)
    epsilon = {**TINY, **SHARED, "norm": "pre", "epsilon": "1" + "0" * 3999}
    yield "network: a long epsilon", network(inputs(9000, 2), first, 2.0**-5, **epsilon)
    small = {"token": [2.0**-149, LARGE], "up": [2.0**-149, LARGE], "down": [2.0**-149, LARGE]}
    mixed = {**TINY, "dim": 2, "hidden": 30_000, "bits": 149, "blocks": 8, "shared": True}
    yield "network: wide exponents", network(inputs(900, 2), {**first, **small}, **mixed)
