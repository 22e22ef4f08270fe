"""Small networks trained on finite domains, in floats: Adam on the cross-entropy of the last output.

Nothing here is trusted: what is found is decided afterwards, on every input, with proof. A run is its weights, Adam's
moments and a number of steps, and every batch is drawn from the seed and the number of its step; so an interrupted run
goes on as if nothing had happened.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from exactformer.errors import Declined
from exactformer.io.read_limits import OPTION, TIMES, allowance
from exactformer.io.untyped import Torch
from exactformer.model.architecture import Architecture
from exactformer.model.domain import Domain, Integers
from exactformer.model.network import Network
from exactformer.training.saved_runs import SavedStep, SavedSteps
from exactformer.training.softmax_training import require_torch

#: inputs of a batch, first step length, steps of its rise, and steps in all unless epochs are given
BATCH, RATE, RISE, STEPS = 1024, 3e-3, 50, 6_000
#: steps between two looks at the accuracy, and the loss at which a network that is right stops
LOOK, ENOUGH = 50, 0.02
#: bytes that a training takes at most, unless more are allowed
GIGABYTE = 1_000_000_000
Float32s = NDArray[np.float32]
#: step, loss of its batch, accuracy on the domain
StepRecord = tuple[int, float, float]


@dataclass(frozen=True)
class NetworkRun:
    """A trained network with its history; accuracies are those of floats, decided by nobody."""

    network: Network
    epochs: int
    approx_accuracy: float
    history: tuple[StepRecord, ...] = field(repr=False)


@dataclass(frozen=True)
class _Inputs:
    """The inputs of a domain side by side, padded with 0, with their lengths and classes."""

    ids: Integers
    lengths: Integers
    labels: Integers

    @classmethod
    def of(cls, domain: Domain) -> _Inputs:
        most = max(part.ids.shape[1] for part in domain.parts)
        ids = [np.pad(part.ids, ((0, 0), (0, most - part.ids.shape[1]))) for part in domain.parts]
        lengths = [np.full(len(part.ids), part.ids.shape[1]) for part in domain.parts]
        return cls(np.concatenate(ids), np.concatenate(lengths), np.concatenate([part.labels for part in domain.parts]))

    def digest(self) -> str:
        """Of everything that is learnt."""
        found = hashlib.sha256()
        for array in (self.ids, self.lengths, self.labels):
            found.update(f"{array.shape}".encode() + np.ascontiguousarray(array).tobytes())
        return found.hexdigest()


def small_architecture(
    domain: Domain, *, layers: int, dim: int, heads: int, norm: str, activation: str, causal: bool = True
) -> Architecture:
    """A network that reads the inputs of a domain and has its classes; 4 dim units in a block, no fewer classes than 2.

    >>> small_architecture(Domain.sum_modulo(5), layers=1, dim=8, heads=2, norm="none", activation="relu").vocabulary
    6
    """
    return Architecture(
        dim=dim,
        heads=heads,
        hidden=4 * dim,
        blocks=layers,
        vocabulary=1 + max(int(part.ids.max()) for part in domain.parts),
        positions=max(part.ids.shape[1] for part in domain.parts),
        classes=max(2, 1 + max(int(part.labels.max()) for part in domain.parts)),
        norm=norm,
        final_norm=norm == "pre",
        activation=activation,
        causal=causal,
    )


def train_network(
    domain: Domain,
    architecture: Architecture,
    *,
    epochs: int | None = None,
    seed: int = 0,
    resume: Path | None = None,
    progress: Callable[[int, int], object] = lambda done, total: None,
) -> NetworkRun:
    """A network of this shape trained to give every input of the domain its class.

    It stops when it is right on all of them with a small loss, or after so many epochs; `resume` is a folder from which
    the same call goes on where it was interrupted. Needs torch.
    """
    _verify_memory(domain, architecture)
    inputs = _Inputs.of(domain)
    per_epoch = math.ceil(len(inputs.labels) / BATCH)
    total = STEPS if epochs is None else epochs * per_epoch
    saved = SavedSteps(resume, inputs=inputs.digest(), seed=seed, steps=total, architecture=architecture)
    run = _Run(architecture, inputs, seed, total, saved)
    while run.step < total and not run.is_done:
        run.advance()
        progress(run.step, total)
    tensors = {name: np.zeros(shape, np.float32) for name, shape in architecture.shapes.items() if 0 in shape}
    tensors |= {name: tensor.detach().numpy().copy() for name, tensor in run.tensors.items()}
    accuracy = run.history[-1][2] if run.history else run.look()[2]
    return NetworkRun(Network(architecture, tensors), math.ceil(run.step / per_epoch), accuracy, tuple(run.history))


def _verify_memory(domain: Domain, architecture: Architecture) -> None:
    """Raises Declined where the padded inputs, or the scores and layers of one batch, take too much memory."""
    count, longest = sum(len(part.ids) for part in domain.parts), max(part.ids.shape[1] for part in domain.parts)
    positions = min(BATCH, count) * longest
    layers = positions * architecture.blocks * (longest * architecture.heads * 12 + architecture.dim * 80)
    total, allowed = 8 * count * longest + layers, allowance(GIGABYTE // TIMES)
    if total > allowed:
        raise Declined(
            f"training on {count:,} inputs of up to {longest:,} ids takes about {total:,} bytes of {allowed:,}; "
            f"give shorter or fewer inputs, or set {OPTION} to a larger number of bytes"
        )


def starting_weights(architecture: Architecture, seed: int) -> dict[str, Float32s]:
    """Random weights of the usual size: normal numbers over the root of the length of a row, gains 1, biases 0.

    Tables without rows are left out.
    """
    rng, found = np.random.default_rng([seed, 0]), {}
    for name, shape in architecture.shapes.items():
        if 0 in shape:
            continue
        if len(shape) == 1:
            found[name] = np.full(shape, float("gain" in name), np.float32)
        else:
            found[name] = (rng.standard_normal(shape) / math.sqrt(shape[-1])).astype(np.float32)
    return found


class _Run:
    """A training between two steps."""

    def __init__(self, shape: Architecture, inputs: _Inputs, seed: int, total: int, saved: SavedSteps) -> None:
        self.torch = torch = require_torch("training", "")
        self.shape, self.inputs, self.seed, self.total, self.saved = shape, inputs, seed, total, saved
        kept = saved.load()
        weights = starting_weights(shape, seed) if kept is None else kept.weights
        self.tensors = {name: torch.tensor(value, requires_grad=True) for name, value in weights.items()}
        self.optimiser = torch.optim.Adam(list(self.tensors.values()), RATE, betas=(0.9, 0.98))
        self.step, self.history = 0, list[StepRecord]()
        if kept is not None:
            self.step, self.history = kept.step, list(kept.history)
            for name, tensor in self.tensors.items():
                first, second = (torch.tensor(moments[name]) for moments in (kept.first, kept.second))
                state = {"step": torch.tensor(float(kept.step)), "exp_avg": first, "exp_avg_sq": second}
                self.optimiser.state[tensor] = state

    @property
    def is_done(self) -> bool:
        """Right on every input with a small loss, when it was looked at last."""
        return bool(self.history) and self.history[-1][2] == 1 and self.history[-1][1] < ENOUGH

    def advance(self) -> None:
        """Some steps, and a look at the accuracy; then the run is saved."""
        loss = math.nan
        for _ in range(min(LOOK, self.total - self.step)):
            count = len(self.inputs.labels)
            chosen = np.random.default_rng([self.seed, 1, self.step]).permutation(count)[:BATCH]
            rate = RATE * min(1, (self.step + 1) / RISE) * max(0.05, 1 - self.step / self.total)
            for group in self.optimiser.param_groups:
                group["lr"] = rate
            error = self.torch.nn.functional.cross_entropy(*self.approx_outputs(chosen))
            self.optimiser.zero_grad()
            error.backward()
            self.optimiser.step()
            loss = float(error.detach())
            self.step += 1
        self.history.append((self.step, loss, self.look()[2]))
        self.save()

    def look(self) -> StepRecord:
        """The accuracy of floats on the whole domain."""
        right = 0
        with self.torch.no_grad():
            for rows in np.array_split(np.arange(len(self.inputs.labels)), math.ceil(len(self.inputs.labels) / 4096)):
                outputs, labels = self.approx_outputs(rows)
                right += int((outputs.argmax(-1) == labels).sum())
        return self.step, math.nan, right / len(self.inputs.labels)

    def save(self) -> None:
        state = [self.optimiser.state[tensor] for tensor in self.tensors.values()]
        first, second = (
            {name: one[key].numpy() for name, one in zip(self.tensors, state, strict=True)}
            for key in ("exp_avg", "exp_avg_sq")
        )
        weights = {name: tensor.detach().numpy() for name, tensor in self.tensors.items()}
        self.saved.save(SavedStep(weights, first, second, self.step, self.history))

    def approx_outputs(self, rows: Integers) -> tuple[Torch, Torch]:
        """The last outputs of some inputs, and their classes."""
        torch = self.torch
        ids, lengths = torch.tensor(self.inputs.ids[rows]), torch.tensor(self.inputs.lengths[rows])
        n = ids.shape[1]
        seen = (torch.arange(n) < lengths[:, None])[:, None, None, :]
        if self.shape.causal:
            seen = seen & torch.ones(n, n, dtype=torch.bool).tril()
        x = self.tensors["token"][ids] + self.tensors["position"][:n]
        for k in range(self.shape.blocks):
            x = self.block(x, f"{k}.", seen)
        x = x[torch.arange(len(ids)), lengths - 1]
        x = self.norm(x, "final_gain", "final_bias") if self.shape.final_norm else x
        return x @ self.tensors["head"].T + self.tensors["head_bias"], torch.tensor(self.inputs.labels[rows])

    def block(self, x: Torch, k: str, seen: object) -> Torch:
        pre, post = self.shape.norm == "pre", self.shape.norm == "post"
        functions = self.torch.nn.functional
        read = self.norm(x, k + "gain1", k + "bias1") if pre else x
        heads = (len(x), x.shape[1], 3, self.shape.heads, self.shape.head_dim)
        q, keys, values = self.linear(read, k + "qkv").reshape(heads).permute(2, 0, 3, 1, 4)
        mixed = functions.scaled_dot_product_attention(q, keys, values, attn_mask=seen).transpose(1, 2).flatten(2)
        x = x + self.linear(mixed, k + "out")
        x = self.norm(x, k + "gain1", k + "bias1") if post else x
        inner = self.linear(self.norm(x, k + "gain2", k + "bias2") if pre else x, k + "up")
        if self.shape.activation == "relu":
            inner = functions.relu(inner)
        else:
            inner = functions.gelu(inner, approximate="none" if self.shape.activation == "gelu" else "tanh")
        x = x + self.linear(inner, k + "down")
        return self.norm(x, k + "gain2", k + "bias2") if post else x

    def linear(self, x: Torch, name: str) -> Torch:
        return x @ self.tensors[name].T + self.tensors[name + "_bias"]

    def norm(self, x: Torch, gain: str, bias: str) -> Torch:
        pair = self.tensors[gain], self.tensors[bias]
        return self.torch.nn.functional.layer_norm(x, x.shape[-1:], *pair, float(self.shape.epsilon))
