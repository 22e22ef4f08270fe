"""Tasks on sequences as finite domains: majority of bits, and copying and sorting, one output token after the other."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import product

from exactformer.errors import InvalidInput
from exactformer.languages.words import words
from exactformer.model.domain import Domain, verify_count

#: name of a task -> what it does with a sequence of numbers
_OUTPUTS: dict[str, Callable[[tuple[int, ...]], tuple[int, ...]]] = {
    "copy": lambda numbers: numbers,
    "sort": lambda numbers: tuple(sorted(numbers)),
}
NAMES = ("majority", *_OUTPUTS)


def sequence_task(text: str) -> Domain:
    """The domain of majority:n, copy:n or sort:n.

    majority:n are all words of 0 and 1 up to n letters, after the id 2; class 1 if there are more 1 than 0. copy:n and
    sort:n are all sequences of n numbers below n (at least of 2), a mark, and so much of the right output as has been
    written; the class is the next number of it. Right on every input, greedy decoding gives the right output.

    >>> found = sequence_task("sort:2")
    >>> [(ids.tolist(), int(k)) for part in found.parts for ids, k in zip(part.ids, part.labels)][2:6]
    [([1, 0, 2], 0), ([1, 1, 2], 1), ([0, 0, 2, 0], 0), ([0, 1, 2, 0], 1)]
    """
    name, _, number = text.partition(":")
    if name not in NAMES or not number.isascii() or not number.isdigit() or not 1 <= len(number) <= 4:
        raise InvalidInput(f"expected a task such as majority:8, copy:4 or sort:4, got {text!r:.60}")
    n = int(number)
    if n < 1:
        raise InvalidInput(f"{text}: expected at least one letter")
    if name == "majority":
        found = words("01", n, "majority", begin=2)
        return Domain(text, found.parts)
    base = max(n, 2)
    verify_count(n * base**n * 2 * n)
    return Domain.of_rows(text, _steps(_OUTPUTS[name], n, base))


def _steps(output: Callable[[tuple[int, ...]], tuple[int, ...]], n: int, base: int) -> Iterator[tuple[list[int], int]]:
    """(ids, next number) of every sequence of n numbers below `base`, step by step; the mark is the id `base`."""
    for numbers in product(range(base), repeat=n):
        right = output(numbers)
        for k in range(n):
            yield [*numbers, base, *right[:k]], right[k]
