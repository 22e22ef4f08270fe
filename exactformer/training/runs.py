"""What a training found: the interpolant, and every run with its figures, its guarantee and its verdict."""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from itertools import combinations
from pathlib import Path

from exactformer.arithmetic.rational import simplest_between
from exactformer.arithmetic.short_text import spoken
from exactformer.constructions.targets import Targets
from exactformer.display.frames import DataFrame, frame
from exactformer.display.verbs import Certified, Drawn, Listed
from exactformer.errors import Undecided
from exactformer.io.canonical import canonical
from exactformer.io.json_lines import JsonObject, PathLike
from exactformer.model.dataset import Dataset
from exactformer.model.norms import Enclosure
from exactformer.model.transformer import Transformer
from exactformer.training.interpolant import Interpolant
from exactformer.training.loss import RegularisedLoss, loss_of
from exactformer.training.regularised import Record

#: the inverse temperature of softmax attention (Q may be scaled), and the bits of the first and the last enclosure
BETA = Fraction(1)
_BITS, _MOST_BITS = 128, 1024


@dataclass(frozen=True, repr=False)
class TrainingRun(Listed, Certified):
    """One minimisation: how it began, the figures of the network as it ended, the guarantee, and the way there."""

    start: str
    figures: RegularisedLoss
    guarantee: Enclosure
    history: tuple[Record, ...] = field(repr=False)

    @property
    def eps(self) -> Fraction:
        """The weight of |Theta|^2."""
        return self.figures.eps

    @property
    def network(self) -> Transformer:
        """The network as it ended, its weights read as dyadic numbers."""
        return self.figures.network

    @property
    def verdict(self) -> str:
        """Which side of the guarantee the objective is on; undecided where the enclosures overlap."""
        if self.figures.objective.high <= self.guarantee.low:
            return "below the guarantee"
        return "not a global minimiser" if self.figures.objective.low > self.guarantee.high else "undecided"

    @cached_property
    def bound(self) -> Fraction:
        """A short number between the objective and the guarantee, which shows the verdict; Undecided without one."""
        objective, guarantee = self.figures.objective, self.guarantee
        if self.verdict == "undecided" or objective.high == guarantee.low:
            raise Undecided("no number lies between the objective and the guarantee: there is no verdict to certify")
        if self.verdict == "below the guarantee":
            return simplest_between(objective.high, guarantee.low)
        return simplest_between(guarantee.high, objective.low)

    def certify(self, path: PathLike) -> Path:
        """Writes the certificate that the objective is below, or above, `bound`."""
        side = "below" if self.verdict == "below the guarantee" else "above"
        self.figures.certify(path, **{side: self.bound})
        return Path(path)

    def __repr__(self) -> str:
        return f"TrainingRun(eps {float(self.eps):g}, {self.start} start: {self.verdict})"

    def json(self) -> JsonObject:
        """One run as in `--json`."""
        return {
            "eps": canonical(self.eps),
            "start": self.start,
            "loss": _ends(self.figures.loss),
            "norm2": self.figures.norm2.json(),
            "objective": _ends(self.figures.objective),
            "guarantee": self.guarantee.json(),
            "verdict": self.verdict,
        }


@dataclass(frozen=True)
class Training(Listed, Drawn):
    """The interpolant and the runs."""

    interpolant: Interpolant
    runs: tuple[TrainingRun, ...]
    targets: Targets = field(repr=False)

    @property
    def scope(self) -> str:
        """Among which networks a run that is above the guarantee is no global minimiser."""
        if self.interpolant.same_shape:
            return "networks of this shape"
        networks = [self.interpolant.transformer, *(run.network for run in self.runs)]
        blocks, width = (max(map(measure, networks)) for measure in (len, lambda network: network.width))
        return f"transformers of at most {blocks} blocks and width {width}"

    @property
    def separating_eps(self) -> Fraction | None:
        """eps below which a global minimiser has every sequence nearest to its own target; None for one target only.

        With Delta the least distance of two targets that is Delta^2 / (4 N |Theta*|^2): N E bounds every distance^2.
        """
        if len(self.targets.points) < 2 or any(len(chosen) > 1 for chosen in self.targets.sets):
            return None
        points = [[Fraction(int(v), self.targets.scale) for v in row] for row in self.targets.points.tolist()]
        pairs = combinations(points, 2)
        apart = min(sum(((a - b) ** 2 for a, b in zip(x, y, strict=True)), Fraction(0)) for x, y in pairs)
        return apart / (4 * len(self.targets.sets) * self.interpolant.norm2.high)

    def __repr__(self) -> str:
        return f"Training({spoken(len(self.runs), 'run')}: {', '.join(run.verdict for run in self.runs)})"

    def to_pandas(self) -> DataFrame:
        """A frame with the columns eps, start, loss, norm2, objective, guarantee, verdict; numbers as [low, high]."""
        rows = [run.json() for run in self.runs]
        return frame(list(rows[0]), [list(row.values()) for row in rows])

    def json(self) -> JsonObject:
        """The answer of `exactformer train`, but for the path of the certificate."""
        best, separating = self.interpolant, self.separating_eps
        known: JsonObject = {"norm2": best.norm2.json(), "method": best.method, "blocks": len(best.transformer)}
        known |= {"width": best.transformer.width, "same_shape": best.same_shape}
        known |= {} if separating is None else {"approx_separating_eps": float(separating)}
        return {"interpolant": known, "scope": self.scope, "runs": [run.json() for run in self.runs]}

    def certify_guarantee(self, run: TrainingRun, path: PathLike) -> Path:
        """Writes the certificate that the interpolant's objective, for the eps of the run, is below the run's bound."""
        best = loss_of(self.interpolant.transformer, run.figures.data, self.targets, run.eps, BETA)
        return best.certify(path, below=run.bound)


def judged_run(
    network: Transformer,
    data: Dataset,
    targets: Targets,
    interpolant: Interpolant,
    *,
    eps: Fraction,
    start: str,
    history: tuple[Record, ...],
) -> TrainingRun:
    """A run with its figures, enclosed with ever more bits until there is a verdict."""
    guarantee = Enclosure(eps * interpolant.norm2.low, eps * interpolant.norm2.high)
    bits = _BITS
    while True:
        run = TrainingRun(start, loss_of(network, data, targets, eps, BETA, bits), guarantee, history)
        if run.verdict != "undecided" or run.figures.loss.exact or 2 * bits > _MOST_BITS:
            return run
        bits *= 2


def _ends(enclosure: Enclosure) -> list[str]:
    return [canonical(enclosure.low), canonical(enclosure.high)]
