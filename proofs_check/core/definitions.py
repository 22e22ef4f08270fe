"""The checker by its definitions alone: what `--plain` runs. A certificate has them as its `ways`."""

from collections.abc import Sequence
from typing import Any

from .attention import Attention
from .budget import Budget, Limits
from .certificate import Heads, SequenceReader, Ways
from .feed_forward import FeedForward
from .lines import outside_strings
from .numbers import ratios
from .subject import Task


def piece_by_piece(keys: Sequence[str], dim: int, limits: Limits) -> SequenceReader:
    """No line is read at once."""
    return lambda line, j: None


def part_by_part(parts: list[Any], heads: Heads, budget: Budget) -> list[Any]:
    """Every part by itself."""
    return parts


def one_after_the_other(task: Task) -> None:
    """Every sequence line in its order, in this process."""
    task.run(0, task.subject.file.header["sequences"])


DEFINITIONS = Ways(outside_strings, ratios, piece_by_piece, FeedForward, Attention, part_by_part, one_after_the_other)
