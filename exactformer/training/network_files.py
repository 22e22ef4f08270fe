"""Networks trained elsewhere: transformer files, NPZ arrays, torch states. Every float is read as the dyadic it is."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from exactformer.errors import InvalidInput, Malformed, MissingExtra
from exactformer.model.attention import SelfAttention
from exactformer.model.feed_forward import FeedForward
from exactformer.model.json_lines import PathLike
from exactformer.model.transformer import Block, Transformer

_NAME = re.compile(r"block(\d+)\.(eta|U|b|W|rho|V|Q|K)")
_SHAPES = "block0.V (d, d), block0.rho, .Q, .K, block1.eta, block1.U (p, d), block1.b (p), block1.W (d, p), .."


def read_network(path: PathLike) -> Transformer:
    """The network of a transformer file or certificate, of an NPZ file, or of a torch state (.pt, .pth), by its ending.

    Arrays are named block<k>.eta, .U, .b, .W (feed-forward, first) and block<k>.rho, .V, .Q, .K (attention); eta and
    rho are 0, Q and K zero where they are left out.
    """
    ending = Path(path).suffix.lower()
    if ending == ".npz":
        return network_of(_npz(path), str(path))
    if ending in (".pt", ".pth"):
        return network_of(_torch_state(path), str(path))
    return Transformer.read(path)


def network_of(arrays: Mapping[str, Any], where: str = "network") -> Transformer:
    """The network of named arrays; raises InvalidInput for unknown names, wrong shapes and NaN."""
    blocks: dict[int, dict[str, Any]] = {}
    for name, value in arrays.items():
        if name == "dim":
            continue
        match = _NAME.fullmatch(name)
        if match is None:
            raise InvalidInput(f"{where}: expected arrays named {_SHAPES}, got {name!r:.60}")
        array = np.asarray(value)
        if array.dtype.kind not in "fiu" or not np.isfinite(array).all():
            raise InvalidInput(f"{where}: {name}: expected finite numbers, got NaN, an infinity or no numbers")
        blocks.setdefault(int(match[1]), {})[match[2]] = array
    if not blocks:
        raise InvalidInput(f"{where}: expected arrays named {_SHAPES}, got none")
    dim = _dimension(blocks, where)
    return Transformer(dim, [_block(blocks.get(k, {}), f"{where}: block {k}") for k in range(max(blocks) + 1)])


def _dimension(blocks: Mapping[int, Mapping[str, Any]], where: str) -> int:
    for block in blocks.values():
        for name, axis in (("V", 0), ("U", 1), ("W", 0)):
            if name in block and block[name].ndim == 2:
                return int(block[name].shape[axis])
    raise InvalidInput(f"{where}: expected a matrix V, U or W in some block, got none")


def _block(parts: Mapping[str, Any], where: str) -> Block:
    ff = sa = None
    if parts.keys() & {"U", "b", "W", "eta"}:
        if not {"U", "b", "W"} <= parts.keys():
            raise InvalidInput(f"{where}: expected U, b and W together, got {', '.join(sorted(parts))}")
        ff = FeedForward(_number(parts, "eta"), parts["U"].tolist(), parts["b"].tolist(), parts["W"].tolist())
    if parts.keys() & {"V", "rho", "Q", "K"}:
        if "V" not in parts:
            raise InvalidInput(f"{where}: expected V with the attention, got {', '.join(sorted(parts))}")
        zero = {"zero": True}
        Q, K = (parts[name].tolist() if name in parts else zero for name in ("Q", "K"))
        sa = SelfAttention(_number(parts, "rho"), parts["V"].tolist(), Q, K)
    return Block(ff, sa)


def _number(parts: Mapping[str, Any], name: str) -> Any:
    return np.asarray(parts.get(name, 0)).reshape(-1)[0].item()


def _npz(path: PathLike) -> dict[str, Any]:
    try:
        with np.load(path, allow_pickle=False) as file:
            return {name: file[name] for name in file.files}
    except FileNotFoundError as problem:
        raise Malformed(f"{path}: no such file; check the path") from problem
    except (OSError, ValueError) as problem:
        raise Malformed(f"{path}: expected an NPZ file of plain arrays, got something else ({problem})") from problem


def _torch_state(path: PathLike) -> dict[str, Any]:
    try:
        import torch
    except ImportError as problem:
        raise MissingExtra("PyTorch is not installed: pip install 'exactformer[train]'") from problem
    try:
        state = torch.load(path, map_location="cpu", weights_only=True)
    except FileNotFoundError as problem:
        raise Malformed(f"{path}: no such file; check the path") from problem
    except Exception as problem:  # torch raises whatever its unpickler meets
        raise Malformed(f"{path}: expected a state dictionary of tensors saved by torch.save") from problem
    if not isinstance(state, dict):
        raise Malformed(f"{path}: expected a state dictionary of tensors, got {type(state).__name__}")
    return {name: tensor.detach().double().numpy() for name, tensor in state.items()}
