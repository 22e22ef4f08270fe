"""The picture of a certificate: its tokens layer by layer, or its sequences block by block."""

from __future__ import annotations

from typing import TYPE_CHECKING

from exactformer.certificates.certificate import Certificate
from exactformer.checking import check
from exactformer.errors import InvalidInput, Malformed
from exactformer.io.json_lines import PathLike
from exactformer.report.block_frames import EVERYTHING, Choice
from exactformer.report.block_plot import draw_blocks
from exactformer.report.canvas import save
from exactformer.report.claim_summary import certificate_frames, claim_summary
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
        drawn = certificate_frames(opened, axes=axes, choice=choice, names=names)
        figure = draw_blocks(drawn, title=title, blocks=choice.blocks)
        save(figure, output)
        return figure
    verdict = check(path)
    if verdict.verdict == "malformed":
        raise Malformed(f"{path}, {verdict.where}: {verdict.why}")
    summary = claim_summary(path)
    if summary.orbit is None:
        raise InvalidInput(
            f"{path}: a certificate of claim {opened.claim} has no picture; exactformer report shows its tables"
        )
    return plot(summary.orbit, kind, layer=layer, axes=axes, title=title or summary.picture_title, path=output)
