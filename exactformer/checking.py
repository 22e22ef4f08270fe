"""The door to the independent checker: `ef.check`.

The checker reads certificates and JSON only. Data in CSV, NPZ or NPY are read here, exactly, and handed to it as
a temporary JSON file; whether they are the data of the certificate is for the checker to say.
"""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from exactformer.arithmetic.state import PointsLike
from exactformer.arithmetic.text import NumberLike, canonical
from exactformer.errors import InvalidInput
from exactformer.model.file_kind import file_kind
from exactformer.model.json_lines import PathLike
from proofs_check import Limits, Verdict
from proofs_check import check as run_checker

__all__ = ["EXIT_CODES", "Limits", "Verdict", "check"]

#: verdict -> exit code of every command that checks
EXIT_CODES = {"accepted": 0, "rejected": 1, "malformed": 3, "declined": 4}
#: claims about a data set of sequences; all others are about tokens
DATASET_CLAIMS = ("interpolation", "infeasible")


def check(
    certificate: PathLike,
    *,
    data: PathLike | None = None,
    positions: bool = False,
    A: PointsLike | None = None,
    alpha: NumberLike | None = None,
    limits: Limits | None = None,
    workers: int = 1,
) -> Verdict:
    """The verdict of the independent checker: accepted, rejected, malformed or declined, with where and why.

    `data` is the file the certificate must be about: JSON, CSV or NPZ (with `positions`, each token's position
    is appended as a coordinate first), tokens in JSON, CSV or NPY with `A` and `alpha`, or the model of a decision.
    With several `workers` the sequences of an interpolation are verified by so many processes; the verdict is the same.
    """
    with _json_data(certificate, data, positions, A, alpha) as path:
        try:
            return run_checker(os.fspath(certificate), path, limits, workers)
        except OSError as problem:
            raise InvalidInput(f"cannot read {problem.filename}: {problem.strerror}; check the path") from problem


@contextmanager
def _json_data(
    certificate: PathLike, data: PathLike | None, positions: bool, A: PointsLike | None, alpha: NumberLike | None
) -> Iterator[str | None]:
    """The path of the data as JSON, of a temporary file if they are something else."""
    if data is None:
        yield None
        return
    changed = positions or A is not None or alpha is not None
    if file_kind(data) == "json" and Path(data).suffix.lower() != ".xz" and str(data) != "-" and not changed:
        yield os.fspath(data)
        return
    if Path(data).suffix.lower() == ".xz":
        content = _model(data)
    else:
        content = _dataset(data, positions) if _about_sequences(certificate) else _tokens(data, A, alpha)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "data.json"
        path.write_text(json.dumps(content, default=canonical), encoding="utf-8")
        yield os.fspath(path)


def _dataset(path: PathLike, positions: bool) -> dict[str, Any]:
    from exactformer.model.dataset import Dataset

    dataset = Dataset.read(path)
    return (dataset.with_positions() if positions else dataset).json()


def _tokens(path: PathLike, A: PointsLike | None, alpha: NumberLike | None) -> dict[str, Any]:
    from exactformer.model.tokens import Tokens

    return Tokens.read(path, A=A, alpha=alpha).json()


def _model(path: PathLike) -> dict[str, Any]:
    from exactformer.studies.sentiment.classifier_file import model_json, read_classifier

    return model_json(read_classifier(path))


def _about_sequences(certificate: PathLike) -> bool:
    """Whether the header says so; a file without a readable header is left to the checker."""
    try:
        with open(certificate, "rb") as file:
            header = json.loads(file.readline(100_000))
    except (OSError, ValueError, RecursionError):
        return True
    return isinstance(header, dict) and (header.get("claim") in DATASET_CLAIMS or "sequences" in header)
