"""Pictures of the mean field: W2 against time, the laws in beta, tokens in the three phases, errors at the start."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from exactformer.arithmetic.integers import Array
from exactformer.io.json_lines import PathLike
from exactformer.report.animation import save_frames
from exactformer.report.canvas import new_figure, one_panel, panels, plain_label, quiet
from exactformer.report.palette import COLOURS, INK, NEUTRAL
from exactformer.studies.mean_field.approx_laplace import approx_laplace_errors, four_measures
from exactformer.studies.mean_field.approx_phases import ESCAPED, Phases
from exactformer.studies.mean_field.approx_run import Run, Simulation

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

#: bins of the mass around the circle, their largest length, frames of an animation
BINS, REACH, FRAMES = 120, 0.45, 90
#: what a picture of the laws says where no run got so far
UNSETTLED = "no run reached its least W2 before the end:\nrun it longer"
#: inverse temperatures of the errors at the start
BETAS = (30.0, 100.0, 300.0, 1000.0, 3000.0, 10000.0)


def draw_distances(simulation: Simulation) -> Figure:
    """W2 to the limit against time, for every beta and at zero temperature, with both slopes where they are known."""
    figure, ax = one_panel(7.2, 4.4)
    lowest = min(run.phases.w2_min for run in simulation.runs)
    for run, colour in zip(simulation.runs, _colours(len(simulation.runs)), strict=True):
        ax.semilogy(run.times, run.w2, color=colour, linewidth=1.3, label=rf"$\beta$ = {run.beta:g}")
        if (run.lower < run.w2).any():
            ax.fill_between(run.times, np.maximum(run.lower, 1e-12), run.w2, color=colour, alpha=0.2, linewidth=0)
        ax.plot(run.phases.t_min, run.phases.w2_min, "o", color=colour, markersize=4)
        if run.phases.escape is not None:
            ax.plot(run.phases.escape, ESCAPED, "s", color=colour, markersize=4)
    ax.semilogy(
        simulation.cold.times, simulation.cold.w2, color=INK, linewidth=1, linestyle="--", label="zero temperature"
    )
    _draw_slopes(ax, simulation)
    ax.set_ylim(max(lowest / 4, 1e-12), 3)
    ax.set_xlabel("t", fontsize=8)
    ax.set_ylabel("W2 to the limit", fontsize=8)
    ax.legend(fontsize=7, frameon=False, loc="upper center", bbox_to_anchor=(0.5, -0.12), ncols=5)
    ax.set_title("discs: least W2; squares: escape", fontsize=8)
    quiet(ax)
    return figure


def _draw_slopes(ax: Axes, simulation: Simulation) -> None:
    """Lines with the predicted rates of fall and growth, beside the curve of the largest beta."""
    rates = simulation.rates
    if rates is None:
        return
    found = simulation.runs[-1].phases
    t = np.array([0.25, 0.85]) * found.t_min
    _draw_slope(ax, t, 0.4 * _value(simulation.cold, t[0]), -rates.rate(), "-c")
    if found.escape is not None and 0 < rates.instability < np.inf:
        t = found.t_min + np.array([0.4, 0.85]) * (found.escape - found.t_min)
        below = 0.35 * _value(simulation.runs[-1], t[1]) * np.exp(-rates.instability * (t[1] - t[0]))
        _draw_slope(ax, t, below, rates.instability, "$g_V$")


def _draw_slope(ax: Axes, t: Array, start: float, rate: float, name: str) -> None:
    line = start * np.exp(rate * (t - t[0]))
    ax.plot(t, line, color=NEUTRAL, linewidth=2)
    middle = (t.mean(), float(np.sqrt(line[0] * line[1])))
    towards = {"ha": "right", "va": "top"} if rate < 0 else {"ha": "left", "va": "top"}
    ax.annotate(
        f"{name} = {rate:.3g}",
        middle,
        xytext=(4 * np.sign(rate), -4),
        textcoords="offset points",
        fontsize=7,
        **towards,
    )


def _value(run: Run, t: float) -> float:
    return float(np.interp(t, run.times, run.w2))


def _colours(count: int) -> list[object]:
    """From light to dark with beta."""
    import matplotlib

    shades = np.linspace(0.15, 0.85, max(count, 2))
    return [matplotlib.colormaps["viridis_r"](s) for s in shades[:count]]


def draw_laws(simulation: Simulation) -> Figure:
    """t_min and escape against log beta, and W2_min in logarithms, with the slopes predicted."""
    figure = new_figure(7.2, 3.4)
    left, right = figure.subplots(1, 2)
    runs = [run for run in simulation.runs if run.phases.settled]
    predicted, measured = simulation.predicted(), simulation.slopes()
    series: list[tuple[object, str, str, list[float | None]]] = [
        (left, "t_min", "time of the least W2", [run.phases.t_min for run in runs]),
        (left, "escape", "escape", [run.phases.escape for run in runs]),
        (right, "w2_min", "log of the least W2", [float(np.log(run.phases.w2_min)) for run in runs]),
    ]
    for (ax, key, words, values), colour in zip(series, COLOURS, strict=False):
        points = [(np.log(run.beta or 1), value) for run, value in zip(runs, values, strict=True) if value is not None]
        if points:
            _draw_law(ax, np.array(points), (words, colour), measured[key], predicted[key])
    for ax, words in ((left, "t"), (right, "log W2")):
        ax.set_xlabel(r"log $\beta$", fontsize=8)
        ax.set_ylabel(words, fontsize=8)
        if runs:
            ax.legend(fontsize=7, frameon=False)
        else:
            ax.text(0.5, 0.5, UNSETTLED, transform=ax.transAxes, ha="center", va="center", fontsize=8)
            ax.set_xticks([])
            ax.set_yticks([])
        quiet(ax)
    return figure


def _draw_law(ax: Axes, points: Array, look: tuple[str, str], measured: float | None, predicted: float | None) -> None:
    words, colour = look
    slope = "" if measured is None else f": slope {measured:.3f}"
    ax.plot(*points.T, "o", color=colour, markersize=4, label=f"{words}{slope}")
    if predicted is not None:
        x = points[:, 0]
        middle = points.mean(axis=0)
        ax.plot(
            x, middle[1] + predicted * (x - middle[0]), color=colour, linewidth=1, label=f"predicted {predicted:.3f}"
        )


def draw_tokens(simulation: Simulation) -> Figure:
    """The tokens of the largest beta at the start, at the least W2, and at the end: circle or 2-sphere."""
    run = simulation.runs[-1]
    named = {0: "start", int(run.w2.argmin()): "least W2"}
    named[len(run.times) - 1] = "terminal" if run.phases.escape is not None else "end"
    figure, axes = panels(len(named), columns=3, size=3.0)
    for ax, (k, name) in zip(axes, sorted(named.items()), strict=True):
        _draw_moment(ax, run, k)
        ax.set_title(rf"{name}, t = {run.times[k]:.1f}", fontsize=9)
    figure.suptitle(rf"$\beta$ = {run.beta:g}", fontsize=9)
    return figure


def save_tokens(simulation: Simulation, path: PathLike) -> None:
    """Writes the tokens of the largest beta moving, as GIF or MP4."""
    run = simulation.runs[-1]
    moments = np.unique(np.linspace(0, len(run.times) - 1, FRAMES).astype(int))
    figure, ax = one_panel(3.6, 3.9)

    def show(at: int) -> None:
        ax.clear()
        _draw_moment(ax, run, int(moments[at]))
        t = run.times[moments[at]]
        ax.set_title(rf"$\beta$ = {run.beta:g}, t = {t:.1f}: {_phase(run.phases, t)}", fontsize=8)

    save_frames(figure, show, len(moments), path, frames_per_second=12)


def _phase(found: Phases, t: float) -> str:
    if found.escape is not None and t >= found.escape:
        return "terminal"
    return (
        "metastable"
        if found.metastable[0] <= t <= found.metastable[1]
        else "between"
        if t > found.t_min
        else "concentration"
    )


def _draw_moment(ax: Axes, run: Run, k: int) -> None:
    x, first = run.shown[k], run.shown[0]
    hue = (np.arctan2(first[:, 1], first[:, 0]) / (2 * np.pi)) % 1  # where a token started
    turn = np.linspace(0, 2 * np.pi, 200)
    ax.plot(np.cos(turn), np.sin(turn), color=NEUTRAL, linewidth=0.8, zorder=1)
    (_draw_circle if x.shape[1] == 2 else _draw_sphere)(ax, x, hue)
    ax.set_aspect("equal")
    reach = 1.08 + (REACH if x.shape[1] == 2 else 0)
    ax.set_xlim(-reach, reach)
    ax.set_ylim(-reach, reach)
    ax.axis("off")


def _draw_circle(ax: Axes, x: Array, hue: Array) -> None:
    """Tokens on the circle, and outside it their mass in bins, lengths as square roots."""
    from matplotlib.collections import LineCollection

    angle = np.arctan2(x[:, 1], x[:, 0]) % (2 * np.pi)
    mass = np.bincount((angle * (BINS / (2 * np.pi))).astype(int) % BINS, minlength=BINS) / len(x)
    middle = (np.arange(BINS) + 0.5) * (2 * np.pi / BINS)
    rim = np.stack([np.cos(middle), np.sin(middle)], axis=1)
    bars = np.stack([1.05 * rim, (1.05 + REACH * np.sqrt(mass))[:, None] * rim], axis=1)
    ax.add_collection(LineCollection(list(bars), colors=COLOURS[0], linewidths=1.6))
    ax.scatter(x[:, 0], x[:, 1], c=hue, cmap="hsv", vmin=0, vmax=1, s=4, zorder=3)


#: directions of view of the 2-sphere: right, up
VIEW = np.array([[-0.6428, 0.7660, 0.0], [-0.2620, -0.2198, 0.9397]])


def _draw_sphere(ax: Axes, x: Array, hue: Array) -> None:
    """Tokens on the 2-sphere seen from the side; those behind are pale. The axes e1, e2, e3 are drawn."""
    towards = np.cross(VIEW[0], VIEW[1])
    flat, depth = x @ VIEW.T, x @ towards
    for front in (False, True):
        chosen = (depth > 0) == front
        look = {"s": 6, "alpha": 0.9, "zorder": 3} if front else {"s": 3, "alpha": 0.25, "zorder": 2}
        ax.scatter(*flat[chosen].T, c=hue[chosen], cmap="hsv", vmin=0, vmax=1, linewidths=0, **look)
    for i, axis in enumerate(VIEW.T):
        ax.plot([0, axis[0]], [0, axis[1]], color=INK, linewidth=0.6, linestyle=":" if towards[i] < 0 else "-")
        ax.annotate(f"e{i + 1}", 1.14 * axis, fontsize=7, ha="center", va="center")


def draw_laplace(B: Array, betas: Sequence[float] = BETAS) -> Figure:
    """sup and L2 of |m_beta - u| at the start against beta for four measures on the circle, with exponents."""
    figure = new_figure(7.2, 3.6)
    axes = figure.subplots(1, 2, sharey=True)
    x = np.array(betas)
    for (name, tokens), colour in zip(four_measures().items(), COLOURS, strict=False):
        errors = approx_laplace_errors(tokens, B, betas)
        for ax, values in zip(axes, errors.T, strict=True):
            exponent = np.polyfit(np.log(x[2:]), np.log(values[2:]), 1)[0]
            ax.loglog(
                x, values, "o-", color=colour, markersize=3, linewidth=1, label=f"{plain_label(name)}: {exponent:.2f}"
            )
    for ax, words in zip(axes, ("largest", "root mean square"), strict=True):
        ax.loglog(
            x,
            np.sqrt(np.log(x + 1) / x),
            color=INK,
            linestyle="--",
            linewidth=0.8,
            label=r"$\sqrt{\log(\beta+1)/\beta}$",
        )
        ax.set_xlabel(r"$\beta$", fontsize=8)
        ax.set_title(rf"{words} $|m_\beta - u|$", fontsize=8)
        ax.legend(fontsize=7, frameon=False, loc="lower left")
        quiet(ax)
    return figure
