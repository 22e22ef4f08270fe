"""From arrays to a prediction: construct, predict, score, certify, load, crosscheck, sample; and results that show themselves."""

from __future__ import annotations

import pickle
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

import exactformer as ef
from exactformer.errors import InvalidInput, Malformed
from exactformer.model.classifier import Nearest, nearest_labels

RNG = np.random.default_rng(5)
X = RNG.standard_normal((12, 4, 2))
Y = np.arange(12) % 3


def brute_force(built: ef.Built, rows: object) -> list[str]:
    """The nearest labels by definition: mean squared distance of the outputs, in Fractions."""
    outputs = built.transformer(rows).rows()
    labels = built.data.labels or []
    distances = {}
    for j, label in enumerate(labels):
        targets = built.targets.state(j).rows()
        gaps = [min(sum((a - b) ** 2 for a, b in zip(x, t, strict=True)) for t in targets) for x in outputs]
        distances[label] = sum(gaps, Fraction(0)) / len(outputs)
    return sorted(label for label, d in distances.items() if d == min(distances.values()))


@pytest.mark.parametrize("method", ["shallow", "deep", "leaders"])
def test_predictions_are_the_nearest_targets_by_definition(method: str) -> None:
    built = ef.construct(X, Y, method=method)
    assert built.predict(X) == Y.tolist()
    assert built.score(X, Y) == 1
    new = [RNG.standard_normal((n, 2)) for n in (1, 2, 5, 3)]
    assert [list(found.labels) for found in built.classifier.nearest(new)] == [brute_force(built, rows) for rows in new]
    assert built.score(X[:4], [0, 1, 2, 1]) == Fraction(3, 4)


@pytest.mark.parametrize("method", ["shallow", "leaders"])
def test_targets_may_have_fractions(method: str) -> None:
    points = {"0": ["1/3", 0], "1": ["1/2", "1/7"], "2": [-1, "2/5"]}
    built = ef.construct(X, Y, method=method, label_targets=points)
    new = [RNG.standard_normal((n, 2)) / 4 for n in (1, 3, 2, 4, 2, 2)]
    assert [list(found.labels) for found in built.classifier.nearest(new)] == [brute_force(built, rows) for rows in new]
    outputs = ef.Transformer(1, []).evaluate(_batch([[[0]], [[1]]]))
    thirds = {"low": ef.State.of([["1/3"]]), "high": ef.State.of([["2/3"]])}
    assert [n.distance2 for n in nearest_labels(outputs, thirds)] == [Fraction(1, 9), Fraction(1, 9)]
    assert [n.label for n in nearest_labels(outputs, thirds)] == ["low", "high"]


def test_labels_come_back_as_they_were_given() -> None:
    assert ef.construct(X, Y).predict(X[:2]) == [0, 1]
    assert ef.construct(X, [f"c{y}" for y in Y]).predict(X[:2]) == ["c0", "c1"]
    assert ef.construct(X, Y).score(ef.Dataset.of(X, Y)) == 1


def test_ties_are_listed_and_the_first_by_name_is_given() -> None:
    points = {"b": ef.State.of([[1]]), "a": ef.State.of([[-1]]), "c": ef.State.of([[5]])}
    outputs = ef.Transformer(1, []).evaluate(_batch([[[0]], [[3]], [[4], [-4]]]))
    assert nearest_labels(outputs, points) == [
        Nearest(("a", "b"), Fraction(1)),
        Nearest(("b", "c"), Fraction(4)),
        Nearest(("a", "b"), Fraction(17)),
    ]


def _batch(sequences: list[list[list[int]]]) -> object:
    from exactformer.model.batch import Batch

    data = ef.Dataset.of(sequences)
    return Batch.of(data.tokens, data.offsets)


def test_positions_are_appended_to_new_sequences() -> None:
    built = ef.construct([[[0], [1]], [[1], [0]]], ["up", "down"], positions=True)
    assert built.predict([[[1], [0]], [[0], [1]]]) == ["down", "up"]


def test_there_is_no_label_to_predict_for_targets() -> None:
    built = ef.construct([[[0]], [[1]]], targets=[[1], [2]])
    with pytest.raises(InvalidInput, match="built for labels"):
        built.predict([[[0]]])
    with pytest.raises(InvalidInput, match="right labels"):
        ef.construct(X, Y).score(X)


def test_certificates_open_and_classify(tmp_path: Path) -> None:
    built = ef.construct(X, Y)
    built.certify(tmp_path / "c.jsonl")
    opened = ef.load(tmp_path / "c.jsonl")
    assert opened.claim == "interpolation"
    assert opened.transformer == built.transformer
    assert opened.data == built.data
    assert opened.predict(X) == [str(y) for y in Y]
    assert "12 sequences" in repr(opened)
    assert len(list(opened.lines())) == 14


def test_load_gives_what_the_file_holds(tmp_path: Path) -> None:
    tokens = ef.sample("integer-grid", n=4, d=2)
    ef.simulate(tokens, layers=2).certify(tmp_path / "o.jsonl")
    assert ef.load(tmp_path / "o.jsonl").claim == "orbit"
    model = ef.construct(X, Y).transformer
    model.write(tmp_path / "m.jsonl")
    assert ef.load(tmp_path / "m.jsonl") == model
    np.save(tmp_path / "t.npy", X[0])
    assert ef.load(tmp_path / "t.npy") == ef.Tokens(X[0])
    np.savetxt(tmp_path / "t.txt", [[1, 2], [3, 4]])
    assert ef.load(tmp_path / "t.txt") == ef.Tokens([[1, 2], [3, 4]])
    np.savez(tmp_path / "d.npz", tokens=X.reshape(-1, 2), offsets=np.arange(13) * 4, labels=Y)
    assert ef.load(tmp_path / "d.npz") == ef.Dataset.of(X, Y)
    (tmp_path / "x.json").write_text('{"a": 1}')
    with pytest.raises(Malformed, match="certificate, transformer, tokens or dataset"):
        ef.load(tmp_path / "x.json")


def test_any_transformer_certifies_what_it_maps(tmp_path: Path) -> None:
    built = ef.construct(X, Y)
    built.transformer.certify(ef.Dataset.of(X, Y), tmp_path / "c.jsonl")
    assert ef.check(tmp_path / "c.jsonl").verdict == "accepted"
    double = ef.Transformer(1, [ef.Block(ef.FeedForward(2, ef.Zero(), [0], ef.Zero()))])
    double.certify(ef.Dataset.of([[[1], [2]]], targets=[[[2], [4]]]), tmp_path / "d.jsonl")
    assert ef.check(tmp_path / "d.jsonl").verdict == "accepted"
    cases = [
        (ef.Dataset.of([[[1]], [[2]]], targets=[[2], [5]]), "sequence 1 is not mapped"),
        (ef.Dataset.of([[[1]], [[2]]], labels=["a", "a"]), "sequences 0 and 1 have the label 'a' and different"),
        (ef.Dataset.of([[[1]], [[1], [1]]], labels=["a", "b"], names=["p", "q"]), "'p' and 'q' have different labels"),
    ]
    for data, said in cases:
        with pytest.raises(InvalidInput, match=said):
            double.certify(data, tmp_path / "no.jsonl")
    assert not (tmp_path / "no.jsonl").exists()


def test_crosscheck_takes_whatever_there_is(tmp_path: Path) -> None:
    import exactformer.crosscheck.dynamics  # the package has the same name

    built = ef.construct(X, Y)
    built.certify(tmp_path / "c.jsonl")
    checks = [ef.crosscheck(built), ef.crosscheck(tmp_path / "c.jsonl"), ef.crosscheck(built.transformer, X)]
    assert checks[0] == checks[1] == checks[2]
    assert ef.crosscheck(X[0], layers=3) == ef.crosscheck(ef.Tokens(X[0]), layers=3)
    with pytest.raises(InvalidInput, match="the sequences to run"):
        ef.crosscheck(built.transformer)
    with pytest.raises(InvalidInput, match="got a data set"):
        ef.crosscheck(ef.Dataset.of(X, Y))
    assert exactformer.crosscheck.dynamics is not None


def test_samples_have_a_seed() -> None:
    assert ef.sample("generic", n=3, d=2, seed=4) == ef.sample("generic", n=3, d=2, seed=4)
    assert ef.sample("nested", n=3, d=2, seed=4) == ef.sample("nested", n=3, d=2, seed=4)
    assert ef.sample("generic", n=3, d=2, seed=4) != ef.sample("generic", n=3, d=2, seed=5)
    with pytest.raises(InvalidInput, match="no family is called"):
        ef.sample("nothing")


HUGE = 7**20_000


def test_everything_shows_itself_however_long_its_numbers_are(tmp_path: Path) -> None:
    state = ef.State.of([[HUGE, Fraction(1, HUGE)]] * 30)
    tokens = ef.Tokens([[HUGE, 1], [0, Fraction(1, HUGE)]], A=[[HUGE, 0], [0, 1]], alpha=Fraction(1, HUGE))
    orbit = ef.simulate(ef.sample("generic", n=6, d=2), layers=20_000)
    built = ef.construct([[[HUGE], [0]], [[Fraction(1, HUGE)]]], ["a", "b"], robust=True)
    check = ef.crosscheck(tokens, layers=2)
    shown = [
        state, tokens, orbit, orbit.final, ef.limit(ef.sample("generic", n=4, d=2)), ef.limit(tokens).forms,
        built, built.report, built.margin, built.targets, built.transformer, built.transformer.blocks, built.data,
        built.data[0], built.trace(), built.classifier.nearest([[[HUGE]]]), check, ef.Dense([[HUGE]]),
        ef.Outer([HUGE], [1]), ef.Scalar(HUGE), ef.crosscheck(built), ef.construct(X, Y).transformer.trace(X[0]),
        ef.hunt("leader-indefinite", budget=100), ef.hunt("leader-indefinite", budget=100).counterexample,
    ]  # fmt: skip
    for value in shown:
        assert 0 < len(repr(value)) < 10_000, type(value).__name__
        for form in ("_repr_html_", "_repr_latex_"):
            if hasattr(value, form):
                assert getattr(value, form)()
    assert repr(ef.State.of([["1/2", 0], [1, 2]])) == "State(2 points in dimension 2: (1/2, 0), (1, 2))"
    assert repr(ef.Dense([[1, "1/2"]])) == "Dense([[1, 1/2]])"


def test_data_sets_and_constructions_pickle() -> None:
    built = ef.construct(X, Y)
    copy = pickle.loads(pickle.dumps(built))
    assert copy.data == built.data
    assert copy.predict(X) == built.predict(X)
