"""From a proved limit to the lines of its certificate in stages."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from exactformer.certificates.envelope import CertificateLine
from exactformer.certificates.limit_stages import (
    Cuts,
    for_ever_line,
    limit_line,
    stage_line,
    write_limit_in_stages,
)
from exactformer.dynamics.polytope import PROJECTION
from exactformer.dynamics.positivity import Positive, cuts_until
from exactformer.dynamics.stages import Settled, Stages, Ties
from exactformer.errors import Undecided
from exactformer.model.json_lines import PathLike

if TYPE_CHECKING:
    from exactformer.dynamics.limits import Limit


def certify_in_stages(limit: Limit, path: PathLike) -> None:
    """Writes the `limit` certificate, from the layer at which the stages begin."""
    instance, first = limit.system.tokens, [int(i) for i in limit.system.positions.first]
    stages = limit.settled_from(limit.course.origin)
    changes = [_stage_line(stages, s, first) for s in range(len(stages.stages))]
    write_limit_in_stages(
        path,
        (instance.A, instance.alpha, instance.state.rows()),
        limit.course.origin,
        changes,
        [_for_ever_line(stages, first), *_token_lines(limit, stages)],
        limit.orbit.leads_from,
    )


def _stage_line(stages: Stages, s: int, first: list[int]) -> CertificateLine:
    """Stage s: what is renewed, and the cuts of the pairs that end where it begins."""
    stage = stages.stages[s]
    renewed = [(first[i], [first[j] for j in stage.sets[i]]) for i in stage.renewed]
    cuts = {pair: _cuts(stages, pair, s - 1, settled, stage.time - 1) for pair, settled in stage.closed.items()}
    return stage_line(s, stage.time, renewed, _named(cuts, first))


def _cuts(stages: Stages, pair: tuple[int, int], stage: int, settled: Settled, last: int) -> list[int]:
    """The cuts with which the pair is settled up to the last time; none for a tie."""
    if isinstance(settled.proof, Ties):
        return []
    gap = stages.gap(*pair, stage)
    if gap is None:
        raise Undecided(f"positions {pair}: settled as different, and equal")
    return list(cuts_until(gap, settled.since, last))


def _named(cuts: dict[tuple[int, int], list[int]], first: list[int]) -> Cuts:
    return {(first[i], first[l]): times for (i, l), times in cuts.items()}


def _for_ever_line(stages: Stages, first: list[int]) -> CertificateLine:
    """One time from which all leading terms dominate, and the cuts up to it."""
    proofs = {pair: s for pair, s in stages.settled.items() if isinstance(s.proof, Positive)}
    start = max([stages.now.time + 1, *(s.proof.dominant for s in proofs.values() if isinstance(s.proof, Positive))])
    cuts = {pair: _cuts(stages, pair, -1, settled, start) for pair, settled in proofs.items()}
    return for_ever_line(start, _named(cuts, first))


def _token_lines(limit: Limit, stages: Stages) -> Iterator[CertificateLine]:
    positions, places = limit.system.positions, limit.polytope.places
    for token, p in enumerate(positions.index.tolist()):
        weights = None
        if places[p].kind == PROJECTION:
            weights = sorted((int(positions.first[q]), share) for q, share in places[p].weights)
        yield limit_line(token, stages.now.forms[p].limit, weights)
