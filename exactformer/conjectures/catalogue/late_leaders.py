"""How late leaders come, how many there are, and how they depend on alpha."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from random import Random
from typing import Any

from exactformer.conjectures.arrays import leaders as of_arrays
from exactformer.conjectures.catalogue.clustering import interior_weights
from exactformer.conjectures.catalogue.conditions import AT_LEAST_ONE, CLUSTERING
from exactformer.conjectures.catalogue.leaders import (
    BELIEF,
    certify_orbit,
    leads_within_n,
    left_behind,
    write_refutation,
)
from exactformer.conjectures.counterexample_claim import weight_pairs
from exactformer.conjectures.proved_limit import fate, proved_limit
from exactformer.conjectures.statement import Certify, Conclusion, Hypothesis, Statement
from exactformer.conjectures.verdict import StatementVerdict, fails, holds
from exactformer.dynamics.limit_claim import certificate_lines
from exactformer.dynamics.plain_orbit import PlainOrbit
from exactformer.errors import InvalidInput
from exactformer.geometry.hull import NotVertex, vertex
from exactformer.instances import generators
from exactformer.instances.generators import TokenFamily
from exactformer.instances.tokens import exact_parts, tokens_of
from exactformer.model.tokens import Tokens

ONE = Fraction(1)
NEAR_SYMMETRIC = TokenFamily(
    sizes=(4, 5, 6, 7), dims=(2, 2, 2, 3), steps=(ONE, ONE, Fraction(2), Fraction(3)), points=generators.mirror_pairs
)


# the family with leaders arbitrarily late ----------------------------------------------------------------------
def late_leader(e: Fraction, h: Fraction, alpha: Fraction) -> Tokens:
    """(+-1, 1), (+-(1-2e), 1+e), (0, h), 0 < e < 1/5, 0 < h < 1.

    The pair (+-(1-2e), 1+e) follows the leaders (+-1, 1), its height being 1 + e r^k; the last token follows the pair,
    z(k) = 1 - r^k (1-h) + a e k r^(k-1), and leads once z(k) > 1 + e r^k, that is, alpha e k > (1-h) + e.

    >>> late_leader(Fraction(1, 10), Fraction(1, 2), ONE).state[2]
    (Fraction(4, 5), Fraction(11, 10))
    """
    near = 1 - 2 * e
    rows = [(ONE, ONE), (-ONE, ONE), (near, 1 + e), (-near, 1 + e), (Fraction(0), h)]
    return tokens_of(rows, None, alpha)


def _numbers(tokens: Tokens) -> tuple[Fraction, Fraction] | None:
    """(e, h) of an instance of the family, None for any other."""
    rows, A, alpha = exact_parts(tokens)
    if len(rows) != 5 or len(A) != 2:
        return None
    e, h = rows[2][1] - 1, rows[4][1]
    in_range = 0 < e < Fraction(1, 5) and 0 < h < 1
    return (e, h) if in_range and tokens == late_leader(e, h, alpha) else None


def leads_when_predicted(tokens: Tokens) -> StatementVerdict:
    """The last token first leads at the first layer k > (1-h)/(alpha e) + 1/alpha, and no leader comes later."""
    numbers = _numbers(tokens)
    if numbers is None:
        raise InvalidInput("expected an instance of the family of late leaders")
    e, h = numbers
    expected = math.floor((1 - h) / (tokens.alpha * e) + 1 / tokens.alpha) + 1
    leads = fate(tokens).leads_from
    if leads.get(4) != expected or max(leads.values()) != expected:
        return fails(token=4, expected=expected, leads=leads.get(4))
    return holds(1 - 1 / (1 + math.log10(expected)))


def draw_late_leader(rng: Random) -> Tokens:
    """A member of the family: e down to 10^-9, any h and a simple alpha."""
    e = Fraction(rng.randint(1, 9), 10 ** rng.randint(2, 9) * rng.choice((1, 7)))
    alpha = Fraction(rng.randint(1, 5), rng.choice((1, 1, 2, 7, 100)))
    return late_leader(e, Fraction(rng.randint(1, 12), 13), alpha)


# leaders and alpha ---------------------------------------------------------------------------------------------
def leaders_grow(tokens: Tokens) -> StatementVerdict:
    """Every leader for alpha is one for 2 alpha."""
    return _compare(tokens, lost=True)


def leaders_shrink(tokens: Tokens) -> StatementVerdict:
    """Every leader for 2 alpha is one for alpha."""
    return _compare(tokens, lost=False)


def _compare(tokens: Tokens, *, lost: bool) -> StatementVerdict:
    """Fails with a token that leads for the one step and never for the other."""
    slow, fast = fate(tokens).leads_from, fate(faster(tokens)).leads_from
    these, those = (slow, fast) if lost else (fast, slow)
    gone = sorted(these.keys() - those.keys())
    if gone:
        return fails(token=gone[0], layers=these[gone[0]])
    return holds(left_behind(PlainOrbit(tokens)[0]))


def faster(tokens: Tokens) -> Tokens:
    """The same tokens with 2 alpha."""
    return Tokens(tokens.state, tokens.A, 2 * tokens.alpha)


# leaders and the first hull ------------------------------------------------------------------------------------
def leaders_are_few(tokens: Tokens) -> StatementVerdict:
    """There are at most as many leaders as the initial hull has vertices."""
    rows = exact_parts(tokens)[0]
    leads = fate(tokens).leads_from
    surely = sum(k == 0 for k in leads.values())  # exposed by A z_i
    if len(leads) == surely:
        return holds(surely / len(rows) / 2)
    corners = [i for i, row in enumerate(rows) if leads.get(i) == 0 or not isinstance(vertex(row, rows), NotVertex)]
    if len(leads) > len(corners):
        return fails(leaders=sorted(leads), vertices=corners, layers=max(leads.values()))
    return holds(len(leads) / (1 + len(corners)))


def interior_never_leads(tokens: Tokens) -> StatementVerdict:
    """No token that starts in the interior of the initial hull ever leads."""
    rows = exact_parts(tokens)[0]
    late = {i: k for i, k in fate(tokens).leads_from.items() if k}
    for i, k in late.items():
        others = {j: row for j, row in enumerate(rows) if j != i}
        weights = interior_weights(rows[i], others) if len(others) > len(rows[0]) else None
        if weights is not None:
            return fails(token=i, layers=k, weights=weights)
    return holds(0.9 if late else 0.0)


def certify_lost(name: str, *, lost: bool) -> Certify:
    """The writer for a token that leads at layer K for the one step and never for the other, by the limit there."""

    def certify(tokens: Tokens, verdict: StatementVerdict, path: Path) -> None:
        other = proved_limit(faster(tokens) if lost else tokens)
        limit_lines = [*certificate_lines(other), {"leaders": list(other.leaders)}]
        lines = [{"layer": other.proved_from_layer}, *limit_lines, {"token": verdict.witness["token"]}]
        write_refutation(path, name, tokens, verdict.witness["layers"], lines)

    return certify


def certify_interior_leader(tokens: Tokens, verdict: StatementVerdict, path: Path) -> None:
    """The token that leads at layer K, and its first position as an interior combination."""
    found = verdict.witness
    line = {"token": found["token"], "weights": weight_pairs(found["weights"])}
    write_refutation(path, "interior-tokens-never-lead", tokens, found["layers"], [line])


def certify_facts(tokens: Tokens, verdict: StatementVerdict, path: Path) -> None:
    """The proved limit with its leaders: the facts that the verdict rests on."""
    proved_limit(tokens).certify(path)


def _statement(
    name: str, words: str, conclusion: Conclusion, family: Callable[[Random], Tokens], **more: Any
) -> Statement:
    given = {"status": "false", "source": BELIEF, "hypotheses": CLUSTERING, "certify": None} | more
    return Statement(name=name, words=words, conclusion=conclusion, generate=family, **given)


IN_FAMILY = Hypothesis(
    "the tokens are (+-1, 1), (+-(1-2e), 1+e), (0, h) with 0 < e < 1/5 and 0 < h < 1", lambda z: _numbers(z) is not None
)
SLOWER = replace(
    NEAR_SYMMETRIC, sizes=(3, 4, 5), dims=(2,), steps=(ONE, Fraction(1, 2), Fraction(1, 4)), points=generators.point_set
)

STATEMENTS = (
    _statement(
        "last-leader-within-n-large-alpha",
        "If alpha >= 1, every leader is one at layer n.",
        leads_within_n,
        NEAR_SYMMETRIC,
        hypotheses=(*CLUSTERING, AT_LEAST_ONE),
        certify=certify_orbit("last-leader-within-n-large-alpha"),
        prove=of_arrays.leads_within_n,
    ),
    _statement(
        "late-leader-family",
        "The last token first leads at the first layer k > (1-h)/(alpha e) + 1/alpha, and no leader comes later: as "
        "e tends to 0, no function of n, d and alpha bounds the layer of the last leader.",
        leads_when_predicted,
        draw_late_leader,
        status="true",
        source="proved here, see the page on stabilisation",
        hypotheses=(*CLUSTERING, IN_FAMILY),
        certify=certify_facts,
    ),
    _statement(
        "leaders-grow-with-alpha",
        "Every leader for alpha is a leader for 2 alpha.",
        leaders_grow,
        SLOWER,
        certify=certify_lost("leaders-grow-with-alpha", lost=True),
        prove=of_arrays.compared(lost=True),
    ),
    _statement(
        "leaders-shrink-with-alpha",
        "Every leader for 2 alpha is a leader for alpha.",
        leaders_shrink,
        SLOWER,
        certify=certify_lost("leaders-shrink-with-alpha", lost=False),
        prove=of_arrays.compared(lost=False),
    ),
    _statement(
        "interior-tokens-never-lead",
        "No token that starts in the interior of the initial hull ever leads.",
        interior_never_leads,
        replace(NEAR_SYMMETRIC, sizes=(5, 6, 7), dims=(2,)),
        certify=certify_interior_leader,
        prove=of_arrays.interior_never_leads,
    ),
    _statement(
        "leaders-at-most-initial-vertices",
        "There are at most as many leaders as the initial hull has vertices.",
        leaders_are_few,
        replace(NEAR_SYMMETRIC, steps=(ONE, Fraction(1, 2), Fraction(1, 4), Fraction(1, 16))),
        status="open",
        source="asked here",
        certify=certify_facts,
        prove=of_arrays.leaders_are_few,
    ),
)
