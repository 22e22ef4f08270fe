"""Training with a guarantee: minimisers of E + eps|Theta|^2 have loss at most eps|Theta*|^2 for any exact interpolant.

Uniform attention is trained on the means of the sequences (L-BFGS), softmax attention on the sequences (Adam, torch).
Loss, norm and objective of every run are computed on the weights as they are, exactly or in balls. A run whose
objective is above eps|Theta*|^2 is certainly not a global minimiser among networks of the scope that is stated.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass
from fractions import Fraction
from functools import cached_property
from pathlib import Path

import numpy as np

from exactformer.arithmetic.floats import float_of
from exactformer.arithmetic.integers import count
from exactformer.arithmetic.text import NumberLike, exact
from exactformer.constructions.targets import LabelTargets, Targets, targets_of
from exactformer.errors import InvalidInput, NoConstruction
from exactformer.model.dataset import Dataset
from exactformer.model.float_weights import network_of
from exactformer.model.norms import rational
from exactformer.model.transformer import Transformer, at_temperature
from exactformer.training.interpolant import Interpolant, best_interpolant, pooling_interpolants, softmax_interpolants
from exactformer.training.regularised import (
    Floats,
    Record,
    Shape,
    approx_loss,
    approx_minimise,
    named_arrays,
    without_residual,
)
from exactformer.training.runs import BETA, Training, judged_run
from exactformer.training.saved_runs import SavedRuns
from exactformer.training.softmax_training import (
    RATE,
    SoftmaxShape,
    TensorData,
    TrainingState,
    approx_adam,
    require_torch,
)

STARTS = ("random", "warm", "both")
ATTENTIONS = ("uniform", "softmax")
#: eps of the continuations that end at an interpolant: a large one simplifies the network, and may ruin a wide one
_CONTINUATIONS = ((1e-1, 1e-2, 1e-3, 1e-4, 1e-5, 1e-6), (1e-3, 1e-4, 1e-5, 1e-6))

#: the largest number whose squares and products floats can train with
_LARGEST = 1e50

#: what a user sees of the work: how many epochs are done, of how many
RunProgress = Callable[[int, int], None]


def train(
    dataset: object,
    labels: Sequence[object] | None = None,
    *,
    targets: object = None,
    label_targets: LabelTargets | None = None,
    eps: NumberLike | Sequence[NumberLike],
    attention: str = "uniform",
    width: int = 4,
    blocks: int = 1,
    rank: int = 1,
    start: str = "both",
    epochs: int = 2000,
    seed: int = 0,
    resume: Path | None = None,
    progress: RunProgress | None = None,
) -> Training:
    """Networks trained for every eps, one or several, with exact figures or enclosures, a guarantee and verdicts.

    `attention`: uniform (mean pooling and one feed-forward layer of `width` units, one target per sequence), or softmax
    (`blocks` times attention of height `rank` and such a layer; any number of targets, by the Hausdorff distance; needs
    the extra `train`). Labels get the points of `construct`, or those of `label_targets`. `start`: random, warm (from
    the network behind the interpolant) or both. `resume` is a folder in which runs are kept, so that an interrupted
    training goes on where it was. Raises InvalidInput for wrong options, NoConstruction where nothing interpolates.

    What is guaranteed: mathematics/training#t1 to mathematics/training#t4.

    >>> found = train([[[0], [2]], [[3]], [[7], [6]]], targets=[[0], [1], [0]], eps=["1/10"], epochs=50)
    >>> [run.verdict for run in found.runs], found.interpolant.same_shape
    (['below the guarantee', 'below the guarantee'], False)
    """
    options = _Options(attention, width, blocks, rank, start, epochs, seed)
    chosen = _verified(options, eps)
    data = Dataset.of(dataset, labels, targets=targets)
    wanted = targets_of(data, label_targets)
    problem = _Problem(data, wanted, options, label_targets, resume)
    interpolant = best_interpolant(problem.interpolants())
    plans = [(e, kind) for e in chosen for kind in problem.starts()]
    runs = []
    for done, (e, kind) in enumerate(plans):

        def tell(epoch: int, before: int = done * epochs) -> None:
            if progress is not None:
                progress(before + epoch, len(plans) * epochs)

        state = problem.run(e, kind, tell)
        network = problem.network(state.theta)
        runs.append(judged_run(network, data, wanted, interpolant, eps=e, start=kind, history=state.history))
    return Training(interpolant, tuple(runs), wanted)


@dataclass(frozen=True)
class _Options:
    """What defines a run besides the data and eps."""

    attention: str
    width: int
    blocks: int
    rank: int
    start: str
    epochs: int
    seed: int


def _verified(options: _Options, eps: NumberLike | Sequence[NumberLike]) -> list[Fraction]:
    for name, value, known in (("start", options.start, STARTS), ("attention", options.attention, ATTENTIONS)):
        if value not in known:
            raise InvalidInput(f"{name}: expected one of {', '.join(known)}, got {value!r}")
    for name in ("width", "blocks", "rank", "epochs"):
        count(getattr(options, name), name, 1)
    count(options.seed, "seed")
    if options.attention == "uniform" and (options.blocks, options.rank) != (1, 1):
        raise InvalidInput("blocks and rank are for attention softmax: uniform attention has one block and no scores")
    listed = [eps] if isinstance(eps, str) or not isinstance(eps, Iterable) else list(eps)
    chosen = [rational(exact(e, "eps")) for e in listed]
    if not chosen or min(chosen) <= 0:
        raise InvalidInput(f"eps: expected numbers > 0, got {', '.join(map(str, listed)) or 'none'}")
    if options.attention == "softmax":
        require_torch()
    return chosen


class _Problem:
    """The data as exact numbers and as floats, the shape, and what has been trained before."""

    def __init__(
        self,
        data: Dataset,
        targets: Targets,
        options: _Options,
        label_targets: LabelTargets | None,
        resume: Path | None,
    ) -> None:
        self.data, self.targets, self.options, self.label_targets = data, targets, options, label_targets
        self.several = any(len(points) > 1 for points in targets.sets)
        if self.several and options.attention == "uniform":
            raise InvalidInput(
                "several targets for a sequence: uniform attention pools it to one point; train with attention softmax"
            )
        if self.several and options.start == "warm":
            raise InvalidInput("several targets for a sequence: there is no warm start, choose the random one")
        rows = np.array([[float_of(x) for x in row] for row in data.tokens.rows()])
        self.sequences = np.split(rows, data.offsets[1:-1])
        self.points = [
            np.array([[float_of(y) for y in row] for row in targets.state(j).rows()]) for j in range(len(data))
        ]
        if max(float(np.abs(x).max()) for x in (rows, *self.points)) > _LARGEST:
            raise InvalidInput(
                f"expected tokens and targets of at most {_LARGEST:g} for floats to train on: scale the data"
            )
        self.means = np.array([x.mean(axis=0) for x in self.sequences])
        self.pooled = Shape(data.dim, options.width)
        self.soft = SoftmaxShape(data.dim, options.width, options.rank, options.blocks)
        self.saved = SavedRuns(resume, rows, data.offsets, np.concatenate(self.points), **asdict(options))
        self.saved.verify_problem()

    def starts(self) -> tuple[str, ...]:
        """The starts of every eps."""
        both = ("random",) if self.several else ("random", "warm")
        return both if self.options.start == "both" else (self.options.start,)

    @cached_property
    def small(self) -> list[Floats]:
        """The weights of mean pooling that continuations to small eps end at, the lowest objective first."""
        found = [self._continued(steps) for steps in _CONTINUATIONS]
        last = _CONTINUATIONS[0][-1]

        def objective(theta: Floats) -> float:
            return approx_loss(self.pooled, theta, self.means, self._single)[0] / last + float(theta @ theta)

        return sorted(found, key=objective)

    def _continued(self, steps: tuple[float, ...]) -> Floats:
        name = f"continuation {steps} {self.pooled} {self.options.epochs} {self.options.seed}"
        before = self.saved.load(name)
        if before is not None:
            return before.theta
        theta = self.pooled.random(np.random.default_rng(self.options.seed))
        with np.errstate(all="ignore"):  # what is not finite is seen afterwards
            for step in steps:
                theta = approx_minimise(self.pooled, theta, step, self.means, self._single, epochs=self.options.epochs)
        self.saved.save(name, TrainingState.start(theta))
        return theta

    @property
    def _single(self) -> Floats:
        return np.concatenate(self.points)

    def interpolants(self) -> list[Interpolant]:
        """The candidates; NoConstruction, with the reasons against mean pooling, where there are none."""
        soft = list(softmax_interpolants(self.data, self.label_targets)) if self.several else []
        if self.several:
            if not soft:
                raise NoConstruction(
                    "no method interpolates these data with softmax attention: see exactformer construct"
                )
            return soft
        with np.errstate(over="ignore"):
            rounded = [theta.astype(np.float32).astype(np.float64) for theta in self.small]
        short = [theta for theta in rounded if np.isfinite(theta).all()]
        fine = [without_residual(self.pooled, theta, self.means, self._single) for theta in short]
        ordered = sorted([*short, *fine], key=lambda theta: float(theta @ theta))
        trained = [network_of(named_arrays(self.pooled, theta)) for theta in ordered]
        return pooling_interpolants(
            self.data,
            self.targets,
            trained,
            label_targets=self.label_targets,
            blocks=self.options.blocks,
            seed=self.options.seed,
        )

    def run(self, eps: Fraction, kind: str, tell: Callable[[int], None]) -> TrainingState:
        """One minimisation, from where it was interrupted if it was."""
        name, epochs = f"run {eps} {kind} {self.options}", self.options.epochs
        before = self.saved.load(name)
        if self.options.attention == "uniform":
            if before is not None:
                return before
            theta, history = self._first(kind), list[Record]()
            found = approx_minimise(
                self.pooled, theta, float(eps), self.means, self._single, epochs=epochs, tell=history.append
            )
            state = TrainingState.without_moments(found, epochs, history)
            self.saved.save(name, state)
            tell(epochs)
            return state
        state = TrainingState.start(self._first(kind)) if before is None else before
        tensors = TensorData.of(self.sequences, self.points)

        def save(now: TrainingState) -> None:
            self.saved.save(name, now)

        return approx_adam(self.soft, state, float(eps), tensors, epochs=epochs, rate=RATE, save=save, tell=tell)

    def _first(self, kind: str) -> Floats:
        """The weights before the first step."""
        if self.options.attention == "uniform":
            return (
                self.small[0] if kind == "warm" else self.pooled.random(np.random.default_rng([self.options.seed, 1]))
            )
        if kind == "warm":
            return self.soft.pooling(named_arrays(self.pooled, self.small[0]))
        return self.soft.random(np.random.default_rng([self.options.seed, 1]))

    def network(self, theta: Floats) -> Transformer:
        """The network of a vector of weights, read as exact numbers; InvalidInput where training left the floats."""
        if not np.isfinite(theta).all():
            raise InvalidInput("training ran into numbers that are not finite: scale the data, or choose another start")
        if self.options.attention == "uniform":
            return network_of(named_arrays(self.pooled, theta))
        return at_temperature(network_of(self.soft.split(theta)), BETA)
