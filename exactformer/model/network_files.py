"""Network files: the architecture as JSON, and beside it the weight string, found by a relative path and its digest."""

from __future__ import annotations

import json
import os
from pathlib import Path

from exactformer.errors import InvalidInput, Malformed
from exactformer.io.file_kind import form_of
from exactformer.io.json_lines import PathLike, read_bytes, strict_json, verify_header, write_atomically
from exactformer.model.architecture import Architecture
from exactformer.model.network import READS, Network

#: how a file that holds a weight string and nothing else ends
WEIGHTS_SUFFIX = ".f32"


def is_network_file(path: PathLike) -> bool:
    """Whether a file begins as network files do."""
    try:
        return form_of(path) == "network"
    except InvalidInput:
        return False


def write_network(network: Network, path: PathLike) -> Path:
    """Writes a network file and, beside it, its weight string; the path of the latter."""
    target = Path(path)
    weights = target.with_suffix(WEIGHTS_SUFFIX)
    if weights == target:
        raise InvalidInput(f"cannot write {path}: the ending {WEIGHTS_SUFFIX} is that of the weights; choose .json")
    description = {
        "exactformer": "network",
        "version": [1, 2],
        **network.architecture.header(),
        "weights": network.digest,
        "file": weights.name,
        "read": network.read,
    }
    write_atomically(weights, network.weight_string())
    write_atomically(target, json.dumps(description, indent=1).encode() + b"\n")
    return weights


def weights_beside(path: PathLike) -> Path:
    """Where the weights of a network file are, which has been read before."""
    return Path(path).parent / str(strict_json(read_bytes(path), str(path))["file"])


def read_network_file(path: PathLike) -> Network:
    """The network of a network file; Malformed unless its weights are there, whole, and of the digest that it names."""
    keys = strict_json(read_bytes(path), str(path))
    if not isinstance(keys, dict):
        raise Malformed(f"{path}: expected a JSON object, got {type(keys).__name__}")
    verify_header(keys, "network", str(path))
    digest, file, read = (keys.pop(key, None) for key in ("weights", "file", "read"))
    del keys["exactformer"], keys["version"]
    architecture = Architecture.of_header(keys, str(path))
    if not isinstance(digest, str) or not isinstance(file, str) or os.path.isabs(file) or read not in READS:
        raise Malformed(f'{path}: expected "weights", a relative "file" and "read", got {digest!r}, {file!r}, {read!r}')
    beside = Path(path).parent / file
    size, expected = os.path.getsize(beside) if beside.is_file() else None, 4 * architecture.size
    if size != expected:
        got = "no such file" if size is None else f"{size} bytes"
        raise Malformed(f"{path}: expected {expected} bytes of weights in {beside}, got {got}")
    try:
        network = Network.of_weight_string(architecture, read_bytes(beside), read=read)
    except InvalidInput as problem:
        raise Malformed(f"{beside}: {problem}") from problem
    if network.digest != digest:
        raise Malformed(f"{beside}: expected weights of SHA-256 {digest:.64}, got {network.digest}; they were changed")
    return network
