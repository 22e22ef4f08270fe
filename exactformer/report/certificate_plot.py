"""The picture of a certificate: its tokens layer by layer, or its sequences block by block."""

from __future__ import annotations

from itertools import islice
from typing import Any

from exactformer.arithmetic.state import State
from exactformer.errors import InvalidInput
from exactformer.model.json_lines import PathLike, read_lines
from exactformer.model.transformer_files import open_transformer
from exactformer.report.accounts import account_of, numbers
from exactformer.report.block_plot import SEQUENCES, Passage, draw_blocks, passage_of
from exactformer.report.canvas import save
from exactformer.report.plot import plot


def plot_certificate(path: PathLike, kind: str | None, output: PathLike, *, axes: Any = None, title: str = "") -> Any:
    """Draws what a certificate is about; raises InvalidInput for a claim without a picture."""
    claim = next(read_lines(path), {}).get("claim")
    if claim == "interpolation":
        opened = open_transformer(path)
        if kind == "bits":
            return plot(opened.transformer, path=output, title=title)
        figure = draw_blocks(_passage(opened, axes), title=title)
        save(figure, output)
        return figure
    orbit = account_of(path).orbit
    if orbit is None:
        raise InvalidInput(
            f"{path}: a certificate of claim {claim} has no picture; exactformer report shows its tables"
        )
    return plot(orbit, kind, axes=axes, title=title, path=output)


def _passage(opened: Any, axes: Any) -> Passage:
    lines = list(islice(opened.sequences, SEQUENCES))
    sequences = [State.of([numbers(x) for x in line["tokens"]]) for line in lines]
    targets = [State.of([numbers(y) for y in line["targets"]]) for line in lines]
    names = [line.get("label", f"sequence {j}") for j, line in enumerate(lines)]
    return passage_of(opened.transformer, sequences, targets, names, axes=axes, total=opened.header["sequences"])
