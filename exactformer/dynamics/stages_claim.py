"""The `limit` certificate in stages: the changes of the follower sets, and the proof up to each of them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING

from exactformer.arithmetic.power_sum import Number, sum_json
from exactformer.certificates.envelope import CertificateLine, write_certificate
from exactformer.dynamics.orbit_claim import Numbers, tokens_line
from exactformer.dynamics.polytope import PROJECTION
from exactformer.dynamics.positivity import Positive, cuts_until
from exactformer.dynamics.stages import Settled, Stages, Ties
from exactformer.errors import Undecided
from exactformer.io.json_lines import PathLike

if TYPE_CHECKING:
    from exactformer.dynamics.limits import Limit

#: pairs (i, l) of tokens, with the times at which the range of the pair is cut
Cuts = Mapping[tuple[int, int], Sequence[int]]


def number_terms(number: Number) -> list[list[object]]:
    """[[c, [b, e], ..], ..]: the sum of c * b^e * .., every exponent positive."""
    terms = []
    for term in sum_json(number):
        if term["coefficient"]:
            powers = [[base, e] if e > 0 else [1 / base, -e] for base, e in term["powers"]]
            terms.append([term["coefficient"], *powers])
    return terms


def cut_rows(cuts: Cuts) -> list[list[int]]:
    """[[i, l, time, ..], ..] for the pairs that are cut at all."""
    return [[i, l, *times] for (i, l), times in sorted(cuts.items()) if times]


def stage_line(stage: int, time: int, renewed: Sequence[tuple[int, Sequence[int]]], cuts: Cuts) -> CertificateLine:
    """The line of a stage: the tokens with new closed forms, in order, with their follower sets."""
    pairs = [[i, list(members)] for i, members in renewed]
    return {"stage": stage, "time": time, "renewed": pairs, "cuts": cut_rows(cuts)}


def for_ever_line(start: int, cuts: Cuts) -> CertificateLine:
    """The line about the last stage: from the time `start` on the leading terms dominate."""
    return {"from": start, "cuts": cut_rows(cuts)}


def limit_line(token: int, limit: Sequence[Number], weights: Iterable[tuple[int, Fraction]] | None) -> CertificateLine:
    """The line of a token; `weights` where the limit is the projection of the origin onto a face."""
    line: CertificateLine = {"token": token, "kind": "vertex", "limit": [number_terms(x) for x in limit]}
    if weights is not None:
        line |= {"kind": "projection", "weights": [[index, Fraction(weight)] for index, weight in weights]}
    return line


def write_limit_in_stages(
    path: PathLike,
    instance: tuple[Sequence[Numbers], Fraction, Sequence[Numbers]],
    layer: int,
    stages: Sequence[CertificateLine],
    lines: Iterable[CertificateLine],
    leads_from: Mapping[int, int],
) -> None:
    """Writes the certificate: stage lines, the line about the last stage, token lines, the leaders."""
    A, alpha, tokens = instance
    header = {"dim": len(tokens[0]), "tokens": len(tokens), "layer": layer, "stages": len(stages)}
    leaders = {"leaders": [[i, k] for i, k in sorted(leads_from.items())]}
    body = [tokens_line(A, alpha, tokens), *stages, *lines, leaders]
    write_certificate(path, "limit", header, body)


# from a proved limit to the lines of its certificate ----------------------------------------------------------
def certify_in_stages(limit: Limit, path: PathLike) -> None:
    """Writes the `limit` certificate, from the layer at which the stages begin."""
    instance, first = limit.engine_input.tokens, [int(i) for i in limit.engine_input.positions.first]
    stages = limit.settled_from(limit.timeline.origin)
    changes = [_stage_line(stages, s, first) for s in range(len(stages.stages))]
    write_limit_in_stages(
        path,
        (instance.A, instance.alpha, instance.state.rows()),
        limit.timeline.origin,
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
    positions, places = limit.engine_input.positions, limit.polytope.places
    for token, p in enumerate(positions.index.tolist()):
        weights = None
        if places[p].kind == PROJECTION:
            weights = sorted((int(positions.first[q]), share) for q, share in places[p].weights)
        yield limit_line(token, stages.now.forms[p].limit, weights)
