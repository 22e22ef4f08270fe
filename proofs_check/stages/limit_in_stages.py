"""The claim `limit` in stages (FORMAT.md, section 13): from one change of the follower sets to the next."""

from collections import Counter
from fractions import Fraction
from itertools import repeat
from typing import NamedTuple

from ..core.certificate import Certificate
from ..core.dynamics import Group, layers
from ..core.geometry import verify_definite
from ..core.lines import count, entries, exact_keys, has_key, indices
from ..core.points import Point, origin
from ..core.shapes import read_weights
from ..core.subject import System, system
from ..core.verdict import Json, holds, well_formed
from .exponential_sums import Exponential, verify_dominance, verify_range
from .power_sums import ONE, added, plain, read_sum, sign
from .stage_forms import Form, Powers, Vector, accumulate, continued, dot, gap, in_powers, minus, scaled, value

Pair = tuple[int, int]
Cuts = dict[Pair, list[int]]
PAIR = 20  # operations that a pair costs before anything is computed, and words of memory that it takes


class Origin(NamedTuple):
    """Layer K on positions: their places and C_i, how many tokens stand at each, and since when tokens lead."""

    places: dict[int, Point]
    sets: dict[int, Group]
    weights: dict[int, int]
    leads: dict[int, int]


def at_origin(given: System, K: int, file: Certificate) -> Origin:
    """A position is the least of the tokens that stand there; equal tokens stay equal, others stay different."""
    leads: dict[int, int] = {}
    for k, layer in enumerate(layers(given.A, given.tokens, repeat(given.step, K), file.budget)):
        leads = {i: leads.get(i, k) for i in layer.leaders}
        places, follows = layer.tokens, layer.follows
    first = first_at(given.tokens)
    weights = Counter(first[z] for z in given.tokens)
    sets = {i: tuple([j for j in follows[i] if j in weights]) for i in weights}
    return Origin({i: places[i] for i in weights}, sets, weights, leads)


def first_at(tokens: list[Point]) -> dict[Point, int]:
    """The least of the tokens that stand at a point, for every point at which one stands."""
    return {z: i for i, z in reversed(list(enumerate(tokens)))}


class Stages:
    """The sets and forms of the present stage, and the pairs (i, l) that are open, each since a time."""

    def __init__(self, given: System, start: Origin, file: Certificate) -> None:
        self.budget, self.share, self.weights, self.leads = file.budget, given.step, start.weights, start.leads
        self.A = [[plain(Fraction(x, row[-1])) for x in row[:-1]] for row in given.A]
        self.sets, self.since = dict(start.sets), dict[Pair, int]()
        self.forms: dict[int, Form] = {}
        for i, (*place, q) in start.places.items():
            self.forms[i] = {(ONE, 0): [plain(Fraction(x, q)) for x in place]}
        self.powers: dict[int, Powers] = {}
        self.differences: dict[Pair, Powers] = {}

    def begin(self, time: int, renewed: list[int]) -> None:
        """New forms for the positions renewed, in order, and pairs opened wherever a form is new."""
        for i in renewed:
            self.forms[i] = self.renewed_form(i, time)
            self.powers[i] = in_powers(self.forms[i], self.budget)
        new = {*renewed}
        self.budget.spend(PAIR * (len(self.sets) + len(self.differences)))
        self.differences = {pair: x for pair, x in self.differences.items() if not {*pair} & new}
        for i, group in self.sets.items():
            fresh, others = {i, group[0]} & new, () if self.is_locked(i) else self.sets
            self.budget.spend(PAIR * len(others))
            self.budget.within(self.budget.held + 8 * PAIR * (len(self.since) + len(others)), "memory")
            for l in others:
                if l != group[0] and (fresh or l in new):
                    self.since[i, l] = time

    def renewed_form(self, i: int, time: int) -> Form:
        """The form of a position that follows its set from a time on: constant if it follows itself alone."""
        group = self.sets[i]
        if group == (i,):
            return {(ONE, 0): value(self.forms[i], time, self.budget)}
        size = sum([self.weights[j] for j in group])
        own = 1 - self.share + self.share * Fraction(self.weights[i] if i in group else 0, size)
        pulls = [(self.share * Fraction(self.weights[j], size), self.forms[j]) for j in group if j != i]
        return continued(self.forms[i], time, own, pulls, self.budget)

    def is_locked(self, i: int) -> bool:
        """Whether C_i is one position that leads, which i then follows for ever."""
        group = self.sets[i]
        return len(group) == 1 and self.sets[group[0]] == group

    def image(self, v: Vector) -> Vector:
        """A v."""
        return [dot(row, v, self.budget) for row in self.A]

    def gap(self, i: int, l: int) -> Exponential:
        """k -> <A z_i(k), z_j(k) - z_l(k)>, j the least of C_i."""
        pair = (self.sets[i][0], l)
        if pair not in self.differences:
            self.differences[pair] = minus(self.powers[pair[0]], self.powers[l], self.budget)
        images = {key: self.image(v) for key, v in self.powers[i].items()}
        return gap(images, self.differences[pair], self.budget)

    def sign_at(self, i: int, l: int, k: int) -> int:
        """The exact sign of the gap at a time."""
        z, y, x = (value(self.forms[p], k, self.budget) for p in (i, self.sets[i][0], l))
        return sign(dot(self.image(z), [added(p, q, self.budget, -1) for p, q in zip(y, x)], self.budget), self.budget)

    def verify_until(self, pair: Pair, last: int, cuts: Cuts) -> None:
        """C_i has l, or has it not, at every time since the pair was opened, up to the last one."""
        (i, l), u = pair, self.since[pair]
        f = self.gap(i, l)
        if l in self.sets[i]:
            zero = not f or (last < u + 64 and not any(self.sign_at(i, l, k) for k in range(u, last + 1)))
            holds(zero, f"token {i} does not follow token {l} from time {u} to {last}")
        else:
            places = [u, *cuts.get(pair, []), last]
            verify_range(f, places, lambda k: self.sign_at(i, l, k), f"token {i} may follow token {l}", self.budget)

    def verify_for_ever(self, pair: Pair, k0: int, cuts: Cuts) -> None:
        """The same, at every later time."""
        (i, l), f = pair, self.gap(*pair)
        if l in self.sets[i]:
            holds(not f, f"token {i} does not follow token {l} for ever")
        else:
            self.verify_until(pair, k0, cuts)
            verify_dominance(f, k0, f"token {i} may follow token {l}", self.budget)

    def verify_set(self, i: int, time: int) -> None:
        """C_i at a time, for a position that is locked from then on: its leader scores more than everybody else."""
        best = self.sets[i][0]
        alone = all(self.sign_at(i, l, time) > 0 for l in self.sets if l != best)
        holds(alone, f"token {i} does not follow token {best} alone at time {time}")

    def limit(self, i: int) -> Vector:
        """The vector of base 1, 0 if there is none."""
        return self.forms[i].get((ONE, 0), [{} for _ in self.A])

    def corners(self) -> dict[int, Vector]:
        """The leading positions and where they stand."""
        return {q: self.limit(q) for q, group in self.sets.items() if group == (q,)}


def read_cuts(value: Json) -> Cuts:
    """Lists [i, l, time, ..]: where the range of the pair (i, l) is cut."""
    well_formed(type(value) is list, "cuts are a list")
    rows = [[count(x, 0) for x in entries(row)] for row in value]
    well_formed(all(len(row) > 2 for row in rows), "a cut names two tokens and times")
    found = {(row[0], row[1]): row[2:] for row in rows}
    well_formed(len(found) == len(rows), "the range of a pair is cut in two places of the list")
    return found


def read_renewed(value: object, n: int) -> dict[int, Group]:
    """Pairs [i, C_i] of positions with a new form, every i once."""
    pairs = [entries(pair, 2) for pair in entries(value)]
    found = {count(i, 0, n): indices(entries(group), n) for i, group in pairs}
    well_formed(len(found) == len(pairs), "a position is renewed twice")
    return found


def verify_order(stages: Stages, renewed: list[int]) -> None:
    """Whoever follows a position with a new form has a new form, and comes after it."""
    place = {i: k for k, i in enumerate(renewed)}
    known = set(stages.weights)
    named = known.issuperset(renewed) and all(known.issuperset(group) for group in stages.sets.values())
    holds(named, "a token that stands where an earlier one stands is no position")
    for i, group in stages.sets.items():
        after = all(place[j] < place.get(i, -1) for j in group if j != i and j in place)
        holds(after, f"token {i} follows one whose form is made later, or keeps its own form")


def next_stage(stages: Stages, s: int, before: int, file: Certificate) -> int:
    """Stage line s: pairs whose forms end are closed, then the stage begins. Its time."""
    number, time, renewal, cut = file.lines.fields("stage", "time", "renewed", "cuts")
    count(number, s, s + 1)
    time = count(time, before + 1)
    renewed, cuts, old = read_renewed(renewal, file.header["tokens"]), read_cuts(cut), dict(stages.sets)
    for i, l in list(stages.since):
        if {i, l, old[i][0]} & renewed.keys():
            stages.verify_until((i, l), time - 1, cuts)
            del stages.since[i, l]
    stages.sets = {**old, **renewed}
    verify_order(stages, list(renewed))
    stages.begin(time, list(renewed))
    for i in renewed:
        if stages.is_locked(i):
            stages.verify_set(i, time)
        if renewed[i] == (i,) and stages.weights[i] == 1:
            stages.leads.setdefault(i, file.header["layer"] + time)
    return time


def first_stage(stages: Stages, file: Certificate) -> None:
    """Stage line 0: all positions, with the follower sets of layer K."""
    number, time, renewal, cut = file.lines.fields("stage", "time", "renewed", "cuts")
    count(number, 0, 1)
    count(time, 0, 1)
    well_formed(read_cuts(cut) == {}, "nothing is cut at stage 0")
    renewed = read_renewed(renewal, file.header["tokens"])
    holds(renewed == stages.sets, "these are not the follower sets of layer K")
    verify_order(stages, list(renewed))
    stages.begin(0, list(renewed))


def verify_token_line(i: int, p: int, corners: dict[int, Vector], stages: Stages, file: Certificate) -> None:
    """The limit of token i, which stands at position p, and its kind; the corners are the leading positions."""
    row = file.lines.value()
    face = ("weights",) if has_key(row, "kind") and row["kind"] == "projection" else ()
    exact_keys(row, "token", "kind", "limit", *face)
    count(row["token"], i, i + 1)
    well_formed(row["kind"] in ("vertex", "projection"), "a kind is vertex or projection")
    limit = [read_sum(x, file) for x in entries(row["limit"], file.dim)]
    holds(equal(limit, stages.limit(p), stages), "the limit is not the constant term of the closed form")
    is_vertex = any(equal(limit, corner, stages) for corner in corners.values())
    holds(is_vertex == (row["kind"] == "vertex"), "vertex is the kind of a limit at a leading position")
    if not is_vertex:
        verify_face(row["weights"], limit, corners, stages, file)


def equal(x: Vector, y: Vector, stages: Stages) -> bool:
    """x = y."""
    return not any(sign(added(p, q, stages.budget, -1), stages.budget) for p, q in zip(x, y))


def verify_face(weights: object, x: Vector, corners: dict[int, Vector], stages: Stages, file: Certificate) -> None:
    """x is a combination of leading positions, and <A x, p> <= <A x, x> for all of them: those of the weights have
    equality, and x is the projection of the origin onto the face on which <A x, .> is largest."""
    given, normal = read_weights(weights, file.header["tokens"], file), stages.image(x)
    holds(corners.keys() >= {q for q, _ in given}, "the weights use a token that is no leading position")
    found: Form = {}
    for q, weight in given:
        accumulate(found, (ONE, 0), scaled(corners[q], plain(weight), stages.budget), stages.budget)
    beyond = [
        dot(normal, [added(a, b, stages.budget, -1) for a, b in zip(p, x)], stages.budget) for p in corners.values()
    ]
    highest = max([sign(height, stages.budget) for height in beyond])
    holds(equal(found[ONE, 0], x, stages) and highest <= 0, "the weights do not give a point nearest to the origin")


def limit_in_stages(file: Certificate) -> str:
    """Each token tends to its limit of the kind stated; the changes of the follower sets are those of the stages."""
    n, K, given = file.header["tokens"], file.header["layer"], system(file)
    verify_definite(given.A, file.budget)
    stages, time = Stages(given, at_origin(given, K, file), file), 0
    first_stage(stages, file)
    for s in range(1, file.header["stages"]):
        time = next_stage(stages, s, time, file)
    start, cut = file.lines.fields("from", "cuts")
    k0, cuts = count(start, time + 1), read_cuts(cut)
    for pair in stages.since:
        stages.verify_for_ever(pair, k0, cuts)
    first, corners = first_at(given.tokens), stages.corners()
    for i, z in enumerate(given.tokens):
        verify_token_line(i, first[z], corners, stages, file)
    rows = file.lines.field("leaders")
    well_formed(type(rows) is list, "leaders are a list")
    pairs = [entries(row, 2) for row in rows]
    stated = dict(zip(indices([i for i, _ in pairs], n), [count(k, 0) for _, k in pairs]))
    holds(stated == stages.leads, f"the leaders are {sorted(stages.leads)}"[:200])
    as_assumed = origin(file.dim) not in given.tokens and len(stages.weights) == n
    violated = "" if as_assumed else "; zero or equal tokens violate the hypotheses of the theorem"
    about = f"each of {n} tokens in Q^{file.dim} tends to a limit of the kind stated; leaders {sorted(stated)}"
    return f"{about[:400]}; the follower sets never change from layer {K + time} on{violated}"
