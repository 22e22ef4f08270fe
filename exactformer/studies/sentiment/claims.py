"""The `decision` certificate: the sign of b + <v, mean of all tokens> after K layers, and the leaders."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from exactformer.certificates.envelope import write_certificate
from exactformer.dynamics.orbit_claim import Numbers, tokens_line
from exactformer.io.json_lines import PathLike


def write_decision(
    path: PathLike,
    *,
    system: tuple[Sequence[Numbers], Fraction, Sequence[Numbers]],
    layers: int,
    counts: Sequence[int],
    words: Sequence[str],
    decoder: tuple[Numbers, Fraction],
    leaders: Sequence[int],
    positive: bool,
    deeper: bool = False,
) -> None:
    """Writes the certificate of (A, alpha, distinct tokens) with `counts` copies each, named by `words`.

    `deeper` claims the same decision at every depth >= `layers` as well.
    """
    tokens = system[2]
    decision = {"leaders": list(leaders), "positive": positive} | ({"deeper": True} if deeper else {})
    header = {"dim": len(tokens[0]), "tokens": len(tokens), "layers": layers}
    lines = [
        tokens_line(*system),
        {"counts": list(counts), "v": list(decoder[0]), "b": decoder[1], "words": list(words)},
        decision,
    ]
    write_certificate(path, "decision", header, lines)
