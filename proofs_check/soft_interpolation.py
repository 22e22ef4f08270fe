"""The claim `interpolation` for softmax at a range of temperatures (FORMAT.md, section 2.1)."""

from collections.abc import Callable

from .boxes import Box, Boxes, Temperatures, boxes_of, read_temperatures
from .certificate import Certificate
from .lines import count
from .points import Point
from .soft_attention import SoftAttention
from .soft_feed_forward import SoftFeedForward
from .subject import sequences
from .verdict import Refusal, holds, well_formed

Part = Callable[[Boxes], Boxes]


def read_blocks(beta: Temperatures, file: Certificate) -> list[Part]:
    """The parts of all blocks in order: of a block the feed-forward part first, then the attention; null is none."""
    parts: list[Part] = []
    for b in range(file.header["blocks"]):
        number, FF, SA = file.lines.fields("block", "feed_forward", "self_attention")
        count(number, b, b + 1)
        if FF is not None:
            parts.append(SoftFeedForward(FF, beta.bits, file))
        if SA is not None:
            parts.append(SoftAttention(SA, beta, file))
    return parts


def verify_outputs(j: int, boxes: list[Box], targets: frozenset[Point], bits: int) -> None:
    """Every box is a point, and these points are the targets; rejected only where the boxes refute that."""
    for box in boxes:
        holds(any(inside(y, box) for y in targets), f"sequence {j}: an output is no target, whatever beta")
    for y in targets:
        holds(any(inside(y, box) for box in boxes), f"sequence {j}: a target is no output, whatever beta")
    if not all(box.is_point() for box in boxes):
        raise Refusal("declined", f"sequence {j}: enclosure too wide at {bits} bits: an output is no point")


def inside(point: Point, box: Box) -> bool:
    """Whether the point lies in the box."""
    *numerators, q = point
    ends = zip(numerators, box.low, box.high)
    return all(low * q <= n * box.below <= high * q for n, low, high in ends)


def soft_interpolation(file: Certificate) -> str:
    """For every sequence and every beta of the range, the set of output tokens equals the set of its targets."""
    well_formed(file.header["attention"] == "softmax", "beta and bits are for attention softmax")
    beta = read_temperatures(file)
    parts = read_blocks(beta, file)
    for j, (tokens, targets, _) in enumerate(sequences(file, ("targets", "label"), ("targets",))):
        state = boxes_of(tokens)
        for part in parts:
            state = part(state)
            file.budget.within(state.bits, "bits")
        file.budget.products(2 * len(state.boxes) * len(targets) * file.dim, state.bits)
        verify_outputs(j, state.boxes, targets, beta.bits)
    blocks, N = file.header["blocks"], file.header["sequences"]
    who = f"a softmax transformer with {blocks} blocks"
    return f"{who} maps {N} sequences in Q^{file.dim} onto their targets, {beta.words()}"
