"""scikit-learn's habits: `ExactClassifier` fits exactly, predicts by the nearest target, and keeps its certificate."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from exactformer.constructions.pipeline import construct
from exactformer.errors import InvalidInput, MissingExtra
from exactformer.io.untyped import Given
from exactformer.model.dataset import Dataset

try:
    from sklearn.base import BaseEstimator, ClassifierMixin
    from sklearn.utils.multiclass import check_classification_targets
    from sklearn.utils.validation import check_is_fitted, validate_data
except ImportError as problem:
    raise MissingExtra("scikit-learn is not installed: pip install 'exactformer[sklearn]'") from problem

if TYPE_CHECKING:
    from exactformer.arithmetic.integers import Array
    from exactformer.constructions.built_transformer import Built
    from exactformer.io.json_lines import PathLike

__all__ = ["ExactClassifier"]


def __dir__() -> list[str]:
    return sorted(__all__)


#: the checks of scikit-learn that are left out, and why (`check_estimator(.., expected_failed_checks=LEFT_OUT)`)
LEFT_OUT = {
    "check_dtype_object": "what is not a number is refused with its place, by a ValueError, not by a TypeError",
}


class ExactClassifier(ClassifierMixin, BaseEstimator):
    """The transformer that maps every training sequence exactly onto the target of its label.

    `X` is a list of arrays or a 3-D array (sequence, token, coordinate); a 2-D array is one token per sample. `fit`
    raises NoConstruction (a ValueError) where two samples with different labels cannot be told apart. `built_` is what
    `ef.construct` returns, `classes_` the labels in order.

    >>> model = ExactClassifier().fit([[0.0], [1.0], [3.0]], ["low", "low", "high"])
    >>> model.predict([[0.5], [2.9]]).tolist(), model.classes_.tolist(), model.built_.report.blocks
    (['low', 'high'], ['high', 'low'], 2)
    """

    def __init__(
        self, method: str = "shallow", robust: bool = False, decimals: bool = False, random_state: int = 0
    ) -> None:
        self.method, self.robust, self.decimals, self.random_state = method, robust, decimals, random_state

    def fit(self, X: Given, y: Given) -> ExactClassifier:
        """Builds the transformer for the sequences X with labels y, and verifies it on them."""
        data, labels = self._training(X, y)
        check_classification_targets(labels)
        self.classes_ = np.unique(labels)
        self.built_: Built = construct(
            data, list(labels), method=self.method, robust=self.robust, decimals=self.decimals, seed=self.random_state
        )
        return self

    def predict(self, X: Given) -> Array:
        """The label of the nearest target for every sequence, exactly."""
        check_is_fitted(self)
        table = self._table(X, reset=False)
        found = self.built_.predict(self._decimal(X) if table is None else self._decimal(table[:, None, :]))
        return np.asarray(found, dtype=self.classes_.dtype)

    def certify(self, path: PathLike) -> Path:
        """Writes the certificate that the training data are interpolated exactly, and returns its path."""
        check_is_fitted(self)
        return self.built_.certify(path)

    def _training(self, X: Given, y: Given) -> tuple[Given, Array]:
        """(sequences, labels); one token per sample is a 2-D array, which scikit-learn validates."""
        if not _is_table(X):
            data = Dataset.of(X)
            self.n_features_in_ = data.dim
            if y is None or len(y) != len(data):
                raise InvalidInput(f"y: expected {len(data)} labels, one per sequence, got {y!r:.60}")
            return X, np.asarray(y)
        table, labels = validate_data(self, X, y, dtype=None, ensure_min_samples=1)
        return np.asarray(table)[:, None, :], labels

    def _table(self, X: Given, *, reset: bool) -> Array | None:
        if not _is_table(X):
            return None
        return np.asarray(validate_data(self, X, dtype=None, reset=reset))

    def _decimal(self, X: Given) -> Dataset:
        return Dataset.of(X, decimals=self.decimals)


def _is_table(X: Given) -> bool:
    """Whether X is not sequences: a sparse matrix, a frame, rows of numbers, or something to be refused."""
    if hasattr(X, "columns") or hasattr(X, "tocsr") or isinstance(X, Dataset):
        return not isinstance(X, Dataset)
    if hasattr(X, "ndim"):
        return bool(X.ndim != 3)
    first = next(iter(X), None) if isinstance(X, list | tuple) else None
    return np.ndim(first) < 2  # type: ignore[arg-type]
