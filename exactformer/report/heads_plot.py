"""What every head looks at on a word: arcs over the word, block by block, with the tokens below."""

from __future__ import annotations

from typing import TYPE_CHECKING

from exactformer.arithmetic.short_text import show
from exactformer.errors import Declined
from exactformer.languages.attend import Attended
from exactformer.report.canvas import new_figure, plain_label, set_heading
from exactformer.report.palette import COLOURS, INK, NEUTRAL

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from exactformer.model.heads import MultiHeadStep

#: positions and blocks with heads beyond which a picture cannot be read; coordinates written below a position
POSITIONS, BLOCKS, COORDINATES = 60, 40, 8


def draw_heads(found: Attended, *, title: str = "") -> Figure:
    """One row per block with heads: an arc from every position to each one it follows, a colour per head.

    Below a position stand its first coordinates after the block; a position that sees nothing has no arc.
    """
    blocks = [(b, step) for b, step in enumerate(found.steps) if step.follows]
    if len(found.names) > POSITIONS or len(blocks) > BLOCKS:
        raise Declined(
            f"a word of {len(found.names)} positions in {len(blocks)} blocks with heads; "
            f"at most {POSITIONS} and {BLOCKS} can be read"
        )
    rows = max(1, len(blocks))
    figure = new_figure(max(5.0, 1.2 + 0.55 * len(found.names)), 2.3 * rows + 0.5)
    axes = figure.subplots(rows, 1, squeeze=False).ravel().tolist()
    for ax, (b, step) in zip(axes, blocks, strict=False):
        _draw_block(ax, found.names, step)
        ax.set_title(f"block {b}", fontsize=8, loc="left")
    if not blocks:
        axes[0].axis("off")
        axes[0].text(0.5, 0.5, "no block has a head", ha="center")
    word = "".join(found.names) or "the empty word"
    set_heading(figure, title, f"{word}: {found.verdict}")
    return figure


def _draw_block(ax: Axes, names: tuple[str, ...], step: MultiHeadStep) -> None:
    highest = 0.5
    for h, follows in enumerate(step.follows):
        colour = COLOURS[h % len(COLOURS)]
        for i, chosen in enumerate(follows):
            for j in chosen:
                highest = max(highest, _draw_arc(ax, i, j, colour, thin=len(chosen) > 1))
    for i, name in enumerate(names):
        sees = any(follows[i] for follows in step.follows)
        ax.text(i, 0, plain_label(name), ha="center", va="center", fontsize=11, color=INK if sees else NEUTRAL)
        shown = [plain_label(show(x)) for x in step.outputs[i][:COORDINATES]]
        rest = [".."] if len(step.outputs[i]) > COORDINATES else []
        ax.text(i, -0.3, "\n".join([*shown, *rest]), ha="center", va="top", fontsize=5.5, color=INK)
    ax.set_xlim(-0.8, max(len(names), 1) - 0.2)
    ax.set_ylim(-0.3 - 0.17 * min(COORDINATES + 1, len(step.outputs[0])), highest + 0.1)
    ax.axis("off")


def _draw_arc(ax: Axes, i: int, j: int, colour: str, *, thin: bool) -> float:
    """An arrow from position i to j above the word; a position that follows itself gets a small loop."""
    from matplotlib.patches import FancyArrowPatch

    if i == j:
        ax.annotate("", (i + 0.12, 0.22), (i - 0.12, 0.22), arrowprops=_style(colour, "arc3,rad=-1.8", thin))
        return 0.6
    bend = 0.5 if i > j else -0.5
    arrow = FancyArrowPatch(
        (i, 0.2),
        (j, 0.2),
        connectionstyle=f"arc3,rad={bend}",
        arrowstyle="-|>",
        mutation_scale=7,
        color=colour,
        lw=0.7 if thin else 1.2,
        alpha=0.6 if thin else 1.0,
    )
    ax.add_patch(arrow)
    return 0.25 + 0.26 * abs(i - j)


def _style(colour: str, connection: str, thin: bool) -> dict[str, object]:
    return {"arrowstyle": "-|>", "color": colour, "lw": 0.7 if thin else 1.2, "connectionstyle": connection}
