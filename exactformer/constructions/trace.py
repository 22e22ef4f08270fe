"""What each block does to a sequence: tokens after the feed-forward layer, whom they follow, tokens after attention."""

from __future__ import annotations

from dataclasses import dataclass

from exactformer.arithmetic.short_text import short_repr
from exactformer.arithmetic.state import State
from exactformer.arithmetic.text import Exact
from exactformer.model.transformer import Block, Transformer

TokenRows = tuple[tuple[Exact, ...], ...]


@short_repr
@dataclass(frozen=True)
class BlockTrace:
    """One block on one sequence; `follows[i]` are the indices token i attends to, empty without attention."""

    stage: str
    before: TokenRows
    after_feed_forward: TokenRows
    follows: tuple[tuple[int, ...], ...]
    after: TokenRows

    @property
    def moved(self) -> bool:
        """Whether the block changed any token."""
        return self.before != self.after


@short_repr
@dataclass(frozen=True)
class SequenceTrace:
    """All blocks on the sequence with the given index."""

    sequence: int
    blocks: tuple[BlockTrace, ...]

    @property
    def outputs(self) -> TokenRows:
        """The output tokens."""
        return self.blocks[-1].after


def trace_of(transformer: Transformer, stages: tuple[str, ...], tokens: State, sequence: int) -> SequenceTrace:
    """The blocks one after the other on one sequence, by definition (for small data: plots and teaching)."""
    points = tuple(tokens.rows())
    blocks = []
    for stage, block in zip(stages, transformer, strict=True):
        blocks.append(_step(stage, block, points))
        points = blocks[-1].after
    return SequenceTrace(sequence, tuple(blocks))


def _step(stage: str, block: Block, points: TokenRows) -> BlockTrace:
    moved = points
    if block.feed_forward is not None:
        moved = tuple(tuple(block.feed_forward.apply(x)) for x in points)
    if block.self_attention is None:
        return BlockTrace(stage, points, moved, (), moved)
    step = block.self_attention.step(moved)
    return BlockTrace(stage, points, moved, tuple(step.follows), tuple(tuple(x) for x in step.outputs))
