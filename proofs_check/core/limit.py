"""The claim `limit` (FORMAT.md, section 4): where every token tends, proved for all layers at once."""

from fractions import Fraction
from operator import mul
from typing import NamedTuple

from .attention import largest
from .certificate import Certificate
from .closed_forms import (
    ONE,
    Form,
    combined,
    in_powers,
    inner_product,
    read_form,
    shifted,
    value_at_zero,
    verify_positive,
)
from .dynamics import Group, last_layer, verify_leaders
from .geometry import charge_dots, verify_definite, verify_projection
from .lines import count, exact_keys, has_key
from .points import Point, dot, origin, over_one_denominator, times
from .shapes import combination, read_vector, read_weights
from .subject import System, system
from .verdict import Json, holds, well_formed

SMALL = 100  # operations for a pair of tokens whose forms have no term


class AtLayerK(NamedTuple):
    """The state of layer K: A, r = 1 - a, tokens, follower sets, tokens at leading positions, leading positions."""

    A: list[Point]
    r: Fraction
    tokens: list[Point]
    follows: list[Group]
    leaders: set[int]
    leading: set[int]
    corners: frozenset[Point]


def at_layer_K(given: System, K: int, file: Certificate) -> AtLayerK:
    """Layer K by definition. A token is at a leading position if all tokens it follows stand where it stands."""
    tokens, follows, leaders = last_layer(given, K, file.budget)
    leading = {i for i, group in enumerate(follows) if all(tokens[j] == tokens[i] for j in group)}
    corners = frozenset([tokens[i] for i in leading])
    return AtLayerK(given.A, 1 - given.step, tokens, follows, leaders, leading, corners)


class ProvedLimits(NamedTuple):
    """What the lines of `limit` prove: layer K, and the limit of every token."""

    at: AtLayerK
    limits: list[Point]


def prove_limits(file: Certificate, given: System, K: int) -> ProvedLimits:
    """The limit of every token, by the token lines and the leaders line."""
    verify_definite(given.A, file.budget)
    at = at_layer_K(given, K, file)
    forms, limits, stated, centres = list[Form](), list[Point](), list[tuple[int, int]](), dict[Group, Point]()
    for i in range(len(at.tokens)):
        row = read_token_line(file, i)
        if "lock" in row:
            forms.append(locked_form(i, at, centres, file))
        else:
            stated.append((i, count(row["from"], 1)))
            forms.append(read_form(row["form"], len(at.tokens), file))
            obligation_1(forms[i], at.tokens[i], file)
        limits.append(read_vector(row["limit"], file))
        verify_limit(forms[i], limits[i], file)
        verify_kind(row, limits[i], at, file)
    for i, k0 in stated:
        obligation_2(i, at, forms, file)
        obligation_3(i, k0, at, forms, file)
    verify_leaders(file.lines.field("leaders"), at.leaders, len(at.tokens))
    return ProvedLimits(at, limits)


def read_token_line(file: Certificate, i: int) -> Json:
    """Token line i, with the keys of its PROOF and of its FACE."""
    row = file.lines.value()
    proof = ("lock",) if has_key(row, "lock") else ("form", "from")
    face = ("normal", "weights") if has_key(row, "kind") and row["kind"] == "projection" else ()
    exact_keys(row, "token", "kind", "limit", *proof, *face)
    count(row["token"], i, i + 1)
    well_formed("form" in row or row["lock"] is True, '"lock" must be true')
    return row


def locked_form(i: int, at: AtLayerK, centres: dict[Group, Point], file: Certificate) -> Form:
    """(1, 0, c), (r, 0, z_i - c), zero vectors left out, for a locked token; c is found once for every C_i."""
    group = at.follows[i]
    if group not in centres:
        centres[group] = locked_centre(group, at, file)
    c = centres[group]
    return combined([(ONE, {(ONE, 0): c}), (ONE, {(at.r, 0): at.tokens[i]}), (-ONE, {(at.r, 0): c})], file.budget)


def locked_centre(group: Group, at: AtLayerK, file: Certificate) -> Point:
    """c = mean_{j in C_i} z_j: every member of C_i leads, and maximises <A c, .> over all tokens."""
    leads = at.leading.issuperset(group)
    holds(leads, "a locked token follows a token that is not at a leading position")
    c = combination([(j, Fraction(1, len(group))) for j in group], at.tokens, file.budget)
    charge_dots(c, at.A, file.budget)
    form = times(at.A, c)
    rows, _ = over_one_denominator(at.tokens, file.budget)
    charge_dots(form, at.tokens, file.budget)
    scores = [sum(map(mul, form, y)) for y in rows]
    holds(set(group) <= set(largest(scores)), "a locked token's leaders do not all maximise <A c, .>")
    return c


def obligation_1(form: Form, token: Point, file: Certificate) -> None:
    """z_i(0) is the state at layer K."""
    start = value_at_zero(form, file.dim, file.budget)
    holds(start == token, "the closed form does not begin at the token's place")


def obligation_2(i: int, at: AtLayerK, forms: list[Form], file: Certificate) -> None:
    """z_i(k+1) = r z_i(k) + a mean_{j in C_i} z_j(k) identically: the coefficients of b^k binom(k,m) agree."""
    group, a = at.follows[i], 1 - at.r
    file.budget.spend(SMALL * len(group))
    step = combined([(at.r, forms[i]), *[(a / len(group), forms[j]) for j in group]], file.budget)
    holds(shifted(forms[i], file.budget) == step, f"the closed form of token {i} breaks the recurrence")


def obligation_3(i: int, k0: int, at: AtLayerK, forms: list[Form], file: Certificate) -> None:
    """f(k) = <A z_i(k), z_j(k) - z_l(k)>, j the least of C_i, is 0 identically for l in C_i, and > 0 otherwise."""
    budget, group = file.budget, at.follows[i]
    score: Form = {}
    for key, v in in_powers(forms[i], budget).items():
        charge_dots(v, at.A, budget)
        score[key] = times(at.A, v)
    members = set(group)
    file.budget.spend(SMALL * (len(forms) + len(group)))
    for l, form in enumerate(forms):
        gap = in_powers(combined([(ONE, forms[group[0]]), (-ONE, form)], budget), budget)
        margin = inner_product(score, gap, budget)
        if l in members:
            holds(not margin, f"token {i} does not follow token {l} for ever")
        else:
            verify_positive(margin, k0, f"token {i} may follow token {l}", budget)


def verify_limit(form: Form, limit: Point, file: Certificate) -> None:
    """`limit` is the vector of b = 1, 0 if there is none."""
    constant = form.get((ONE, 0), origin(file.dim))
    holds(constant == limit, "the limit is not the constant term of the closed form")


def verify_kind(row: Json, limit: Point, at: AtLayerK, file: Certificate) -> None:
    """A `vertex` is a leading position; a `projection` is none, and is that of the origin onto a face of P."""
    well_formed(row["kind"] in ("vertex", "projection"), "a kind is vertex or projection")
    is_vertex = row["kind"] == "vertex"
    holds((limit in at.corners) == is_vertex, "vertex is the kind of a limit at a leading position")
    if not is_vertex:
        verify_face(row, limit, at, file)


def verify_face(row: Json, limit: Point, at: AtLayerK, file: Certificate) -> None:
    """The projection of the origin in the norm of A onto the face of P on which <h, .> is largest."""
    normal, weights = read_vector(row["normal"], file), read_weights(row["weights"], len(at.tokens), file)
    charge_dots(normal, at.corners, file.budget)
    top = max(dot(normal, p) for p in at.corners)
    face = {p for p in at.corners if dot(normal, p) == top}
    inside = all(at.tokens[i] in face for i, _ in weights)
    holds(inside, "the weights use a token outside the face")
    verify_projection(at.A, limit, face, combination(weights, at.tokens, file.budget), file.budget)


def limit(file: Certificate) -> str:
    """Each token tends to its limit of the kind stated, and the follower sets never change from layer K on."""
    n, K, given = file.header["tokens"], file.header["layer"], system(file)
    leaders = sorted(prove_limits(file, given, K).at.leaders)
    as_assumed = origin(file.dim) not in given.tokens and len(file.budget.distinct(given.tokens)) == n
    violated = "" if as_assumed else "; zero or equal tokens violate the hypotheses of the theorem"
    about = f"each of {n} tokens in Q^{file.dim} tends to a limit of the kind stated; leaders {leaders}"
    return f"{about[:400]}; the follower sets never change from layer {K} on{violated}"
