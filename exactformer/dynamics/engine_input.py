"""An instance made ready for the engine: positions, one ring for tokens and A, and the hypotheses it violates."""

from __future__ import annotations

from fractions import Fraction
from functools import cached_property

import numpy as np

from exactformer.arithmetic.algebraic import Algebraic, in_one_field
from exactformer.arithmetic.state import PointsLike, State
from exactformer.dynamics.engine import Engine
from exactformer.dynamics.hypotheses import Violation, form_and_violations, token_violations, verify_matrix
from exactformer.dynamics.positions import Positions
from exactformer.dynamics.score_form import ScoreForm
from exactformer.model.tokens import Tokens


class EngineInput:
    """Tokens as weighted positions, the form <A x, y>, and a = alpha/(1 + alpha).

    Raises InvalidInput where A is not symmetric positive definite, unless `unchecked`.
    """

    def __init__(self, tokens: Tokens | PointsLike, *, unchecked: bool = False) -> None:
        self.tokens = tokens if isinstance(tokens, Tokens) else Tokens(tokens)
        self.form, violations = form_and_violations(self.tokens.A)
        if not unchecked:
            verify_matrix(violations)
        self.state = self.tokens.state
        if _fields_differ(self.form, self.state):
            self.form, self.state = _in_one_field(self.form, self.state)
        self.positions = Positions.of(self.state)
        alpha = self.tokens.alpha
        self.share = Fraction(alpha.numerator, alpha.numerator + alpha.denominator)
        self._of_matrix = violations

    @cached_property
    def violations(self) -> tuple[Violation, ...]:
        """The hypotheses of the clustering theorem that the instance does not satisfy."""
        return (*self._of_matrix, *token_violations(self.state, self.positions))

    def engine(self) -> Engine:
        """A new engine at layer 0."""
        state = self.state if self.positions.distinct else self.state.take(self.positions.first)
        return Engine(state, self.form, self.share, self.positions.weights)

    def of_tokens(self, state: State) -> State:
        """The state of the tokens, from that of the positions."""
        return state if self.positions.distinct else state.take(self.positions.index)


def _fields_differ(form: ScoreForm, state: State) -> bool:
    if form.matrix.dtype.kind != "O" or state.array.dtype.kind != "O":
        return False
    x, y = form.matrix.flat[0], state.array.flat[0]
    return isinstance(x, Algebraic) and isinstance(y, Algebraic) and x.field is not y.field


def _in_one_field(form: ScoreForm, state: State) -> tuple[ScoreForm, State]:
    """The same form and state with all numbers in one field, so that no operation has to look for it."""
    d = state.dim
    elements = in_one_field([*form.matrix.flat, *state.array.flat])
    array = np.empty(len(elements or ()), dtype=object)
    array[:] = elements
    rows = array.reshape(-1, d)
    return ScoreForm(State(rows[:d])), State(rows[d:], state.denominator)
