"""Where a compiled RASP model departs from its program, why, and a repaired copy that does not."""

from __future__ import annotations

import ast
import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from exactformer.arithmetic.integers import Array
from exactformer.errors import Malformed
from exactformer.io.json_lines import JsonObject, PathLike, read_bytes, strict_json
from exactformer.languages.tracr import Decoded, TracrModel, model_of_arrays

#: outputs that are numbers agree with a float model up to this
NEAR = 1e-3


@dataclass(frozen=True)
class ProgramRun:
    """An input, what the program gives at every position, and what the float model gives."""

    word: tuple[str, ...]
    program: tuple[str, ...]
    floats: tuple[str, ...]


@dataclass(frozen=True)
class ProgramDeparture:
    """Inputs on which a model departs from its program for one reason; the first of them as an example."""

    cause: str
    inputs: int
    word: tuple[str, ...]
    position: int
    program: str
    got: str
    why: str

    def json(self) -> JsonObject:
        """As in the answer of `exactformer language tracr`."""
        example = {"input": list(self.word), "position": self.position, "program": self.program, "got": self.got}
        return {"cause": self.cause, "inputs": self.inputs, "example": example, "why": self.why}


@dataclass(frozen=True)
class TracrReport:
    """How often the exact and the float model give what the program gives; `complete`: on all inputs there are."""

    inputs: int
    exact_agrees: int
    float_agrees: int
    causes: tuple[ProgramDeparture, ...]
    complete: bool

    def json(self) -> JsonObject:
        """The answer of `exactformer language tracr --json`."""
        causes = [cause.json() for cause in self.causes]
        answer: JsonObject = {"inputs": self.inputs, "exact_agrees": self.exact_agrees}
        return {**answer, "float_agrees": self.float_agrees, "causes": causes, "all_inputs": self.complete}


def read_runs(path: PathLike) -> list[ProgramRun]:
    """The runs recorded beside a model: [[input, program's outputs, float outputs], ..]; Malformed otherwise."""
    beside = f"{str(path).removesuffix('.npz')}.runs.json"
    rows = strict_json(read_bytes(beside), beside)
    if not isinstance(rows, list) or not rows:
        raise Malformed(f"{beside}: expected a list of runs, at least one, got {rows!r:.60}")
    runs = []
    for k, row in enumerate(rows):
        if (
            not isinstance(row, list)
            or len(row) != 3
            or not all(
                isinstance(part, list) and len(part) == len(row[0]) and all(isinstance(x, str) for x in part)
                for part in row
            )
        ):
            raise Malformed(
                f"{beside}, run {k}: expected input, program, floats as lists of one length, got {row!r:.80}"
            )
        runs.append(ProgramRun(*(tuple(part) for part in row)))
    return runs


def report_of(model: TracrModel, runs: Sequence[ProgramRun]) -> TracrReport:
    """Every run by definition in exact arithmetic, beside the program and the recorded floats."""
    exact = floats = 0
    causes: dict[str, list[ProgramDeparture]] = {}
    for run in runs:
        found = model.decoded(run.word)
        right = [agrees(value, wanted) for value, wanted in zip(found, run.program, strict=True)]
        near = [_approx_same(got, wanted) for got, wanted in zip(run.floats, run.program, strict=True)]
        exact, floats = exact + all(right), floats + all(near)
        if not all(right) or not all(near):
            departure = _departure(model, run, found, right, near)
            causes.setdefault(departure.cause, []).append(departure)
    first = tuple(replace(some[0], inputs=len(some)) for some in causes.values())
    return TracrReport(len(runs), exact, floats, first, covers(model, runs))


def covers(model: TracrModel, runs: Sequence[ProgramRun]) -> bool:
    """Whether the runs are all inputs up to the longest."""
    wanted: int = sum(len(model.letters) ** n for n in range(1, model.most + 1))
    return len({run.word for run in runs if run.word}) == wanted


def agrees(value: Decoded, wanted: str) -> bool:
    """Whether a decoded value is what the program gives; a number if it rounds to the program's double.

    >>> from fractions import Fraction
    >>> agrees(None, "None"), agrees(Fraction(1, 3), "0.3333333333333333"), agrees("2", "1")
    (True, True, False)
    """
    if value is None or value == wanted:
        return str(value) == wanted
    one, two = _number(value) if isinstance(value, str) else float(value), _number(wanted)
    return bool(two is not None and one == two)


def _number(text: str) -> float | None:
    """The number that a literal such as True, 2 or 0.5 stands for; None for others."""
    try:
        value = ast.literal_eval(text)
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        return None
    return float(value) if isinstance(value, int | float) else None


def _approx_same(got: str, wanted: str) -> bool:
    one, two = _number(got), _number(wanted)
    return got == wanted or (one is not None and two is not None and abs(one - two) < NEAR)


def _departure(
    model: TracrModel, run: ProgramRun, found: list[Decoded], right: list[bool], near: list[bool]
) -> ProgramDeparture:
    """Why a run departs, at the first position where it does."""
    i = (right if not all(right) else near).index(False)
    shown = "None" if found[i] is None else str(found[i])
    if not all(right):
        cause, why = _of_the_exact_model(model, len(run.word))
        return ProgramDeparture(cause, 1, run.word, i, run.program[i], shown, why)
    if found[i] is None:
        why = "several outputs are exactly largest, which means None; the float argmax takes one of them"
        return ProgramDeparture("lost tie", 1, run.word, i, run.program[i], run.floats[i], why)
    size = model.about["key_size"]
    why = f"the scores are divided by sqrt({size}): the softmax is not sharp; hardmax on the same weights is right"
    return ProgramDeparture("soft attention", 1, run.word, i, run.program[i], run.floats[i], why)


def _of_the_exact_model(model: TracrModel, n: int) -> tuple[str, str]:
    """Why exact arithmetic departs from the program on an input of n tokens: cause and reason."""
    slope = max((ramp.slope for ramp in ramps(model.arrays, model.about)), default=None)
    if slope is None:
        return "weights", "the weights themselves do not compute the program"
    return "wide ramp", (
        f"ramps of slope {slope:g} are as wide as 1/{slope:g}: the width of a selector at this length tells 1/{n} from "
        f"1/{n + 1} only above the slope {n * (n + 1)}, and gives exact bits from {2 * n * (n + 1)} on"
    )


@dataclass(frozen=True)
class Ramp:
    """Two hidden units of a layer, relu(z + 1) and relu(z) with opposite outputs, z of this slope.

    `upper` and `lower` are their numbers, `one` is the coordinate that is constantly 1.
    """

    layer: int
    upper: int
    lower: int
    one: int
    slope: float


def ramps(arrays: dict[str, Array], about: JsonObject) -> list[Ramp]:
    """Pairs of units whose inputs differ by 1 in the coordinate that is constantly 1, and nowhere else."""
    labels = about.get("residual_labels", [])
    if "one" not in labels:
        return []
    one, found = labels.index("one"), []
    for layer in range(about["layers"]):
        U, W = (arrays[f"transformer/layer_{layer}/mlp/linear_{k}.w"].astype(float) for k in (1, 2))
        rest = np.delete(U, one, axis=0)
        for a in range(U.shape[1]):
            for b in range(U.shape[1]):
                pair = abs(U[one, a] - U[one, b] - 1) < NEAR and np.array_equal(rest[:, a], rest[:, b])
                if pair and rest[:, a].any() and np.array_equal(W[a], -W[b]):
                    found.append(Ramp(layer, a, b, one, float(np.abs(rest[:, a]).max())))
                    break
    return found


def repaired(model: TracrModel) -> TracrModel:
    """The model with queries times ceil(sqrt(key size)) and ramps of slope 2 n (n + 1), n the longest input.

    A ramp keeps its upper end, which lies midway between two values; the numbers are rounded to float32 again, so what
    is returned is what a file holds, and is to be verified by `report_of`.
    """
    arrays = {name: array.copy() for name, array in model.arrays.items()}
    for layer in range(model.about["layers"]):
        arrays[f"transformer/layer_{layer}/attn/query.w"] *= math.ceil(math.sqrt(model.about["key_size"]))
    wanted = 2 * model.most * (model.most + 1)
    for ramp in ramps(model.arrays, model.about):
        if 1 < ramp.slope < wanted:
            U = arrays[f"transformer/layer_{ramp.layer}/mlp/linear_1.w"]
            U[:, ramp.lower] = U[:, ramp.lower].astype(float) * (wanted / ramp.slope)
            U[:, ramp.upper] = U[:, ramp.lower]
            U[ramp.one, ramp.upper] += 1
    return model_of_arrays(arrays, model.about, "the repaired model")


def approx_decoded(model: TracrModel, word: Sequence[str]) -> list[str]:
    """What the float32 model with softmax gives; outputs within a thousandth of the largest count as a tie, None."""
    x = np.array([[float(v) for v in row] for row in model.embed(word)], dtype=np.float32)
    size = model.about["key_size"]
    for layer in range(model.about["layers"]):
        weights = {
            part: model.arrays[f"transformer/layer_{layer}/{part}.w"].astype(np.float32)
            for part in ("attn/query", "attn/key", "attn/value", "attn/linear", "mlp/linear_1", "mlp/linear_2")
        }
        bias = model.arrays[f"transformer/layer_{layer}/mlp/linear_1.b"].astype(np.float32)
        added = np.zeros_like(x)
        for h in range(model.about["heads"]):
            part = slice(h * size, (h + 1) * size)
            q, k, v = (x @ weights[f"attn/{name}"][:, part] for name in ("query", "key", "value"))
            scores = q @ k.T / np.float32(math.sqrt(size))
            if model.about["causal"]:
                scores = np.where(np.tri(len(x), dtype=bool), scores, np.float32(-1e30))
            shares = np.exp(scores - scores.max(axis=1, keepdims=True))
            added += (shares / shares.sum(axis=1, keepdims=True)) @ v @ weights["attn/linear"][part]
        x = x + added
        x = x + np.maximum(x @ weights["mlp/linear_1"] + bias, 0) @ weights["mlp/linear_2"]
    rows = x[1:] @ model.arrays["unembed"].astype(np.float32)
    if model.categories is None:
        return [repr(float(row[0])) for row in rows]
    near = [np.flatnonzero(row > row.max() - NEAR) for row in rows]
    return [model.categories[int(best[0])] if len(best) == 1 else "None" for best in near]


def approx_runs(model: TracrModel, runs: Sequence[ProgramRun]) -> list[ProgramRun]:
    """The same inputs with the outputs of this float model in place of the recorded ones."""
    return [ProgramRun(run.word, run.program, tuple(approx_decoded(model, run.word))) for run in runs]
