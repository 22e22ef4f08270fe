"""Data sets of sequences with labels or target points, packed into two integer arrays."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from collections.abc import Sequence as Row
from dataclasses import dataclass, replace
from pathlib import Path
from typing import overload

import numpy as np

from exactformer.arithmetic.decimals import HINT, looks_binary
from exactformer.arithmetic.decimals import decimals as as_printed
from exactformer.arithmetic.integers import Array
from exactformer.arithmetic.short_text import short_repr, spoken
from exactformer.arithmetic.state import PointsLike, State
from exactformer.display.frames import DataFrame, frame
from exactformer.display.verbs import Drawn
from exactformer.errors import InvalidInput
from exactformer.io.json_lines import PathLike, reading_file, save_json
from exactformer.io.untyped import Given
from exactformer.io.versions import since


@short_repr
@dataclass(frozen=True)
class Sequence:
    """One sequence: its tokens, a set of target points or a label, and its name where it has one."""

    tokens: State
    targets: State | None = None
    label: object = None
    name: str | None = None

    @classmethod
    def of(
        cls, tokens: PointsLike, targets: PointsLike | None = None, label: object = None, name: str | None = None
    ) -> Sequence:
        """The sequence with the given rows of numbers."""
        return cls(State.of(tokens), None if targets is None else State.of(targets, "targets"), label, name)

    def __len__(self) -> int:
        return len(self.tokens)


@dataclass(frozen=True, eq=False, repr=False)
class Dataset(Drawn):
    """N sequences in dimension d: all tokens stacked over one denominator, and labels or stacked targets, or neither.

    Sequence j owns the tokens offsets[j] .. offsets[j+1]-1 (and the targets target_offsets[j] ..). Labels are kept as
    text; `values` has what the user gave for each, and `labels` gives that back. Sequences keep the names of the user's
    file; two data sets are equal if their tokens, labels and targets are, whatever the names.

    >>> data = Dataset.of([[[0, 1], [2, 3]], [[0, 1]]], labels=["cat", "dog"])
    >>> len(data), data.dim, data[1].label, data.offsets.tolist()
    (2, 2, 'dog', [0, 2, 3])
    >>> data[:1]
    Dataset(1 sequence of 2 tokens in dimension 2, label 'cat')
    """

    tokens: State
    offsets: Array
    label_texts: list[str] | None = None
    targets: State | None = None
    target_offsets: Array | None = None
    names: list[str] | None = None
    values: dict[str, object] | None = None
    remarks: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        count = len(self.offsets) - 1
        if count < 1:
            raise InvalidInput("expected at least one sequence, got none")
        _verify_offsets(self.offsets, len(self.tokens), "sequence", "token")
        if self.label_texts is not None and self.targets is not None:
            raise InvalidInput("expected either a label or targets for every sequence, got both")
        for what, texts in (("label", self.label_texts), ("name", self.names)):
            if texts is not None and len(texts) != count:
                raise InvalidInput(f"expected {count} {what}s, one per sequence, got {len(texts)}")
            _verify_text(texts or [], what)
        if self.targets is not None:
            if self.target_offsets is None or len(self.target_offsets) != count + 1:
                raise InvalidInput(f"expected {count + 1} target offsets, one more than sequences")
            _verify_offsets(self.target_offsets, len(self.targets), "sequence", "target")
            if self.targets.dim != self.tokens.dim:
                raise InvalidInput(
                    f"expected targets of the tokens' dimension {self.tokens.dim}, got dimension {self.targets.dim}"
                )

    # making ----------------------------------------------------------------------------------------
    @classmethod
    def of(
        cls,
        sequences: object,
        labels: object = None,
        *,
        targets: object = None,
        names: object = None,
        decimals: bool = False,
    ) -> Dataset:
        """The data set of a list of arrays (or rows of numbers), a 3-D array, a DataFrame, a path, or of Sequences.

        With `labels`, one per sequence (text or numbers), or `targets`, a set of points or one point per sequence;
        without either, for sequences whose labels are to be predicted. A DataFrame (pandas or polars) has the columns
        of the CSV file: sequence, label, x1..xd. Floats are read as the binary fractions they are; with
        `decimals=True`, as the decimals they are printed as. Labels that contradict those of the data are refused.

        >>> import numpy as np
        >>> Dataset.of(np.zeros((3, 4, 2)), labels=[0, 1, 1])
        Dataset(3 sequences of 4 tokens in dimension 2, labels 1 x2, 0)
        """
        from exactformer.model.dataset_of import dataset_of

        if decimals:
            sequences, targets = as_printed(sequences), as_printed(targets)
        return dataset_of(sequences, labels, targets=targets, names=names)

    @classmethod
    def of_stacked(
        cls,
        tokens: State,
        offsets: Array,
        labels: Row[object] | None = None,
        names: list[str] | None = None,
        remarks: tuple[str, ...] = (),
    ) -> Dataset:
        """The data set of stacked tokens with labels of any type, written as text."""
        texts, values = (None, None) if labels is None else label_texts(labels)
        return cls(tokens, offsets, label_texts=texts, values=values, names=names, remarks=remarks)

    @classmethod
    def read(cls, path: PathLike, *, labelled: bool | None = True) -> Dataset:
        """The data set of a JSON, CSV or NPZ file, `-` for the standard input.

        `labelled` says that every sequence must have a label or targets; None, that all or none have; False, that they
        are left out unless all have.
        """
        from exactformer.model.dataset_files import read_dataset

        with reading_file(path):
            return read_dataset(path, labelled=labelled)

    # parts -----------------------------------------------------------------------------------------
    @property
    def dim(self) -> int:
        """The dimension d of tokens and targets."""
        return self.tokens.dim

    @property
    def labels(self) -> list[Given] | None:
        """The label of every sequence as it was given; None for a data set without labels.

        >>> Dataset.of([[[0]], [[1]]], labels=[0, 1]).labels
        [0, 1]
        """
        return None if self.label_texts is None else [self._as_given(text) for text in self.label_texts]

    def _as_given(self, text: str) -> Given:
        return (self.values or {}).get(text, text)

    def __len__(self) -> int:
        return len(self.offsets) - 1

    @overload
    def __getitem__(self, chosen: int) -> Sequence: ...
    @overload
    def __getitem__(self, chosen: slice | Row[int] | Array) -> Dataset: ...
    def __getitem__(self, chosen: int | slice | Row[int] | Array) -> Sequence | Dataset:
        """Sequence j; or the data set of a slice, of a list of indices or of a boolean mask."""
        if not isinstance(chosen, (int, np.integer)):
            return self._subset(chosen)
        if not -len(self) <= chosen < len(self):
            raise IndexError(f"sequence {chosen} of a data set with {len(self)}")
        j = int(chosen) % len(self)
        tokens = self.tokens.take(slice(self.offsets[j], self.offsets[j + 1]))
        label = None if self.label_texts is None else self._as_given(self.label_texts[j])
        targets = None if self.targets is None else self.targets_of(j)
        return Sequence(tokens, targets, label, None if self.names is None else self.names[j])

    def _subset(self, chosen: slice | Row[int] | Array) -> Dataset:
        """The chosen sequences, in the order chosen."""
        index = np.arange(len(self))[chosen if isinstance(chosen, slice) else np.asarray(chosen)]
        if not len(index):
            raise InvalidInput(f"expected at least one of the {len(self)} sequences, got an empty selection")
        rows, offsets = _rows_of(self.offsets, index)
        part = replace(
            self,
            tokens=self.tokens.take(rows).reduced(),
            offsets=offsets,
            label_texts=None if self.label_texts is None else [self.label_texts[j] for j in index],
            targets=None,
            target_offsets=None,
            names=None if self.names is None else [self.names[j] for j in index],
        )
        if self.targets is None or self.target_offsets is None:
            return part
        rows, target_offsets = _rows_of(self.target_offsets, index)
        return replace(part, targets=self.targets.take(rows).reduced(), target_offsets=target_offsets)

    def __iter__(self) -> Iterator[Sequence]:
        return (self[j] for j in range(len(self)))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Dataset):
            return NotImplemented
        same = np.array_equal(self.offsets, other.offsets) and self.label_texts == other.label_texts
        if not same or self.tokens != other.tokens or self.targets != other.targets:
            return False
        ours, theirs = (() if x.target_offsets is None else tuple(x.target_offsets) for x in (self, other))
        return ours == theirs

    def __hash__(self) -> int:
        return hash((len(self), self.tokens))

    def targets_of(self, j: int) -> State:
        """The target points of sequence j; raises InvalidInput for a data set without targets."""
        if self.targets is None or self.target_offsets is None:
            raise InvalidInput("a data set of labels has no target points of its own")
        return self.targets.take(slice(self.target_offsets[j], self.target_offsets[j + 1]))

    def called(self, *chosen: int) -> str:
        """ "sequence 3", "sequences 3 and 5", or with the names of the user's file: "sequences 'a' and 'b'"."""
        named = [str(j) if self.names is None else repr(self.names[j]) for j in chosen]
        return f"sequence{'s' if len(chosen) > 1 else ''} {' and '.join(named)}"

    def with_positions(self) -> Dataset:
        """The same data with the position 0, 1, .. of every token as one more coordinate (0 for targets)."""
        tokens = append_positions(self.tokens, self.offsets)
        if self.targets is None:
            return replace(self, tokens=tokens)
        targets = _append_column(self.targets, np.zeros(len(self.targets), dtype=np.int64))
        return replace(self, tokens=tokens, targets=targets)

    def to_pandas(self) -> DataFrame:
        """A frame with the columns sequence, label (where there are labels), x1..xd, one token per row, exact."""
        names = self.names or [str(j) for j in range(len(self))]
        of_row = np.repeat(np.arange(len(self)), np.diff(self.offsets)).tolist()
        heads = [(names[j], *([] if self.labels is None else [self.labels[j]])) for j in of_row]
        columns = ["sequence", *([] if self.labels is None else ["label"]), *(f"x{k + 1}" for k in range(self.dim))]
        return frame(columns, [(*head, *row) for head, row in zip(heads, self.tokens.rows(), strict=True)])

    def save(self, path: PathLike) -> Path:
        """Writes the data set file, which `ef.load` reads, and returns its path."""
        return save_json(self.json(), path)

    # showing ---------------------------------------------------------------------------------------
    def json(self) -> dict[str, object]:
        """The data set file, numbers as exact scalars."""
        sequences = []
        for s in self:
            line: dict[str, object] = {"tokens": [list(row) for row in s.tokens]}
            line |= {} if s.label is None else {"label": str(s.label)}
            line |= {} if s.targets is None else {"targets": [list(row) for row in s.targets]}
            sequences.append(line)
        return {"exactformer": "dataset", "version": since("dataset"), "sequences": sequences}

    def __repr__(self) -> str:
        lengths = sorted(set(np.diff(self.offsets).tolist()))
        tokens = f"{lengths[0]}..{lengths[-1]} tokens" if len(lengths) > 1 else spoken(lengths[0], "token")
        hint = f"; {HINT}" if looks_binary(self.tokens.denominator) else ""
        return f"Dataset({spoken(len(self), 'sequence')} of {tokens} in dimension {self.dim}, {self._answers()}{hint})"

    def _answers(self) -> str:
        if self.label_texts is None:
            return "without labels" if self.targets is None else spoken(len(self.targets), "target")
        counts = Counter(self.label_texts).most_common()
        shown = [f"{self._as_given(label)!r:.30}{f' x{n}' if n > 1 else ''}" for label, n in counts[:6]]
        more = f" and {len(counts) - 6} more" if len(counts) > 6 else ""
        return f"label{'s' if len(counts) > 1 else ''} {', '.join(shown)}{more}"

    def _repr_html_(self) -> str:
        from exactformer.display.html import ROWS, html, point_text, table

        rows = [
            [
                j if s.name is None else s.name,
                len(s),
                point_text(s.tokens[0]) + (" .." if len(s) > 1 else ""),
                s.label if s.targets is None else point_text(s.targets[0]),
            ]
            for j, s in enumerate(self[j] for j in range(min(len(self), ROWS)))
        ]
        shown = table(["sequence", "tokens", "first token", "label or first target"], rows)
        more = html("<p>{left} more sequences.</p>", left=len(self) - ROWS) if len(self) > ROWS else ""
        return html("<p>{words}</p>{shown}{more}", words=repr(self), shown=shown, more=more)


def label_texts(labels: Row[Given]) -> tuple[list[str], dict[str, object]]:
    """(labels as text, what the user gave for each text); an empty or missing label is asked about."""
    values: dict[str, object] = {}
    known: dict[str, str] = {}  # equal labels are one text in memory
    texts = []
    for j, label in enumerate(labels):
        value = label.item() if getattr(label, "ndim", 1) == 0 else label  # of NumPy, of a tensor
        if isinstance(value, (list, tuple, np.ndarray)):
            raise InvalidInput(
                f"labels[{j}]: expected one label per sequence, got {value!r:.60}; ravel() flattens an array"
            )
        text = "" if is_missing(value) else str(value)
        if not text.strip():
            raise InvalidInput(
                f"labels[{j}]: got an empty label, {value!r}: is it missing? "
                "Give it, or a word such as none if having no label is a class of its own"
            )
        if values.setdefault(text, value) != value:
            raise InvalidInput(f"labels[{j}]: {value!r} and {values[text]!r} are written alike; rename one of them")
        texts.append(known.setdefault(text, text))
    return texts, values


def is_missing(value: object) -> bool:
    """Whether a value stands for none: None, NaN, or the NA of pandas, whose comparisons are neither true nor false."""
    differs: object = value != value
    return value is None or not isinstance(differs, (bool, np.bool_)) or bool(differs)


def _verify_text(texts: list[str], what: str) -> None:
    for j, text in enumerate(texts):
        try:
            text.encode()
        except UnicodeEncodeError as problem:
            raise InvalidInput(
                f"sequence {j}, {what}: expected Unicode text, got {text!a} ({problem.reason})"
            ) from problem


def append_positions(tokens: State, offsets: Array) -> State:
    """The stacked tokens with the position 0, 1, .. of each in its sequence as one more coordinate."""
    return _append_column(tokens, np.arange(len(tokens)) - np.repeat(offsets[:-1], np.diff(offsets)))


def _append_column(state: State, column: Array) -> State:
    scaled = column.astype(object) * state.denominator
    array = np.concatenate([state.numerators, scaled[:, None]], axis=1)
    return State(array, state.denominator).reduced()


def _rows_of(offsets: Array, index: Array) -> tuple[Array, Array]:
    """(rows, offsets): the rows of the chosen sequences one after the other, and where each of them starts."""
    lengths = np.diff(offsets)[index]
    starts = np.concatenate([[0], np.cumsum(lengths)])
    return np.repeat(offsets[index] - starts[:-1], lengths) + np.arange(starts[-1]), starts


def _verify_offsets(offsets: Array, total: int, owner: str, what: str) -> None:
    lengths = np.diff(offsets)
    if offsets[0] != 0 or offsets[-1] != total:
        raise InvalidInput(f"expected {what} offsets from 0 to {total}, got {offsets[0]} to {offsets[-1]}")
    if (lengths < 1).any():
        j = int(np.flatnonzero(lengths < 1)[0])
        raise InvalidInput(f"{owner} {j}: expected at least one {what}, got none")
