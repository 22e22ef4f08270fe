"""The norms of a network's matrices that the radii need, each certified, each with the gain of the state it reads.

After a LayerNorm the error of a token is diag(g) e + r with a bound of e that does not know the gain g, so that a
matrix W that reads the token is bounded as diag(g) W. The gain travels with the token: the same matrix after another
LayerNorm, or after none, has other norms.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from exactformer.evaluate.certified_norms import spectral_norm, spectral_norm_of_product
from exactformer.evaluate.outward import Floats, gamma, length, size, up
from exactformer.model.network import Network

#: widths up to which the Frobenius form of the feed-forward layer is kept
_WIDEST = 4096
#: classes up to which the distances of rows of the head are kept, and rows that are looked at together
_MOST_PAIRS, _CHUNK = 1024, 4096


@dataclass(frozen=True)
class HeadNorms:
    """Of the queries or keys of one block, per head; W stands for diag(gain) W.

    `gram` is W^T W as computed, `size` and `norm` are bounds of the Frobenius and of the spectral norm of W.
    """

    gram: Floats
    size: Floats
    norm: Floats
    slack: float

    def image(self, c: Floats, error: Floats | float = 0.0) -> Floats:
        """A bound of |W c'| for vectors c' that differ from c by 2^-50 of their entries and `error` in norm.

        |W c|^2 = c^T (W^T W) c; the computed form errs by at most gamma |W|_F^2 |c|^2, with one gamma for all of it,
        and entries whose squares underflow are below 2^-511.
        """
        form = ((c @ self.gram) * c).sum(-1)
        size, norm = self.size[:, None], length(c)
        return up(
            np.sqrt(np.maximum(form, 0.0) + self.slack * (size * norm) ** 2)
            + size * (2.0**-50 * norm + error + 2.0**-500)
        )


@dataclass(frozen=True)
class AttentionNorms:
    """Of the attention of one block: W_v stands for diag(gain) W_v.

    `through` bounds |W_v^h W_o^h| per head, `form` is the computed matrix of <W_v^h W_o^h, W_v^l W_o^l>, off by at most
    `slack` times the product of `sizes`, |W_v^h|_F |W_o^h|_F.
    """

    queries: HeadNorms
    keys: HeadNorms
    value_norm: float
    out_norm: float
    through: Floats
    form: Floats
    sizes: Floats
    slack: float


@dataclass(frozen=True)
class FeedForwardNorms:
    """Of the feed-forward layer of one block: bounds of the spectral norms of diag(gain) W_1 and of W_2.

    `units` has the products of the norms of the weights into and out of every unit; `form` is the computed matrix M
    with |diag(gain) W_1 D W_2|_F^2 = D^T M D where it is kept, off by at most `slack` times the product of `units`.
    """

    up_norm: float
    down_norm: float
    units: Floats
    form: Floats | None
    slack: float


class NetworkNorms:
    """The norms of one network, computed when they are asked for and kept."""

    def __init__(self, network: Network) -> None:
        self.network = network
        self._attention: dict[tuple[int, str | None], AttentionNorms] = {}
        self._feed_forward: dict[tuple[int, str | None], FeedForwardNorms] = {}
        self._spectral: dict[str, float] = {}
        self._sizes: dict[str, float] = {}
        self._head: dict[str | None, Floats] = {}
        self._apart: dict[tuple[int, str | None], Floats] = {}

    def matrix(self, name: str) -> Floats:
        """The tensor of that name in float64, transposed: x @ matrix."""
        return np.ascontiguousarray(self.network.tensors[name].T, np.float64)

    def spectral(self, name: str) -> float:
        """A bound of the spectral norm of a matrix."""
        if name not in self._spectral:
            self._spectral[name] = spectral_norm(self.matrix(name))
        return self._spectral[name]

    def size(self, name: str) -> float:
        """A bound of the Frobenius norm of a tensor."""
        if name not in self._sizes:
            self._sizes[name] = size(self.network.tensors[name].astype(np.float64))
        return self._sizes[name]

    @property
    def head(self) -> tuple[str, str]:
        """The names of the matrix and of the bias of the head."""
        return "token" if self.network.architecture.head == "tied" else "head", "head_bias"

    def head_lengths(self, gain: str | None) -> Floats:
        """Bounds of the norms of the rows of the head, times the gain."""
        if gain not in self._head:
            self._head[gain] = self._lengths(None, gain)
        return self._head[gain]

    def apart(self, winner: int, gain: str | None) -> Floats:
        """Bounds of the norms of the differences of the winner's row of the head and every row, times the gain."""
        key = winner, gain
        if key not in self._apart:
            found = self._lengths(winner, gain)
            if len(found) > _MOST_PAIRS:
                return found
            self._apart[key] = found
        return self._apart[key]

    def _lengths(self, winner: int | None, gain: str | None) -> Floats:
        H = self.network.tensors[self.head[0]]
        less = np.zeros(H.shape[1]) if winner is None else H[winner].astype(np.float64)
        g = self.gain(gain, H.shape[1])
        return np.concatenate([length((H[i : i + _CHUNK] - less) * g) for i in range(0, len(H), _CHUNK)])

    def gain(self, name: str | None, dim: int) -> Floats:
        """The gain of that name, ones for None."""
        return np.ones(dim) if name is None else self.network.tensors[name].astype(np.float64)

    def attention(self, k: int, gain: str | None) -> AttentionNorms:
        """The norms of the attention of block k reading tokens with this gain."""
        key = (0 if self.network.architecture.shared else k, gain)
        if key not in self._attention:
            self._attention[key] = self._of_attention(*key)
        return self._attention[key]

    def feed_forward(self, k: int, gain: str | None) -> FeedForwardNorms:
        """The norms of the feed-forward layer of block k reading tokens with this gain."""
        key = (0 if self.network.architecture.shared else k, gain)
        if key not in self._feed_forward:
            self._feed_forward[key] = self._of_feed_forward(*key)
        return self._feed_forward[key]

    def _of_attention(self, k: int, gain: str | None) -> AttentionNorms:
        shape = self.network.architecture
        d, h, width = shape.dim, shape.heads, shape.head_dim
        W = self.gain(gain, d)[:, None] * self.matrix(f"{k}.qkv")  # exact: products of 24-bit numbers
        query, key, value = (W[:, o : o + d].reshape(d, h, width).transpose(1, 0, 2) for o in (0, d, 2 * d))
        out = self.matrix(f"{k}.out").reshape(h, width, d)
        values, outs = W[:, 2 * d :], self.matrix(f"{k}.out")
        form = (values.T @ values) * (outs @ outs.T)
        return AttentionNorms(
            queries=_head_norms(query),
            keys=_head_norms(key),
            value_norm=spectral_norm(values),
            out_norm=self.spectral(f"{k}.out"),
            through=np.array([spectral_norm_of_product(v, o) for v, o in zip(value, out, strict=True)]),
            form=form.reshape(h, width, h, width).sum(axis=(1, 3)),
            sizes=np.array([up(size(v) * size(o)) for v, o in zip(value, out, strict=True)]),
            slack=gamma(2 * d + width * width + 3 * h + 16),
        )

    def _of_feed_forward(self, k: int, gain: str | None) -> FeedForwardNorms:
        shape = self.network.architecture
        W1 = self.gain(gain, shape.dim)[:, None] * self.matrix(f"{k}.up")
        W2 = self.matrix(f"{k}.down")
        return FeedForwardNorms(
            up_norm=spectral_norm(W1),
            down_norm=self.spectral(f"{k}.down"),
            units=up(length(W1.T) * length(W2)),
            form=(W1.T @ W1) * (W2 @ W2.T) if shape.hidden <= _WIDEST else None,
            slack=gamma(2 * shape.dim + 2 * shape.hidden + 16),
        )


def _head_norms(heads: Floats) -> HeadNorms:
    _, rows, width = heads.shape
    return HeadNorms(
        gram=heads.transpose(0, 2, 1) @ heads,
        size=np.array([size(m) for m in heads]),
        norm=np.array([spectral_norm(m) for m in heads]),
        slack=gamma(rows + 2 * width + 8),
    )
