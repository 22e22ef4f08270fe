"""The words of a review in the plane, layer by layer, with the decision line and their mean."""

from __future__ import annotations

import numpy as np

from exactformer.arithmetic.integers import Array
from exactformer.display.html import ROWS, point_text
from exactformer.report.interactive import InteractivePicture
from exactformer.report.palette import INK, Style, follower_style, leader_style
from exactformer.report.svg import Scene
from exactformer.studies.sentiment.explanation import Explanation

MEAN = Style("cross", (INK,))


def plane_stage(explanation: Explanation) -> InteractivePicture:
    """The words at layers 0..K, the mean of all words as one more point, the decision line as the outline."""
    layers, ballot = list(range(explanation.model.layers + 1)), explanation.ballot
    states = [ballot.engine.state(k) for k in layers]
    shares = (ballot.counts / ballot.total)[:, None]
    clouds = [state.floats()[ballot.index] for state in states]
    points = [np.vstack([cloud, (cloud * shares).sum(0)]) for cloud in clouds]
    styles = [[*_styles(explanation, k), MEAN] for k in layers]
    line = decision_line(explanation, np.vstack(points))
    words = [word.word for word in explanation.words]
    scene = Scene([f"layer {k}" for k in layers], points, styles, [line] * len(layers), [*words, "mean of all words"])
    listed = range(min(len(words), ROWS))
    cells = []
    for k, state in zip(layers, states, strict=True):
        follows = explanation.follows(k)
        rows = ([point_text(state[ballot.index[i]]), ", ".join(words[j] for j in follows[i][:8])] for i in listed)
        cells.append([text for row in rows for text in row])
    legend = [(leader_style(rank), f"{words[i]} and its followers") for rank, i in enumerate(explanation.leaders[:12])]
    return InteractivePicture(
        scene, ["word", "exact place", "follows"], words, cells, [*legend, (MEAN, "mean of all words")]
    )


def _styles(explanation: Explanation, layer: int) -> list[Style]:
    """Stars for words that lead by this layer, the colour of whom they follow for the others."""
    words = explanation.words
    ranks = {i: rank for rank, i in enumerate(explanation.leaders)}
    followed = explanation.follows(layer)
    return [
        leader_style(ranks[i])
        if word.leads_from is not None and word.leads_from <= layer
        else follower_style(ranks.get(j) for j in followed[i])
        for i, word in enumerate(words)
    ]


def decision_line(explanation: Explanation, points: Array) -> Array:
    """The ends of the part of the line b + <v, z> = 0 inside the box of the points; none where it does not meet it."""
    v = np.array([float(x) for x in explanation.model.direction])
    b = float(explanation.bias)
    (left, bottom), (right, top) = points.min(axis=0), points.max(axis=0)
    room = 0.06 * max(right - left, top - bottom, 1e-9)
    low, high = (left - room, bottom - room), (right + room, top + room)
    ends = []
    for axis in (0, 1):
        other = 1 - axis
        for side in (low[axis], high[axis]):
            if v[other]:
                crossing = -(b + v[axis] * side) / v[other]
                if low[other] <= crossing <= high[other]:
                    ends.append((side, crossing) if axis == 0 else (crossing, side))
    if len(ends) < 2:
        return np.empty((0, 2))
    pairs = [(p, q) for p in ends for q in ends]
    return np.array(max(pairs, key=lambda pair: (pair[0][0] - pair[1][0]) ** 2 + (pair[0][1] - pair[1][1]) ** 2))
