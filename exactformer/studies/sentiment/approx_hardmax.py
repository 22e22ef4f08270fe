"""The hardmax layers of many reviews at once, in float32: whom every word follows, and the weight of its vote.

A batch is an array of word numbers (reviews x places), 0 for no word. The embedding of 0 is the zero vector, which
nobody follows: <z, z> > 0 = <z, 0>. No mask is needed in the scores. A word that follows a leader does so for
ever, so a review whose words all do leaves the loop and ends in closed form.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from exactformer.arithmetic.integers import Array
from exactformer.studies.sentiment.reviews import Reviews

f32 = np.float32


@dataclass(frozen=True)
class ApproxLayer:
    """One layer: the reviews not yet finished, whom their words follow, the share of its place that a word keeps."""

    reviews: Array
    follows: Array
    kept: Array


@dataclass(frozen=True)
class Followed:
    """The layers of a batch, and which words lead at some layer."""

    layers: list[ApproxLayer]
    leads: Array


def approx_follow(states: Array, empty: Array, depth: int, rest: float) -> Followed:
    """Whom every word follows at layers 0..depth-1: argmax_j <z_i, z_j>, of equal scores the first.

    `states` is (reviews, places, d), `empty` tells the places without a word, `rest` is r = 1/(1 + alpha).
    """
    count, width, _ = states.shape
    places = np.arange(width)
    follows = np.matmul(states, states.transpose(0, 2, 1)).argmax(-1)
    np.copyto(follows, places, where=empty)
    leads = follows == places
    reviews, layers = np.arange(count), []
    for layer in range(depth):
        free = ~_taken(leads[reviews] if layer else leads, follows)
        more = free.any(1) if layer < depth - 1 else np.zeros(len(reviews), dtype=bool)
        layers.append(ApproxLayer(reviews, follows, np.where(more, rest, rest ** (depth - layer)).astype(f32)))
        if not more.any():
            break
        if not more.all():
            reviews, follows, free, states = reviews[more], follows[more], free[more], states[more]
        states = f32(rest) * states + f32(1 - rest) * _taken(states, follows)
        follows = _again(states, follows, free)
        leads[reviews] |= follows == places
    return Followed(layers, leads & ~empty)


def _taken(values: Array, places: Array) -> Array:
    """values[b, places[b, i]] for every review b: rows of (reviews, places, ..) chosen one by one."""
    width = values.shape[1]
    flat = (places + np.arange(len(values))[:, None] * width).ravel()
    return np.asarray(values.reshape(-1, *values.shape[2:])[flat].reshape(*places.shape, *values.shape[2:]))


def _again(states: Array, follows: Array, free: Array) -> Array:
    """Whom the words follow now: only those that are free are scored again."""
    most = int(free.sum(1).max())
    rows = np.argsort(~free, axis=1, kind="stable")[:, :most]
    best = np.matmul(_taken(states, rows), states.transpose(0, 2, 1)).argmax(-1)
    result, chosen = follows.copy(), _taken(free, rows)
    at = (rows + np.arange(len(rows))[:, None] * follows.shape[1])[chosen]
    result.ravel()[at] = best[chosen]
    return result


def approx_weights(followed: Followed, shares: Array) -> Array:
    """The weight u of every word in the final mean: the transposed layers applied to the shares m_i/N."""
    weights = shares.astype(f32)
    width = shares.shape[1]
    for layer in reversed(followed.layers):
        own = weights[layer.reviews]
        at = (layer.follows + np.arange(len(own))[:, None] * width).ravel()
        moved = np.bincount(at, weights=own.ravel(), minlength=own.size).reshape(own.shape).astype(f32)
        kept = layer.kept[:, None]
        weights[layer.reviews] = kept * own + (1 - kept) * moved
    return weights


def batch(reviews: Reviews, chosen: Array, kept: Callable[[int], Array] | None = None) -> tuple[Array, Array]:
    """(word numbers from 1 on, shares m_i/N) of some reviews, as arrays with a row per review.

    `kept` tells, given how many words there are in all, which of them stay.
    """
    sizes = reviews.sizes[chosen]
    before = np.cumsum(sizes) - sizes
    flat = np.repeat(reviews.offsets[chosen] - before, sizes) + np.arange(int(sizes.sum()))
    if kept is not None:
        stay = kept(len(flat))
        owner = np.repeat(np.arange(len(chosen)), sizes)[stay]
        flat, sizes = flat[stay], np.bincount(owner, minlength=len(chosen))
    inside = np.arange(max(1, int(sizes.max(initial=0)))) < sizes[:, None]
    numbers, counts = np.zeros(inside.shape, dtype=np.int32), np.zeros(inside.shape, dtype=f32)
    numbers[inside] = reviews.ids[flat] + 1
    counts[inside] = reviews.counts[flat]
    return numbers, counts / np.maximum(counts.sum(1, keepdims=True), 1)
