"""The claim `interpolation` (FORMAT.md, section 2): a transformer maps every sequence onto its set of targets."""

from collections.abc import Callable, Iterator
from typing import Any

from .attention import Attention
from .budget import Budget
from .certificate import Certificate
from .feed_forward import FeedForward
from .lines import count
from .points import State
from .subject import Sequence
from .verdict import holds
from .workers import verify_sequences

Part = Callable[[State], State]


def block_lines(file: Certificate) -> Iterator[tuple[Any, Any]]:
    """The feed-forward part and the attention of every block line, in order."""
    for b in range(file.header["blocks"]):
        number, FF, SA = file.lines.fields("block", "feed_forward", "self_attention")
        count(number, b, b + 1)
        yield FF, SA


def read_blocks(file: Certificate) -> list[Part]:
    """The parts of all blocks in order: of a block the feed-forward part first, then the attention; null is none."""
    parts: list[Part] = []
    before: tuple[str, FeedForward] | None = None  # the last part with its text, if it is a feed-forward part
    for FF, SA in block_lines(file):
        if before is not None and before[0] == repr(FF):  # repr: true is no 1
            before[1].times += 1
        elif FF is not None:
            before = repr(FF), FeedForward(FF, file)
            parts.append(before[1])
        if SA is not None:
            before = None
            parts.append(Attention(SA, file.header["attention"] == "softmax", file))
    return parts


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
        outputs = set(output(parts, sequence.tokens, file.budget).points())
        holds(outputs == sequence.targets, f"sequence {j}: the set of outputs is not the set of targets")

    verify_sequences(file, verify, ("targets", "label"), ("targets",))
    return f"a {attention} transformer with {blocks} blocks maps {N} sequences in Q^{file.dim} onto their targets"
