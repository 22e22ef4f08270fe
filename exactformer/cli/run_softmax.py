"""`exactformer run --attention softmax`: a given network at one temperature, every output enclosed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any

from exactformer.arithmetic.floats import float_of
from exactformer.cli.common import print_json, print_table, progress
from exactformer.errors import InvalidInput

if TYPE_CHECKING:
    from exactformer.arithmetic.state import State
    from exactformer.model.dataset import Dataset
    from exactformer.model.temperatures import Temperatures
    from exactformer.model.transformer import Transformer

#: bits at which a label is given up
MOST_BITS = 4096


@dataclass(frozen=True)
class Network:
    """A transformer, the temperatures its file speaks of, and the targets of its labels."""

    transformer: Transformer
    temperatures: Temperatures | None
    points: Mapping[str, State]


def read_network(path: Path) -> Network:
    """The network of a certificate, a transformer file, or of float weights (NPZ, torch) as `export` writes them."""
    from exactformer.certificates.opened import Certificate
    from exactformer.cli.run import FLOATS
    from exactformer.model.float_weights import read_float_weights
    from exactformer.model.transformer_files import read_temperatures

    if path.suffix.lower() in FLOATS:
        return Network(read_float_weights(path), None, {})
    opened = Certificate.open(path)
    return Network(opened.transformer, read_temperatures(opened.header, str(path)), opened.classifier().points)


def inverse_temperature_of(network: Network, beta: str | None, path: Path) -> Fraction:
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

    network = read_network(path)
    chosen = inverse_temperature_of(network, beta, path)
    sequences = Dataset.read(data, labelled=False)
    sequences = sequences.with_positions() if positions else sequences
    if sequences.dim != network.transformer.dim:
        raise InvalidInput(f"{data}: expected tokens of dimension {network.transformer.dim}, got {sequences.dim}")
    points = network.points or _own_points(sequences)
    answers = []
    with progress("run", len(sequences)) as update:
        for j in range(len(sequences)):
            answers.append(_answer(network.transformer, sequences[j].tokens, chosen, bits, points))
            update(j + 1)
    answer = {"beta": chosen, "sequences": answers, **_accuracy(answers, sequences.labels if points else None)}
    if as_json:
        print_json(answer)
    else:
        _print(answer, len(network.transformer), labelled=bool(points))
    return 4 if points and any(a["label"] is None for a in answers) else 0


def _own_points(data: Dataset) -> dict[str, State]:
    """The points that construct gives to the labels of the data; none for data without labels."""
    from exactformer.constructions.targets import targets_of

    if data.labels is None:
        return {}
    targets = targets_of(data)
    return {label: targets.state(j) for j, label in enumerate(data.labels)}


def _accuracy(answers: list[dict[str, Any]], labels: list[str] | None) -> dict[str, Fraction]:
    """The fraction of sequences proved to be nearest to their own label, where the data have labels."""
    if labels is None:
        return {}
    right = sum(answer["label"] == label for answer, label in zip(answers, labels, strict=True))
    return {"accuracy": Fraction(right, len(labels))}


def _answer(
    transformer: Transformer, tokens: State, beta: Fraction, bits: int, points: Mapping[str, State]
) -> dict[str, Any]:
    """One sequence: ends of the outputs, the nearest label with the bits that decided it, and float64 beside it."""
    from exactformer.model.ball_transformer import BallTransformer, ends, nearest_label

    while True:
        images = BallTransformer(transformer, beta, bits).images(tokens)
        finite = all(v.is_finite() for v in images.entries())
        found = nearest_label(images, points, bits) if points and finite else None
        if (finite and (found is None or found.label is not None)) or 2 * bits > MOST_BITS:
            break
        bits *= 2
    if not finite:
        raise InvalidInput(f"the outputs have no finite enclosure at {bits} bits: raise --bits")
    answer: dict[str, Any] = {
        "outputs": [[ends(v) for v in row] for row in images.tolist()],
        "label": None if found is None else found.label,
        "bits": bits,
        "approx_float64": _float64(transformer, tokens, beta, images.tolist(), points),
    }
    if found is not None and found.label is None:
        answer["undecided_between"] = list(found.candidates)
    return answer


def _float64(
    transformer: Transformer, tokens: State, beta: Fraction, images: list[list[Any]], points: Mapping[str, State]
) -> dict[str, Any]:
    """How far the float64 outputs lie from the enclosures, and the label they give."""
    import numpy as np

    from exactformer.model.approx import approx
    from exactformer.model.transformer import at_temperature

    with np.errstate(all="ignore"):
        outputs = approx(at_temperature(transformer, beta), tokens)
        exact = np.array([[float(v.mid()) for v in row] for row in images])
        deviation = float(np.abs(outputs - exact).max())
        floats = {label: np.array([[float_of(v) for v in y] for y in state.rows()]) for label, state in points.items()}
        distance = {
            label: float(((outputs[:, None, :] - targets[None, :, :]) ** 2).sum(axis=2).min(axis=1).sum())
            for label, targets in floats.items()
        }
    return {"deviation": repr(deviation), "label": min(distance, key=distance.__getitem__) if distance else None}


def _print(answer: dict[str, Any], blocks: int, *, labelled: bool) -> None:
    rows, wrong = [], 0
    for j, found in enumerate(answer["sequences"]):
        floats, label = found["approx_float64"], found["label"]
        differs = labelled and label is not None and floats["label"] != label
        wrong += differs
        width = max(float_of(high - low) for row in found["outputs"] for low, high in row)
        named = label if label is not None else " or ".join(found.get("undecided_between", ["-"]))
        note = f"wrong: {floats['label']}" if differs else f"off by {float(floats['deviation']):.1e}"
        rows.append([j, named, _shown(found["outputs"]), f"{width:.1e}", found["bits"], note])
    columns = ["sequence", "label", "outputs (middle)", "width", "bits", "float64"]
    note = "every output lies in its enclosure, proved"
    if labelled:
        note += f"; float64 names another label {wrong} times"
    if "accuracy" in answer:
        note += f"; accuracy {answer['accuracy']}"
    print_table(
        f"{len(rows)} sequences through {blocks} blocks, softmax at beta = {answer['beta']}", columns, rows, note=note
    )


def _shown(outputs: list[list[tuple[Fraction, Fraction]]]) -> str:
    from exactformer.arithmetic.show import MOST, cut

    middles = [", ".join(f"{float_of((low + high) / 2):.6g}" for low, high in row) for row in outputs]
    return f"{{{cut((f'({text})' for text in dict.fromkeys(middles)), MOST)}}}"
