"""False statements and what refutes them: hypotheses hold, conclusion fails (FORMAT.md, section 6)."""
from collections import deque
from fractions import Fraction
from itertools import repeat
from typing import Any

from .dynamics import Limit, orbit, prove_limit
from .envelope import Point, Reader, count, exact_keys, fractions, holds, indices, items, points, well_formed, within
from .geometry import combination, definiteness, dot, verify_no_vertex, verify_vertex, weights


def token_statement(reader: Reader, header: dict[str, Any], data: str | None) -> None:
    """Hypotheses on A and the tokens; then the conclusion fails."""
    name, n, K = header["statement"], header["tokens"], header["layers"]
    given = reader.system(n, data)
    A = [fractions(row) for row in given[0]]
    twice = [[x + y for x, y in zip(row, column)] for row, column in zip(A, zip(*A))]
    sign = {"leader-indefinite": -1, "leader-semidefinite": 0}.get(name, 1)
    holds(([[x / 2 for x in row] for row in twice] != A) == (name == "leader-without-symmetry"), "symmetry of A")
    holds(definiteness(twice, reader) == sign, "A is not as definite as the hypotheses say")
    zero, double = not all(any(x[:-1]) for x in given[2]), len(set(given[2])) < n
    holds(zero == (name == "boundary-with-zero"), "a token is zero, or for boundary-with-zero none is")
    holds(double == (name == "leader-duplicates"), "tokens coincide, or for leader-duplicates none do")
    if name in ("boundary-with-zero", "leaders-are-initial-vertices", "every-token-tends-to-a-leader"):
        return limit_statement(reader, name, [fractions(x) for x in given[2]], prove_limit(reader, given, K))
    well_formed(K == 0 or not name.startswith("leader-"), "layers must be 0")
    run = enumerate(orbit(given[0], given[2], repeat(given[1], K), reader))
    kept = [layer for k, layer in run if k in (0, K - 1, K)]
    (_, _, first), (_, before, earlier), (_, after, last) = kept[0], kept[-2:][0], kept[-1]
    if name.startswith("leader-"):
        return holds(not first, "there is a leader at layer 0")
    holds(n < K or name == "every-leader-leads-at-once", "the layers must go beyond n")
    if name == "graph-constant-after-n":
        return holds(after != before, "the follower sets of the last two layers are equal")
    i = count(reader.line("token"), 0, n)
    holds(i in last, "the token is no leader at the last layer")
    return holds(i not in (first if name == "every-leader-leads-at-once" else earlier), "the token leads before")

def limit_statement(reader: Reader, name: str, start: list[Point], proved: Limit) -> None:
    here, limits, leaders, leading = proved
    if name == "leaders-are-initial-vertices":
        row = reader.value()
        leads = type(row) is dict and row.get("leader") is True
        exact_keys(row, "token", "leader", "weights" if leads else "normal")
        well_formed(type(row["leader"]) is bool, '"leader" must be true or false')
        i = count(row["token"], 0, len(start))
        holds((i in leaders) == leads, "the token is a leader, or is none, against what is stated")
        return (verify_no_vertex if leads else verify_vertex)(i, start, row["weights" if leads else "normal"], reader)
    if name == "every-token-tends-to-a-leader":
        i = count(reader.line("token"), 0, len(start))
        return holds(all(limits[i] != here[j] for j in leading), "the limit is a leading position")
    token, stated = reader.line("token", "weights")
    i, given = count(token, 0, len(start)), weights(stated, len(start), reader)
    holds(all(j in leading for j, _ in given), "the weights use a token that is at no leading position")
    holds(combination(given, here, reader) == limits[i], "the weights do not give the limit")
    edges = [[here[j][x] - here[given[0][0]][x] for j, _ in given] for x in range(reader.dim)]
    gram = [[dot(x, y) for y in edges] for x in edges]
    return holds(definiteness(gram, reader) == 1, "the points of the weights do not span the space")

def frank_wolfe(reader: Reader, header: dict[str, Any]) -> None:
    """<B* x, x>/2 > 2/(K+1) * lambda * diam^2 at layer K, though 0 lies in the first hull."""
    n, K = header["tokens"], count(header["layers"], 1)
    rows, points = reader.line("B", "tokens", subject=True)
    B, tokens = reader.points(rows, reader.dim), reader.vectors(points, n)
    zero, bound, token = reader.line("zero", "lambda", "token")
    first, top, i = [fractions(x) for x in tokens], reader.number(bound), count(token, 0, n)
    holds(definiteness(B, reader) in (0, 1), "B* is not symmetric positive semidefinite")
    holds(not any(combination(weights(zero, n, reader), first, reader)), "the weights do not give the origin")
    rest = [[top * (i == j) - x for j, x in enumerate(row)] for i, row in enumerate(B)]
    holds(definiteness(rest, reader) in (0, 1), "lambda is below the largest eigenvalue of B*")
    reader.spend(n * n * reader.dim)
    diameter = max(sum((x - y) ** 2 for x, y in zip(p, q)) for p in first for q in first)
    minus_B = [(*[-p for p in row[:-1]], row[-1]) for row in reader.vectors(rows)]
    x = fractions(deque(orbit(minus_B, tokens, (Fraction(2, t + 2) for t in range(K)), reader), maxlen=1).pop()[0][i])
    holds(dot([dot(row, x) for row in B], x) / 2 > Fraction(2, K + 1) * top * diameter, "the token satisfies the bound")

def slow_steps(reader: Reader, header: dict[str, Any]) -> None:
    """p_t >= prod_{s<T} (1 - c q^s) * (1 - c q^T/(1-q)) > 0 for all t: the token stays away from its vertex."""
    rows, points, step = reader.line("B", "tokens", "step", subject=True)
    tokens, n = reader.vectors(points, header["tokens"]), header["tokens"]
    c, q = (reader.number(exact_keys(step, "c", "q")[key]) for key in "cq")
    holds(0 < c < 1 and 0 < q < 1, "the step sizes c q^t need c and q in (0,1)")
    holds(len(set(tokens)) == n, "the tokens must be distinct")
    _, follows, own = next(orbit(reader.vectors(rows, reader.dim), tokens, [], reader))
    holds(all(len(group) == 1 and group[0] in own for group in follows), "a token is not in one cell of a vertex only")
    token, split, parts = reader.line("token", "split", "inside")
    inside = [exact_keys(part, "token", "weights") for part in items(parts)]
    holds({*indices([part["token"] for part in inside], n)} == {*range(n)} - own, "inside must list all not own")
    for part in inside:
        verify_no_vertex(part["token"], [fractions(x) for x in tokens], part["weights"], reader)
    holds(count(token, 0, n) not in own, "the token is its own vertex")
    T = count(split, 0)
    within(T * q.denominator.bit_length(), reader.limits.bits, "bits")
    holds(c * q**T < 1 - q, "the steps after the split are too large for the bound")

def one_block(reader: Reader, header: dict[str, Any], data: str | None) -> None:
    """Single tokens with targets y_j, all of them together with target y, and a hyperplane between y and the y_j."""
    subject = reader.sequences(header["sequences"], data, {"targets"})
    *alone, (together, last) = [(points(*state), targets) for state, targets, _ in subject]
    well_formed(len(alone) >= 2, "expected at least 3 sequences")
    holds([tokens for tokens, _ in alone] == [[x] for x in together], "the last sequence is not all single tokens")
    holds(len(set(together)) == len(together), "the tokens must be distinct")
    ends = [[fractions(y) for y in targets] for targets in (*[targets for _, targets in alone], last)]
    holds(all(len(end) == 1 for end in ends), "a sequence has more than one target")
    holds(ends[-1] not in ends[:-1], "the last target is one of the others")
    verify_vertex(len(ends) - 1, [end[0] for end in ends], reader.line("normal"), reader)

TOKENS = """leader-without-symmetry leader-indefinite leader-semidefinite leader-duplicates boundary-with-zero
leaders-are-initial-vertices every-token-tends-to-a-leader every-leader-leads-at-once graph-constant-after-n
last-leader-within-n"""
STATEMENTS: dict[str, tuple[str, Any]] = {  # further keys of the header, verification
    **dict.fromkeys(TOKENS.split(), ("statement tokens layers", token_statement)),
    "frank-wolfe-negative": ("statement tokens layers", frank_wolfe),
    "exponentially-fast": ("statement tokens", slow_steps),
    "one-block-suffices": ("statement sequences", one_block),
}
