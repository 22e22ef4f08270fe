"""Answers that mean no are false, results share their verbs, and objects are taken where paths are."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

import exactformer as ef
from exactformer.conjectures import fails, undecided

SEQUENCES = [[[0, 1], [2, 0]], [[1, 1]], [[3, -2], [0, 0], [1, 5]], [[4, 4], [1, 0]]]
LABELS = [1, 0, 1, 7]


@pytest.fixture(scope="module")
def built() -> ef.Built:
    return ef.construct(SEQUENCES, LABELS)


def forged(path: Path, source: Path) -> Path:
    """The certificate with one number of its first sequence changed, and without the digest that would tell."""
    lines = source.read_text().splitlines()
    at = next(k for k, line in enumerate(lines) if '"sequence":0' in line.replace(" ", ""))
    line = json.loads(lines[at])
    line["targets"] = [["17", *row[1:]] for row in line["targets"]]
    lines[at] = json.dumps(line, separators=(",", ":"))
    path.write_text("\n".join(lines) + "\n")
    return path


def test_a_verdict_is_true_only_if_accepted(built: ef.Built, tmp_path: Path) -> None:
    good = built.certify(tmp_path / "good.jsonl")
    assert good == tmp_path / "good.jsonl"
    accepted = ef.check(good)
    assert accepted
    assert accepted.accepted
    assert accepted.raise_for_verdict() is accepted
    wrong = ef.check(forged(tmp_path / "forged.jsonl", good))
    assert wrong.verdict in ("rejected", "malformed")
    (tmp_path / "empty.jsonl").write_text("")
    for verdict in (wrong, ef.check(tmp_path / "empty.jsonl"), ef.check(good, limits=ef.checking.Limits(operations=1))):
        assert not verdict
        assert not verdict.accepted
        with pytest.raises(ef.NotAccepted, match=verdict.verdict):
            verdict.raise_for_verdict()


def test_a_hunt_is_true_where_the_statement_stands() -> None:
    assert ef.hunt(lambda tokens: True, budget=20)
    assert not ef.hunt(lambda tokens: len(tokens) < 2, budget=200)
    with pytest.raises(ef.Undecided):
        bool(ef.hunt(lambda tokens: undecided("too close"), budget=5))


def test_a_function_is_a_conjecture() -> None:
    @ef.conjecture
    def first_coordinates_are_small(tokens: ef.Tokens) -> bool:
        """No token has a first coordinate above 3."""
        return all(row[0] <= 3 for row in tokens)

    assert first_coordinates_are_small.words == "No token has a first coordinate above 3."
    report = ef.hunt(first_coordinates_are_small, budget=500)
    assert report.verdict == "refuted"
    found = report.counterexample
    assert found is not None
    assert any(row[0] > 3 for row in found.small)
    assert len(found.small) == 1

    @ef.conjecture(name="never", generate=lambda rng: ef.Tokens([[rng.randint(1, 9)]]))
    def anything(tokens: ef.Tokens) -> object:
        return fails(token=0)

    witness = ef.hunt(anything, budget=1).counterexample
    assert witness is not None
    assert witness.verdict.witness == {"token": 0}
    with pytest.raises(ef.InvalidInput, match="expected True, False, holds"):
        ef.hunt(lambda tokens: "yes", budget=1)
    with pytest.raises(ef.InvalidInput, match="expected a function"):
        ef.hunt(3)  # type: ignore[arg-type]


def test_labels_come_back_as_they_were_given(built: ef.Built) -> None:
    assert built.data.labels == LABELS
    assert [sequence.label for sequence in built.data] == LABELS
    assert built.predict(SEQUENCES) == LABELS
    assert ef.Dataset.of(list(built.data)).labels == LABELS
    chosen = ef.construct(SEQUENCES, LABELS, label_targets={0: [0, 0], 1: [5, 5], np.int64(7): [9, "1/2"]})
    assert chosen.transformer(SEQUENCES[3]).rows()[0] == (9, Fraction(1, 2))
    with pytest.raises(ef.InvalidInput, match="for every label"):
        ef.construct(SEQUENCES, LABELS, label_targets={0: [0, 0], 1: [5, 5]})
    assert json.loads(json.dumps(built.data.json(), default=str))["sequences"][3]["label"] == "7"


def test_results_of_construct_repair_and_load_share_their_verbs(built: ef.Built, tmp_path: Path) -> None:
    repaired = ef.repair(built, SEQUENCES, LABELS, label_targets={0: [1, 0], 1: [2, 0], 7: [3, 0]})
    loaded = ef.load(built.certify(tmp_path / "c.jsonl"))
    assert isinstance(loaded, ef.Certificate)
    for result, labels in ((built, LABELS), (repaired, LABELS), (loaded, [str(label) for label in LABELS])):
        assert result.predict(SEQUENCES) == labels
        assert result.score(SEQUENCES, labels) == 1
        assert result.check()
        assert ef.check(result)
        assert result.write_report(tmp_path / "report.html")
        assert result.plot(tmp_path / "picture.svg") is not None
        assert result.certify(tmp_path / "again.jsonl").stat().st_size > 100
        assert len(repr(result)) < 120
    assert "<table" in repaired._repr_html_()


def test_other_results_are_checked_and_drawn_as_they_are(tmp_path: Path) -> None:
    limit = ef.limit(np.array([[1, 0], [0, 1], [1, 1]]), alpha=2)
    assert limit.engine_input.tokens.alpha == 2
    assert limit.check()
    assert ef.write_report(limit, tmp_path / "limit.html")
    assert ef.write_report(limit.engine_input.tokens, tmp_path / "tokens.html")
    orbit = ef.simulate([[1, 0], [0, 1]], layers=2, A=[[2, 0], [0, 1]])
    assert orbit.check()
    assert orbit[-1] == orbit.final
    assert [state.rows() for state in orbit] == [orbit.tokens(k).rows() for k in range(3)]
    assert orbit.to_numpy().shape == (3, 2, 2)
    with pytest.raises(IndexError):
        orbit[3]
    tokens = ef.Tokens([["1/3", 0], [1, 2]])
    assert tokens[0] == (Fraction(1, 3), 0)
    assert tokens.to_numpy()[0, 0] == Fraction(1, 3)
    assert ef.plot([[1, 0], [0, 1]]) is not None


@pytest.mark.parametrize("thing", [3, None, ef.Tokens([[1]])])
def test_what_has_no_certificate_is_refused_in_words(thing: object) -> None:
    with pytest.raises(ef.InvalidInput, match="expected the path of a certificate, or a result that has one"):
        ef.check(thing)  # type: ignore[arg-type]


def test_a_file_of_ours_that_is_not_a_certificate_is_named(tmp_path: Path) -> None:
    path = tmp_path / "square.json"
    for point in ("[1, 0]", '["1/0", 0]', "[1.5, 0]"):  # whether or not it could be read
        path.write_text('{"exactformer": "tokens", "version": [1, 0],\n "tokens": [P, [0, 1]]}'.replace("P", point))
        verdict = ef.check(path)
        assert verdict.verdict == "malformed"
        assert "a token file: exactformer limit" in verdict.why
    table = tmp_path / "tokens.csv"
    table.write_text("x,y\n1,0\n0,1\n")
    assert "a token file: exactformer limit" in ef.check(table).why
    table.write_text("hello\n")
    assert "expected a certificate" not in ef.check(table).why
    data = tmp_path / "data.json"
    data.write_text(json.dumps(ef.Dataset.of(SEQUENCES, LABELS).json(), default=str, indent=1))
    assert "a data set: exactformer construct" in ef.check(data).why


def test_the_picture_of_a_data_set_is_of_the_data(tmp_path: Path) -> None:
    figure = ef.plot(ef.Dataset.of(SEQUENCES, LABELS), tmp_path / "data.png")
    assert figure.get_suptitle() == "4 sequences of tokens in dimension 2, by label"
    assert (tmp_path / "data.png").stat().st_size > 1000


def test_series_are_taken_as_arrays() -> None:
    fibonacci = ef.delay.least_order(np.array([1, 1, 2, 3, 5, 8, 13]))
    assert fibonacci.order == 2
    assert fibonacci.check()


def test_a_pooled_torch_module_is_repaired() -> None:
    torch = pytest.importorskip("torch")
    torch.manual_seed(1)
    hidden = torch.nn.Linear(2, 8)

    class Pooled(torch.nn.Module):  # type: ignore[misc, name-defined]
        def __init__(self, last: object, squash: object) -> None:
            super().__init__()
            self.first, self.last, self.squash = hidden, last, squash

        def forward(self, x: object) -> object:
            return self.last(self.squash(self.first(x.mean(1))))  # type: ignore[attr-defined]

    pooled = Pooled(torch.nn.Linear(8, 1), torch.relu)
    X = torch.randn(9, 4, 2)
    y = torch.tensor([0, 1, 2] * 3)
    repaired = ef.repair(pooled, X, y)
    assert repaired.predict(X) == y.tolist()
    assert repaired.check()
    with pytest.raises(ef.InvalidInput, match="computes something else"):
        ef.repair(Pooled(torch.nn.Linear(8, 1), torch.tanh), X, y)
    with pytest.raises(ef.InvalidInput, match="at most 2"):
        ef.repair(Pooled(torch.nn.Linear(8, 3), torch.relu), X, y)
    with pytest.raises(ef.InvalidInput, match="expected a pooled module"):
        ef.repair(torch.nn.TransformerEncoderLayer(2, 1), X, y)


def test_one_sequence_is_asked_for_in_a_list(built: ef.Built) -> None:
    for one in (np.array(SEQUENCES[0]), SEQUENCES[0]):
        with pytest.raises(ef.InvalidInput, match=r"for one sequence x write \[x\]"):
            built.predict(one)
        assert built.predict([one]) == LABELS[:1]


def test_decisions_languages_and_studies_share_the_verbs(tmp_path: Path) -> None:
    """Each is checked, saved, drawn and shown in a notebook like a construction, and has a short repr."""
    compiled = ef.languages.compile("(ab)*")
    shape = ef.Architecture(dim=2, heads=1, hidden=1, blocks=0, vocabulary=4, positions=3, classes=3, norm="none")
    weights = {name: np.arange(np.prod(s), dtype=np.float32).reshape(s) for name, s in shape.shapes.items()}
    decision = ef.Network(shape, weights).decide("sum-mod:3")
    recurrence = ef.delay.least_order([1, 1, 2, 3, 5, 8, 13])
    cold = ef.meanfield.limit(ef.meanfield.System([[1, 0], [0, "1/2"]]))
    for result in (compiled, compiled.recognition, decision, recurrence, cold):
        assert result.check(), result
        assert result.write_report(tmp_path / "page.html"), result
        assert ef.check(result.save(tmp_path / "result.jsonl")), result
        assert result.json()
        assert "<table" in result._repr_html_()
        assert len(repr(result)) < 160
    for drawn in (compiled, compiled.automaton, ef.languages.attend(compiled.recogniser, "abab"), decision):
        assert drawn.plot(tmp_path / "picture.svg") is not None
    assert len(repr(ef.languages.attend(compiled.recogniser, "abab"))) < 60
    refuted = ef.hunt(lambda tokens: len(tokens) < 2, budget=200)
    assert refuted.plot(tmp_path / "found.png") is not None
    with pytest.raises(ef.InvalidInput, match="with a counterexample"):
        ef.hunt(lambda tokens: True, budget=2).plot()


def test_matrices_that_are_not_given_are_the_identity() -> None:
    assert ef.meanfield.System([[1, 0], [0, "1/2"]]).B == ((1, 0), (0, 1))
    plain = ef.SelfAttention(0, {"scalar": 1})
    assert plain == ef.SelfAttention(0, {"scalar": 1}, {"scalar": 1}, {"scalar": 1})
    assert plain.step([[1], [2], [-1]]).follows == [(1,), (1,), (2,)]


def test_functions_that_are_no_conjectures_are_told_at_once() -> None:
    for function in (lambda: True, lambda a, b: True):
        with pytest.raises(ef.InvalidInput, match="one instance"):
            ef.hunt(function)  # type: ignore[arg-type]
    assert ef.hunt(lambda tokens: (np.zeros(len(tokens)) == 0).all(), budget=5), "NumPy's True is true"
    with pytest.raises(ef.InvalidInput, match=r"got none for 0$"):
        ef.construct(SEQUENCES, LABELS, label_targets={1: [0, 0], 7: [1, 1]})


def test_a_column_of_times_in_a_frame_is_pointed_out() -> None:
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"time": range(9), "v": [1, 1, 2, 3, 5, 8, 13, 21, 34]})
    with pytest.warns(UserWarning, match="'time' only counts"):
        ef.delay.least_order(frame)
    assert ef.delay.least_order(frame[["v"]]).order == 2
