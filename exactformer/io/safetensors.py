"""Reading .safetensors files without their library: eight bytes of length, a JSON header, raw little-endian numbers."""

from __future__ import annotations

import os
from math import prod

import numpy as np

from exactformer.errors import InvalidInput, Malformed
from exactformer.io.json_lines import PathLike, strict_json
from exactformer.io.untyped import AnyArray

#: bytes of the longest header that is read, as in the format's own library
MAX_HEADER = 100_000_000
#: the dimensions of an array that every NumPy from 1.26 on holds, and its bytes where sizes 0 do not count
MAX_DIMENSIONS, MAX_BYTES = 32, 2**62
_TYPES = {"F64": "<f8", "F32": "<f4", "F16": "<f2", "BF16": "<u2", "I64": "<i8", "I32": "<i4", "U8": "<u1", "BOOL": "?"}


def read_safetensors(path: PathLike) -> dict[str, AnyArray]:
    """The tensors of a file by name, as they are stored; BF16 widened exactly to float32.

    Malformed where names repeat, tensors overlap, leave gaps or pass the end, or a shape is not that of its bytes.
    """
    try:
        with open(path, "rb") as file:
            size = os.fstat(file.fileno()).st_size
            length = int.from_bytes(file.read(8), "little")
            if size < 8 or length > min(MAX_HEADER, size - 8):
                raise Malformed(f"{path}: expected a .safetensors file, got {size} bytes that do not hold its header")
            places = _places(strict_json(file.read(length), str(path)), size - 8 - length, str(path))
            data = file.read()
    except OSError as problem:
        raise InvalidInput(f"cannot read {path}: {problem.strerror}; check the path") from problem
    return {name: _tensor(data, *place) for name, place in places.items()}


def _places(header: object, size: int, where: str) -> dict[str, tuple[str, tuple[int, ...], int, int]]:
    """The place of every tensor, side by side in so many bytes of data; checked before these are read."""
    if not isinstance(header, dict):
        raise Malformed(f"{where}: expected a header that is a JSON object, got {type(header).__name__}")
    places = {name: _place(entry, f"{where}, {name}") for name, entry in header.items() if name != "__metadata__"}
    end = 0
    for name, (_, _, first, last) in sorted(places.items(), key=lambda item: item[1][2:]):
        if first != end:
            raise Malformed(f"{where}, {name}: expected data from byte {end}, got {first}: a gap or an overlap")
        end = last
    if end != size:
        raise Malformed(f"{where}: expected {end} bytes of data, got {size}")
    return places


def _place(entry: object, where: str) -> tuple[str, tuple[int, ...], int, int]:
    """The type, the shape and the first and last byte of one tensor."""
    if not isinstance(entry, dict) or entry.keys() != {"dtype", "shape", "data_offsets"}:
        raise Malformed(f"{where}: expected dtype, shape and data_offsets, got {entry!r:.80}")
    kind, shape, offsets = entry["dtype"], entry["shape"], entry["data_offsets"]
    if not isinstance(kind, str) or kind not in _TYPES:
        raise Malformed(f"{where}: expected a type of {', '.join(_TYPES)}, got {kind!r:.40}")
    for numbers in (shape, offsets):
        if not isinstance(numbers, list) or any(type(n) is not int or n < 0 for n in numbers):
            raise Malformed(f"{where}: expected counts, got {numbers!r:.80}")
    if len(shape) > MAX_DIMENSIONS:
        raise Malformed(f"{where}: expected a shape of at most {MAX_DIMENSIONS} numbers, got {len(shape):,}")
    each = np.dtype(_TYPES[kind]).itemsize
    if (
        prod(filter(None, shape)) * each > MAX_BYTES
        or len(offsets) != 2
        or offsets[1] - offsets[0] != prod(shape) * each
    ):
        raise Malformed(f"{where}: expected the bytes of shape {shape!r:.60} in {kind}, got offsets {offsets!r:.60}")
    return kind, tuple(shape), offsets[0], offsets[1]


def _tensor(data: bytes, kind: str, shape: tuple[int, ...], first: int, last: int) -> AnyArray:
    found = np.frombuffer(data[first:last] if kind == "BOOL" else memoryview(data)[first:last], _TYPES[kind])
    if kind == "BF16":
        found = (found.astype(np.uint32) << 16).view(np.float32)
    return found.reshape(shape)
