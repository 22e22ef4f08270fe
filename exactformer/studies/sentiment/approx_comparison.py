"""Float against exact on reviews: the hardmax of the definition in float32 and float64, and the softmax surrogate."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence

import numpy as np

from exactformer.arithmetic.integers import Array
from exactformer.io.json_lines import JsonObject
from exactformer.studies.sentiment.classifier import ReviewClassifier
from exactformer.studies.sentiment.votes import Ballot

#: the temperature of the softmax that the paper trains with
TEMPERATURE = 0.001


def approx_hardmax(Z: Array, A: Array, v: Array, b: float, share: float, layers: int) -> tuple[float, list[Array]]:
    """The decision value by definition, every occurrence of a word a token, and the follower matrices of all layers.

    Equality with the maximum in floats decides ties. The type of Z is the type of all numbers.
    """
    kind, follows = Z.dtype.type, []
    for _ in range(layers):
        scores = Z @ A.astype(kind) @ Z.T
        C = scores == scores.max(1, keepdims=True)
        follows.append(C)
        Z = kind(1 - share) * Z + kind(share) * ((C / C.sum(1, keepdims=True)).astype(kind) @ Z)
    return float(Z.mean(0) @ v.astype(kind) + kind(b)), follows


def approx_softmax(Z: Array, A: Array, v: Array, b: float, share: float, layers: int) -> float:
    """The decision value with softmax attention at the temperature .001, in float32."""
    Z, kind = Z.astype(np.float32), np.float32
    for _ in range(layers):
        scores = Z @ A.astype(kind) @ Z.T / kind(TEMPERATURE)
        P = np.exp(scores - scores.max(1, keepdims=True))
        Z = kind(1 - share) * Z + kind(share) * (P / P.sum(1, keepdims=True) @ Z)
    return float(Z.mean(0) @ v.astype(kind) + kind(b))


def compare(
    model: ReviewClassifier, bags: Sequence[Mapping[str, int]], *, progress: Callable[[int], None] | None = None
) -> JsonObject:
    """In how many reviews floats differ from exact: predictions, follower sets, leader words; and the time of each."""
    E, v = model.embeddings / model.denominator, np.array(model.v) / model.denominator
    rest = (np.array(model.matrix, dtype=float), v, model.b / model.denominator, float(model.share), model.layers)
    differ, seconds = Counter[str](), dict.fromkeys(("exact", "float32", "float64"), 0.0)
    gap = 0.0
    for number, bag in enumerate(bags):
        rows = E[np.repeat([model.index[word] for word in bag], list(bag.values()))]
        start = time.process_time()
        ballot = model.ballot(bag)
        value = model.value_at(*ballot.mean(model.layers))
        seconds["exact"] += time.process_time() - start
        for name, kind in (("float32", np.float32), ("float64", np.float64)):
            start = time.process_time()
            found, follows = approx_hardmax(rows.astype(kind), *rest)
            seconds[name] += time.process_time() - start
            differ[f"predictions {name}"] += (found > 0) != (value > 0)
            differ[f"sets {name}"] += any((_matrix(ballot, k) != C).any() for k, C in enumerate(follows))
            differ[f"leaders {name}"] += _leading(follows, ballot) != [s is not None for s in ballot.leads_from]
        soft = approx_softmax(rows, *rest)
        differ["predictions softmax"] += (soft > 0) != (value > 0)
        gap += abs(soft - float(value))
        if progress is not None:
            progress(number + 1)
    kinds = ("float32", "float64", "softmax")
    return {
        "reviews": len(bags),
        "predictions": {kind: differ[f"predictions {kind}"] for kind in kinds},
        "follower_sets": {kind: differ[f"sets {kind}"] for kind in kinds[:2]},
        "leaders": {kind: differ[f"leaders {kind}"] for kind in kinds[:2]},
        "approx_softmax_gap": round(gap / max(1, len(bags)), 6),
        "approx_ms": {kind: round(1000 * seconds[kind] / max(1, len(bags)), 3) for kind in ("exact", *kinds[:2])},
    }


def _places(ballot: Ballot) -> Array:
    """For every occurrence of a word the position at which it stands."""
    return np.repeat(ballot.index, ballot.counts)


def _matrix(ballot: Ballot, layer: int) -> Array:
    """The exact follower sets of a layer as a matrix over the occurrences of words."""
    sets, places = ballot.follows(layer), _places(ballot)
    C = np.zeros((len(sets), len(sets)), dtype=bool)
    C[np.repeat(np.arange(len(sets)), sets.lengths), sets.members] = True
    return np.asarray(C[np.ix_(places, places)])


def _leading(follows: list[Array], ballot: Ballot) -> list[bool]:
    """Which positions lead in floats: at some layer the first occurrence there follows its own place alone."""
    places = _places(ballot)
    firsts = [int(np.flatnonzero(places == p)[0]) for p in range(len(ballot.weights))]
    return [any(not C[i, places != p].any() for C in follows) for p, i in enumerate(firsts)]
