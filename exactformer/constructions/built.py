"""A transformer with the data set it interpolates: figures, certificate and trace."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

from exactformer.certificates.interpolation import write_interpolation
from exactformer.constructions.build_report import BuildReport
from exactformer.constructions.margin import Margin
from exactformer.constructions.targets import Targets
from exactformer.constructions.trace import SequenceTrace, trace_of
from exactformer.model.classifier import Classifier
from exactformer.model.dataset import Dataset
from exactformer.model.html import table
from exactformer.model.json_lines import PathLike
from exactformer.model.temperatures import SoftmaxProof
from exactformer.model.transformer import Transformer


@dataclass(frozen=True, repr=False)
class Built:
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

    @cached_property
    def classifier(self) -> Classifier:
        """The transformer with the target of every label, for new sequences."""
        labels = self.data.labels or []
        first = {label: j for j, label in reversed(list(enumerate(labels)))}
        points = {label: self.targets.state(j) for label, j in first.items()}
        return Classifier(self.transformer, points, self.data.values or {}, self.positions)

    def predict(self, sequences: Any) -> list[Any]:
        """The label of the nearest target for every new sequence, exactly; of equally near ones the first by name.

        Sequences are whatever `Dataset.of` takes; labels come back as they were given.
        """
        return self.classifier.predict(sequences)

    def score(self, sequences: Any, labels: Sequence[object] | None = None) -> Fraction:
        """The fraction of sequences whose nearest target is that of their label; `labels` may be in the data."""
        return self.classifier.score(sequences, labels)

    def certify(self, path: PathLike) -> None:
        """Writes the certificate: for hardmax, or for softmax at the temperatures the construction was asked for.

        A positive margin is part of the claim.
        """
        write_interpolation(
            path,
            transformer=self.transformer,
            tokens=self.data.tokens,
            offsets=self.data.offsets,
            targets=self.targets.state,
            labels=self.data.labels,
            attention=self.attention,
            softmax=self.softmax,
            margin=self.margin.radius or None,
        )

    def _repr_html_(self) -> str:
        return table(["", ""], self.report.json().items())

    def trace(self, sequences: Iterable[int] | None = None) -> list[SequenceTrace]:
        """What every block does to the sequences with the given indices (all of them without any)."""
        chosen = range(len(self.data)) if sequences is None else sequences
        return [trace_of(self.transformer, self.stages, self.data[j].tokens, j) for j in chosen]
