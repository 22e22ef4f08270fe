"""False statements and what refutes them: hypotheses hold, conclusion fails (FORMAT.md, section 6)."""

from fractions import Fraction
from typing import Any

from .data import sequences, system
from .dynamics import layers, orbit, prove_limit
from .envelope import Reader, exact_keys, fractions, holds, index, indices, items, well_formed
from .geometry import apply, combination, definiteness, dot, minus, symmetric, verify_no_vertex, verify_vertex, weights

MATRIX = {"leader-without-symmetry": (False, 1), "leader-indefinite": (True, -1), "leader-semidefinite": (True, 0)}
ORBITS = ("every-leader-leads-at-once", "graph-constant-after-n", "last-leader-within-n")
LIMITS = ("boundary-with-zero", "leaders-are-initial-vertices", "every-token-tends-to-a-leader")


def token_statement(reader: Reader, header: dict[str, Any], data: str | None) -> str:
    """Hypotheses on A and the tokens; then the conclusion fails."""
    name, n, K = header["statement"], header["tokens"], header["layers"]
    given = system(reader, n, data)
    A = [fractions(row) for row in given.A]
    twice = [[x + y for x, y in zip(row, column)] for row, column in zip(A, zip(*A))]
    kind = (symmetric(A), definiteness(twice, reader))
    holds(kind == MATRIX.get(name, (True, 1)), "A does not satisfy the hypotheses")
    zero, double = not all(any(x[:-1]) for x in given.tokens), len(set(given.tokens)) < n
    holds(zero == (name == "boundary-with-zero"), "a token is zero, or for boundary-with-zero none is")
    holds(double == (name == "leader-duplicates"), "tokens coincide, or for leader-duplicates none do")
    if name in LIMITS:
        return limit_statement(reader, name, [fractions(x) for x in given.tokens], prove_limit(reader, given, K))
    kept = [layer for k, layer in enumerate(layers(given, K, reader)) if k in (0, K - 1, K)]
    first, before, last = kept[0][2], kept[-2:][0], kept[-1]
    if name.startswith("leader-"):
        well_formed(K == 0, "layers must be 0")
        holds(not first, "there is a leader at layer 0")
        return f"at layer 0 none of {n} tokens is a leader"
    holds(K > n or name == ORBITS[0], "the layers must go beyond n")
    if name == "graph-constant-after-n":
        holds(last[1] != before[1], "the follower sets of the last two layers are equal")
        return f"the follower sets of {n} tokens change from layer {K - 1} to layer {K}"
    i = index(reader.line("token"), n)
    holds(i in last[2], "the token is no leader at the last layer")
    holds(i not in (first if name == ORBITS[0] else before[2]), "the token is a leader before")
    return f"token {i} of {n} is a leader at layer {K} and not at layer {0 if name == ORBITS[0] else K - 1}"


def limit_statement(reader: Reader, name: str, start: list[Any], proved: Any) -> str:
    n, places, limits, leaders, leading = len(start), *proved
    if name == "leaders-are-initial-vertices":
        row = reader.value()
        leads = type(row) is dict and row.get("leader") is True
        exact_keys(row, "token", "leader", "weights" if leads else "normal")
        well_formed(type(row["leader"]) is bool, '"leader" must be true or false')
        i = index(row["token"], n)
        holds((i in leaders) == leads, "the token is a leader, or is none, against what is stated")
        if leads:
            verify_no_vertex(i, start, row["weights"], reader)
            return f"token {i} becomes a leader and starts at no vertex of the initial hull"
        verify_vertex(i, start, row["normal"], reader)
        return f"token {i} starts at a vertex of the initial hull and never leads"
    if name == "every-token-tends-to-a-leader":
        i = index(reader.line("token"), n)
        holds(all(limits[i] != places[j] for j in leading), "the limit is a leading position")
        return f"the limit of token {i} is the position of no leader"
    token, stated = reader.line("token", "weights")
    i, given = index(token, n), weights(stated, n, reader)
    holds(all(j in leading for j, _ in given), "the weights use a token that is at no leading position")
    holds(combination(given, places, reader) == limits[i], "the weights do not give the limit")
    edges = list(zip(*[minus(places[j], places[given[0][0]]) for j, _ in given]))
    gram = [[dot(list(x), list(y)) for y in edges] for x in edges]
    holds(definiteness(gram, reader) == 1, "the points of the weights do not span the space")
    return f"the limit of token {i} lies in the interior of the hull of the leading positions"


def frank_wolfe(reader: Reader, header: dict[str, Any]) -> str:
    """<B* x, x>/2 > 2/(K+1) * lambda * diam^2 at layer K, though 0 lies in the first hull."""
    n, K = header["tokens"], header["layers"]
    well_formed(K >= 1, "layers must be at least 1")
    matrix, points = reader.line("B", "tokens", subject=True)
    minus_B, tokens = (
        [(*[-p for p in row[:-1]], row[-1]) for row in reader.vectors(matrix, reader.dim)],
        reader.vectors(points, n),
    )
    zero, bound, token = reader.line("zero", "lambda", "token")
    B, first, top, i = reader.points(matrix), [fractions(x) for x in tokens], reader.number(bound), index(token, n)
    holds(symmetric(B) and definiteness(B, reader) >= 0, "B* is not symmetric positive semidefinite")
    holds(not any(combination(weights(zero, n, reader), first, reader)), "the weights do not give the origin")
    rest = [[top * (i == j) - x for j, x in enumerate(row)] for i, row in enumerate(B)]
    holds(definiteness(rest, reader) >= 0, "lambda is below the largest eigenvalue of B*")
    reader.spend(n * n * reader.dim)
    diameter = max(dot(minus(p, q), minus(p, q)) for p in first for q in first)
    *_, (last, _, _) = orbit(minus_B, tokens, (Fraction(2, t + 2) for t in range(K)), reader)
    x = fractions(last[i])
    holds(dot(apply(B, x), x) / 2 > Fraction(2, K + 1) * top * diameter, "the token satisfies the bound")
    return f"token {i} of {n} violates the bound at layer {K}"


def slow_steps(reader: Reader, header: dict[str, Any]) -> str:
    """p_t >= prod_{s<T} (1 - c q^s) * (1 - c q^T/(1-q)) > 0 for all t: the token stays away from its vertex."""
    n = header["tokens"]
    matrix, points, step = reader.line("B", "tokens", "step", subject=True)
    tokens, (c, q) = reader.vectors(points, n), (reader.number(exact_keys(step, "c", "q")[key]) for key in "cq")
    holds(0 < c < 1 and 0 < q < 1, "the step sizes c q^t need c and q in (0,1)")
    holds(len(set(tokens)) == n, "the tokens must be distinct")
    _, follows, own = next(orbit(reader.vectors(matrix, reader.dim), tokens, [], reader))
    holds(all(len(group) == 1 and group[0] in own for group in follows), "a token is not in one cell of a vertex only")
    token, split, parts = reader.line("token", "split", "inside")
    inside = [exact_keys(part, "token", "weights") for part in items(parts)]
    named = indices([part["token"] for part in inside], n)
    holds(named == sorted(set(range(n)) - own), "inside must list the tokens that are not own")
    for part in inside:
        verify_no_vertex(part["token"], [fractions(x) for x in tokens], part["weights"], reader)
    i, T = index(token, n), index(split, reader.limits.bits)
    holds(i not in own, "the token is its own vertex")
    holds(c * q**T < 1 - q, "the steps after the split are too large for the bound")
    return f"with steps ({c}) ({q})^t token {i} of {n} stays away from its vertex: p_t is above a positive number"


def one_block(reader: Reader, header: dict[str, Any], data: str | None) -> str:
    """Single tokens with targets y_j, all of them together with target y, and a hyperplane between y and the y_j."""
    *alone, (together, last, _) = sequences(reader, header["sequences"], data, {"targets"})
    well_formed(len(alone) >= 2, "expected at least 3 sequences")
    holds([x.tokens for x in alone] == [[x] for x in together], "the last sequence is not that of the single tokens")
    holds(len(set(together)) == len(together), "the tokens must be distinct")
    holds(all(len(x.targets or ()) == 1 for x in alone) and len(last or ()) == 1, "a sequence has more than one target")
    ends = [fractions(y) for targets in (*[x.targets for x in alone], last) for y in targets or ()]
    verify_vertex(len(ends) - 1, ends, reader.line("normal"), reader)
    holds(ends[-1] not in ends[:-1], "the last target is one of the others")
    return f"no single block interpolates these {len(ends)} sequences in Q^{reader.dim}"
