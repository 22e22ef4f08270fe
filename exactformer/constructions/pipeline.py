"""From a data set to a transformer that interpolates it: the table of contents of the constructions.

targets      what every sequence is to be mapped to            (targets)
supports     the measure of every sequence                     (empirical_measures)
feasible?    equal measures have equal targets, m <= tokens    (feasibility)
problem      different measures along one coordinate u.x       (problem, projection_to_line)
method       shallow | deep | leaders | paper | compact | extraction | temperature   (methods/table, a module each)
verify       evaluate exactly on the original data             (verification; enclosures for softmax)
report       blocks, width, parameters, bits, bounds, margin   (build_report, margin)
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from numbers import Integral

import numpy as np

from exactformer.arithmetic.integers import count
from exactformer.arithmetic.text import NumberLike
from exactformer.constructions.attention_choice import AttentionChoice
from exactformer.constructions.balance import balanced
from exactformer.constructions.build_plan import BuildRequest
from exactformer.constructions.build_report import report_on
from exactformer.constructions.built_transformer import Built
from exactformer.constructions.empirical_measures import distinct_points, supports
from exactformer.constructions.feasibility import merge, reasons_against
from exactformer.constructions.means_alone import sequences_of_means
from exactformer.constructions.methods.soft_leaders import LEAST_WIDTH
from exactformer.constructions.methods.table import METHODS, Method, methods_with
from exactformer.constructions.problem import Problem, problem_on_line
from exactformer.constructions.targets import LabelTargets, Targets, targets_of
from exactformer.constructions.verification import StageProgress, verify_encloses, verify_interpolates
from exactformer.display.progress import teller
from exactformer.errors import InvalidInput, NoConstruction, NotExact, Reason, proof_at
from exactformer.model.dataset import Dataset
from exactformer.model.temperatures import SoftmaxProof, Temperatures
from exactformer.model.transformer import Transformer
from exactformer.parallel import Workers


def construct(
    dataset: Dataset | object,
    labels: Sequence[object] | None = None,
    *,
    targets: object = None,
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
    decimals: bool = False,
    progress: StageProgress | bool | None = None,
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
    `scheduler`, the sequences are verified by them. `decimals=True` reads the float 0.1 as 1/10; `progress=True`
    says on standard error how far the work is. Raises NoConstruction, with every reason, exactly where no such
    transformer of the kind exists.

    Proof that it succeeds wherever success is possible: mathematics/constructions#theorem-s.

    >>> built = construct([[[0]], [[1]], [[0], [1]]], targets=[[0], [1], [2]])
    >>> built.report.blocks, built.transformer([[0], [1]]).rows()
    (2, [(Fraction(2, 1),), (Fraction(2, 1),)])
    >>> construct([[[0], [2]], [[3]]], labels=["low", "high"]).predict([[[1]], [[4], [3]]])
    ['low', 'high']
    """
    dataset = Dataset.of(dataset, labels, targets=targets, decimals=decimals)
    tell = teller(progress, lambda stage, done, total: f"{stage}: {done:,} of {total:,}")
    _verify_options(dataset, method, width, groups, robust=robust)
    chosen = AttentionChoice.of(method, attention, beta)
    _verify_width(method, chosen, width)
    generator = seed if isinstance(seed, np.random.Generator) else np.random.default_rng(count(seed, "seed"))
    data = dataset.with_positions() if positions else dataset
    if positions and isinstance(label_targets, Mapping):
        label_targets = {label: [*point, 0] for label, point in label_targets.items()}
    target_sets = targets_of(data, label_targets)
    _tell(tell, "coordinate")
    problem = problem_of(data, target_sets, method, generator)
    _tell(tell, "build")
    longest = int(np.diff(data.offsets).max())
    plan = METHODS[method].plan(
        BuildRequest(problem, generator, width, groups, robust, chosen.temperatures, longest, tell)
    )
    transformer = Transformer(data.dim, [step.block for step in plan.steps])
    transformer = balanced(transformer) if balance else transformer
    proof = _verify(transformer, data, target_sets, method, chosen.temperatures, tell, Workers(workers, scheduler))
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
    if "hardmax" in METHODS[method].attentions:
        verify_interpolates(transformer, data, targets, progress, workers)
    if temperatures is None:
        return None
    return SoftmaxProof(temperatures, verify_encloses(transformer, data, targets, temperatures, progress, workers))


def problem_of(data: Dataset, targets: Targets, method: str, rng: np.random.Generator) -> Problem:
    """What the method has to solve; for shallow of the means alone, where they tell the sequences apart."""
    means = sequences_of_means(data, targets, rng) if method == "shallow" else None
    seen, semantics = means or data, METHODS[method].tells_apart
    tokens, ids = distinct_points(seen.tokens, rng)
    measures = supports(ids, seen.offsets)
    merged = merge(measures, targets, semantics)
    reasons = reasons_against(seen, measures, targets, merged.conflicts, semantics)
    _verify_feasible([*reasons, *_beyond_method(METHODS[method], data, targets)], method)
    return problem_on_line(tokens, measures, targets, merged, semantics, rng)


def _verify_options(dataset: Dataset, method: str, width: int, groups: int | None, *, robust: bool) -> None:
    if method not in METHODS:
        raise InvalidInput(f"expected one of the methods {', '.join(METHODS)}, got {method!r}")
    if not isinstance(width, Integral) or width < 1:
        raise InvalidInput(f"expected a width, an integer >= 1, got {width!r}")
    if groups is not None and "groups" not in METHODS[method].options:
        fitting = " or ".join(methods_with("groups"))
        raise InvalidInput(f"groups are for method {fitting}, got method {method}: leave them out")
    if groups is not None and not (isinstance(groups, Integral) and 1 <= groups <= len(dataset)):
        raise InvalidInput(f"expected 1 <= groups <= {len(dataset)}, the number of sequences, got {groups!r}")
    if robust and "robust" not in METHODS[method].options:
        raise InvalidInput(f"method {method} has no robust variant: choose {' or '.join(methods_with('robust'))}")
    if not dataset.tokens.is_rational or (dataset.targets is not None and not dataset.targets.is_rational):
        raise NotExact("expected rational tokens and targets: certificates of interpolation hold rational numbers")


def _verify_width(method: str, chosen: AttentionChoice, width: int) -> None:
    if method == "leaders" and chosen.temperatures is not None and width < LEAST_WIDTH:
        raise InvalidInput(f"expected a width >= {LEAST_WIDTH} for method leaders with softmax, got {width}")


def _beyond_method(method: Method, data: Dataset, targets: Targets) -> list[Reason]:
    """What lies in the method, not in the data: too few dimensions; several targets; nothing to store."""
    if data.dim < method.dimension:
        needs, others = f"{method.dimension_for} dimension >= {method.dimension}", method.instead
        why = f"{needs}, the data have {data.dim}; method {' or '.join(others)} works here"
        return [Reason("dimension", (), why, {"cures": [f"method {other}" for other in others]})]
    several = next((j for j, chosen in enumerate(targets.sets) if len(chosen) > 1), None)
    if several is not None and method.one_target:
        number = len(targets.sets[several])
        why = f"method {method.name} is for one target per sequence, sequence {several} has {number}"
        why += "; method compact or shallow works here"
        return [Reason("several targets", (), why, {"cures": ["method compact", "method shallow"]})]
    if method.stores and len({target for chosen in targets.sets for target in chosen}) == 1:
        why = f"all sequences have the same target, so method {method.name} has nothing to store"
        why += "; method shallow works here"
        return [Reason("one class", (), why, {"cures": ["method shallow"]})]
    return []


def _verify_feasible(reasons: list[Reason], method: str) -> None:
    """Raises NoConstruction with all reasons."""
    if reasons:
        listed = "\n  ".join(reason.why for reason in reasons[:10])
        more = f"\n  and {len(reasons) - 10} more" if len(reasons) > 10 else ""
        who = "no transformer" if any(reason.absolute for reason in reasons) else f"method {method}"
        can = "can" if who == "no transformer" else "cannot"
        why = f"\nthe conditions, with proofs: {proof_at('constructions#when-is-it-possible')}"
        raise NoConstruction(f"{who} {can} interpolate these data:\n  {listed}{more}{why}", reasons)


def _tell(progress: StageProgress | None, stage: str) -> None:
    if progress is not None:
        progress(stage, 0, 1)
