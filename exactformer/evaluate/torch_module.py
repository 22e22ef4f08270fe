"""The transformer as a torch nn.Module: blocks of plain tensors, hardmax with ties of rounded scores."""

from __future__ import annotations

import numpy as np
import torch
from torch import Tensor, nn

from exactformer.io.untyped import Torch


class FeedForwardModule(nn.Module):
    """x -> eta*x + W relu(U x + b)."""

    def __init__(self, eta: Tensor, U: Tensor, b: Tensor, W: Tensor) -> None:
        super().__init__()
        self.eta, self.U, self.b, self.W = (nn.Parameter(t, requires_grad=True) for t in (eta, U, b, W))

    def forward(self, x: Tensor) -> Tensor:
        """The layer on tokens in the last two dimensions."""
        return self.eta * x + torch.relu(x @ self.U.transpose(0, 1) + self.b) @ self.W.transpose(0, 1)


class AttentionModule(nn.Module):
    """x_i -> rho*x_i + V mean_{j in C_i} x_j, C_i every maximiser of the rounded scores."""

    def __init__(self, rho: Tensor, V: Tensor, Q: Tensor, K: Tensor) -> None:
        super().__init__()
        self.rho, self.V, self.Q, self.K = (nn.Parameter(t, requires_grad=True) for t in (rho, V, Q, K))

    def forward(self, x: Tensor) -> Tensor:
        """The layer on tokens in the last two dimensions."""
        queries, keys = x @ self.Q.transpose(0, 1), x @ self.K.transpose(0, 1)
        scores = queries @ keys.transpose(-2, -1)
        chosen = (scores == scores.amax(dim=-1, keepdim=True)).to(x.dtype)
        means = (chosen @ x) / chosen.sum(dim=-1, keepdim=True)
        return self.rho * x + means @ self.V.transpose(0, 1)


class HardmaxTransformer(nn.Module):
    """A float64 copy of a transformer, built from the named arrays of `exactformer.float_comparison.exports.arrays`."""

    def __init__(self, weights: dict[str, Torch], blocks: int, dim: int) -> None:
        super().__init__()
        self.dim = dim
        tensors = {name: torch.from_numpy(np.array(value)) for name, value in weights.items()}
        layers: list[nn.Module] = []
        for k in range(blocks):
            if f"block{k}.eta" in tensors:
                layers.append(FeedForwardModule(*(tensors[f"block{k}.{name}"] for name in ("eta", "U", "b", "W"))))
            if f"block{k}.rho" in tensors:
                layers.append(AttentionModule(*(tensors[f"block{k}.{name}"] for name in ("rho", "V", "Q", "K"))))
        self.layers = nn.ModuleList(layers)

    def forward(self, x: Tensor) -> Tensor:
        """The image of one sequence (n, d), or of sequences of equal length (N, n, d)."""
        for layer in self.layers:
            x = layer(x)
        return x
