"""Tests of `exactformer.report.meanfield_page`."""

from __future__ import annotations

import re
from html import unescape
from pathlib import Path

import numpy as np
import pytest
from kits.simulations import T, run_of, simulation_of_dimension, two_runs

from exactformer.report.meanfield_page import _form, _slopes, write_meanfield
from exactformer.studies.mean_field.approx_form import fit_two_exponentials, least_growth
from exactformer.studies.mean_field.approx_phases import Rates
from exactformer.studies.mean_field.approx_run import Run, Simulation
from exactformer.studies.mean_field.families import sample_system


@pytest.mark.parametrize("exact", [True, False])
def test_the_page_says_whether_w2_is_exact(exact: bool, tmp_path: Path) -> None:
    found, system = two_runs(exact=exact), sample_system("random", dim=4, seed=1)
    assert write_meanfield(found, system, tmp_path) == ["w2.png", "laws.png", "index.html"]
    page = (tmp_path / "index.html").read_text()
    for run in found.runs:
        bound = "exact" if exact else f"at least {run.lower.min():.4g}"
        cells = [f"{run.beta:g}", f"{run.phases.w2_min:.4g}", bound, f"{run.phases.t_min:.2f}"]
        assert "".join(f"<td>{cell}</td>" for cell in cells) in page


RATES = Rates(gap=0.6, on_limit=1.5, beside=0.8, instability=0.45)


def simulation(rates: Rates | None = RATES, *, short: bool = False) -> Simulation:
    runs = (run_of(1000.0, until=2.0) if short else run_of(3.0), run_of(10.0), run_of(100.0))
    return Simulation(runs, Run(None, T, np.exp(-T / 3), np.exp(-T / 3), runs[-1].shown), rates)


@pytest.mark.parametrize("dim", [2, 3, 4])
def test_pictures_of_a_run_are_those_that_its_dimension_has(
    dim: int, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    captions = {
        "w2.png": "W2 to the limit", "laws.png": "How the phases move with the temperature",
        "tokens.png": "Tokens in the three phases", "laplace.png": "The Laplace principle at the start, for four measures",
        "tokens.gif": "The tokens moving",
    }  # fmt: skip
    saved: list[object] = []

    def draw(matrix: object) -> str:
        saved.append(matrix)
        return "laplace"

    def write(thing: object, path: Path) -> None:
        path.write_bytes(path.suffix.encode())

    monkeypatch.setattr("exactformer.report.meanfield_page.draw_laplace", draw)
    monkeypatch.setattr("exactformer.report.meanfield_page.save", write)
    monkeypatch.setattr("exactformer.report.meanfield_page.save_tokens", write)
    system = sample_system("random", dim=dim, seed=1)
    names = write_meanfield(simulation(None), system, tmp_path)
    absent = {2: set(), 3: {"laplace.png"}, 4: {"laplace.png", "tokens.png", "tokens.gif"}}[dim]
    assert names == [*(name for name in captions if name not in absent), "index.html"]
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(names)
    page = (tmp_path / "index.html").read_text()
    assert re.findall(r'<img class="shown" alt="(.*?)" src="data:image/(\w+);', page) == [
        (captions[name], name[-3:]) for name in names[:-1]
    ]
    B = [[float(x) for x in row] for row in system.B]
    assert [np.asarray(matrix).tolist() for matrix in saved] == ([B] if dim == 2 else [])


def test_the_page_says_what_the_announced_form_needs() -> None:
    found = simulation()
    page = unescape(_slopes(found) + _form(found))
    assert _form(simulation(None)) == ""
    assert "e^(Ct) + e^(-ct)] with c = 0.375, up to the escape" in page
    for K in (1.0, 2.0, 4.0):
        C = least_growth(found.runs, 0.375, K)
        assert (
            f"<tr><td>{K:g}</td><td>{C:.4g}</td></tr>" in page if np.isfinite(C) else f"<td>{K:g}</td><td>none" in page
        )
    fitted = fit_two_exponentials(found.runs)
    assert fitted is not None
    assert (fitted.D, fitted.c, fitted.A, fitted.q, fitted.C) == pytest.approx((0.9, 0.5, 0.01, 1.0, 0.5), rel=1e-3)
    assert "W2 = 0.9 e^(-0.5 t) + 0.01 beta^(-1) e^(0.5 t), with a root mean square difference of" in page
    slopes = re.search(r"against log beta.*?</table>", page, re.DOTALL)
    assert slopes is not None
    cells = re.findall(r"<td>(.*?)</td>", slopes[0])
    measured, predicted = found.slopes(), found.predicted()
    assert cells == [
        cell
        for key, words in (("t_min", "time of the least W2"), ("escape", "escape"), ("w2_min", "log of the least W2"))
        for cell in (words, f"{measured[key]:.4f}", f"{predicted[key]:.4f}")
    ]


def test_the_page_of_the_mean_field_has_system_slopes_and_phases(tmp_path: Path) -> None:
    found, system = simulation_of_dimension(4), sample_system("random", dim=4, seed=1)
    write_meanfield(found, system, tmp_path)
    page = unescape((tmp_path / "index.html").read_text())
    for name in "VBM":
        rows = "; ".join(", ".join(map(str, row)) for row in getattr(system, name))
        assert rows in page
    measured, predicted = found.slopes(), found.predicted()
    for key, words in (("t_min", "time of the least W2"), ("escape", "escape"), ("w2_min", "log of the least W2")):
        cells = [words, *("-" if s[key] is None else f"{s[key]:.4f}" for s in (measured, predicted))]
        assert "".join(f"<td>{cell}</td>" for cell in cells) in page
    for run in found.runs:
        low, high = run.phases.metastable
        escape = f"{run.phases.escape:.2f}"
        assert f"<td>{low:.1f} to {high:.1f}</td><td>{escape}</td>" in page
    assert "The announced form" not in page
