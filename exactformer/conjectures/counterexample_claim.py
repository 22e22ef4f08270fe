"""The `counterexample` certificates: an instance on which the hypotheses of a false statement hold and its conclusion
fails. One writer per shape of instance; every argument is plain data."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction

from exactformer.arithmetic.text import Exact
from exactformer.certificates.envelope import CertificateLine, write_certificate
from exactformer.dynamics.limit_claim import WeightPairs
from exactformer.dynamics.orbit_claim import Numbers, tokens_line
from exactformer.io.json_lines import PathLike


def weight_pairs(weights: WeightPairs) -> list[list[int | Fraction]]:
    """The weights as pairs [index, number], the indices increasing."""
    return [[index, Fraction(weight)] for index, weight in sorted(weights)]


def write_token_counterexample(
    path: PathLike,
    statement: str,
    A: Sequence[Numbers],
    alpha: Fraction,
    tokens: Sequence[Numbers],
    layers: int,
    lines: Iterable[CertificateLine] = (),
) -> None:
    """The pure-attention instance, and the lines that its statement asks for."""
    header = {"statement": statement, "dim": len(tokens[0]), "tokens": len(tokens), "layers": layers}
    write_certificate(path, "counterexample", header, [tokens_line(A, alpha, tokens), *lines])


def write_frank_wolfe_counterexample(
    path: PathLike,
    B: Sequence[Numbers],
    tokens: Sequence[Numbers],
    layers: int,
    zero: WeightPairs,
    bound: Fraction,
    token: int,
) -> None:
    """<B* x, x>/2 of the token at the last layer exceeds 2/(K+1) * bound * D; `zero` combines the tokens to 0."""
    header = {"statement": "frank-wolfe-negative", "dim": len(B), "tokens": len(tokens), "layers": layers}
    subject = {"B": _rows(B), "tokens": _rows(tokens)}
    witness = {"zero": weight_pairs(zero), "lambda": Fraction(bound), "token": token}
    write_certificate(path, "counterexample", header, [subject, witness])


def write_slow_steps_counterexample(
    path: PathLike,
    B: Sequence[Numbers],
    tokens: Sequence[Numbers],
    step: tuple[Fraction, Fraction],
    token: int,
    split: int,
    inside: Iterable[tuple[int, WeightPairs]],
) -> None:
    """With steps c q^t the token stays away from its vertex; `inside` writes the other tokens as combinations."""
    c, q = step
    header = {"statement": "exponentially-fast", "dim": len(B), "tokens": len(tokens)}
    subject = {"B": _rows(B), "tokens": _rows(tokens), "step": {"c": Fraction(c), "q": Fraction(q)}}
    parts = [{"token": j, "weights": weight_pairs(weights)} for j, weights in sorted(inside)]
    write_certificate(path, "counterexample", header, [subject, {"token": token, "split": split, "inside": parts}])


def write_one_block_counterexample(
    path: PathLike, sequences: Sequence[tuple[Sequence[Numbers], Sequence[Numbers]]], normal: Sequence[Fraction | int]
) -> None:
    """Single tokens, then all of them together, with one target each; the normal cuts the last target off."""
    dim = len(sequences[0][0][0])
    header = {"statement": "one-block-suffices", "dim": dim, "sequences": len(sequences)}
    lines: list[CertificateLine] = [
        {"sequence": j, "tokens": _rows(tokens), "targets": _rows(targets)}
        for j, (tokens, targets) in enumerate(sequences)
    ]
    write_certificate(path, "counterexample", header, [*lines, {"normal": list(map(Fraction, normal))}])


def _rows(rows: Sequence[Numbers]) -> list[list[Exact | int]]:
    return [list(row) for row in rows]
