"""An open certificate: what every rule may use."""

from dataclasses import dataclass
from typing import Any

from .budget import Budget
from .lines import Lines


@dataclass(frozen=True)
class Certificate:
    """The header and its dimension, the lines after it, the budget, the caller's data if any: a path, or sequences.

    Sequences are verified by as many worker processes, or by a crew of the caller's (see `workers`), where that helps.
    """

    header: dict[str, Any]
    dim: int
    lines: Lines
    budget: Budget
    data: Any
    workers: Any = 1
