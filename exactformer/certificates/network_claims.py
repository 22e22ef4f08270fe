"""Certificates of `argmax` (which class a trained network gives to inputs) and `enclosure` (where its outputs lie).

The claims are about real arithmetic, not about what a device returns.
"""

from __future__ import annotations

import base64
from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction

import numpy as np

from exactformer.certificates.envelope import CertificateLine, write_certificate
from exactformer.errors import InvalidInput, Undecided
from exactformer.evaluate.domain_decision import Decision
from exactformer.evaluate.integers import MOST_BITS, IntegerNetwork
from exactformer.io.json_lines import JsonObject, PathLike
from exactformer.model.domain import DomainPart
from exactformer.model.network import Network

#: bytes of the weight string on a line, and of the longest string that is embedded
WEIGHT_LINE, MOST_EMBEDDED = 49_152, 1_000_000
#: classes on a line of a table
TABLE_LINE = 4_096
#: inputs on which the checker's arithmetic is foretold: those with the least lead, and some of the others
_LEAST, _OTHERS = 24, 8
#: bits that are tried, and by how many bits the lead of a class has to exceed what its error allows
_FIRST, _STEP, _SLACK = 48, 16, 8


def is_embedded(network: Network) -> bool:
    """Whether certificates hold the weights themselves, not only their digest."""
    return 4 * network.parameters <= MOST_EMBEDDED


def write_domain_decision(decision: Decision, path: PathLike, *, bits: int | None = None) -> None:
    """Writes the classes of a decided domain, or those proved of its wrong inputs where there are any.

    Undecided where there are none and some input is undecided; InvalidInput for a network that the format does not
    describe.
    """
    network, wrong = decision.network, decision.wrong_places()
    if decision.undecided and not len(wrong):
        raise Undecided(f"{decision.undecided} inputs are undecided: there is nothing to certify")
    verify_certifiable(network)
    parts = [*decision.domain.parts]
    if len(wrong):
        cases: list[tuple[Sequence[int], int]]
        cases, parts = [(decision.ids(int(k)), int(decision.argmax[k])) for k in wrong], []
    elif network.architecture.types > 1:  # domains are for networks with one token type
        cases, parts = [pair for part in parts for pair in _rows(part)], []
    else:
        cases = [pair for part in parts if part.ranges is None for pair in _rows(part)]
        parts = [part for part in parts if part.ranges is not None]
    tested = [decision.ids(int(k)) for k in _tested(decision)]
    write_argmax(path, network, cases, parts, bits=bits or bits_that_decide(network, tested))


def verify_certifiable(network: Network, *, classes: bool = True) -> None:
    """Raises InvalidInput, with the reason, for a network that no certificate (of its classes) can speak of."""
    if network.read != "last" and classes:
        raise InvalidInput(
            f"certificates are about the output of the last position, this network reads {network.read}; "
            "`exactformer import --read last` reads that one"
        )
    if network.architecture.embedding is not None:
        raise InvalidInput("certificates are about tables as wide as the network, this one has factorised tables")
    if network.architecture.rules is not None:
        raise InvalidInput("certificates are about softmax heads of one mask, this network has rules of its own")
    if network.architecture.head == "none" and classes:
        raise InvalidInput("certificates of classes need a network with a head, this one has none")


def write_argmax(
    path: PathLike,
    network: Network,
    cases: Sequence[tuple[Sequence[int], int]],
    parts: Sequence[DomainPart],
    *,
    bits: int,
) -> None:
    """Writes that these classes are the only largest outputs: of single inputs (ids, class), and of whole products."""
    weights = _weight_lines(network)
    header = _header(network, bits, weights, len(cases), len(parts))

    def body() -> Iterator[CertificateLine]:
        yield from weights
        for i, (ids, k) in enumerate(cases):
            yield {"case": i, "ids": list(ids), **_types(network, ids), "argmax": k}
        for i, part in enumerate(parts):
            yield from _domain_lines(i, part)

    write_certificate(path, "argmax", {**header, "at": "last"}, body())


def write_outputs(path: PathLike, network: Network, inputs: Sequence[Sequence[int]]) -> None:
    """Writes the classes of these inputs or, of a network without a head, where its outputs lie.

    Undecided, and nothing written, where a class is undecided.
    """
    if network.architecture.head == "none":
        if network.read not in ("last", "first"):
            raise InvalidInput(f"certificates are about the output of one position, this network reads {network.read}")
        write_enclosures(path, network, inputs, at=0 if network.read == "first" else None)
        return
    verify_certifiable(network)
    cases = list[tuple[Sequence[int], int]]()
    for i, ids in enumerate(inputs):
        if (decided := network(ids).argmax) is None:
            raise Undecided(f"input {i}: its class is undecided, so there is nothing to certify")
        cases.append((ids, decided))
    write_argmax(path, network, cases, [], bits=bits_that_decide(network, inputs))


def write_enclosures(
    path: PathLike, network: Network, inputs: Sequence[Sequence[int]], *, at: int | None = None, bits: int = 128
) -> list[tuple[tuple[Fraction, ...], Fraction]]:
    """Writes where the outputs of these inputs lie, at one position (the last unless given); centres and radii.

    They are those of the checker's arithmetic at so many bits, radii rounded up to 53 bits: so it accepts them. Raises
    Undecided where a step cannot be bounded at these bits.
    """
    verify_certifiable(network, classes=False)
    weights, evaluator = _weight_lines(network), IntegerNetwork(network, bits)
    found, lines = list[tuple[tuple[Fraction, ...], Fraction]](), list[CertificateLine]()
    for i, given in enumerate(inputs):
        ids, kinds = network.verify_ids(given)
        place = len(ids) - 1 if at is None else at
        if not 0 <= place < len(ids):
            raise InvalidInput(f"at: expected a position from 0 to {len(ids) - 1}, got {at}")
        ball = evaluator.outputs(ids, kinds if network.architecture.types else None)[place]
        extra = max(0, ball.radius.bit_length() - 53)
        centre = tuple(Fraction(m, 1 << bits) for m in ball.middle)
        radius = Fraction((ball.radius >> extra) + 1 << extra, 1 << bits)
        found.append((centre, radius))
        lines.append({"case": i, "ids": ids, **_types(network, ids), "at": place, "centre": centre, "radius": radius})
    header = _header(network, bits, weights, len(lines), 0)
    write_certificate(path, "enclosure", header, [*weights, *lines])
    return found


def _weight_lines(network: Network) -> list[CertificateLine]:
    """The lines of the weights, none where they are too many to be embedded."""
    text = network.weight_string() if is_embedded(network) else b""
    parts = [text[start : start + WEIGHT_LINE] for start in range(0, len(text), WEIGHT_LINE)]
    return [{"weights": i, "f32": base64.b64encode(part).decode()} for i, part in enumerate(parts)]


def _header(network: Network, bits: int, weights: list[CertificateLine], cases: int, domains: int) -> JsonObject:
    counts = {"inline": len(weights), "cases": cases, "domains": domains}
    return {**network.architecture.header(), "bits": bits, "weights": network.digest, **counts}


def _types(network: Network, ids: Sequence[int]) -> JsonObject:
    """The token types of a case, where the network has such: all 0."""
    return {"types": [0] * len(ids)} if network.architecture.types else {}


def _domain_lines(i: int, part: DomainPart) -> Iterator[CertificateLine]:
    """A domain, and the table of its classes where they are no sum."""
    ranges = [list(pair) for pair in part.ranges or ()]
    if part.rule is not None:
        rule = part.rule
        function: JsonObject = {"sum": list(rule.factors), "plus": rule.plus, "mod": rule.modulus}
        yield {"domain": i, "ids": ranges, "function": function}
        return
    starts = range(0, len(part.labels), TABLE_LINE)
    yield {"domain": i, "ids": ranges, "function": {"table": len(starts)}}
    for j, start in enumerate(starts):
        yield {"table": j, "argmax": part.labels[start : start + TABLE_LINE].tolist()}


def _rows(part: DomainPart) -> Iterator[tuple[Sequence[int], int]]:
    """The inputs of a part one by one."""
    yield from zip(part.ids.tolist(), part.labels.tolist(), strict=True)


def _tested(decision: Decision) -> list[int]:
    """The places of the inputs that a certificate is about with the least leads, and of some others."""
    wrong = decision.wrong_places()
    places = wrong if len(wrong) else np.arange(decision.inputs)
    order = places[np.argsort(decision.low[places], kind="stable")]
    spread = order[np.linspace(0, len(order) - 1, min(_OTHERS, len(order))).astype(np.int64)]
    return [int(k) for k in dict.fromkeys([*order[:_LEAST], *spread])]


def bits_that_decide(network: Network, inputs: Iterable[Sequence[int]]) -> int:
    """The fewest bits, of 48, 64, .., at which the checker's arithmetic decides the last output of these inputs.

    The lead must exceed the error by a factor of 2^8, so that inputs like these are decided too. Undecided where the
    most bits of the format do not suffice.
    """
    left, bits = [list(ids) for ids in inputs], _FIRST
    kinds = bool(network.architecture.types)
    while left:
        evaluator = IntegerNetwork(network, bits)
        while left and _is_decided(evaluator, left[-1], kinds):
            left.pop()
        if not left:
            break
        if bits == MOST_BITS:
            raise Undecided(f"{MOST_BITS} bits, the most of a certificate, do not decide the input {left[-1][:12]}")
        bits = min(bits + _STEP, MOST_BITS)
    return bits


def _is_decided(evaluator: IntegerNetwork, ids: list[int], kinds: bool) -> bool:
    try:
        last = evaluator.outputs(ids, [0] * len(ids) if kinds else None)[-1]
    except Undecided:
        return False
    first, second = sorted(last.middle, reverse=True)[:2]
    return first - second > 2 * last.radius << _SLACK
