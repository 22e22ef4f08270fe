"""The animation of an orbit: every layer a picture, with the tokens gliding from one to the next."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from exactformer.errors import InvalidInput, MissingExtra
from exactformer.io.json_lines import PathLike, write_atomically
from exactformer.report.canvas import heading, new_figure
from exactformer.report.orbit_frames import OrbitFrames
from exactformer.report.orbit_plot import draw_layer

if TYPE_CHECKING:
    from matplotlib.figure import Figure

WRITERS = {".gif": "pillow", ".mp4": "ffmpeg"}


#: pictures from one layer to the next, and the tokens up to which there is more than one
STEPS, FEW = 4, 400


def glide(drawn: OrbitFrames, steps: int) -> OrbitFrames:
    """The frames with `steps` pictures from each layer to the next; whom a token follows changes with the layer."""
    layers, points, follows = [], [], []
    for k in range(len(drawn) - 1):
        for step in range(steps):
            share = step / steps
            layers.append(drawn.layers[k])
            points.append((1 - share) * drawn.points[k] + share * drawn.points[k + 1])
            follows.append(drawn.follows[k])
    ends = (drawn.layers[-1:], drawn.points[-1:], drawn.follows[-1:])
    return OrbitFrames(layers + ends[0], points + ends[1], follows + ends[2], drawn.leads_from, drawn.words)


def save_animation(drawn: OrbitFrames, path: PathLike, *, frames_per_second: int = 8, title: str = "") -> None:
    """Writes frames as GIF or MP4, by the ending of the path, the tokens gliding from layer to layer."""
    drawn = glide(drawn, STEPS if len(drawn.points[0]) <= FEW else 1)
    figure = new_figure(4.4, 4.4)
    ax = figure.subplots()

    def show(at: int) -> None:
        ax.clear()
        draw_layer(ax, drawn, at)
        ax.set_title(heading(title, f"layer {drawn.layers[at]}", drawn.words), fontsize=9)

    save_frames(figure, show, len(drawn), path, frames_per_second=frames_per_second)


def save_frames(
    figure: Figure, show: Callable[[int], None], count: int, path: PathLike, *, frames_per_second: int = 8
) -> None:
    """Writes the pictures that `show` draws into a figure as GIF or MP4, by the ending of the path."""
    from matplotlib.animation import FuncAnimation, writers

    name = WRITERS.get(Path(path).suffix.lower())
    if name is None:
        raise InvalidInput(f"{path}: expected an animation ending in .gif or .mp4, got {Path(path).suffix!r}")
    if not writers.is_available(name):
        raise MissingExtra(f"{path}: an animation of this kind needs {name}; install it, or write a .gif")

    def drawn(at: int) -> list[object]:
        show(at)
        return []

    moving = FuncAnimation(figure, drawn, frames=count, blit=False)
    with tempfile.TemporaryDirectory() as folder:  # written piece by piece: beside its place until whole
        unfinished = Path(folder) / f"animation{Path(path).suffix.lower()}"
        moving.save(os.fspath(unfinished), writer=writers[name](fps=frames_per_second), dpi=110)
        write_atomically(path, unfinished.read_bytes())
