"""The statements that the mean field adds to the catalogue: its limit theorem, and the same without one hypothesis."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from pathlib import Path

from flint import arb, arb_mat, ctx

from exactformer.arithmetic.ball import Ball
from exactformer.arithmetic.rational import RationalRow, diagonal, identity
from exactformer.conjectures.statement import Hypothesis, Statement
from exactformer.conjectures.verdict import StatementVerdict, conclude
from exactformer.errors import Undecided
from exactformer.geometry.linear_algebra import rank
from exactformer.geometry.points import dot
from exactformer.instances.mean_field import MeanField
from exactformer.studies.mean_field import counterexamples as facts
from exactformer.studies.mean_field.claims import (
    write_circle,
    write_complex_pair,
    write_dominated,
    write_jordan_block,
    write_leading_pair,
)
from exactformer.studies.mean_field.no_dominant import NoDominant, leading_space
from exactformer.studies.mean_field.random_instances import circle, cones, mirrored, with_kernel, with_spectrum
from exactformer.studies.mean_field.spectrum import Dominant
from exactformer.studies.mean_field.system import transpose
from exactformer.studies.mean_field.zero_temperature import ZeroTemperature, limit_of_matrix

SOURCE = "the mean field at low temperature (arXiv 2605.10931), in the form announced in its abstract"
#: how near a token is to its limit at s = TIMES/gap
NEAR, TIMES, BITS = Fraction(1, 10**6), 60, 256


# hypotheses ---------------------------------------------------------------------------------------------------
def _has_dominant(instance: MeanField) -> bool:
    return isinstance(facts.spectrum(instance), Dominant)


def _off_kernel(instance: MeanField) -> bool:
    found = facts.spectrum(instance)
    return isinstance(found, Dominant) and all(any(dot(row, x) for row in found.projector) for x in instance.tokens)


def _is_identity(instance: MeanField) -> bool:
    return identity(instance.dim) == instance.B


def _is_positive_multiple(instance: MeanField) -> bool:
    v = instance.V[0][0]
    return v > 0 and diagonal([v] * instance.dim) == instance.V


def _is_plane_with_gap(instance: MeanField) -> bool:
    V = instance.V
    return instance.dim == 2 and V[0][1] == V[1][0] and (V[0][1] != 0 or V[0][0] != V[1][1])


def _rational_line(instance: MeanField) -> bool:
    found = facts.spectrum(instance)
    return isinstance(found, Dominant) and found.dimension == 1 and len(found.polynomial) == 2


def _values_lead(instance: MeanField) -> bool:
    found = facts.values_spectrum(instance)
    return (
        isinstance(found, Dominant)
        and len(found.polynomial) == 2
        and any(any(dot(row, x) for row in found.projector) for x in instance.tokens)
    )


INVERTIBLE = Hypothesis("B is invertible", lambda instance: rank(instance.B) == instance.dim)
SPHERE = Hypothesis("the dimension is at least 2", lambda instance: instance.dim >= 2)
TOKENS = Hypothesis("there is a token", lambda instance: len(instance.tokens) > 0)
DOMINANT = Hypothesis("the dominant eigenvalue of M = V B' is real and semisimple", _has_dominant)
SPANNING = Hypothesis(
    "the tokens span the space", lambda instance: bool(instance.tokens) and rank(instance.tokens) == instance.dim
)
OFF_KERNEL = Hypothesis("Pi x != 0 for every token", _off_kernel)
LINE = Hypothesis("E is a rational line", _rational_line)
MULTIPLE = Hypothesis("V is a positive multiple of the identity", _is_positive_multiple)
CIRCLE = Hypothesis("d = 2, V is symmetric with two eigenvalues", _is_plane_with_gap)
UNIT = Hypothesis("B is the identity", _is_identity)
CONSTANT = Hypothesis("a constant C is given", lambda instance: instance.constant is not None)
RATE = Hypothesis("a rate c is given", lambda instance: instance.rate is not None)
VALUES = Hypothesis(
    "the dominant eigenvalue of V is rational and semisimple, and some token has a part in its eigenspace",
    _values_lead,
)


# the theorem --------------------------------------------------------------------------------------------------
def near_the_limit(instance: MeanField) -> StatementVerdict:
    """Every token is within NEAR of T(x) at s = TIMES/gap, by the exponential of M in balls."""
    found = facts.spectrum(instance)
    gap = found.gap() if isinstance(found, Dominant) else None
    if gap is None:
        return conclude(True)
    with ctx.workprec(BITS):
        M = arb_mat([[Ball.of(x, bits=BITS).arb for x in row] for row in instance.V]) * arb_mat(
            [[Ball.of(x, bits=BITS).arb for x in row] for row in transpose(instance.B)]
        )
        flow = (M * (TIMES / gap.arb)).exp()
        for i, token in enumerate(instance.tokens):
            image = flow * arb_mat([[Ball.of(x, bits=BITS).arb] for x in token])
            length = sum((x * x for x in image.entries()), arb(0)).sqrt()
            target = [ball.arb for ball in _limit(found, token)]
            gaps = [x / length - y for x, y in zip(image.entries(), target, strict=True)]
            square = sum((x * x for x in gaps), arb(0))
            if not square < NEAR.numerator**2 / arb(NEAR.denominator) ** 2:
                if square > NEAR.numerator**2 / arb(NEAR.denominator) ** 2:
                    return conclude(False, token=i)
                raise Undecided("the enclosure of the flow is too wide")
    return conclude(True, nearness=0.1)


def _limit(found: Dominant | NoDominant, token: RationalRow) -> tuple[Ball, ...]:
    if isinstance(found, NoDominant):
        raise Undecided("expected a dominant eigenvalue")
    return found.T(token, bits=BITS)


# certificates -------------------------------------------------------------------------------------------------
def certify_complex_pair(instance: MeanField, verdict: StatementVerdict, path: Path) -> None:
    """The plane that M turns, and that all other eigenvalues lie below."""
    witness, found = verdict.witness, facts.spectrum(instance)
    if "vector" not in witness and isinstance(found, NoDominant):
        pair = facts.leading_pair(found)
        positive = pair.scale, pair.exponent
        write_leading_pair(path, (instance.V, instance.B), pair.below, pair.above, pair.polynomial, positive)
        return
    polynomial = witness["trace"], witness["determinant"]
    write_complex_pair(path, (instance.V, instance.B), witness["vector"], polynomial, facts.rest_below(instance))


def certify_jordan_block(instance: MeanField, verdict: StatementVerdict, path: Path) -> None:
    """The generalised eigenspace, and that all other eigenvalues lie below."""
    found, value = facts.spectrum(instance), verdict.witness["eigenvalue"]
    if isinstance(found, Dominant):
        raise Undecided("expected a defective eigenvalue")
    space = facts.independent_columns(leading_space(found))
    write_jordan_block(path, (instance.V, instance.B), value, space, facts.rest_below(instance))


def certify_kernel(instance: MeanField, verdict: StatementVerdict, path: Path) -> None:
    """The dominance of lambda, and the token in ker Pi."""
    _certify_dominated(instance, "meanfield-mass-on-kernel", facts.value_matrix(instance), {**verdict.witness}, path)


def certify_cone(instance: MeanField, verdict: StatementVerdict, path: Path) -> None:
    """The dominance of lambda, and the half-spaces that exclude both points of S(E)."""
    e, h, opposite = (list(verdict.witness[key]) for key in ("direction", "excludes", "excludes_opposite"))
    witness = {"direction": e, "excludes": h, "excludes_opposite": opposite}
    _certify_dominated(instance, "meanfield-cone-support", facts.value_matrix(instance), witness, path)


def certify_symmetry(instance: MeanField, verdict: StatementVerdict, path: Path) -> None:
    """The dominance of the eigenvalue of V, the reflection, and the token that it fixes."""
    signs = verdict.witness["reflection"]
    witness = {"reflection": diagonal(signs), "token": verdict.witness["token"]}
    _certify_dominated(instance, "meanfield-symmetric-data", instance.V, witness, path)


def _certify_dominated(
    instance: MeanField, statement: str, M: tuple[RationalRow, ...], witness: Mapping[str, object], path: Path
) -> None:
    found = limit_of_matrix(M)
    if not isinstance(found, ZeroTemperature):
        raise Undecided("expected a dominant eigenvalue")
    matrices = instance.V, instance.B
    write_dominated(path, statement, matrices, instance.tokens, found.shape, found.dominance, dict(witness))


def certify_gap(instance: MeanField, verdict: StatementVerdict, path: Path) -> None:
    """The decay e^(-gs) at which the bound is violated."""
    constants = {"constant": instance.constant or Fraction(1)}
    write_circle(path, "meanfield-w2-rate-is-gap", instance.V, constants, {"decay": verdict.witness["decay"]})


def certify_near_kernel(instance: MeanField, verdict: StatementVerdict, path: Path) -> None:
    """The time at which the bound is violated, and a bound of the gap."""
    constants = {"constant": instance.constant or Fraction(1), "rate": instance.rate or Fraction(1)}
    witness = {key: verdict.witness[key] for key in ("gap", "time")}
    write_circle(path, "meanfield-mass-near-kernel", instance.V, constants, witness)


STATEMENTS = (
    Statement(
        "meanfield-limit",
        "If B is invertible, the dominant eigenvalue of M = V B' is real and semisimple and Pi x != 0, the solution at "
        "zero temperature tends to Pi x/|Pi x|.",
        "true",
        SOURCE,
        (SPHERE, INVERTIBLE, DOMINANT, TOKENS, OFF_KERNEL),
        near_the_limit,
        with_spectrum,
    ),
    Statement(
        "meanfield-complex-pair",
        "If B is invertible, almost every solution at zero temperature converges.",
        "false",
        f"{SOURCE}, without a real dominant eigenvalue",
        (SPHERE, INVERTIBLE),
        facts.converges,
        with_spectrum,
        certify_complex_pair,
    ),
    Statement(
        "meanfield-jordan-block",
        "If B is invertible, almost every solution at zero temperature that converges does so exponentially fast.",
        "false",
        f"{SOURCE}, without a semisimple dominant eigenvalue",
        (SPHERE, INVERTIBLE),
        facts.converges_exponentially,
        with_spectrum,
        certify_jordan_block,
    ),
    Statement(
        "meanfield-mass-on-kernel",
        "If B is invertible and the dominant eigenvalue of M is real and semisimple, every token tends to E at zero "
        "temperature.",
        "false",
        f"{SOURCE}, with mass on ker Pi",
        (SPHERE, INVERTIBLE, DOMINANT, TOKENS),
        facts.all_tend_to_limit_space,
        with_kernel,
        certify_kernel,
    ),
    Statement(
        "meanfield-mass-near-kernel",
        "On the circle, B = I, V symmetric: W2 <= C e^(-cs) at zero temperature also for the law with the mass "
        "1/(1 + log(1/r)) at tan(angle to ker Pi) <= r.",
        "false",
        f"{SOURCE}, with mass near ker Pi",
        (CIRCLE, UNIT, CONSTANT, RATE),
        facts.exponential_near_the_kernel,
        circle,
        certify_near_kernel,
    ),
    Statement(
        "meanfield-cone-support",
        "If B is invertible, the dominant eigenvalue of M is real and semisimple, the tokens span the space and "
        "Pi x != 0 for all of them, then for large beta they come as near to S(E) as one likes.",
        "false",
        f"{SOURCE}, without full support",
        (SPHERE, INVERTIBLE, DOMINANT, LINE, MULTIPLE, SPANNING, OFF_KERNEL),
        facts.reaches_the_limit,
        cones,
        certify_cone,
    ),
    Statement(
        "meanfield-w2-rate-is-gap",
        "On the circle, B = I, V symmetric with the gap g: W2 <= C e^(-gs) at zero temperature for the uniform law.",
        "false",
        f"{SOURCE}, with the gap itself as the rate in W2",
        (CIRCLE, UNIT, CONSTANT),
        facts.gap_is_the_rate,
        circle,
        certify_gap,
    ),
    Statement(
        "meanfield-symmetric-data",
        "At every beta all tokens come near the dominant eigenspace of V in the end.",
        "false",
        f"{SOURCE}, the terminal phase, for symmetric tokens",
        (SPHERE, INVERTIBLE, TOKENS, VALUES),
        facts.ends_at_the_values,
        mirrored,
        certify_symmetry,
    ),
)
