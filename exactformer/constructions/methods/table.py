"""The methods of `construct`, each with what it can do: the one table that the pipeline and the command line read.

A module of a method is imported when it is asked for, so that the table costs nothing.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from exactformer.constructions.build_plan import BuildPlan, BuildRequest
    from exactformer.constructions.build_report import Step
    from exactformer.constructions.methods.shallow import Pooled


@dataclass(frozen=True)
class Method:
    """A way to interpolate: what it tells sequences apart by, its attentions and options, and its blocks.

    `uniform` says that its attention is uniform: the same weights serve softmax at every temperature. Methods that
    need `dimension` > 1 say for what, and which methods do `instead` with fewer. `stores` says that it stores which
    target goes where, so that there must be two; `one_target` that it is for one target per sequence.
    """

    name: str
    tells_apart: Literal["measure", "set"]
    plan: Callable[[BuildRequest], BuildPlan]
    attentions: tuple[str, ...] = ("hardmax", "softmax")
    uniform: bool = False
    options: tuple[str, ...] = ()
    dimension: int = 1
    dimension_for: str = ""
    instead: tuple[str, ...] = ()
    stores: bool = False
    one_target: bool = False


def _shallow(request: BuildRequest) -> BuildPlan:
    """Two blocks: means told apart and pooled, then placed."""
    from exactformer.constructions.methods.shallow import pool, shallow_steps

    pooled = pool(request.problem, request.rng, robust=request.robust)
    return _pooled_plan(request, shallow_steps(request.problem, pooled), 2, pooled, deep=False)


def _deep(request: BuildRequest) -> BuildPlan:
    """ceil((k+1)/w) + ceil(K/w) blocks of at most w units."""
    from exactformer.constructions.methods.deep import deep_steps
    from exactformer.constructions.methods.shallow import pool

    pooled, width = pool(request.problem, request.rng, robust=request.robust), request.width
    bound = -(-(len(pooled.hinges) + 1) // width) + -(-request.nodes // width)
    return _pooled_plan(request, deep_steps(request.problem, pooled, width), bound, pooled, deep=True)


def _pooled_plan(request: BuildRequest, steps: list[Step], bound: int, pooled: Pooled, *, deep: bool) -> BuildPlan:
    from exactformer.constructions.build_plan import BuildPlan
    from exactformer.constructions.margin import margin

    return BuildPlan(steps, bound, len(pooled.hinges), margin(request.problem, pooled, deep=deep))


def _leaders(request: BuildRequest) -> BuildPlan:
    """max(1, N-1) + ceil(K/4) blocks; for softmax max(1, N-1) + ceil(2 sum m / w), by Theorem SL."""
    from exactformer.constructions.build_plan import BuildPlan
    from exactformer.constructions.methods.leaders import leaders_steps
    from exactformer.constructions.methods.soft_leaders import soft_leaders_steps

    first = max(1, len(request.problem.targets) - 1)
    if request.temperatures is None:
        return BuildPlan(leaders_steps(request.problem), first + -(-request.nodes // 4))
    steps, scale = soft_leaders_steps(request.problem, request.temperatures.low, request.longest, request.width)
    return BuildPlan(steps, first + -(-2 * request.targets // request.width), scale=scale)


def _paper(request: BuildRequest) -> BuildPlan:
    """The four stages of the existence theorem, 2 sum m + 2N + 1 blocks at most."""
    from exactformer.constructions.build_plan import BuildPlan
    from exactformer.constructions.methods.paper import paper_steps

    bound = 2 * request.targets + 2 * len(request.problem.targets) + 1
    return BuildPlan(paper_steps(request.problem, request.rng), bound)


def _compact(request: BuildRequest) -> BuildPlan:
    """Labels held by the slopes of few pieces; beside them the numbers of shallow, fewer for few sequences."""
    from exactformer.constructions.build_plan import BuildPlan
    from exactformer.constructions.build_report import CompactFigures
    from exactformer.constructions.methods.compact.method import compact_steps
    from exactformer.constructions.methods.shallow import pool, shallow_steps

    def tell(done: int, keys: int) -> None:
        if request.progress is not None:
            request.progress("build", done, keys)

    steps, pieces = compact_steps(request.problem, request.groups, request.rng, tell)
    shallow = shallow_steps(request.problem, pool(request.problem, request.rng, robust=False))
    numbers = sum(step.block.parameters for step in shallow)
    return BuildPlan(steps, len(steps), compact=CompactFigures(pieces, numbers))


def _extraction(request: BuildRequest) -> BuildPlan:
    """Labels read bit by bit from long numbers."""
    from exactformer.constructions.build_plan import BuildPlan
    from exactformer.constructions.methods.extraction import extraction_steps

    steps = extraction_steps(request.problem, request.rng)
    return BuildPlan(steps, len(steps))


def _temperature(request: BuildRequest) -> BuildPlan:
    """Two blocks of softmax, exact at one inverse temperature."""
    from exactformer.constructions.build_plan import BuildPlan
    from exactformer.constructions.methods.temperature import temperature_steps
    from exactformer.errors import InvalidInput

    if request.temperatures is None:
        raise InvalidInput("method temperature is exact at one temperature: give beta, a rational number > 0")
    return BuildPlan(temperature_steps(request.problem, request.temperatures.low), 2)


METHODS = {
    method.name: method
    for method in (
        Method("shallow", "measure", _shallow, uniform=True, options=("robust",)),
        Method("deep", "measure", _deep, uniform=True, options=("width", "robust")),
        Method("leaders", "set", _leaders, options=("width", "beta")),
        Method(
            "paper",
            "set",
            _paper,
            attentions=("hardmax",),
            dimension=2,
            dimension_for="the sphere of method paper needs",
            instead=("leaders", "shallow"),
        ),
        Method("compact", "measure", _compact, uniform=True, options=("groups",), stores=True),
        Method(
            "extraction",
            "measure",
            _extraction,
            uniform=True,
            dimension=4,
            dimension_for="the registers of method extraction need",
            instead=("compact", "shallow"),
            stores=True,
            one_target=True,
        ),
        Method(
            "temperature",
            "measure",
            _temperature,
            attentions=("softmax",),
            options=("beta",),
            dimension=2,
            dimension_for="the constant queries of method temperature need",
            instead=("shallow", "leaders"),
        ),
    )
}


def methods_with(option: str) -> list[str]:
    """The methods that look at an option.

    >>> methods_with("robust")
    ['shallow', 'deep']
    """
    return [method.name for method in METHODS.values() if option in method.options]
