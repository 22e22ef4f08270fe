"""The claim `loss` (FORMAT.md, section 14): the regularised loss of a softmax transformer is on one side of a bound."""

from collections.abc import Iterable
from itertools import chain

from ..core.budget import Budget
from ..core.certificate import Certificate
from ..core.matrices import read_matrix
from ..core.numbers import Ratios, number, ratio
from ..core.points import Point, bits
from ..core.subject import sequences
from ..core.transformer import block_lines
from ..core.verdict import Json, Refusal, holds, well_formed
from .boxes import Box, boxes_of, read_temperatures, size
from .soft_interpolation import output, parts_of

Ends = tuple[int, int]  # an interval [l, h]/2^p, p the bits of the header


def outward(low: int, high: int, below: int, p: int) -> Ends:
    """The interval [low, high]/below, its ends moved outward to multiples of 2^-p."""
    return (low << p) // below, -((-high << p) // below)


def total(intervals: Iterable[Ends]) -> Ends:
    """The sum of intervals, which are not held together: at many bits each is long."""
    low = high = 0
    for first, last in intervals:
        low, high = low + first, high + last
    return low, high


def weights_of(FF: Json, SA: Json, file: Certificate) -> list[Ratios]:
    """All numbers of a block, whose parts have been read before: matrices entry by entry."""
    found: list[Ratios] = []
    if FF is not None:
        width = len(FF["b"])
        p, q = ratio(FF["eta"], file.budget)
        found += [((p,), (q,)), file.ratios(FF["b"])]
        found += read_matrix(FF["U"], width, file.dim, file) + read_matrix(FF["W"], file.dim, width, file)
    if SA is not None:
        p, q = ratio(SA["rho"], file.budget)
        found += [((p,), (q,)), *read_matrix(SA["V"], file.dim, file.dim, file)]
        found += read_matrix(SA["Q"], None, file.dim, file) + read_matrix(SA["K"], None, file.dim, file)
    return found


def norm2(numbers: Ratios, precision: int, file: Certificate) -> Ends:
    """The sum of the squares of some numbers, each rounded outward."""
    above, below = numbers
    file.budget.divisions(len(above), 2 * bits(above) + precision, 2 * bits(below))
    return total(outward(p * p, p * p, q * q, precision) for p, q in zip(above, below))


def distance2(box: Box, y: Point, precision: int) -> Ends:
    """The squared distances of the points of a box from y, rounded outward."""
    *numerators, q = y
    low = high = 0
    for n, a, b in zip(numerators, box.low, box.high):
        left, right = n * box.below - a * q, b * q - n * box.below  # both >= 0 where y lies in the interval
        low += max(0, -left, -right) ** 2
        high += max(left, right) ** 2
    return outward(low, high, (q * box.below) ** 2, precision)


def least(intervals: Iterable[Ends]) -> Ends:
    """The interval of the least of some numbers."""
    lows, highs = zip(*intervals)
    return min(lows), min(highs)


def largest(intervals: Iterable[Ends]) -> Ends:
    """The interval of the largest of some numbers."""
    lows, highs = zip(*intervals)
    return max(lows), max(highs)


def hausdorff2(boxes: list[Box], targets: frozenset[Point], precision: int, budget: Budget) -> Ends:
    """The squared Hausdorff distance of the set of tokens in the boxes from the targets."""
    longest = 2 * (size(boxes) + max(map(bits, targets)))
    pairs = len(boxes) * len(targets)
    budget.spend(200 * pairs)
    budget.divisions(pairs * (len(boxes[0].low) + 2), longest + precision, longest)
    from_boxes, from_targets = [], list[Ends]()
    for box in boxes:
        row = [distance2(box, y, precision) for y in targets]
        from_boxes.append(least(row))
        from_targets = [least(pair) for pair in zip(from_targets, row)] if from_targets else row
    return largest([*from_boxes, *from_targets])


def loss(file: Certificate) -> str:
    """E + eps|Theta|^2 is below, or above, the bound, at every beta of the range."""
    header, budget = file.header, file.budget
    well_formed(header["attention"] == "softmax", "the claim is about attention softmax")
    beta, side = read_temperatures(file), "below" if "below" in header else "above"
    eps, bound = number(header["eps"], budget), number(header[side], budget)
    well_formed(eps >= 0, "eps must not be negative")
    parts, squares, distances = [], (0, 0), (0, 0)
    for FF, SA in block_lines(file):
        parts += parts_of(FF, SA, beta, file)
        held = budget.held
        squares = total(chain([squares], (norm2(row, beta.bits, file) for row in weights_of(FF, SA, file))))
        budget.held = held  # the entries are forgotten
    for tokens, targets, _ in sequences(file, ("targets", "label"), ("targets",)):
        boxes = output(parts, boxes_of(tokens, file.budget), file).boxes
        distances = total([distances, hausdorff2(boxes, targets, beta.bits, budget)])
    unit, N = 1 << beta.bits, header["sequences"]
    low, high = ((d + eps * N * s) / (N * unit) for d, s in zip(distances, squares))
    verify_side(side, low - bound, high - bound, beta.bits)
    words = f"E + eps|Theta|^2 of a softmax transformer with {header['blocks']} blocks on {N} sequences in Q^{file.dim}"
    return f"{words}, {beta.words()}, is {side} {header[side]}, eps = {header['eps']}"[:400]


def verify_side(side: str, low: Json, high: Json, precision: int) -> None:
    """The difference from the bound, which lies in [low, high], has the right sign; rejected only where it has not."""
    least, most = (low, high) if side == "above" else (-high, -low)
    holds(most > 0, f"the regularised loss is not {side} the bound")
    if least <= 0:
        why = f'enclosure too wide at {precision} bits: it contains the bound; larger "bits" may decide'
        raise Refusal("declined", why)
