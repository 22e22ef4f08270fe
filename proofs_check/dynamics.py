"""Orbits by definition, and limits for all layers from locks and closed forms (FORMAT.md, section 4)."""

from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from itertools import chain, pairwise, repeat
from typing import Any, NamedTuple

from .data import System, system
from .envelope import (
    Point,
    Reader,
    Vector,
    exact_keys,
    fractions,
    holds,
    indices,
    items,
    lowest,
    numbered,
    well_formed,
    within,
)
from .geometry import apply, combination, dot, minus, verify_positive_definite, verify_projection, weights
from .transformer import maximisers, plus, scaled

Form = dict[tuple[Fraction, int], Point]  # (b, m) -> v: the sum of v * b^k * binom(k, m)
Polynomial = list[Fraction]  # coefficients of 1, k, k^2, ..
Layer = tuple[list[Vector], list[Sequence[int]], set[int]]  # tokens, follower sets, leaders of this layer or before
ONE = Fraction(1)


def orbit(A: list[Vector], tokens: list[Vector], steps: Iterable[Fraction], reader: Reader) -> Iterator[Layer]:
    """The layers 0, 1, ..: z_i <- z_i + g mean_{j in C_i} (z_j - z_i), one layer more than there are steps g."""
    form, leaders = reader.whole(A)[0], set[int]()
    for step in chain(steps, [None]):
        rows, below = reader.whole(tokens)
        reader.spend(100 + len(rows) ** 2 * reader.dim)
        follows = maximisers(form, rows)
        leaders = leaders | {i for i, group in enumerate(follows) if group == (i,)}
        yield tokens, follows, leaders
        if step is not None:
            sums = {group: map(sum, zip(*[rows[j] for j in group])) for group in set(follows)}
            means = {group: scaled(step, (*total, below * len(group))) for group, total in sums.items()}
            tokens = [plus(scaled(1 - step, x), means[group]) for x, group in zip(tokens, follows)]
            reader.bits(*map(max, tokens), *map(min, tokens))


def layers(given: System, K: int, reader: Reader) -> Iterator[Layer]:
    return orbit(given.A, given.tokens, repeat(given.alpha / (1 + given.alpha), K), reader)


def orbit_claim(reader: Reader, header: dict[str, Any], data: str | None) -> str:
    n, K = header["tokens"], header["layers"]
    for k, (tokens, follows, leaders) in enumerate(layers(system(reader, n, data), K, reader)):
        layer, stated, groups, leading = reader.line("layer", "tokens", "follows", "leaders")
        numbered(layer, k)
        holds(reader.vectors(stated, n) == tokens, "these are not the tokens of this layer")
        same = [tuple(indices(group, n)) for group in items(groups, n)] == follows
        holds(same, "the follower sets of this layer are others")
        holds(set(indices(leading, n)) == leaders, f"the leaders are {sorted(leaders)}"[:200])
    return f"states, follower sets and leaders of layers 0..{K} of {n} tokens in Q^{reader.dim} are as stated"


class Limit(NamedTuple):
    places: list[Point]  # at layer K
    limits: list[Point]
    leaders: set[int]
    leading: set[int]  # tokens at leading positions


def prove_limit(reader: Reader, given: System, K: int) -> Limit:
    """The limit of every token, for all layers at once, by the token lines and the leaders line."""
    A, n, r = [fractions(row) for row in given.A], len(given.tokens), 1 / (1 + given.alpha)
    verify_positive_definite(A, reader)
    *_, (tokens, follows, leaders) = layers(given, K, reader)
    here = [fractions(x) for x in tokens]
    leading = {i for i, group in enumerate(follows) if all(here[j] == here[i] for j in group)}
    proved, forms, later = Limit(here, [], leaders, leading), list[Form](), list[tuple[int, int]]()
    for i in range(n):
        row = reader.value()
        proof = ("lock",) if type(row) is dict and "lock" in row else ("form", "from")
        face = ("normal", "weights") if type(row) is dict and row.get("kind") == "projection" else ()
        exact_keys(row, "token", "kind", "limit", *proof, *face)
        numbered(row["token"], i)
        if "lock" in row:
            well_formed(row["lock"] is True, '"lock" must be true')
            c = centre(A, here, follows[i], leading)
            forms.append(combined([(ONE, {(ONE, 0): c}), (ONE, {(r, 0): minus(here[i], c)})], reader))
        else:
            well_formed(type(row["from"]) is int and row["from"] >= 1, "from: expected an integer >= 1")
            forms.append(read_form(row["form"], n, here[i], reader))
            later.append((i, row["from"]))
        proved.limits.append(reader.point(row["limit"]))
        constant = forms[i].get((ONE, 0), [Fraction(0)] * reader.dim)
        holds(constant == proved.limits[i], "the limit is not the constant term of the closed form")
        verify_kind(row, A, proved, reader)
    for i, start in later:
        verify_for_ever(i, start, A, follows[i], forms, r, reader)
    holds(set(indices(reader.line("leaders"), n)) == leaders, f"the leaders are {sorted(leaders)}"[:200])
    return proved


def centre(A: list[Point], here: list[Point], group: Sequence[int], leading: set[int]) -> Point:
    """c = mean of C_i, whose members lead and maximise <A c, .>: C_i is locked for ever."""
    holds(leading.issuperset(group), "a locked token follows a token that is not at a leading position")
    c = [sum(column) / len(group) for column in zip(*[here[j] for j in group])]
    form = apply(A, c)
    scores = [dot(form, y) for y in here]
    holds({scores[j] for j in group} == {max(scores)}, "a locked token's leaders do not all maximise <A c, .>")
    return c


def verify_kind(row: dict[str, Any], A: list[Point], proved: Limit, reader: Reader) -> None:
    """A vertex is a leading position; a projection is none, but that of the origin onto the face with the normal."""
    well_formed(row["kind"] in ("vertex", "projection"), "a kind is vertex or projection")
    limit, corners = proved.limits[-1], [proved.places[i] for i in proved.leading]
    holds(
        (limit in corners) == (row["kind"] == "vertex"), "the kind is vertex exactly for a limit at a leading position"
    )
    if row["kind"] == "projection":
        normal, given = reader.point(row["normal"]), weights(row["weights"], len(proved.places), reader)
        top = max(dot(normal, p) for p in corners)
        face = [p for p in corners if dot(normal, p) == top]
        holds(all(proved.places[i] in face for i, _ in given), "the weights use a token outside the face")
        holds(combination(given, proved.places, reader) == limit, "the weights do not give the limit")
        verify_projection(A, limit, face, reader)


def read_form(terms: Any, n: int, start: Point, reader: Reader) -> Form:
    """The closed form stated, which begins at the token's place."""
    well_formed(type(terms) is list, "a form is a list of terms")
    form: Form = {}
    for term in terms:
        exact_keys(term, "base", "power", "vector")
        base, power = reader.number(term["base"]), term["power"]
        well_formed(type(power) is int and power < (1 if base == 1 else n), "a power is below n, and 0 for base 1")
        well_formed(0 < base <= 1, "a base is in (0,1]")
        form[base, power] = reader.point(term["vector"])
        well_formed(any(form[base, power]), "a term of the form is zero")
    keys = [(-base, power) for base, power in form]
    well_formed(len(form) == len(terms) and all(x < y for x, y in pairwise(keys)), "the terms are not in order")
    first = [sum(column) for column in zip([Fraction(0)] * reader.dim, *[v for (_, m), v in form.items() if m == 0])]
    holds(first == start, "the closed form does not begin at the token's place")
    return form


def combined(parts: list[tuple[Fraction, Form]], reader: Reader) -> Form:
    """The linear combination of forms, without zero terms."""
    total: Form = {}
    for factor, form in parts:
        for key, v in form.items():
            total[key] = [factor * x + y for x, y in zip(v, total.get(key, [Fraction(0)] * reader.dim))]
            reader.bits(*[x.denominator for x in total[key]])
    return {key: v for key, v in total.items() if any(v)}


def verify_for_ever(
    i: int, start: int, A: list[Point], group: Sequence[int], forms: list[Form], r: Fraction, reader: Reader
) -> None:
    """Token i's form satisfies the recurrence with C_i = group, and C_i = group at every later layer."""
    after: list[tuple[Fraction, Form]] = [(b, {(b, m): v}) for (b, m), v in forms[i].items()]
    after += [(b, {(b, m - 1): v}) for (b, m), v in forms[i].items() if m]
    step = [(r, forms[i]), *[((1 - r) / len(group), forms[j]) for j in group]]
    holds(combined(after, reader) == combined(step, reader), f"the closed form of token {i} breaks the recurrence")
    left = {key: apply(A, v) for key, v in forms[i].items()}
    for l, form in enumerate(forms):
        f = margin(left, combined([(ONE, forms[group[0]]), (-ONE, form)], reader), reader)
        if l in group:
            holds(not f, f"token {i} does not follow token {l} for ever")
        else:
            verify_positive(f, start, f"token {i} may follow token {l}", reader)


def product(p: Polynomial, q: Polynomial) -> Polynomial:
    total = [Fraction(0)] * (len(p) + len(q) - 1)
    for i, x in enumerate(p):
        for j, y in enumerate(q):
            total[i + j] += x * y
    return total


def margin(left: Form, right: Form, reader: Reader) -> dict[Fraction, Polynomial]:
    """The bases b and polynomials P_b != 0 of <left, right> = sum_b b^k P_b(k)."""
    total: dict[Fraction, Polynomial] = {}
    for (b, m), u in left.items():
        for (c, e), v in right.items():
            reader.spend((m + e + 1) ** 2 + len(u))
            term = [dot(u, v)]
            for s in chain(range(m), range(e)):  # binom(k, m) = product of (k - s)/(s + 1)
                term = product(term, [Fraction(-s, s + 1), Fraction(1, s + 1)])
            old = total.get(b * c, [])
            size = max(len(term), len(old))
            total[b * c] = [x + y for x, y in zip(*[p + [Fraction(0)] * (size - len(p)) for p in (term, old)])]
    return {b: p for b, p in total.items() if any(p)}


def verify_positive(f: dict[Fraction, Polynomial], start: int, why: str, reader: Reader) -> None:
    """f(k) = sum_b b^k P_b(k) > 0 for all k >= 0: directly below start, by dominance of the largest base afterwards."""
    holds(bool(f), why)
    top, rest = max(f), Fraction(0)
    reader.spend(start * sum(map(len, f.values())))
    within(start * max(b.denominator.bit_length() for b in f), reader.limits.bits, "bits")
    for k in range(start):
        holds(sum(b**k * c * k**e for b, p in f.items() for e, c in enumerate(p)) > 0, f"{why}, {k} layers later")
    lead = list(f[top])
    for i in range(len(lead)):  # Taylor shift: the coefficients of P_top(start + x)
        for j in reversed(range(i, len(lead) - 1)):
            lead[j] += start * lead[j + 1]
    holds(min(lead) >= 0, f"{why}: the leading term is not monotone from layer {start} on")
    for b, e, c in [(b, e, c) for b, p in f.items() if b < top for e, c in enumerate(p) if c < 0]:
        holds((b / top) * Fraction(start + 1, start) ** e <= 1, f"{why}: a term still grows at layer {start}")
        rest -= c * start**e * (b / top) ** start
    holds(lead[0] > rest, f"{why}: the leading term does not dominate from layer {start} on")


def limit_claim(reader: Reader, header: dict[str, Any], data: str | None) -> str:
    given, n, K = system(reader, header["tokens"], data), header["tokens"], header["layer"]
    proved = prove_limit(reader, given, K)
    zero = "" if all(any(x[:-1]) for x in given.tokens) else "; the theorem's hypothesis is violated: a token is zero"
    equal = "" if len(set(given.tokens)) == n else "; the theorem's hypothesis is violated: tokens coincide"
    about = f"each of {n} tokens in Q^{reader.dim} tends to the limit stated, with its kind"
    leaders = f"the leaders are {sorted(proved.leaders)}"[:200]
    return f"{about}; the follower sets are constant from layer {K} on; {leaders}{zero}{equal}"
