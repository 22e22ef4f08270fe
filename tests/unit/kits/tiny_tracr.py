"""Tiny models in the format of compiled RASP models, made by hand: the length of an input, a None, a soft score.

`length` gives the number of tokens, by the mean of the mark (1 / (n + 1)) and ramps; `ties` gives x at a and None at b.
"""

from __future__ import annotations

import json
from itertools import product
from pathlib import Path

import numpy as np


def length_model(most: int, slope: float, key_size: int = 1) -> tuple[dict, dict, list]:
    """(arrays, description, runs): outputs "1" to "most", ramps of the slope between neighbouring means."""
    labels = ["one", "mark", "share", *(f"length:{k}" for k in range(1, most + 1))]
    one, mark, share, first = 0, 1, 2, 3
    d, units = len(labels), 2 * (most - 1) + 1
    tokens = np.zeros((3, d))
    tokens[:, one] = 1
    tokens[0, mark] = 1
    value, linear = np.zeros((d, key_size)), np.zeros((key_size, d))
    value[mark, 0] = linear[0, share] = 1
    U, W = np.zeros((d, units)), np.zeros((units, d))
    for k in range(1, most):  # a step between 1 / (k + 1), the mean at length k, and 1 / (k + 2)
        middle = (1 / (k + 1) + 1 / (k + 2)) / 2
        for unit, shift, sign in ((2 * k - 2, 1, 1), (2 * k - 1, 0, -1)):
            U[share, unit], U[one, unit] = slope, shift - slope * middle
            W[unit, first + k - 1], W[unit, first + k] = sign, -sign
    U[one, -1] = W[-1, first + most - 1] = 1
    unembed = np.zeros((d, most))
    unembed[first + np.arange(most), np.arange(most)] = 1
    arrays = {
        "token_embed.embeddings": tokens,
        "pos_embed.embeddings": np.zeros((most + 1, d)),
        "unembed": unembed,
        "transformer/layer_0/attn/value.w": value,
        "transformer/layer_0/attn/linear.w": linear,
        "transformer/layer_0/mlp/linear_1.w": U,
        "transformer/layer_0/mlp/linear_2.w": W,
    }
    about = described([["'BOS'", 0], ["'a'", 1], ["'compiler_pad'", 2]], [[str(k + 1), k] for k in range(most)], labels)
    runs = []
    for n in range(1, most + 1):  # the ramp below the middle of 1 / n and 1 / (n + 1) decides
        got = n - 1 if n > 1 and slope < n * (n + 1) else n
        runs.append([["'a'"] * n, [str(n)] * n, [str(got)] * n])
    return complete(arrays, about, key_size), about, runs


def soft_model(most: int) -> tuple[dict, dict, list]:
    """(arrays, description, runs): every position looks at the mark, with a score of 10 over sqrt(100) under softmax.

    The category x has the share of the mark, y has 1/2; the program says x, floats say y from three tokens on.
    """
    tokens = np.array([[1.0, 1, 0], [1, 0, 0]])
    query, key, value, linear = np.zeros((3, 100)), np.zeros((3, 100)), np.zeros((3, 100)), np.zeros((100, 3))
    query[0, 0], key[1, 0], value[1, 0], linear[0, 2] = 10, 1, 1, 1
    arrays = {
        "token_embed.embeddings": tokens,
        "pos_embed.embeddings": np.zeros((most + 1, 3)),
        "unembed": np.array([[0.0, 0.5], [0, 0], [1, 0]]),
        "transformer/layer_0/attn/query.w": query,
        "transformer/layer_0/attn/key.w": key,
        "transformer/layer_0/attn/value.w": value,
        "transformer/layer_0/attn/linear.w": linear,
    }
    about = described([["'BOS'", 0], ["'a'", 1]], [["'x'", 0], ["'y'", 1]], ["one", "mark", "share"])
    runs = [[["'a'"] * n, ["'x'"] * n, ["'x'" if n < 3 else "'y'"] * n] for n in range(1, most + 1)]
    return complete(arrays, about, 100), about, runs


def ties_model() -> tuple[dict, dict, list]:
    """(arrays, description, runs): the category x at every a, None at every b, where a float model says x."""
    tokens = np.array([[1.0, 0, 0], [0, 1, 0], [0, 0, 1], [0, 0, 0]])
    unembed = np.array([[0.0, 0], [1, 0], [0, 0]])
    arrays = {"token_embed.embeddings": tokens, "pos_embed.embeddings": np.zeros((3, 3)), "unembed": unembed}
    vocabulary = [["'BOS'", 0], ["'a'", 1], ["'b'", 2], ["'compiler_pad'", 3]]
    about = described(vocabulary, [["'x'", 0], ["'y'", 1]], ["tokens:BOS", "tokens:a", "tokens:b"])
    words = [list(w) for n in (1, 2) for w in product(("'a'", "'b'"), repeat=n)]
    program = [["'x'" if token == "'a'" else "None" for token in w] for w in words]
    floats = [["'x'"] * len(w) for w in words]
    return complete(arrays, about, 1), about, [list(row) for row in zip(words, program, floats, strict=True)]


def described(vocabulary: list, output: list, labels: list[str]) -> dict:
    about = {"format": "tracr-export", "version": 1, "heads": 1, "layers": 1, "key_size": 1, "causal": False}
    rest = {"residual_labels": labels, "vocabulary": vocabulary, "bos": "'BOS'", "output": output}
    return {**about, "activation": "relu", "layer_norm": False, **rest}


def complete(arrays: dict, about: dict, key_size: int) -> dict:
    """The arrays that are not there are zero; all are float32."""
    about["key_size"] = key_size
    d = arrays["token_embed.embeddings"].shape[1]
    units = arrays.get("transformer/layer_0/mlp/linear_1.w", np.zeros((d, 1))).shape[1]
    shapes = {f"attn/{name}": (d, key_size) for name in ("query", "key", "value")}
    shapes |= {"attn/linear": (key_size, d), "mlp/linear_1": (d, units), "mlp/linear_2": (units, d)}
    for name, shape in shapes.items():
        arrays.setdefault(f"transformer/layer_0/{name}.w", np.zeros(shape))
        arrays.setdefault(f"transformer/layer_0/{name}.b", np.zeros(shape[1]))
    return {name: np.asarray(array, dtype=np.float32) for name, array in sorted(arrays.items())}


def write_export(path: Path, arrays: dict, about: dict, runs: list) -> Path:
    """Writes path.npz, path.json and path.runs.json."""
    np.savez_compressed(path.with_suffix(".npz"), **arrays)
    path.with_suffix(".json").write_text(json.dumps(about) + "\n")
    path.with_suffix(".runs.json").write_text(json.dumps(runs) + "\n")
    return path.with_suffix(".npz")
