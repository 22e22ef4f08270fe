"""Certificates as they are written: nothing more than the format knows, in its order; and what is not written at all."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import exactformer as ef
from exactformer.arithmetic.algebraic import from_text
from exactformer.arithmetic.power_sum import power
from exactformer.arithmetic.state import State
from exactformer.arithmetic.text import canonical
from exactformer.certificates import rocq_check, rocq_literals
from exactformer.certificates.counterexample import weight_pairs
from exactformer.certificates.decision import write_decision
from exactformer.certificates.infeasible import write_infeasible
from exactformer.certificates.interpolation import sequence_lines, texts, write_interpolation
from exactformer.certificates.limit_stages import cut_rows, number_terms
from exactformer.certificates.opened import Certificate
from exactformer.certificates.orbit import write_orbit
from exactformer.certificates.rocq_numbers import number_literal, row_literal, rows_literal, verify_keys
from exactformer.errors import Declined, InvalidInput, Malformed
from exactformer.model.attention import SelfAttention
from exactformer.model.feed_forward import FeedForward
from exactformer.model.matrix import Outer, Scalar, Zero
from exactformer.model.temperatures import SoftmaxProof, Temperatures
from exactformer.model.transformer import Block, Transformer

F = Fraction
IDENTITY = [[F(1), F(0)], [F(0), F(1)]]


def lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text().splitlines()]


# ---------------------------------------------------------------- numbers in order and in lowest terms


def test_weights_stand_in_the_order_of_their_indices() -> None:
    assert weight_pairs([(3, "1/2"), (0, F(1, 4)), (2, 0.25)]) == [[0, F(1, 4)], [2, F(1, 4)], [3, F(1, 2)]]
    assert cut_rows({(2, 0): [5], (0, 1): [3, 4], (1, 1): []}) == [[0, 1, 3, 4], [2, 0, 5]]


@pytest.mark.parametrize("exponent", [5_000, -5_000])
def test_terms_of_long_powers_have_positive_exponents(exponent: int) -> None:
    number = F(1, 3) + 2 * power(F(2, 3), exponent) - power(F(5, 7), -exponent)
    total: Any = F(0)
    for coefficient, *powers in number_terms(number):
        assert all(e > 0 for _, e in powers)
        term: Any = coefficient
        for base, e in powers:
            term = term * power(base, e)
        total = total + term
    assert total == number


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
    assert texts(state) == [[canonical(x) for x in row] for row in state.rows()]


def test_lines_of_sequences_in_parts_are_those_of_all_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    offsets = np.array([0, 1, 4, 6, 11, 12])
    tokens = State.of([[F(k, 3), -k] for k in range(12)])

    def targets(j: int) -> State:
        return State.of([[j, 0], [j, 0], [0, j]])

    wanted = list(sequence_lines(tokens, offsets, targets, list("abcde")))
    for j, line in enumerate(wanted):
        assert line["tokens"] == [[canonical(x) for x in row] for row in tokens.rows()[offsets[j] : offsets[j + 1]]]
        assert line["targets"] == ([[str(j), "0"], ["0", str(j)]] if j else [["0", "0"]])  # each of them once
        assert (line["sequence"], line["label"]) == (j, "abcde"[j])
    for size in (1, 2, 3, 5):
        monkeypatch.setattr("exactformer.certificates.interpolation._TOKENS", size)
        assert list(sequence_lines(tokens, offsets, targets, list("abcde"))) == wanted
    assert set(next(sequence_lines(tokens, offsets, None, None))) == {"sequence", "tokens"}


@pytest.mark.parametrize("deeper", [False, True])
def test_a_decision_is_deeper_only_where_it_says_so(deeper: bool, tmp_path: Path) -> None:
    write_decision(
        tmp_path / "c.jsonl",
        system=(IDENTITY, F(1), [[F(1), F(0)], [F(0), F(1)]]),
        layers=2,
        counts=[1, 3],
        words=["good", "bad"],
        decoder=([F(1), F(-1)], F(0)),
        leaders=[0, 1],
        positive=False,
        deeper=deeper,
    )
    header, _, given, decision, _ = lines(tmp_path / "c.jsonl")
    assert (header["dim"], header["tokens"], header["layers"], header["version"]) == (2, 2, 2, [1, 1])
    assert given == {"counts": [1, 3], "v": ["1", "-1"], "b": "0", "words": ["good", "bad"]}
    assert decision == {"leaders": [0, 1], "positive": False} | ({"deeper": True} if deeper else {})


# ---------------------------------------------------------------- what is not written


def test_a_condition_that_nobody_knows_is_not_written(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="measure, set, targets, got 'sets'"):
        write_infeasible(
            tmp_path / "c.jsonl", condition="sets", witness=[0, 1], tokens=State.of([[1], [1]]), offsets=np.arange(3)
        )
    assert not (tmp_path / "c.jsonl").exists()


@pytest.mark.parametrize("where", ["A", "tokens"])
def test_an_algebraic_number_has_no_place_in_a_certificate(where: str, tmp_path: Path) -> None:
    A: list[list[Any]] = [[F(1), F(0)], [F(0), F(1)]]
    tokens: list[list[Any]] = [[F(1), F(0)], [F(0), F(1)]]
    {"A": A, "tokens": tokens}[where][1][0] = from_text("sqrt(2)")
    with pytest.raises(Declined, match=rf"{where}\[1\]\[0\]: certificates hold rational numbers"):
        write_orbit(tmp_path / "c.jsonl", A, F(1), tokens, [], 0)
    assert not (tmp_path / "c.jsonl").exists()


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


@pytest.mark.parametrize(
    ("labels", "said"),
    [
        (["a", "a", "b"], "sequences 0 and 1 have the label 'a' and different outputs"),
        (["a", "b", "a"], "sequences 0 and 2 have the label 'a' and different outputs"),
    ],
)
def test_labels_with_several_outputs_are_not_certified(labels: list[str], said: str, tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match=said):
        FOLLOW.certify(ef.Dataset.of([[[1]], [[2]], [[3]]], labels=labels), tmp_path / "c.jsonl")
    assert not (tmp_path / "c.jsonl").exists()


def test_labels_that_share_their_outputs_are_not_certified(tmp_path: Path) -> None:
    data = [[[1]], [[2]], [[1], [1]]]
    with pytest.raises(InvalidInput, match="sequences 0 and 2 have different labels and the same outputs"):
        FOLLOW.certify(ef.Dataset.of(data, labels=["a", "b", "c"]), tmp_path / "c.jsonl")
    FOLLOW.certify(ef.Dataset.of(data, labels=["a", "b", "a"]), tmp_path / "c.jsonl")
    assert ef.check(tmp_path / "c.jsonl").verdict == "accepted"
    with pytest.raises(InvalidInput, match="sequence 1 is not mapped onto its targets"):
        FOLLOW.certify(ef.Dataset.of(data, targets=[[1], [3], [1]]), tmp_path / "d.jsonl")


# ---------------------------------------------------------------- opened again


def test_a_classifier_of_a_certificate_knows_of_positions(tmp_path: Path) -> None:
    built = ef.construct([[[0], [1]], [[1], [0]]], ["up", "down"], positions=True)
    built.certify(tmp_path / "c.jsonl")
    opened = Certificate.open(tmp_path / "c.jsonl")
    assert opened.classifier(positions=True).predict([[[1], [0]], [[0], [1]]]) == ["down", "up"]
    with pytest.raises(InvalidInput, match="dimension 2"):
        opened.classifier().predict([[[1], [0]]])
    assert opened.labels(1) == ["up"]
    assert opened.margin is None
    assert repr(opened) == f"Certificate(interpolation: {len(built.transformer)} blocks, 2 sequences)"


def test_margins_are_read_back(tmp_path: Path) -> None:
    write_interpolation(
        tmp_path / "c.jsonl",
        transformer=Transformer(1, []),
        tokens=State.of([[1]]),
        offsets=np.array([0, 1]),
        targets=lambda j: State.of([[1]]),
        margin=F(1, 7),
    )
    opened = Certificate.open(tmp_path / "c.jsonl")
    assert opened.margin == F(1, 7)
    assert opened.header["version"] == [1, 1]
    assert opened.transformer == Transformer(1, [])


# ---------------------------------------------------------------- Rocq


@pytest.mark.parametrize(
    ("pairs", "agree"),
    [
        ([("a", ["1"]), ("b", ["2"]), ("a", ["1"])], True),
        ([("a", ["1"]), ("a", ["2"])], False),
        ([("a", ["1"]), ("b", ["1"])], False),
        ([("a", ["1", "2"]), ("a", ["2", "1"])], True),
        ([], True),
    ],
)
def test_labels_agree_where_each_has_one_set_of_targets(
    pairs: list[tuple[str, list[str]]], agree: bool, tmp_path: Path
) -> None:
    path = tmp_path / "c.jsonl"
    rows = [{"label": label, "targets": [[x] for x in targets]} for label, targets in pairs]
    path.write_text("".join(json.dumps(row) + "\n" for row in [{"claim": "interpolation"}, *rows]))
    assert rocq_literals.labels_agree(path) is agree


@pytest.mark.parametrize(
    "wrong",
    [
        lambda: verify_keys({"block": False}, {"block"}, "x", block=0),
        lambda: verify_keys({"block": 1}, {"block"}, "x", block=0),
        lambda: verify_keys({"block": "0"}, {"block"}, "x", block=0),
        lambda: verify_keys({"block": 0, "more": 1}, {"block"}, "x", block=0),
        lambda: verify_keys({}, {"block"}, "x"),
        lambda: verify_keys([], {"block"}, "x"),
        lambda: rows_literal([], "x"),
        lambda: rows_literal([["1"], []], "x"),
        lambda: row_literal("12", "x"),
        lambda: number_literal(1),
        lambda: number_literal("1.5"),
    ],
    ids=range(11),
)
def test_literals_of_anything_else_are_malformed(wrong: Callable[[], Any]) -> None:
    with pytest.raises(Malformed):
        wrong()
    verify_keys({"block": 0, "label": "a"}, {"block"}, "x", {"label"}, block=0)


def test_integers_of_any_length_have_a_literal() -> None:
    for n in (0, 10**18 - 1, 10**18, 10**18 + 1, -(10**18), 10**5000):
        text = number_literal(canonical(n)).strip("()")
        assert ("0x" in text) is (abs(n) >= 10**18)
        assert int(text, 16 if "0x" in text else 10) == n


def test_a_proof_that_was_not_checked_is_no_proof() -> None:
    assert [bool(rocq_check.RocqVerdict(proved, "")) for proved in (True, False, None)] == [True, False, False]


def test_literals_of_thousands_of_digits_are_read_back() -> None:
    for digits in (3_999, 4_000, 4_001, 9_000):
        number = 7 * 10 ** (digits - 1) + 3
        assert rocq_literals._rational(canonical(F(-number, 10))) == F(-number, 10)
        assert rocq_literals._parse(number_literal(canonical(number))) == number


def test_theories_older_than_their_source_are_built_again(tmp_path: Path) -> None:
    (tmp_path / "theories").mkdir()
    (tmp_path / "_CoqProject").write_text("")
    source, compiled, told = tmp_path / "theories" / "A.v", tmp_path / "theories" / "A.vo", list[str]()
    source.write_text("")
    (tmp_path / "Makefile").write_text(".PHONY: theories\ntheories:\n\t@echo made > made\n")
    for age, built in ((None, True), (-10, True), (0, False), (10, False)):
        told.clear()
        compiled.unlink(missing_ok=True)
        if age is not None:
            compiled.write_text("")
            os.utime(compiled, ns=(source.stat().st_mtime_ns + age * 10**9,) * 2)
        (tmp_path / "made").unlink(missing_ok=True)
        assert rocq_check._build(tmp_path, told.append) is None
        assert (tmp_path / "made").exists() is built
        assert bool(told) is built
    (tmp_path / "Makefile").write_text(".PHONY: theories\ntheories:\n\t@echo no such theory >&2; false\n")
    compiled.unlink()
    assert "no such theory" in (rocq_check._build(tmp_path, told.append) or "")


def test_layers_of_every_form_come_back_from_a_certificate(tmp_path: Path) -> None:
    layer = FeedForward("1/3", Outer([1, 2], [F(1, 7)]), [0, -5], Zero())
    transformer = Transformer(1, [Block(layer, SelfAttention(2, Scalar("3/2"), [[1], [2]], Zero())), Block()])
    transformer.certify(ef.Dataset.of([[[1]], [[2]]], labels=["a", "b"]), tmp_path / "c.jsonl")
    assert Certificate.open(tmp_path / "c.jsonl").transformer == transformer
