"""A transformer with the data set it interpolates: figures, certificate and trace."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction

from exactformer.constructions.build_report import BuildReport
from exactformer.constructions.fitted_transformer import FittedTransformer
from exactformer.constructions.margin import Margin
from exactformer.constructions.targets import Targets
from exactformer.constructions.trace import SequenceTrace, trace_of
from exactformer.io.json_lines import JsonObject
from exactformer.model.dataset import Dataset
from exactformer.model.temperatures import SoftmaxProof
from exactformer.model.transformer import Transformer


@dataclass(frozen=True, repr=False)
class Built(FittedTransformer):
    """The result of a construction, verified on `data` (which has the positions, where they were asked for)."""

    transformer: Transformer
    report: BuildReport
    margin: Margin
    data: Dataset
    targets: Targets
    stages: tuple[str, ...]
    attention: str = "hardmax"
    softmax: SoftmaxProof | None = None
    positions: bool = False

    def __repr__(self) -> str:
        report = self.report
        return (
            f"Built({report.method}: {report.blocks} blocks of width {report.width} for {report.sequences} sequences)"
        )

    @property
    def claimed_margin(self) -> Fraction | None:
        """The margin, where it is positive."""
        return self.margin.radius or None

    def json(self) -> JsonObject:
        """The figures of the construction, as `exactformer construct --json` prints them."""
        return self.report.json()

    def trace(self, sequences: Iterable[int] | None = None) -> list[SequenceTrace]:
        """What every block does to the sequences with the given indices (all of them without any)."""
        chosen = range(len(self.data)) if sequences is None else sequences
        return [trace_of(self.transformer, self.stages, self.data[j].tokens, j) for j in chosen]
