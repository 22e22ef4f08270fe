"""`exactformer sentiment evaluate`: accuracy, leaders, faithfulness, float against exact."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from exactformer.cli.common import input_path, json_option, progress
from exactformer.cli.presenter import AnswerTable, Shown, present
from exactformer.cli.sentiment_train import reviews_path

if TYPE_CHECKING:
    from exactformer.io.json_lines import JsonObject

PARTS = {"train": 0, "validation": 1, "test": 2, "all": None}


@click.command("evaluate")
@click.argument("model", metavar="MODEL", type=input_path)
@click.argument("reviews", metavar="REVIEWS", type=reviews_path)
@click.option("--part", type=click.Choice(list(PARTS)), default="test", help="The part of the split to take (test).")
@click.option(
    "--sample",
    type=click.IntRange(min=0),
    default=1000,
    metavar="N",
    help="Reviews from which words are deleted (1000).",
)
@click.option("--seed", type=click.IntRange(min=0), default=0, metavar="S", help="Seed of the sample (0).")
@click.option("--float/--no-float", "floats", default=True, help="Also compare floats with exact arithmetic.")
@json_option
def command(model: Path, reviews: Path, part: str, sample: int, seed: int, floats: bool, as_json: bool) -> None:
    """Decide exactly on the test part of REVIEWS: accuracy, the table of leaders, the words that lead most often.

    On a sample: is the decision the same with the leaders alone, without them, without as many random words? And
    where do float32, float64 and the softmax differ from exact arithmetic?

    \b
    Example:
      exactformer sentiment sample -n 400 --seed 1 -o reviews.csv
      exactformer sentiment train reviews.csv -o reviews.model.xz
      exactformer sentiment evaluate reviews.model.xz reviews.csv --sample 50
    """
    from exactformer.studies.sentiment.approx_comparison import compare
    from exactformer.studies.sentiment.classifier import ReviewClassifier
    from exactformer.studies.sentiment.evaluation import evaluate, labelled_reviews

    classifier = ReviewClassifier.read(model)
    found = labelled_reviews(reviews, classifier, PARTS[part])
    with progress("decisions", len(found)) as bar:
        answer = evaluate(classifier, found, sample=sample, seed=seed, progress=bar).json()
    if floats and sample:
        import numpy as np

        order = np.random.default_rng(seed).permutation(len(found))[:sample]
        bags = [found[k][1] for k in order.tolist() if found[k][1]]
        with progress("floats", len(bags)) as bar:
            answer["approx"] = compare(classifier, bags, progress=bar)
    present(as_json, answer, _shown(answer))


def _shown(answer: JsonObject) -> Shown:
    rows: list[list[object]] = [["reviews", answer["reviews"]], ["declined (no known word)", answer["declined"]]]
    rows.append(["accuracy, exact decisions", f"{answer['accuracy']:.4f}"])
    rows += [[f"leaders: {name}", value] for name, value in answer["leaders"].items()]
    if answer["faithfulness_reviews"]:
        what = {"only_leaders": "only the leaders kept", "without_leaders": "without the leaders"}
        what["without_random"] = "without as many random words"
        rows += [[f"same decision, {what[name]}", f"{x:.4f}"] for name, x in answer["faithfulness"].items()]
    for name, counts in answer.get("approx", {}).items():
        if isinstance(counts, dict) and name != "approx_ms":
            rows += [[f"{name.replace('_', ' ')} that differ, {kind}", n] for kind, n in counts.items()]
    top = ", ".join(f"{word} {count}" for word, count in answer["top"])
    yield AnswerTable("exact decisions", ["", ""], rows, f"leader words of reviews decided right: {top}")
