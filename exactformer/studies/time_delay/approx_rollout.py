"""Rollouts in floats, and what is measured of them: one-step error, valid steps, statistics."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Protocol

import numpy as np

from exactformer.arithmetic.integers import Array
from exactformer.studies.time_delay.network import ApproxFunctions, DelayNetwork

#: a rollout is valid until its error, in standard deviations, exceeds this; it diverges beyond the second number
VALID, FAR = 0.5, 10.0
#: where rollouts are clipped, so that a divergent one stays a number
CLIP = 1e3


class Model(Protocol):
    """Anything that maps windows (b, m, d) to increments of their newest tokens (b, d)."""

    @property
    def parameters(self) -> int:
        """How many numbers it has."""

    @property
    def history(self) -> int:
        """How many rows a rollout starts from."""

    def one_step_errors(self, rows: Array) -> Array:
        """Prediction minus truth for all windows of a stretch."""

    def rollout(self, starts: Array, steps: int, inputs: Array | None = None) -> Array:
        """(steps, b, d) from starts (b, history, d); `inputs` (steps, b, k) replace the first k coordinates."""


def window_rows(rows: Array, m: int) -> tuple[Array, Array]:
    """(windows, increments) of a stretch: (n, m, d) and (n, d)."""
    index = np.arange(len(rows) - m)[:, None] + np.arange(m)
    return rows[index], rows[m:] - rows[m - 1 : -1]


@dataclass(frozen=True)
class NetworkModel:
    """A time-delayed transformer as a model of floats."""

    network: DelayNetwork

    @property
    def parameters(self) -> int:
        """The nonzero weights."""
        return self.network.parameters

    @property
    def history(self) -> int:
        """m."""
        return self.network.window

    def one_step_errors(self, rows: Array) -> Array:
        """Predicted minus true increments."""
        inputs, increments = window_rows(rows, self.history)
        return np.asarray(self.network.increment(inputs, ApproxFunctions()) - increments)

    def rollout(self, starts: Array, steps: int, inputs: Array | None = None) -> Array:
        """Autoregressive."""
        window, functions = starts.copy(), ApproxFunctions()
        out = np.empty((steps, len(starts), starts.shape[2]))
        for k in range(steps):
            with np.errstate(all="ignore"):
                new = window[:, -1] + self.network.increment(window, functions)
            new = np.clip(np.nan_to_num(new, nan=CLIP), -CLIP, CLIP)
            if inputs is not None:
                new[:, : inputs.shape[2]] = inputs[k]
            out[k] = new
            window = np.concatenate([window[:, 1:], new[:, None]], axis=1)
        return out


def float_rows(network: DelayNetwork, rows: Array, steps: int) -> Array:
    """The next rows after the last ones of a series, in floats and in its own units."""
    mean, scale = np.array(network.mean), np.array(network.scale)
    start = (rows[-network.window :] - mean) / scale
    return np.asarray(NetworkModel(network).rollout(start[None], steps)[:, 0] * scale + mean)


@dataclass(frozen=True)
class Measures:
    """What a model does on a stretch it has not seen, in standard deviations of the first part."""

    parameters: int
    approx_one_step: float
    approx_valid_steps: float
    horizon: int
    approx_rmse: float
    approx_bounded: float
    approx_std_ratio: list[float]
    approx_w1: float
    approx_spectrum_error: float
    approx_phase_error: float

    def json(self) -> dict[str, object]:
        """As plain data."""
        return asdict(self)


def measure(model: Model, test: Array, horizon: int, *, starts: int = 8, inputs: int = 0) -> Measures:
    """One-step error on all windows; rollouts from `starts` places, the first `inputs` coordinates given."""
    history = model.history
    horizon = max(1, min(horizon, len(test) - history))
    places = np.linspace(0, len(test) - history - horizon, starts).astype(int)
    truth = np.stack([test[s + history : s + history + horizon] for s in places], axis=1)
    given = truth[:, :, :inputs] if inputs else None
    rolled = model.rollout(np.stack([test[s : s + history] for s in places]), horizon, given)
    errors = np.sqrt(((rolled - truth)[:, :, inputs:] ** 2).mean(axis=2))
    valid = [int(np.argmax(e > VALID)) if (e > VALID).any() else horizon for e in errors.T]
    flat, true = (part[:, :, inputs:].reshape(-1, part.shape[2] - inputs) for part in (rolled, truth))
    one_step = model.one_step_errors(test)[:, inputs:]
    return Measures(
        parameters=model.parameters,
        approx_one_step=float(np.sqrt((one_step**2).mean())),
        approx_valid_steps=float(np.mean(valid)),
        horizon=horizon,
        approx_rmse=float(np.sqrt(((flat - true) ** 2).mean())),
        approx_bounded=float((np.abs(rolled).max(axis=(0, 2)) < FAR).mean()),
        approx_std_ratio=[float(x) for x in flat.std(axis=0) / np.maximum(true.std(axis=0), 1e-300)],
        approx_w1=marginal_distance(flat, true),
        approx_spectrum_error=spectrum_error(rolled[:, :, inputs:], truth[:, :, inputs:]),
        approx_phase_error=phase_error(rolled[:, :, inputs:], truth[:, :, inputs:]),
    )


def marginal_distance(x: Array, y: Array) -> float:
    """The mean over coordinates of W1 between the empirical marginals (199 quantiles)."""
    levels = np.linspace(0.005, 0.995, 199)
    return float(np.abs(np.quantile(x, levels, axis=0) - np.quantile(y, levels, axis=0)).mean())


def spectrum_error(x: Array, y: Array) -> float:
    """Half the L1 distance of the normalised mean power spectra of rollouts (time, b, d): 0 equal, 1 disjoint."""
    spectra = []
    for part in (x, y):
        power = (np.abs(np.fft.rfft(part - part.mean(axis=0), axis=0)) ** 2).mean(axis=(1, 2))
        spectra.append(power / max(float(power.sum()), 1e-300))
    return float(np.abs(spectra[0] - spectra[1]).sum() / 2)


def phase_error(x: Array, y: Array) -> float:
    """The phase, in turns, by which rollouts are off at the strongest frequency of the truth, averaged."""
    truth, rolled = (np.fft.rfft(part - part.mean(axis=0), axis=0) for part in (y, x))
    strongest = int(np.abs(truth).sum(axis=(1, 2)).argmax())
    shift = np.angle(rolled[strongest] * np.conj(truth[strongest])) / (2 * np.pi)
    return float(np.abs(shift).mean())


def rollout_score(model: Model, rows: Array, *, steps: int = 100, starts: int = 4, free: int = 600) -> float:
    """The mean log10 error of rollouts on the validation part, and 3 more where a free run leaves 8 deviations."""
    history = model.history
    count = max(1, min(steps, len(rows) - history - starts))
    places = np.linspace(0, len(rows) - history - count, starts).astype(int)
    first = np.stack([rows[s : s + history] for s in places])
    truth = np.stack([rows[s + history : s + history + count] for s in places], axis=1)
    errors = np.sqrt(((model.rollout(first, count) - truth) ** 2).mean(axis=2))
    away = float(np.abs(model.rollout(first, free)).max())
    return float(np.log10(np.clip(errors, 1e-14, CLIP)).mean()) + (0.0 if away < 8 else 3.0)
