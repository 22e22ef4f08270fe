"""Networks from float weights, each read as the exact dyadic number it is: NPZ, exported programs, state dicts."""

from __future__ import annotations

import pickle
import re
from collections.abc import Mapping
from typing import Any

import numpy as np

from exactformer.arithmetic.integers import Array
from exactformer.errors import InvalidInput, Malformed, MissingExtra
from exactformer.model.attention import SelfAttention
from exactformer.model.feed_forward import FeedForward
from exactformer.model.json_lines import PathLike, read_arrays
from exactformer.model.matrix import Dense
from exactformer.model.transformer import Block, Transformer

_NPZ = re.compile(r"block(\d+)\.(eta|U|b|W|rho|V|Q|K)", re.ASCII)
_TORCH = re.compile(r"layers\.(\d+)\.(eta|U|b|W|rho|V|Q|K)", re.ASCII)
_FEED_FORWARD, _ATTENTION = ("eta", "U", "b", "W"), ("rho", "V", "Q", "K")
#: how a file of weights that torch wrote ends
TORCH_SUFFIXES = (".pt", ".pth", ".ts")

Layers = dict[int, dict[str, Array]]


def read_float_weights(path: PathLike) -> Transformer:
    """The transformer of an NPZ or torch file as `export` writes them."""
    where = str(path)
    if where.lower().endswith(TORCH_SUFFIXES):
        return _of_torch(_torch_arrays(path), where)
    loaded = read_arrays(path, "weights as export writes them")
    if isinstance(loaded, np.ndarray):
        raise Malformed(f"{where}: expected named weights (NPZ), got one array")
    return _of_npz(loaded, where)


def _of_npz(arrays: Mapping[str, Array], where: str) -> Transformer:
    """Weights named block0.eta, block0.U, .., block0.rho, block0.V, .."""
    named = {name: value for name, value in arrays.items() if name != "dim"}
    layers = _grouped(named, _NPZ, "block0.U", where)
    count = max(layers, default=-1) + 1
    return _transformer([layers.get(k, {}) for k in range(count)], where)


def _of_torch(arrays: Mapping[str, Array], where: str) -> Transformer:
    """Weights named layers.0.U, ..: a feed-forward layer and the attention after it are one block."""
    layers = _grouped(arrays, _TORCH, "layers.0.U", where)
    blocks: list[dict[str, Array]] = []
    for k in sorted(layers):
        if "rho" in layers[k] and blocks and "rho" not in blocks[-1]:
            blocks[-1] = {**blocks[-1], **layers[k]}
        else:
            blocks.append(layers[k])
    return _transformer(blocks, where)


def _grouped(arrays: Mapping[str, Array], pattern: re.Pattern[str], example: str, where: str) -> Layers:
    layers: Layers = {}
    for name, value in arrays.items():
        match = pattern.fullmatch(name)
        if match is None:
            raise Malformed(f"{where}: expected weights named like {example}, got {name!r:.60}")
        layers.setdefault(int(match[1]), {})[match[2]] = np.asarray(value)
    return layers


def _transformer(blocks: list[dict[str, Array]], where: str) -> Transformer:
    if not blocks:
        raise Malformed(f"{where}: expected the weights of at least one layer, got none")
    try:
        listed = [_block(arrays, f"{where}, block {k}") for k, arrays in enumerate(blocks)]
        dims = {_dim(arrays) for arrays in blocks if arrays}
        if len(dims) != 1:
            raise Malformed(f"{where}: expected blocks of one dimension, got {sorted(dims)}")
        return Transformer(dims.pop(), listed)
    except (InvalidInput, ValueError) as problem:
        raise Malformed(f"{where}: {problem}") from problem


def _dim(arrays: dict[str, Array]) -> int:
    return int((arrays["U"] if "U" in arrays else arrays["V"]).shape[-1])


def _block(arrays: dict[str, Array], where: str) -> Block:
    present = set(arrays)
    for keys in (_FEED_FORWARD, _ATTENTION):
        if present & set(keys) and not set(keys) <= present:
            raise Malformed(f"{where}: expected {', '.join(keys)} together, got {', '.join(sorted(present))}")
    ff, sa = ([arrays[key] for key in keys] if keys[0] in arrays else None for keys in (_FEED_FORWARD, _ATTENTION))
    return Block(
        None if ff is None else FeedForward(_number(ff[0]), Dense(ff[1]), list(ff[2]), Dense(ff[3])),
        None if sa is None else SelfAttention(_number(sa[0]), Dense(sa[1]), Dense(sa[2]), Dense(sa[3])),
    )


def _number(value: Array) -> Any:
    return value.reshape(-1)[0]


def _torch_arrays(path: PathLike) -> dict[str, Array]:
    """The weights of a state dict (only tensors are loaded), or of a program that `export --to torch` wrote."""
    try:
        import torch
    except ImportError as problem:
        raise MissingExtra("PyTorch is not installed: pip install 'exactformer[gpu]'") from problem
    try:
        try:
            state = torch.load(str(path), map_location="cpu", weights_only=True)
        except (RuntimeError, pickle.UnpicklingError):
            with open(path, "rb") as file:  # a path of another ending than .pt2 would be frowned at
                state = torch.export.load(file).state_dict
        return {str(name): tensor.detach().to(torch.float64).numpy() for name, tensor in state.items()}
    except Exception as problem:
        raise Malformed(f"{path}: expected a torch.export program or a state dict, got {problem!r:.120}") from problem
