"""The page about a run of the mean field: what was measured, what is predicted, and its pictures."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np

from exactformer.arithmetic.short_text import show
from exactformer.display.html import Markup, html, join, table
from exactformer.io.json_lines import write_atomically
from exactformer.report.canvas import save
from exactformer.report.citations import bibtex_for
from exactformer.report.meanfield_plot import draw_distances, draw_laplace, draw_laws, draw_tokens, save_tokens
from exactformer.report.page import shown
from exactformer.report.skeleton import page
from exactformer.studies.mean_field.approx_form import fit_two_exponentials, least_growth
from exactformer.studies.mean_field.approx_run import Simulation
from exactformer.studies.mean_field.system import System

#: constants K for which the least C of the announced form is said
CONSTANTS = (1.0, 2.0, 4.0)


def write_meanfield(simulation: Simulation, system: System, folder: Path) -> list[str]:
    """Writes the pictures and the page index.html into a folder; returns the names of the files."""
    figures = {"w2.png": draw_distances, "laws.png": draw_laws}
    captions = {"w2.png": "W2 to the limit", "laws.png": "How the phases move with the temperature"}
    if system.dim <= 3:
        figures["tokens.png"], captions["tokens.png"] = draw_tokens, "Tokens in the three phases"
    for name, draw in figures.items():
        save(draw(simulation), folder / name)
    if system.dim == 2:
        save(draw_laplace(system.floats()[1]), folder / "laplace.png")
        captions["laplace.png"] = "The Laplace principle at the start, for four measures"
    if system.dim <= 3:
        moving = folder / f".tokens.{os.getpid()}.gif"
        try:
            save_tokens(simulation, moving)
            moving.replace(folder / "tokens.gif")
        finally:
            moving.unlink(missing_ok=True)
        captions["tokens.gif"] = "The tokens moving"
    pictures = join(shown(folder / name, caption) for name, caption in captions.items())
    write_atomically(folder / "index.html", _page(simulation, system, pictures).encode())
    return [*captions, "index.html"]


def _page(simulation: Simulation, system: System, pictures: Markup) -> Markup:
    body = html(
        "<h1>Mean field at low temperature</h1><p>Tokens on the sphere at several inverse temperatures, and the "
        "distance W2 of their measure from its limit at zero temperature. Every figure on this page is approximate: "
        "it was measured in floating point. What is predicted of the phases is heuristic.</p>"
        "<h2>System</h2>{system}<h2>Phases</h2>{phases}<h2>Slopes</h2>{slopes}{form}{pictures}",
        system=table(["", "exactly"], [[name, _matrix(getattr(system, name))] for name in ("V", "B", "M")]),
        phases=_phases(simulation),
        slopes=_slopes(simulation),
        form=_form(simulation),
        pictures=pictures,
    )
    return page("Mean field at low temperature", body, scripts=(), papers=bibtex_for("zero-temperature"))


def _matrix(rows: tuple[tuple[object, ...], ...]) -> str:
    return "; ".join(", ".join(show(x) for x in row) for row in rows)


def _phases(simulation: Simulation) -> Markup:
    rows = []
    for run in simulation.runs:
        found = run.phases
        escape = "-" if found.escape is None else f"{found.escape:.2f}"
        between = f"{found.metastable[0]:.1f} to {found.metastable[1]:.1f}"
        bounds = "exact" if (run.lower == run.w2).all() else f"at least {run.lower.min():.4g}"
        rows.append([f"{run.beta:g}", f"{found.w2_min:.4g}", bounds, f"{found.t_min:.2f}", between, escape])
    return table(["beta", "least W2", "bound", "at t", "within twice that", "escape (W2 > 0.7)"], rows)


def _slopes(simulation: Simulation) -> Markup:
    measured, predicted = simulation.slopes(), simulation.predicted()
    names = {"t_min": "time of the least W2", "escape": "escape", "w2_min": "log of the least W2"}
    rows = [
        [words, *("-" if s[key] is None else f"{s[key]:.4f}" for s in (measured, predicted))]
        for key, words in names.items()
    ]
    return table(["against log beta", "measured", "predicted"], rows)


def _form(simulation: Simulation) -> Markup:
    """What the announced form needs, and the nearest sum of two exponentials."""
    if simulation.rates is None:
        return html("")
    c = simulation.rates.rate()
    growths = [(K, least_growth(simulation.runs, c, K)) for K in CONSTANTS]
    rows = [[f"{K:g}", f"{C:.4g}" if np.isfinite(C) else "none"] for K, C in growths]
    fitted = fit_two_exponentials(simulation.runs)
    words = (
        ""
        if fitted is None
        else f"All curves together: W2 = {fitted.D:.3g} e^(-{fitted.c:.3g} t) + {fitted.A:.3g} beta^(-{fitted.q:.3g}) "
        f"e^({fitted.C:.3g} t), with a root mean square difference of {fitted.residual:.2g} in the logarithms."
    )
    return html(
        "<h2>The announced form</h2><p>W2 at most K [sqrt(log(beta+1)/beta) e^(Ct) + e^(-ct)] with c = {c:.4g}, up to "
        "the escape: the least C for a given K.</p>{rows}<p>{words}</p>",
        c=c,
        rows=table(["K", "least C"], rows),
        words=words,
    )
