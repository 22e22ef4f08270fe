"""The claim `interpolation` (FORMAT.md, section 2): a transformer maps every sequence onto its set of targets."""

from collections.abc import Iterator
from typing import Any

from .budget import Budget
from .certificate import Certificate, Heads, Part
from .lines import count
from .points import State, linear_form
from .subject import Sequence, SequenceLines, Task
from .verdict import Json, holds


def block_lines(file: Certificate) -> Iterator[tuple[Json, Json]]:
    """The feed-forward part and the attention of every block line, in order."""
    for b in range(file.header["blocks"]):
        number, FF, SA = file.lines.fields("block", "feed_forward", "self_attention")
        count(number, b, b + 1)
        yield FF, SA


def read_blocks(file: Certificate) -> list[Part]:
    """The parts of all blocks in order: of a block the feed-forward part first, then the attention; null is none."""
    parts: list[Part] = []
    before: tuple[Json, Any] | None = None  # the last part as it is written, if it is a feed-forward part
    for FF, SA in block_lines(file):
        if before is not None and before[0] == FF and repr(before[0]) == repr(FF):  # repr: true is no 1
            before[1].times += 1
        elif FF is not None:
            before = FF, file.ways.feed_forward(FF, file)
            parts.append(before[1])
        if SA is not None:
            before = None
            parts.append(file.ways.attention(SA, file.header["attention"] == "softmax", file))
    return file.ways.in_runs(parts, Heads(lambda state: len(state.times), heads), file.budget)


def heads(state: State, u: tuple[int, ...]) -> list[tuple[int, int, int]]:
    """<u, x> twice, and the denominator below it, for every token x."""
    return [(s, s, state.common) for s in linear_form(u, state.coordinates)]


def output(parts: list[Part], state: State, budget: Budget) -> State:
    """The state after all parts; each state takes the place of the one before."""
    held = budget.held
    for part in parts:
        state = part(state)
        budget.held = held
    return state


def interpolation(file: Certificate) -> str:
    """For every sequence, the set of output tokens equals the set of its targets."""
    attention, blocks, N = file.header["attention"], file.header["blocks"], file.header["sequences"]
    parts = read_blocks(file)

    def verify(j: int, sequence: Sequence) -> None:
        """The set of outputs is the set of targets."""
        outputs = file.budget.distinct(output(parts, sequence.tokens, file.budget).points())
        holds(outputs == sequence.targets, f"sequence {j}: the set of outputs is not the set of targets")

    kinds = ("targets", "label"), ("targets",)
    file.ways.run(Task(SequenceLines(file, kinds), verify))
    return f"a {attention} transformer with {blocks} blocks maps {N} sequences in Q^{file.dim} onto their targets"
