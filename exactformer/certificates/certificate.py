"""A certificate, or a transformer file, opened as an object: its claim, its transformer, its data, its labels.

Lines are read when they are asked for, every number exactly; whether the claim is true is for the checker to say.
"""

from __future__ import annotations

from collections import abc
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import islice
from pathlib import Path

from exactformer.arithmetic.short_text import spoken
from exactformer.arithmetic.state import State
from exactformer.certificates.envelope import CertificateLine
from exactformer.display.frames import DataFrame
from exactformer.display.html import table
from exactformer.display.verbs import Certified, Drawn, Exported
from exactformer.errors import InvalidInput, Malformed
from exactformer.evaluate.classifier import Classifier
from exactformer.io.canonical import from_canonical, from_canonical_row
from exactformer.io.json_lines import PathLike, read_bytes, read_lines, verify_header, write_atomically
from exactformer.model.dataset import Dataset, Sequence
from exactformer.model.matrix import Row
from exactformer.model.target_frame import target_frame
from exactformer.model.tokens import Tokens
from exactformer.model.transformer import Transformer
from exactformer.model.transformer_files import read_transformer


@dataclass(frozen=True, repr=False)
class Certificate(Certified, Drawn, Exported):
    """The file at `path`, whose first line is `header`; a transformer file is one without a claim and without data."""

    path: PathLike
    header: CertificateLine

    @classmethod
    def open(cls, path: PathLike) -> Certificate:
        """The certificate, or the transformer file; Malformed where the header is that of neither."""
        header = next(read_lines(path), {})
        form = header.get("exactformer")
        verify_header(header, "transformer" if form == "transformer" else "certificate", str(path))
        return cls(path, header)

    @property
    def claim(self) -> str | None:
        """What the certificate claims; None for a transformer file."""
        claim = self.header.get("claim")
        return None if claim is None else str(claim)

    def lines(self) -> Iterator[CertificateLine]:
        """The lines after the header; the digest is verified with the last of them."""
        return islice(read_lines(self.path), 1, None)

    @cached_property
    def transformer(self) -> Transformer:
        """The transformer of a transformer file, or of a certificate of claim interpolation."""
        return read_transformer(self.path)

    @cached_property
    def margin(self) -> Fraction | None:
        """How far tokens may move in every coordinate without changing an output, where that is part of the claim."""
        found = next(self.lines(), {}).get("margin")
        return None if found is None else from_canonical(found)

    def sequence_lines(self, most: int | None = None) -> list[CertificateLine]:
        """The lines of the sequences, or the first `most`; none for a certificate about tokens or points."""
        return list(islice((line for line in self.lines() if "sequence" in line), most))

    def dataset(self, most: int | None = None) -> Dataset:
        """The sequences with their target points (labels where the file has no targets), or the first `most`."""
        lines = self.sequence_lines(most)
        if not lines:
            raise InvalidInput(f"{self.path}: expected a certificate with sequences, got none; use run on data")
        return Dataset.of(self._sequence(line) for line in lines)

    def _sequence(self, line: CertificateLine) -> Sequence:
        try:
            tokens = [from_canonical_row(row) for row in line["tokens"]]
            if "targets" not in line:
                return Sequence.of(tokens, label=line["label"])
            return Sequence.of(tokens, [from_canonical_row(row) for row in line["targets"]])
        except (KeyError, TypeError) as problem:
            raise Malformed(
                f"{self.path}, sequence {line['sequence']}: expected tokens, and targets or a label, got {problem}"
            ) from problem

    def labels(self, most: int | None = None) -> list[str | None]:
        """The label of every sequence, None where it has none."""
        return [line.get("label") for line in self.sequence_lines(most)]

    def label_of(self) -> dict[frozenset[Row], str]:
        """Target set -> label, for the sequences that have both."""
        named = [line for line in self.sequence_lines() if "label" in line and "targets" in line]
        return {frozenset(from_canonical_row(row) for row in line["targets"]): line["label"] for line in named}

    @cached_property
    def data(self) -> Dataset:
        """The sequences with their labels where all have one, with their target points otherwise."""
        data, labels = self.dataset(), self.labels()
        return Dataset(data.tokens, data.offsets, label_texts=list(map(str, labels))) if None not in labels else data

    def classifier(self, *, positions: bool = False) -> Classifier:
        """The transformer with the targets of its labels: `predict`, `score` and `nearest` for new sequences.

        `positions` says that the transformer was built with positions: they are appended to new sequences.
        """
        points = {label: State.of(sorted(targets), "targets") for targets, label in self.label_of().items()}
        return Classifier(self.transformer, points, positions=positions)

    def predict(self, sequences: object) -> list[str]:
        """The label of the nearest target for every new sequence, exactly; of equally near ones the first by name."""
        return self.classifier().predict(sequences)

    def score(self, sequences: object, labels: abc.Sequence[object] | None = None) -> Fraction:
        """The fraction of sequences whose nearest target is that of their label; `labels` may be in the data."""
        return self.classifier().score(sequences, labels)

    def certify(self, path: PathLike) -> Path:
        """Writes a copy of the certificate, and returns its path."""
        write_atomically(path, read_bytes(self.path))
        return Path(path)

    def to_pandas(self) -> DataFrame:
        """The targets of every sequence as `Built.to_pandas` has them; of a claim about tokens, its tokens."""
        if "sequences" not in self.header:
            return self.tokens().to_pandas()
        return target_frame(self.data, self.dataset().targets_of)

    def json(self) -> CertificateLine:
        """The header: claim, version and sizes."""
        return dict(self.header)

    def _repr_html_(self) -> str:
        rows = [["file", str(self.path)], *([key, value] for key, value in self.header.items() if key != "exactformer")]
        return table(["", ""], rows)

    def __repr__(self) -> str:
        counts = ", ".join(spoken(self.header[k], k[:-1]) for k in ("blocks", "sequences") if k in self.header)
        return f"Certificate({self.claim or 'transformer file'}{f': {counts}' if counts else ''})"

    def tokens(self) -> Tokens:
        """The instance of a certificate about the dynamics: its tokens, A and alpha."""
        return tokens_of_line(next(self.lines(), {}), str(self.path))


def tokens_of_line(line: CertificateLine, where: str) -> Tokens:
    """The instance that a line with A, alpha and tokens holds."""
    try:
        rows, A = ([from_canonical_row(row) for row in line[key]] for key in ("tokens", "A"))
        return Tokens(rows, A, from_canonical(line["alpha"]))
    except (KeyError, TypeError) as problem:
        raise Malformed(f"{where}: expected a line with A, alpha and tokens, got {problem}") from problem
