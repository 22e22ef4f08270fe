"""A network on balls: midpoints in some arithmetic, and per token a bound of how far the true one can be.

The bounds and their proofs: mathematics/networks#softmax. A token is known as x - middle = diag(gain) e + r with
|e| <= before and |r| <= after; the gain of the LayerNorm that the token comes from travels with it, and every matrix is
bounded with the gain of the token that it reads. A bound that cannot be had is infinite, which means undecided, and
stays infinite. Statements are about real arithmetic, not about what a device returns.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Generic

import numpy as np

from exactformer.errors import Undecided
from exactformer.evaluate.function_tables import MOST_CURVED, SLOPE_ERROR, STEEPEST, activation_table
from exactformer.evaluate.midpoints import Ids, M, Midpoints, Seen, Weighted
from exactformer.evaluate.network_norms import AttentionNorms, FeedForwardNorms
from exactformer.evaluate.outward import Floats, length, up
from exactformer.model.head_rules import HeadRule, seen_by

#: scores that may move by more than this have no bound
_MOST_MOVED = 1e-3
#: entries of an array of differences of tokens
_TOGETHER = 1 << 22


@dataclass(frozen=True)
class EnclosedTokens(Generic[M]):
    """Tokens x with |x - middle| <= radius, and x - middle = diag(gain) e + r, |e| <= before, |r| <= after."""

    middle: M
    radius: Floats
    gain: str | None
    before: Floats
    after: Floats


class EnclosedNetwork(Generic[M]):
    """A network in one arithmetic of midpoints, on batches of inputs of the same length."""

    def __init__(self, midpoints: Midpoints[M]) -> None:
        self.a, self.network, self.norms = midpoints, midpoints.network, midpoints.norms
        self.shape = self.network.architecture

    def hidden(self, ids: Ids, types: Ids, at: int | None = None) -> EnclosedTokens[M]:
        """The tokens after all blocks and the final LayerNorm: of every position, or of position `at` alone.

        Raises Undecided where no input of the batch has a bound left.
        """
        return self.run(self.rows(ids, types), at)

    def run(self, x: EnclosedTokens[M], at: int | None = None) -> EnclosedTokens[M]:
        """The same from the sums of rows of the tables on, known up to any radius."""
        with np.errstate(all="ignore"):
            x = self._embedded(x)
            for k in range(self.shape.blocks):
                x = self._block(x, k, at if k == self.shape.blocks - 1 else None)
                if not np.isfinite(x.radius).all(-1).any():
                    raise Undecided(f"{self.a.level} is not enough: no bound is left after block {k + 1}")
            if at is not None and not self.shape.blocks:
                x = self._only(x, at)
            return self._layer_norm(x, "final_gain", "final_bias") if self.shape.final_norm else x

    def rows(self, ids: Ids, types: Ids) -> EnclosedTokens[M]:
        """The sums of the rows of the tables: token, position and token type."""
        tables, n = self.network.tensors, ids.shape[-1]
        rows = [tables["token"][ids], np.broadcast_to(tables["position"][:n], (*ids.shape, tables["token"].shape[1]))]
        if self.shape.types:
            rows.append(tables["type"][types])
        return self._plain(*self.a.total([row.astype(np.float64) for row in rows]))

    def _embedded(self, x: EnclosedTokens[M]) -> EnclosedTokens[M]:
        if self.shape.embedding_norm:
            x = self._layer_norm(x, "embedding_gain", "embedding_bias")
        if self.shape.embedding is not None:
            y, rounding = self.a.linear(x.middle, "map", "map_bias")
            x = self._plain(y, up(self.norms.spectral("map") * x.radius + rounding))
        return x

    def _block(self, x: EnclosedTokens[M], block: int, at: int | None) -> EnclosedTokens[M]:
        k = 0 if self.shape.shared else block
        pre, post = self.shape.norm == "pre", self.shape.norm == "post"
        read = self._layer_norm(x, f"{k}.gain1", f"{k}.bias1") if pre else x
        x = self._residual(x if at is None else self._only(x, at), *self._attention(read, k, block, at))
        x = self._layer_norm(x, f"{k}.gain1", f"{k}.bias1") if post else x
        read = self._layer_norm(x, f"{k}.gain2", f"{k}.bias2") if pre else x
        x = self._residual(x, *self._feed_forward(read, k))
        return self._layer_norm(x, f"{k}.gain2", f"{k}.bias2") if post else x

    def _only(self, x: EnclosedTokens[M], at: int) -> EnclosedTokens[M]:
        """The token at one position, with an axis of length 1."""
        middle = self.a.each(x.middle, lambda part: part[:, at : at + 1])
        radius, before, after = (bound[:, at : at + 1] for bound in (x.radius, x.before, x.after))
        return EnclosedTokens(middle, radius, x.gain, before, after)

    def _plain(self, middle: M, radius: Floats) -> EnclosedTokens[M]:
        return self._factored(middle, radius, None, radius, np.zeros_like(radius))

    def _factored(
        self, middle: M, radius: Floats, gain: str | None, before: Floats, after: Floats
    ) -> EnclosedTokens[M]:
        """The tokens; every bound is infinite where a midpoint or a bound is not a finite number."""
        known = np.isfinite(self.a.float64(middle)).all(-1) & np.isfinite(radius) & np.isfinite(before + after)
        radius, before, after = (np.where(known, bound, np.inf) for bound in (radius, before, after))
        return EnclosedTokens(middle, radius, gain, before, after)

    def _residual(self, x: EnclosedTokens[M], y: M, moved: Floats) -> EnclosedTokens[M]:
        total, rounding = self.a.added(x.middle, y)
        return self._plain(total, up(x.radius + moved + rounding))

    def _layer_norm(self, x: EnclosedTokens[M], gain: str, bias: str) -> EnclosedTokens[M]:
        """w -> w / s(w) has derivatives at most 1 / s, and s is 1 / sqrt(d)-Lipschitz."""
        g, b = self.a.array(gain), self.a.array(bias)
        z = self.a.normalised(x.middle)
        moved = up(x.radius + z.centring)
        room = z.deviation - up(moved / math.sqrt(len(g)))
        before = np.where((room > 0) & np.isfinite(room), up(moved / room + z.rounding), np.inf)
        y, after = self.a.scaled(z.middle, g, b)
        radius = up(float(np.abs(g).max()) * before + after)
        return self._factored(y, radius, gain, before, np.full_like(before, after))

    def _feed_forward(self, x: EnclosedTokens[M], k: int) -> tuple[M, Floats]:
        """The branch, and how far it can be from the true one."""
        norms = self.norms.feed_forward(k, x.gain)
        u, rounding = self.a.linear(x.middle, f"{k}.up", f"{k}.up_bias")
        rest = up(rounding + self.norms.spectral(f"{k}.up") * x.after)
        f, error = self.a.activated(u)
        y, last = self.a.linear(f, f"{k}.down", f"{k}.down_bias")
        relu = self.shape.activation == "relu"
        steepest = 1.0 if relu else STEEPEST
        slope = np.full_like(rest, up(steepest * norms.up_norm * norms.down_norm))
        moved = up(norms.up_norm * x.before + rest)
        known = _kinked_slope if relu else self._curved_slope
        slope = np.fmin(slope, known(self.a.float64(u), moved, norms))
        return y, up(slope * x.before + norms.down_norm * (steepest * rest + error) + last)

    def _curved_slope(self, u: Floats, moved: Floats, norms: FeedForwardNorms) -> Floats:
        """The norm of W_1 D W_2 for slopes D of GELU at points no further than `moved` from u."""
        D = activation_table(self.shape.activation).slope(u)
        off = (SLOPE_ERROR + MOST_CURVED * moved) * norms.up_norm * norms.down_norm
        return up(_norm_of_form(D, norms.form, norms.units, norms.slack) + off)

    def _attention(self, x: EnclosedTokens[M], k: int, block: int, at: int | None) -> tuple[M, Floats]:
        """The branch of attention (of one position), and how far it can be from the true one."""
        a, norms = self.a, self.norms.attention(k, x.gain)
        qkv, rounding = a.linear(x.middle, f"{k}.qkv", f"{k}.qkv_bias")
        rest = up(rounding + self.norms.spectral(f"{k}.qkv") * x.after)
        queries, keys, values = (self._heads(qkv, part) for part in range(3))
        n, rows = x.radius.shape[-1], slice(None) if at is None else slice(at, at + 1)
        queries = a.each(queries, lambda part: part[..., rows, :])
        rules, factors = self.shape.head_rules(block), a.factors(block)
        seen = seen_by(rules, n)[:, rows]
        t, error = a.scores(queries, keys, factors, seen)
        moved = factors[0] * self._score_moves(x.before, rest, queries, keys, norms, rows)
        moved = np.where(seen, up(moved + error), 0.0)
        weights = a.softmax(t, seen)
        if any(rule.ties is not None for rule in rules):
            weights, moved = self._hardened(weights, a.float64(t), moved, seen, rules)
        p = a.float64(weights.middle)
        off = up(1.01 * p * (moved + (p * moved).sum(-1, keepdims=True)) + weights.errors)
        off = np.where((moved <= _MOST_MOVED).all(-1, keepdims=True), np.where(seen, off, 0.0), np.inf)
        o, mixing = a.mixed(weights.middle, values)
        by_scores = ((p * moved + weights.errors) * self._distances(values, o)).sum(-1)
        rounded = weights.lack * length(a.float64(o)) + mixing
        own = 1.01 * np.sqrt(((by_scores + rounded) ** 2).sum(-2)) + ((p + off).max(-3) @ rest[..., None])[..., 0]
        through = _value_moves(p, norms) + off.max(-3) * (norms.value_norm * norms.out_norm)
        y, last = a.linear(self._joined(o), f"{k}.out", f"{k}.out_bias")
        return y, up((through @ x.before[..., None])[..., 0] + norms.out_norm * own + last)

    def _hardened(
        self, weights: Weighted[M], t: Floats, moved: Floats, seen: Seen, rules: tuple[HeadRule, ...]
    ) -> tuple[Weighted[M], Floats]:
        """The weights with those of hardmax heads 1 where the largest score is certain; without a bound where not."""
        hard = np.array([rule.ties is not None for rule in rules])[:, None, None]
        first = np.where(seen, t, -np.inf).argmax(-1)[..., None]
        best = (np.arange(t.shape[-1]) == first) & seen
        lead = np.take_along_axis(t, first, -1) - t
        room = up(moved + np.take_along_axis(moved, first, -1) + 2.0**-50 * np.abs(lead))
        certain = (best | ~seen | (lead > room)).all(-1, keepdims=True)
        middle = self.a.where(hard & np.ones_like(best), self.a.exactly(best * 1.0), weights.middle)
        errors = np.where(hard, 0.0, weights.errors)
        return Weighted(middle, errors, weights.lack), np.where(hard, np.where(certain, 0.0, np.inf), moved)

    def _heads(self, qkv: M, part: int) -> M:
        """Queries, keys or values with the axes (input, head, token, coordinate)."""
        d, h, width = self.shape.dim, self.shape.heads, self.shape.head_dim

        def split(x: Floats) -> Floats:
            return x[..., part * d : (part + 1) * d].reshape(*x.shape[:-1], h, width).swapaxes(-2, -3)

        return self.a.each(qkv, split)

    def _joined(self, o: M) -> M:
        """The heads side by side."""
        return self.a.each(o, lambda x: x.swapaxes(-2, -3).reshape(x.shape[0], x.shape[-2], self.shape.dim))

    def _score_moves(self, before: Floats, rest: Floats, q: M, k: M, norms: AttentionNorms, rows: slice) -> Floats:
        """How far <q_i, k_j> can move, up to a number that depends on i alone and that softmax ignores."""
        a = self.a
        high = a.float64(k)
        middle = np.broadcast_to(high.mean(-2, keepdims=True), high.shape)
        centred, error = a.difference(k, a.exactly(middle))
        q_length, k_length = length(a.float64(q))[..., :, None], length(high)[..., None, :]
        to_keys = norms.queries.image(centred, error * (length(high) + length(middle)))[..., None, :]
        to_queries = norms.keys.image(a.float64(q))[..., :, None]
        nq, nk = norms.queries.norm[:, None, None], norms.keys.norm[:, None, None]
        ei, ri = (bound[:, None, rows, None] for bound in (before, rest))
        ej, rj = (bound[:, None, None, :] for bound in (before, rest))
        moved = ei * (to_keys + ej * nq * nk + rj * nq) + ej * (to_queries + ri * nk)
        return up(moved + ri * k_length + rj * q_length + ri * rj)

    def _distances(self, v: M, o: M) -> Floats:
        """Bounds of |v_j - o_i| of every head, some i at a time."""
        high = self.a.float64(o)
        rows = max(1, _TOGETHER // self.a.float64(v).size)
        parts = [slice(start, start + rows) for start in range(0, high.shape[-2], rows)]
        return np.concatenate([self._distances_from(v, o, part) for part in parts], axis=-2)

    def _distances_from(self, v: M, o: M, part: slice) -> Floats:
        """The same for the i of this part."""
        a, some = self.a, self.a.each(o, lambda x: x[..., part, None, :])
        found, error = a.difference(a.each(v, lambda x: x[..., None, :, :]), some)
        return up(length(found) + error * (length(a.float64(v))[..., None, :] + length(a.float64(some))))


def _kinked_slope(u: Floats, moved: Floats, norms: FeedForwardNorms) -> Floats:
    """The norm of W_1 D W_2 for slopes D of ReLU at points no further than `moved` from u: 0, 1, or between."""
    between = np.abs(u) * (1 - 2.0**-40) <= moved[..., None]
    D = np.where(between, 0.5, np.where(u > 0, 1.0, 0.0))
    return up(_norm_of_form(D, norms.form, norms.units, norms.slack) + 0.5 * (between @ norms.units))


def _value_moves(p: Floats, norms: AttentionNorms) -> Floats:
    """Bounds of |sum_h p_ij^h W_v^h W_o^h| per pair of tokens: the least of three."""
    heads = np.moveaxis(p, -3, -1)
    frobenius = _norm_of_form(heads, norms.form, norms.sizes, norms.slack)
    together = heads.max(-1) * (norms.value_norm * norms.out_norm)
    least: Floats = np.fmin(np.fmin(frobenius, heads @ norms.through), together)
    return least


def _norm_of_form(D: Floats, form: Floats | None, sizes: Floats, slack: float) -> Floats:
    """sqrt(D^T F D) for every row D, given F up to `slack` times the products of sizes; infinite without F."""
    if form is None:
        return np.full(D.shape[:-1], np.inf)
    square = np.einsum("...i,...i->...", D @ form, D)
    bound: Floats = np.sqrt(np.maximum(square, 0.0) + slack * (np.abs(D) @ sizes) ** 2)
    return bound
