"""The dial of method compact: fewer and longer numbers, or more and shorter ones, for the same labels."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from exactformer.constructions.build_report import BuildReport
from exactformer.constructions.methods.compact.method import MOST_LABELS
from exactformer.constructions.pipeline import construct
from exactformer.model.dataset import Dataset
from exactformer.report.canvas import count_on_log_scale, new_figure, plain_label, quiet
from exactformer.report.palette import COLOURS, INK

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def dial_of(data: Dataset, *, seed: int = 0) -> list[BuildReport]:
    """The reports of compact for at most G = N, N/2, N/4, .. groups, down to one or to MOST_LABELS labels a group."""
    groups, reports = len(data), []
    while groups >= 1 and len(data) <= groups * MOST_LABELS:
        reports.append(construct(data, method="compact", groups=groups, seed=seed).report)
        groups //= 2
    return reports


def draw_dial(reports: Sequence[BuildReport], *, title: str = "") -> Figure:
    """Numbers stored against the slopes that hold the labels, and against all bits with the information bound."""
    figure = new_figure(6.4, 3.2)
    left, right = figure.subplots(1, 2, sharey=True)
    groups = [report.compact.groups for report in reports if report.compact is not None]
    for ax, across in ((left, groups), (right, [report.weight_bits for report in reports])):
        for kind, style in (("parameters", (0, "o", "numbers")), ("looped_parameters", (2, "^", "equal blocks once"))):
            colour, marker, label = style
            numbers = [getattr(report, kind) for report in reports]
            ax.loglog(across, numbers, color=COLOURS[colour], marker=marker, markersize=3, linewidth=1, label=label)
        quiet(ax)
    bound = reports[0].information_bits
    right.axvline(bound, color=INK, linewidth=0.9, linestyle="--", label=f"information, {bound} bits")
    for k in {groups.index(max(groups)), groups.index(min(groups))}:
        at = (reports[k].weight_bits, reports[k].parameters)
        right.annotate(f"G = {groups[k]}", at, xytext=(4, 0), textcoords="offset points", fontsize=6)
    left.set_xlabel("G, slopes that hold the labels", fontsize=8)
    left.set_ylabel("numbers stored", fontsize=8)
    right.set_xlabel("bits of all numbers", fontsize=8)
    right.legend(fontsize=6, frameon=False)
    for ax in (left, right):
        ax.margins(x=0.15)
        for axis in (ax.xaxis, ax.yaxis):
            count_on_log_scale(axis)
    figure.suptitle(plain_label(title) or f"the dial: {reports[0].sequences} sequences, exactly", fontsize=9)
    return figure
