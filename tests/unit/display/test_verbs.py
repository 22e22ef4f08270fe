"""One set of verbs: every result saves, loads, exports, becomes data and HTML in the same way."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

import exactformer as ef

SQUARE = ef.Tokens([["7/5", "1/5"], [1, 1], [0, 0]])
DATA = ef.Dataset.of([[[0, 1], [2, 3]], [[0, 1]]], labels=["cat", "dog"])


def results() -> list[object]:
    built = ef.construct(DATA)
    finding = ef.hunt("leader-indefinite", budget=500).counterexample
    return [SQUARE, DATA, built, built.transformer, ef.limit(SQUARE), ef.simulate(SQUARE, layers=2), finding]


@pytest.mark.parametrize("thing", results(), ids=lambda thing: type(thing).__name__)
def test_every_result_is_data_and_html(thing: object) -> None:
    assert thing._repr_html_().startswith("<")
    assert "<script" not in thing._repr_html_()
    if not isinstance(thing, ef.Transformer):
        assert isinstance(thing.json(), dict)


@pytest.mark.parametrize("thing", results()[:-1], ids=lambda thing: type(thing).__name__)
def test_what_is_saved_is_loaded(thing: object, tmp_path: Path) -> None:
    path = thing.save(tmp_path / "file.jsonl")
    assert path == tmp_path / "file.jsonl"
    again = ef.load(path)
    if isinstance(thing, ef.Tokens | ef.Dataset | ef.Transformer):
        assert again == thing
    else:
        assert again.check()
        assert again.json()["claim"] in again._repr_html_()


def test_recognisers_and_networks_are_loaded_too(tmp_path: Path) -> None:
    recogniser = ef.languages.compile("a*b").recogniser
    assert ef.load(recogniser.save(tmp_path / "r.jsonl")) == recogniser


def test_a_comparison_with_floats_has_a_table() -> None:
    assert "first_difference" in ef.crosscheck(SQUARE, layers=3)._repr_html_()


def test_exports_are_named_by_their_ending(tmp_path: Path) -> None:
    built = ef.construct(DATA)
    for thing in (built, built.transformer, built.save(tmp_path / "c.jsonl"), ef.load(tmp_path / "c.jsonl")):
        path = ef.export(thing, tmp_path / "w.npz")
        assert int(np.load(path)["dim"]) == 2
    assert built.export(tmp_path / "w.tex").read_text().startswith("%") or "pmatrix" in (tmp_path / "w.tex").read_text()
    with pytest.raises(ef.InvalidInput, match=r"to: expected torch, npz or latex"):
        built.export(tmp_path / "w.bin")
    with pytest.raises(ef.InvalidInput, match=r"expected a transformer, a result that has one, or a file, got int"):
        ef.export(3, tmp_path / "w.npz")
    assert not (tmp_path / "w.bin").exists()


def test_frames_hold_exact_numbers() -> None:
    frame = ef.limit(SQUARE).to_pandas()
    assert list(frame.columns) == ["token", "x1", "x2", "kind", "leader"]
    assert frame.x1[2] == Fraction(6, 5)
    orbit = ef.simulate(SQUARE, layers=2).to_pandas()
    assert len(orbit) == 9
    assert orbit.follows[2] == (0, 1, 2)
    assert orbit.leader.tolist()[:3] == [True, True, False]
    assert ef.Dataset.of(DATA.to_pandas()) == DATA
    assert SQUARE.to_pandas().x1.tolist() == [Fraction(7, 5), 1, 0]


def test_labels_of_the_data_are_not_overridden() -> None:
    frame = DATA.to_pandas()
    assert ef.Dataset.of(frame, labels=["cat", "dog"]) == DATA
    with pytest.raises(ef.InvalidInput, match=r"sequence '1' has the label 'dog' in the data, got 'bird'"):
        ef.construct(frame, ["cat", "bird"])
    assert ef.Dataset.of(frame.drop(columns="label"), labels=["cat", "bird"]).labels == ["cat", "bird"]


def test_older_names_still_work_and_say_so(tmp_path: Path) -> None:
    with pytest.warns(DeprecationWarning, match=r"Orbit.positions is now called Orbit.equal_tokens"):
        assert ef.simulate(SQUARE, layers=1).positions(0) == ((0,), (1,), (2,))
    with pytest.warns(DeprecationWarning, match=r"Transformer.write is now called Transformer.save"):
        ef.construct(DATA).transformer.write(tmp_path / "t.jsonl")


def test_papers_are_data_and_run() -> None:
    assert {row.paper for row in ef.papers.statements("clustering")} == {"2407.01602"}
    assert dir(ef.papers) == ["papers", "run", "statements"]
    ran = ef.papers.run("clustering/theorem-1.1")
    assert ran
    assert all(ran)


def test_citations_of_a_claim_a_file_and_everything(tmp_path: Path) -> None:
    path = ef.limit(SQUARE).certify(tmp_path / "c.jsonl")
    assert ef.cite(path) == ef.cite(str(path)) == ef.cite("limit") == ef.cite(ef.load(path))
    assert "2310.13897" in ef.cite("recognition")
    with pytest.raises(ef.InvalidInput, match="expected a certificate or one of the claims"):
        ef.cite("nothing")


def test_progress_is_told_on_standard_error(capsys: pytest.CaptureFixture[str]) -> None:
    ef.simulate(SQUARE, layers=50, progress=True)
    assert "of 50" in capsys.readouterr().err
    ef.construct(DATA, progress=True)
    assert "coordinate: 0 of 1" in capsys.readouterr().err
    ef.hunt("leaders-at-most-initial-vertices", budget=200, progress=True)
    assert "instances" in capsys.readouterr().err
    told: list[int] = []
    ef.limit(SQUARE, progress=told.append)
    assert told
    assert capsys.readouterr().err == ""
