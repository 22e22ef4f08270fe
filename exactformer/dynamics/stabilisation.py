"""Whether the follower sets of an instance are proved to become constant, before anything is run.

The cases are those of the theorem: mathematics/stabilisation#theorem.
"""

from __future__ import annotations

from dataclasses import dataclass

from exactformer.arithmetic.state import PointsLike
from exactformer.dynamics.engine_input import EngineInput
from exactformer.errors import proof_at
from exactformer.geometry.linear_algebra import rank
from exactformer.model.tokens import Tokens

#: up to this step every instance of distinct nonzero tokens is proved to stabilise, in every dimension
OPEN_ALPHA = 3
#: and up to this dimension at every step
PROVED_DIMENSION = 3


@dataclass(frozen=True)
class StabilisationCase:
    """The case of the theorem that covers an instance, or None and why none does; true where one does."""

    case: int | None
    why: str

    def __bool__(self) -> bool:
        return self.case is not None

    def __str__(self) -> str:
        return self.why


def stabilisation_case(tokens: Tokens | PointsLike) -> StabilisationCase:
    """The case of the theorem by which the follower sets become constant: 2 (d <= 2), 3 (alpha < 3) or 4 (d = 3).

    The dimension is that of the span of the tokens, which no layer leaves. InvalidInput unless A is symmetric positive
    definite.

    >>> bool(stabilisation_case([[1, 0], [0, 1], [1, 1]])), stabilisation_case([[1, 0], [1, 0]]).case
    (True, None)
    """
    return case_of(EngineInput(tokens))


def case_of(instance: EngineInput) -> StabilisationCase:
    """The same for an instance that is ready for the engine."""
    if instance.violations:
        broken = "; ".join(map(str, instance.violations))
        return StabilisationCase(
            None, f"the theorem on constant follower sets does not speak of this instance ({broken})"
        )
    alpha, d = instance.tokens.alpha, rank(instance.state.rows())
    if alpha < OPEN_ALPHA:
        return StabilisationCase(3, "the follower sets are proved to become constant, since alpha < 3")
    if d <= PROVED_DIMENSION:
        case = 2 if d < PROVED_DIMENSION else 4
        return StabilisationCase(
            case, f"the follower sets are proved to become constant, since the tokens span d = {d}"
        )
    return StabilisationCase(
        None,
        f"whether the follower sets become constant is open for alpha >= 3 and d >= 4 (here alpha = {alpha}, d = {d}); "
        "they do unless a moving token ties with itself and two or more others at infinitely many layers "
        f"({proof_at('stabilisation#theorem')})",
    )
