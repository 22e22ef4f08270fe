"""From a proved limit to the lines of its certificate."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from exactformer.arithmetic.text import JsonObject
from exactformer.certificates.limit import form, lock, token_line, write_limit
from exactformer.dynamics.hypotheses import DEFINITE, SYMMETRIC
from exactformer.dynamics.polytope import PROJECTION
from exactformer.dynamics.positivity import Positive
from exactformer.dynamics.stages import Stages
from exactformer.dynamics.stages_to_certificate import certify_in_stages
from exactformer.errors import InvalidInput
from exactformer.model.json_lines import PathLike

if TYPE_CHECKING:
    from exactformer.dynamics.limits import Limit

#: layers that a checker runs one by one, at most; later changes are certified in stages
FEW_LAYERS = 100


def certify_limit(limit: Limit, path: PathLike) -> None:
    """Writes the `limit` certificate of a proved limit: in stages where a checker would have to run many layers."""
    if {SYMMETRIC, DEFINITE} & set(limit.hypotheses_violated):
        raise InvalidInput("A: a limit certificate speaks about symmetric positive definite matrices, got another one")
    instance = limit.system.tokens
    lines = list(certificate_lines(limit)) if limit.proved_from_layer <= FEW_LAYERS else []
    if not lines or any(line.get("from", 0) > FEW_LAYERS for line in lines):
        certify_in_stages(limit, path)
        return
    rows = instance.state.rows()
    write_limit(path, instance.A, instance.alpha, rows, limit.proved_from_layer, lines, limit.leaders)


def certificate_lines(limit: Limit) -> Iterator[JsonObject]:
    """The token lines of the certificate."""
    positions, places = limit.system.positions, limit.polytope.places
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
    locked = 0 <= limit.course.engine.locked_from[p] <= limit.proved_from_layer
    if locked and all(q in leading for q in stage.sets[p]):
        return lock()
    ends = [s.proof.dominant for (i, _), s in stages.settled.items() if i == p and isinstance(s.proof, Positive)]
    return form(((t.base, t.power, t.vector) for t in stage.forms[p].terms), max(ends, default=1))
