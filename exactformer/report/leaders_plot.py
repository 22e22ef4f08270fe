"""How many leaders there are, and how late the last one comes, as functions of alpha: counted exactly, then drawn."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from random import Random
from typing import TYPE_CHECKING

from exactformer.conjectures.catalogue.late_leaders import late_leader
from exactformer.conjectures.proved_limit import fate
from exactformer.instances.generators import TokenFamily, mirror_pairs
from exactformer.instances.token_families import sample
from exactformer.io.canonical import canonical
from exactformer.model.tokens import Tokens
from exactformer.report.canvas import new_figure, quiet
from exactformer.report.palette import COLOURS, INK

if TYPE_CHECKING:
    from matplotlib.figure import Figure

ALPHAS = tuple(Fraction(2) ** k for k in range(-5, 5))
#: families of `ef.sample`, and the mirror pairs of the hunts
FAMILIES = ("generic", "integer-grid", "axis-ties", "symmetric-faces", "emerging-leader", "mirror-pairs")
#: the family with leaders as late as one likes, with these e and h
LATE = (Fraction(1, 20), Fraction(1, 2))


@dataclass(frozen=True)
class LeaderCounts:
    """Of a family at one alpha: leaders per instance, the layer of the last one, and how often it comes after layer 0.

    `mean_leaders` and `mean_last` are exact means over the instances, `latest` the largest layer of a last leader.
    """

    family: str
    alpha: Fraction
    mean_leaders: Fraction
    mean_last: Fraction
    latest: int
    late: int
    instances: int


def leader_counts(
    families: Sequence[str] = FAMILIES, alphas: Sequence[Fraction] = ALPHAS, count: int = 200, n: int = 8, d: int = 2
) -> list[LeaderCounts]:
    """Leaders of `count` instances of every family, the same tokens for every alpha, each proved for all layers.

    >>> found = leader_counts(["integer-grid"], [Fraction(1)], 3)
    >>> found[0].instances, found[0].mean_leaders > 0
    (3, True)
    """
    found = []
    for family in families:
        instances = [_drawn(family, n, d, seed) for seed in range(count)]
        for alpha in alphas:
            leads = [fate(Tokens(z.state, z.A, alpha)).leads_from for z in instances]
            found.append(_counted(family, alpha, leads))
    return found


def _drawn(family: str, n: int, d: int, seed: int) -> Tokens:
    """The distinct nonzero tokens of an instance."""
    if family == "mirror-pairs":
        return TokenFamily(sizes=(n,), dims=(d,), points=mirror_pairs)(Random(seed))
    tokens = sample(family, n, d, seed)
    rows = list(dict.fromkeys(row for row in tokens.state.rows() if any(row)))
    return Tokens(rows or [[1] * tokens.dim], tokens.A, tokens.alpha)


def _counted(family: str, alpha: Fraction, leads: Sequence[dict[int, int]]) -> LeaderCounts:
    last = [max(layers.values()) for layers in leads]
    total = Fraction(sum(map(len, leads)))
    late = sum(k > 0 for k in last)
    return LeaderCounts(family, alpha, total / len(leads), Fraction(sum(last), len(last)), max(last), late, len(leads))


def leader_table(counts: Sequence[LeaderCounts]) -> str:
    """One line per family and alpha: leaders, instances in which one comes after layer 0, the mean and latest layer."""
    lines = ["family             alpha  leaders     late  last leader: mean  latest"]
    lines += [
        f"{row.family:<18} {canonical(row.alpha):>5}  {float(row.mean_leaders):7.2f}  {row.late:>3}/{row.instances:<3}"
        f"  {float(row.mean_last):16.2f}  {row.latest:>6}"
        for row in counts
    ]
    return "\n".join(lines)


def draw_leaders(counts: Sequence[LeaderCounts]) -> Figure:
    """Leaders per instance, and the layer of the last one, over alpha; dashed, the family that is late by design."""
    figure = new_figure(9.2, 3.9)
    left, right = figure.subplots(1, 2)
    families = list(dict.fromkeys(row.family for row in counts))
    for k, family in enumerate(families):
        rows = [row for row in counts if row.family == family]
        alphas = [float(row.alpha) for row in rows]
        style = {"color": COLOURS[k % len(COLOURS)], "marker": "os^DvPX*"[k % 8], "markersize": 3.5, "linewidth": 1.1}
        left.plot(alphas, [float(row.mean_leaders) for row in rows], label=family, **style)
        right.plot(alphas, [1 + row.latest for row in rows], **style)
    steps = sorted({row.alpha for row in counts})
    late = [max(fate(late_leader(*LATE, alpha)).leads_from.values()) for alpha in steps]
    right.plot([float(alpha) for alpha in steps], [1 + k for k in late], color=INK, linestyle="--", linewidth=0.9,
               label="(\N{PLUS-MINUS SIGN}1, 1), (\N{PLUS-MINUS SIGN}9/10, 21/20), (0, 1/2)")  # fmt: skip
    for ax, up in ((left, "leaders per instance"), (right, "1 + latest layer at which a leader first leads")):
        ax.set_xscale("log", base=2)
        ax.set_xlabel("alpha", fontsize=8)
        ax.set_ylabel(up, fontsize=8)
        quiet(ax)
    left.set_ylim(bottom=0)
    left.legend(fontsize=6.5, frameon=False, ncols=2, loc="lower left")
    right.legend(fontsize=6.5, frameon=False)
    right.set_yscale("log")
    return figure
