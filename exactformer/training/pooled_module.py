"""A pooled network of PyTorch, read as an exact transformer: mean of the tokens, then one hidden layer of ReLU."""

from __future__ import annotations

import numpy as np

from exactformer.arithmetic.integers import Array
from exactformer.errors import InvalidInput
from exactformer.io.untyped import Torch
from exactformer.model.attention import SelfAttention
from exactformer.model.dataset import Dataset
from exactformer.model.feed_forward import FeedForward
from exactformer.model.float_weights import network_of
from exactformer.model.matrix import Dense
from exactformer.model.transformer import Block, Transformer

#: how far, relative to the largest output, the module's own float outputs may lie from those of what was read
TOLERANCE = 1e-3
#: sequences on which the two are compared
COMPARED = 32
_SHAPE = "mean over the tokens, then Linear, or Linear - ReLU - Linear"


def is_module(thing: object) -> bool:
    """Whether a thing is a torch.nn.Module; torch is not imported for the question."""
    return any(base.__module__.startswith("torch.nn") for base in type(thing).__mro__)


def pooled_module(module: Torch, data: Dataset) -> Transformer:
    """The transformer of a module: weights under the names of `export`, or a pooled network of one hidden layer.

    What was read is compared with the module's own outputs on some of the data, in floats: that is not a proof, but
    another architecture does not pass. Raises InvalidInput where they differ.
    """
    arrays = {name: value.detach().cpu().double().numpy() for name, value in module.state_dict().items()}
    if any(name.startswith(("block", "layers.")) and name.rsplit(".", 1)[-1] in ("U", "V") for name in arrays):
        return network_of(arrays, "module")
    linear = [part for part in module.modules() if type(part).__name__ == "Linear"]
    read = 2 * len(linear) - sum(part.bias is None for part in linear)
    if len(linear) not in (1, 2) or read != len(arrays):
        raise InvalidInput(
            f"network: expected a pooled module ({_SHAPE}), got {type(module).__name__} with {sorted(arrays)[:6]}; "
            "exactformer import reads ordinary transformers"
        )
    found = _transformer([_weights(part) for part in linear], data.dim)
    _verify_same(module, found, data)
    return found


def _weights(part: Torch) -> tuple[Array, Array]:
    weight = part.weight.detach().cpu().double().numpy()
    return weight, np.zeros(len(weight)) if part.bias is None else part.bias.detach().cpu().double().numpy()


def _transformer(layers: list[tuple[Array, Array]], dim: int) -> Transformer:
    """Mean pooling, then W relu(U z + b) + c; fewer than d outputs are filled up with zeros."""
    width, outputs = layers[0][0].shape[1], len(layers[-1][0])
    if width != dim or outputs > dim:
        raise InvalidInput(
            f"network: expected a module from dimension {dim} to at most {dim}, as of the data, "
            f"got one from {width} to {outputs}"
        )
    W, c = (np.concatenate([part, np.zeros((dim - outputs, *part.shape[1:]))]) for part in layers[-1])
    if len(layers) == 1:  # relu(x) - relu(-x) = x
        layers = [(np.concatenate([np.eye(dim), -np.eye(dim)]), np.zeros(2 * dim)), (W, c)]
        W = np.concatenate([W, -W], axis=1)
    U, b = layers[0]
    U, b = np.concatenate([U, np.zeros((1, dim))]), np.append(b, 1.0)  # a constant unit carries the bias c
    mean = SelfAttention(0, {"scalar": 1}, {"zero": True}, {"zero": True})
    hidden = FeedForward(0, Dense(U.tolist()), b.tolist(), Dense(np.column_stack([W, c]).tolist()))
    return Transformer(dim, [Block(None, mean), Block(hidden)])


def _verify_same(module: Torch, found: Transformer, data: Dataset) -> None:
    import torch

    with torch.no_grad():
        for j in range(min(len(data), COMPARED)):
            rows = data[j].tokens.floats()
            kind = next(module.parameters()).dtype
            try:
                theirs = module(torch.tensor(rows, dtype=kind)[None]).double().numpy().reshape(-1)
            except (RuntimeError, TypeError, ValueError, IndexError) as problem:
                raise InvalidInput(
                    f"network: expected a module that takes a batch (1, tokens, {data.dim}), got {problem}"
                ) from problem
            ours = found(data[j].tokens).floats()[0]
            ours, rest = ours[: len(theirs)], ours[len(theirs) :]
            scale = max(1.0, float(np.abs(theirs).max()))
            if len(theirs) != len(ours) or rest.any() or np.abs(theirs - ours).max() > TOLERANCE * scale:
                raise InvalidInput(
                    f"network: expected a pooled module ({_SHAPE}); on sequence {j} this one computes something else"
                )
