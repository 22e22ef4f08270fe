"""Pictures and page of the mean field where laws are predicted: lines, labels, titles and the announced form."""

from __future__ import annotations

import re
from collections.abc import Callable
from html import unescape
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from matplotlib.figure import Figure

from exactformer.report.meanfield_page import _form, _slopes, write_meanfield
from exactformer.report.meanfield_plot import draw_distances, draw_laws, draw_tokens, save_tokens
from exactformer.studies.mean_field.approx_form import fit_two_exponentials, least_growth
from exactformer.studies.mean_field.approx_phases import Rates
from exactformer.studies.mean_field.approx_run import Run, Simulation
from exactformer.studies.mean_field.families import sample_system

RATES = Rates(gap=0.6, on_limit=1.5, beside=0.8, instability=0.45)
T = np.linspace(0, 20, 201)


def run_of(beta: float, *, until: float = 20.0) -> Run:
    """A curve that falls and grows again, up to some time; three tokens turn, each from its own place."""
    t = T[until + 1e-9 >= T]
    w2 = 0.9 * np.exp(-t / 2) + 0.01 / beta * np.exp(t / 2)
    angles = np.array([0.1, 2.0, 4.0]) + t[:, None] / 7
    return Run(beta, t, w2, w2, np.stack([np.cos(angles), np.sin(angles)], axis=2))


def simulation(rates: Rates | None = RATES, *, short: bool = False) -> Simulation:
    runs = (run_of(1000.0, until=2.0) if short else run_of(3.0), run_of(10.0), run_of(100.0))
    return Simulation(runs, Run(None, T, np.exp(-T / 3), np.exp(-T / 3), runs[-1].shown), rates)


def named(ax: Any) -> dict[str, np.ndarray[Any, Any]]:
    return {line.get_label(): line.get_xydata() for line in ax.lines}


def test_predicted_rates_are_lines_beside_the_coldest_curve() -> None:
    found = simulation()
    (ax,) = draw_distances(found).axes
    fall, growth = (line.get_xydata() for line in ax.lines[-2:])
    least, escape = found.runs[-1].phases.t_min, found.runs[-1].phases.escape
    assert escape is not None
    c = min(0.6 / 1.5, 0.6 / (2 * 0.8))
    assert np.allclose(fall[:, 0], [0.25 * least, 0.85 * least])
    assert np.allclose(fall[0, 1], 0.4 * np.exp(-fall[0, 0] / 3), rtol=1e-3)
    assert np.isclose(np.log(fall[1, 1] / fall[0, 1]), -c * 0.6 * least)
    assert np.allclose(growth[:, 0], [least + 0.4 * (escape - least), least + 0.85 * (escape - least)])
    assert np.isclose(np.log(growth[1, 1] / growth[0, 1]), 0.45 * (growth[1, 0] - growth[0, 0]))
    assert np.isclose(growth[1, 1], 0.35 * np.interp(growth[1, 0], T, found.runs[-1].w2))
    assert [text.get_text() for text in ax.texts] == ["-c = -0.375", "$g_V$ = 0.45"]
    for text, line in zip(ax.texts, (fall, growth), strict=True):
        assert np.allclose(text.xy, [line[:, 0].mean(), np.sqrt(line[0, 1] * line[1, 1])])
    for instability in (0.0, np.inf):
        stable = simulation(Rates(0.6, 1.5, 0.8, instability))
        assert [text.get_text() for text in draw_distances(stable).axes[0].texts] == ["-c = -0.375"]
    assert not draw_distances(simulation(None)).axes[0].texts


def test_laws_are_drawn_of_settled_runs_with_lines_of_the_predicted_slopes() -> None:
    found = simulation(short=True)
    settled = found.runs[1:]
    assert [run.phases.settled for run in found.runs] == [False, True, True]
    left, right = draw_laws(found).axes
    measured, predicted = found.slopes(), found.predicted()
    logs = np.log([10.0, 100.0])
    values = {
        "t_min": (left, "time of the least W2", [run.phases.t_min for run in settled]),
        "escape": (left, "escape", [run.phases.escape for run in settled]),
        "w2_min": (right, "log of the least W2", [np.log(run.phases.w2_min) for run in settled]),
    }
    assert (predicted["escape"], predicted["t_min"], predicted["w2_min"]) == pytest.approx(
        (1.5 / 1.2 + 1 / 0.9, (1.5 / 1.2 + 1 / 0.9) * 0.45 / 0.825, -0.375 * (1.5 / 1.2 + 1 / 0.9) * 0.45 / 0.825)
    )
    for key, (ax, words, heights) in values.items():
        lines = named(ax)
        assert np.allclose(lines[f"{words}: slope {measured[key]:.3f}"], np.column_stack([logs, heights]))
        law = lines[f"predicted {predicted[key]:.3f}"]
        assert np.allclose(law[:, 0], logs)
        assert np.isclose((law[1, 1] - law[0, 1]) / (logs[1] - logs[0]), predicted[key])
        assert np.isclose(law[:, 1].mean(), np.mean(heights))
    assert [ax.get_xlabel() for ax in (left, right)] == [r"log $\beta$"] * 2


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


def test_tokens_keep_the_colour_of_where_they_started() -> None:
    found = simulation()
    figure, run = draw_tokens(found), found.runs[-1]
    moments = (0, int(run.w2.argmin()), len(run.times) - 1)
    hues = np.array([0.1, 2.0, 4.0]) / (2 * np.pi)
    for ax, k in zip(figure.axes, moments, strict=True):
        _, tokens = ax.collections
        assert np.allclose(tokens.get_offsets(), run.shown[k])
        assert np.allclose(tokens.get_array(), hues)
    assert figure.get_suptitle() == r"$\beta$ = 100"


def test_moving_tokens_are_named_by_time_and_phase(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    titles: list[str] = []

    def shown(figure: Figure, show: Callable[[int], None], count: int, path: Path, *, frames_per_second: int) -> None:
        assert (count, path, frames_per_second) == (90, tmp_path / "t.gif", 12)
        for at in (0, 30, 60, 89):
            show(at)
            titles.append(figure.axes[0].get_title())
            places.append(figure.axes[0].collections[1].get_offsets().tolist())

    places: list[list[list[float]]] = []
    monkeypatch.setattr("exactformer.report.meanfield_plot.save_frames", shown)
    found = simulation()
    save_tokens(found, tmp_path / "t.gif")
    run, moments = found.runs[-1], [int(200 * at / 89) for at in (0, 30, 60, 89)]
    phases = run.phases
    assert phases.escape is not None
    for title, place, k in zip(titles, places, moments, strict=True):
        t = run.times[k]
        if t >= phases.escape:
            phase = "terminal"
        elif phases.metastable[0] <= t <= phases.metastable[1]:
            phase = "metastable"
        else:
            phase = "between" if t > phases.t_min else "concentration"
        assert title == rf"$\beta$ = 100, t = {t:.1f}: {phase}"
        assert np.allclose(place, run.shown[k])
    assert len({title.split(": ")[1] for title in titles}) >= 3


def test_colder_curves_are_darker() -> None:
    (ax,) = draw_distances(simulation()).axes
    hues = [next(line for line in ax.lines if line.get_label() == rf"$\beta$ = {b}").get_color() for b in (3, 10, 100)]
    light = [sum(hue[:3]) for hue in hues]
    assert light == sorted(light, reverse=True)
    assert len(set(light)) == 3
