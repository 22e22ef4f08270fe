"""Do the follower sets always become constant? Open; what an instance can show is that its own do."""

from __future__ import annotations

import math

from exactformer.conjectures.arrays import leaders as of_arrays
from exactformer.conjectures.catalogue.conditions import CLUSTERING
from exactformer.conjectures.catalogue.lemmas import SOURCE
from exactformer.conjectures.proved_limit import fate
from exactformer.conjectures.statement import Statement
from exactformer.conjectures.verdict import StatementVerdict, holds
from exactformer.instances.self_ties import SelfTies
from exactformer.model.tokens import Tokens


def graph_stabilises(tokens: Tokens) -> StatementVerdict:
    """The follower sets are constant from some layer on, with proof; nothing finite could refute it.

    The nearness is k/(k + 4) for the k-th layer, counted from one, at which a token that moves last tied with itself
    and two others: sets that never become constant would have to show that at every late layer. It is 1 where it lasts.
    """
    last = fate(tokens).self_tie
    return holds(0.0 if last is None else 1.0 if math.isinf(last) else (last + 1) / (last + 5))


STATEMENTS = (
    Statement(
        "graph-stabilises",
        "The follower sets are constant from some layer on.",
        "open",
        f"{SOURCE}: open; an instance counts as true once the sets are proved constant, and can only stay undecided",
        CLUSTERING,
        graph_stabilises,
        SelfTies(),
        prove=of_arrays.graph_stabilises,
    ),
)
