"""Why a rational matrix has no dominant eigenvalue that is real and semisimple, and its leading eigenspaces."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

from flint import acb, acb_mat, arb_mat, ctx, fmpq_poly, fmpz_poly

from exactformer.arithmetic.ball import Ball, ends
from exactformer.arithmetic.interval import fraction, rational
from exactformer.arithmetic.rational import RationalRow, RationalRows
from exactformer.display.verbs import Listed
from exactformer.io.json_lines import JsonObject
from exactformer.studies.mean_field.flint_forms import (
    evaluated,
    flint_matrix,
    flint_polynomial,
    primitive_polynomial,
    projector_parts,
)
from exactformer.studies.mean_field.roots import BITS, isolated


@dataclass(frozen=True, repr=False)
class NoDominant(Listed):
    """No real semisimple eigenvalue exceeds the real parts of all others.

    `real-defective`: (M - lambda)^2 v = 0 and (M - lambda) v != 0 for some v; `vector` is a rational u with
    f(M) u != 0 and f(M)^2 u = 0. `complex`: eigenvalues that are not real have the largest real part.
    """

    matrix: RationalRows
    kind: Literal["real-defective", "complex"]
    polynomials: tuple[RationalRow, ...]
    dimension: int | None
    roots: tuple[tuple[Ball, Ball], ...]
    factors: tuple[tuple[tuple[int, ...], int], ...]
    vector: RationalRow | None = None

    def __repr__(self) -> str:
        return f"NoDominant({self.reason})"

    def __bool__(self) -> bool:
        return False

    @property
    def reason(self) -> str:
        """Which hypothesis fails, in words."""
        if self.kind == "complex":
            shown = ", ".join(f"{float(x):.6g}{float(y):+.6g}i" for x, y in self.roots)
            return f"the largest real part belongs to eigenvalues of M that are not all real: {shown}"
        shown = f"{float(self.roots[0][0]):.6g}"
        return f"the dominant eigenvalue {shown} of M is real, but not semisimple: M has a Jordan block for it"

    @property
    def counterexample(self) -> str:
        """The statement of the catalogue that such a matrix refutes."""
        return "meanfield-complex-pair" if self.kind == "complex" else "meanfield-jordan-block"

    @property
    def multiplicity(self) -> int:
        """The algebraic multiplicity of the leading eigenvalues, the first factor's."""
        mine = tuple(int(c) for c in primitive_polynomial(self.polynomials[0]).coeffs())
        return next(times for factor, times in self.factors if factor == mine)

    def gap_ends(self) -> tuple[Fraction, Fraction]:
        """Rationals low < high between the real parts of the other eigenvalues and that of the leading ones."""
        bits = BITS
        while True:
            mine, others = self._parted(bits)
            high = min(ends(root.real)[0] for root in mine)
            low = max(ends(root.real)[1] for root in others)
            if low < high:
                return low, high
            bits *= 2  # ends: the leading roots have one real part, which is the largest

    def _parted(self, bits: int) -> tuple[list[acb], list[acb]]:
        """Balls around the leading roots, and around the others."""
        factors = [fmpz_poly(list(factor)) for factor, _ in self.factors]
        roots = [root.ball for root in isolated(factors, bits)]
        leads = [any(ball.real.overlaps(x.arb) and ball.imag.overlaps(y.arb) for x, y in self.roots) for ball in roots]
        parted = ([b for b, lead in zip(roots, leads, strict=True) if lead is wanted] for wanted in (True, False))
        mine, others = parted
        return mine, others

    @property
    def is_simple_pair(self) -> bool:
        """Whether two conjugate eigenvalues lead, of multiplicity 1."""
        return self.kind == "complex" and len(self.roots) == 2 and self.multiplicity == 1

    def pair_balls(self, bits: int) -> arb_mat:
        """Balls around the real projector onto the plane of a simple leading pair: twice the real part of one's."""
        M, f = flint_matrix(self.matrix), flint_polynomial(self.polynomials[0])
        h = fmpq_poly([1])
        for coefficients, times in self.factors:
            if fmpz_poly(list(coefficients)) != primitive_polynomial(self.polynomials[0]):
                h *= fmpq_poly(list(coefficients)) ** times
        with ctx.workprec(bits):
            root, scale = self._parted(bits)[0][0], acb(0)
            for c in reversed(f.derivative().coeffs()):
                scale = scale * root + c
            total = acb_mat(len(self.matrix), len(self.matrix))
            for part in reversed(projector_parts(M, f, h)):
                total = total * root + acb_mat([[acb(rational(x)) for x in row] for row in part])
            return arb_mat([[2 * (x / scale).real for x in row] for row in total.tolist()])

    def json(self) -> JsonObject:
        """The answer as plain data: enclosures of the leading eigenvalues, and the reason."""
        leading = [{"real": _outward(x), "imaginary": _outward(y)} for x, y in self.roots]
        return {
            "kind": self.kind,
            "eigenvalue": leading[0],
            "leading": leading,
            "dimension": self.dimension,
            "projector": None,
            "rate": None,
            "reason": self.reason,
            "counterexample": self.counterexample,
        }


def _outward(ball: Ball) -> list[Fraction]:
    """Dyadic ends of an interval that contains the ball, of some 12 decimal digits; one number twice if it is exact."""
    low, high = ends(ball.arb)
    if low == high:
        return [low, high]
    size = max(abs(low), abs(high), Fraction(1, 2**40)) / 2**40
    unit = Fraction(2) ** (size.numerator.bit_length() - size.denominator.bit_length())
    return [math.floor(low / unit) * unit, math.ceil(high / unit) * unit]


def leading_space(found: NoDominant) -> RationalRows:
    """The rational projector onto the generalised eigenspaces of the factors that lead, along the others."""
    M = flint_matrix(found.matrix)
    mine = [primitive_polynomial(polynomial) for polynomial in found.polynomials]
    lead, rest = fmpq_poly([1]), fmpq_poly([1])
    for coefficients, times in found.factors:
        factor = fmpz_poly(list(coefficients))
        if factor in mine:
            lead *= fmpq_poly(factor) ** times
        else:
            rest *= fmpq_poly(factor) ** times
    _, _, t = lead.xgcd(rest)
    value = evaluated(t * rest, M)
    return tuple(tuple(fraction(x) for x in row) for row in value.tolist())
