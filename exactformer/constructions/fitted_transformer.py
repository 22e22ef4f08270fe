"""A transformer with the data it interpolates: labels for new sequences, figures, certificate."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from functools import cached_property
from pathlib import Path

from exactformer.certificates.interpolation import write_interpolation
from exactformer.constructions.targets import Targets
from exactformer.display.frames import DataFrame
from exactformer.display.verbs import Certified, Drawn, Exported, Listed
from exactformer.evaluate.classifier import Classifier
from exactformer.io.json_lines import PathLike
from exactformer.model.dataset import Dataset
from exactformer.model.target_frame import target_frame
from exactformer.model.temperatures import SoftmaxProof
from exactformer.model.transformer import Transformer


class FittedTransformer(Listed, Certified, Drawn, Exported):
    """The verbs that constructions and repaired networks share; both are verified on their data."""

    transformer: Transformer
    data: Dataset
    targets: Targets
    attention: str = "hardmax"
    softmax: SoftmaxProof | None = None
    positions: bool = False

    @property
    def claimed_margin(self) -> Fraction | None:
        """How far tokens may move without changing an output, where the certificate claims it."""
        return None

    @cached_property
    def classifier(self) -> Classifier:
        """The transformer with the target of every label, for new sequences."""
        labels = self.data.label_texts or []
        first = {label: j for j, label in reversed(list(enumerate(labels)))}
        points = {label: self.targets.state(j) for label, j in first.items()}
        return Classifier(self.transformer, points, self.data.values or {}, self.positions)

    def predict(self, sequences: object) -> list[object]:
        """The label of the nearest target for every new sequence, exactly; of equally near ones the first by name.

        Sequences are whatever `Dataset.of` takes; labels come back as they were given.
        """
        return self.classifier.predict(sequences)

    def score(self, sequences: object, labels: Sequence[object] | None = None) -> Fraction:
        """The fraction of sequences whose nearest target is that of their label; `labels` may be in the data."""
        return self.classifier.score(sequences, labels)

    def to_pandas(self) -> DataFrame:
        """A frame with the columns sequence, label (where there are labels), y1..yd: where every sequence is mapped.

        Outputs are targets exactly, so there is one row per target point; the points are Fractions.
        """
        return target_frame(self.data, self.targets.state)

    def certify(self, path: PathLike) -> Path:
        """Writes the certificate, and returns its path.

        It holds for hardmax, or for softmax at the temperatures asked for (at every one, where attention is uniform).
        A positive margin is part of the claim.
        """
        write_interpolation(
            path,
            transformer=self.transformer,
            tokens=self.data.tokens,
            offsets=self.data.offsets,
            targets=self.targets.state,
            labels=self.data.label_texts,
            attention=self.attention,
            softmax=self.softmax,
            margin=self.claimed_margin,
        )
        return Path(path)
