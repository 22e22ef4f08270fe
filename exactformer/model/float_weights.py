"""Networks from float weights, each read as the exact dyadic number it is: arrays, NPZ, programs, state dicts."""

from __future__ import annotations

import io
import math
import re
import zipfile
from collections.abc import Mapping

import numpy as np

from exactformer.arithmetic.integers import Array
from exactformer.errors import Declined, InvalidInput, Malformed, MissingExtra
from exactformer.io.file_kind import TORCH_SUFFIXES, holds_float_weights
from exactformer.io.json_lines import (
    WORK,
    PathLike,
    read_arrays,
    read_bytes,
    reading_file,
    strict_json,
    unpacked_size,
)
from exactformer.io.read_limits import verify_memory
from exactformer.io.untyped import Torch
from exactformer.model.attention import SelfAttention
from exactformer.model.feed_forward import FeedForward
from exactformer.model.matrix import Dense, Zero
from exactformer.model.transformer import Block, Transformer

_BLOCK = re.compile(r"block(\d{1,5})\.(eta|U|b|W|rho|V|Q|K)", re.ASCII)
_LAYER = re.compile(r"layers\.(\d{1,5})\.(eta|U|b|W|rho|V|Q|K)", re.ASCII)
_FEED_FORWARD, _ATTENTION = frozenset(("eta", "U", "b", "W")), frozenset(("rho", "V", "Q", "K"))
_NAMES = "block0.V (d by d), block1.eta, block1.U (p by d), block1.b, block1.W (d by p), .. or layers.0.V, .."
#: where a program of torch.export lists its weights, and how it numbers their types
_CONFIG = "data/weights/model_weights_config.json"
_TYPES = {7: "<f4", 8: "<f8"}

LayerArrays = dict[str, Array]


def read_exact_or_floats(path: PathLike) -> Transformer:
    """The transformer of a file of ours, or of float weights (NPZ, torch), by the ending of the path."""
    return read_float_weights(path) if holds_float_weights(path) else Transformer.read(path)


def read_float_weights(path: PathLike) -> Transformer:
    """The transformer of an NPZ or torch file of arrays named as `export` names them."""
    where = str(path)
    with reading_file(path):
        if where.lower().endswith(TORCH_SUFFIXES):
            arrays: Torch = _torch_arrays(path)
        else:
            arrays = read_arrays(path, "weights as export writes them")
    if isinstance(arrays, np.ndarray):
        raise Malformed(f"{where}: expected named weights (NPZ), got one array")
    try:
        return network_of(arrays, where)
    except InvalidInput as problem:
        raise Malformed(str(problem)) from problem


def network_of(arrays: Mapping[str, object], where: str = "network") -> Transformer:
    """The transformer of arrays named block<k>.eta, .U, .b, .W, .rho, .V, .Q, .K, every float as the dyadic it is.

    A block is the feed-forward layer, then the attention; eta, rho, Q and K are 0 where they are left out. With names
    layers.<k>.* (as in the torch programs of `export`) a feed-forward layer and the attention after it are one block.
    Raises InvalidInput for other names, shapes that do not fit, NaN and infinities.

    >>> network_of({"block0.V": [[2.0]], "block1.U": [[1.0]], "block1.b": [0.5], "block1.W": [[4.0]]})([[1]]).rows()
    [(Fraction(10, 1),)]
    """
    named = {name: np.asarray(value) for name, value in arrays.items() if name != "dim"}
    numbered: dict[int, LayerArrays] = {}
    pattern = _LAYER if any(name.startswith("layers.") for name in named) else _BLOCK
    for name, value in named.items():
        match = pattern.fullmatch(name)
        if match is None:
            raise InvalidInput(f"{where}: expected weights named {_NAMES}, got {name!r:.60}")
        numbered.setdefault(int(match[1]), {})[match[2]] = _finite(value, f"{where}: {name}")
    if not numbered:
        raise InvalidInput(f"{where}: expected weights named {_NAMES}, got none")
    if pattern is _BLOCK:
        blocks = [numbered.get(k, {}) for k in range(max(numbered) + 1)]
    else:
        blocks = _paired([numbered[k] for k in sorted(numbered)])
    listed = [_block(parts, f"{where}, block {k}") for k, parts in enumerate(blocks)]
    dim = _dimension(blocks, where)
    try:
        return Transformer(dim, listed)
    except ValueError as problem:
        raise InvalidInput(f"{where}: {problem}") from problem


def _paired(layers: list[LayerArrays]) -> list[LayerArrays]:
    """Blocks of the layers of a torch program."""
    blocks: list[LayerArrays] = []
    for layer in layers:
        if "V" in layer and blocks and "V" not in blocks[-1]:
            blocks[-1] = {**blocks[-1], **layer}
        else:
            blocks.append(layer)
    return blocks


def _finite(array: Array, where: str) -> Array:
    if array.dtype.kind not in "fiu" or not np.isfinite(array).all():
        raise InvalidInput(f"{where}: expected finite numbers, got NaN, an infinity or no numbers")
    return array


def _dimension(blocks: list[LayerArrays], where: str) -> int:
    found = {int(parts[name].shape[-1]) for parts in blocks for name in ("V", "U") if name in parts}
    if len(found) != 1:
        raise InvalidInput(f"{where}: expected blocks of one dimension, got {sorted(found)}")
    return found.pop()


def _block(parts: LayerArrays, where: str) -> Block:
    present = parts.keys()
    for some, needed in ((_FEED_FORWARD, {"U", "b", "W"}), (_ATTENTION, {"V"})):
        if present & some and not needed <= present:
            raise InvalidInput(
                f"{where}: expected {', '.join(sorted(needed))} together, got {', '.join(sorted(present))}"
            )
    try:
        ff = sa = None
        if "U" in parts:
            ff = FeedForward(_number(parts, "eta"), Dense(parts["U"]), list(parts["b"]), Dense(parts["W"]))
        if "V" in parts:
            Q, K = (Dense(parts[name]) if name in parts else Zero() for name in ("Q", "K"))
            sa = SelfAttention(_number(parts, "rho"), Dense(parts["V"]), Q, K)
        return Block(ff, sa)
    except (TypeError, ValueError) as problem:
        raise InvalidInput(f"{where}: {problem}") from problem


def _number(parts: LayerArrays, name: str) -> float:
    value = parts.get(name, np.zeros(1)).reshape(-1)
    if len(value) != 1:
        raise InvalidInput(f"{name}: expected one number, got {len(value)}")
    number: float = value[0]
    return number


def _torch_arrays(path: PathLike) -> dict[str, Array]:
    """The weights of a program that `export --to torch` wrote, or of a state dict; no code of the file is run."""
    content = io.BytesIO(read_bytes(path))
    try:
        if zipfile.is_zipfile(content):
            verify_memory(WORK * unpacked_size(content), f"{path}: the tensors, and reading them,")
            archive = zipfile.ZipFile(content)
            config = [name for name in archive.namelist() if name.endswith(_CONFIG)]
            if config:
                return _program_arrays(archive, config[0])
        return _state_arrays(content, str(path))
    except (Declined, MissingExtra):
        raise
    except Exception as problem:  # torch raises whatever its unpickler meets
        raise Malformed(f"{path}: expected a torch.export program or a state dict, got {problem!r:.120}") from problem


def _program_arrays(archive: zipfile.ZipFile, config: str) -> dict[str, Array]:
    """The weights of a torch.export program, from its raw bytes: torch.export.load would run a stranger's pickle."""
    folder, arrays = config.removesuffix(_CONFIG), {}
    for name, entry in strict_json(archive.read(config), config)["config"].items():
        about = entry["tensor_meta"]
        sizes = tuple(size["as_int"] for size in about["sizes"])
        numbers = np.frombuffer(archive.read(f"{folder}data/weights/{entry['path_name']}"), _TYPES[about["dtype"]])
        strides = [stride["as_int"] for stride in about["strides"]]
        in_order = [stride == math.prod(sizes[k + 1 :]) or sizes[k] == 1 for k, stride in enumerate(strides)]
        if not all(in_order) or entry["use_pickle"] is not False:
            raise ValueError(f"{name}: not a plain tensor")
        arrays[name] = numbers.reshape(sizes).astype(np.float64)
    return arrays


def _state_arrays(content: io.BytesIO, where: str) -> dict[str, Array]:
    """The tensors of a state dict; nothing but tensors is loaded."""
    try:
        import torch
    except ImportError as problem:
        raise MissingExtra("PyTorch is not installed: pip install 'exactformer[train]'") from problem
    content.seek(0)
    state = torch.load(content, map_location="cpu", weights_only=True)
    arrays = {}
    for name, tensor in state.items():
        verify_memory(8 * WORK * tensor.numel(), f"{where}: {name}, and reading it,")  # it may repeat its storage
        if tensor.is_complex():
            raise ValueError(f"{name}: complex numbers")
        arrays[str(name)] = tensor.detach().to(torch.float64).numpy()
    return arrays
