"""Network files: the weights of a time-delayed transformer as exact numbers, in JSON."""

from __future__ import annotations

import json
from collections.abc import Iterator
from fractions import Fraction

import numpy as np

from exactformer.arithmetic.integers import Array
from exactformer.errors import Malformed
from exactformer.io.canonical import canonical, from_canonical
from exactformer.io.json_lines import PathLike, read_bytes, strict_json, verify_header, write_atomically
from exactformer.io.untyped import JsonValue
from exactformer.studies.time_delay.network import NAMES, DelayNetwork, verify_shapes

FORM = "delay-network"


def write_network(network: DelayNetwork, path: PathLike) -> None:
    """Writes a network: every float is the dyadic number it is."""
    content = {
        "exactformer": FORM,
        "version": [1, 0],
        "encoding": network.encoding,
        "activation": network.activation,
        "mean": _texts(np.array(network.mean)),
        "scale": _texts(np.array(network.scale)),
        "weights": {name: _texts(network.weights[name]) for name in NAMES},
    }
    write_atomically(path, json.dumps(content, separators=(",", ":")).encode() + b"\n")


def _texts(array: Array) -> object:
    if array.ndim > 1:
        return [_texts(row) for row in array]
    return [canonical(Fraction(x)) for x in array.tolist()]


def read_network(path: PathLike) -> DelayNetwork:
    """The network of a file; Malformed where it is none, InvalidInput where its shapes do not fit."""
    where = str(path)
    content = strict_json(read_bytes(path), where)
    if not isinstance(content, dict):
        raise Malformed(f"{where}: expected a network file, as `exactformer delay fit` writes it")
    verify_header(content, FORM, where)
    wanted = {"exactformer", "version", "encoding", "activation", "mean", "scale", "weights"}
    if content.keys() != wanted or not isinstance(content["weights"], dict):
        raise Malformed(
            f"{where}: expected the keys {', '.join(sorted(wanted))}, got {', '.join(sorted(content))[:80]}"
        )
    for key, known in (("encoding", ("block", "additive")), ("activation", ("gelu", "relu"))):
        if content[key] not in known:
            raise Malformed(f"{where}, {key}: expected {' or '.join(known)}, got {content[key]!r:.40}")
    weights = {name: _floats(value, f"{where}, {name}") for name, value in content["weights"].items()}
    mean, scale = (_floats(content[key], f"{where}, {key}") for key in ("mean", "scale"))
    network = DelayNetwork(weights, content["encoding"], content["activation"], tuple(mean), tuple(scale))
    verify_shapes(network)
    if mean.shape != (network.dim,) or scale.shape != (network.dim,) or not (scale > 0).all():
        raise Malformed(f"{where}: expected a mean and a positive scale for each of {network.dim} coordinates")
    return network


def _floats(value: object, where: str) -> Array:
    """An array of float64, each exactly the number written."""
    try:
        texts = np.array(value, dtype=object)
        numbers = [from_canonical(text) for text in _flat(value)]
        array = np.array([float(x) for x in numbers], dtype=np.float64).reshape(texts.shape)
    except (ValueError, TypeError, OverflowError) as problem:
        raise Malformed(f"{where}: expected an array of numbers, got {problem}") from problem
    if any(Fraction(x) != y for x, y in zip(array.ravel().tolist(), numbers, strict=True)):
        raise Malformed(f"{where}: expected numbers that float64 holds exactly, got another one")
    return array


def _flat(value: object) -> Iterator[JsonValue]:
    if isinstance(value, list):
        for part in value:
            yield from _flat(part)
    else:
        yield value
