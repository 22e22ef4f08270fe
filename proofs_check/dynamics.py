"""Orbits by definition, and limits for all layers from locks and closed forms (FORMAT.md, section 4)."""
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from itertools import chain, repeat
from math import comb
from typing import Any

from .envelope import Point, Reader, Vector, count, exact_keys, fractions, holds, indices, items, well_formed, within
from .geometry import combination, definiteness, dot, verify_projection, weights
from .transformer import maximisers, plus

Layer = tuple[list[Vector], list[Sequence[int]], set[int]]  # tokens, follower sets, leaders of this layer or before
Limit = tuple[list[Point], list[Point], set[int], set[int]]  # places at layer K, limits, leaders, leading tokens
Form = dict[tuple[Fraction, int], Fraction]  # (b, e) -> c: the sum of c * b^k * k^e
ONE = Fraction(1)

def orbit(A: list[Vector], tokens: list[Vector], steps: Iterable[Fraction], reader: Reader) -> Iterator[Layer]:
    """The layers 0, 1, ..: z_i <- z_i + g mean_{j in C_i} (z_j - z_i), one layer more than there are steps g."""
    form, leaders, nothing = reader.whole(A)[0], set[int](), (0,) * reader.dim + (1,)
    for step in chain(steps, [None]):
        rows, below = reader.whole(tokens)
        reader.spend(1000 + len(rows) ** 2 * reader.dim)
        follows = maximisers(form, rows)
        leaders = leaders | {i for i, group in enumerate(follows) if group == (i,)}
        yield tokens, follows, leaders
        if step is not None:
            sums = {group: map(sum, zip(*[rows[j] for j in group])) for group in set(follows)}
            p, q = step.as_integer_ratio()
            means = {group: plus((*total, below * len(group)), nothing, p, q) for group, total in sums.items()}
            tokens = [plus(x, means[group], q - p, q) for x, group in zip(tokens, follows)]
            reader.bits(*map(max, tokens), *map(min, tokens))

def orbit_claim(reader: Reader, header: dict[str, Any], data: str | None) -> str:
    n, K = header["tokens"], header["layers"]
    A, a, start = reader.system(n, data)
    for k, (tokens, follows, leaders) in enumerate(orbit(A, start, repeat(a, K), reader)):
        layer, stated, groups, leading = reader.line("layer", "tokens", "follows", "leaders")
        count(layer, k, k + 1)
        holds(reader.vectors(stated, n) == tokens, "these are not the tokens of this layer")
        holds([indices(group, n) for group in items(groups, n)] == follows, "these are not the follower sets")
        holds(set(indices(leading, n)) == leaders, f"the leaders are {sorted(leaders)}"[:200])
    return f"states, follower sets and leaders of layers 0..{K} of {n} tokens in Q^{reader.dim} are as stated"

def prove_limit(reader: Reader, given: Any, K: int) -> Limit:
    """The limit of every token, for all layers at once, by the token lines and the leaders line."""
    A, n, r = [fractions(row) for row in given[0]], len(given[2]), 1 - given[1]
    holds(definiteness(A, reader) == 1, "A is not symmetric positive definite")
    tokens, follows, leaders = deque(orbit(given[0], given[2], repeat(given[1], K), reader), maxlen=1).pop()
    here = [fractions(x) for x in tokens]
    leading = {i for i, group in enumerate(follows) if all(here[j] == here[i] for j in group)}
    limits, forms, later, centres = list[Point](), list[list[Form]](), list[tuple[int, int]](), dict[Any, Point]()
    for i in range(n):
        row = reader.value()
        proof = ("lock",) if type(row) is dict and "lock" in row else ("form", "from")
        face = ("normal", "weights") if type(row) is dict and row.get("kind") == "projection" else ()
        exact_keys(row, "token", "kind", "limit", *proof, *face)
        count(row["token"], i, i + 1)
        if "lock" in row:
            well_formed(row["lock"] is True, '"lock" must be true')
            c = centres[follows[i]] = centres.get(follows[i]) or centre(A, here, follows[i], leading)
            forms.append([combined([(x, {(ONE, 0): ONE}), (z - x, {(r, 0): ONE})], reader) for x, z in zip(c, here[i])])
        else:
            later.append((i, count(row["from"], 1)))
            forms.append(read_form(row["form"], n, reader))
            start = [sum(c for (_, e), c in form.items() if e == 0) for form in forms[i]]
            holds(start == here[i], "the closed form does not begin at the token's place")
        limits.extend(reader.points([row["limit"]]))
        constants = [form.get((ONE, 0), 0) for form in forms[i]]
        holds(constants == limits[i], "the limit is not the constant term of the closed form")
        verify_kind(row, A, limits[i], here, leading, reader)
    for i, k0 in later:
        verify_for_ever(i, k0, A, follows[i], forms, r, reader)
    holds(set(indices(reader.line("leaders"), n)) == leaders, f"the leaders are {sorted(leaders)}"[:200])
    return here, limits, leaders, leading
def centre(A: list[Point], here: list[Point], group: Sequence[int], leading: set[int]) -> Point:
    """c = mean of C_i, whose members lead and maximise <A c, .>: C_i is locked for ever."""
    holds(leading.issuperset(group), "a locked token follows a token that is not at a leading position")
    c = [sum(column) / len(group) for column in zip(*[here[j] for j in group])]
    form = [dot(row, c) for row in A]
    scores = [dot(form, y) for y in here]
    holds({scores[j] for j in group} == {max(scores)}, "a locked token's leaders do not all maximise <A c, .>")
    return c

def verify_kind(row: Any, A: list[Point], limit: Point, here: list[Point], leading: set[int], reader: Reader) -> None:
    """A vertex is a leading position; a projection is none, but that of the origin onto the face with the normal."""
    well_formed(row["kind"] in ("vertex", "projection"), "a kind is vertex or projection")
    corners = [here[i] for i in leading]
    holds((limit in corners) == (row["kind"] == "vertex"), "vertex is the kind of a limit at a leading position")
    if row["kind"] == "projection":
        (normal,), given = reader.points([row["normal"]]), weights(row["weights"], len(here), reader)
        top = max(dot(normal, p) for p in corners)
        face = [p for p in corners if dot(normal, p) == top]
        holds(all(here[i] in face for i, _ in given), "the weights use a token outside the face")
        verify_projection(A, limit, face, combination(given, here, reader))

def combined(parts: Iterable[tuple[Fraction, Form]], reader: Reader) -> Form:
    """The linear combination of forms, without zero terms."""
    total: Form = {}
    for factor, form in parts:
        for key, c in form.items():
            total[key] = total.get(key, Fraction(0)) + factor * c
            reader.bits(total[key].denominator)
    return {key: c for key, c in total.items() if c}
def product(f: Form, g: Form, reader: Reader) -> Form:
    reader.spend(len(f) * len(g))
    return combined([(x * y, {(b * c, d + e): ONE}) for (b, d), x in f.items() for (c, e), y in g.items()], reader)
def read_form(terms: Any, n: int, reader: Reader) -> list[Form]:
    """The coordinates of the sum of v * b^k * binom(k, m) over the terms (b, m, v) stated, in powers of k."""
    well_formed(type(terms) is list, "a form is a list of terms")
    parts = [[(ONE, Form())] for _ in range(reader.dim)]
    for term in terms:
        exact_keys(term, "base", "power", "vector")
        base, (v,) = reader.number(term["base"]), reader.points([term["vector"]])
        well_formed(0 < base <= 1, "a base is in (0,1]")
        m = count(term["power"], 0, 1 if base == 1 else n)
        form = {(base, 0): ONE}
        for s in range(m):  # binom(k, m) is the product of (k - s)/(s + 1)
            form = product(form, {(ONE, 1): Fraction(1, s + 1), (ONE, 0): Fraction(-s, s + 1)}, reader)
        for part, x in zip(parts, v):
            part.append((x, form))
    return [combined(part, reader) for part in parts]

def verify_for_ever(i: int, k0: int, A: list[Point], group: Any, forms: list[Any], r: Fraction, reader: Reader) -> None:
    """Token i's form satisfies the recurrence with C_i = group, and C_i = group at every later layer."""
    for x, f in enumerate(forms[i]):
        after = [(b * comb(e, j) * c, {(b, j): ONE}) for (b, e), c in f.items() for j in range(e + 1)]
        step = [(r, f), *[((1 - r) / len(group), forms[j][x]) for j in group]]
        holds(combined(after, reader) == combined(step, reader), f"the closed form of token {i} breaks the recurrence")
    left = [combined([(A[x][y], f) for y, f in enumerate(forms[i])], reader) for x in range(reader.dim)]
    for l, mine in enumerate(forms):
        gap = [combined([(ONE, f), (-ONE, g)], reader) for f, g in zip(forms[group[0]], mine)]
        margin = combined([(ONE, product(f, g, reader)) for f, g in zip(left, gap)], reader)
        if l in group:
            holds(not margin, f"token {i} does not follow token {l} for ever")
        else:
            verify_positive(margin, k0, f"token {i} may follow token {l}", reader)
def verify_positive(f: Form, k0: int, why: str, reader: Reader) -> None:
    """f(k) > 0 for all k >= 0: directly for k < k0, by dominance of the largest base from k0 on."""
    top = max(b for b, _ in f)
    within(k0 * max(b.denominator.bit_length() for b, _ in f), reader.limits.bits, "bits")
    reader.spend(k0 * len(f) * (1 + (k0 * max(b.denominator.bit_length() for b, _ in f) >> 6)))
    for k in range(k0):
        holds(sum(c * b**k * k**e for (b, e), c in f.items()) > 0, f"{why}, {k} layers later")
    lead = [(e, c) for (b, e), c in f.items() if b == top]  # its Taylor coefficients at k0:
    taylor = [sum(c * comb(e, j) * k0 ** (e - j) for e, c in lead if e >= j) for j in range(1 + max(lead)[0])]
    holds(min(taylor) >= 0, f"{why}: the leading term may fall after {k0} layers")
    fall = [(b / top, e, -c) for (b, e), c in f.items() if b < top and c < 0]
    holds(all(q * Fraction(k0 + 1, k0) ** e <= 1 for q, e, _ in fall), f"{why}: a term grows after {k0} layers")
    holds(taylor[0] > sum(c * k0**e * q**k0 for q, e, c in fall), f"{why}: the leading term does not dominate")

def limit_claim(reader: Reader, header: dict[str, Any], data: str | None) -> str:
    n, K, given = header["tokens"], header["layer"], reader.system(header["tokens"], data)
    leaders = prove_limit(reader, given, K)[2]
    nonzero, distinct = all(any(x[:-1]) for x in given[2]), len(set(given[2])) == n
    violated = "" if nonzero and distinct else "; zero or equal tokens violate the hypotheses of the theorem"
    about = f"each of {n} tokens in Q^{reader.dim} tends to a limit of the kind stated; leaders {sorted(leaders)}"
    return f"{about[:400]}; the follower sets never change from layer {K} on{violated}"
