"""Reading .safetensors files: what is stored comes back exactly, and hostile headers are refused."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import exactformer as ef
from exactformer.io.safetensors import read_safetensors


def written(path: Path, header: object, data: bytes) -> Path:
    text = header if isinstance(header, bytes) else json.dumps(header).encode()
    path.write_bytes(len(text).to_bytes(8, "little") + text + data)
    return path


def entry(dtype: str, shape: list[int], first: int, last: int) -> dict[str, object]:
    return {"dtype": dtype, "shape": shape, "data_offsets": [first, last]}


def test_tensors_come_back_as_they_are_stored(tmp_path: Path) -> None:
    a, b = np.array([[1.5, -2.0], [3e-40, 7.0]], "<f4"), np.array([0.1, -65504.0], "<f2")
    brain = (np.array([1.0, -0.15625], "<f4").view("<u4") >> 16).astype("<u2")
    data = a.tobytes() + b.tobytes() + brain.tobytes()
    header = {
        "__metadata__": {"format": "pt"},
        "b": entry("F16", [2], 16, 20),
        "a": entry("F32", [2, 2], 0, 16),
        "c": entry("BF16", [2, 1], 20, 24),
    }
    found = read_safetensors(written(tmp_path / "x.safetensors", header, data))
    assert np.array_equal(found["a"], a)
    assert np.array_equal(found["b"], b)
    assert found["c"].dtype == np.float32
    assert found["c"].tolist() == [[1.0], [-0.15625]]


@pytest.mark.parametrize(
    ("header", "count"),
    [
        ({"a": entry("F32", [1], 4, 8)}, 8),
        ({"a": entry("F32", [1], 0, 4), "b": entry("F32", [1], 2, 6)}, 6),
        ({"a": entry("F32", [1], 0, 4), "b": entry("F32", [1], 8, 12)}, 12),
        ({"a": entry("F32", [2], 0, 4)}, 4),
        ({"a": entry("F32", [1], 0, 4)}, 8),
        ({"a": entry("F32", [2], 0, 8)}, 4),
        ({"a": entry("F8", [1], 0, 1)}, 1),
        ({"a": entry("F32", [-1], 0, 4)}, 4),
        ({"a": entry("F32", [1] * 33, 0, 4)}, 4),
        ({"a": entry("F32", [2**62, 0], 0, 0)}, 0),
        ({"a": entry("F32", [1] * 9_000 + [0], 0, 0)}, 0),
        ({"a": entry("F32", [True], 0, 4)}, 4),
        ({"a": {"dtype": "F32", "shape": [1]}}, 4),
        (
            b'{"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]},"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}}',
            4,
        ),
        ([1], 0),
        (b"no json", 0),
    ],
)
def test_hostile_headers_are_malformed(header: object, count: int, tmp_path: Path) -> None:
    with pytest.raises(ef.Malformed):
        read_safetensors(written(tmp_path / "x.safetensors", header, bytes(count)))


def test_short_files_pickles_and_missing_ones_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "x.safetensors"
    for content in (b"", b"\x01", b"\xff" * 40, b"\x80\x04\x95\x10\x00\x00\x00\x00\x00\x00\x00"):
        path.write_bytes(content)
        with pytest.raises(ef.Malformed):
            read_safetensors(path)
    with pytest.raises(ef.InvalidInput, match="cannot read"):
        read_safetensors(tmp_path / "none")


def test_a_file_far_longer_than_its_header_says_is_refused_before_it_is_read(tmp_path: Path) -> None:
    path = written(tmp_path / "x.safetensors", {"a": {"dtype": "F32", "shape": [1], "data_offsets": [0, 4]}}, bytes(4))
    with open(path, "r+b") as file:
        file.truncate(1 << 38)  # a hole, which takes no room on the disk
    with pytest.raises(ef.Malformed, match="expected 4 bytes of data"):
        read_safetensors(path)
