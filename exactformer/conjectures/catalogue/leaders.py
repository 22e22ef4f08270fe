"""Plausible beliefs about leaders and followers, most of them false."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from fractions import Fraction
from pathlib import Path

from exactformer.conjectures.arrays import leaders as of_arrays
from exactformer.conjectures.arrays.proved import Prove
from exactformer.conjectures.catalogue.conditions import CLUSTERING
from exactformer.conjectures.catalogue.lemmas import nearest_tie
from exactformer.conjectures.counterexample_claim import weight_pairs, write_token_counterexample
from exactformer.conjectures.proved_limit import Fate, fate, proved_limit
from exactformer.conjectures.statement import Certify, Conclusion, Statement
from exactformer.conjectures.verdict import StatementVerdict, fails, holds
from exactformer.dynamics.limit_claim import certificate_lines
from exactformer.dynamics.plain_orbit import PlainLayer, PlainOrbit
from exactformer.geometry.hull import NotVertex, vertex
from exactformer.instances.generators import TokenFamily
from exactformer.instances.tokens import exact_parts
from exactformer.io.json_lines import JsonObject
from exactformer.model.tokens import Tokens

#: slow motion leaves time for late events
SLOW = tuple(map(Fraction, ("1", "1/2", "1/4", "1/8", "1/16", "1/32")))
BELIEF = "folklore"


def leaders_are_vertices(tokens: Tokens) -> StatementVerdict:
    """A token is a leader, at some layer, exactly if it is a vertex of the initial hull."""
    rows = exact_parts(tokens)[0]
    end = fate(tokens)
    for i, row in enumerate(rows):
        if end.leads_from.get(i) == 0:
            continue  # exposed by A z_i
        answer = vertex(row, rows)
        if isinstance(answer, NotVertex):
            if i in end.leads_from:
                return fails(token=i, leader=True, weights=list(answer.weights))
        elif i not in end.leads_from:
            return fails(token=i, leader=False, normal=list(answer.normal))
    return holds()


def tends_to_leader(tokens: Tokens) -> StatementVerdict:
    """Every limit is the position of a leader."""
    end = fate(tokens)
    leading = {end.limits[i] for i in end.leads_from}
    stray = [i for i, point in enumerate(end.limits) if point not in leading]
    return fails(token=stray[0]) if stray else holds(nearest_tie(PlainOrbit(tokens)[0]))


def leads_at_once(tokens: Tokens) -> StatementVerdict:
    """Every leader is one at layer 0."""
    late = _late(fate(tokens), 0)
    return fails(token=late[1], layers=late[0]) if late else holds(left_behind(PlainOrbit(tokens)[0]))


def constant_after_n(tokens: Tokens) -> StatementVerdict:
    """The follower sets do not change after layer n."""
    end, n = fate(tokens), len(tokens)
    late = [k for k in end.changes if k > n]
    if late:
        return fails(layers=late[0])
    return holds(max(end.changes, default=0) / (n + 1))


def leads_within_n(tokens: Tokens) -> StatementVerdict:
    """Every leader is one at layer n."""
    end, n = fate(tokens), len(tokens)
    late = _late(end, n)
    if late:
        return fails(token=late[1], layers=late[0])
    last = max(end.leads_from.values(), default=0)
    # a leader that is left behind comes the later the smaller alpha is; one that breaks a tie comes at once
    return holds(0.6 * left_behind(PlainOrbit(tokens)[0]) + 0.4 * last / (n + 1))


def _late(end: Fate, layer: int) -> tuple[int, int] | None:
    """(first layer at which it leads, token) for the leader that emerges last, if that is after the given layer."""
    late = [(k, i) for i, k in end.leads_from.items() if k > layer]
    return max(late) if late else None


def left_behind(layer: PlainLayer) -> float:
    """How well a token i is placed to lead later: it follows j, j goes to l, and i prefers itself to l."""
    best = 0.0
    for i, (j, *tied) in enumerate(layer.follows):
        for l in layer.follows[j] if not tied else ():
            if j not in (i, l) and layer.scores[i][l] < layer.scores[i][i]:
                best = max(best, _race(layer.scores, i, j, l))
    return best


def _race(s: list[list[int]], i: int, j: int, l: int) -> float:
    """Which comes first, at the speeds of this layer: i prefers itself to j (1), or l to itself (0).

    g = <A z_i, z_j - z_i> must vanish before h = <A z_i, z_i - z_l> does; g' and h' are their derivatives in time
    for z_i' = z_j - z_i, z_j' = z_l - z_j and l at rest.
    """
    g, h = s[i][j] - s[i][i], s[i][i] - s[i][l]
    dg = s[j][j] + s[i][l] - 4 * s[i][j] + 2 * s[i][i]
    dh = 2 * s[i][j] - 2 * s[i][i] - s[j][l] + s[i][l]
    if dg >= 0:
        return 0.2 / (1 + dg / (g + h))
    return 0.2 + 0.8 * (1.0 if dh >= 0 else 1 - g * dh / (g * dh + h * dg))


def certify_orbit(name: str) -> Certify:
    """The writer for statements whose failure shows on the layers 0..K themselves."""

    def certify(tokens: Tokens, verdict: StatementVerdict, path: Path) -> None:
        lines = [{"token": verdict.witness["token"]}] if "token" in verdict.witness else []
        write_refutation(path, name, tokens, verdict.witness["layers"], lines)

    return certify


def certify_with_limit(name: str) -> Certify:
    """The writer for statements whose failure needs the proved limits: their lines, then the witness."""

    def certify(tokens: Tokens, verdict: StatementVerdict, path: Path) -> None:
        found, last = proved_limit(tokens), dict(verdict.witness)
        if "weights" in last:
            last["weights"] = weight_pairs(last["weights"])
        if "normal" in last:
            last["normal"] = list(map(Fraction, last["normal"]))
        lines = [*certificate_lines(found), {"leaders": list(found.leaders)}, last]
        write_refutation(path, name, tokens, found.proved_from_layer, lines)

    return certify


def write_refutation(
    path: Path,
    name: str,
    tokens: Tokens,
    layers: int,
    lines: Iterable[JsonObject],
) -> None:
    """The certificate that a statement fails on an instance."""
    rows = tokens.state.rows()
    write_token_counterexample(path, name, tokens.A, tokens.alpha, rows, layers, lines)


def _belief(
    name: str,
    words: str,
    conclusion: Conclusion,
    certify: Callable[[str], Certify],
    family: TokenFamily,
    prove: Prove | None = None,
) -> Statement:
    return Statement(name, words, "false", BELIEF, CLUSTERING, conclusion, family, certify(name), prove)


STATEMENTS = (
    _belief(
        "leaders-are-initial-vertices",
        "The leaders are exactly the tokens that are vertices of the initial hull.",
        leaders_are_vertices,
        certify_with_limit,
        TokenFamily(),
    ),
    _belief(
        "every-token-tends-to-a-leader",
        "Every token tends to the position of a leader.",
        tends_to_leader,
        certify_with_limit,
        TokenFamily(),
        of_arrays.tends_to_leader,
    ),
    _belief(
        "every-leader-leads-at-once",
        "Every leader is a leader at layer 0.",
        leads_at_once,
        certify_orbit,
        TokenFamily(steps=SLOW),
        of_arrays.leads_at_once,
    ),
    _belief(
        "graph-constant-after-n",
        "The follower sets are constant from layer n on.",
        constant_after_n,
        certify_orbit,
        TokenFamily(steps=SLOW),
        of_arrays.constant_after_n,
    ),
    _belief(
        "last-leader-within-n",
        "Every leader is one at layer n.",
        leads_within_n,
        certify_orbit,
        TokenFamily(sizes=(3, 4, 5, 6, 7, 8), dims=(2, 2, 3), steps=SLOW),
        of_arrays.leads_within_n,
    ),
)
