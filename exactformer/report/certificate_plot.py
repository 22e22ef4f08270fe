"""The picture of a certificate: its tokens layer by layer, or its sequences block by block."""

from __future__ import annotations

from typing import Any

from exactformer.certificates.opened import Certificate
from exactformer.errors import InvalidInput
from exactformer.model.json_lines import PathLike
from exactformer.report.accounts import account_of
from exactformer.report.block_plot import SEQUENCES, Passage, draw_blocks, passage_of
from exactformer.report.canvas import save
from exactformer.report.plot import plot


def plot_certificate(path: PathLike, kind: str | None, output: PathLike, *, axes: Any = None, title: str = "") -> Any:
    """Draws what a certificate is about; raises InvalidInput for a claim without a picture."""
    opened = Certificate.open(path)
    if opened.claim == "interpolation":
        if kind == "bits":
            return plot(opened.transformer, path=output, title=title)
        figure = draw_blocks(_passage(opened, axes), title=title)
        save(figure, output)
        return figure
    orbit = account_of(path).orbit
    if orbit is None:
        raise InvalidInput(
            f"{path}: a certificate of claim {opened.claim} has no picture; exactformer report shows its tables"
        )
    return plot(orbit, kind, axes=axes, title=title, path=output)


def _passage(opened: Certificate, axes: Any) -> Passage:
    data, labels = opened.dataset(SEQUENCES), opened.labels(SEQUENCES)
    names = [label if label is not None else f"sequence {j}" for j, label in enumerate(labels)]
    sequences, targets = [s.tokens for s in data], [data.targets_of(j) for j in range(len(data))]
    total = opened.header["sequences"]
    return passage_of(opened.transformer, sequences, targets, names, axes=axes, total=total)
