"""`exactformer run --attention softmax`: a given network at one temperature, every output enclosed."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from exactformer.cli.common import progress, say
from exactformer.cli.presenter import AnswerTable, Shown, present
from exactformer.errors import InvalidInput, Undecided

if TYPE_CHECKING:
    from flint import arb_mat

    from exactformer.arithmetic.state import State
    from exactformer.evaluate.balls import BallTransformer
    from exactformer.io.json_lines import JsonObject
    from exactformer.model.dataset import Dataset
    from exactformer.model.temperatures import Temperatures
    from exactformer.model.transformer import Transformer

#: bits up to which a precision that decides nothing is doubled
MOST_BITS = 4096


@dataclass(frozen=True)
class GivenTransformer:
    """A transformer, the temperatures its file speaks of, and the targets of its labels."""

    transformer: Transformer
    temperatures: Temperatures | None
    points: Mapping[str, State]


def _given(path: Path) -> GivenTransformer:
    """What a certificate, a transformer file, or float weights (NPZ, torch) as `export` writes them hold."""
    from exactformer.certificates.certificate import Certificate
    from exactformer.io.file_kind import holds_float_weights
    from exactformer.model.float_weights import read_float_weights
    from exactformer.model.transformer_files import read_temperatures

    if holds_float_weights(path):
        return GivenTransformer(read_float_weights(path), None, {})
    opened = Certificate.open(path)
    return GivenTransformer(opened.transformer, read_temperatures(opened.header, str(path)), opened.classifier().points)


def inverse_temperature_of(network: GivenTransformer, beta: str | None, path: Path) -> Fraction:
    """The beta to run at: the one asked for, which a certificate must cover, or the least one of the certificate."""
    from exactformer.model.temperatures import inverse_temperature

    covered = network.temperatures
    if beta is None:
        if covered is None:
            raise InvalidInput(f"{path}: expected --beta, an inverse temperature > 0: the file names none")
        return covered.low
    chosen = inverse_temperature(beta, "--beta")
    if covered is not None and not covered.contains(chosen):
        raise InvalidInput(
            f"--beta {chosen}: {path} is about {covered}; choose a temperature there, or export the weights to npz "
            "and run those, of which nothing is claimed"
        )
    return chosen


def run_softmax(path: Path, data: Path, *, beta: str | None, bits: int, positions: bool, as_json: bool) -> int:
    """Prints enclosures of all outputs, the nearest labels, and where float64 gets them wrong; the exit code."""
    from exactformer.model.dataset import Dataset

    network = _given(path)
    chosen = inverse_temperature_of(network, beta, path)
    sequences = Dataset.read(data, labelled=False)
    for remark in sequences.remarks:
        say(f"{data}: {remark}")
    sequences = sequences.with_positions() if positions else sequences
    if sequences.dim != network.transformer.dim:
        raise InvalidInput(f"{data}: expected tokens of dimension {network.transformer.dim}, got {sequences.dim}")
    points = network.points or _own_points(sequences)
    question = _Question(network.transformer, chosen, points)
    answers = []
    with progress("run", len(sequences)) as update:
        for j in range(len(sequences)):
            found = question.answer(sequences[j].tokens, bits, sequences.called(j))
            answers.append(found if sequences.names is None else {**found, "name": sequences.names[j]})
            update(j + 1)
    answer = {"beta": chosen, "sequences": answers, **_accuracy(answers, sequences.label_texts if points else None)}
    present(as_json, answer, _shown(answer, len(network.transformer), labelled=bool(points)))
    return 4 if points and any(a["label"] is None for a in answers) else 0


def _own_points(data: Dataset) -> dict[str, State]:
    """The points that construct gives to the labels of the data; none for data without labels."""
    from exactformer.constructions.targets import targets_of

    if data.label_texts is None:
        return {}
    targets = targets_of(data)
    return {label: targets.state(j) for j, label in enumerate(data.label_texts)}


def _accuracy(answers: list[JsonObject], labels: list[str] | None) -> dict[str, Fraction]:
    """The fraction of sequences proved to be nearest to their own label, where the data have labels."""
    if labels is None:
        return {}
    right = sum(answer["label"] == label for answer, label in zip(answers, labels, strict=True))
    return {"accuracy": Fraction(right, len(labels))}


class _Question:
    """A transformer at one temperature with the targets of labels; its copies in balls and floats are made once."""

    def __init__(self, transformer: Transformer, beta: Fraction, points: Mapping[str, State]) -> None:
        self.transformer, self.beta, self.points = transformer, beta, points
        self._balls: dict[int, BallTransformer] = {}

    def answer(self, tokens: State, bits: int, where: str) -> JsonObject:
        """One sequence: ends of the outputs, the nearest label with the bits that decided it, and float64 beside it."""
        from exactformer.evaluate.balls import ends, is_bounded, nearest_label

        while True:
            images = self.images(tokens, bits)
            bounded = all(map(is_bounded, images.entries()))
            found = nearest_label(images, self.points, bits) if self.points and bounded else None
            if (bounded and (found is None or found.label is not None)) or 2 * bits > MOST_BITS:
                break
            bits *= 2
        if not bounded:
            raise Undecided(f"{where}: the outputs have no finite enclosure at {bits} bits: give more as --bits")
        answer: JsonObject = {
            "outputs": [[ends(v) for v in row] for row in images.tolist()],
            "label": None if found is None else found.label,
            "bits": bits,
            "approx_float64": self._float64(tokens, images),
        }
        if found is not None and found.label is None:
            answer["undecided_between"] = list(found.candidates)
        return answer

    def images(self, tokens: State, bits: int) -> arb_mat:
        """Balls of so many bits around the outputs."""
        from exactformer.evaluate.balls import BallTransformer

        if bits not in self._balls:
            self._balls[bits] = BallTransformer(self.transformer, self.beta, bits)
        return self._balls[bits].images(tokens)

    @cached_property
    def _floats(self) -> tuple[Any, Any, JsonObject]:
        """The transformer and the targets in float64, and where they are computed."""
        from exactformer.evaluate.floats import ApproxTransformer, Backend
        from exactformer.model.transformer import at_temperature

        backend = Backend.of()
        targets = {label: found.floats() for label, found in self.points.items()}
        return ApproxTransformer(at_temperature(self.transformer, self.beta), backend), backend, targets

    def _float64(self, tokens: State, images: arb_mat) -> JsonObject:
        """How far the float64 outputs lie from the enclosures, and the label they give."""
        import numpy as np

        from exactformer.evaluate.floats import pad

        with np.errstate(all="ignore"):
            copy, backend, points = self._floats
            outputs = np.asarray(copy(*pad(tokens, np.array([0, len(tokens)]), backend))[0])
            exact = np.array([[float(v.mid()) for v in row] for row in images.tolist()])
            deviation = float(np.abs(outputs - exact).max())
            distance = {
                label: float(((outputs[:, None, :] - targets[None, :, :]) ** 2).sum(axis=2).min(axis=1).sum())
                for label, targets in points.items()
            }
        finite = bool(distance) and np.isfinite(list(distance.values())).all()
        return {"deviation": repr(deviation), "label": min(distance, key=distance.__getitem__) if finite else None}


def _shown(answer: JsonObject, blocks: int, *, labelled: bool) -> Shown:
    rows, wrong = [], 0
    for j, found in enumerate(answer["sequences"]):
        floats, label = found["approx_float64"], found["label"]
        differs = labelled and label is not None and floats["label"] != label
        wrong += differs
        width = _short(max(high - low for row in found["outputs"] for low, high in row), ".1e")
        named = label if label is not None else " or ".join(found.get("undecided_between", ["-"]))
        away = float(floats["deviation"])
        off = f"off by {away:.1e}" if math.isfinite(away) else "beyond its range"
        note = f"wrong: {floats['label'] or 'no number'}" if differs else off
        rows.append([found.get("name", j), named, _middles(found["outputs"]), width, found["bits"], note])
    columns = ["sequence", "label", "outputs (middle)", "width", "bits", "float64"]
    note = "every output lies in its enclosure, proved"
    if labelled:
        note += f"; float64 names another label {wrong} times"
    if "accuracy" in answer:
        note += f"; accuracy {answer['accuracy']}"
    title = f"{len(rows)} sequences through {blocks} blocks, softmax at beta = {answer['beta']}"
    yield AnswerTable(title, columns, rows, note)


def _middles(outputs: list[list[tuple[Fraction, Fraction]]]) -> str:
    from exactformer.arithmetic.short_text import MOST, cut

    middles = [", ".join(_short((low + high) / 2, ".6g") for low, high in row) for row in outputs]
    return f"{{{cut((f'({text})' for text in dict.fromkeys(middles)), MOST)}}}"


def _short(number: Fraction, form: str) -> str:
    """A few digits of a number, be it larger or smaller than any float."""
    from exactformer.arithmetic.floats import float_of
    from exactformer.arithmetic.short_text import show

    value = float_of(number)
    return format(value, form) if math.isfinite(value) and (value or not number) else show(number)
