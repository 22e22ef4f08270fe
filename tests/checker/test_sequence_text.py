"""Sequence lines read at once are what they are by definition: the same values, the same refusals, the same charges."""

from __future__ import annotations

import json
import random
from fractions import Fraction
from io import BytesIO
from typing import Any

import pytest

from proofs_check.core.budget import Budget, Limits
from proofs_check.core.certificate import Certificate
from proofs_check.core.lines import Lines, parse
from proofs_check.core.subject import SequenceLines, read_sequence
from proofs_check.core.verdict import Refusal
from proofs_check.fast import SHORT_CUTS
from proofs_check.fast.sequence_text import SequenceText

RNG = random.Random(5)
KINDS = (("targets", "label"), ("targets",), ("label",), ())
DENOMINATORS = ([1], [1, 10], [1, 2, 4, 5, 10, 20, 25, 50, 100], list(range(1, 60)), [1, 10**17 + 3, 10**17 + 9], [7])


def certificate(text: bytes = b"", dim: int = 2, limits: Limits | None = None) -> Certificate:
    budget = Budget(limits or Limits())
    return Certificate({"sequences": 3}, dim, Lines(BytesIO(text), budget), budget, SHORT_CUTS)


def number(below: list[int]) -> str:
    return str(
        Fraction(RNG.choice([0, 1, -1, RNG.randint(-(10**17), 10**17), RNG.randint(-99, 99)]), RNG.choice(below))
    )


def line(j: int, keys: tuple[str, ...], dim: int, below: list[int]) -> bytes:
    """A line as it is usually written."""

    def points(count: int) -> list[list[str]]:
        return [[number(below) for _ in range(dim)] for _ in range(count)]

    row: dict[str, Any] = {"sequence": j, "tokens": points(RNG.randint(1, 5))}
    if "targets" in keys:
        row["targets"] = points(RNG.randint(1, 3))
    if "label" in keys:
        row["label"] = RNG.choice(["a", "", "0", "with space", "]]", "\\", "é", '"'])
    return json.dumps(row, separators=(",", ":")).encode() + b"\n"


def spoilt(text: bytes) -> bytes:
    """The line with one byte taken out, doubled or exchanged for another of the alphabet of lines."""
    i = RNG.randrange(len(text) - 1)
    new = RNG.choice(
        [b"", text[i : i + 1] * 2, RNG.choice([b"0", b"/", b'"', b",", b"[", b"]", b"-", b" ", b"2", b"a"])]
    )
    return text[:i] + new + text[i + 1 :]


def by_definition(text: bytes, j: int, keys: tuple[str, ...], dim: int, limits: Limits) -> Any:
    """The sequence of a line and what reading it charged, or the verdict and the reason."""
    file = certificate(dim=dim, limits=limits)
    try:
        return tuple(read_sequence(parse(text), j, keys, file)), file.budget.spent, file.budget.held
    except Refusal as refusal:
        return refusal.args


@pytest.mark.parametrize("keys", KINDS, ids=" ".join)
def test_lines_read_at_once_are_what_they_are_by_definition(keys: tuple[str, ...]) -> None:
    at_once = 0
    for _ in range(700):
        dim, j = RNG.randint(1, 3), RNG.randrange(12)
        limits = RNG.choice([Limits(), Limits(), Limits(digits=9), Limits(bits=20)])
        text = SequenceText(keys, dim, limits)
        for below in DENOMINATORS:
            whole = line(j, keys, dim, below)
            for one in (whole, spoilt(whole), whole):
                found = text.read(one, j)
                if found is not None:
                    at_once += 1
                    assert by_definition(one, j, keys, dim, limits) == (found, 0, 0)
        assert text.read(line(j + 1, keys, dim, [1]), j) is None
    assert at_once > 1000


@pytest.mark.parametrize(
    "numbers", [["2/4", "1"], ["1", "3/1"], ["0/2", "1"], ["-0", "1"], ["01", "1"], ["6/10", "1/10"], ["1", "5/10"]]
)
def test_a_number_that_is_not_canonical_is_left_to_the_definition(numbers: list[str]) -> None:
    row = {"sequence": 0, "tokens": [["1", "1/2"], numbers]}
    assert SequenceText((), 2, Limits()).read(json.dumps(row, separators=(",", ":")).encode() + b"\n", 0) is None


def test_a_target_that_stands_twice_and_another_target_set_of_a_label_are_refused_in_every_line() -> None:
    first = b'{"sequence":0,"tokens":[["1","2"]],"targets":[["0","0"]],"label":"a"}\n'
    twice = b'{"sequence":1,"tokens":[["1","2"]],"targets":[["0","0"],["0","0"]],"label":"a"}\n'
    other = b'{"sequence":1,"tokens":[["1","2"]],"targets":[["0","1"]],"label":"a"}\n'
    for second, why in ((twice, "a target stands twice"), (other, "equal labels have different targets")):
        lines = SequenceLines(certificate(first + second), (("targets", "label"),))
        lines.read(0)
        with pytest.raises(Refusal, match=why):
            lines.read(1)


def test_lines_of_a_kind_enter_both_digests() -> None:
    text = [line(j, ("targets",), 2, [1, 10]) for j in range(3)]
    lines = SequenceLines(certificate(b"".join(text)), (("targets",),))
    for j in range(3):
        lines.read(j)
    file = lines.file.lines
    assert file.digest.hexdigest() == file.subject.hexdigest()
    assert (file.read, file.bytes) == (3, len(b"".join(text)))
