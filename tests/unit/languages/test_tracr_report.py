"""Tests of `exactformer.languages.tracr_report`."""

from __future__ import annotations

import json
import os
from pathlib import Path

import numpy as np
import pytest
from kits.tiny_tracr import length_model, soft_model, ties_model, write_export

from exactformer.errors import Malformed
from exactformer.languages.tracr import model_of_arrays, read_tracr
from exactformer.languages.tracr_report import ProgramRun, agrees, approx_runs, ramps, read_runs, repaired, report_of

EXPORTS = Path(__file__).parents[3] / "examples" / "tracr_exports"


def runs_of(rows: list) -> list[ProgramRun]:
    return [ProgramRun(*map(tuple, row)) for row in rows]


@pytest.mark.parametrize("most", [3, 5, 8])
@pytest.mark.parametrize("shift", [-1, 0, 1])
def test_the_law_of_the_ramps(most: int, shift: int) -> None:
    """1/k and 1/(k + 1) are told apart if the slope is above k (k + 1); at equality two outputs are exactly 1/2."""
    arrays, about, rows = length_model(most, float(most * (most + 1) + shift))
    model = model_of_arrays(arrays, about, "here")
    found = model.decoded(rows[-1][0])[0]
    assert found == {1: str(most), -1: str(most - 1)}.get(shift, found)
    if shift == 0:  # float32 holds the numbers of the ramp up to rounding
        top = sorted(model.outputs(rows[-1][0])[0])[-2:]
        assert all(abs(x - 0.5) < 1e-5 for x in top)
    assert [a.slope for a in ramps(arrays, about)] == [most * (most + 1) + shift] * (most - 1)


@pytest.mark.parametrize(
    ("made", "cause", "exact", "floats"),
    [
        (length_model(4, 15.0, 4), "wide ramp", 3, 3),
        (ties_model(), "lost tie", 6, 2),
        (soft_model(5), "soft attention", 5, 2),
    ],
)
def test_every_cause_is_found_and_repaired(made: tuple, cause: str, exact: int, floats: int) -> None:
    arrays, about, rows = made
    model, runs = model_of_arrays(arrays, about, "here"), runs_of(rows)
    report = report_of(model, runs)
    assert ([c.cause for c in report.causes], report.exact_agrees, report.float_agrees) == ([cause], exact, floats)
    assert report.complete
    assert report.causes[0].inputs == len(runs) - floats
    better = repaired(model)
    after = report_of(better, approx_runs(better, runs))
    assert (after.exact_agrees, after.float_agrees, after.causes) == (len(runs), len(runs), ())


def test_weights_that_are_wrong_are_no_ramp() -> None:
    arrays, about, rows = ties_model()
    arrays = arrays | {"unembed": arrays["unembed"][:, ::-1].copy()}
    report = report_of(model_of_arrays(arrays, about, "here"), runs_of(rows))
    assert {c.cause for c in report.causes} == {"weights", "lost tie"}
    assert not report_of(model_of_arrays(arrays, about, "here"), runs_of(rows[1:])).complete


def test_what_agrees() -> None:
    assert agrees("1", "1.0")
    assert agrees("True", "1")
    assert not agrees("1", "None")
    assert not agrees(None, "0")
    assert not agrees("'a'", "'b'")
    assert not agrees("'a'", "__import__('os')")


def test_runs_and_their_errors(tmp_path: Path) -> None:
    path = write_export(tmp_path / "m", *ties_model())
    assert len(read_runs(path)) == 6
    for content in ("[]", "{}", '[[["a"], ["b"]]]', '[[["a"], ["b"], []]]', '[[["a"], ["b"], [1]]]'):
        (tmp_path / "m.runs.json").write_text(content)
        with pytest.raises(Malformed, match="run"):
            read_runs(path)


def test_the_committed_exports_are_those_of_the_kit() -> None:
    for name, made in (("length", length_model(4, 15.0, 4)), ("none", ties_model()), ("soft", soft_model(5))):
        model = read_tracr(EXPORTS / f"{name}.npz")
        assert model.about == made[1]
        assert all(np.array_equal(model.arrays[key], array) for key, array in made[0].items())
        assert [list(map(list, (r.word, r.program, r.floats))) for r in read_runs(EXPORTS / f"{name}.npz")] == made[2]
        assert json.loads((EXPORTS / f"{name}.json").read_text()) == made[1]


@pytest.mark.skipif("EXACTFORMER_TRACR" not in os.environ, reason="EXACTFORMER_TRACR names a folder of exports")
def test_exports_of_tracr_itself() -> None:
    folder = Path(os.environ["EXACTFORMER_TRACR"])
    found = {path.stem: report_of(read_tracr(path), read_runs(path)) for path in sorted(folder.glob("*.npz"))}
    assert all(r.exact_agrees == r.inputs for name, r in found.items() if name != "length11-100")
    assert [c.cause for c in found["issue25"].causes] == ["lost tie"]
    assert [c.cause for c in found["length11-100"].causes] == ["wide ramp"]
    assert found["length11-264"].exact_agrees == found["length11-264"].float_agrees == 11
