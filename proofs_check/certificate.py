"""An open certificate: what every rule may use."""

from dataclasses import dataclass
from typing import Any

from .budget import Budget
from .lines import Lines


@dataclass(frozen=True)
class Certificate:
    """The header and its dimension, the lines after it, the budget, the path of the caller's data file if any.

    Sequences are verified by as many worker processes, where that helps.
    """

    header: dict[str, Any]
    dim: int
    lines: Lines
    budget: Budget
    data: str | None
    workers: int = 1
