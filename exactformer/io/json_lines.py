"""JSON Lines files with a digest: strict reading, and writing that never leaves half a file.

A file is a header line, lines, and an end line {"end": true, "sha256": ...} over every byte before it.
It is written under a temporary name beside its target and renamed once it is complete.
"""

from __future__ import annotations

import hashlib
import io
import json
import os
import re
import secrets
import sys
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from functools import lru_cache
from itertools import accumulate
from pathlib import Path
from types import TracebackType
from typing import IO, TYPE_CHECKING

from exactformer.errors import Declined, InvalidInput, Malformed
from exactformer.io.canonical import canonical
from exactformer.io.read_limits import reading, verify_memory
from exactformer.io.untyped import AnyArray, JsonValue
from exactformer.io.versions import read_versions

if TYPE_CHECKING:
    pass

#: a JSON object: one read holds values not yet verified, one to be written may hold exact numbers
JsonObject = dict[str, JsonValue]
#: a line to be written: an object, or its text where there are millions
JsonLine = JsonObject | str
#: where a file is
PathLike = str | os.PathLike[str]

#: reading an array takes some times its own size
WORK = 4
#: how deep brackets of a JSON text may nest: far more than any form has, and far less than recursion bears
DEPTH = 64
_STRING = re.compile(rb'"(?:[^"\\]|\\.)*"')
_NO_BRACKET = bytes(set(range(256)) - set(b"[]{}"))
_PLAIN = bytes(set(range(256)) - set(b'"[]{}'))
_SQUARE = bytes.maketrans(b"{}", b"[]")


def as_path(path: object) -> PathLike:
    """The path as it is; InvalidInput for anything that is none."""
    if not isinstance(path, (str, os.PathLike)):
        raise InvalidInput(f"path: expected a path such as 'result.jsonl', got {path!r:.60}")
    return path


class LineWriter:
    """Writes JSON lines to a temporary file; a clean exit adds the end line and renames it.

    Exact numbers become canonical text; Python ints stay JSON integers (indices and counts).
    """

    def __init__(self, path: PathLike) -> None:
        self.path = Path(as_path(path))
        self._digest = hashlib.sha256()
        self._file: IO[bytes] | None = None
        self._open = ExitStack()

    def __enter__(self) -> LineWriter:
        self._file = self._open.enter_context(replacing(self.path))
        return self

    def write(self, line: JsonLine) -> None:
        """Adds one line."""
        text = line if isinstance(line, str) else json.dumps(line, separators=(",", ":"), default=canonical)
        self._put(text.encode() + b"\n")

    def _put(self, data: bytes) -> None:
        if self._file is None:
            raise InvalidInput("a LineWriter writes only inside its with block")
        self._digest.update(data)
        self._file.write(data)

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        if kind is not None:
            self._open.__exit__(kind, error, at)
            return
        with self._open:
            self.write({"end": True, "sha256": self._digest.hexdigest()})


@contextmanager
def replacing(path: PathLike) -> Iterator[IO[bytes]]:
    """A binary file beside `path` that takes its place after a clean exit and is removed after any other.

    A symbolic link is followed; what is no regular file (a pipe, /dev/null) is written to as it stands.
    """
    target = Path(os.path.realpath(path))
    try:
        if target.exists() and not target.is_file():
            with open(target, "wb") as file:
                yield file
            return
        beside = target.with_name(f".exactformer-{secrets.token_hex(8)}")
        with open(beside, "xb") as file:
            try:
                yield file
                file.flush()
                os.replace(beside, target)
            except BaseException:
                beside.unlink(missing_ok=True)  # an interrupt may come just after the rename
                raise
    except OSError as problem:
        raise InvalidInput(
            f"cannot write {path}: {problem.strerror or problem}; choose a file in a folder that exists and is writable"
        ) from problem


def write_atomically(path: PathLike, data: bytes) -> None:
    """Writes a whole file under a temporary name, then renames it."""
    with replacing(path) as file:
        file.write(data)


def save_json(content: JsonObject, path: PathLike) -> Path:
    """Writes a JSON file, exact numbers as canonical text, and returns its path."""
    write_atomically(path, json.dumps(content, default=canonical).encode() + b"\n")
    return Path(path)


def strict_json(text: str | bytes, where: str) -> JsonValue:
    """The JSON value of a text: decimals stay text, NaN, Infinity and repeated keys are Malformed."""
    try:
        _verify_nesting(text)
        return _loads(text)
    except json.JSONDecodeError as problem:
        if problem.msg == "Extra data" and problem.lineno > 1:
            several = f"another one at line {problem.lineno}; certificates and transformer files have one per line"
            raise Malformed(f"{where}: expected one JSON value, got {several}") from problem
        got = problem if text.strip() else "an empty file"
        raise Malformed(f"{where}: expected JSON, got {got}") from problem
    except (ValueError, RecursionError) as problem:
        raise Malformed(f"{where}: expected JSON, got {problem}") from problem


def _verify_nesting(text: str | bytes) -> None:
    """Raises ValueError where brackets nest deeper than DEPTH; whether they match is seen by the parser."""
    data = text.encode("utf-8", "surrogatepass") if isinstance(text, str) else text
    if data.count(b"[") + data.count(b"{") <= DEPTH:
        return
    outside = _STRING.sub(b"", data) if b"\\" in data else b"".join(data.translate(None, _PLAIN).split(b'"')[::2])
    brackets = outside.translate(_SQUARE, _NO_BRACKET)
    inner = brackets
    for _ in range(DEPTH):  # taking out neighbouring pairs takes out the innermost level
        if not inner:
            return
        inner = inner.replace(b"[]", b"")
    if max(accumulate(1 if bracket == ord("[") else -1 for bracket in brackets)) > DEPTH:
        raise ValueError(f"brackets nested deeper than {DEPTH}")


def _loads(text: str | bytes) -> JsonValue:
    hooks: JsonObject = {"parse_float": str, "parse_constant": _no_constant, "object_pairs_hook": _no_repeats}
    try:
        return json.loads(text, **hooks)
    except ValueError as problem:
        if "integer string conversion" not in str(problem):
            raise
    # Python refuses integers of more than 4,300 digits; as text they are read like any other number
    return json.loads(text, parse_int=lambda digits: digits if len(digits) > 4_000 else int(digits), **hooks)


def _no_constant(name: str) -> None:
    raise ValueError(f"{name}, which is not a number here")


def _no_repeats(pairs: list[tuple[str, object]]) -> JsonObject:
    value = dict(pairs)
    if len(value) != len(pairs):
        raise ValueError(f"the key {next(k for i, (k, _) in enumerate(pairs) if k in dict(pairs[:i]))!r} twice")
    return value


@lru_cache(maxsize=1)
def _standard_input() -> bytes:
    """All of the standard input, which can be read only once."""
    return sys.stdin.buffer.read()


def read_bytes(path: PathLike, most: int | None = None) -> bytes:
    """The first `most` bytes of a file (all), of the standard input for `-`; InvalidInput where it cannot be read."""
    try:
        if str(as_path(path)) == "-":
            return _standard_input()[:most]
        with open(path, "rb") as file:
            return file.read(most)
    except OSError as problem:
        raise InvalidInput(f"cannot read {path}: {problem.strerror}; check the path") from problem


@contextmanager
def reading_file(path: PathLike) -> Iterator[None]:
    """What is read inside comes from this file, whose size bounds the memory that its numbers may take."""
    size = len(read_bytes(path)) if str(path) == "-" else os.path.getsize(path) if os.path.isfile(path) else 0
    with reading(size):
        yield


def read_arrays(path: PathLike, what: str) -> AnyArray | dict[str, AnyArray]:
    """What np.load reads from a file, an array or a dict of arrays, all in memory; Malformed where it cannot."""
    import numpy as np

    try:
        content: IO[bytes] = io.BytesIO(_standard_input()) if str(path) == "-" else open(path, "rb")  # noqa: SIM115
    except OSError as problem:
        raise InvalidInput(f"cannot read {path}: {problem.strerror}; check the path") from problem
    try:
        with content:
            verify_memory(WORK * unpacked_size(content), f"{path}: the arrays, and reading them,")
            content.seek(0)
            loaded = np.load(content, allow_pickle=False)
            return loaded if isinstance(loaded, np.ndarray) else {name: loaded[name] for name in loaded.files}
    except Declined:
        raise
    except MemoryError as problem:  # the file is small enough, its header says more
        raise Malformed(f"{path}: expected {what}, got an array that says to be larger than the memory") from problem
    except (ValueError, EOFError, OSError, KeyError, RuntimeError, zipfile.BadZipFile, zlib.error) as problem:
        got = "Python objects or no array at all; nothing is unpickled" if "pickle" in str(problem) else problem
        raise Malformed(f"{path}: expected {what}, got {got}") from problem


def unpacked_size(content: IO[bytes]) -> int:
    """The bytes of the arrays of a ZIP file, as its directory says, compressed zeros included; 0 for other files."""
    if not zipfile.is_zipfile(content):
        return 0
    return sum(member.file_size for member in zipfile.ZipFile(content).infolist())


def read_lines(path: PathLike) -> Iterator[JsonObject]:
    """The lines of a file up to its end line; Malformed unless the digest is that of the bytes read."""
    digest = hashlib.sha256()
    try:
        # closed below; a generator keeps it open between lines
        file: IO[bytes] = io.BytesIO(_standard_input()) if str(path) == "-" else open(path, "rb")  # noqa: SIM115
    except OSError as problem:
        raise InvalidInput(f"cannot read {path}: {problem.strerror}; check the path") from problem
    with file:
        for number, raw in enumerate(file, 1):
            line = strict_json(raw, f"{path}, line {number}")
            if not isinstance(line, dict):
                raise Malformed(f"{path}, line {number}: expected a JSON object, got {type(line).__name__}")
            if line.get("end") is True:
                if line.get("sha256") != digest.hexdigest():
                    raise Malformed(
                        f"{path}: the sha256 of the end line is not that of the file; it was changed or cut"
                    )
                if file.read(1):
                    raise Malformed(f"{path}: expected nothing after the end line")
                return
            digest.update(raw)
            yield line
    raise Malformed(f"{path}: expected an end line with a sha256, got none; the file was cut short")


#: what to do with a file of each form
_USES = {
    "tokens": "these are tokens, for simulate, limit, plot and crosscheck",
    "dataset": "this is a data set of sequences, for construct and run",
    "transformer": "this is a transformer, for run and export",
    "certificate": "this is a certificate, for check, report, run and plot",
    "system": "this is a system V, Q, K, for meanfield",
    "network": "this is a trained network, for run",
}


def verify_header(header: JsonObject, form: str, where: str) -> None:
    """Raises Malformed unless the header names this form and a known version."""
    if "exactformer" not in header:
        raise Malformed(f'{where}: expected "exactformer": "{form}", got no such key; add it, and the version')
    if header["exactformer"] != form:
        got = header["exactformer"]
        hint = f"; {_USES[got]}" if isinstance(got, str) and got in _USES else ""
        raise Malformed(f'{where}: expected "exactformer": "{form}", got {got!r:.60}{hint}')
    version, known = header.get("version"), read_versions(form)
    if version not in known:
        raise Malformed(
            f"{where}: expected version {' or '.join(map(str, known))}, got {version!r}; "
            "a newer file needs a newer exactformer"
        )
