"""The one-step identities and inequalities behind the theorem on stabilisation, exact, on layers that look late.

Each is an exact form of what Lemmas 5 to 7 and 11 and section 6 of the page say up to small terms. In every formula the
share a of a layer is an argument: a planted wrong one must be found.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import NamedTuple

from exactformer.conjectures.catalogue.conditions import CLUSTERING
from exactformer.conjectures.statement import Conclusion, Hypothesis, Statement
from exactformer.conjectures.verdict import StatementVerdict, fails, holds
from exactformer.dynamics.late_layer import LateLayer, difference, inner_product, late_layers, mean, square
from exactformer.errors import InvalidInput
from exactformer.instances.late_layers import LateLayers
from exactformer.model.tokens import Tokens


class Relation(NamedTuple):
    """What a formula says of a token: left == right, or left <= right."""

    token: int
    left: Fraction
    right: Fraction
    equal: bool = True

    @property
    def holds(self) -> bool:
        """Whether it is true."""
        return self.left == self.right if self.equal else self.left <= self.right


#: the relations of a formula at two layers that follow each other, for the share a
StepFormula = Callable[[LateLayer, LateLayer, Fraction], Iterator[Relation]]


def gap_after(now: LateLayer, then: LateLayer, a: Fraction) -> Iterator[Relation]:
    """e' = r e - a (2E - |x|^2) - a^2 |w - z|^2; for the largest |w - z| = |D|/|C| |Z_D - x|, and
    <z, w - z> >= 0, equal if it ties with itself."""
    for i in now.cluster:
        pull = difference(now.goal(i), now.z[i])
        right = (1 - a) * now.gap(i) - a * (2 * now.excess(i) - square(now.x(i))) - a * a * square(pull)
        yield Relation(i, then.gap(i), right)
    g = now.largest
    pull = difference(now.goal(g), now.z[g])
    yield Relation(g, square(pull), now.share(g) ** 2 * square(difference(now.target(g), now.x(g))))
    yield Relation(g, Fraction(0), inner_product(now.z[g], pull), equal=g in now.inside(g))


def score_after(now: LateLayer, then: LateLayer, a: Fraction) -> Iterator[Relation]:
    """If C_i has no token of the cluster: <x_i', x_h'> - lambda_h' <= r(r e + a E_i) - a lambda_h' + a <Z_D, x_h'>,
    e = <x_i, x_h> - lambda_h, for all h; equal where C_h lies in C_i."""
    r = 1 - a
    for i in now.cluster:
        for h in now.cluster if not now.inside(i) else ():
            left = inner_product(then.x(i), then.x(h)) - then.height(h)
            least = r * (inner_product(now.x(i), now.x(h)) - now.height(h)) + a * now.excess(i)
            right = r * least - a * then.height(h) + a * inner_product(now.target(i), then.x(h))
            yield Relation(i, left, right, equal=set(now.follows[h]) <= set(now.follows[i]))


def self_tied(now: LateLayer, then: LateLayer, a: Fraction) -> Iterator[Relation]:
    """If C_g is g and N-1 targets: lambda = |x|^2 - E, e = |x|^2 - 2E, x' = rho x + (1-rho) Z_D, rho = 1 - a + a/N."""
    for g in now.cluster:
        if now.ties_with_itself(g):
            size, excess = square(now.x(g)), now.excess(g)
            yield Relation(g, now.height(g), size - excess)
            yield Relation(g, now.gap(g), size - 2 * excess)
            rho = 1 - a + a / len(now.follows[g])
            expected = (rho * u + (1 - rho) * v for u, v in zip(now.x(g), now.target(g), strict=True))
            yield from (Relation(g, u, v) for u, v in zip(then.x(g), expected, strict=True))


def next_largest(now: LateLayer, then: LateLayer, a: Fraction) -> Iterator[Relation]:
    """If the largest, g, ties with itself and targets: |x_g' - x_j'|^2 + e_j' = |x_g'|^2 - 2E_g' and e_t' <= e_j' for
    the j that g' follows and the next largest, t, equal if j is t; if t' ties with itself, |x_t'|^2 = e_t' + 2E_t'."""
    g, t = now.largest, then.largest
    if now.ties_with_itself(g):
        rho = 1 - a + a / len(now.follows[g])
        moved = tuple(rho * u + (1 - rho) * v for u, v in zip(now.x(g), now.target(g), strict=True))
        for j in then.inside(g):
            left = square(difference(moved, then.x(j))) + then.gap(j)
            yield Relation(g, left, square(moved) - 2 * then.excess(g))
            yield Relation(t, then.gap(t), then.gap(j), equal=j == t)
        if then.ties_with_itself(t):
            yield Relation(t, square(then.x(t)), then.gap(t) + 2 * then.excess(t))


def norm_after(now: LateLayer, then: LateLayer, a: Fraction) -> Iterator[Relation]:
    """If all follow one of the cluster: |z_i'|^2 <= |z_g|^2 + a^2 (|D|/|C|)^2 (|w_D|^2 - |z_g|^2), equal for g."""
    if not all(now.inside(i) for i in now.cluster):
        return
    most = square(now.z[now.largest])
    for i in now.cluster:
        far = square([u + v for u, v in zip(now.limit, now.target(i), strict=True)]) - most
        right = most + a * a * now.share(i) ** 2 * far
        yield Relation(i, square(then.z[i]), right, equal=i == now.largest)


def successor(now: LateLayer, then: LateLayer, a: Fraction) -> Iterator[Relation]:
    """Section 6, for a token with targets and one of the cluster in its set, gamma the mean of the latter.

    r|x|^2 + a kappa <x, gamma> + r Delta - Delta' = E - E' + |x'|^2 - a sigma <x, Z_D>, where
    Delta = lambda + E - |x|^2 >= 0, equal if it ties with itself; and |x_g|^2 + |gamma|^2 + 2(E - E_g) <= 2 <x, gamma>
    where the largest, g, ties with itself and targets, equal if it alone is followed.
    """
    g = now.largest
    for i in now.cluster:
        if not (now.inside(i) and now.outside(i)):
            continue
        x, gamma, sigma = now.x(i), mean([now.x(j) for j in now.inside(i)]), now.share(i)
        slack, later = (layer.height(i) + layer.excess(i) - square(layer.x(i)) for layer in (now, then))
        left = (1 - a) * (square(x) + slack) + a * (1 - sigma) * inner_product(x, gamma) - later
        right = now.excess(i) - then.excess(i) + square(then.x(i)) - a * sigma * inner_product(x, now.target(i))
        yield Relation(i, left, right)
        yield Relation(i, Fraction(0), slack, equal=i in now.inside(i))
        if now.ties_with_itself(g):
            least = square(now.x(g)) + square(gamma) + 2 * (now.excess(i) - now.excess(g))
            yield Relation(i, least, 2 * inner_product(x, gamma), equal=now.inside(i) == [g])


def judged_by(formula: StepFormula, factor: Fraction = Fraction(1)) -> Conclusion:
    """The conclusion that a formula holds, with `factor` times the share a in it (1 but for tests)."""

    def conclusion(tokens: Tokens) -> StatementVerdict:
        layers = late_layers(tokens)
        if layers is None:
            raise InvalidInput("expected tokens that look like a late layer")
        near = 0.0
        for relation in formula(*layers, factor * tokens.alpha / (1 + tokens.alpha)):
            if not relation.holds:
                return fails(layer=0, token=relation.token, left=relation.left, right=relation.right)
            near = max(near, _nearness(relation))
        return holds(near)

    return conclusion


def _nearness(relation: Relation) -> float:
    """1/2 for an identity; for an inequality the nearer to 1 the smaller its slack."""
    if relation.equal:
        return 0.5
    slack, size = relation.right - relation.left, abs(relation.right) + abs(relation.left)
    return 0.9 / (1 + float(slack / size)) if size else 0.9


LATE = Hypothesis(
    "the tokens look like a late layer (two leaders at both sides of a mirror, targets that follow them, a cluster in "
    "the mirror below its limit)",
    lambda tokens: late_layers(tokens) is not None,
)
PAGE = "proved on the page on stabilisation"
#: name, what it says, where it stands, the formula
STEPS = (
    ("gap", "e' = r e - a(2E - |x|^2) - a^2 |w - z|^2 for every token of the cluster; the largest moves by "
     "|D|/|C| |Z_D - x| times a, and not inwards.", "Lemma 5", gap_after),
    ("return", "A token that follows targets alone has at a token h of the cluster an excess of at most "
     "r E - a lambda_h' + a <Z_D, x_h'> one layer later.", "Lemma 6", score_after),
    ("self-tie", "A token that ties with itself and targets has lambda = |x|^2 - E and e = |x|^2 - 2E, and goes to "
     "rho x + (1 - rho) Z_D.", "formula (3)", self_tied),
    ("largest", "If the largest token g ties with itself and targets, then e_t' <= e_j' = |x_g'|^2 - 2E_g' - "
     "|x_g' - x_j'|^2 for the next largest, t, and the tokens j of the cluster that g' follows; and |x_t'|^2 = "
     "e_t' + 2E_t' if t' ties with itself.", "Lemma 7", next_largest),
    ("change", "If every token of the cluster follows one of it, then |z_i'|^2 is at most |z_g|^2 + "
     "a^2 (|D|/|C|)^2 (|w_D|^2 - |z_g|^2), which is what the largest reaches.", "Lemma 11", norm_after),
    ("successor", "The relation of section 6 between a token with targets and its next position, and its two "
     "inequalities.", "section 6", successor),
)  # fmt: skip


def _statement(name: str, words: str, place: str, formula: StepFormula) -> Statement:
    hypotheses, conclusion, family = (*CLUSTERING, LATE), judged_by(formula), LateLayers(twice=formula is next_largest)
    return Statement(f"stabilisation-{name}", words, "true", f"{PAGE}, {place}", hypotheses, conclusion, family)


STATEMENTS = tuple(_statement(*step) for step in STEPS)
