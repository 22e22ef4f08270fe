"""Tasks as domains, against their definitions."""

from __future__ import annotations

from itertools import product

import pytest

import exactformer as ef
from exactformer.languages.sequence_tasks import sequence_task


def rows(text: str) -> set[tuple[tuple[int, ...], int]]:
    parts = sequence_task(text).parts
    return {(tuple(ids.tolist()), int(k)) for part in parts for ids, k in zip(part.ids, part.labels, strict=True)}


def test_majority() -> None:
    words = [word for n in range(6) for word in product((0, 1), repeat=n)]
    assert rows("majority:5") == {((2, *word), int(2 * sum(word) > len(word))) for word in words}


@pytest.mark.parametrize(("name", "function"), [("copy", list), ("sort", sorted)])
def test_copying_and_sorting(name: str, function: object) -> None:
    expected = set()
    for word in product(range(3), repeat=3):
        output = function(word)  # type: ignore[operator]
        expected |= {((*word, 3, *output[:k]), output[k]) for k in range(3)}
    assert rows(f"{name}:3") == expected


@pytest.mark.parametrize("text", ["copy:", "copy:0", "copy:-1", "copy:x", "sort:12345", "reverse:3", "copy:²"])
def test_what_is_no_task(text: str) -> None:
    with pytest.raises(ef.InvalidInput, match="expected"):
        sequence_task(text)


def test_too_many_inputs_are_refused() -> None:
    with pytest.raises(ef.InvalidInput, match="at most"):
        sequence_task("sort:40")
