"""The `laplace` certificate: the mean of softmax on the sphere is near its direction at every low temperature."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from exactformer.arithmetic.rational import RationalRow
from exactformer.certificates.envelope import write_certificate
from exactformer.dynamics.orbit_claim import Numbers
from exactformer.io.json_lines import PathLike


def write_laplace(
    path: PathLike,
    A: Sequence[Numbers],
    tokens: Sequence[Numbers],
    x: RationalRow,
    beta: Fraction,
    bound: Fraction,
    bits: int,
) -> None:
    """Writes the certificate: for every inverse temperature >= beta the mean at x is within `bound` of A x/|A x|."""
    subject = {"A": [list(row) for row in A], "tokens": [list(row) for row in tokens], "x": list(x)}
    header = {"dim": len(x), "tokens": len(tokens), "bits": bits}
    write_certificate(path, "laplace", header, [subject, {"beta": beta, "bound": bound}])
