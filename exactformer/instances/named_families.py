"""`ef.sample`: an instance of any named family, tokens for the dynamics or a data set for the constructions."""

from __future__ import annotations

from exactformer.errors import InvalidInput
from exactformer.instances import dataset_families as data_sets
from exactformer.instances import token_families as tokens
from exactformer.model.dataset import Dataset
from exactformer.model.tokens import Tokens

#: family -> its one line of description, data sets first
DESCRIPTIONS = {
    name: (family.__doc__ or "").splitlines()[0]
    for families in (data_sets.FAMILIES, tokens.FAMILIES)
    for name, family in families.items()
}


def sample(family: str, *, n: int = 8, d: int = 2, seed: int = 0) -> Tokens | Dataset:
    """An instance of a named family: n tokens in dimension d, or a data set of n sequences in dimension d.

    >>> sample("windows", n=3, d=1)
    Dataset(3 sequences of 4 tokens in dimension 1, labels '0', '1', '2')
    >>> sample("integer-grid", n=3, d=2, seed=1)
    Tokens([(0, 0), (2, 3), (-3, -2)], A = I, alpha = 3/4)
    """
    if family in data_sets.FAMILIES:
        return data_sets.sample(family, n, d, seed)
    if family in tokens.FAMILIES:
        return tokens.sample(family, n, d, seed)
    raise InvalidInput(f"no family is called {family!r}: expected one of {', '.join(DESCRIPTIONS)}")
