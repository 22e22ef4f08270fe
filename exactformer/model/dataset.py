"""Data sets of sequences with labels or target points, packed into two integer arrays."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from exactformer.arithmetic.integers import Array
from exactformer.arithmetic.state import State
from exactformer.arithmetic.text import Exact
from exactformer.errors import InvalidInput
from exactformer.model.json_lines import VERSION, PathLike


@dataclass(frozen=True)
class Sequence:
    """One sequence: its tokens, and a set of target points or a label."""

    tokens: State
    targets: State | None = None
    label: str | None = None

    @classmethod
    def of(cls, tokens: Any, targets: Any = None, label: str | None = None) -> Sequence:
        """The sequence with the given rows of numbers."""
        return cls(State.of(tokens), None if targets is None else State.of(targets, "targets"), label)

    def __len__(self) -> int:
        return len(self.tokens)


@dataclass(frozen=True)
class Dataset:
    """N sequences in dimension d: all tokens stacked over one denominator, and labels or stacked targets.

    Sequence j owns the tokens offsets[j] .. offsets[j+1]-1 (and the targets target_offsets[j] ..).

    >>> data = Dataset.of([Sequence.of([[0, 1], [2, 3]], label="cat"), Sequence.of([[0, 1]], label="dog")])
    >>> len(data), data.dim, data[1].label, data.offsets.tolist()
    (2, 2, 'dog', [0, 2, 3])
    """

    tokens: State
    offsets: Array
    labels: list[str] | None = None
    targets: State | None = None
    target_offsets: Array | None = None

    def __post_init__(self) -> None:
        count = len(self.offsets) - 1
        if count < 1:
            raise InvalidInput("expected at least one sequence, got none")
        _verify_offsets(self.offsets, len(self.tokens), "sequence", "token")
        if (self.labels is None) == (self.targets is None):
            raise InvalidInput("expected either a label or targets for every sequence, got both or neither")
        if self.labels is not None and len(self.labels) != count:
            raise InvalidInput(f"expected {count} labels, one a sequence, got {len(self.labels)}")
        if self.labels is not None:
            _verify_text(self.labels)
        if self.targets is not None:
            if self.target_offsets is None or len(self.target_offsets) != count + 1:
                raise InvalidInput(f"expected {count + 1} target offsets, one more than sequences")
            _verify_offsets(self.target_offsets, len(self.targets), "sequence", "target")
            if self.targets.dim != self.tokens.dim:
                raise InvalidInput(
                    f"expected targets of the tokens' dimension {self.tokens.dim}, got dimension {self.targets.dim}"
                )

    @classmethod
    def of(cls, sequences: Iterable[Sequence]) -> Dataset:
        """The data set with the given sequences."""
        listed = list(sequences)
        if not listed:
            raise InvalidInput("expected at least one sequence, got none")
        labelled = [s.label is not None for s in listed]
        if any(labelled) != all(labelled) or any(
            (s.targets is None) != flag for s, flag in zip(listed, labelled, strict=True)
        ):
            raise InvalidInput("expected a label for every sequence, or targets for every sequence, not a mixture")
        tokens, offsets = _stack([s.tokens for s in listed], "sequences", "tokens")
        if all(labelled):
            return cls(tokens, offsets, labels=[str(s.label) for s in listed])
        targets, target_offsets = _stack([s.targets for s in listed if s.targets is not None], "sequences", "targets")
        return cls(tokens, offsets, targets=targets, target_offsets=target_offsets)

    @classmethod
    def read(cls, path: PathLike) -> Dataset:
        """The data set of a JSON, CSV or NPZ file."""
        from exactformer.model import dataset_files

        readers = {".csv": dataset_files.read_csv, ".npz": dataset_files.read_npz}
        return readers.get(Path(path).suffix.lower(), dataset_files.read_json)(path)

    @property
    def dim(self) -> int:
        """The dimension d of tokens and targets."""
        return self.tokens.dim

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def __getitem__(self, j: int) -> Sequence:
        if not -len(self) <= j < len(self):
            raise IndexError(f"sequence {j} of a data set with {len(self)}")
        j %= len(self)
        tokens = self.tokens.take(slice(self.offsets[j], self.offsets[j + 1]))
        if self.labels is not None:
            return Sequence(tokens, label=self.labels[j])
        return Sequence(tokens, targets=self.targets_of(j))

    def __iter__(self) -> Iterator[Sequence]:
        return (self[j] for j in range(len(self)))

    def _repr_html_(self) -> str:
        from exactformer.model.html import ROWS, html, join, point, table

        shown = (self[j] for j in range(min(len(self), ROWS)))
        rows = [
            [
                j,
                len(s),
                point(s.tokens[0]) + (" .." if len(s) > 1 else ""),
                s.label or point(next(iter(s.targets or ()))),
            ]
            for j, s in enumerate(shown)
        ]
        size = html("<p>{N} sequences in dimension {dim}</p>", N=len(self), dim=self.dim)
        return join([size, table(["sequence", "tokens", "first token", "label or first target"], rows)])

    def json(self) -> dict[str, Any]:
        """The data set file, numbers as exact scalars."""
        sequences: list[dict[str, Any]] = []
        for sequence in self:
            own = {"label": sequence.label} if sequence.targets is None else {"targets": _lists(sequence.targets)}
            sequences.append({"tokens": _lists(sequence.tokens), **own})
        return {"exactformer": "dataset", "version": VERSION, "sequences": sequences}

    def targets_of(self, j: int) -> State:
        """The target points of sequence j; raises InvalidInput for a data set of labels."""
        if self.targets is None or self.target_offsets is None:
            raise InvalidInput("a data set of labels has no target points of its own")
        return self.targets.take(slice(self.target_offsets[j], self.target_offsets[j + 1]))

    def with_positions(self) -> Dataset:
        """The same data with the position 0, 1, .. of every token as one more coordinate (0 for targets)."""
        tokens = append_positions(self.tokens, self.offsets)
        if self.targets is None:
            return Dataset(tokens, self.offsets, labels=self.labels)
        targets = _append_column(self.targets, np.zeros(len(self.targets), dtype=np.int64))
        return Dataset(tokens, self.offsets, targets=targets, target_offsets=self.target_offsets)


def _lists(points: State) -> list[list[Exact]]:
    return [list(row) for row in points]


def _verify_text(labels: list[str]) -> None:
    for j, label in enumerate(labels):
        try:
            label.encode()
        except UnicodeEncodeError as problem:
            raise InvalidInput(
                f"sequence {j}, label: expected Unicode text, got {label!a} ({problem.reason})"
            ) from problem


def append_positions(tokens: State, offsets: Array) -> State:
    """The stacked tokens with the position 0, 1, .. of each in its sequence as one more coordinate."""
    return _append_column(tokens, np.arange(len(tokens)) - np.repeat(offsets[:-1], np.diff(offsets)))


def _append_column(state: State, column: Array) -> State:
    scaled = column.astype(object) * state.denominator
    array = np.concatenate([state.numerators, scaled[:, None]], axis=1)
    return State(array, state.denominator).reduced()


def _stack(states: list[State], where: str, what: str) -> tuple[State, Array]:
    dims = [s.dim for s in states]
    for j, dim in enumerate(dims):
        if dim != dims[0]:
            raise InvalidInput(f"{where}[{j}].{what}: expected dimension {dims[0]} as in sequence 0, got {dim}")
    offsets = np.concatenate([[0], np.cumsum([len(s) for s in states])]).astype(np.int64)
    if len({s.denominator for s in states}) == 1 and all(s.is_rational for s in states):
        return State(np.concatenate([s.array for s in states]), states[0].denominator).reduced(), offsets
    return State.of([row for s in states for row in s], what), offsets


def _verify_offsets(offsets: Array, total: int, owner: str, what: str) -> None:
    lengths = np.diff(offsets)
    if offsets[0] != 0 or offsets[-1] != total:
        raise InvalidInput(f"expected {what} offsets from 0 to {total}, got {offsets[0]} to {offsets[-1]}")
    if (lengths < 1).any():
        j = int(np.flatnonzero(lengths < 1)[0])
        raise InvalidInput(f"{owner} {j}: expected at least one {what}, got none")
