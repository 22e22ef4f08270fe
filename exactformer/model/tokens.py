"""An instance of the pure-attention dynamics: tokens, the matrix A and the step alpha; and token files."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING

from exactformer.arithmetic.algebraic import Algebraic
from exactformer.arithmetic.decimals import HINT, looks_binary
from exactformer.arithmetic.decimals import decimals as as_printed
from exactformer.arithmetic.integers import Array
from exactformer.arithmetic.rational import identity
from exactformer.arithmetic.short_text import MOST, cut, show
from exactformer.arithmetic.state import PointsLike, State
from exactformer.arithmetic.text import NumberLike, brief, exact, exact_row
from exactformer.display.frames import DataFrame, frame
from exactformer.display.html import html, table
from exactformer.display.verbs import Drawn, Reported
from exactformer.errors import InvalidInput, Malformed
from exactformer.io.delimited import is_name, read_table
from exactformer.io.file_kind import file_kind
from exactformer.io.json_lines import (
    JsonObject,
    PathLike,
    read_arrays,
    read_bytes,
    reading_file,
    save_json,
    strict_json,
    verify_header,
)
from exactformer.io.read_limits import reading, verify_memory
from exactformer.io.versions import since
from exactformer.model.matrix import Row, show_row

if TYPE_CHECKING:
    from exactformer import PlayWidget


@dataclass(frozen=True, repr=False)
class Tokens(Drawn, Reported):
    """Tokens z_1..z_n with a square matrix A (the identity unless given) and a rational alpha > 0.

    >>> instance = Tokens([["1/2", 0], [1, 1]], alpha="1/2")
    >>> len(instance), instance.dim, instance.alpha
    (2, 2, Fraction(1, 2))

    Floats are the binary fractions they are; with `decimals=True`, the decimals they are printed as.

    >>> Tokens([[0.1]], decimals=True)
    Tokens([(1/10)], A = I, alpha = 1)
    """

    state: State
    A: tuple[Row, ...]
    alpha: Fraction

    def __init__(
        self, rows: PointsLike, A: PointsLike | None = None, alpha: NumberLike = 1, *, decimals: bool = False
    ) -> None:
        if decimals:
            rows, A, alpha = map(as_printed, (rows, A, alpha))
        state = State.of(rows)
        object.__setattr__(self, "state", state)
        if A is None:  # a short file may have tokens of 100,000 coordinates
            verify_memory(8 * state.dim**2, f"the identity of dimension {state.dim:,}, which stands for A,")
        object.__setattr__(self, "A", identity(state.dim) if A is None else _square(A, state.dim))
        step = exact(alpha, "alpha")
        if isinstance(step, Algebraic):
            raise InvalidInput(f"alpha: expected a rational number, got the algebraic number {step}")
        if step <= 0:
            raise InvalidInput(f"alpha: expected alpha > 0, got {brief(step)}")
        object.__setattr__(self, "alpha", step)

    @classmethod
    def of(
        cls,
        tokens: Tokens | PointsLike,
        A: PointsLike | None = None,
        alpha: NumberLike | None = None,
        *,
        decimals: bool = False,
    ) -> Tokens:
        """The instance of Tokens, of rows of numbers, or of a file; a given A or alpha replaces that of the tokens.

        >>> Tokens.of([[1], [2]], alpha="1/2")
        Tokens([(1), (2)], A = I, alpha = 1/2)
        """
        if isinstance(tokens, (str, os.PathLike)):
            return cls.read(tokens, A=A, alpha=alpha)
        if not isinstance(tokens, Tokens):
            return cls(tokens, A, 1 if alpha is None else alpha, decimals=decimals)
        if A is None and alpha is None:
            return tokens
        A, alpha = (as_printed(A), as_printed(alpha)) if decimals else (A, alpha)
        return cls(tokens.state, tokens.A if A is None else A, tokens.alpha if alpha is None else alpha)

    def __len__(self) -> int:
        return len(self.state)

    def __getitem__(self, i: int) -> Row:
        return self.state[i]

    def __iter__(self) -> Iterator[Row]:
        return iter(self.state)

    def to_numpy(self) -> Array:
        """The tokens as an n by d array of exact numbers (dtype object); `.astype(float)` rounds them.

        >>> Tokens([["1/2"], [1]]).to_numpy().tolist()
        [[Fraction(1, 2)], [Fraction(1, 1)]]
        """
        return self.state.to_numpy()

    @property
    def dim(self) -> int:
        """The dimension d."""
        return self.state.dim

    @property
    def is_rational(self) -> bool:
        """Whether tokens and A are rational, so that the instance has a file form."""
        return self.state.is_rational and not any(isinstance(v, Algebraic) for row in self.A for v in row)

    @classmethod
    def read(cls, path: PathLike, *, A: PointsLike | None = None, alpha: NumberLike | None = None) -> Tokens:
        """The instance of a token file (JSON), or of a CSV or NPY file with one token per row.

        A given A or alpha replaces that of the file.
        """
        with reading_file(path):
            return cls._read(path, A, alpha)

    @classmethod
    def _read(cls, path: PathLike, A: PointsLike | None, alpha: NumberLike | None) -> Tokens:
        kind = file_kind(path)
        if kind in ("npy", "npz"):
            content: JsonObject = {"tokens": _npy(path)}
        elif kind == "csv":
            content = {"tokens": _csv_points(read_bytes(path), "standard input" if str(path) == "-" else str(path))}
        else:
            content = _token_file(read_bytes(path), str(path))
        if A is not None:
            content["A"] = A
        if alpha is not None:
            content["alpha"] = alpha
        return cls._of(content, str(path))

    @classmethod
    def of_bytes(cls, data: bytes, where: str) -> Tokens:
        """The instance of a token file that is in memory; `where` names it in messages.

        >>> Tokens.of_bytes(b'{"exactformer": "tokens", "version": [1, 0], "tokens": [["1"]]}', "here")
        Tokens([(1)], A = I, alpha = 1)
        """
        with reading(len(data)):
            return cls._of(_token_file(data, where), where)

    @classmethod
    def _of(cls, content: JsonObject, where: str) -> Tokens:
        if "A" in content and content["A"] is None:
            raise InvalidInput(f"{where}, A: expected rows of numbers, got null; leave A out for the identity")
        return cls(content["tokens"], content.get("A"), content.get("alpha", 1))

    def latex(self, *, most: int | None = None) -> str:
        """The instance in LaTeX: tokens as the rows of Z, then A and alpha; at most `most` rows and columns each."""
        from exactformer.display.latex import latex_number, latex_rows

        Z, A = latex_rows(self.state.rows(), most=most), latex_rows(self.A, most=most)
        return rf"$$Z = {Z},\quad A = {A},\quad \alpha = {latex_number(self.alpha)}$$"

    def _repr_latex_(self) -> str:
        return self.latex(most=8)

    def _repr_html_(self) -> str:
        form = "I" if identity(self.dim) == self.A else f"[{cut(map(show_row, self.A), MOST)}]"
        return table(["token", "position"], enumerate(self.state.rows())) + html(
            "<p>A = {form}, alpha = {alpha}. <code>.play()</code> opens a page to drag the tokens in.</p>",
            form=form,
            alpha=show(self.alpha),
        )

    def play(self, *, height: int = 820) -> PlayWidget:
        """A page below the cell of a notebook in which the tokens are dragged; `.tokens` of it are those shown."""
        from exactformer import PlayWidget

        return PlayWidget(self, height=height)

    def __repr__(self) -> str:
        rows = cut((show(row, most=MOST) for row in self.state), MOST)
        form = "I" if identity(self.dim) == self.A else f"[{cut(map(show_row, self.A), MOST)}]"
        hint = f"; {HINT}" if looks_binary(self.state.denominator) else ""
        return f"Tokens([{rows}], A = {form}, alpha = {show(self.alpha)}{hint})"

    def to_pandas(self) -> DataFrame:
        """A frame with the columns x1..xd, one token per row, exact."""
        return frame([f"x{k + 1}" for k in range(self.dim)], self.state.rows())

    def save(self, path: PathLike) -> Path:
        """Writes the token file, which `ef.load` reads, and returns its path; raises Declined for algebraic numbers."""
        return save_json(self.json(), path)

    def json(self) -> JsonObject:
        """The token file of the instance, numbers as exact scalars."""
        return {
            "exactformer": "tokens",
            "version": since("tokens"),
            "A": [list(row) for row in self.A],
            "alpha": self.alpha,
            "tokens": [list(row) for row in self.state],
        }


def _square(A: object, dim: int) -> tuple[Row, ...]:
    if type(A) is tuple and len(A) == dim and all(type(row) is tuple and _are_fractions(row, dim) for row in A):
        return A  # already what it has to be
    if isinstance(A, (str, bytes)) or not hasattr(A, "__iter__"):
        raise InvalidInput(f"A: expected a {dim}-by-{dim} matrix as a list of rows, got {A!r:.60}")
    rows = []
    for i, row in enumerate(A):
        if isinstance(row, (str, bytes)) or not hasattr(row, "__iter__"):
            raise InvalidInput(f"A[{i}]: expected a row of {dim} numbers, got {row!r:.60}")
        rows.append(exact_row(row, f"A[{i}]"))
    if len(rows) != dim or any(len(row) != dim for row in rows):
        widths = sorted({len(row) for row in rows})
        raise InvalidInput(f"A: expected a {dim}-by-{dim} matrix, got {len(rows)} rows of lengths {widths}")
    return tuple(rows)


def _are_fractions(row: tuple[object, ...], dim: int) -> bool:
    return len(row) == dim and set(map(type, row)) == {Fraction}


def _token_file(data: bytes, where: str) -> JsonObject:
    content = strict_json(data, where)
    if not isinstance(content, dict):
        raise Malformed(f'{where}: expected a token file {{"exactformer": "tokens", ..}}, got {type(content).__name__}')
    verify_header(content, "tokens", where)
    unknown = set(content) - {"exactformer", "version", "A", "alpha", "tokens"}
    if unknown or "tokens" not in content:
        got = f"the unknown key {min(unknown)!r}" if unknown else "none"
        raise Malformed(f'{where}: expected "tokens" and optionally "A" and "alpha", got {got}')
    return content


def _npy(path: PathLike) -> Array:
    rows = read_arrays(path, "a NumPy array file")
    if isinstance(rows, dict):
        raise Malformed(
            f"{path}: expected a NumPy array file with one array, got an archive of {sorted(rows)}; "
            "sequences with offsets are a data set, for construct and run"
        )
    if rows.ndim != 2 or rows.dtype.kind not in "iuf":
        raise InvalidInput(f"{path}: expected a 2-dimensional array of numbers, got {rows.dtype} of shape {rows.shape}")
    return rows


def _csv_points(data: bytes, where: str) -> State:
    """The tokens of a text table, one per row; blank lines and a header, a first row of names, are skipped."""
    table = read_table(data, where)
    header = bool(table.rows) and all(map(is_name, table.rows[0]))
    names = table.rows[0] if header else []
    if {"sequence", "label"} & {name.lower() for name in names}:
        raise InvalidInput(
            f"{where}, line {table.lines[0]}: expected tokens, one per row, got the columns {','.join(names)[:60]} of "
            "a data set; construct and run read it; for its tokens alone leave out the columns sequence and label"
        )
    if len(table.rows) == header:
        raise InvalidInput(f"{where}: expected at least one row of numbers, got none")
    width = len(table.rows[0])
    table.verify_width(width)
    texts, place = table.numbers([*range(width)], names, int(header))
    return State.of_flat(texts, width, place)
