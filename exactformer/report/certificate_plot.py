"""The picture of a certificate: its tokens layer by layer, or its sequences block by block."""

from __future__ import annotations

from typing import TYPE_CHECKING

from exactformer.certificates.opened import Certificate
from exactformer.errors import InvalidInput
from exactformer.model.json_lines import PathLike
from exactformer.report.accounts import account_of, certificate_passage
from exactformer.report.block_plot import draw_blocks
from exactformer.report.canvas import save
from exactformer.report.passage import EVERYTHING, Choice
from exactformer.report.plot import plot

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def plot_certificate(
    path: PathLike,
    kind: str | None,
    output: PathLike,
    *,
    layer: int | None = None,
    axes: tuple[int, int] | None = None,
    title: str = "",
    choice: Choice = EVERYTHING,
    names: list[str] | None = None,
) -> Figure:
    """Draws what a certificate is about; raises InvalidInput for a claim without a picture, or not of this kind.

    `layer` is the one to draw of an orbit; `names` are those of the sequences in the user's file, in its order.
    """
    opened = Certificate.open(path)
    if opened.claim == "interpolation":
        if kind not in (None, "blocks", "bits"):
            raise InvalidInput(f"kind: expected one of blocks, bits for a construction, got {kind!r}")
        if kind == "bits":
            return plot(opened.transformer, path=output, title=title)
        passage = certificate_passage(opened, axes=axes, choice=choice, names=names)
        figure = draw_blocks(passage, title=title, blocks=choice.blocks)
        save(figure, output)
        return figure
    account = account_of(path)
    if account.orbit is None:
        raise InvalidInput(
            f"{path}: a certificate of claim {opened.claim} has no picture; exactformer report shows its tables"
        )
    return plot(account.orbit, kind, layer=layer, axes=axes, title=title or account.picture_title, path=output)
