"""A matrix A for the scores <A x, y>, proposed by random search on the training loss, in floats.

The derivative of the decision by A is zero wherever no tie occurs, since A only chooses the follower sets; so A cannot
be trained by gradients of the hardmax. With A = L L' the model is the one with the identity, embeddings L' e and
direction L^-1 v: a matrix adds no function that embeddings could not have, it only changes what training finds.
"""

from __future__ import annotations

import numpy as np

from exactformer.arithmetic.integers import Array
from exactformer.studies.sentiment.approx_training import IntegerRows, SentimentWeights, approx_scores
from exactformer.studies.sentiment.reviews import Reviews

#: trials of the search, reviews of the train part that judge them, the grid on which A is rounded
TRIALS, JUDGES, GRID = 40, 3000, 256


def propose_matrix(
    weights: SentimentWeights, reviews: Reviews, chosen: Array, layers: int, alpha: float, seed: int
) -> IntegerRows:
    """A symmetric positive definite A, rows of integers over 256, under which the weights have a small train loss."""
    random = np.random.default_rng([seed, 7])
    judges = random.permutation(chosen)[:JUDGES]
    best, root, step = np.inf, np.eye(len(weights.v)), 0.5
    for _ in range(TRIALS):
        trial = root if best == np.inf else root + step * random.standard_normal(root.shape) / np.sqrt(len(root))
        matrix = _rounded(trial @ trial.T)
        if matrix is None:
            continue
        scores = approx_scores(weights.with_matrix(matrix), reviews, judges, layers, alpha)
        loss = float(np.logaddexp(0, np.where(reviews.labels[judges] > 0, -scores.values, scores.values)).mean())
        if loss < best:
            best, root = loss, trial
        else:
            step *= 0.95
    final = _rounded(root @ root.T)
    return (
        final
        if final is not None
        else tuple(tuple(GRID * int(i == j) for j in range(len(root))) for i in range(len(root)))
    )


def _rounded(A: Array) -> IntegerRows | None:
    """A scaled to mean diagonal 1 and rounded to the grid; None where that is not positive definite by a margin."""
    rows = np.rint(GRID * A * len(A) / np.trace(A)).astype(np.int64)
    if np.linalg.eigvalsh(rows / GRID).min() < 0.01:
        return None
    return tuple(tuple(row) for row in rows.tolist())
