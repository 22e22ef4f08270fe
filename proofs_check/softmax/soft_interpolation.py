"""The claim `interpolation` for softmax at a range of temperatures (FORMAT.md, section 2.1)."""

from collections.abc import Callable

from ..core.certificate import Certificate, Heads
from ..core.points import Point
from ..core.subject import sequences
from ..core.transformer import block_lines
from ..core.verdict import Refusal, holds, well_formed
from .boxes import Box, Boxes, Temperatures, boxes_of, form, read_temperatures
from .soft_attention import SoftAttention
from .soft_feed_forward import SoftFeedForward

Part = Callable[[Boxes], Boxes]


def parts_of(FF: object, SA: object, beta: Temperatures, file: Certificate) -> list[Part]:
    """The parts of a block: the feed-forward part first, then the attention; null is none."""
    first: list[Part] = [] if FF is None else [SoftFeedForward(FF, beta.rounding, file)]
    return first if SA is None else [*first, SoftAttention(SA, beta, file)]


def output(parts: list[Part], state: Boxes, file: Certificate) -> Boxes:
    """The boxes around the tokens of a sequence after all parts."""
    for part in parts:
        state = part(state)
        file.budget.within(state.bits, "bits")
    return state


def heads(state: Boxes, u: tuple[int, ...]) -> list[tuple[int, int, int]]:
    """The least and the largest value of <u, x>, and below them the denominator, for every box."""
    return [(*form(u, box), box.below) for box in state.boxes]


def verify_outputs(j: int, boxes: list[Box], targets: frozenset[Point], bits: int) -> None:
    """Every box is a point, and these points are the targets; rejected only where the boxes refute that."""
    for box in boxes:
        holds(any(inside(y, box) for y in targets), f"sequence {j}: an output is no target, whatever beta")
    for y in targets:
        holds(any(inside(y, box) for box in boxes), f"sequence {j}: a target is no output, whatever beta")
    if not all(box.is_point() for box in boxes):
        why = f'enclosure too wide at {bits} bits: an output is no point; larger "bits" may decide'
        raise Refusal("declined", f"sequence {j}: {why}")


def inside(point: Point, box: Box) -> bool:
    """Whether the point lies in the box."""
    *numerators, q = point
    ends = zip(numerators, box.low, box.high)
    return all(low * q <= n * box.below <= high * q for n, low, high in ends)


def soft_interpolation(file: Certificate) -> str:
    """For every sequence and every beta of the range, the set of output tokens equals the set of its targets."""
    well_formed(file.header["attention"] == "softmax", "beta and bits are for attention softmax")
    beta = read_temperatures(file)
    single = [part for FF, SA in block_lines(file) for part in parts_of(FF, SA, beta, file)]
    parts = file.ways.in_runs(single, Heads(lambda state: len(state.boxes), heads), file.budget)
    for j, (tokens, targets, _) in enumerate(sequences(file, ("targets", "label"), ("targets",))):
        state = output(parts, boxes_of(tokens, file.budget), file)
        pairs = 2 * len(state.boxes) * len(targets)
        file.budget.spend(30 * pairs)
        file.budget.products(4 * pairs * file.dim, state.bits)
        verify_outputs(j, state.boxes, targets, beta.bits)
    blocks, N = file.header["blocks"], file.header["sequences"]
    who = f"a softmax transformer with {blocks} blocks"
    return f"{who} maps {N} sequences in Q^{file.dim} onto their targets, {beta.words()}"
