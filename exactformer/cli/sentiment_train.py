"""`exactformer sentiment train`: a classifier from reviews."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import click

from exactformer.cli.common import InputPath, Options, json_option, output_path, progress, say
from exactformer.cli.presenter import AnswerTable, Shown, present
from exactformer.io.untyped import JsonValue

if TYPE_CHECKING:
    from exactformer.studies.sentiment.classifier import ReviewClassifier
    from exactformer.studies.sentiment.resume import Resume
    from exactformer.studies.sentiment.reviews import Reviews

reviews_path = InputPath(path_type=Path)


@click.command("train")
@click.argument("reviews", metavar="REVIEWS", type=reviews_path)
@click.option("--dim", type=click.IntRange(min=1, max=256), default=2, metavar="d", help="Dimension of the words (2).")
@click.option("--layers", type=click.IntRange(min=0, max=64), default=8, metavar="K", help="Layers (8).")
@click.option("--leaders", type=click.Choice(["few", "some", "many"]), default="few", help="How many words lead (few).")
@click.option("--seed", type=click.IntRange(min=0), default=0, metavar="S", help="Seed (0).")
@click.option("--min-count", type=click.IntRange(min=1), metavar="m", help="Occurrences of a word in the train part.")
@click.option("--pairs", is_flag=True, help="A word after a negation is a word of its own (texts only).")
@click.option("--matrix", is_flag=True, help="Also train the matrix A, symmetric positive definite.")
@click.option("-o", "--output", type=output_path, required=True, metavar="MODEL", help="The model file to write (.xz).")
@json_option
def command(
    reviews: Path,
    dim: int,
    layers: int,
    leaders: str,
    seed: int,
    min_count: int | None,
    pairs: bool,
    matrix: bool,
    output: Path,
    as_json: bool,
) -> None:
    """Train a classifier on REVIEWS: a CSV or TSV file label,text, a folder aclImdb, or a .bags.xz file.

    The validation part chooses the model, which is then trained again on train and validation; the test part is used
    once. A model without attention is trained the same way for comparison. If interrupted, the same command resumes
    where it stopped.

    \b
    Example:
      exactformer sentiment sample -n 600 --seed 1 -o reviews.csv
      exactformer sentiment train reviews.csv --dim 2 -o reviews.model.xz
    """
    from exactformer.studies.sentiment.resume import Resume
    from exactformer.studies.sentiment.reviews import read_reviews

    data = read_reviews(reviews, min_count=min_count, pairs=pairs)
    train, validation, test = data.part_sizes
    say(f"{train:,} train, {validation:,} validation, {test:,} test reviews; {len(data.words):,} words; seed {seed}")
    saved = Resume(output.with_name(f"{output.name}.resume"), data)
    if saved.found:
        say(f"going on from {saved.folder}")
    options = {"dim": dim, "layers": layers, "leaders": leaders, "seed": seed, "matrix": matrix}
    model = _trained(data, saved, options)
    model.write(output)
    saved.clear()
    present(as_json, lambda: model.about, accuracies_shown(model.about))
    say(f"wrote {output} ({output.stat().st_size:,} bytes)")


def _trained(data: Reviews, saved: Resume, options: Options) -> ReviewClassifier:
    """The model, with a bar over the epochs of all trainings."""
    from exactformer.studies.sentiment.trainer import planned_epochs, train

    options = dict(options)
    finished: dict[str, float] = {}
    with progress("training", 100) as bar:

        def told(name: str, done: int, total: int) -> None:
            finished[name] = done / total
            bar(round(100 * min(1.0, sum(finished.values()) / planned)))

        planned = planned_epochs(options["dim"], options["layers"], options["leaders"])
        return train(data, resume=saved, progress=told, **options)


def accuracies_shown(about: Mapping[str, JsonValue]) -> Shown:
    """The accuracies and the leaders of a model as a table."""
    plain, leaders = about["without_attention"], about["leaders"]
    rows = [
        ["with attention", f"{about['validation']:.4f}", f"{about['test']:.4f}"],
        ["without attention, trained as such", f"{plain['validation']:.4f}", f"{plain['test']:.4f}"],
        ["with attention taken out afterwards", "", f"{about['attention_removed']:.4f}"],
    ]
    note = (
        f"leaders of a test review: mean {leaders['mean']}, deviation {leaders['std']}, {leaders['min']} to"
        f" {leaders['max']}; {leaders['fraction_initial']:.4f} of them from layer 0 on"
    )
    yield AnswerTable("accuracy; the test part was looked at once", ["model", "validation", "test"], rows, note)
