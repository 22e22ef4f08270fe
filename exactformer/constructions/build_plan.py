"""What a method is given, and what it answers: blocks with their stages, and what was learned on the way."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from exactformer.constructions.build_report import CompactFigures, Step
from exactformer.constructions.margin import NO_MARGIN, Margin
from exactformer.constructions.problem import Problem
from exactformer.constructions.verification import StageProgress
from exactformer.model.temperatures import Temperatures


@dataclass(frozen=True)
class BuildRequest:
    """The problem, and the options of `construct` that a method may look at.

    `temperatures` are those of softmax, None for hardmax and where every temperature is covered; `longest` is the
    length of the longest sequence.
    """

    problem: Problem
    rng: np.random.Generator
    width: int = 4
    groups: int | None = None
    robust: bool = False
    temperatures: Temperatures | None = None
    longest: int = 1
    progress: StageProgress | None = None

    @property
    def nodes(self) -> int:
        """K, the nodes of the last curve at most; with plateaus around every node twice the number of targets."""
        return 2 * self.targets if self.robust else self.problem.nodes_bound

    @property
    def targets(self) -> int:
        """sum m: the number of targets of all measures."""
        return sum(len(t) for t in self.problem.targets)


@dataclass(frozen=True)
class BuildPlan:
    """The blocks of a method with their stages, how many it is proved to stay within, and figures for the report."""

    steps: list[Step]
    bound: int
    hinges: int = 0
    margin: Margin = NO_MARGIN
    scale: Fraction | None = None
    compact: CompactFigures | None = None
