"""The `orbit` certificate: states, follower sets and leaders of layers 0..K."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction

from exactformer.arithmetic.algebraic import Algebraic
from exactformer.arithmetic.text import Exact
from exactformer.certificates.envelope import write_certificate
from exactformer.errors import Declined
from exactformer.io.json_lines import JsonObject, PathLike

#: a row of exact numbers
Numbers = Sequence[Exact | int]
#: tokens, follower sets and leaders of a layer
LayerData = tuple[Sequence[Numbers], Sequence[Sequence[int]], Sequence[int]]


def tokens_line(A: Sequence[Numbers], alpha: Fraction, tokens: Sequence[Numbers]) -> JsonObject:
    """The line with A, alpha and the tokens of layer 0; Declined where one of them is not rational."""
    for name, rows in (("A", A), ("tokens", tokens)):
        for i, row in enumerate(rows):
            for j, value in enumerate(row):
                if isinstance(value, Algebraic):
                    raise Declined(
                        f"{name}[{i}][{j}]: certificates hold rational numbers, got the algebraic number {value}; "
                        "the answer stands, but its proof has no file form"
                    )
    return {"A": [list(row) for row in A], "alpha": alpha, "tokens": [list(row) for row in tokens]}


def write_orbit(
    path: PathLike,
    A: Sequence[Numbers],
    alpha: Fraction,
    tokens: Sequence[Numbers],
    layers: Iterable[LayerData],
    last: int,
) -> None:
    """Writes the certificate of layers 0..last; `layers` is consumed one by one."""
    instance = tokens_line(A, alpha, tokens)

    def lines() -> Iterable[JsonObject]:
        yield instance
        for k, (state, follows, leaders) in enumerate(layers):
            yield {
                "layer": k,
                "tokens": [list(row) for row in state],
                "follows": [list(members) for members in follows],
                "leaders": list(leaders),
            }

    write_certificate(path, "orbit", {"dim": len(tokens[0]), "tokens": len(tokens), "layers": last}, lines())
