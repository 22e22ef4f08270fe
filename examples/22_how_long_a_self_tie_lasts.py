"""The open case of the theorem on stabilisation: how long can a cluster do what a counterexample has to do for ever?

    python examples/22_how_long_a_self_tie_lasts.py                              # a few seconds
    python examples/22_how_long_a_self_tie_lasts.py --seconds 3600 --store ties.json  # goes on where it stopped
    python examples/22_how_long_a_self_tie_lasts.py --seconds 0 --store ties.json --with other.json  # of two seeds

A largest token has to tie with itself and at least two targets at every late layer, and must not stay the same.
"""

import argparse
from fractions import Fraction
from pathlib import Path

from exactformer.conjectures.tie_search import TieCampaign, TieSearch
from exactformer.instances.tie_patterns import ClusterShape

#: (alpha, tokens that move, dimension, tokens of a target, targets or None for new ones at every layer)
SHAPES = [
    *((alpha, n, 4, 2, None) for alpha in (3, 8, 15, 24) for n in (1, 2, 3)),
    *((alpha, n, 5, 2, None) for alpha in (3, 8, 15) for n in (2, 3)),
    (8, 2, 4, 3, None), (15, 2, 4, 3, None), (15, 2, 4, 4, None),
    *((alpha, n, 4, 2, t) for alpha in (3, 8, 15)
      for n, t in ((1, 1), (2, 1), (2, 2), (2, 3), (2, 4), (2, 6), (3, 3), (3, 4))),
    *((alpha, 2, 5, 2, t) for alpha in (3, 8) for t in (3, 4)),
]  # fmt: skip


def table(campaign: TieCampaign) -> str:
    """One line for every shape: the longest tie, the longest with a change, the one with most changes."""
    lines = [
        f"{campaign.seconds:,.0f} s of CPU time, {sum(s.proposals for s in campaign.searches):,} proposals",
        "alpha  d  moving  of a target  targets   proposals   longest  with a change  most changes (layers)",
    ]
    for search in campaign.searches:
        shape, most = search.shape, search.most_changes()
        longest, changed = search.longest(), search.longest(1)
        targets = "new" if shape.targets is None else f"{shape.targets}"
        changes = f"{most.changes} ({most.layers})" if most and most.changes else "-"
        lines.append(
            f"{shape.alpha!s:>5}  {shape.dim + 2}  {shape.moving:>6}  {shape.weight:>11}  {targets:>7}"
            f"  {search.proposals:>10,}  {longest.layers if longest else 0:>8}"
            f"  {changed.layers if changed else '-':>13}  {changes:>12}"
        )
    return "\n".join(lines)


def main() -> None:
    """Searches for a while, and prints the record."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=3.0, help="of CPU time")
    parser.add_argument("--store", type=Path, help="a file in which the search is kept")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument(
        "--with", dest="others", type=Path, nargs="*", default=[], help="stores of other seeds, for the table"
    )
    given = parser.parse_args()
    if given.store is not None and given.store.exists():
        campaign = TieCampaign.read(given.store)
    else:
        shapes = [ClusterShape(Fraction(alpha), n, d - 2, weight, t) for alpha, n, d, weight, t in SHAPES]
        campaign = TieCampaign([TieSearch(shape) for shape in shapes], given.seed)
    end = campaign.seconds + given.seconds
    while campaign.seconds < end:
        for _ in campaign.run(min(60.0, end - campaign.seconds)):
            pass
        if given.store is not None:
            campaign.save(given.store)
    for other in given.others:
        campaign = campaign.joined(TieCampaign.read(other))
    print(table(campaign))


if __name__ == "__main__":
    main()
