"""A network as float programs run it: every operation in one format of floats, nothing proved.

float64 and float32 are NumPy's. float16 and bfloat16 do what libraries do on processors without such arithmetic: every
operation is carried out in float32 and its result rounded to the format, products of matrices are summed in float32.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np

from exactformer.io.untyped import AnyArray
from exactformer.model.head_rules import HeadRule, seen_by
from exactformer.model.heads import choose
from exactformer.model.network import Network

FORMATS = ("float64", "float32", "float16", "bfloat16")
AnyFloats = AnyArray


def _bfloat16(x: AnyFloats) -> AnyFloats:
    """Float32 numbers rounded to the nearest with 8 bits of precision, ties to even; NaN and infinity stay."""
    bits = np.ascontiguousarray(x, np.float32).view(np.uint32)
    rounded = (bits + (np.uint32(0x7FFF) + ((bits >> np.uint32(16)) & np.uint32(1)))) & np.uint32(0xFFFF0000)
    return np.where(np.isfinite(x), rounded.view(np.float32), x)


_ROUND: dict[str, Callable[[AnyFloats], AnyFloats]] = {
    "float64": lambda x: x,
    "float32": lambda x: x,
    "float16": lambda x: x.astype(np.float16).astype(np.float32),
    "bfloat16": _bfloat16,
}


class ApproxNetwork:
    """A network in one format of floats, prepared once."""

    def __init__(self, network: Network, kind: str) -> None:
        self.network, self.shape = network, network.architecture
        self.dtype = np.float64 if kind == "float64" else np.float32
        self.round = _ROUND[kind]
        with np.errstate(over="ignore"):
            self.tensors = {name: self.round(t.astype(self.dtype)) for name, t in network.tensors.items()}

    def approx_outputs(self, ids: Sequence[int], types: Sequence[int]) -> AnyFloats:
        """The outputs of every position: logits, or the last tokens where there is no head."""
        r, t = self.round, self.tensors
        with np.errstate(all="ignore"):
            x = r(t["token"][list(ids)] + t["position"][: len(ids)])
            return self.approx_from(r(x + t["type"][list(types)]) if self.shape.types else x)

    def approx_from(self, x: AnyFloats) -> AnyFloats:
        """The same from the sums of rows of the tables on."""
        r, t, shape = self.round, self.tensors, self.shape
        with np.errstate(all="ignore"):
            x = self._norm(x, "embedding_gain", "embedding_bias") if shape.embedding_norm else x
            x = self._linear(x, "map") if shape.embedding is not None else x
            for k in range(shape.blocks):
                x = self._block(x, f"{0 if shape.shared else k}.", shape.head_rules(k))
            x = self._norm(x, "final_gain", "final_bias") if shape.final_norm else x
            if shape.head == "none":
                return x
            return r(x @ t["token" if shape.head == "tied" else "head"].T + t["head_bias"])

    def approx_read(self, ids: Sequence[int], at: int | None) -> AnyFloats:
        """The output of one position, for None the mean of all."""
        outputs = self.approx_outputs(ids, [0] * len(ids))
        return self.round(outputs.mean(0)) if at is None else outputs[at]

    def approx_cosines(self, x: AnyFloats, others: AnyFloats) -> AnyFloats:
        """The cosines of x with every row of others."""
        with np.errstate(all="ignore"):
            unit = self.round(x / np.sqrt((x * x).sum()))
            units = self.round(others / np.sqrt((others * others).sum(-1, keepdims=True)))
            return self.round(units @ unit)

    def _block(self, x: AnyFloats, k: str, rules: tuple[HeadRule, ...]) -> AnyFloats:
        r, pre, post = self.round, self.shape.norm == "pre", self.shape.norm == "post"
        y = self._norm(x, k + "gain1", k + "bias1") if pre else x
        x = r(x + self._linear(self._attention(y, k, rules), k + "out"))
        x = self._norm(x, k + "gain1", k + "bias1") if post else x
        y = self._norm(x, k + "gain2", k + "bias2") if pre else x
        x = r(x + self._linear(self._activated(self._linear(y, k + "up")), k + "down"))
        return self._norm(x, k + "gain2", k + "bias2") if post else x

    def _linear(self, x: AnyFloats, name: str) -> AnyFloats:
        return self.round(x @ self.tensors[name].T + self.tensors[name + "_bias"])

    def _norm(self, x: AnyFloats, gain: str, bias: str) -> AnyFloats:
        c = x - x.mean(-1, keepdims=True)
        s = np.sqrt((c * c).mean(-1, keepdims=True) + self.dtype(self.shape.epsilon))
        return self.round(c / s * self.tensors[gain] + self.tensors[bias])

    def _attention(self, x: AnyFloats, k: str, rules: tuple[HeadRule, ...]) -> AnyFloats:
        n, h, width = len(x), self.shape.heads, self.shape.head_dim
        q, keys, v = self._linear(x, k + "qkv").reshape(n, 3, h, width).transpose(1, 2, 0, 3)
        factors = np.array([float(rule.beta) / math.sqrt(width) for rule in rules], self.dtype)[:, None, None]
        s = np.where(seen_by(rules, n), self.round(q @ keys.swapaxes(-1, -2) * factors), -np.inf)
        top = s.max(-1, keepdims=True)
        w = np.exp(s - np.where(np.isfinite(top), top, 0))
        for a, rule in enumerate(rules):
            if rule.ties is not None:
                w[a] = _followed(s[a], rule)
        total = w.sum(-1, keepdims=True)
        w = self.round(w / np.where(total == 0, 1, total))
        return self.round(w @ v).transpose(1, 0, 2).reshape(n, h * width)

    def _activated(self, u: AnyFloats) -> AnyFloats:
        if self.shape.activation == "relu":
            return np.maximum(u, self.dtype(0))
        if self.shape.activation == "gelu":
            from scipy.special import erf

            return self.round(u * self.dtype(0.5) * (1 + erf(u * self.dtype(math.sqrt(0.5)))))
        inner = self.dtype(math.sqrt(2 / math.pi)) * (u + self.dtype(0.044715) * u * u * u)
        return self.round(u * self.dtype(0.5) * (1 + np.tanh(inner)))


def _followed(s: AnyFloats, rule: HeadRule) -> AnyFloats:
    """1 for every key that hardmax follows, by the scores as they are; 0 for the others."""
    best = (s == s.max(-1, keepdims=True)) & np.isfinite(s)
    found = np.zeros_like(s)
    for i, row in enumerate(best):
        found[i, list(choose(tuple(np.flatnonzero(row).tolist()), rule.ties or "all"))] = 1
    return found
