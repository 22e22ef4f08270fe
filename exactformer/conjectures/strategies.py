"""Hypothesis strategies for tests of your own: exact instances with ties, which Hypothesis shrinks."""

from __future__ import annotations

from fractions import Fraction
from random import Random
from typing import TYPE_CHECKING

from exactformer.conjectures.statement import Statement
from exactformer.errors import MissingExtra
from exactformer.instances.tokens import tokens_of
from exactformer.io.untyped import AnyInstance, Untyped
from exactformer.model.tokens import Tokens

if TYPE_CHECKING:
    from hypothesis.strategies import SearchStrategy


def _strategies() -> Untyped:
    try:
        from hypothesis import strategies
    except ImportError as problem:
        raise MissingExtra("strategies need Hypothesis: pip install 'exactformer[test]'") from problem
    return strategies


def coordinates(bound: int = 5) -> SearchStrategy[Fraction]:
    """Small integers first, then fractions with denominators up to 12."""
    st = _strategies()
    whole = st.integers(-bound, bound).map(Fraction)
    result: SearchStrategy[Fraction] = st.one_of(whole, st.builds(Fraction, st.integers(-60, 60), st.integers(1, 12)))
    return result


def tokens(*, most: int = 8, dims: tuple[int, ...] = (1, 2, 3), distinct: bool = True) -> SearchStrategy[Tokens]:
    """Nonzero tokens (distinct unless told otherwise) with A = I and a small rational alpha.

    >>> from hypothesis import find
    >>> found = find(tokens(), lambda z: len(z) == 2)
    >>> len(found), found.dim
    (2, 1)
    """
    st = _strategies()

    def of_dimension(d: int) -> Untyped:
        point = st.tuples(*[coordinates()] * d).filter(any)
        return st.lists(point, min_size=1, max_size=most, unique=distinct)

    steps = st.builds(Fraction, st.integers(1, 4), st.integers(1, 10))
    result: SearchStrategy[Tokens] = st.builds(
        lambda rows, alpha: tokens_of(rows, None, alpha), st.sampled_from(dims).flatmap(of_dimension), steps
    )
    return result


def instances(statement: Statement) -> SearchStrategy[AnyInstance]:
    """Instances that a statement's own generator draws and that satisfy its hypotheses."""
    st = _strategies()
    drawn = st.integers(0, 2**32).map(lambda seed: statement.generate(Random(seed)))
    result: SearchStrategy[AnyInstance] = drawn.filter(lambda instance: statement.violated(instance) is None)
    return result
