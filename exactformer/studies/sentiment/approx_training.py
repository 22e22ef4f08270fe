"""Training in floats: the derivative of the hardmax by the weights of the votes, a schedule for alpha, and Adam.

Where no tie occurs the follower sets are locally constant, so D = b + sum_j u_j <v, e_j> has the derivatives
dD/de_j = u_j v, dD/dv = sum_j u_j e_j: one `bincount`, no softmax. A word that ends at a leader gets the share r^K of
the gradient, so alpha grows from .02 (a linear model of words) to 3 (clustering) over the first 60 % of the steps.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from exactformer.arithmetic.integers import Array
from exactformer.studies.sentiment.approx_hardmax import Followed, approx_follow, approx_weights, batch, f32
from exactformer.studies.sentiment.reviews import Reviews

#: where alpha starts, and the share of the steps after which it has reached its value
START, RISE = 0.02, 0.6
#: the length of v at the start
LENGTH_OF_V = 3.0

#: told the steps done and all steps
EpochProgress = Callable[[int, int], None]
#: a matrix as rows of integers over 256
IntegerRows = tuple[tuple[int, ...], ...]


@dataclass(frozen=True)
class SentimentRecipe:
    """How a classifier is trained; `spread` is the deviation of the first embeddings: it sets how many words lead."""

    dim: int
    layers: int
    spread: float
    drop: float
    step: float
    cap: float | None = None
    epochs: int = 3
    size: int = 256
    alpha: int = 3
    seed: int = 0
    matrix: IntegerRows | None = None

    def alpha_at(self, time: float) -> float:
        """The step of the dynamics at a time 0..1 of the training."""
        return float(START * (self.alpha / START) ** min(1.0, time / RISE))


@dataclass(frozen=True)
class SentimentWeights:
    """Embeddings (row 0 is zero: no word), the direction v and the bias b, in float32; A = lens lens' in the scores."""

    E: Array
    v: Array
    b: float
    lens: Array | None = None

    @classmethod
    def start(cls, words: int, recipe: SentimentRecipe) -> SentimentWeights:
        """Random embeddings of the given spread and a random direction of length 3."""
        random = np.random.default_rng(recipe.seed)
        E = (recipe.spread * random.standard_normal((words + 1, recipe.dim))).astype(f32)
        E[0] = 0
        v = random.standard_normal(recipe.dim)
        weights = cls(E, (LENGTH_OF_V * v / np.linalg.norm(v)).astype(f32), 0.0)
        return weights if recipe.matrix is None else weights.with_matrix(recipe.matrix)

    def with_matrix(self, matrix: IntegerRows) -> SentimentWeights:
        """The same weights with scores <A x, y>."""
        return replace(self, lens=np.linalg.cholesky(np.array(matrix) / 256).astype(f32))

    def votes(self, numbers: Array, shares: Array, depth: int, alpha: float) -> tuple[Array, Followed | None]:
        """The weight of every word's vote after so many layers, and who followed whom."""
        if not depth:
            return shares, None
        states = self.E[numbers] if self.lens is None else (self.E @ self.lens)[numbers]
        followed = approx_follow(states, numbers == 0, depth, 1 / (1 + alpha))
        return approx_weights(followed, shares), followed

    def values(self, numbers: Array, votes: Array) -> Array:
        """The decision values b + sum_j u_j <v, e_j>."""
        return np.asarray((votes * (self.E @ self.v)[numbers]).sum(1) + f32(self.b))


@dataclass(frozen=True)
class Snapshot:
    """A training after some epochs: weights, Adam's moments (for E, v and b), and validation accuracies so far."""

    weights: SentimentWeights
    first: SentimentWeights
    second: SentimentWeights
    steps: int
    accuracies: tuple[float, ...]


def begin(words: int, recipe: SentimentRecipe) -> Snapshot:
    """The training before its first epoch."""
    weights = SentimentWeights.start(words, recipe)
    nothing = SentimentWeights(np.zeros_like(weights.E), np.zeros_like(weights.v), 0.0)
    return Snapshot(weights, nothing, nothing, 0, ())


def epoch(
    reviews: Reviews, parts: Array, snapshot: Snapshot, recipe: SentimentRecipe, progress: EpochProgress | None = None
) -> Snapshot:
    """The training one epoch later, over the given reviews; the random numbers depend on seed and epoch alone."""
    random = np.random.default_rng([recipe.seed, len(snapshot.accuracies)])
    groups = batches(reviews, parts, recipe.size, random)
    total, weights, moments = recipe.epochs * len(groups), snapshot.weights, (snapshot.first, snapshot.second)
    for step, group in enumerate(groups, snapshot.steps):
        numbers, shares = batch(reviews, group, lambda words: random.random(words, dtype=f32) >= recipe.drop)
        votes, _ = weights.votes(numbers, shares, recipe.layers, recipe.alpha_at(step / total))
        slope = gradient(weights, numbers, votes, reviews.labels[group])
        weights, *both = adam(weights, slope, *moments, step + 1, recipe.step * (1 - step / total))
        moments = (both[0], both[1])
        if recipe.cap is not None:
            weights = capped(weights, recipe.cap)
        if progress is not None:
            progress(step + 1, total)
    return Snapshot(weights, *moments, snapshot.steps + len(groups), snapshot.accuracies)


def batches(reviews: Reviews, chosen: Array, size: int, random: np.random.Generator) -> list[Array]:
    """The reviews in batches of similar length, in random order."""
    order = chosen[np.argsort(reviews.sizes[chosen] + random.uniform(-8, 8, len(chosen)))]
    groups = [order[k : k + size] for k in range(0, len(order), size)]
    return [groups[k] for k in random.permutation(len(groups)).tolist()]


def gradient(weights: SentimentWeights, numbers: Array, votes: Array, labels: Array) -> SentimentWeights:
    """The derivative of the mean logistic loss by E, v and b, the follower sets being locally constant."""
    values = weights.values(numbers, votes)
    slope = ((1 / (1 + np.exp(-values)) - labels) / len(labels)).astype(f32)
    pulls = np.bincount(numbers.ravel(), (slope[:, None] * votes).ravel(), len(weights.E)).astype(f32)
    pulls[0] = 0
    return SentimentWeights(pulls[:, None] * weights.v, pulls @ weights.E, float(slope.sum()))


def adam(
    x: SentimentWeights,
    slope: SentimentWeights,
    first: SentimentWeights,
    second: SentimentWeights,
    time: int,
    step: float,
) -> tuple[SentimentWeights, SentimentWeights, SentimentWeights]:
    """One step of Adam: the weights and the two moments after it."""
    scale = step * np.sqrt(1 - 0.999**time) / (1 - 0.9**time)

    def moved(name: str) -> tuple[Array, Array, Array]:
        g, m, q = getattr(slope, name), getattr(first, name), getattr(second, name)
        m = f32(0.9) * m + f32(0.1) * g
        q = f32(0.999) * q + f32(0.001) * (g * g)
        return getattr(x, name) - f32(scale) * m / (np.sqrt(q) + f32(1e-8)), m, q

    E, v, b = moved("E"), moved("v"), moved("b")
    one, two, three = (SentimentWeights(E[k], v[k], float(b[k]), x.lens) for k in range(3))
    return one, two, three


def capped(weights: SentimentWeights, cap: float) -> SentimentWeights:
    """The weights with embeddings scaled back to norm `cap` where they are longer."""
    norms = np.sqrt(np.einsum("ij,ij->i", weights.E, weights.E))
    return replace(weights, E=weights.E * np.minimum(1, cap / np.maximum(norms, f32(1e-9)))[:, None].astype(f32))


@dataclass(frozen=True)
class Scores:
    """Decision values of some reviews, how many words lead in each, and how many of those from layer 0 on."""

    values: Array
    leaders: Array
    initial: Array

    def accuracy(self, labels: Array) -> float:
        """The share of reviews whose label the sign of the value tells."""
        return float(((self.values > 0) == (labels > 0)).mean())


def approx_scores(
    weights: SentimentWeights, reviews: Reviews, chosen: Array, layers: int, alpha: float, size: int = 256
) -> Scores:
    """The decision values in float32 of the chosen reviews, in their order."""
    order = np.argsort(reviews.sizes[chosen], kind="stable")
    values, leaders, initial = (np.zeros(len(chosen), dtype=kind) for kind in (f32, np.int64, np.int64))
    for k in range(0, len(order), size):
        rows = order[k : k + size]
        numbers, shares = batch(reviews, chosen[rows])
        votes, followed = weights.votes(numbers, shares, layers, alpha)
        values[rows] = weights.values(numbers, votes)
        if followed is not None:
            own = followed.layers[0].follows == np.arange(numbers.shape[1])
            leaders[rows], initial[rows] = followed.leads.sum(1), (own & (numbers > 0)).sum(1)
    return Scores(values, leaders, initial)
