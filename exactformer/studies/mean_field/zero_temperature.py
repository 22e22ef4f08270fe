"""The limit at zero temperature: which eigenvalue of M dominates, where every token tends, how fast, certified."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from pathlib import Path

from exactformer.arithmetic.ball import Ball
from exactformer.arithmetic.rational import RationalRow, identity
from exactformer.arithmetic.short_text import show
from exactformer.arithmetic.state import PointsLike
from exactformer.arithmetic.text import Exact, NumberLike
from exactformer.certificates.envelope import CertificateLine
from exactformer.display.verbs import Certified, Listed
from exactformer.io.json_lines import JsonObject, PathLike
from exactformer.studies.mean_field.no_dominant import NoDominant
from exactformer.studies.mean_field.rate import Rate, certified_rate
from exactformer.studies.mean_field.spectrum import Dominant, dominant, eigenvectors
from exactformer.studies.mean_field.system import System


@dataclass(frozen=True)
class ZeroTemperature(Listed, Certified):
    """Every token x with Pi x != 0 tends to T(x) = Pi x/|Pi x|, with an error of at most C(x) e^(-ct), c = rate.

    The rate in W_p is that times min(1, k/p), for a bounded density.
    """

    system: System
    dominant: Dominant
    certified: Rate | None

    def __bool__(self) -> bool:
        return True

    def __repr__(self) -> str:
        rate = "none" if self.rate is None else f"about {float(self.rate):.4g}"
        return (
            f"ZeroTemperature({self.kind}, eigenvalue {show(self.eigenvalue)}, dimension {self.dimension}, rate {rate})"
        )

    @property
    def kind(self) -> str:
        """real-semisimple."""
        return self.dominant.kind

    @property
    def eigenvalue(self) -> Exact:
        """The dominant eigenvalue of M."""
        return self.dominant.eigenvalue

    @property
    def dimension(self) -> int:
        """k, the dimension of E."""
        return self.dominant.dimension

    @property
    def projector(self) -> tuple[tuple[Exact, ...], ...]:
        """The rows of the spectral projector Pi onto E."""
        return self.dominant.projector

    @property
    def rate(self) -> Fraction | None:
        """A proved rate, at least 99 % of gap/|B|; None where M is a multiple of I and nothing moves."""
        return None if self.certified is None else self.certified.value

    def T(self, x: Sequence[NumberLike], *, bits: int = 128) -> tuple[Ball, ...]:
        """Balls around the limit of a token."""
        return self.dominant.T(x, bits=bits)

    @cached_property
    def dominance(self) -> list[CertificateLine]:
        """The lines of a certificate that prove the eigenvalue dominant and Pi its projector."""
        from exactformer.studies.mean_field.claims import dominance_lines

        found, below = self.dominant, self.certified
        low = below.low if below is not None else -found.polynomial[0]
        form = None if below is None else below.below
        return dominance_lines(found.polynomial, low, eigenvectors(found), form, found.coefficients)

    @property
    def shape(self) -> tuple[int, int]:
        """(degree of the eigenvalue, its multiplicity)."""
        return len(self.dominant.coefficients), self.dimension

    def certify(self, path: PathLike) -> Path:
        """Writes a certificate of the claim `zero-temperature`."""
        from exactformer.studies.mean_field.claims import write_zero_temperature

        system, below = self.system, self.certified
        rate = None if below is None else (below.norm, below.value)
        write_zero_temperature(path, (system.V, system.Q, system.K), self.dominance, self.shape, rate)
        return Path(path)

    def json(self) -> JsonObject:
        """The answer as plain data; numbers are exact scalars."""
        return {
            "kind": self.kind,
            "eigenvalue": self.eigenvalue,
            "dimension": self.dimension,
            "projector": [list(row) for row in self.projector],
            "rate": self.rate,
        }


def limit(system: System | PointsLike | PathLike) -> ZeroTemperature | NoDominant:
    """The limit at zero temperature with its rate, or which hypothesis fails; of a system, its file, or the rows of V.

    Raises Undecided where eigenvalues cannot be compared or no Lyapunov form is found.

    Proof: mathematics/mean_field#zero-temperature.

    >>> found = limit(System.of([[1, 0], [0, "1/2"]], [["1/5", 0], [0, 1]]))
    >>> found.eigenvalue, found.projector[1], found.rate
    (Fraction(1, 2), (Fraction(0, 1), Fraction(1, 1)), Fraction(20, 67))
    """
    system = System.given(system)
    found = dominant(system.M)
    if isinstance(found, NoDominant):
        return found
    found.verify()
    return ZeroTemperature(system, found, certified_rate(found, system.B))


def limit_of_matrix(M: Sequence[RationalRow]) -> ZeroTemperature | NoDominant:
    """The same for a matrix alone: B = I."""
    return limit(System.of(M, identity(len(M))))
