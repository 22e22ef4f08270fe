"""The model file: one JSON object, compressed with xz; words and integers over one denominator, read strictly."""

from __future__ import annotations

import json
import lzma
import os
from fractions import Fraction

import numpy as np

from exactformer.arithmetic.rational import identity
from exactformer.arithmetic.text import Exact, exact
from exactformer.errors import Declined, InvalidInput, Malformed
from exactformer.io.canonical import canonical
from exactformer.io.json_lines import JsonObject, strict_json, verify_header, write_atomically
from exactformer.io.versions import since
from exactformer.studies.sentiment.classifier import ReviewClassifier
from exactformer.studies.sentiment.reviews_file import unpacked

_KEYS = {"exactformer", "version", "alpha", "layers", "length", "pairs", "denominator", "A", "v", "b"}
_KEYS |= {"words", "embeddings", "about"}
#: the largest integer in a model, the most layers, and the most bits of the exact places: every layer makes them longer
ENTRY, LAYERS, PLACES = 1 << 31, 1000, 1 << 14


def model_json(model: ReviewClassifier) -> JsonObject:
    """The content of the model file; embeddings coordinate by coordinate."""
    return {
        "exactformer": "classifier",
        "version": since("classifier"),
        "alpha": canonical(model.alpha),
        "layers": model.layers,
        "length": model.length,
        "pairs": model.pairs,
        "denominator": model.denominator,
        "A": [[canonical(x) for x in row] for row in model.matrix],
        "v": list(model.v),
        "b": model.b,
        "words": list(model.words),
        "embeddings": model.embeddings.T.tolist(),
        "about": dict(model.about),
    }


def write_classifier(model: ReviewClassifier, path: str | os.PathLike[str]) -> None:
    """Writes the model file; reading it gives the same classifier."""
    text = json.dumps(model_json(model), separators=(",", ":"))
    write_atomically(path, lzma.compress(text.encode(), preset=9 | lzma.PRESET_EXTREME))


def read_classifier(path: str | os.PathLike[str]) -> ReviewClassifier:
    """The classifier of a model file; Malformed where it is cut or not what the format says."""
    where = str(path)
    content = strict_json(unpacked(path), where)
    if not isinstance(content, dict):
        raise Malformed(f"{where}: expected a JSON object, got {type(content).__name__}")
    verify_header(content, "classifier", where)
    if content.keys() != _KEYS:
        raise Malformed(
            f"{where}: expected the keys {', '.join(sorted(_KEYS))}, got {', '.join(sorted(content))[:200]}"
        )
    words, columns, v = content["words"], content["embeddings"], _integers(content["v"], f"{where}, v")
    if not isinstance(words, list) or not all(isinstance(w, str) for w in words) or len(set(words)) != len(words):
        raise Malformed(f"{where}, words: expected different strings")
    if not isinstance(columns, list) or len(columns) != len(v) or not v or not words:
        raise Malformed(f"{where}, embeddings: expected one list of integers for each of the {len(v)} entries of v")
    table = [_integers(column, f"{where}, embeddings") for column in columns]
    if any(len(column) != len(words) for column in table):
        raise Malformed(f"{where}, embeddings: expected {len(words)} integers a coordinate, one for each word")
    alpha, layers = _alpha(content["alpha"], where), _layers(content["layers"], where)
    _verify_lengths(alpha, layers, where)
    try:
        return ReviewClassifier(
            tuple(words),
            np.ascontiguousarray(np.array(table, dtype=np.int64).T),
            tuple(v),
            _integers([content["b"]], f"{where}, b")[0],
            denominator=_count(content["denominator"], 1, f"{where}, denominator"),
            alpha=alpha,
            layers=layers,
            A=_matrix(content["A"], len(v), where),
            length=_count(content["length"], 1, f"{where}, length"),
            pairs=content["pairs"] is True,
            about=_about(content["about"], where),
        )
    except InvalidInput as problem:
        raise Malformed(f"{where}: {problem}") from problem


def _integers(value: object, where: str) -> list[int]:
    if not isinstance(value, list) or not all(type(x) is int and -ENTRY < x < ENTRY for x in value):
        raise Malformed(f"{where}: expected integers below {ENTRY} in size")
    return value


def _count(value: object, least: int, where: str) -> int:
    if type(value) is not int or not least <= value < ENTRY:
        raise Malformed(f"{where}: expected an integer >= {least}, got {value!r:.40}")
    return value


def _layers(value: object, where: str) -> int:
    layers = _count(value, 0, f"{where}, layers")
    if layers > LAYERS:
        raise Declined(f"{where}, layers: expected at most {LAYERS}, the limit of model files, got {layers}")
    return layers


def _verify_lengths(alpha: Fraction, layers: int, where: str) -> None:
    """Declined where the places after all layers are longer than model files may ask for."""
    step = (alpha.numerator + alpha.denominator).bit_length()
    if layers * step > PLACES:
        raise Declined(
            f"{where}: {layers} layers with an alpha of {step} bits make exact places of {layers * step:,} bits, and "
            f"model files may ask for {PLACES:,}; take fewer layers or a shorter alpha"
        )


def _alpha(value: object, where: str) -> Fraction:
    alpha = exact(value, f"{where}, alpha")
    if not isinstance(alpha, Fraction) or alpha <= 0:
        raise Malformed(f"{where}, alpha: expected a rational number > 0, got {value!r:.40}")
    return alpha


def _matrix(value: object, dim: int, where: str) -> tuple[tuple[Exact, ...], ...] | None:
    if not isinstance(value, list) or len(value) != dim or any(not isinstance(r, list) or len(r) != dim for r in value):
        raise Malformed(f"{where}, A: expected {dim} rows of {dim} numbers")
    rows = tuple(tuple(exact(x, f"{where}, A") for x in row) for row in value)
    return None if rows == identity(dim) else rows


def _about(value: object, where: str) -> JsonObject:
    """The notes of a model: decimals, which strict reading leaves as text, become floats again."""
    if not isinstance(value, dict):
        raise Malformed(f"{where}, about: expected an object")
    return {key: _plain(entry) for key, entry in value.items()}


def _plain(value: object) -> object:
    if isinstance(value, dict):
        return {key: _plain(entry) for key, entry in value.items()}
    if isinstance(value, list):
        return [_plain(entry) for entry in value]
    if isinstance(value, str):
        try:
            return float(value)
        except ValueError:
            return value
    return value
