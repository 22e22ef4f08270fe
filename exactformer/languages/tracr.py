"""Compiled RASP models (exports of tracr) read exactly: weights as NPZ, what they mean as JSON, hardmax for softmax.

A layer is a block of heads, then a block of a feed-forward part. float32 numbers are dyadic rationals; the factor
1/sqrt(key size) of the scores drops out under hardmax. Where the largest output is attained twice, the value is None.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from exactformer.arithmetic.integers import Array
from exactformer.arithmetic.number import Num
from exactformer.errors import InvalidInput, Malformed
from exactformer.io.json_lines import JsonObject, PathLike, read_arrays, read_bytes, strict_json
from exactformer.io.untyped import JsonValue
from exactformer.model.feed_forward import FeedForward
from exactformer.model.heads import Head, Mask, MultiHeadAttention, MultiHeadBlock, run_blocks
from exactformer.model.matrix import Row, Sparse

#: numbers of one layer in the NPZ file
_PARTS = ("attn/query", "attn/key", "attn/value", "attn/linear", "mlp/linear_1", "mlp/linear_2")
#: biases that a model without them must have zero
_NO_BIAS = ("attn/query.b", "attn/key.b", "attn/value.b", "attn/linear.b", "mlp/linear_2.b")
_KEYS = {"heads", "layers", "key_size", "causal", "activation", "layer_norm", "vocabulary", "bos", "output"}

#: what stands at a position: a category, None for a tie, or a number
Decoded = str | Fraction | None


@dataclass(frozen=True)
class TracrModel:
    """A compiled model: `arrays` and `about` as they were read, and the same in exact arithmetic.

    `categories` are the outputs by index, None where the output is a number; `most` is the longest input.
    """

    arrays: dict[str, Array]
    about: JsonObject
    tokens: dict[str, Row]
    positions: tuple[Row, ...]
    blocks: tuple[MultiHeadBlock, ...]
    unembed: Sparse
    categories: tuple[str, ...] | None

    @property
    def most(self) -> int:
        """The longest input: one position is that of the mark at the beginning."""
        return len(self.positions) - 1

    @property
    def letters(self) -> tuple[str, ...]:
        """The tokens that inputs are made of."""
        return tuple(t for t in self.tokens if t != self.about["bos"] and "compiler_pad" not in t)

    def embed(self, word: Sequence[str]) -> list[Row]:
        """The tokens of an input behind its mark; InvalidInput where it is too long or has an unknown token."""
        if len(word) > self.most:
            raise InvalidInput(f"expected an input of at most {self.most} tokens, got {len(word)}")
        found = []
        for i, token in enumerate((self.about["bos"], *word)):
            if token not in self.tokens:
                raise InvalidInput(f"position {i}: expected a token of {list(self.tokens)!r:.80}, got {token!r:.60}")
            found.append(tuple(a + b for a, b in zip(self.tokens[token], self.positions[i], strict=True)))
        return found

    def outputs(self, word: Sequence[str]) -> list[list[Fraction]]:
        """The outputs at every position behind the mark."""
        rows: Sequence[Sequence[Num]] = self.embed(word)
        for step in run_blocks(self.blocks, rows):
            rows = step.outputs
        return [self.unembed.times(x, len(self.unembed.rows), _same) for x in rows[1:]]

    def decoded(self, word: Sequence[str]) -> list[Decoded]:
        """Per position the number, or the category with the largest output; None where several have it."""
        found: list[Decoded] = []
        for row in self.outputs(word):
            if self.categories is None:
                found.append(row[0])
                continue
            best = [k for k, x in enumerate(row) if x == max(row)]
            found.append(self.categories[best[0]] if len(best) == 1 else None)
        return found


def read_tracr(path: PathLike) -> TracrModel:
    """The model of `path` (NPZ) and the JSON file of the same name beside it; Malformed where they are none."""
    arrays = read_arrays(path, "an NPZ file of a compiled model")
    if not isinstance(arrays, dict):
        raise Malformed(f"{path}: expected an NPZ file with several arrays, got one array")
    beside = f"{str(path).removesuffix('.npz')}.json"
    about = strict_json(read_bytes(beside), beside)
    if not isinstance(about, dict) or about.get("format") != "tracr-export" or about.get("version") != 1:
        raise Malformed(f"{beside}: expected the description of a tracr-export, version 1, got {about!r:.80}")
    missing = sorted(_KEYS - about.keys())
    if missing:
        raise Malformed(f"{beside}: expected the keys {', '.join(sorted(_KEYS))}, missing {', '.join(missing)}")
    return model_of_arrays(arrays, about, str(path))


def model_of_arrays(arrays: Mapping[str, Array], about: JsonObject, where: str) -> TracrModel:
    """The model of arrays by their names; InvalidInput where it has parts that have no place here."""
    if about["activation"] != "relu" or about["layer_norm"]:
        got = f"{about['activation']!r:.20}{' with layer norm' if about['layer_norm'] else ''}"
        raise InvalidInput(f"{where}: expected relu without layer norm, got {got}")
    vocabulary, output = _pairs(about["vocabulary"], where), about["output"]
    categories = None if output is None else tuple(_pairs(output, where))
    blocks: list[MultiHeadBlock] = []
    dim = _array(arrays, "token_embed.embeddings", 2, where).shape[1]
    for layer in range(_count(about, "layers", where)):
        parts = {
            f"{part}.{kind}": _array(arrays, f"transformer/layer_{layer}/{part}.{kind}", 2 if kind == "w" else 1, where)
            for part in _PARTS
            for kind in "wb"
        }
        for name in _NO_BIAS:
            if np.any(parts[name]):
                raise InvalidInput(f"{where}, layer {layer}: expected no bias {name}, got one that is not zero")
        blocks += _layer(parts, about, dim, f"{where}, layer {layer}")
    token_rows, position_rows = (_array(arrays, f"{kind}_embed.embeddings", 2, where) for kind in ("token", "pos"))
    unembed = _array(arrays, "unembed", 2, where)
    if len(vocabulary) > len(token_rows) or {dim} != {position_rows.shape[1], unembed.shape[0]}:
        raise Malformed(f"{where}: expected embeddings of one dimension and a row per token of the vocabulary")
    if categories is not None and len(categories) != unembed.shape[1]:
        raise Malformed(f"{where}: expected {unembed.shape[1]} categories, one per output, got {len(categories)}")
    if about["bos"] not in vocabulary:
        raise Malformed(f"{where}: expected bos among the vocabulary, got {about['bos']!r:.60}")
    return TracrModel(
        dict(arrays),
        about,
        {token: _row(token_rows[k]) for k, token in enumerate(vocabulary)},
        tuple(map(_row, position_rows)),
        tuple(blocks),
        _sparse(unembed.T),
        categories,
    )


def _layer(parts: Mapping[str, Array], about: JsonObject, dim: int, where: str) -> list[MultiHeadBlock]:
    """A block of heads, and a block of a feed-forward part if it has units; heads that add nothing are left out."""
    size, heads = _count(about, "key_size", where), []
    mask: Mask = "upto" if about["causal"] else None
    for h in range(_count(about, "heads", where)):
        part = slice(h * size, (h + 1) * size)
        Q, K, V = (parts[f"attn/{name}.w"][:, part] for name in ("query", "key", "value"))
        O = parts["attn/linear.w"][part]
        if {Q.shape, K.shape, V.shape, O.T.shape} != {(dim, size)}:
            raise Malformed(
                f"{where}, head {h}: expected matrices {dim}-by-{size}, got {Q.shape}, {K.shape}, {V.shape}"
            )
        written = _product(V, O)
        if any(written):
            heads.append(Head(Sparse(written, dim), _sparse(Q.T), _sparse(K.T), mask, "all"))
    found = [MultiHeadBlock(None, MultiHeadAttention(1, heads))] if heads else []
    U, b, W = parts["mlp/linear_1.w"], parts["mlp/linear_1.b"], parts["mlp/linear_2.w"]
    if U.shape[0] != dim or W.shape != U.shape[::-1] or b.shape != U.shape[1:]:
        raise Malformed(
            f"{where}: expected a feed-forward part on {dim} coordinates, got {U.shape}, {b.shape}, {W.shape}"
        )
    used = [k for k in range(U.shape[1]) if (np.any(U[:, k]) or b[k]) and np.any(W[k])]
    if used:
        layer = FeedForward(1, _sparse(U[:, used].T), _row(b[used]), _sparse(W[used].T))
        found.append(MultiHeadBlock(layer, None))
    return found


def _product(V: Array, O: Array) -> list[dict[int, Fraction]]:
    """The rows of (V O)^T, exactly; V and O have few entries that are not zero."""
    rows: list[dict[int, Fraction]] = [{} for _ in range(O.shape[1])]
    for c, k in np.argwhere(V).tolist():
        for r in np.flatnonzero(O[k]).tolist():
            rows[r][c] = rows[r].get(c, Fraction(0)) + Fraction(float(V[c, k])) * Fraction(float(O[k, r]))
    return [{c: x for c, x in row.items() if x} for row in rows]


def _array(arrays: Mapping[str, Array], name: str, rank: int, where: str) -> Array:
    found = arrays.get(name)
    if found is None or found.ndim != rank or found.dtype.kind != "f" or not found.size or not np.isfinite(found).all():
        got = "none" if found is None else f"{found.dtype} of shape {found.shape}"
        raise Malformed(f"{where}: expected finite floats {name} of rank {rank}, got {got}")
    return found


def _count(about: JsonObject, key: str, where: str) -> int:
    value = about[key]
    if type(value) is not int or value < 1:
        raise Malformed(f"{where}: expected {key} of at least 1, got {value!r:.60}")
    return value


def _pairs(value: JsonValue, where: str) -> dict[str, int]:
    """Names by index, from [[name, index], ..]."""
    if not isinstance(value, list) or not all(
        isinstance(pair, list) and len(pair) == 2 and isinstance(pair[0], str) and type(pair[1]) is int
        for pair in value
    ):
        raise Malformed(f"{where}: expected pairs of a name and an index, got {value!r:.60}")
    found: dict[str, int] = dict(sorted(value, key=lambda pair: pair[1]))
    if list(found.values()) != list(range(len(value))):
        raise Malformed(
            f"{where}: expected the indices 0 to {len(value) - 1}, each once, got {list(found.values())!r:.60}"
        )
    return found


def _sparse(rows: Array) -> Sparse:
    return Sparse([{int(c): Fraction(float(row[c])) for c in np.flatnonzero(row)} for row in rows], rows.shape[1])


def _row(row: Array) -> Row:
    return tuple(Fraction(float(x)) for x in row)


def _same(x: Any) -> Any:
    return x
