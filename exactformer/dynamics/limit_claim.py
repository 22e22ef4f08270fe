"""The `limit` certificate: where every token ends, for all layers at once; from plain data, and of a proved limit."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING

from exactformer.arithmetic.power_sum import Point
from exactformer.certificates.envelope import write_certificate
from exactformer.dynamics.hypotheses import DEFINITE, SYMMETRIC
from exactformer.dynamics.orbit_claim import Numbers, tokens_line
from exactformer.dynamics.polytope import PROJECTION
from exactformer.dynamics.positivity import Positive
from exactformer.dynamics.stages import Stages
from exactformer.dynamics.stages_claim import certify_in_stages
from exactformer.errors import InvalidInput
from exactformer.io.json_lines import JsonObject, PathLike

if TYPE_CHECKING:
    from exactformer.dynamics.limits import Limit

#: pairs (index, weight)
WeightPairs = Iterable[tuple[int, Fraction | int]]
#: layers that a checker runs one by one, at most; later changes are certified in stages
FEW_LAYERS = 100


def lock() -> JsonObject:
    """The proof of a token that follows leading positions which expose themselves."""
    return {"lock": True}


def closed_form_proof(terms: Iterable[tuple[Fraction, int, Point]], start: int) -> JsonObject:
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
    instance = tokens_line(A, alpha, tokens)
    body = [instance, *lines, {"leaders": list(leaders)}]
    write_certificate(path, "limit", {"dim": len(tokens[0]), "tokens": len(tokens), "layer": layer}, body)


# from a proved limit to the lines of its certificate ----------------------------------------------------------
def certify_limit(limit: Limit, path: PathLike) -> None:
    """Writes the `limit` certificate of a proved limit: in stages where a checker would have to run many layers."""
    if {SYMMETRIC, DEFINITE} & set(limit.hypotheses_violated):
        raise InvalidInput("A: a limit certificate speaks about symmetric positive definite matrices, got another one")
    instance = limit.engine_input.tokens
    lines = list(certificate_lines(limit)) if limit.proved_from_layer <= FEW_LAYERS else []
    if not lines or any(line.get("from", 0) > FEW_LAYERS for line in lines):
        certify_in_stages(limit, path)
        return
    rows = instance.state.rows()
    write_limit(path, instance.A, instance.alpha, rows, limit.proved_from_layer, lines, limit.leaders)


def certificate_lines(limit: Limit) -> Iterator[JsonObject]:
    """The token lines of the certificate."""
    positions, places = limit.engine_input.positions, limit.polytope.places
    stages = limit.settled_from(limit.proved_from_layer)
    proofs = [_proof(limit, stages, p) for p in range(len(positions))]
    for token, p in enumerate(positions.index.tolist()):
        place = places[p]
        face = None
        if place.kind == PROJECTION:
            weights = sorted((int(positions.first[q]), share) for q, share in place.weights)
            face = (place.normal, weights)
        yield token_line(token, place.point, proofs[p], face)


def _proof(limit: Limit, stages: Stages, p: int) -> JsonObject:
    """A lock where all members lead and the position is locked; otherwise its closed form, with the k0 of its proof."""
    leading, stage = limit.polytope.vertices, stages.now
    locked = 0 <= limit.timeline.engine.locked_from[p] <= limit.proved_from_layer
    if locked and all(q in leading for q in stage.sets[p]):
        return lock()
    ends = [s.proof.dominant for (i, _), s in stages.settled.items() if i == p and isinstance(s.proof, Positive)]
    return closed_form_proof(((t.base, t.power, t.vector) for t in stage.forms[p].terms), max(ends, default=1))
