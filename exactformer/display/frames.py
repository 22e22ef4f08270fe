"""Results as pandas frames, for those who have pandas."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, TypeAlias

from exactformer.errors import MissingExtra

if TYPE_CHECKING:
    import pandas

    DataFrame: TypeAlias = pandas.DataFrame
else:
    DataFrame = object


def frame(columns: Sequence[str], rows: Iterable[Sequence[object]]) -> DataFrame:
    """The frame with these columns; exact numbers stay Fractions (dtype object), `.astype(float)` rounds them."""
    try:
        import pandas
    except ImportError as problem:
        raise MissingExtra("pandas is not installed: pip install pandas") from problem
    return pandas.DataFrame(list(rows), columns=list(columns))
