"""`ef.crosscheck`: floats beside exact arithmetic on whatever the user has."""

from __future__ import annotations

import os

from exactformer.certificates.certificate import Certificate
from exactformer.constructions.built_transformer import Built
from exactformer.errors import InvalidInput
from exactformer.evaluate.floats import Backend
from exactformer.float_comparison.dynamics import DynamicsCheck, crosscheck_dynamics
from exactformer.float_comparison.transformers import TransformerCheck, crosscheck_transformer
from exactformer.io.untyped import Given
from exactformer.loading import load
from exactformer.model.dataset import Dataset
from exactformer.model.tokens import Tokens
from exactformer.model.transformer import Transformer

#: layers of the dynamics unless others are asked for
LAYERS = 50


def crosscheck(
    subject: Given,
    data: object = None,
    *,
    layers: int = LAYERS,
    dtype: str = "float64",
    backend: str = "numpy",
    device: str | None = None,
) -> DynamicsCheck | TransformerCheck:
    """Where the float path first departs from the exact one, and how far the two end apart.

    The subject is tokens (or rows of numbers) for `layers` layers of the dynamics; a construction, a certificate, or
    a transformer with the `data` to run it on; or the path of any of these.

    >>> check = crosscheck(Tokens([["7/5", "1/5"], [1, 1], [0, 0]]), layers=20)
    >>> check.first_difference, check.follows_exact, check.follows_float
    (2, ((0, 1),), ((1,),))
    """
    chosen = Backend.of(backend, dtype, device)
    if isinstance(subject, (str, os.PathLike)):
        subject = load(subject)
    if isinstance(subject, (Built, Certificate)):
        data = subject.data if data is None else data
        subject = subject.transformer
    if isinstance(subject, Dataset):
        raise InvalidInput("expected tokens, a construction, a certificate or a transformer, got a data set")
    if isinstance(subject, Transformer):
        if data is None:
            raise InvalidInput("expected the sequences to run the transformer on, got none: crosscheck(model, data)")
        sequences = Dataset.of(data)
        return crosscheck_transformer(subject, sequences.tokens, sequences.offsets, chosen)
    tokens = subject if isinstance(subject, Tokens) else Tokens(subject)
    return crosscheck_dynamics(tokens, layers=layers, backend=chosen)
