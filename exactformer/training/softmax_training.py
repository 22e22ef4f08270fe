"""Regularised training of softmax networks, in floats: Adam on E + eps|Theta|^2, E by the Hausdorff distance.

A network is `blocks` pairs of attention (rho, V d-by-d, Q and K rank-by-d) and feed-forward layer (eta, U, b, W), the
attention first. Nothing here is trusted: what it finds is read as exact numbers afterwards. The state of a run is
three vectors and a number of epochs, so that a run can be interrupted and go on as if nothing had happened.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from exactformer.errors import MissingExtra
from exactformer.io.untyped import Torch
from exactformer.training.regularised import Floats, Layout, Record

#: Adam's constants, and its first step length, which falls to 0 along a cosine
_FIRST, _SECOND, _SMALL = 0.9, 0.999, 1e-8
RATE = 3e-3
#: how many steps a history records, and how many epochs lie between two savings
RECORDED, SAVED = 1000, 500


@dataclass(frozen=True)
class SoftmaxShape(Layout):
    """`blocks` times attention of height `rank` and a feed-forward layer of `width` units, in dimension `dim`."""

    dim: int
    width: int
    rank: int = 1
    blocks: int = 1

    @property
    def sizes(self) -> list[tuple[str, tuple[int, ...]]]:
        """The arrays under the names of a network file: attention and feed-forward layer are a block each."""
        d, p, h, found = self.dim, self.width, self.rank, list[tuple[str, tuple[int, ...]]]()
        for k in range(self.blocks):
            found += [(f"block{2 * k}.{n}", s) for n, s in (("rho", (1,)), ("V", (d, d)), ("Q", (h, d)), ("K", (h, d)))]
            rest = (("eta", (1,)), ("U", (p, d)), ("b", (p,)), ("W", (d, p)))
            found += [(f"block{2 * k + 1}.{n}", s) for n, s in rest]
        return found

    def random(self, rng: np.random.Generator) -> Floats:
        """A random start of the usual size: rows uniform within 1/sqrt(their length), rho = eta = 1/2."""
        parts = {}
        for name, shape in self.sizes:
            reach = 1 / math.sqrt(shape[-1])
            scalar = name.endswith(("rho", "eta"))
            parts[name] = np.full(1, 0.5) if scalar else rng.uniform(-reach, reach, shape)
        return self.join(parts)

    def pooling(self, arrays: dict[str, Floats]) -> Floats:
        """The vector of a network of one pooling and one feed-forward layer; further blocks are the identity."""
        parts = {name: np.zeros(shape) for name, shape in self.sizes}
        for k in range(1, self.blocks):
            parts[f"block{2 * k}.rho"][:] = parts[f"block{2 * k + 1}.eta"][:] = 1
        for name, value in arrays.items():
            parts[name] = np.asarray(value, dtype=np.float64)
        return self.join(parts)


@dataclass(frozen=True)
class TrainingState:
    """A run after some epochs: the weights, the records so far, and Adam's two moments, which L-BFGS has not."""

    theta: Floats
    first: Floats
    second: Floats
    epochs: int = 0
    history: tuple[Record, ...] = ()

    @classmethod
    def without_moments(cls, theta: Floats, epochs: int, history: Iterable[Record]) -> TrainingState:
        """A run of an optimiser that is not gone on with."""
        return cls(theta, np.zeros(0), np.zeros(0), epochs, tuple(history))

    @classmethod
    def start(cls, theta: Floats) -> TrainingState:
        """The state before the first epoch."""
        return cls(theta, np.zeros_like(theta), np.zeros_like(theta))


@dataclass(frozen=True)
class TensorData:
    """Sequences and targets as tensors: groups of equally long sequences with equally many targets."""

    groups: tuple[tuple[Torch, Torch], ...]
    count: int

    @classmethod
    def of(cls, sequences: Sequence[Floats], targets: Sequence[Floats], dtype: object = None) -> TensorData:
        """The groups, (sequences, tokens, d) and (sequences, targets, d); raises MissingExtra without torch."""
        torch = require_torch()
        groups: dict[tuple[int, int], list[int]] = {}
        for j, (x, y) in enumerate(zip(sequences, targets, strict=True)):
            groups.setdefault((len(x), len(y)), []).append(j)

        def stacked(rows: Sequence[Floats], chosen: list[int]) -> Torch:
            return torch.tensor(np.stack([rows[j] for j in chosen]), dtype=dtype or torch.float64)

        pairs = [(stacked(sequences, chosen), stacked(targets, chosen)) for chosen in groups.values()]
        return cls(tuple(pairs), len(sequences))


def require_torch(
    purpose: str = "training with softmax attention", otherwise: str = ", or train with uniform attention"
) -> Torch:
    """The module torch; MissingExtra, with the extra that brings it, where it is not installed."""
    try:
        import torch
    except ImportError as problem:
        missing = f"{purpose} needs PyTorch, which is not installed: pip install 'exactformer[train]'{otherwise}"
        raise MissingExtra(missing) from problem
    return torch


def approx_softmax_loss(shape: SoftmaxShape, theta: object, data: TensorData) -> Torch:
    """E of a vector of weights: the mean of the squared Hausdorff distances of outputs and targets."""
    torch = require_torch()
    parts = shape.split(theta)
    total = 0.0
    for x, y in data.groups:
        for k in range(shape.blocks):
            sa, ff = f"block{2 * k}.", f"block{2 * k + 1}."
            scores = (x @ parts[sa + "Q"].T) @ (x @ parts[sa + "K"].T).transpose(-2, -1)
            x = parts[sa + "rho"] * x + torch.softmax(scores, dim=-1) @ (x @ parts[sa + "V"].T)
            hidden = torch.relu(x @ parts[ff + "U"].T + parts[ff + "b"])
            x = parts[ff + "eta"] * x + hidden @ parts[ff + "W"].T
        apart = ((x[:, :, None, :] - y[:, None, :, :]) ** 2).sum(-1)
        far_output, far_target = (apart.min(dim=axis).values.max(dim=1).values for axis in (2, 1))
        total = total + torch.maximum(far_output, far_target).sum()
    return total / data.count


class _Run:
    """Adam on E + eps|Theta|^2 in torch: what an TrainingState holds, as tensors."""

    def __init__(self, shape: SoftmaxShape, state: TrainingState, eps: float, data: TensorData, epochs: int) -> None:
        dtype = data.groups[0][0].dtype
        self.torch = require_torch()
        self.shape, self.eps, self.data, self.epochs = shape, eps, data, epochs
        self.vectors = tuple(self.torch.tensor(v, dtype=dtype) for v in (state.theta, state.first, state.second))
        self.history, self.done = list(state.history), state.epochs
        self.every = max(1, epochs // RECORDED)

    def epoch(self, rate: float) -> None:
        """One step; the state changes at once at the end, so that an interruption finds a whole one."""
        theta, first, second = self.vectors
        variable = theta.clone().requires_grad_(True)
        loss = approx_softmax_loss(self.shape, variable, self.data)
        (gradient,) = self.torch.autograd.grad(loss, variable)
        gradient = gradient + 2 * self.eps * theta
        first = _FIRST * first + (1 - _FIRST) * gradient
        second = _SECOND * second + (1 - _SECOND) * gradient**2
        step = rate * (1 + math.cos(math.pi * self.done / self.epochs)) / 2
        length = (second / (1 - _SECOND ** (self.done + 1))).sqrt() + _SMALL
        moved = theta - step * (first / (1 - _FIRST ** (self.done + 1))) / length
        if self.done % self.every == 0:
            self.history.append((self.eps, self.done, float(loss.detach()), float(theta @ theta)))
        self.vectors, self.done = (moved, first, second), self.done + 1

    def state(self) -> TrainingState:
        """The run as it is now."""
        theta, first, second = (np.asarray(v.double().numpy()) for v in self.vectors)
        return TrainingState(theta, first, second, self.done, tuple(self.history))


def approx_adam(
    shape: SoftmaxShape,
    state: TrainingState,
    eps: float,
    data: TensorData,
    *,
    epochs: int,
    rate: float = RATE,
    save: Callable[[TrainingState], None] = lambda state: None,
    tell: Callable[[int], None] = lambda done: None,
) -> TrainingState:
    """The run after `epochs` epochs of Adam on E + eps|Theta|^2; `save` gets the state now and then, and at the end.

    Interrupted, it saves the state and raises the interruption again.
    """
    run = _Run(shape, state, eps, data, epochs)
    try:
        while run.done < epochs:
            run.epoch(rate)
            tell(run.done)
            if run.done % SAVED == 0:
                save(run.state())
    except KeyboardInterrupt:
        save(run.state())
        raise
    save(run.state())
    return run.state()
