"""What kind of file a path is: by its name, by its first bytes, or by the form that its first line names."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Literal

from exactformer.io.json_lines import PathLike, read_bytes

FileKind = Literal["json", "csv", "npy", "npz"]

#: file name ending -> kind; every other file is JSON
_ENDINGS: dict[str, FileKind] = {
    ".csv": "csv",
    ".tsv": "csv",
    ".tab": "csv",
    ".txt": "csv",
    ".npy": "npy",
    ".npz": "npz",
}

#: how files of float weights that torch wrote end
TORCH_SUFFIXES = (".pt", ".pth", ".ts")

#: how the files of this package begin; other keys may come first, without objects in them
_FORM = re.compile(rb'(?:\xef\xbb\xbf)?\s*\{[^{}]*?"exactformer"\s*:\s*"([\w-]+)"')
#: a header line says its form in so many bytes
_BEGINNING = 4096


def form_of(path: PathLike) -> str | None:
    """The form that the beginning of a file names, "certificate" of a certificate, whether or not the rest is whole."""
    named = _FORM.match(read_bytes(path, _BEGINNING))
    return None if named is None else named[1].decode()


def holds_float_weights(path: PathLike) -> bool:
    """Whether a file ends as float weights do, NPZ or torch's."""
    return str(path).lower().endswith((".npz", *TORCH_SUFFIXES))


def file_kind(path: PathLike) -> FileKind:
    """ "csv" for text tables, "npy" and "npz" for arrays, "json" for everything else."""
    if str(path) != "-":
        return _ENDINGS.get(Path(path).suffix.lower(), "json")
    start = read_bytes(path, 64).lstrip(b"\xef\xbb\xbf").lstrip()
    if start.startswith(b"\x93NUMPY"):
        return "npy"
    if start.startswith(b"PK"):
        return "npz"
    return "json" if start[:1] in (b"{", b"[") else "csv"
