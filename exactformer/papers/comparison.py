"""Constructions beside each other on the same data: numbers, depth, bits and attention, against N."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from exactformer.constructions.build_report import BuildReport
from exactformer.io.untyped import OptionValue

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from exactformer.model.dataset import Dataset

#: tokens per sequence and their dimension: method extraction needs four
LENGTH, DIM = 5, 4


@dataclass(frozen=True)
class Competitor:
    """A construction with its options, whose it is, and its attention."""

    name: str
    method: str
    origin: str
    attention: str
    options: Mapping[str, OptionValue] = field(default_factory=dict)


COMPETITORS = (
    Competitor("shallow", "shallow", "ours", "uniform"),
    Competitor("deep", "deep", "ours", "uniform"),
    Competitor("leaders", "leaders", "the theorem's idea, fewer blocks", "rank one"),
    Competitor("paper", "paper", "the theorem's four stages", "rank one, identity"),
    Competitor("compact", "compact", "ours", "uniform"),
    Competitor("extraction", "extraction", "published for networks", "uniform"),
    Competitor("softmax leaders", "leaders", "ours", "rank one, softmax", {"attention": "softmax", "beta": 1}),
    Competitor("temperature", "temperature", "ours", "one query, softmax", {"beta": 1}),
)


def random_data(count: int, seed: int = 0) -> Dataset:
    """So many sequences of five tokens of six decimals in Q^4, with one of two labels drawn at random.

    >>> len(random_data(10))
    10
    """
    import numpy as np

    from exactformer.arithmetic.state import State
    from exactformer.model.dataset import Dataset

    rng = np.random.default_rng(seed)
    tokens = rng.integers(-(10**6), 10**6, (count * LENGTH, DIM))
    labels = ["01"[k] for k in rng.integers(0, 2, count)]
    labels[:2] = "01"  # both are there
    return Dataset(State(tokens, 10**6), np.arange(0, count * LENGTH + 1, LENGTH), labels)


def competitor_report(competitor: Competitor, data: Dataset) -> BuildReport:
    """What a construction stores for the data, after it was verified on them."""
    from exactformer.constructions.pipeline import construct

    return construct(data, method=competitor.method, **competitor.options).report


#: name of a construction -> (N, blocks, numbers) for every N it was tried with
Measured = Mapping[str, Iterable[tuple[int, int, int]]]


def draw_comparison(measured: Measured) -> Figure:
    """Numbers and blocks against N, both logarithmic; the theorem's 4N + 1 blocks, one number each at least, dashed."""
    from exactformer.report.canvas import new_figure
    from exactformer.report.curve_plot import add_curves

    figure = new_figure(9.6, 4.6)
    rows = {name: list(points) for name, points in measured.items()}
    sizes = sorted({count for points in rows.values() for count, _, _ in points})
    theorem = (sizes, [4 * count + 1 for count in sizes])
    left, right = figure.subplots(1, 2)
    across = "N, sequences with two labels"
    for ax, k, up in ((left, 2, "numbers stored"), (right, 1, "blocks")):
        curves = {name: ([p[0] for p in points], [p[k] for p in points]) for name, points in rows.items()}
        bounds = {"theorem: 4N + 1 blocks": theorem, **({"N, one number a label": (sizes, sizes)} if k == 2 else {})}
        add_curves(ax, curves, bounds=bounds, across=across, up=up)
    figure.legend(*left.get_legend_handles_labels(), loc="outside lower center", ncols=5, fontsize=7, frameon=False)
    return figure
