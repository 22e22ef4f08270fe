"""Sequences on their way through the blocks of a transformer, chosen across the classes and made ready for drawing."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np

from exactformer.arithmetic.integers import Array
from exactformer.arithmetic.state import State
from exactformer.arithmetic.text import Exact
from exactformer.errors import InvalidInput
from exactformer.model.batch import Batch
from exactformer.model.dataset import Dataset
from exactformer.model.transformer import Transformer
from exactformer.report.orbit_frames import Plane
from exactformer.report.palette import Style, follower_style

#: the most sequences a picture shows, and the most of them that each have a colour of their own
SEQUENCES, OWN_COLOURS = 24, 10
#: how many sequences decide along which line the targets stand
MOST_TARGETS = 1000


@dataclass(frozen=True)
class BlockFrames:
    """Sequences before the first and after every block: `states[k][j]` exact, `points[k][j]` in the plane.

    `groups[j]` is the label of sequence j (its name where there are no labels) and `classes` are all groups, in order:
    they decide shape and colour. `goals` are the target points of the groups, or of the sequences, with their words.
    """

    points: list[list[Array]]
    states: list[list[State]]
    names: list[str]
    groups: list[str]
    classes: list[str]
    goals: list[tuple[str, Array]]
    words: str

    def style(self, j: int) -> Style:
        """The shape and colour of sequence j: those of its group."""
        return self.class_style(self.groups[j])

    def class_style(self, group: str) -> Style:
        """The shape and colour of a group."""
        return follower_style([self.classes.index(group)])

    def __len__(self) -> int:
        return len(self.points) - 1


@dataclass(frozen=True)
class Choice:
    """What of a construction to draw: sequences (by index or name), classes (labels), blocks; None: our choice."""

    sequences: Iterable[int | str] | None = None
    classes: Iterable[object] | None = None
    blocks: Iterable[int] | None = None


EVERYTHING = Choice()
Picked = TypeVar("Picked")


def block_frames(
    transformer: Transformer,
    data: Dataset,
    targets: Callable[[int], State],
    *,
    axes: tuple[int, ...] | None = None,
    choice: Choice = EVERYTHING,
) -> BlockFrames:
    """The frames of some sequences of the data: those chosen, or a sample across the classes chosen (or all)."""
    chosen = choose_sequences(data, choice.sequences, choice.classes)
    plane = _plane(data, targets, axes)
    states = states_of(transformer, data[chosen])
    labels = data.label_texts
    names = [str(j) if data.names is None else data.names[j] for j in chosen]
    groups = [labels[j] if labels is not None else f"sequence {name}" for j, name in zip(chosen, names, strict=True)]
    known = sorted(set(labels), key=natural_order) if labels is not None else list(dict.fromkeys(groups))
    shown = {group: plane(targets(j)) for group, j in reversed(list(zip(groups, chosen, strict=True)))}
    goals = [(group if labels is not None else "", shown[group]) for group in known if len(shown.get(group, ()))]
    some = f"{len(chosen)} of {len(data)} sequences" if len(chosen) < len(data) else ""
    words = ", ".join(text for text in (plane.words, some) if text)
    points = [[plane(state) for state in after] for after in states]
    return BlockFrames(points, states, names, groups, known, goals, words)


def _plane(data: Dataset, targets: Callable[[int], State], axes: tuple[int, ...] | None) -> Plane:
    """The plane of the pictures: the coordinates chosen, or one in which different targets stand side by side."""
    points = data.tokens.floats()
    if axes is None and data.dim > 2:
        ends = [row for j in range(min(len(data), MOST_TARGETS)) for row in targets(j).floats()]
        if any((row != ends[0]).any() for row in ends):
            return Plane.along(np.array(ends), points)
    return Plane.of(points, axes)


def natural_order(text: str) -> list[tuple[int, int, str]]:
    """A key that sorts numbers within texts by their size: label 2 before label 10.

    >>> sorted(["label 10", "label 2", "a"], key=natural_order)
    ['a', 'label 2', 'label 10']
    """
    parts = re.split(r"(\d+)", text)
    return [(0, int(part), "") if part.isascii() and part.isdecimal() else (1, 0, part) for part in parts if part]


def choose_sequences(
    data: Dataset, sequences: Iterable[int | str] | None = None, classes: Iterable[object] | None = None
) -> list[int]:
    """The indices of the sequences asked for, by index or name; otherwise every class in turn, evenly within each.

    >>> choose_sequences(Dataset.of([[[k]] for k in range(6)], labels=["a", "a", "a", "a", "b", "c"]))
    [0, 1, 2, 3, 4, 5]
    """
    if sequences is not None:
        sequences = several(sequences, "sequences")
        return [_index(data, which) for which in sequences]
    labels = data.label_texts
    wanted = _classes(labels, classes)
    if labels is None:
        return list(range(min(len(data), OWN_COLOURS)))
    members = {label: [j for j, other in enumerate(labels) if other == label] for label in wanted}
    share = max(1, SEQUENCES // len(wanted))
    picked = [_evenly(listed, share) for listed in members.values()]
    return sorted(j for listed in picked for j in listed)[: max(SEQUENCES, len(wanted))]


def _classes(labels: Sequence[str] | None, classes: Iterable[object] | None) -> list[str]:
    known = sorted(set(labels or ()), key=natural_order)
    if classes is None:
        return known
    wanted = [str(label) for label in several(classes, "classes")]
    missing = [label for label in wanted if label not in known]
    if missing or not wanted:
        raise InvalidInput(f"classes: expected some of the labels {', '.join(known[:20])}, got {missing[:5]}")
    return wanted


def several(chosen: Iterable[Picked], name: str) -> list[Picked]:
    """What was picked, as a list; InvalidInput for one thing alone."""
    if isinstance(chosen, str) or not isinstance(chosen, Iterable):
        raise InvalidInput(f"{name}: expected a list, got {chosen!r:.60}; for one x write [x]")
    return list(chosen)


def _evenly(listed: list[int], count: int) -> list[int]:
    if len(listed) <= count:
        return listed
    return [listed[round(k)] for k in np.linspace(0, len(listed) - 1, count)]


def _index(data: Dataset, which: int | str) -> int:
    if data.names is not None and str(which) in data.names:
        return data.names.index(str(which))
    if str(which).isdecimal() and int(which) < len(data):
        return int(which)
    known = f"0..{len(data) - 1}" + ("" if data.names is None else f" or names such as {data.names[0]!r}")
    raise InvalidInput(f"sequences: expected {known}, got {which!r}")


def states_of(transformer: Transformer, data: Dataset) -> list[list[State]]:
    """Every sequence before the first and after every block, exact."""
    batch = Batch.of(data.tokens, data.offsets)
    states = [[sequence.tokens for sequence in data]]
    for block in transformer:
        batch = Transformer(transformer.dim, [block]).evaluate(batch)
        states.append([batch.tokens(j, data.offsets) for j in range(len(data))])
    return states


def telling_blocks(drawn: BlockFrames, most: int) -> list[int]:
    """At most `most` moments 0 (input), 1, .. (after block 0, ..): the ends, and those where most tokens move."""
    last = len(drawn)
    moved = [0] + [
        sum(a != b for x, y in zip(before, after, strict=True) for a, b in zip(x, y, strict=True))
        for before, after in zip(drawn.states, drawn.states[1:], strict=False)
    ]
    busy = [k for k in range(1, last) if moved[k]]
    if len(busy) + 2 <= most:
        return sorted({0, *busy, last})
    share = np.cumsum(moved) / max(sum(moved), 1)
    inner = (int(np.searchsorted(share, q)) for q in np.linspace(0, 1, most)[1:-1])
    return sorted({0, last, *(min(k, last) for k in inner)})


def token_styles(drawn: BlockFrames, k: int) -> list[Style]:
    """The style of every token at moment k, sequence by sequence: cut into the colours of all labels at its point."""
    labels: dict[tuple[Exact, ...], list[int]] = {}
    for j, state in enumerate(drawn.states[k]):
        for row in state:
            labels.setdefault(row, []).append(drawn.classes.index(drawn.groups[j]))
    styles = {row: follower_style(ranks) for row, ranks in labels.items()}
    return [styles[row] for state in drawn.states[k] for row in state]


def coinciding(drawn: BlockFrames, k: int) -> list[tuple[Array, list[int]]]:
    """(place, sequences) of every point at which some sequence has a token at moment k, exactly equal points joined."""
    places: dict[tuple[Exact, ...], tuple[Array, list[int]]] = {}
    for j, (state, points) in enumerate(zip(drawn.states[k], drawn.points[k], strict=True)):
        for row, place in zip(state, points, strict=True):
            members = places.setdefault(row, (place, []))[1]
            if j not in members:
                members.append(j)
    return list(places.values())
