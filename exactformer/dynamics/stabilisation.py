"""Whether the follower sets of an instance are proved to become constant, before anything is run.

The cases are those of the theorem: mathematics/stabilisation#theorem.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

from exactformer.arithmetic.state import PointsLike
from exactformer.dynamics.engine_input import EngineInput
from exactformer.dynamics.hypotheses import NONZERO
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
    broken = "; ".join(str(found) for found in instance.violations if found.hypothesis != NONZERO)
    if broken:  # that a token is zero changes nothing: mathematics/stabilisation#zero-and-repeated-tokens
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
        f"they do unless a moving token is in its own set of {_sizes(alpha)} tokens at infinitely many layers "
        f"({proof_at('stabilisation#theorem')})",
    )


def _sizes(alpha: Fraction) -> str:
    """The integers from 3 to 1 + sqrt(1 + alpha), for alpha >= 3.

    >>> _sizes(Fraction(3)), _sizes(Fraction(7)), _sizes(Fraction(8)), _sizes(Fraction(15))
    ('3', '3', '3 to 4', '3 to 5')
    """
    most = 1 + math.isqrt(math.floor(1 + alpha))
    return "3" if most == 3 else f"3 to {most}"
