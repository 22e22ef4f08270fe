"""Training with a guarantee: minimisers of E + eps|Theta|^2 have loss at most eps|Theta*|^2 for any exact interpolant.

The interpolant Theta* is the smallest found: `shallow` balanced, or a trained network repaired. Loss, norm and
objective of every run are computed exactly on the weights as they are (uniform attention makes them rational).
A run with objective above eps|Theta*|^2 is certainly no global minimiser among networks as wide as Theta*.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import numpy as np

from exactformer.arithmetic.floats import float_of
from exactformer.arithmetic.text import canonical, exact
from exactformer.constructions.pipeline import construct
from exactformer.constructions.targets import Targets, targets_of
from exactformer.errors import InvalidInput
from exactformer.model.batch import Batch
from exactformer.model.dataset import Dataset
from exactformer.model.float_weights import network_of
from exactformer.model.json_lines import PathLike
from exactformer.model.norms import Enclosure, norm2, rational, sum_of
from exactformer.model.transformer import Transformer
from exactformer.training.regularised import Floats, Record, Shape, approx_minimise, named_arrays, polished
from exactformer.training.repair import repair

STARTS = ("random", "warm", "both")
#: eps of the continuation that ends at the interpolant
_CONTINUATION = (1e-1, 1e-2, 1e-3, 1e-4, 1e-5, 1e-6)

#: what a user sees of the work: how many runs are done, of how many
RunProgress = Callable[[int, int], None]


@dataclass(frozen=True)
class Interpolant:
    """The exact interpolant of least norm that was found, and how."""

    transformer: Transformer
    norm2: Enclosure
    method: str
    certify: Callable[[PathLike], None] = field(repr=False)


@dataclass(frozen=True)
class TrainingRun:
    """One minimisation: the network as it ended, and the exact figures of it."""

    eps: Fraction
    start: str
    network: Transformer = field(repr=False)
    loss: Enclosure
    norm2: Enclosure
    objective: Enclosure
    guarantee: Enclosure
    history: tuple[Record, ...] = field(repr=False)

    @property
    def verdict(self) -> str:
        """Which side of the guarantee the objective is on; undecided where the enclosures overlap."""
        if self.objective.high <= self.guarantee.low:
            return "below the guarantee"
        return "not a global minimiser" if self.objective.low > self.guarantee.high else "undecided"

    def json(self) -> dict[str, Any]:
        """One run as in `--json`."""
        return {
            "eps": canonical(self.eps),
            "start": self.start,
            "loss": _ends(self.loss),
            "norm2": self.norm2.json(),
            "objective": _ends(self.objective),
            "guarantee": self.guarantee.json(),
            "verdict": self.verdict,
        }


@dataclass(frozen=True)
class Training:
    """The interpolant and the runs."""

    interpolant: Interpolant
    runs: tuple[TrainingRun, ...]


def train(
    dataset: Any,
    labels: Sequence[Any] | None = None,
    *,
    targets: Any = None,
    eps: Sequence[Any],
    width: int = 4,
    start: str = "both",
    epochs: int = 2000,
    seed: int = 0,
    progress: RunProgress | None = None,
) -> Training:
    """Networks of mean pooling and one feed-forward layer, trained for every eps, with exact figures and verdicts.

    Labels get the points of `construct`; every sequence has one target. `start`: random, warm (from the network behind
    the interpolant) or both. Raises InvalidInput for eps <= 0 and several targets.
    """
    data = Dataset.of(dataset, labels, targets=targets)
    chosen = _verified(eps, start, width, epochs)
    wanted = targets_of(data)
    if any(len(points) > 1 for points in wanted.sets):
        raise InvalidInput("expected one target a sequence: training pools every sequence to one point")
    means, points = _floats(data, wanted)
    shape, rng = Shape(data.dim, width), np.random.default_rng(seed)
    theta = shape.random(rng)
    for step in _CONTINUATION:
        theta = approx_minimise(shape, theta, step, means, points, epochs=epochs)
    networks = [named_arrays(shape, x) for x in (theta, polished(shape, theta, means, points))]
    interpolant = _interpolant(data, wanted, [network_of(arrays) for arrays in networks], seed)
    starts = {"random": lambda: shape.random(rng), "warm": lambda: theta}
    plans = [(e, s) for e in chosen for s in (("random", "warm") if start == "both" else (start,))]
    runs = []
    for done, (e, kind) in enumerate(plans):
        if progress is not None:
            progress(done, len(plans))
        history: list[Record] = []
        found = approx_minimise(shape, starts[kind](), float(e), means, points, epochs=epochs, tell=history.append)
        runs.append(_run(e, kind, network_of(named_arrays(shape, found)), data, wanted, interpolant, tuple(history)))
    return Training(interpolant, tuple(runs))


def exact_loss(network: Transformer, data: Dataset, targets: Targets) -> Enclosure:
    """E = mean over sequences of |output - target|^2, for a network that pools every sequence to one point."""
    outputs = network.evaluate(Batch.of(data.tokens, data.offsets))
    terms = []
    for j, r in enumerate(outputs.offsets[:-1].tolist()):
        pairs = zip(outputs.row(r), targets.state(j).rows()[0], strict=True)
        distance2 = sum(((rational(x) - rational(y)) ** 2 for x, y in pairs), Fraction(0))
        terms.append(distance2 / len(targets.sets))
    return sum_of(iter(terms))


def _run(
    eps: Fraction,
    start: str,
    network: Transformer,
    data: Dataset,
    targets: Targets,
    interpolant: Interpolant,
    history: tuple[Record, ...],
) -> TrainingRun:
    loss, norm, best = exact_loss(network, data, targets), norm2(network), interpolant.norm2
    objective = Enclosure(loss.low + eps * norm.low, loss.high + eps * norm.high)
    guarantee = Enclosure(eps * best.low, eps * best.high)
    return TrainingRun(eps, start, network, loss, norm, objective, guarantee, history)


def _interpolant(data: Dataset, wanted: Targets, trained: list[Transformer], seed: int) -> Interpolant:
    """The smallest of shallow, balanced, and the trained networks, repaired."""
    built = construct(data, method="shallow", balance=True, attention="softmax")
    given = None
    if data.labels is not None:
        given = {label: wanted.state(j).rows()[0] for j, label in enumerate(data.labels)}
    candidates = [Interpolant(built.transformer, built.report.norm2, "shallow, balanced", built.certify)]
    for network in trained:
        found = repair(network, data, label_targets=given, seed=seed)
        candidates.append(Interpolant(found.transformer, found.norm2_after, "trained and repaired", found.certify))
    return min(candidates, key=lambda c: c.norm2.high)


def _verified(eps: Sequence[Any], start: str, width: int, epochs: int) -> list[Fraction]:
    if start not in STARTS:
        raise InvalidInput(f"start: expected one of {', '.join(STARTS)}, got {start!r}")
    if width < 1 or epochs < 1:
        raise InvalidInput(f"expected a width and epochs >= 1, got {width} and {epochs}")
    chosen = [rational(exact(e, "eps")) for e in eps]
    if not chosen or min(chosen) <= 0:
        raise InvalidInput(f"eps: expected numbers > 0, got {', '.join(map(str, eps)) or 'none'}")
    return chosen


def _floats(data: Dataset, wanted: Targets) -> tuple[Floats, Floats]:
    """The means of the sequences and their targets, as floats."""
    rows = np.array([[float_of(x) for x in row] for row in data.tokens.rows()])
    sums = np.add.reduceat(rows, data.offsets[:-1], axis=0)
    means = sums / np.diff(data.offsets)[:, None]
    targets = [[float_of(y) for y in wanted.state(j).rows()[0]] for j in range(len(data))]
    return means, np.array(targets)


def _ends(enclosure: Enclosure) -> list[str]:
    return [canonical(enclosure.low), canonical(enclosure.high)]
