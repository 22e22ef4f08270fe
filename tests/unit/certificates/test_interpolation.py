"""Tests of `exactformer.certificates.interpolation`."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from exactformer.arithmetic.state import State
from exactformer.certificates.interpolation import sequence_lines, texts, write_interpolation
from exactformer.errors import InvalidInput
from exactformer.io.canonical import canonical
from exactformer.model.attention import SelfAttention
from exactformer.model.matrix import Scalar, Zero
from exactformer.model.temperatures import SoftmaxProof, Temperatures
from exactformer.model.transformer import Block, Transformer

F = Fraction


def lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text().splitlines()]


@pytest.mark.parametrize(
    "rows",
    [
        [["1/2", 0], [1, "-3/4"]],
        [[1, 2], [3, 4]],
        [[F(1, 2**70), 1]],
        [[F(3, 2**62), F(-1, 2**62)]],
        [[2**80, F(1, 3)], [-(2**63), 0]],
        [[F(7, 10**5000), 1]],
        [[F(7, 10**5000)]],
    ],
)
def test_the_texts_of_points_are_canonical(rows: list[list[Any]]) -> None:
    state = State.of(rows)
    assert [str(x) for x in texts(state)] == [canonical(x) for row in state.rows() for x in row]


def test_lines_of_sequences_in_parts_are_those_of_all_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    offsets = np.array([0, 1, 4, 6, 11, 12])
    tokens = State.of([[F(k, 3), -k] for k in range(12)])

    def targets(j: int) -> State:
        return State.of([[j, 0], [j, 0], [0, j]])

    wanted = list(sequence_lines(tokens, offsets, targets, list("abcde")))
    for j, line in enumerate(map(json.loads, wanted)):
        assert line["tokens"] == [[canonical(x) for x in row] for row in tokens.rows()[offsets[j] : offsets[j + 1]]]
        assert line["targets"] == ([[str(j), "0"], ["0", str(j)]] if j else [["0", "0"]])  # each of them once
        assert (line["sequence"], line["label"]) == (j, "abcde"[j])
    for size in (1, 2, 3, 5):
        monkeypatch.setattr("exactformer.certificates.interpolation._TOKENS", size)
        assert list(sequence_lines(tokens, offsets, targets, list("abcde"))) == wanted
    assert set(json.loads(next(sequence_lines(tokens, offsets, None, None)))) == {"sequence", "tokens"}


@pytest.mark.parametrize("huge", [0, 2**70])
def test_lines_of_sequences_are_written_as_those_of_plain_data(huge: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Labels with every kind of character, more target sets than are kept, numbers of any length, sequences of one."""
    monkeypatch.setattr("exactformer.certificates.interpolation._KEPT", 2)
    labels = ['"', "\\", "%s", "\u00e9\u2028", "\n", "a", "a", "{j}"]
    offsets = np.cumsum([0, 1, 3, 1, 1, 2, 1, 1, 1])
    tokens = State.of([[F(k, 7), -k, huge] for k in range(offsets[-1])])

    def targets(j: int) -> State:
        return State.of([[F(j % 5, 2), huge, 0], [1, 2, 3]])

    for j, line in enumerate(sequence_lines(tokens, offsets, targets, labels)):
        rows = tokens.rows()[offsets[j] : offsets[j + 1]]
        plain = {"sequence": j, "tokens": rows, "targets": targets(j).rows(), "label": labels[j]}
        assert line == json.dumps(plain, separators=(",", ":"), default=canonical)


FOLLOW = Transformer(1, [Block(None, SelfAttention(0, *[Scalar(1)] * 3))])


MEAN = Transformer(1, [Block(None, SelfAttention(0, Scalar(1), Zero(), Scalar(1)))])


PROOF = SoftmaxProof(Temperatures.of(1, 2), 64)


@pytest.mark.parametrize(
    ("transformer", "attention", "softmax", "fits"),
    [
        (FOLLOW, "hardmax", None, True),
        (FOLLOW, "softmax", PROOF, True),
        (MEAN, "softmax", None, True),
        (FOLLOW, "softmax", None, False),
        (FOLLOW, "hardmax", PROOF, False),
        (MEAN, "max", None, False),
    ],
)
def test_attention_is_claimed_only_where_the_format_can_say_it(
    transformer: Transformer, attention: str, softmax: SoftmaxProof | None, fits: bool, tmp_path: Path
) -> None:
    def write() -> None:
        write_interpolation(
            tmp_path / "c.jsonl",
            transformer=transformer,
            tokens=State.of([[1]]),
            offsets=np.array([0, 1]),
            targets=lambda j: State.of([[1]]),
            attention=attention,
            softmax=softmax,
        )

    if not fits:
        with pytest.raises(InvalidInput, match="expected attention hardmax, or softmax"):
            write()
        assert not (tmp_path / "c.jsonl").exists()
        return
    write()
    header = lines(tmp_path / "c.jsonl")[0]
    assert header["version"] == ([1, 0] if softmax is None else [1, 1])
    assert ("beta" in header, "bits" in header) == (softmax is not None, softmax is not None)
