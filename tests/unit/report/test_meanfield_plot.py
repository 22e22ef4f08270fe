"""Tests of `exactformer.report.meanfield_plot`."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from kits.simulations import T, run_of, simulation_of_dimension, two_runs
from matplotlib.colors import to_hex
from matplotlib.figure import Figure

from exactformer.report.meanfield_plot import (
    VIEW,
    _phase,
    draw_distances,
    draw_laplace,
    draw_laws,
    draw_tokens,
    save_tokens,
)
from exactformer.studies.mean_field import approx_laplace
from exactformer.studies.mean_field.approx_laplace import approx_laplace_errors, four_measures
from exactformer.studies.mean_field.approx_phases import Phases, Rates
from exactformer.studies.mean_field.approx_run import Run, Simulation


def curves(ax: Any) -> dict[str, tuple[list[float], list[float]]]:
    """The named lines of a panel."""
    return {line.get_label(): (list(line.get_xdata()), list(line.get_ydata())) for line in ax.lines}


# ---------------------------------------------------------------- the mean field


def test_w2_of_every_temperature_with_its_least_value_and_escape() -> None:
    found = two_runs()
    lines = draw_distances(found).axes[0].lines
    for k, run in enumerate(found.runs):
        curve, least, gone = lines[3 * k : 3 * k + 3]
        assert list(curve.get_ydata()) == run.w2.tolist()
        assert curve.get_label() == rf"$\beta$ = {run.beta:g}"
        assert (least.get_xdata()[0], least.get_ydata()[0]) == (run.phases.t_min, run.phases.w2_min)
        assert gone.get_xdata()[0] == run.phases.escape
    assert list(lines[6].get_ydata()) == found.cold.w2.tolist()


def test_laws_and_moments_are_those_of_the_runs() -> None:
    found = two_runs()
    left, right = draw_laws(found).axes
    slopes = found.slopes()
    logs = [float(np.log(run.beta)) for run in found.runs]
    assert curves(left)[f"time of the least W2: slope {slopes['t_min']:.3f}"] == (
        logs,
        [run.phases.t_min for run in found.runs],
    )
    assert curves(left)[f"escape: slope {slopes['escape']:.3f}"][1] == [run.phases.escape for run in found.runs]
    assert curves(right)[f"log of the least W2: slope {slopes['w2_min']:.3f}"][0] == logs
    figure, last = draw_tokens(found), found.runs[-1]
    least = last.times[last.w2.argmin()]
    titles = [ax.get_title() for ax in figure.axes]
    assert titles == ["start, t = 0.0", f"least W2, t = {least:.1f}", "terminal, t = 20.0"]
    phases = Phases(0.1, 5.0, (4.0, 7.0), 12.0, settled=True)
    names = [_phase(phases, t) for t in (0.0, 4.0, 7.0, 9.0, 12.0)]
    assert names == ["concentration", "metastable", "metastable", "between", "terminal"]


RATES = Rates(gap=0.6, on_limit=1.5, beside=0.8, instability=0.45)


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


# ---------------------------------------------------------------- the mean field


def test_tokens_behind_the_sphere_are_pale() -> None:
    found = simulation_of_dimension(3)
    ax = draw_tokens(found).axes[0]
    behind, front = ax.collections
    cloud = found.runs[-1].shown[0]
    # e3 is drawn upwards and towards the viewer, since the view is from above
    eye = np.linalg.lstsq(np.vstack([VIEW, [0, 0, 1]]), [0, 0, 1], rcond=None)[0]
    for drawn, alpha, size, chosen in ((behind, 0.25, 3, cloud @ eye <= 0), (front, 0.9, 6, cloud @ eye > 0)):
        assert np.allclose(drawn.get_offsets(), cloud[chosen] @ VIEW.T)
        assert (drawn.get_alpha(), drawn.get_sizes()[0]) == (alpha, size)
    assert front.get_zorder() > behind.get_zorder()
    assert [text.get_text() for text in ax.texts] == ["e1", "e2", "e3"]
    tips = [line.get_xydata()[1] for line in ax.lines[1:]]
    assert np.allclose(tips, VIEW.T)
    assert [line.get_linestyle() for line in ax.lines[1:]] == ["-" if x > 0 else ":" for x in eye]
    assert np.allclose(ax.get_xlim(), [-1.08, 1.08])


def test_the_mass_around_the_circle_is_that_of_the_tokens() -> None:
    found = simulation_of_dimension(2)
    ax = draw_tokens(found).axes[0]
    bars, tokens = ax.collections
    cloud = found.runs[-1].shown[0]
    assert np.allclose(tokens.get_offsets(), cloud)
    hues = (np.arctan2(cloud[:, 1], cloud[:, 0]) / (2 * np.pi)) % 1
    assert np.allclose(tokens.get_array(), hues)
    lengths = [np.linalg.norm(path.vertices[1]) - np.linalg.norm(path.vertices[0]) for path in bars.get_paths()]
    counts = np.histogram(hues, bins=120, range=(0, 1))[0]
    assert np.allclose(lengths, 0.45 * np.sqrt(counts / 40))
    middles = [np.arctan2(*path.vertices[0][::-1]) % (2 * np.pi) for path in bars.get_paths()]
    assert np.allclose(middles, (np.arange(120) + 0.5) * 2 * np.pi / 120)
    assert np.allclose(ax.get_xlim(), [-1.53, 1.53])
    assert ax.figure.get_suptitle() == r"$\beta$ = 100"


@pytest.mark.parametrize("exact", [True, False])
def test_bounds_of_w2_are_a_band_where_they_differ(exact: bool) -> None:
    found = simulation_of_dimension(2, exact=exact)
    (ax,) = draw_distances(found).axes
    assert len(ax.collections) == (0 if exact else 2)
    lowest = min(run.phases.w2_min for run in found.runs)
    assert np.allclose(ax.get_ylim(), [lowest / 4, 3])
    assert ax.get_yscale() == "log"
    ax.figure.draw_without_rendering()
    assert ax.get_legend().get_window_extent().y1 < ax.get_window_extent().y0, "below the curves, not on them"
    labels = [text.get_text() for text in ax.get_legend().get_texts()]
    assert labels == [r"$\beta$ = 10", r"$\beta$ = 100", "zero temperature"]
    colours = [to_hex(line.get_color()) for line in ax.lines[:6]]
    assert colours[0] == colours[1] != colours[3] == colours[4]
    laws = draw_laws(found)
    assert [ax.get_ylabel() for ax in laws.axes] == ["t", "log W2"]


def test_laplace_errors_against_beta(monkeypatch: pytest.MonkeyPatch) -> None:
    few = four_measures(2000)
    monkeypatch.setattr("exactformer.report.meanfield_plot.four_measures", lambda: few)
    monkeypatch.setattr(approx_laplace, "POINTS", 200)
    betas = (30.0, 100.0, 300.0, 1000.0)
    largest, mean = draw_laplace(np.eye(2), betas).axes
    for name, tokens in few.items():
        errors = approx_laplace_errors(tokens, np.eye(2), betas)
        for ax, values in ((largest, errors[:, 0]), (mean, errors[:, 1])):
            exponent = np.log(values[3] / values[2]) / np.log(betas[3] / betas[2])
            (line,) = [line for line in ax.lines if line.get_label() == f"{name}: {exponent:.2f}"]
            assert np.allclose(line.get_xydata(), np.column_stack([betas, values]))
    for ax in (largest, mean):
        assert np.allclose(ax.lines[-1].get_ydata(), np.sqrt(np.log(np.array(betas) + 1) / betas))
    assert [ax.get_title().split(" $")[0] for ax in (largest, mean)] == ["largest", "root mean square"]
