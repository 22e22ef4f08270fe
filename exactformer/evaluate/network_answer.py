"""What a network answers, with proof: an enclosure of its output, and its largest logit where that is certain.

Three arithmetics are tried in turn, each slower and sharper than the one before: float64, double-double, integers over
a power of two. Networks of hardmax, ReLU and no LayerNorm are rational, and answered exactly. Statements are about real
arithmetic, not about what a device returns.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import cast

import numpy as np

from exactformer.arithmetic.integers import Array
from exactformer.display.verbs import Listed
from exactformer.errors import InvalidInput, Undecided
from exactformer.evaluate.decisions import FLOAT_LEVELS, LEVELS, Decisions, decide, enclosed_network, read_token
from exactformer.evaluate.integers import MOST_BITS, IntegerBall, IntegerNetwork
from exactformer.evaluate.midpoints import Ids
from exactformer.io.json_lines import JsonObject
from exactformer.model.network import Network
from exactformer.model.network_blocks import rational_outputs

#: networks deeper than this leave nothing to bound in float64
_MOST_BLOCKS = 4
#: an output without classes is known well enough where its distance from the centre is this part of its length
_WELL_KNOWN = Fraction(1, 10**7)
#: entries of the arrays of one chunk of a batch
_CHUNK = 1 << 22


@dataclass(frozen=True)
class NetworkAnswer(Listed):
    """Every coordinate of the true output differs from `centre` by at most `radius`, the output by `distance` in norm.

    `argmax` is the only largest output, None where that is undecided or where outputs are not classes (no head); `gap`
    encloses its lead over the best other class, which seems to be `runner_up`.

    Proof: mathematics/networks#softmax.
    """

    centre: tuple[Fraction, ...]
    radius: Fraction
    distance: Fraction
    argmax: int | None
    runner_up: int | None
    gap: tuple[Fraction, Fraction] | None
    level: str
    bits: int

    def json(self) -> JsonObject:
        """The decision as plain data, exact numbers as fractions; the outputs are in `centre`."""
        listed = ("argmax", "runner_up", "gap", "radius", "distance", "level", "bits")
        return {key: getattr(self, key) for key in listed} | {"centre": self.centre}

    def __repr__(self) -> str:
        shown = f"{len(self.centre)} outputs" if self.gap is None else "undecided"
        if self.gap is not None and self.argmax is not None:
            shown = f"argmax {self.argmax}, lead about {-_above(-self.gap[0]):.4g} over {self.runner_up}"
        return f"NetworkAnswer({shown}, radius about {_above(self.radius):.1e}, level {self.level})"


def answer(
    network: Network, ids: object, types: object = None, *, at: int | None = None, level: str | None = None
) -> NetworkAnswer:
    """The output for one input, at the first level that decides the largest logit, or at the given one.

    Where there is no head: at the first that knows the output to 1e-7 of its length. Integers double their bits up to
    480. What is still undecided then has argmax None.

    >>> import numpy as np
    >>> from exactformer.model.architecture import Architecture
    >>> a = Architecture(dim=2, heads=1, hidden=1, blocks=0, vocabulary=2, positions=1, classes=2, norm="none")
    >>> found = {name: np.ones(shape, np.float32) for name, shape in a.shapes.items()}
    >>> found["head"] = np.array([[1, 2], [3, 4]], np.float32)
    >>> seen = answer(Network(a, found), [0])
    >>> seen.argmax, seen.radius, seen.gap, seen.level
    (1, Fraction(0, 1), (Fraction(8, 1), Fraction(8, 1)), 'exact')

    Raises Undecided where the output has no enclosure at all.
    """
    found, kinds = network.verify_ids(ids, types)
    place = _place(network, len(found), at)
    problem, best = "", None
    for name, bits in _steps(network, level):
        try:
            seen = _at_level(network, name, bits, found, kinds, place)
        except Undecided as reason:
            problem = str(reason)
            continue
        if _is_settled(seen, classes=network.architecture.head != "none"):
            return seen
        best = seen if best is None or seen.radius < best.radius else best
    if best is None:
        raise Undecided(f"no enclosure: {problem}")
    return best


def decide_batch(network: Network, ids: Ids, types: Ids | None = None, *, at: int | None = None) -> Decisions:
    """What is proved about the largest logit of every row of ids, at the first level that decides it.

    >>> from exactformer.model.architecture import Architecture
    >>> a = Architecture(dim=2, heads=1, hidden=1, blocks=0, vocabulary=2, positions=1, classes=2, norm="none")
    >>> found = {name: np.ones(shape, np.float32) for name, shape in a.shapes.items()}
    >>> found["head"] = np.array([[1, 2], [3, 4]], np.float32)
    >>> decide_batch(Network(a, found), np.array([[0], [1]])).argmax
    array([1, 1])
    """
    if network.architecture.head == "none":
        raise InvalidInput("expected a network with a head, as the others have no classes to decide between")
    kinds = np.zeros_like(ids) if types is None else types
    place = _place(network, ids.shape[1], at)
    found = _unknown(len(ids))
    shape = network.architecture
    last = "exact" if shape.is_rational else "integers"
    for level in FLOAT_LEVELS if shape.blocks <= _MOST_BLOCKS else FLOAT_LEVELS[1:]:
        rows = np.flatnonzero(~found.decided)
        for chunk in _chunks(network, rows, ids.shape[1]):
            try:
                enclosed = enclosed_network(network, level)
                _put(found, chunk, decide(enclosed, read_token(enclosed, ids[chunk], kinds[chunk], place))[1])
            except Undecided:
                continue
    for row in np.flatnonzero(~found.decided):
        try:
            given = kinds[row] if network.architecture.types else None
            seen = answer(network, ids[row], given, at=at, level=last)
        except Undecided:
            continue
        _put(found, np.array([row]), _decision(seen))
    return found


def _place(network: Network, n: int, at: int | None) -> int | str:
    """The position that answers, or "mean"."""
    if at is not None:
        if not 0 <= at < n:
            raise InvalidInput(f"at: expected a position from 0 to {n - 1}, got {at}")
        return at
    if network.read == "all":
        raise InvalidInput(
            "at: expected a position, as every output of this network is read; "
            "`exactformer import --read last` (or first, or mean) gives one answer"
        )
    if network.read == "mean":
        return "mean"
    return n - 1 if network.read == "last" else 0


def _steps(network: Network, level: str | None) -> Iterator[tuple[str, int]]:
    """The levels to be tried, with their bits."""
    if level is not None and level not in LEVELS:
        raise InvalidInput(f"level: expected one of {', '.join(LEVELS)}, got {level!r:.60}")
    blocks = network.architecture.blocks
    if level == "exact" or (level is None and network.architecture.is_rational):
        yield "exact", 0
        return
    if level == "float64" or (level is None and blocks <= _MOST_BLOCKS):
        yield "float64", 53
    if level in (None, "double-double"):
        yield "double-double", 106
    if level in (None, "integers"):
        bits = min(MOST_BITS, max(64, 12 * blocks + 48))
        while bits < MOST_BITS:
            yield "integers", bits
            bits = min(2 * bits, MOST_BITS)
        yield "integers", MOST_BITS


def _is_settled(seen: NetworkAnswer, *, classes: bool) -> bool:
    if classes:
        return seen.argmax is not None
    return seen.distance**2 <= _WELL_KNOWN**2 * sum(v * v for v in seen.centre)


def _at_level(
    network: Network, level: str, bits: int, ids: list[int], types: list[int], place: int | str
) -> NetworkAnswer:
    classes = network.architecture.head != "none"
    if level == "exact":
        return _of_exact(_mean_or_one(rational_outputs(network, ids, types), place), classes=classes)
    if level == "integers":
        outputs = network.remembered(IntegerNetwork, bits).outputs(ids, types if network.architecture.types else None)
        return _of_integers(_read(outputs, place), bits, classes=classes)
    enclosed = enclosed_network(network, level)
    x = read_token(enclosed, np.array([ids]), np.array([types]), place)
    if not np.isfinite(x.radius).all():
        raise Undecided(f"{level} is not enough: no bound is left")
    if not classes:
        distance = Fraction(float(x.radius[0, 0]))
        return NetworkAnswer(_exact(x.middle), distance, distance, None, None, None, level, bits)
    y, found = decide(enclosed, x)
    if not np.isfinite(found.radius[0]):
        raise Undecided(f"{level} is not enough: no bound of the logits is left")
    centre, radius = _exact(y), Fraction(float(found.radius[0]))
    distance = radius * (math.isqrt(len(centre)) + 1)
    if len(centre) < 2:
        return NetworkAnswer(centre, radius, distance, None, None, None, level, bits)
    gap = Fraction(float(found.low[0])), Fraction(float(found.high[0]))
    winner = int(found.argmax[0]) if found.decided[0] else None
    return NetworkAnswer(centre, radius, distance, winner, int(found.runner_up[0]), gap, level, bits)


def _exact(middle: object) -> tuple[Fraction, ...]:
    """The numbers that midpoints stand for."""
    if isinstance(middle, np.ndarray):
        return tuple(map(Fraction, middle.ravel().tolist()))
    high, low = cast(tuple[Array, Array], middle)
    return tuple(Fraction(h) + Fraction(l) for h, l in zip(high.ravel().tolist(), low.ravel().tolist(), strict=True))


def _read(outputs: list[IntegerBall], place: int | str) -> IntegerBall:
    """The output that answers: of one position, or the mean."""
    if isinstance(place, int):
        return outputs[place]
    n = len(outputs)
    middle = [sum(column) // n for column in zip(*(x.middle for x in outputs), strict=True)]
    return IntegerBall(middle, sum(x.radius for x in outputs) // n + 2)


def _of_integers(x: IntegerBall, bits: int, *, classes: bool) -> NetworkAnswer:
    one = 1 << bits
    centre, radius = tuple(Fraction(v, one) for v in x.middle), Fraction(x.radius, one)
    distance = radius * (math.isqrt(len(centre)) + 1)
    if not classes or len(centre) < 2:
        return NetworkAnswer(centre, radius, distance, None, None, None, "integers", bits)
    order = sorted(range(len(centre)), key=lambda j: -x.middle[j])
    first, second = order[:2]
    lead = centre[first] - centre[second]
    gap = (lead - 2 * radius, lead + 2 * radius)
    winner = first if gap[0] > 0 else None
    return NetworkAnswer(centre, radius, distance, winner, second, gap, "integers", bits)


def _mean_or_one(outputs: list[list[Fraction]], place: int | str) -> list[Fraction]:
    if isinstance(place, int):
        return outputs[place]
    return [sum(column, Fraction(0)) / len(outputs) for column in zip(*outputs, strict=True)]


def _of_exact(output: list[Fraction], *, classes: bool) -> NetworkAnswer:
    """An output that is known exactly; two largest logits are a tie, and not decided."""
    zero = Fraction(0)
    if not classes or len(output) < 2:
        return NetworkAnswer(tuple(output), zero, zero, None, None, None, "exact", 0)
    first, second = sorted(range(len(output)), key=lambda j: -output[j])[:2]
    lead = output[first] - output[second]
    return NetworkAnswer(tuple(output), zero, zero, first if lead else None, second, (lead, lead), "exact", 0)


def _unknown(count: int) -> Decisions:
    """Nothing about so many inputs."""
    nothing, infinite = np.zeros(count, np.int64), np.full(count, np.inf)
    return Decisions(
        nothing, nothing.copy(), np.zeros(count, bool), -infinite, infinite.copy(), infinite.copy(), nothing - 1
    )


def _put(found: Decisions, rows: Ids, seen: Decisions) -> None:
    for name, values in vars(seen).items():
        getattr(found, name)[rows] = values


def _decision(seen: NetworkAnswer) -> Decisions:
    """The same in arrays of one entry, floats rounded outwards."""
    order = sorted(range(len(seen.centre)), key=lambda j: -seen.centre[j])
    low, high = seen.gap or (Fraction(0), Fraction(0))
    return Decisions(
        np.array([order[0]]),
        np.array([seen.runner_up or 0]),
        np.array([seen.argmax is not None]),
        np.array([-_above(-low)]),
        np.array([_above(high)]),
        np.array([_above(seen.radius)]),
        np.array([LEVELS.index(seen.level)]),
    )


def _above(x: Fraction) -> float:
    """A float that is at least x."""
    try:
        return math.nextafter(float(x), math.inf)
    except OverflowError:
        return math.inf if x > 0 else -sys.float_info.max


def _chunks(network: Network, rows: Ids, n: int) -> Sequence[Ids]:
    """The rows in parts whose arrays stay small."""
    shape = network.architecture
    each = max(n * n * shape.dim, n * max(3 * shape.dim, shape.hidden), shape.classes)
    step = max(1, _CHUNK // each)
    return [rows[i : i + step] for i in range(0, len(rows), step)]
