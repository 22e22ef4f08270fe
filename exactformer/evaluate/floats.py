"""The same transformer in floating point, through the array API: NumPy, or PyTorch on CPU or GPU.

Nothing here is exact: every name says `approx`. Sequences are padded to one length and evaluated together.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from exactformer.arithmetic.floats import float_of
from exactformer.arithmetic.integers import Array
from exactformer.arithmetic.state import PointsLike, State
from exactformer.errors import InvalidInput, MissingExtra
from exactformer.io.untyped import ApiArray
from exactformer.model.attention import SelfAttention
from exactformer.model.feed_forward import FeedForward
from exactformer.model.matrix import Matrix
from exactformer.model.transformer import Transformer

#: hidden activations evaluated at once: bounds the memory of wide layers
CHUNK = 4_000_000


@dataclass(frozen=True)
class Backend:
    """Where floats are computed: the name of the dtype, an array namespace, its dtype and its device."""

    name: str
    xp: ApiArray
    dtype: ApiArray
    device: ApiArray

    @classmethod
    def of(cls, name: str = "numpy", dtype: str = "float64", device: str | None = None) -> Backend:
        """The backend "numpy" or "torch" with dtype "float32" or "float64"."""
        if dtype not in ("float32", "float64"):
            raise InvalidInput(f"expected dtype float32 or float64, got {dtype!r}")
        if name == "numpy":
            import array_api_compat.numpy as xp
        elif name == "torch":
            try:
                import array_api_compat.torch as xp
            except ImportError as problem:
                raise MissingExtra("PyTorch is not installed: pip install 'exactformer[gpu]'") from problem
        else:
            raise InvalidInput(f"expected backend numpy or torch, got {name!r}")
        try:
            xp.zeros(1, dtype=getattr(xp, dtype), device=device)
        except (RuntimeError, AssertionError, ValueError, TypeError, NotImplementedError) as problem:
            reason = str(problem).partition("\n")[0]
            raise InvalidInput(f"device: expected one that {name} can use here, got {device!r}: {reason}") from problem
        return cls(dtype, xp, getattr(xp, dtype), device)

    def array(self, values: Array) -> ApiArray:
        """The values as an array of this backend."""
        return self.xp.asarray(values.astype(np.float64), dtype=self.dtype, device=self.device)


def approx_matrix(m: Matrix, rows: int, columns: int) -> Array:
    """The float64 matrix nearest to m."""
    return np.array([[float_of(v) for v in row] for row in m.dense(rows, columns)], dtype=np.float64)


class ApproxFeedForward:
    """x -> eta*x + W relu(U x + b) on a padded batch, in floats."""

    def __init__(self, layer: FeedForward, dim: int, backend: Backend) -> None:
        self.xp, self.eta = backend.xp, float_of(layer.eta)
        self.U = backend.array(approx_matrix(layer.U, layer.width, dim).T)
        self.b = backend.array(np.array([float_of(v) for v in layer.b]))
        self.W = backend.array(approx_matrix(layer.W, dim, layer.width).T)

    def __call__(self, x: ApiArray) -> ApiArray:
        flat = self.xp.reshape(x, (-1, x.shape[-1]))
        step = max(1, CHUNK // self.b.shape[0])
        parts = [self._rows(flat[k : k + step]) for k in range(0, flat.shape[0], step)]
        return self.xp.reshape(self.xp.concat(parts, axis=0), x.shape)

    def _rows(self, x: ApiArray) -> ApiArray:
        hidden = self.xp.matmul(x, self.U) + self.b
        hidden = self.xp.where(hidden > 0, hidden, self.xp.zeros_like(hidden))
        return self.eta * x + self.xp.matmul(hidden, self.W)


class ApproxAttention:
    """Hardmax or softmax attention on a padded batch, in floats: a tie is a tie of rounded scores."""

    def __init__(self, layer: SelfAttention, dim: int, backend: Backend) -> None:
        self.backend, self.rho = backend, float_of(layer.rho)
        self.V = backend.array(approx_matrix(layer.V, dim, dim).T)
        self.beta = None if layer.beta is None else float_of(layer.beta)
        height = max(len(layer.Q.dense(1, dim)), len(layer.K.dense(1, dim)))
        self.Q, self.K = (backend.array(approx_matrix(m, height, dim).T) for m in (layer.Q, layer.K))

    def scores(self, x: object, mask: ApiArray) -> ApiArray:
        """<Q x_i, K x_j>, minus infinity where j is padding."""
        xp = self.backend.xp
        scores = xp.matmul(xp.matmul(x, self.Q), xp.matrix_transpose(xp.matmul(x, self.K)))
        return xp.where(mask[:, None, :], scores, xp.full_like(scores, -float("inf")))

    def weights(self, scores: object) -> ApiArray:
        """Row-stochastic attention weights."""
        xp = self.backend.xp
        best = xp.max(scores, axis=-1, keepdims=True)
        if self.beta is None:
            chosen = xp.astype(scores == best, self.backend.dtype)
        else:
            chosen = xp.exp(self.beta * (scores - best))
        return chosen / xp.sum(chosen, axis=-1, keepdims=True)

    def __call__(self, x: ApiArray, mask: object) -> ApiArray:
        xp = self.backend.xp
        return self.rho * x + xp.matmul(xp.matmul(self.weights(self.scores(x, mask)), x), self.V)


class ApproxTransformer:
    """A floating-point copy of a transformer."""

    def __init__(self, transformer: Transformer, backend: Backend) -> None:
        self.backend = backend
        d = transformer.dim
        self.blocks = [
            (
                None if block.feed_forward is None else ApproxFeedForward(block.feed_forward, d, backend),
                None if block.self_attention is None else ApproxAttention(block.self_attention, d, backend),
            )
            for block in transformer
        ]

    def __call__(self, x: object, mask: object) -> ApiArray:
        """The images of a padded batch (N, n, d) with mask (N, n)."""
        for feed_forward, attention in self.blocks:
            x = x if feed_forward is None else feed_forward(x)
            x = x if attention is None else attention(x, mask)
        return x


def pad(tokens: State, offsets: Array, backend: Backend) -> tuple[ApiArray, ApiArray]:
    """(x, mask): sequences padded with zeros to one length, and which entries are tokens."""
    lengths = np.diff(offsets)
    floats = tokens.floats()
    x = np.zeros((len(lengths), int(lengths.max()), tokens.dim))
    mask = np.arange(x.shape[1])[None, :] < lengths[:, None]
    x[mask] = floats
    return backend.array(x), backend.xp.asarray(mask, device=backend.device)


def padded_chunks(tokens: State, offsets: Array, size: int = 2_000_000) -> Iterator[tuple[int, State, Array]]:
    """Consecutive groups of sequences whose score matrices fit into `size` entries: (first, tokens, offsets)."""
    lengths = np.diff(offsets)
    start = 0
    while start < len(lengths):
        longest, stop = 0, start
        while stop < len(lengths):
            longest = max(longest, int(lengths[stop]))
            if stop > start and (stop + 1 - start) * longest * longest > size:
                break
            stop += 1
        part = tokens.take(slice(int(offsets[start]), int(offsets[stop])))
        yield start, part, offsets[start : stop + 1] - offsets[start]
        start = stop


def approx(transformer: Transformer, tokens: PointsLike, *, backend: Backend | None = None) -> Array:
    """The float image of one sequence, as a NumPy array (not exact)."""
    chosen = backend or Backend.of()
    state = State.of(tokens)
    x, mask = pad(state, np.array([0, len(state)]), chosen)
    return np.asarray(ApproxTransformer(transformer, chosen)(x, mask)[0])
