"""Colours and marker shapes that stay apart in grey and for the colour-blind (Okabe and Ito's palette)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

COLOURS = ("#0072B2", "#E69F00", "#009E73", "#CC79A7", "#D55E00", "#56B4E9", "#F0E442")
SHAPES = ("circle", "square", "triangle", "diamond", "down", "plus", "cross")
NEUTRAL = "#BBBBBB"
INK = "#222222"

#: shape -> marker of matplotlib
MARKERS = dict(zip(SHAPES, ("o", "s", "^", "D", "v", "P", "X"), strict=True)) | {"star": "*"}

#: the shades in which the colours come again: as they are, darker, lighter (towards, by how much)
_SHADES = ((0, 0.0), (0, 0.41), (255, 0.5))
#: the most colours a tie shows
SLICES = 4


@dataclass(frozen=True)
class Style:
    """How a token is drawn: its shape and one colour, or one slice per leader of a tie."""

    shape: str
    colours: tuple[str, ...]

    @property
    def name(self) -> str:
        """A name that no other style has: circle-0072B2-E69F00."""
        return "-".join((self.shape, *(colour[1:] for colour in self.colours)))


def colour(rank: int | None) -> str:
    """The colour of the leader with this rank, 21 different ones; grey for what is not a leader.

    >>> colour(0), colour(7), colour(14)
    ('#0072B2', '#004369', '#7FB8D8')
    """
    if rank is None:
        return NEUTRAL
    base = COLOURS[rank % len(COLOURS)]
    towards, share = _SHADES[rank // len(COLOURS) % len(_SHADES)]
    parts = (int(base[k : k + 2], 16) for k in (1, 3, 5))
    return "#" + "".join(f"{int(part + (towards - part) * share):02X}" for part in parts)


def shape(rank: int) -> str:
    """The marker of a rank; when the colours repeat, the shapes are shifted, so that 49 ranks differ."""
    return SHAPES[(rank + rank // len(COLOURS)) % len(SHAPES)]


def leader_style(rank: int) -> Style:
    """A star in the colour of the leader."""
    return Style("star", (colour(rank),))


def follower_style(ranks: Iterable[int | None]) -> Style:
    """The shape and colour of the one leader followed, or a disc cut into the colours of a tie.

    >>> follower_style([1]), follower_style([0, 1]).colours == COLOURS[:2]
    (Style(shape='square', colours=('#E69F00',)), True)
    """
    followed = list(dict.fromkeys(ranks))
    colours = tuple(dict.fromkeys(colour(rank) for rank in followed))[:SLICES]
    if len(followed) > 1:
        return Style("circle", colours)
    rank = followed[0]
    return Style("circle" if rank is None else shape(rank), colours)
