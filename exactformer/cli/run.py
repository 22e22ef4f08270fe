"""`exactformer run`: a transformer, exactly, on new sequences."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING

import click

from exactformer.cli.common import input_path, json_option, network_path, output_path, say
from exactformer.cli.presenter import AnswerTable, Shown, present
from exactformer.errors import InvalidInput
from exactformer.io.untyped import OptionValue

if TYPE_CHECKING:
    from exactformer.arithmetic.state import State
    from exactformer.io.json_lines import JsonObject
    from exactformer.model.batch import Batch
    from exactformer.model.dataset import Dataset
    from exactformer.model.matrix import Row
    from exactformer.model.transformer import Transformer


@click.command("run")
@click.argument("certificate", metavar="CERT", type=network_path)
@click.argument("data", metavar="DATA", type=input_path)
@click.option("--nearest", is_flag=True, help="Label every sequence by the nearest target, and print the accuracy.")
@click.option("--attention", type=click.Choice(["hardmax", "softmax"]), help="Softmax: enclosures at --beta.")
@click.option("--beta", help="Inverse temperature of softmax; the least one of a certificate unless given.")
@click.option(
    "--bits", type=click.IntRange(min=2, max=1 << 16), default=128, show_default=True, help="First precision."
)
@click.option("--compare", metavar="float32,..", help="Networks: compare with float64, float32, float16 or bfloat16.")
@click.option(
    "--neighbours", type=input_path, metavar="FILE", help="Networks without a head: the nearest of these inputs."
)
@click.option(
    "--tokenizer", type=input_path, metavar="FILE", help="Networks: inputs are texts, one per line; a tokenizer.json."
)
@click.option("-o", "--output", type=output_path, metavar="CERT", help="Networks: write a certificate of the answers.")
@click.option("--positions", is_flag=True, help="The transformer was built with --positions.")
@click.option("--follows", is_flag=True, help="Also show which tokens each token attends to, block by block.")
@json_option
@click.pass_context
def command(
    ctx: click.Context,
    /,
    certificate: Path,
    data: Path,
    nearest: bool,
    positions: bool,
    follows: bool,
    as_json: bool,
    **soft: OptionValue,
) -> None:
    """Run the transformer of CERT (a certificate or a transformer file) exactly on the sequences of DATA.

    A sequence whose outputs are the targets of a label of the certificate gets that label; with --nearest the label
    of the nearest target, by exact distance (the mean over the output tokens; of labels equally near the first by
    name, and all of them are listed). DATA may be - for the standard input, and needs no labels.

    With --attention softmax CERT may also be float weights (NPZ or torch, as export writes them): every output is
    enclosed rigorously at inverse temperature --beta, the nearest label is decided, and float64 is compared.

    CERT may also be a network file, as import writes it, and DATA then rows of token ids (CSV, or JSON [[ids], ..]):
    the certified winner of every input, its lead over the others and the radius of its logits, in real arithmetic,
    not a device's; --compare says where float programs decide otherwise, --beta multiplies all scores. Without a head
    the outputs are enclosed. With --tokenizer DATA has texts, one per line. With -o the answers are certified.

    \b
    Example:
      exactformer sample all-but-one -n 6 -d 2 --seed 1 -o data.json
      exactformer construct data.json -o cert.jsonl
      exactformer run cert.jsonl data.json --nearest
    """
    from exactformer.model.network_files import is_network_file

    about_networks = {name: soft.pop(name) for name in ("compare", "neighbours", "tokenizer", "output")}
    if certificate.is_dir() or certificate.suffix.lower() == ".safetensors" or is_network_file(certificate):
        from exactformer.cli.run_network import run_network

        _refuse(nearest=nearest, positions=positions, follows=follows, attention=soft["attention"])
        ctx.exit(run_network(certificate, data, **about_networks, beta=soft["beta"], as_json=as_json))
    if any(about_networks.values()):
        raise click.UsageError(
            "--compare, --neighbours, --tokenizer and --output are for networks, as import writes them"
        )
    if _wants_softmax(certificate, **soft):
        from exactformer.cli.run_softmax import run_softmax

        if follows:
            raise click.UsageError("--follows is for hardmax: with softmax every token attends to all of them")
        options = {"beta": soft["beta"], "bits": soft["bits"], "positions": positions, "as_json": as_json}
        ctx.exit(run_softmax(certificate, data, **options))
    from exactformer.certificates.certificate import Certificate
    from exactformer.evaluate.classifier import images
    from exactformer.model.dataset import Dataset

    opened = Certificate.open(certificate)
    classifier = opened.classifier(positions=positions)
    points = classifier.points
    sequences = Dataset.read(data, labelled=False)
    for remark in sequences.remarks:
        say(f"{data}: {remark}")
    if nearest and not points:
        raise InvalidInput(f"{certificate}: expected a certificate with labels for --nearest, got none")
    outputs = images(opened.transformer, sequences, positions=positions)
    answers = _answers(outputs, sequences, points)
    answer: JsonObject = {"sequences": answers}
    if nearest:
        answer |= _by_nearest(answers, outputs, points, sequences.label_texts)
    if follows or as_json:
        _add_follows(answers, opened.transformer, sequences.with_positions() if positions else sequences)
    present(as_json, answer, _shown(answer, len(opened.transformer), follows=follows))


def _refuse(**given: object) -> None:
    """Wrong usage where an option was given that says nothing about networks."""
    odd = [f"--{name}" for name, value in given.items() if value]
    if odd:
        raise click.UsageError(f"{', '.join(odd)}: for transformers and their certificates, not for network files")


def _wants_softmax(path: Path, *, attention: str | None, beta: str | None, bits: int) -> bool:
    """Whether softmax was asked for, or the file is a certificate of softmax at some temperatures without hardmax."""
    if attention == "softmax":
        return True
    if beta is not None:
        raise click.UsageError("--beta is the inverse temperature of softmax: add --attention softmax")
    from exactformer.io.file_kind import holds_float_weights

    if holds_float_weights(path):
        raise click.UsageError("float weights run with --attention softmax --beta B; certificates run exactly")
    if attention == "hardmax":
        return False
    from exactformer.certificates.certificate import Certificate
    from exactformer.model.transformer_files import read_temperatures

    temperatures = read_temperatures(Certificate.open(path).header, str(path))
    return temperatures is not None and temperatures.high is not None


def _answers(outputs: Batch, sequences: Dataset, points: Mapping[str, State]) -> list[JsonObject]:
    """The outputs of every sequence, and the label whose targets they are."""
    labels = {frozenset(targets): label for label, targets in points.items()}
    answers = []
    for a, b in zip(sequences.offsets[:-1], sequences.offsets[1:], strict=True):
        rows = [outputs.row(r) for r in outputs.inverse[a:b]]
        answers.append({"outputs": rows, "label": labels.get(frozenset(rows))})
    for answer, name in zip(answers, sequences.names or [], strict=False):
        answer["name"] = name
    return answers


def _by_nearest(
    answers: list[JsonObject], outputs: Batch, points: Mapping[str, State], labels: list[str] | None
) -> JsonObject:
    """Adds the nearest label, its ties and squared distance to every answer; {"accuracy"} where labels are known."""
    from exactformer.evaluate.classifier import nearest_labels

    for answer, found in zip(answers, nearest_labels(outputs, points), strict=True):
        ties = list(found.labels) if found.tied else []
        answer |= {"label": found.label, "ties": ties, "distance2": found.distance2}
    if labels is None:
        return {}
    right = sum(answer["label"] == label for answer, label in zip(answers, labels, strict=True))
    return {"accuracy": Fraction(right, len(labels))}


def _add_follows(answers: list[JsonObject], transformer: Transformer, sequences: Dataset) -> None:
    """The follower sets of every sequence in every block with attention (null without)."""
    from exactformer.evaluate.batch import follower_sets
    from exactformer.model.batch import Batch

    for answer, sequence in zip(answers, sequences, strict=True):
        answer["follows"] = follower_sets(transformer, Batch.of(sequence.tokens))


def _shown(answer: JsonObject, blocks: int, *, follows: bool) -> Shown:
    columns = ["sequence", "label", "outputs", *(["follows, block by block"] if follows else [])]
    rows = [
        [
            a.get("name", j),
            " or ".join(a.get("ties", [])) or (a["label"] if a["label"] is not None else "-"),
            _set(a["outputs"]),
            *([a["follows"]] if follows else []),
        ]
        for j, a in enumerate(answer["sequences"])
    ]
    accuracy = answer.get("accuracy")
    note = "" if accuracy is None else f"accuracy {accuracy} = {float(accuracy):.4f}, by the nearest target"
    yield AnswerTable(f"{len(rows)} sequences through {blocks} blocks", columns, rows, note)


def _set(points: list[Row]) -> str:
    from exactformer.arithmetic.short_text import MOST, cut, show

    return f"{{{cut(map(show, dict.fromkeys(points)), MOST)}}}"
