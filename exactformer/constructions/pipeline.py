"""From a data set to a transformer that interpolates it: the table of contents of the constructions.

targets      what every sequence is to be mapped to            (targets)
supports     the measure of every sequence                     (empirical_measures)
feasible?    equal measures have equal targets, m <= tokens    (feasibility)
problem      different measures along one coordinate u.x       (problem, line)
method       shallow | deep | leaders | paper | compact | extraction | temperature   (a module each; soft_leaders)
verify       evaluate exactly on the original data             (verification; enclosures for softmax)
report       blocks, width, parameters, bits, bounds, margin   (build_report, margin)
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from numbers import Integral
from typing import Any

import numpy as np

from exactformer.arithmetic.text import NumberLike
from exactformer.constructions.attention_choice import AttentionChoice
from exactformer.constructions.balance import balanced
from exactformer.constructions.build_report import (
    CompactFigures,
    Step,
    blocks_bound,
    report_on,
    soft_leaders_bound,
)
from exactformer.constructions.built import Built
from exactformer.constructions.empirical_measures import distinct_points, supports
from exactformer.constructions.feasibility import merge, reasons_against
from exactformer.constructions.margin import NO_MARGIN, Margin, margin
from exactformer.constructions.means_alone import sequences_of_means
from exactformer.constructions.methods.compact import compact_steps
from exactformer.constructions.methods.deep import deep_steps
from exactformer.constructions.methods.extraction import REGISTERS, extraction_steps
from exactformer.constructions.methods.leaders import leaders_steps
from exactformer.constructions.methods.paper import paper_steps
from exactformer.constructions.methods.shallow import pool, shallow_steps
from exactformer.constructions.methods.soft_leaders import LEAST_WIDTH, soft_leaders_steps
from exactformer.constructions.methods.temperature import temperature_steps
from exactformer.constructions.problem import Problem, problem_on_line
from exactformer.constructions.targets import LabelTargets, Targets, targets_of
from exactformer.constructions.verification import StageProgress, verify_encloses, verify_interpolates
from exactformer.errors import InvalidInput, NoConstruction, NotExact, Reason
from exactformer.model.dataset import Dataset
from exactformer.model.temperatures import SoftmaxProof, Temperatures
from exactformer.model.transformer import Transformer
from exactformer.workers import Workers

#: method -> what it tells sequences apart by
METHODS = {
    "shallow": "measure",
    "deep": "measure",
    "leaders": "set",
    "paper": "set",
    "compact": "measure",
    "extraction": "measure",
}
#: the same with the method that is for softmax alone
ALL_METHODS = {**METHODS, "temperature": "measure"}
#: methods that can be asked for a positive margin
ROBUST = ("shallow", "deep")


def construct(
    dataset: Dataset | Any,
    labels: Sequence[object] | None = None,
    *,
    targets: Any = None,
    method: str = "shallow",
    width: int = 4,
    groups: int | None = None,
    robust: bool = False,
    balance: bool = False,
    attention: str | None = None,
    beta: NumberLike | None = None,
    label_targets: LabelTargets | None = None,
    positions: bool = False,
    seed: int | np.random.Generator = 0,
    progress: StageProgress | None = None,
    workers: int = 1,
    scheduler: str | None = None,
) -> Built:
    """A transformer that maps every sequence of the data exactly onto its target set, verified on the data.

    The data are a Dataset or whatever `Dataset.of` makes one of: a list of arrays with `labels` or `targets`, a 3-D
    array, a DataFrame, a path. Methods: `shallow` (two blocks), `deep` (blocks of at most `width` units), `leaders`
    (rank-one attention), `paper` (the four stages of the existence theorem, d >= 2), `compact` (of the order of sqrt(N)
    numbers for N labels, held by the slopes of at most `groups` linear pieces), `extraction` (labels read bit by bit
    from long numbers, as published for networks, d >= 4), `temperature` (two blocks of softmax at exactly the inverse
    temperature `beta`, d >= 2). With `attention="softmax"` shallow, deep, compact and extraction, whose attention is
    uniform, are exact at every temperature, and leaders at every inverse temperature >= `beta` (1 unless
    given) and for hardmax. `robust` gives shallow and deep a positive margin, `balance` all methods a
    small norm of weights, by powers of two. Labels get points of their own, or those of `label_targets`; `positions`
    appends the position of every token as a coordinate. With several `workers`, processes, or those of a dask
    `scheduler`, the sequences are verified by them. Raises NoConstruction, with every reason, exactly where no such
    transformer of the kind exists.

    >>> built = construct([[[0]], [[1]], [[0], [1]]], targets=[[0], [1], [2]])
    >>> built.report.blocks, built.transformer([[0], [1]]).rows()
    (2, [(Fraction(2, 1),), (Fraction(2, 1),)])
    >>> construct([[[0], [2]], [[3]]], labels=["low", "high"]).predict([[[1]], [[4], [3]]])
    ['low', 'high']
    """
    dataset = Dataset.of(dataset, labels, targets=targets)
    _verify_options(dataset, method, width, groups, robust=robust)
    chosen = AttentionChoice.of(method, attention, beta)
    _verify_width(method, chosen, width)
    generator = np.random.default_rng(seed)
    data = dataset.with_positions() if positions else dataset
    if positions and label_targets is not None:
        label_targets = {label: [*point, 0] for label, point in label_targets.items()}
    target_sets = targets_of(data, label_targets)
    _tell(progress, "coordinate")
    problem = _problem(data, target_sets, method, generator)
    _tell(progress, "build")
    if method == "compact":
        plan = _compact_plan(problem, groups, generator, progress)
    elif chosen.temperatures is None:
        plan = plan_of(problem, method, width, generator, robust=robust)
    else:
        plan = soft_plan_of(problem, method, chosen.temperatures, int(np.diff(data.offsets).max()), width)
    transformer = Transformer(data.dim, [step.block for step in plan.steps])
    transformer = balanced(transformer) if balance else transformer
    proof = _verify(transformer, data, target_sets, method, chosen.temperatures, progress, Workers(workers, scheduler))
    figures = (plan.hinges, plan.margin.radius, plan.bound)
    report = report_on(method, transformer, problem, *figures, chosen.kind, proof, plan.scale, plan.compact)
    stages = tuple(step.stage for step in plan.steps)
    return Built(transformer, report, plan.margin, data, target_sets, stages, chosen.kind, proof, positions)


def _verify(
    transformer: Transformer,
    data: Dataset,
    targets: Targets,
    method: str,
    temperatures: Temperatures | None,
    progress: StageProgress | None,
    workers: Workers,
) -> SoftmaxProof | None:
    """Verifies the transformer on the data, for hardmax and at the temperatures; what the latter takes to prove."""
    if method != "temperature":
        verify_interpolates(transformer, data, targets, progress, workers)
    if temperatures is None:
        return None
    return SoftmaxProof(temperatures, verify_encloses(transformer, data, targets, temperatures, progress, workers))


def _problem(data: Dataset, targets: Targets, method: str, rng: np.random.Generator) -> Problem:
    """What the method has to solve; for shallow of the means alone, where they tell the sequences apart."""
    means = sequences_of_means(data, targets, rng) if method == "shallow" else None
    seen, semantics = means or data, ALL_METHODS[method]
    tokens, ids = distinct_points(seen.tokens, rng)
    measures = supports(ids, seen.offsets)
    merged = merge(measures, targets, semantics)
    reasons = reasons_against(seen, measures, targets, merged.conflicts, semantics)
    _verify_feasible([*reasons, *_beyond_method(method, data, targets)], method)
    return problem_on_line(tokens, measures, targets, merged, semantics, rng)


@dataclass(frozen=True)
class BuildPlan:
    """The blocks of a method with their stages, and what was learned on the way."""

    steps: list[Step]
    bound: int
    hinges: int = 0
    margin: Margin = NO_MARGIN
    scale: Fraction | None = None
    compact: CompactFigures | None = None


def _compact_plan(
    problem: Problem, groups: int | None, rng: np.random.Generator, progress: StageProgress | None
) -> BuildPlan:
    """The blocks of compact; the numbers of shallow beside them, which are fewer for few sequences."""

    def tell(done: int, keys: int) -> None:
        if progress is not None:
            progress("build", done, keys)

    steps, pieces = compact_steps(problem, groups, rng, tell)
    shallow = shallow_steps(problem, pool(problem, rng, robust=False))
    numbers = sum(step.block.parameters for step in shallow)
    return BuildPlan(steps, len(steps), compact=CompactFigures(pieces, numbers))


def plan_of(problem: Problem, method: str, width: int, rng: np.random.Generator, *, robust: bool) -> BuildPlan:
    """The blocks that solve the problem by one of the methods; leaders and paper claim no margin."""
    hinges, radius = 0, NO_MARGIN
    if method in ("shallow", "deep"):
        pooled = pool(problem, rng, robust=robust)
        steps = shallow_steps(problem, pooled) if method == "shallow" else deep_steps(problem, pooled, width)
        hinges, radius = len(pooled.hinges), margin(problem, pooled, deep=method == "deep")
    elif method == "leaders":
        steps = leaders_steps(problem)
    elif method == "extraction":
        steps = extraction_steps(problem, rng)
        return BuildPlan(steps, len(steps))
    else:
        steps = paper_steps(problem, rng)
    return BuildPlan(steps, blocks_bound(method, problem, hinges, width, robust=robust), hinges, radius)


def soft_plan_of(problem: Problem, method: str, beta: Temperatures, longest: int, width: int) -> BuildPlan:
    """The blocks that solve the problem for softmax at the temperatures of a range; they claim no margin."""
    if method == "temperature":
        return BuildPlan(temperature_steps(problem, beta.low), 2)
    steps, scale = soft_leaders_steps(problem, beta.low, longest, width)
    return BuildPlan(steps, soft_leaders_bound(problem, width), scale=scale)


def _verify_options(dataset: Dataset, method: str, width: int, groups: int | None, *, robust: bool) -> None:
    if method not in ALL_METHODS:
        raise InvalidInput(f"expected one of the methods {', '.join(ALL_METHODS)}, got {method!r}")
    if not isinstance(width, Integral) or width < 1:
        raise InvalidInput(f"expected a width, an integer >= 1, got {width!r}")
    if groups is not None and method != "compact":
        raise InvalidInput(f"groups are for method compact, got method {method}: leave them out")
    if groups is not None and not (isinstance(groups, Integral) and 1 <= groups <= len(dataset)):
        raise InvalidInput(f"expected 1 <= groups <= {len(dataset)}, the number of sequences, got {groups!r}")
    if robust and method not in ROBUST:
        raise InvalidInput(f"method {method} has no robust variant: choose shallow or deep")
    if not dataset.tokens.is_rational or (dataset.targets is not None and not dataset.targets.is_rational):
        raise NotExact("expected rational tokens and targets: certificates of interpolation hold rational numbers")


def _verify_width(method: str, chosen: AttentionChoice, width: int) -> None:
    if method == "leaders" and chosen.temperatures is not None and width < LEAST_WIDTH:
        raise InvalidInput(f"expected a width >= {LEAST_WIDTH} for method leaders with softmax, got {width}")


#: method -> what needs further dimensions, how many there must be, and the methods that do with fewer
_ROOM = {
    "paper": ("the sphere of method paper needs", 2, ("leaders", "shallow")),
    "temperature": ("the constant queries of method temperature need", 2, ("shallow", "leaders")),
    "extraction": ("the registers of method extraction need", REGISTERS, ("compact", "shallow")),
}
#: methods that store which targets go where, two of them at least; extraction for one target a sequence
_STORING = ("compact", "extraction")


def _beyond_method(method: str, data: Dataset, targets: Targets) -> list[Reason]:
    """What lies in the method, not in the data: too few dimensions; several targets; nothing to store."""
    what, least, others = _ROOM.get(method, ("", 1, ()))
    if data.dim < least:
        why = f"{what} dimension >= {least}, the data have {data.dim}; method {' or '.join(others)} works here"
        return [Reason("dimension", (), why, {"cures": [f"method {other}" for other in others]})]
    if method not in _STORING:
        return []
    several = next((j for j, chosen in enumerate(targets.sets) if len(chosen) > 1), None)
    if several is not None and method == "extraction":
        number = len(targets.sets[several])
        why = f"method {method} is for one target a sequence, sequence {several} has {number}"
        why += "; method compact or shallow works here"
        return [Reason("several targets", (), why, {"cures": ["method compact", "method shallow"]})]
    if len({target for chosen in targets.sets for target in chosen}) == 1:
        why = f"all sequences have the same target, so method {method} has nothing to store; method shallow works here"
        return [Reason("one class", (), why, {"cures": ["method shallow"]})]
    return []


def _verify_feasible(reasons: list[Reason], method: str) -> None:
    """Raises NoConstruction with all reasons."""
    if reasons:
        listed = "\n  ".join(reason.why for reason in reasons[:10])
        more = f"\n  and {len(reasons) - 10} more" if len(reasons) > 10 else ""
        who = "no transformer" if any(reason.absolute for reason in reasons) else f"method {method}"
        can = "can" if who == "no transformer" else "cannot"
        raise NoConstruction(f"{who} {can} interpolate these data:\n  {listed}{more}", reasons)


def _tell(progress: StageProgress | None, stage: str) -> None:
    if progress is not None:
        progress(stage, 0, 1)
