"""One sequence at three temperatures: block by block the distance from hardmax, until all outputs coincide exactly."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np

from exactformer.arithmetic.state import State
from exactformer.arithmetic.text import Exact
from exactformer.constructions.built_transformer import Built
from exactformer.errors import InvalidInput, NotExact
from exactformer.evaluate.balls import BallTransformer
from exactformer.evaluate.box_attention import BoxTransformer
from exactformer.evaluate.boxes import Boxes
from exactformer.io.canonical import canonical
from exactformer.model.transformer import Transformer
from exactformer.report.block_frames import states_of
from exactformer.report.canvas import draw_on_log_scale, heading, new_figure, quiet
from exactformer.report.palette import INK

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

#: multiples of the least inverse temperature that are shown, their colours and markers
FACTORS = (Fraction(1), Fraction(3, 2), Fraction(3))
_STYLES = (("#c1440e", "o"), ("#3b6ea5", "s"), ("#2e7d32", "^"))
#: the bits of the enclosures at first and at most, and the least distance that a picture can show
_BITS, _MOST_BITS, LEAST = 1024, 1 << 16, 1e-280


@dataclass(frozen=True)
class TemperatureDistances:
    """The largest distance of a token from its place with hardmax after every block; 0 where it is exactly there."""

    beta: Fraction
    distances: list[float]


def departures_of(built: Built, sequence: int = 0) -> tuple[list[TemperatureDistances], list[State]]:
    """The departures at three temperatures, and the states with hardmax, of one sequence of a softmax construction."""
    if built.softmax is None or built.softmax.temperatures.high is not None:
        raise InvalidInput('plot: expected a construction by method leaders with attention="softmax"')
    beta, tokens = built.softmax.temperatures, built.data[sequence].tokens
    states = [after[0] for after in states_of(built.transformer, built.data[[sequence]])]
    parts = [
        Transformer(built.transformer.dim, built.transformer.blocks[:k]) for k in range(len(built.transformer) + 1)
    ]
    known = [BoxTransformer(part, beta).enclose(Boxes.of(tokens), built.softmax.bits).are_points for part in parts]
    found = []
    for factor in FACTORS:
        distances = [
            0.0 if exact else _distance(part, factor * beta.low, tokens, state)
            for part, state, exact in zip(parts, states, known, strict=True)
        ]
        found.append(TemperatureDistances(factor * beta.low, distances))
    return found, states


def _distance(part: Transformer, beta: Fraction, tokens: State, hardmax: State) -> float:
    """The largest distance of a coordinate from that with hardmax, bounded from above within a part in a thousand.

    Bits are added until the enclosures tell it so well, or tell that it is below LEAST, which stands for all of those.
    """
    bits = _BITS
    while True:
        low, high = _bounds(part, beta, tokens, hardmax, bits)
        if high < LEAST or high - low <= high / 1000:
            return max(float(high), LEAST)
        if bits >= _MOST_BITS:
            raise NotExact(f"plot: {bits} bits do not tell how far the tokens are from those with hardmax")
        bits *= 2


def _bounds(
    part: Transformer, beta: Fraction, tokens: State, hardmax: State, bits: int
) -> tuple[Exact | float, Exact | float]:
    """Bounds of the largest distance, from enclosures of so many bits; infinite where those are."""
    try:
        rows = BallTransformer(part, beta, bits).enclose(tokens)
    except NotExact:
        return 0, math.inf
    ends = [
        (max(low - x, x - high, 0), max(high - x, x - low))
        for row, exact in zip(rows, hardmax.rows(), strict=True)
        for (low, high), x in zip(row, exact, strict=True)
    ]
    return max(low for low, _ in ends), max(high for _, high in ends)


def draw_temperatures(built: Built, sequence: int = 0, *, title: str = "") -> Figure:
    """Left the tokens along the first coordinate that moves, right how far each temperature is from hardmax."""
    departures, states = departures_of(built, sequence)
    from matplotlib.ticker import MaxNLocator

    figure = new_figure(9.0, 3.4)
    left, right = figure.subplots(1, 2)
    floats = np.array([state.floats() for state in states])
    axis = int(np.argmax(np.ptp(floats[1:], axis=(0, 1))))
    left.plot(floats[:, :, axis], color="#999999", linewidth=0.6)
    for k, row in enumerate(floats[:, :, axis]):
        left.scatter([k] * len(row), row, s=9, color=INK, zorder=3)
    left.set_yscale("symlog")
    left.set_ylabel(f"coordinate {axis} of the tokens", fontsize=7)
    _draw_departures(right, departures)
    for ax in (left, right):
        quiet(ax)
        ax.xaxis.set_major_locator(MaxNLocator(12, integer=True))
        ax.set_xlabel("block", fontsize=7)
    words = f"sequence {sequence}: exact at {built.softmax.temperatures}" if built.softmax is not None else ""
    words = words.replace("beta", "\N{GREEK SMALL LETTER BETA}").replace(">=", "\N{GREATER-THAN OR EQUAL TO}")
    figure.suptitle(heading(title, words), fontsize=9)
    return figure


def _draw_departures(ax: Axes, departures: list[TemperatureDistances]) -> None:
    curves = draw_on_log_scale(ax, [departure.distances for departure in departures])
    for departure, heights, (colour, marker) in zip(departures, curves, _STYLES, strict=True):
        text = rf"$\beta$ = {canonical(departure.beta)}"
        ax.plot(heights, color=colour, marker=marker, markersize=4, linewidth=0.9, label=text)
    tiny = any(LEAST in departure.distances for departure in departures)
    words = "largest distance from hardmax"
    ax.set_ylabel(f"{words}\n(drawn as {LEAST:g} where it is less)" if tiny else words, fontsize=7)
    ax.legend(fontsize=7, frameon=False)
