"""The claim `interpolation` with a margin: no small move of the tokens changes an output (FORMAT.md, section 2.2)."""

from fractions import Fraction

from ..core.certificate import Certificate
from ..core.numbers import number
from ..core.points import Point
from ..core.subject import sequences
from ..core.transformer import block_lines
from ..core.verdict import Refusal, holds, well_formed
from .boxes import Boxes, Temperatures, moved_boxes
from .soft_attention import SoftAttention
from .soft_interpolation import Part, output, parts_of

#: uniform attention is the same at every temperature, and boxes keep their ends
EXACT = Temperatures(Fraction(1), None, 0, None)


def read_margin(file: Certificate) -> Fraction:
    """The margin line: a number > 0."""
    radius = number(file.lines.field("margin"), file.budget)
    well_formed(radius > 0, "a margin is positive")
    return radius


def verify_uniform(parts: list[Part]) -> None:
    """In every attention Q or K is zero, so that all means are means over all tokens, wherever these move."""
    if any(isinstance(part, SoftAttention) and part.Q for part in parts):
        raise Refusal("declined", "a margin is proved only where Q or K is zero in every attention")


def outputs(parts: list[Part], state: Boxes, file: Certificate) -> frozenset[Point] | None:
    """The set of outputs, if every token has one and the same output wherever it starts in its box."""
    boxes = output(parts, state, file).boxes
    return frozenset([(*box.low, box.below) for box in boxes]) if all(box.is_point() for box in boxes) else None


def interpolation_with_margin(file: Certificate) -> str:
    """However the tokens move, each by at most r in every coordinate, the outputs are the targets.

    Rejected is what a translate of a whole sequence refutes; what boxes do not prove is declined.
    """
    r = read_margin(file)
    parts = [part for FF, SA in block_lines(file) for part in parts_of(FF, SA, EXACT, file)]
    verify_uniform(parts)
    for j, (tokens, targets, _) in enumerate(sequences(file, ("targets", "label"), ("targets",))):
        for move, how in ((Fraction(0), "as it is"), (r, "moved by the margin"), (-r, "moved by minus the margin")):
            found = outputs(parts, moved_boxes(tokens, move, move, file.budget), file)
            holds(found == targets, f"sequence {j}, {how}: the set of outputs is not the set of targets")
        if outputs(parts, moved_boxes(tokens, -r, r, file.budget), file) != targets:
            raise Refusal(
                "declined",
                f"sequence {j}: the boxes of the moved tokens do not prove the margin; a smaller one may pass",
            )
    attention, blocks, N = file.header["attention"], file.header["blocks"], file.header["sequences"]
    who = f"a {attention} transformer with {blocks} blocks maps {N} sequences in Q^{file.dim} onto their targets"
    return f"{who}, also when every token moves by at most {r} in every coordinate"
