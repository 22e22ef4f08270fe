"""What each block of a transformer does to each sequence, in the plane."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from exactformer.arithmetic.integers import Array
from exactformer.arithmetic.state import State
from exactformer.model.batch import Batch
from exactformer.model.transformer import Transformer
from exactformer.report.canvas import frame, heading, panels, plain, scatter, token_size
from exactformer.report.film import Plane
from exactformer.report.palette import INK, Style, follower_style

#: the most sequences a picture shows, and the most blocks
SEQUENCES, BLOCKS = 10, 8


@dataclass(frozen=True)
class Passage:
    """Sequences before the first and after every block: `states[k][j]` exact, `points[k][j]` in the plane."""

    points: list[list[Array]]
    states: list[list[State]]
    names: list[str]
    targets: list[Array]
    words: str

    def style(self, j: int) -> Style:
        """The shape and colour of sequence j."""
        return follower_style([j])


def passage_of(
    transformer: Transformer,
    sequences: Sequence[State],
    targets: Sequence[State],
    names: Sequence[str],
    *,
    axes: Any = None,
    total: int | None = None,
) -> Passage:
    """The passage of (at most ten) sequences of `total` through a transformer."""
    count = min(SEQUENCES, len(sequences))
    plane = Plane.of(np.vstack([s.floats() for s in sequences]), axes)
    states = states_of(transformer, sequences[:count])
    points = [[plane(state) for state in after] for after in states]
    everyone = total or len(sequences)
    some = f"the first {count} of {everyone} sequences" if count < everyone else ""
    words = ", ".join(text for text in (plane.words, some) if text)
    return Passage(points, states, list(names[:count]), [plane(t) for t in targets[:count]], words)


def states_of(transformer: Transformer, sequences: Sequence[State]) -> list[list[State]]:
    """Every sequence before the first and after every block, exact."""
    offsets = np.concatenate([[0], np.cumsum([len(s) for s in sequences])]).astype(np.int64)
    batch = Batch.of(State.of([row for s in sequences for row in s]), offsets)
    states = [list(sequences)]
    for block in transformer:
        batch = Transformer(transformer.dim, [block]).evaluate(batch)
        states.append([batch.tokens(j, offsets) for j in range(len(sequences))])
    return states


def draw_blocks(passage: Passage, stages: Sequence[str] = (), *, title: str = "") -> Any:
    """A panel per block: where the tokens of every sequence are after it; targets as crosses in the last panel."""
    last = len(passage.points) - 1
    chosen = sorted({round(k) for k in np.linspace(0, last, min(last + 1, BLOCKS))})
    figure, axes = panels(len(chosen))
    for ax, k in zip(axes, chosen, strict=True):
        draw_passage(ax, passage, k)
        ax.set_title(f"after block {k}" if k else "input", fontsize=9, pad=16 if stages else 6)
        if k and len(stages) == last:
            ax.text(0.5, 1.02, stages[k - 1], transform=ax.transAxes, ha="center", fontsize=7)
    handles, labels = axes[-1].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=len(labels), fontsize=7, frameon=False)
    if title or passage.words:
        figure.suptitle(heading(title, passage.words), fontsize=10)
    return figure


def draw_passage(ax: Any, passage: Passage, k: int) -> None:
    """The sequences after block k; where all of them are on one horizontal line, each gets a height of its own."""
    last = k == len(passage.points) - 1
    clouds, goals = list(passage.points[k]), list(passage.targets if last else [])
    line = np.ptp(np.vstack(clouds + goals)[:, 1]) == 0
    if line:
        clouds, goals = _strips(clouds), _strips(goals)
        ax.set_yticks([])
    frame(ax, clouds + goals, equal=False)
    size = token_size(sum(map(len, clouds)))
    for j, points in enumerate(clouds):
        scatter(ax, points, passage.style(j), size, label=plain(passage.names[j]))
    if last:
        ax.scatter(*np.vstack(goals).T, s=90, marker="x", c=INK, linewidths=0.8, zorder=2, label="targets")


def _strips(clouds: list[Array]) -> list[Array]:
    return [np.column_stack([points[:, 0], np.full(len(points), -float(j))]) for j, points in enumerate(clouds)]
