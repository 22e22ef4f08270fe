"""Domains of inputs: which inputs, in which order, with which classes; what does not fit a network."""

from __future__ import annotations

from itertools import product
from pathlib import Path

import numpy as np
import pytest

import exactformer as ef
from exactformer.model.domain import Domain, domain_of, product_of


def rows(domain: Domain) -> list[tuple[list[int], int]]:
    """The inputs in their order."""
    found = [(p, ids, k) for part in domain.parts for p, ids, k in zip(part.places, part.ids, part.labels, strict=True)]
    return [(ids.tolist(), int(k)) for _, ids, k in sorted(found, key=lambda row: int(row[0]))]


def test_sums() -> None:
    p = 5
    assert rows(domain_of(f"sum-mod:{p}")) == [([a, b, p], (a + b) % p) for a, b in product(range(p), repeat=2)]


def test_products_are_lexicographic() -> None:
    ranges = [(0, 2), (4, 4), (1, 3)]
    expected = list(product(*(range(a, b + 1) for a, b in ranges)))
    assert [tuple(row) for row in product_of(ranges).tolist()] == expected


@pytest.mark.parametrize("begin", [None, 7])
def test_words(begin: int | None) -> None:
    domain = Domain.of_words("w", 2, 3, lambda n: np.arange(2**n) % 2, begin)
    first = [] if begin is None else [begin]
    expected = [
        (first + list(word), list(word)[-1] if word else 0)
        for n in range(0 if first else 1, 4)
        for word in product(range(2), repeat=n)
    ]
    assert rows(domain) == expected


def test_a_file_keeps_its_order_and_its_repetitions(tmp_path: Path) -> None:
    path = tmp_path / "rows.csv"
    path.write_text("1, 2,0\n3,1\n\n1,2,0\n0,0,0,4\n")
    assert rows(Domain.read(path)) == [([1, 2], 0), ([3], 1), ([1, 2], 0), ([0, 0, 0], 4)]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "at least one input"),
        ("1\n", "line 1: expected id1,..,idn,label"),
        ("1,2\n1,-2,0\n", "line 2, field 2"),
        ("1,2\n1,x,0\n", "line 2, field 2"),
        ("1,2.0\n", "field 2"),
        ("1,,2\n", "field 2"),
        ("1,²\n", "field 2"),
        ("1," + "9" * 40, "field 2"),
    ],
)
def test_bad_files(text: str, message: str, tmp_path: Path) -> None:
    path = tmp_path / "rows.csv"
    path.write_text(text)
    with pytest.raises((ef.Malformed, ef.InvalidInput), match=message):
        Domain.read(path)


def test_bytes_that_are_no_text(tmp_path: Path) -> None:
    path = tmp_path / "rows.csv"
    path.write_bytes(b"\xff\xfe1,2")
    with pytest.raises(ef.Malformed, match="text file"):
        Domain.read(path)


@pytest.mark.parametrize("text", ["sum-mod:", "sum-mod:x", "sum-mod:1", "sum-mod:-3", "sum-mod:3.0"])
def test_bad_sums(text: str) -> None:
    with pytest.raises(ef.InvalidInput, match="sum-mod"):
        domain_of(text)


def test_too_many_inputs_are_refused_before_they_are_made() -> None:
    with pytest.raises(ef.InvalidInput, match="at most"):
        domain_of("sum-mod:999999999")
    with pytest.raises(ef.InvalidInput, match="at most"):
        Domain.of_words("w", 2, 60, lambda n: np.zeros(2**n, np.int64))


def test_what_a_network_cannot_read_is_named() -> None:
    shape = ef.Architecture(dim=2, heads=1, hidden=1, blocks=0, vocabulary=3, positions=2, classes=2, norm="none")
    network = ef.Network(shape, {name: np.zeros(s, np.float32) for name, s in shape.shapes.items()})
    for rows, message in (
        ([([0], 0), ([0, 1, 2], 0)], "input 1 .* at most 2 ids, got 3"),
        ([([0, 1], 0), ([0, 3], 0)], "input 1 with ids .0, 3.: expected ids from 0 to 2, got 3"),
        ([([0, 1], 2)], "a class from 0 to 1, got 2"),
    ):
        with pytest.raises(ef.InvalidInput, match=message):
            Domain.of_rows("rows", rows).verify_for(network)
