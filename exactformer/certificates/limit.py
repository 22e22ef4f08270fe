"""The `limit` certificate: where every token ends, for all layers at once."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction

from exactformer.arithmetic.power_sum import Point
from exactformer.arithmetic.text import JsonObject
from exactformer.certificates.counterexample import WeightPairs
from exactformer.certificates.envelope import write_certificate
from exactformer.certificates.orbit import Numbers, system_line
from exactformer.model.json_lines import PathLike


def lock() -> JsonObject:
    """The proof of a token that follows leading positions which expose themselves."""
    return {"lock": True}


def form(terms: Iterable[tuple[Fraction, int, Point]], start: int) -> JsonObject:
    """The proof by a closed form: terms (base, power, vector), and the k0 of its positivity."""
    listed = [{"base": Fraction(base), "power": power, "vector": list(vector)} for base, power, vector in terms]
    return {"form": listed, "from": start}


def token_line(token: int, limit: Numbers, proof: JsonObject, face: tuple[Numbers, WeightPairs] | None) -> JsonObject:
    """The line of a token; `face` = (normal, weights) where the limit is the projection onto a face."""
    line = {"token": token, "kind": "vertex" if face is None else "projection", "limit": list(limit), **proof}
    if face is not None:
        normal, weights = face
        line |= {"normal": list(normal), "weights": [[index, Fraction(weight)] for index, weight in weights]}
    return line


def write_limit(
    path: PathLike,
    A: Sequence[Numbers],
    alpha: Fraction,
    tokens: Sequence[Numbers],
    layer: int,
    lines: Iterable[JsonObject],
    leaders: Sequence[int],
) -> None:
    """Writes the certificate: token lines made by `token_line`, in order, then the leaders."""
    system = system_line(A, alpha, tokens)
    body = [system, *lines, {"leaders": list(leaders)}]
    write_certificate(path, "limit", {"dim": len(tokens[0]), "tokens": len(tokens), "layer": layer}, body)
