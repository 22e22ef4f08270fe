"""The `limit` certificate in stages: the changes of the follower sets, and the proof up to each of them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction

from exactformer.arithmetic.power_sum import Number, sum_json
from exactformer.certificates.envelope import CertificateLine, write_certificate
from exactformer.certificates.orbit import Numbers, system_line
from exactformer.model.json_lines import PathLike

#: the version in which limits in stages came
STAGES_VERSION = (1, 1)
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
    system: tuple[Sequence[Numbers], Fraction, Sequence[Numbers]],
    layer: int,
    stages: Sequence[CertificateLine],
    lines: Iterable[CertificateLine],
    leads_from: Mapping[int, int],
) -> None:
    """Writes the certificate: stage lines, the line about the last stage, token lines, the leaders."""
    A, alpha, tokens = system
    header = {"dim": len(tokens[0]), "tokens": len(tokens), "layer": layer, "stages": len(stages)}
    leaders = {"leaders": [[i, k] for i, k in sorted(leads_from.items())]}
    body = [system_line(A, alpha, tokens), *stages, *lines, leaders]
    write_certificate(path, "limit", header, body, version=STAGES_VERSION)
