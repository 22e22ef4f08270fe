"""`exactformer meanfield run`: the tokens followed at several temperatures, in floats."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING

import click

from exactformer.cli.common import echo, input_path, json_option, make_folder, progress, say
from exactformer.cli.presenter import AnswerTable, Shown, present
from exactformer.errors import InvalidInput
from exactformer.io.untyped import OptionValue

if TYPE_CHECKING:
    from exactformer.arithmetic.integers import Array
    from exactformer.studies.mean_field.approx_density import Density
    from exactformer.studies.mean_field.approx_flow import FlowMethod, Scheme
    from exactformer.studies.mean_field.approx_run import Simulation
    from exactformer.studies.mean_field.approx_transport import ApproxLimit
    from exactformer.studies.mean_field.spectrum import Dominant
    from exactformer.studies.mean_field.system import System

#: h |V| from which on a step is called long
LONG = 0.75
NAMES = {
    "t_min": "t_min against log beta",
    "escape": "escape against log beta",
    "w2_min": "log W2_min against log beta",
}


@click.command("run")
@click.argument("system", metavar="SYSTEM", type=input_path)
@click.option("--beta", "betas", required=True, metavar="B1,B2,..", help="Inverse temperatures, separated by commas.")
@click.option("-n", "count", type=click.IntRange(2, 10**6), default=2000, show_default=True, help="How many tokens.")
@click.option("--time", "until", default="40", show_default=True, metavar="T", help="Final time.")
@click.option("--step", default="1/20", show_default=True, metavar="h", help="Length of a step.")
@click.option(
    "--density", "text", metavar="EXPR", help="Density of the initial tokens, in x1, x2, .. and th; see above."
)
@click.option("--seed", type=click.IntRange(min=0), metavar="S", help="Draw the tokens; quantiles unless given.")
@click.option("--tokens", "path", type=input_path, metavar="FILE", help="Tokens on the sphere, in place of a density.")
@click.option("--method", type=click.Choice(["dense", "truncated", "compressed"]), help="By size unless given.")
@click.option(
    "--scheme",
    type=click.Choice(["euler", "rk4"]),
    default="rk4",
    show_default=True,
    help="Euler's method, or Runge-Kutta of order 4.",
)
@click.option("--transport", is_flag=True, help="Solve for W2 where E is not a line (POT; at most 2000 tokens).")
@click.option(
    "--backend", type=click.Choice(["numpy", "torch"]), default="numpy", show_default=True, help="The array library."
)
@click.option("--device", metavar="DEV", help="PyTorch device: cpu, cuda, ..")
@click.option(
    "--dtype", type=click.Choice(["float64", "float32"]), default="float64", show_default=True, help="The floats."
)
@click.option(
    "--plot", "folder", type=click.Path(path_type=Path, file_okay=False), metavar="DIR", help="Pictures and a page."
)
@json_option
def command(system: Path, betas: str, folder: Path | None, as_json: bool, **options: OptionValue) -> int:
    """Follow tokens on the sphere at several temperatures and measure W2 to their limit; every figure is a float.

    If the limit has two atoms, W2 is exact up to rounding; otherwise it lies between the distance to the sphere of E
    and the cost of the index coupling, which is the value shown. The density is an expression in x1, x2, .. (on the
    circle also the angle th) with + - * / **, sqrt, sin, cos, exp, log, abs, step and pi; unless given it is
    1 + <n,x>/2 for a generic n, since symmetric tokens hide the terminal phase.

    \b
    Example:
      exactformer meanfield sample metastable -o system.json
      exactformer meanfield run system.json --beta 10,30,100 -n 600 --time 20 --step 1/5
    """
    from exactformer.studies.mean_field.no_dominant import NoDominant
    from exactformer.studies.mean_field.spectrum import dominant
    from exactformer.studies.mean_field.system import System

    instance = System.read(system)
    levels = [_positive(part, "--beta") for part in betas.split(",")]
    found = dominant(instance.M)
    if isinstance(found, NoDominant):
        echo(f"exactformer: a hypothesis fails: {found.reason}; there is no limit to measure against", err=True)
        return 1
    if folder is not None:
        make_folder(folder, "*.png", "*.gif", "index.html")
    simulation = _simulated(instance, found, levels, **options)
    if folder is not None:
        from exactformer.report.meanfield_page import write_meanfield

        written = write_meanfield(simulation, instance, folder)
        say(f"wrote {', '.join(written)} into {folder}", quiet=as_json)
    for run in simulation.runs:
        if not run.phases.settled:
            say(f"beta = {run.beta:g}: W2 still falls at the end; raise --time to see its least value")
    present(as_json, simulation.json, _shown(simulation))
    return 0


def _positive(text: str, name: str) -> float:
    """The number of an option, positive."""
    from exactformer.arithmetic.floats import float_of
    from exactformer.arithmetic.text import exact

    value = exact(text.strip(), name)
    if not isinstance(value, Fraction) or value <= 0:
        raise InvalidInput(f"{name}: expected positive rational numbers such as 100 or 1/20, got {text!r:.60}")
    number = float_of(value)
    if not 0 < number < 1e12:
        raise InvalidInput(f"{name}: expected a number that floats can follow, at most 10^12, got {text!r:.60}")
    return number


def _simulated(
    system: System,
    found: Dominant,
    betas: list[float],
    *,
    count: int,
    until: str,
    step: str,
    text: str | None,
    seed: int | None,
    path: Path | None,
    method: FlowMethod,
    scheme: Scheme,
    transport: bool,
    backend: str,
    device: str | None,
    dtype: str,
) -> Simulation:
    from exactformer.evaluate.floats import Backend
    from exactformer.studies.mean_field.approx_density import Density
    from exactformer.studies.mean_field.approx_run import Settings, approx_run
    from exactformer.studies.mean_field.approx_transport import ApproxLimit

    if path is not None and (text is not None or seed is not None):
        raise click.UsageError("--tokens excludes --density and --seed")
    where = Backend.of(backend, dtype, device)
    settings = Settings(_positive(until, "--time"), _positive(step, "--step"), method, scheme, where, transport)
    limit = ApproxLimit.of(found)
    if path is None:
        density = Density(text, system.dim) if text is not None else Density.generic(system.dim)
        tokens = density.tokens(count, seed)
        _say_tokens(density, system, limit, count, seed)
    else:
        tokens = _read_tokens(path, system.dim)
    _say_few(betas, *tokens.shape)
    _say_long(system, settings.step)
    say(f"{len(tokens)} tokens, method {settings.method_for(*tokens.shape)}, {settings.steps} steps of {scheme}")
    with progress("steps", (len(betas) + 1) * (settings.steps + 1)) as done:
        return approx_run(system.floats(), limit, tokens, betas, settings, done)


def _read_tokens(path: Path, dim: int) -> Array:
    """The tokens of a file, which must lie on the sphere."""
    from exactformer.model.tokens import Tokens
    from exactformer.studies.mean_field.approx_run import on_sphere

    tokens = Tokens.read(path)
    if tokens.dim != dim:
        raise InvalidInput(f"{path}: expected tokens of dimension {dim}, as the system has, got {tokens.dim}")
    return on_sphere(tokens.state.floats(), str(path))


def _say_tokens(density: Density, system: System, limit: ApproxLimit, count: int, seed: int | None) -> None:
    from exactformer.studies.mean_field.approx_form import hiding_directions

    placed = "quantiles" if system.dim == 2 else "quasi-random points" if system.dim == 3 else "drawn with seed 0"
    say(f"density {density.text}, {placed if seed is None else f'drawn with seed {seed}'}")
    for v in hiding_directions(*system.floats(), limit, density):
        shown = ", ".join(f"{x:.3g}" for x in v)
        say(
            f"symmetric: the reflection along ({shown}) keeps V, B and the density, so that the mean field never turns "
            "along it: the terminal phase is hidden, and an escape seen is due to the draw or to rounding"
        )


def _say_few(betas: list[float], count: int, dim: int) -> None:
    from exactformer.studies.mean_field.approx_run import least_tokens

    few = [beta for beta in betas if count < least_tokens(beta, dim)]
    if few:
        need = least_tokens(max(few), dim)
        say(
            f"{count} tokens are few for beta = {max(few):g}: the rule is n >= 10 max(beta, beta^((d-1)/2)) = {need}; "
            "below it tokens attend to themselves alone and W2_min is not that of the mean field"
        )


def _say_long(system: System, step: float) -> None:
    import numpy as np

    length = step * float(np.linalg.norm(system.floats()[0], 2))
    if length > LONG:
        say(f"the step is long: h |V| = {length:.3g}; halve --step to see whether the figures stay")


def _shown(simulation: Simulation) -> Shown:
    rows = []
    for run in simulation.runs:
        found = run.phases
        between = f"{found.metastable[0]:.1f} to {found.metastable[1]:.1f}"
        escape = "-" if found.escape is None else f"{found.escape:.2f}"
        rows.append([f"{run.beta:g}", f"{found.w2_min:.4g}", f"{found.t_min:.2f}", between, escape])
    yield AnswerTable("W2 to the limit, approximately", ["beta", "least W2", "at t", "metastable", "escape"], rows)
    measured, predicted = simulation.slopes(), simulation.predicted()
    slopes = [[words, _slope(measured[key]), _slope(predicted[key])] for key, words in NAMES.items()]
    yield AnswerTable("slopes, approximately", ["", "measured", "predicted"], slopes)


def _slope(value: float | None) -> str:
    return "-" if value is None else f"{value:.4f}"
