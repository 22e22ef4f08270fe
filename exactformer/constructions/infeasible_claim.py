"""The certificate of claim `infeasible`: the data set, and the sequences that no transformer can serve."""

from __future__ import annotations

from collections.abc import Sequence

from exactformer.arithmetic.integers import Array
from exactformer.arithmetic.state import State
from exactformer.certificates.envelope import write_certificate
from exactformer.certificates.interpolation import TargetsOf, sequence_lines
from exactformer.errors import InvalidInput
from exactformer.io.json_lines import PathLike

#: the conditions a certificate can refute
CONDITIONS = ("measure", "set", "targets")


def write_infeasible(
    path: PathLike,
    *,
    condition: str,
    witness: Sequence[int],
    tokens: State,
    offsets: Array,
    targets: TargetsOf | None = None,
    labels: Sequence[str] | None = None,
) -> None:
    """Writes the claim that the data violate a necessary condition at the sequences of the witness.

    `measure` and `set`: two sequences with the same measure (or set of tokens) and different targets;
    `targets`: one sequence with more targets than distinct tokens.
    """
    if condition not in CONDITIONS:
        raise InvalidInput(f"expected one of the conditions {', '.join(CONDITIONS)}, got {condition!r}")
    header = {
        "condition": condition,
        "dim": tokens.dim,
        "sequences": len(offsets) - 1,
        "witness": [int(j) for j in witness],
    }
    write_certificate(path, "infeasible", header, sequence_lines(tokens, offsets, targets, labels))
