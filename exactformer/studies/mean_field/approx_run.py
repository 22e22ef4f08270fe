"""A run of the mean field at several temperatures, in floats: W2 to the limit against time, and what it shows."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import chain, repeat
from typing import Any

import numpy as np

from exactformer.arithmetic.integers import Array
from exactformer.arithmetic.state import PointsLike
from exactformer.display.frames import DataFrame, frame
from exactformer.display.verbs import Drawn, Listed
from exactformer.errors import InvalidInput
from exactformer.evaluate.floats import Backend
from exactformer.io.json_lines import JsonObject, PathLike
from exactformer.io.untyped import ApiArray
from exactformer.studies.mean_field.approx_density import Density
from exactformer.studies.mean_field.approx_flow import Flow, FlowMethod, Scheme, ZeroTemperatureFlow
from exactformer.studies.mean_field.approx_phases import Phases, Rates, slopes
from exactformer.studies.mean_field.approx_softmax import on_host
from exactformer.studies.mean_field.approx_transport import ApproxLimit, ApproxTransport
from exactformer.studies.mean_field.no_dominant import NoDominant
from exactformer.studies.mean_field.spectrum import dominant
from exactformer.studies.mean_field.system import System

#: W2 is recorded at most so often, for at most so many tokens kept for pictures
RECORDS, SHOWN = 1000, 2000
#: tokens up to which every pair is looked at unless a method is named
FEW = 1000
#: how far from the sphere rounding takes a token
OFF_SPHERE = 1e-9
#: steps of a run at most, and the largest h |V| cond(B) that floats are asked to follow
MOST_STEPS, LONGEST_STEP = 10**6, 1e4


@dataclass(frozen=True)
class Settings:
    """How a run is done: until which time, in which steps, and by which method."""

    time: float
    step: float
    method: FlowMethod | None = None
    scheme: Scheme = "rk4"
    backend: Backend = field(default_factory=Backend.of)
    solve: bool = False

    def __post_init__(self) -> None:
        for name in ("time", "step"):
            value = getattr(self, name)
            if not 0 < value < np.inf:
                raise InvalidInput(f"--{name}: expected a positive number, got {value:.4g}")
        if self.step > self.time:
            raise InvalidInput(f"`step`: expected at most the time {self.time:.4g}, got {self.step:.4g}")
        if self.time / self.step > MOST_STEPS:
            raise InvalidInput(f"`step`: expected at most {MOST_STEPS} steps, got {self.time / self.step:.3g}")

    @property
    def steps(self) -> int:
        """How many steps there are."""
        return round(self.time / self.step)

    @property
    def stride(self) -> int:
        """Steps from one record to the next."""
        return -(-self.steps // RECORDS)

    def method_for(self, count: int, dim: int) -> FlowMethod:
        """The method named, or else dense for few tokens, compressed on circle and 2-sphere, truncated beyond."""
        if self.method is not None:
            return self.method
        if count <= FEW:
            return "dense"
        return "compressed" if dim <= 3 else "truncated"


@dataclass(frozen=True)
class Run:
    """One temperature (None: zero): times, bounds of W2 (equal where it is exact), and some of the tokens."""

    beta: float | None
    times: Array
    lower: Array
    w2: Array
    shown: Array

    @property
    def phases(self) -> Phases:
        """When W2 is least, and when it escapes."""
        return Phases.of(self.times, self.w2)

    def json(self) -> JsonObject:
        """The run as the JSON of the command has it; all figures are approximate."""
        found = self.phases
        answer: JsonObject = {
            "beta": self.beta,
            "approx_times": self.times.tolist(),
            "approx_w2": self.w2.tolist(),
            "approx_w2_min": found.w2_min,
            "approx_t_min": found.t_min,
            "approx_escape": found.escape,
            "approx_metastable": list(found.metastable),
        }
        return answer if (self.lower == self.w2).all() else answer | {"approx_w2_lower": self.lower.tolist()}


@dataclass(frozen=True, repr=False)
class Simulation(Listed, Drawn):
    """Runs at several temperatures from the same tokens, zero temperature beside them, and the laws predicted."""

    runs: tuple[Run, ...]
    cold: Run
    rates: Rates | None

    def slopes(self) -> dict[str, float | None]:
        """What t_min, the escape and log W2_min gain with log beta."""
        return slopes([run.beta for run in self.runs if run.beta], [run.phases for run in self.runs])

    def predicted(self) -> dict[str, float | None]:
        """What they are predicted to gain; None where no law is known."""
        return self.rates.slopes() if self.rates else dict.fromkeys(("t_min", "escape", "w2_min"))

    def __repr__(self) -> str:
        warm = ", ".join(f"{run.beta:g}" for run in self.runs if run.beta is not None)
        return f"Simulation(beta {warm}, and zero temperature, to time {self.cold.times[-1]:g})"

    def to_pandas(self) -> DataFrame:
        """A frame with the columns beta (None: zero temperature), time, w2, w2_lower: floats, never exact."""
        columns = ["beta", "time", "w2", "w2_lower"]
        rows = (zip(repeat(run.beta), run.times, run.w2, run.lower) for run in (*self.runs, self.cold))
        return frame(columns, chain.from_iterable(rows))

    def json(self) -> JsonObject:
        """The answer of `exactformer meanfield run`."""
        return {
            "runs": [run.json() for run in self.runs],
            "zero_temperature": {"approx_times": self.cold.times.tolist(), "approx_w2": self.cold.w2.tolist()},
            "approx_slopes": self.slopes(),
            "predicted_slopes": self.predicted(),
        }


def approx_run(
    matrices: tuple[Array, Array],
    limit: ApproxLimit,
    tokens: Array,
    betas: Sequence[float],
    settings: Settings,
    progress: Callable[[int], None] = lambda done: None,
) -> Simulation:
    """The tokens (n, d) followed at every beta for V and B = Q'K, and at zero temperature.

    >>> tokens = np.array([[0.6, 0.8], [-0.8, 0.6], [0.6, -0.8]])
    >>> matrices, limit = (np.eye(2), np.diag([1.0, 2.0])), ApproxLimit(np.diag([0.0, 1.0]))
    >>> approx_run(matrices, limit, tokens, [50], Settings(2, 0.5)).cold.w2.round(3).tolist()
    [0.73, 0.598, 0.482, 0.383, 0.303]
    """
    V, B = matrices
    length = settings.step * float(np.linalg.norm(V, 2)) * float(np.linalg.cond(B))
    if not length <= LONGEST_STEP:
        raise InvalidInput(
            f"`step`: expected h |V| cond(B) <= {LONGEST_STEP:g}, got {length:.3g}; take a step of at most "
            f"{settings.step * LONGEST_STEP / length:.2g}"
        )
    transport = ApproxTransport.of(limit, tokens)
    method = settings.method_for(*tokens.shape)
    flows = [Flow(V, B, beta, settings.backend, method, settings.scheme) for beta in betas]
    runs = []
    for k, flow in enumerate(flows):
        start = settings.backend.array(tokens)
        runs.append(_followed(flow, start, transport, settings, k, progress))
    cold = _followed(ZeroTemperatureFlow(V, B), tokens, transport, settings, len(flows), progress)
    return Simulation(tuple(runs), cold, Rates.of(V, B, limit))


def approx_simulation(
    system: System | PointsLike | PathLike,
    betas: float | Sequence[float],
    *,
    n: int = 2000,
    density: str | None = None,
    seed: int | None = None,
    tokens: Array | None = None,
    **settings: Any,
) -> Simulation:
    """n tokens of a density, or given ones, followed at every beta; `time`, `step`, `method`, `scheme` as in Settings.

    >>> system = System.of([[1, 0], [0, "1/2"]], [["1/5", 0], [0, 1]])
    >>> found = approx_simulation(system, [20, 60], n=300, time=14, step=0.5)
    >>> [round(run.phases.t_min, 1) for run in found.runs]
    [6.3, 8.0]
    """
    system = System.given(system)
    found = dominant(system.M)
    if isinstance(found, NoDominant):
        raise InvalidInput(f"a hypothesis fails: {found.reason}; there is no limit to measure against")
    if tokens is None:
        chosen = Density.generic(system.dim) if density is None else Density(density, system.dim)
        tokens = chosen.tokens(n, seed)
    limit = ApproxLimit.of(found)
    return approx_run(
        system.floats(),
        limit,
        on_sphere(tokens),
        np.atleast_1d(betas).tolist(),
        Settings(**{"time": 40, "step": 0.05} | settings),
    )


def _followed(
    flow: Flow | ZeroTemperatureFlow,
    x: ApiArray,
    transport: ApproxTransport,
    settings: Settings,
    number: int,
    progress: Callable[[int], None],
) -> Run:
    times, pairs, shown = [], [], []
    chosen = np.sort(np.random.default_rng(0).permutation(len(x))[:SHOWN])
    for k in range(settings.steps + 1):
        if k % settings.stride == 0 or k == settings.steps:
            host = np.asarray(on_host(x), dtype=np.float64)
            lower, upper = transport.bounds(host)
            if settings.solve and lower < upper:
                lower = upper = transport.solved(host)
            times.append(k * settings.step)
            pairs.append((lower, upper))
            shown.append(host[chosen])
        if k < settings.steps:
            x = flow.step(x, settings.step)
        progress(number * (settings.steps + 1) + k + 1)
    bounds = np.array(pairs)
    beta = flow.beta if isinstance(flow, Flow) else None
    return Run(beta, np.array(times), bounds[:, 0], bounds[:, 1], np.array(shown))


def least_tokens(beta: float, dim: int) -> int:
    """10 max(beta, beta^{(d-1)/2}): fewer tokens attend to themselves alone, or miss the mass on the wrong side.

    >>> least_tokens(100, 2), least_tokens(100, 4)
    (1000, 10000)
    """
    return int(np.ceil(10 * max(beta, beta ** ((dim - 1) / 2))))


def on_sphere(tokens: Array, where: str = "tokens") -> Array:
    """The tokens brought to length 1 where rounding alone took them off the sphere; refused where it did not.

    >>> on_sphere(np.array([[0.6, 0.8 + 1e-13]])).round(6).tolist()
    [[0.6, 0.8]]
    """
    lengths = np.sqrt((tokens**2).sum(axis=1, keepdims=True))
    off = np.abs(lengths - 1)
    if not (off < OFF_SPHERE).all():
        i = int(np.argmax(~(off[:, 0] < OFF_SPHERE)))
        raise InvalidInput(
            f"{where}: expected tokens on the unit sphere, to {OFF_SPHERE:g}, got token {i} of length "
            f"{lengths[i, 0]:.12g}; divide every token by its length"
        )
    return np.asarray(tokens / lengths)
