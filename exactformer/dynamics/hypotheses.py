"""The hypotheses of the clustering theorem: A symmetric positive definite, tokens nonzero and distinct."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from exactformer.arithmetic.integers import Array
from exactformer.arithmetic.state import State
from exactformer.dynamics.float_filter import UNIT
from exactformer.dynamics.positions import Positions
from exactformer.dynamics.score_form import ScoreForm
from exactformer.errors import InvalidInput
from exactformer.geometry.linear_algebra import Asymmetry, positive_definite
from exactformer.model.matrix import Row

SYMMETRIC = "A symmetric"
DEFINITE = "A positive definite"
NONZERO = "tokens nonzero"
DISTINCT = "tokens distinct"


@dataclass(frozen=True)
class Violation:
    """A hypothesis that an instance does not satisfy, why, and the witness."""

    hypothesis: str
    why: str
    witness: object

    def __str__(self) -> str:
        return f"{self.hypothesis}: {self.why}"


def form_and_violations(A: tuple[Row, ...]) -> tuple[ScoreForm, tuple[Violation, ...]]:
    """The form <A x, y>, and which hypotheses on A fail.

    >>> form_and_violations(((1, 2), (2, 1)))[1][0].why
    'the leading 2-by-2 minor is -3; <A v, v> = -3 at v = (-2, 1)'
    """
    if not _last or _last[0][0] is not A:
        _last[:] = [(A, _judged(A))]
    return _last[0][1]


#: the last matrix with its form: hashing a large one costs more than running a small instance
_last: list[tuple[tuple[Row, ...], tuple[ScoreForm, tuple[Violation, ...]]]] = []


@lru_cache(maxsize=64)
def _judged(A: tuple[Row, ...]) -> tuple[ScoreForm, tuple[Violation, ...]]:
    form = ScoreForm(A)
    if form.is_identity or _proved_by_cholesky(form):
        return form, ()
    verdict = positive_definite(A)
    if verdict:
        return form, ()
    if isinstance(verdict, Asymmetry):
        # a matrix that is not symmetric is called definite by its symmetric part
        part = tuple(tuple(A[i][j] + A[j][i] for j in range(len(A))) for i in range(len(A)))
        definite = positive_definite(part)
        found = [Violation(SYMMETRIC, str(verdict), verdict)]
        if not definite:
            found.append(Violation(DEFINITE, f"of A + A', {definite}", definite))
        return form, tuple(found)
    return form, (Violation(DEFINITE, str(verdict), verdict),)


def _proved_by_cholesky(form: ScoreForm) -> bool:
    """Whether float64 proves A symmetric positive definite; False says nothing. For larger A only.

    If Cholesky's algorithm runs to its end on A - c I, then A + E is positive definite for every |E| <= c; a
    backward error is at most (d+1)u/(1-(d+1)u) * trace, and rounding A adds u*|A| (Rump).
    """
    d = len(form.floats)
    if d <= 4 or not np.isfinite(form.mass) or not np.array_equal(form.matrix, form.matrix.T):
        return False
    shift = 4 * (d + 2) * UNIT * form.mass
    try:
        factor = np.linalg.cholesky(form.floats - shift * np.eye(d))
    except np.linalg.LinAlgError:
        return False
    return bool(np.isfinite(factor).all())


def token_violations(state: State, positions: Positions) -> tuple[Violation, ...]:
    """Which hypotheses on the tokens fail, with the tokens that break them."""
    found = []
    zeros = _zero_rows(state.array)
    if zeros:
        found.append(Violation(NONZERO, f"token {zeros[0]} is zero: it ties with every token", zeros))
    if not positions.distinct:
        equal = tuple(tokens for tokens in positions.classes if len(tokens) > 1)
        shown = " and ".join(map(str, equal[0][:2]))
        found.append(Violation(DISTINCT, f"tokens {shown} are equal: neither can lead alone", equal))
    return tuple(found)


def _zero_rows(array: Array) -> tuple[int, ...]:
    possible = np.flatnonzero(np.asarray(array[:, 0] == 0, dtype=bool))
    return tuple(i for i in possible.tolist() if not any(array[i].tolist()))


def verify_matrix(violations: Sequence[Violation]) -> None:
    """Raises InvalidInput if a hypothesis on A fails; the message carries the witness and the way round."""
    if violations:
        raise InvalidInput(
            f"A: expected a symmetric positive definite matrix, got one that is not; {violations[0].why}. "
            "The dynamics of any square A runs with `unchecked`"
        )
