"""What kind of file a path is: by its name, or by its first bytes where it is the standard input."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from exactformer.model.json_lines import PathLike, read_bytes

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


def file_kind(path: PathLike) -> FileKind:
    """ "csv" for text tables, "npy" and "npz" for arrays, "json" for everything else."""
    if str(path) != "-":
        return _ENDINGS.get(Path(path).suffix.lower(), "json")
    start = read_bytes(path)[:64].lstrip(b"\xef\xbb\xbf").lstrip()
    if start.startswith(b"\x93NUMPY"):
        return "npy"
    if start.startswith(b"PK"):
        return "npz"
    return "json" if start[:1] in (b"{", b"[") else "csv"
