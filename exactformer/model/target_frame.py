"""Where every sequence of a data set is mapped, as a frame."""

from __future__ import annotations

from collections.abc import Callable

from exactformer.arithmetic.state import State
from exactformer.display.frames import DataFrame, frame
from exactformer.model.dataset import Dataset


def target_frame(data: Dataset, targets: Callable[[int], State]) -> DataFrame:
    """The columns sequence, label (where there are labels), y1..yd; a row for every point of targets(j), all j."""
    names = data.names or [str(j) for j in range(len(data))]
    labels = data.labels
    heads = ([name] if labels is None else [name, labels[j]] for j, name in enumerate(names))
    columns = ["sequence", *([] if labels is None else ["label"]), *(f"y{k + 1}" for k in range(data.dim))]
    return frame(columns, [(*head, *row) for j, head in enumerate(heads) for row in targets(j).rows()])
